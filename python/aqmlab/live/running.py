"""From a scenario to the result of a live run, in a separate process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import RunError, ScenarioError
from aqmlab.files.folders import require_new
from aqmlab.live.worker import ordered
from aqmlab.result import Result
from aqmlab.terminal.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import TextIO

    from aqmlab.live.program import Program
    from aqmlab.scenario import Scenario


class _SilenceError(RunError):
    """The process of the run has closed its line."""


def run_live(
    scenario: Scenario,
    folder: Path,
    *,
    seed: int = 1,
    hosts: str = "",
    replay: bool = False,
    captured: Sequence[str] = (),
    backend: str = "",
    kernel_queues: bool = False,
    program: Program | None = None,
    progress: bool = False,
) -> Result:
    """Runs a scenario in real time over the kernel's TCP and keeps the result.

    Args:
        scenario: What to run.
        folder: Where to keep the result: a new folder.
        seed: Seed of users, delays and queues; what the kernel and the machine do has none.
        hosts: Host settings of the kernel; those nearest to the scenario's host profiles, if empty.
        replay: Whether to replay what came to the queues through simulated ports, and to compare.
        captured: Ports whose packets are written as pcapng files next to the result.
        backend: How packets come to the router, `tun` or `af-packet`; `tun` where it may be, if empty.
        kernel_queues: Whether queues are disciplines of the kernel, with the parameters of the scenario's.
        program: A program of one's own behind the bottleneck, to which our standard input and output go.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario needs something that only the simulator has, or that the kernel lacks.
        FolderError, RunError: `folder` exists; the machine does not allow a live run, or the run failed.
    """
    if not hasattr(_core, "LiveRun"):
        raise RunError("live runs need Linux")
    words = (list(program.command), list(program.server), program.rtt_ms) if program else None
    order: dict[str, object] = {
        "parent": os.getpid(),
        "scenario_json": scenario.resolved_json,
        "seed": seed,
        "hosts": hosts,
        "replay": replay,
        "program": words,
        "backend": backend,
        "captured": list(captured),
        "kernel_queues": kernel_queues,
        "address": scenario.content_address(seed),
        "folder": str(folder.absolute()),
    }
    ordered(order)  # refused before anything is made
    require_new(folder)
    ours, its = socket.socketpair()
    command = [sys.executable, "-m", "aqmlab.live.worker", str(its.fileno())]
    with (
        ours,
        ours.makefile("rw") as line,
        subprocess.Popen(  # noqa: S603  (our own command)
            command,
            stdin=None if program else subprocess.DEVNULL,
            pass_fds=[its.fileno()],
            start_new_session=True,  # Ctrl-C is for us: we end it
        ) as worker,
        Bar(label="live", runs=1, total_s=scenario.duration_s, hidden=not progress) as bar,
    ):
        its.close()
        try:
            return _served(line, order, scenario, folder, bar)
        except _SilenceError:
            worker.wait()  # for what it has to say of its end
            raise
        finally:
            worker.kill()


def _served(line: TextIO, order: dict[str, object], scenario: Scenario, folder: Path, bar: Bar) -> Result:
    line.write(json.dumps(order) + "\n")
    line.flush()
    for said in line:
        message = json.loads(said)
        if "share" in message:
            bar.show(done_s=message["share"] * scenario.duration_s, finished=0)
        elif "kept" in message:
            return Result.load(folder)
        elif "refused" in message:
            raise ScenarioError(message["refused"])
        else:
            raise RunError(message["failed"])
    raise _SilenceError("the process of the live run ended without a result; its output is above")
