"""The claims of Christiansen, Jeffay, Ott and Smith (SIGCOMM 2000), by theme."""

from aqmlab.experiments.christiansen2000.claims import (
    drop_tail,
    generators,
    load,
    red_against_fifo,
    settings,
    settling,
    table3,
    thresholds,
    weights,
)

__all__ = [
    "drop_tail",
    "generators",
    "load",
    "red_against_fifo",
    "settings",
    "settling",
    "table3",
    "thresholds",
    "weights",
]
