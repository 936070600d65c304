"""`python -m aqmlab.runs.executors.worker`: computes runs ordered on its standard input, one at a time.

It answers on standard output; `aqmlab.runs.protocol` says how.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from aqmlab import _core
from aqmlab.errors import RunError, ScenarioError
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.runs.job import Job
from aqmlab.runs.protocol import Channel, attend, failure, outcome_of


def main() -> None:
    """Serves until the input closes."""
    channel = Channel(sys.stdin.fileno(), _private_output())
    try:
        channel.send({"version": _core.version()})
        for order in channel:
            try:
                job = Job.from_order(order)
            except (RunError, ScenarioError) as error:
                channel.send(failure(error))
            else:
                _serve(job, channel)
    except BrokenPipeError:
        os._exit(1)  # nobody listens


def perform(job: Job, active: ActiveRuns) -> dict[str, str]:
    """Makes a run and keeps it; returns the message about it."""

    def make() -> str:
        active.perform(job)
        return job.address

    return outcome_of(make)


def _serve(job: Job, channel: Channel) -> None:
    active = ActiveRuns()
    work = partial(perform, job, active)
    attend(channel, work, name=str(job), simulated_s=active.simulated_s, stop=active.stop)


def _private_output() -> int:
    """Reserves standard output for replies; other output goes to standard error."""
    sys.stdout.flush()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


if __name__ == "__main__":
    main()
