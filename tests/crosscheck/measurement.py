"""One row of figures per scheme and seed, from either program, under the column names of ns2/summary.csv."""

from __future__ import annotations

import csv
import importlib.util
import shutil
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import aqmlab
from aqmlab.runs.executors import available_cores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FOLDER = Path(__file__).resolve().parent
SCENARIO = FOLDER / "scenario.toml"
NS2_SUMMARY = FOLDER / "ns2" / "summary.csv"
BOTTLENECK = "left-to-right"
_BOTTLENECK_QUEUE = "topology.links.1.queue"
FIFTHS = tuple(f"throughput_kbps_fifth_{number}" for number in range(1, 6))

Row = dict[str, float]


def schemes() -> dict[str, dict[str, Any]]:
    """The queue of the bottleneck under each scheme, by ns-2's name of it."""
    return tomllib.loads((FOLDER / "schemes.toml").read_text(encoding="utf-8"))


def scenario(scheme: str, changes: Mapping[str, object] | None = None) -> aqmlab.Scenario:
    """The scenario under a scheme. `changes` holds dotted keys; those of the queue begin with `queue.`."""
    queue = dict(schemes()[scheme])
    overrides: dict[str, object] = {}
    for key, value in (changes or {}).items():
        if key.startswith("queue."):
            queue[key.removeprefix("queue.")] = value
        else:
            overrides[key] = value
    return aqmlab.Scenario.from_file(SCENARIO, overrides={_BOTTLENECK_QUEUE: queue, **overrides})


def link_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """The bottleneck in the forward direction."""
    links: dict[str, Mapping[str, Any]] = {link["name"]: link for link in run["links"]}
    return links[BOTTLENECK]


def row_of(run: Mapping[str, Any]) -> Row:
    """The figures of one of our runs."""
    link = link_of(run)
    seconds = run["measured_until_s"] - run["measured_from_s"]
    kbps = np.array(run["flows"][0]["delivered_bytes"]) * 8.0 / 1000.0 / seconds
    return {
        "loss_percent": 100.0 * link["loss_ratio"],
        "queue_packets_mean": link["queue_packets_mean"],
        "utilization": link["throughput_ip_mbps"] / link["rate_mbps"],
        **dict(zip(FIFTHS, kbps.reshape(5, -1).mean(axis=1).tolist(), strict=True)),
        "timeouts": run["tcp"]["timeouts"],
    }


def ours(
    scheme: str,
    seeds: Iterable[int],
    *,
    changes: Mapping[str, object] | None = None,
    workers: int | None = None,
) -> list[Row]:
    """Runs our simulator."""
    job_scenario = scenario(scheme, changes)
    jobs = [aqmlab.Job(job_scenario, seed) for seed in seeds]
    return [row_of(result.run) for result in aqmlab.run_many(jobs, workers=workers, progress=False)]


def stored(scheme: str, path: Path = NS2_SUMMARY) -> list[Row]:
    """What ns-2 gave when the data of this repository were made."""
    with path.open(encoding="utf-8", newline="") as stream:
        return [
            {name: float(value) for name, value in row.items() if name != "scheme" and value}
            for row in csv.DictReader(stream)
            if row["scheme"] == scheme
        ]


def ns2_is_installed() -> bool:
    """Whether there is a program `ns`."""
    return shutil.which("ns") is not None


def ns2(
    scheme: str, seeds: Iterable[int], *, changes: Sequence[Sequence[str]] = (), workers: int | None = None
) -> list[Row]:
    """Runs ns-2."""
    runner = _runner()
    program = runner.find_ns()

    def run(seed: int) -> Row:
        found, _ = runner.run_once(program, scheme, seed, changes)
        return {name: float(value) for name, value in found.items() if name != "scheme"}

    with ThreadPoolExecutor(workers or available_cores()) as pool:
        return list(pool.map(run, seeds))


def _runner() -> Any:
    """ns2/run_ns2.py, which is a script that stands by itself."""
    specification = importlib.util.spec_from_file_location("run_ns2", FOLDER / "ns2" / "run_ns2.py")
    if specification is None or specification.loader is None:
        raise ImportError("ns2/run_ns2.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
