"""From a scenario to the result of a live run, in a process that it has for itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import RunError, ScenarioError
from aqmlab.files.folders import require_writable
from aqmlab.result import Result
from aqmlab.terminal.progress import Bar

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.scenario import Scenario


def run_live(
    scenario: Scenario,
    folder: Path,
    *,
    seed: int = 1,
    hosts: str = "",
    replay: bool = False,
    progress: bool = False,
) -> Result:
    """Runs a scenario in real time over the kernel's TCP and keeps the result.

    Args:
        scenario: What to run.
        folder: Where to keep the result: a new folder.
        seed: Seed of users, delays and queues; what the kernel and the machine do has none.
        hosts: Host settings of the kernel; those nearest to the scenario's host profiles, if empty.
        replay: Whether to replay what came to the queues through simulated ports, and to compare.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario asks for what only the simulator has.
        RunError: The machine does not allow a live run, or the run failed.
    """
    if not hasattr(_core, "LiveRun"):
        raise RunError("live runs need Linux")
    _core.LiveRun(scenario.resolved_json, seed, hosts, replay)  # refused before anything is made
    require_writable(folder)
    order = {
        "parent": os.getpid(),
        "scenario_json": scenario.resolved_json,
        "seed": seed,
        "hosts": hosts,
        "replay": replay,
        "address": scenario.content_address(seed),
        "folder": str(folder.absolute()),
    }
    command = [sys.executable, "-m", "aqmlab.live.worker"]
    with (
        subprocess.Popen(  # noqa: S603  (our own command)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as worker,
        Bar(label="live", runs=1, total_s=scenario.duration_s, hidden=not progress) as bar,
    ):
        try:
            return _served(worker, order, scenario, folder, bar)
        finally:
            worker.kill()


def _served(
    worker: subprocess.Popen[str], order: dict[str, object], scenario: Scenario, folder: Path, bar: Bar
) -> Result:
    if worker.stdin is None or worker.stdout is None:
        raise RunError("the live run's process has no pipes")
    worker.stdin.write(json.dumps(order) + "\n")
    worker.stdin.flush()
    for line in worker.stdout:
        message = json.loads(line)
        if "share" in message:
            bar.show(done_s=message["share"] * scenario.duration_s, finished=0)
        elif "kept" in message:
            return Result.load(folder)
        elif "refused" in message:
            raise ScenarioError(message["refused"])
        else:
            raise RunError(message["failed"])
    raise RunError("the live run's process ended without a word; what it wrote stands above")
