"""`python -m aqmlab.live.worker`: makes the one live run that its standard input asks for.

Reads a line of JSON, writes lines of JSON: `share` while it runs, then `kept` or `failed`. The process makes
its namespaces itself and takes them with it; it is killed when its parent dies.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

from aqmlab import _core

_POLL_S = 0.2


def main() -> None:
    """Makes the run."""
    order = json.loads(sys.stdin.readline())
    try:
        _core.prepare_live(order["parent"])  # before there is a second thread
        _say(_perform(order))
    except (_core.RunError, _core.ScenarioError, _core.Cancelled) as error:
        kind = "refused" if isinstance(error, _core.ScenarioError) else "failed"
        _say({kind: str(error)})


def _perform(order: dict[str, Any]) -> dict[str, str]:
    run = _core.LiveRun(order["scenario_json"], order["seed"], order["hosts"], order["replay"])
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(run, done), daemon=True)
    watching.start()
    run.execute()
    done.set()
    watching.join()
    from aqmlab.errors import FolderError, StorageError  # noqa: PLC0415  (Arrow starts threads)
    from aqmlab.result import Result  # noqa: PLC0415

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


def _watch(run: _core.LiveRun, done: threading.Event) -> None:
    while not done.wait(_POLL_S):
        _say({"share": run.progress()})


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
