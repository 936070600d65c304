"""Results made by hand, without a simulator: what the statistics are tested on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from aqmlab.papers import experiments
from aqmlab.papers.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

RELATIVE_WIDTH = 0.001
LINKS = ("left-to-right", "right-to-left")
POPULATIONS = ("left", "right")
CLASSES = ("syn", "syn_ack", "pure_ack", "fin", "data")


@dataclass(frozen=True)
class SyntheticResult:
    """Satisfies `aqmlab.statistics.Recorded`."""

    run: dict[str, Any]
    tables: Mapping[str, pa.Table] = field(default_factory=dict)


def names(codes: ArrayLike, list_of_names: Sequence[str]) -> pa.DictionaryArray:
    """A column of names, as a run leaves it."""
    return pa.DictionaryArray.from_arrays(
        pa.array(np.asarray(codes, dtype=np.int32)), pa.array(list_of_names)
    )


def histogram(times_s: FloatArray, *, population: int = 0, size_class: int = 0) -> pa.Table:
    """The table `response_histogram` of some response times: bins 0.1 % wide, none empty."""
    number = np.floor(np.log(times_s) / np.log1p(RELATIVE_WIDTH)).astype(np.int64)
    bins, counts = np.unique(number, return_counts=True)
    edge = (1.0 + RELATIVE_WIDTH) ** bins.astype(np.float64)
    return pa.table(
        {
            "population": names(np.full(bins.size, population), POPULATIONS),
            "size_class": pa.array(np.full(bins.size, size_class, dtype=np.uint8)),
            "lower_s": edge,
            "upper_s": (1.0 + RELATIVE_WIDTH) ** (bins + 1.0),
            "count": pa.array(counts.astype(np.uint64)),
        }
    )


def link(
    name: str,
    *,
    throughput_mbps: float,
    arrived: int,
    discarded: int,
    queue_packets: float = 0.0,
    carries_data: bool = True,
) -> dict[str, Any]:
    """One monitored link's summary; every class of packets loses its share."""
    by_class = {
        each: {
            "arrived_packets": arrived // 5,
            "at_risk_packets": arrived // 5,
            "discarded_packets": discarded // 5,
            "marked_packets": 0,
        }
        for each in CLASSES
    }
    return {
        "name": name,
        "from": name.partition("-to-")[0],
        "to": name.partition("-to-")[2],
        "carries_data": carries_data,
        "rate_mbps": 100.0,
        "capacity_mbps": 100.0,
        "mean_frame_bytes": 500.0,
        "throughput_frame_mbps": throughput_mbps,
        "scheme": "synthetic",
        "throughput_mbps": throughput_mbps,
        "busy_share": throughput_mbps / 100.0,
        "loss_ratio": discarded / arrived if arrived else 0.0,
        "queue_packets_mean": queue_packets,
        "counters": {
            "arrived": {"packets": arrived, "bytes": 500 * arrived},
            "at_risk": {"packets": arrived, "bytes": 500 * arrived},
            "departed": {"packets": arrived - discarded, "bytes": 500 * (arrived - discarded)},
            "marked": {"packets": 0, "bytes": 0},
            "discarded": {
                "overflow": {"packets": discarded // 2, "bytes": 0},
                "early": {"packets": discarded - discarded // 2, "bytes": 0},
            },
            "by_class": by_class,
        },
    }


def synthetic_result(
    *,
    seed: int = 1,
    times_s: FloatArray | None = None,
    failed: int = 0,
    users: tuple[int, int] = (100, 100),
    window_s: tuple[float, float] = (30.0, 150.0),
    throughput_mbps: tuple[float, float] = (90.0, 90.0),
    arrived: tuple[int, int] = (100_000, 100_000),
    discarded: tuple[int, int] = (0, 0),
    queue_packets: tuple[float, float] = (0.0, 0.0),
    completed: int | None = None,
    tcp: Mapping[str, int] | None = None,
    users_settings: Mapping[str, Any] | None = None,
    tables: Mapping[str, pa.Table] | None = None,
) -> SyntheticResult:
    """A result with these response times (all of the left population) and these counters.

    Where one side has no users the link towards it carries no data.
    """
    times_s = np.array([0.1]) if times_s is None else times_s
    ended = (times_s.size if completed is None else completed, 0)
    populations = [
        {"name": name, "users": count, "completed": done, "failed": gone, "unfinished": 0, "generated": {}}
        for name, count, done, gone in zip(POPULATIONS, users, ended, (failed, 0), strict=True)
    ]
    links = [
        link(
            name,
            throughput_mbps=rate,
            arrived=came,
            discarded=gone,
            queue_packets=waiting,
            carries_data=towards > 0,
        )
        for name, rate, came, gone, waiting, towards in zip(
            LINKS, throughput_mbps, arrived, discarded, queue_packets, users[::-1], strict=True
        )
    ]
    scenario: dict[str, Any] = {"name": "synthetic", "users": dict(users_settings or {"start": "steady"})}
    run = {
        "format": 3,
        "aqmlab_version": "synthetic",
        "scenario": scenario,
        "seed": seed,
        "measured_from_s": window_s[0],
        "measured_until_s": window_s[1],
        "links": links,
        "populations": populations,
        "tcp": dict(tcp or {"timeouts": 0, "loss_episodes": 0, "loss_episodes_multiple": 0}),
        "invariants": [{"name": "conservation", "holds": True}],
        "warnings": [],
    }
    return SyntheticResult(run, {"response_histogram": histogram(times_s), **(tables or {})})


def exchange_times(
    seed: int, *, size: int = 4000, median_s: float = 0.2, timeouts: float = 0.0
) -> FloatArray:
    """Response times of one replication: lognormal, a share of them delayed by a timeout of one second.

    The same seed gives the same users: shape and share change what happens to them, never who they are.
    """
    generator = np.random.default_rng(seed)
    body = median_s * np.exp(0.7 * generator.normal(size=size))
    return np.asarray(body + (generator.random(size) < timeouts))


def synthetic_study(
    make: Callable[[str, float, int], SyntheticResult | None],
    *,
    replications: int = 8,
    loads: Sequence[float] = (80.0, 90.0, 98.0, 105.0),
    name: str = "le2003",
) -> Study:
    """A study of an experiment whose results `make` invents for (configuration, load, seed)."""
    experiment = experiments.load(name)
    cells: dict[tuple[str, float], list[SyntheticResult]] = {}
    for cell in experiment.configurations:
        for load in loads:
            made = [make(cell, load, seed) for seed in range(1, replications + 1)]
            found = [result for result in made if result is not None]
            if found:
                cells[cell, load] = found
    return Study(experiment, experiment.scale("standard"), cells)
