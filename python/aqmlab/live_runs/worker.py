"""`python -m aqmlab.live_runs.worker FD`: makes the one live run that the socket with this number asks for.

Reads a line of JSON, writes lines of JSON: `share` while it runs, then `kept` or `failed`. The process makes
its namespaces itself and takes them with it; it is killed when its parent dies. Its standard input and output
are those of a program of the user's own.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import Cancelled, FolderError, RunError, ScenarioError, StorageError

if TYPE_CHECKING:
    from typing import TextIO

_POLL_S = 0.2


def main() -> None:
    """Makes the run."""
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    with socket.socket(fileno=descriptor) as parent, parent.makefile("rw") as line:
        order = json.loads(line.readline())
        try:
            _core.prepare_live(order["parent"])  # before there is a second thread
            _say(line, _perform(order, line))
        except (RunError, ScenarioError, Cancelled) as error:
            kind = "refused" if isinstance(error, ScenarioError) else "failed"
            _say(line, {kind: str(error)})


def ordered(order: dict[str, Any]) -> _core.LiveRun:
    """The run of an order; an invalid order is rejected here."""
    settings = _core.LiveSettings(
        hosts=order["hosts"],
        backend=order["backend"],
        kernel_queues=order["kernel_queues"],
        log=order["replay"],
        captured=order["captured"],
        program=_core.LiveProgram(**order["program"]) if order["program"] else None,
    )
    return _core.LiveRun(_core.Scenario.from_json(order["scenario_json"]), order["seed"], settings)


def _perform(order: dict[str, Any], line: TextIO) -> dict[str, str]:
    run = ordered(order)
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(run, done, line), daemon=True)
    watching.start()
    run.execute()
    done.set()
    watching.join()
    from aqmlab.result import Result  # noqa: PLC0415  (Arrow starts threads)

    audit = json.loads(run.audit())
    if order["replay"]:
        events, difference = run.replay()
        audit["replay"] = {"events": events, "difference": difference}
    result = Result.from_core(run, content_address=order["address"]).with_live(audit)
    try:
        result.save(Path(order["folder"]))
    except (FolderError, StorageError) as error:
        return {"failed": str(error)}
    return {"kept": order["folder"]}


def _watch(run: _core.LiveRun, done: threading.Event, line: TextIO) -> None:
    while not done.wait(_POLL_S):
        _say(line, {"share": run.progress()})


def _say(line: TextIO, message: dict[str, Any]) -> None:
    line.write(json.dumps(message) + "\n")
    line.flush()


if __name__ == "__main__":
    main()
