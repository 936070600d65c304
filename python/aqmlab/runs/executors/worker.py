"""`python -m aqmlab.runs.executors.worker`: computes runs ordered on its standard input, one at a time.

Reads a run in each line of JSON, writes lines of JSON: `version` when it is ready, `simulated_s` while it
runs, then `kept`, `failed` or `not_kept`. When its input closes, because all is done or the parent died, it
stops within a fraction of a second and leaves nothing unfinished behind.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import Cancelled, FolderError, RunError, ScenarioError, StorageError
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.runs.job import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLL_S = 0.1


def main() -> None:
    """Serves until the input closes."""
    answers = _private_output()
    orders = _Orders(sys.stdin.fileno())
    _say(answers, {"version": _core.version()})
    for order in orders:
        try:
            job = Job.from_order(order)
        except (RunError, ScenarioError) as error:
            _say(answers, {"failed": str(error)})
        else:
            _serve(job, orders, answers)


def perform(job: Job, active: ActiveRuns) -> dict[str, str]:
    """Makes a run and keeps it; returns the message about it."""
    try:
        active.perform(job)
    except Cancelled:
        return {"failed": f"{job}: cancelled"}
    except (FolderError, StorageError) as error:
        return {"not_kept": str(error)}
    except (RunError, ScenarioError) as error:
        return {"failed": str(error)}
    return {"kept": job.address}


def _serve(job: Job, orders: _Orders, answers: IO[str]) -> None:
    active = ActiveRuns()
    outcome: list[dict[str, str]] = []
    thread = threading.Thread(target=lambda: outcome.append(perform(job, active)), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL_S)
        if orders.closed():
            active.stop()
            thread.join()
            raise SystemExit
        _say(answers, {"simulated_s": active.simulated_s()})
    # Without an outcome the thread has raised an error that is not handled above, and printed it.
    _say(
        answers,
        outcome[0] if outcome else {"failed": f"{job}: the worker failed; its output is above"},
    )


class _Orders:
    """Lines of the input, without a buffer that would hide whether it has closed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._received = b""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            while b"\n" not in self._received:
                data = os.read(self._descriptor, 1 << 16)
                if not data:
                    return
                self._received += data
            line, _, self._received = self._received.partition(b"\n")
            yield json.loads(line)

    def closed(self) -> bool:
        """Whether the other end has gone; it sends nothing while a run is under way."""
        readable, _, _ = select.select([self._descriptor], [], [], 0.0)
        if not readable:
            return False
        data = os.read(self._descriptor, 1 << 16)
        self._received += data
        return not data


def _private_output() -> IO[str]:
    """Reserves standard output for replies; other output goes to standard error."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _say(answers: IO[str], message: dict[str, Any]) -> None:
    try:
        answers.write(json.dumps(message) + "\n")
        answers.flush()
    except BrokenPipeError:
        os._exit(1)  # nobody listens


if __name__ == "__main__":
    main()
