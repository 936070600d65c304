"""The shape of `run.json`: what its readers rely on. Meanings of the keys: `docs/reference/results.md`."""

from __future__ import annotations

from aqmlab.files.shape import ANY, FLAG, NUMBER, TEXT, WHOLE, ListOf, Table, TableOf

_AMOUNT = Table({"packets": WHOLE, "bytes": WHOLE}, open=True)

_COUNTS = Table(
    {
        "arrived_packets": WHOLE,
        "at_risk_packets": WHOLE,
        "marked_packets": WHOLE,
        "discarded_packets": WHOLE,
    },
    open=True,
)

_LINK = Table(
    {
        "name": TEXT,
        "from": TEXT,
        "to": TEXT,
        "rate_mbps": NUMBER,
        "scheme": TEXT,
        "carries_data": FLAG,
        "throughput_mbps": NUMBER,
        "throughput_ip_mbps": NUMBER,
        "busy_share": NUMBER,
        "queue_packets_mean": NUMBER,
        "loss_ratio": NUMBER,
        "mark_ratio": NUMBER,
        "counters": Table(
            {
                "arrived": _AMOUNT,
                "at_risk": _AMOUNT,
                "departed": _AMOUNT,
                "marked": _AMOUNT,
                "discarded": TableOf(_AMOUNT),
                "by_class": TableOf(_COUNTS),
                "by_codepoint": TableOf(_COUNTS),
            },
            open=True,
        ),
    },
    open=True,
)

_POPULATION = Table(
    {"name": TEXT, "users": WHOLE, "completed": WHOLE, "failed": WHOLE, "unfinished": WHOLE}, open=True
)

RUN = Table(
    required={
        "aqmlab_version": TEXT,
        "scenario": TableOf(ANY),
        "seed": WHOLE,
        "measured_from_s": NUMBER,
        "measured_until_s": NUMBER,
        "links": ListOf(_LINK),
        "populations": ListOf(_POPULATION),
        "flows": ListOf(Table({"name": TEXT, "delivered_bytes": ListOf(WHOLE)}, open=True)),
        "tcp": TableOf(WHOLE),
        "warnings": ListOf(TEXT),
    },
    optional={
        "content_address": TEXT,
        "ended_s": NUMBER,
        "offered_load": TableOf(ANY),
        "live": TableOf(ANY),
        "actions": ListOf(TableOf(ANY)),
    },
    open=True,
)
"""A run as its folder holds it; other keys are kept and not read."""
