"""`python -m aqmlab.runs.live.worker FD`: makes the one live run that the socket with this number asks for.

It answers there as every worker does (`aqmlab.runs.protocol`). The process makes its namespaces itself and
takes them with it; it is killed when its parent dies. Its standard input and output are those of a program of
the user's own.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import Cancelled, RunError, ScenarioError
from aqmlab.runs.protocol import Channel, attend, failure, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Makes the run."""
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    channel = Channel(descriptor, descriptor)
    for order in channel:
        serve(order, channel)
        return


def ordered(order: dict[str, Any]) -> _core.LiveRun:
    """The run of an order; an invalid order is rejected here."""
    ways = order["live"]
    settings = _core.LiveSettings(
        hosts=ways["hosts"],
        backend=ways["backend"],
        kernel_queues=ways["kernel"],
        log=ways["replay"],
        captured=order["pcap"],
        program=_core.LiveProgram(**ways["program"]) if ways["program"] else None,
    )
    return _core.LiveRun(_core.Scenario.from_json(order["scenario_json"]), order["seed"], settings)


def serve(
    order: dict[str, Any],
    channel: Channel,
    keep: Callable[[_core.LiveRun, dict[str, Any], dict[str, Any]], None] | None = None,
) -> None:
    """Makes the run of an order, and answers on the channel."""
    try:
        _core.prepare_live(order["live"]["parent"])  # before there is a second thread
        run = ordered(order)
    except (RunError, ScenarioError, Cancelled) as error:
        channel.send(failure(error))
        return
    channel.send({"version": _core.version()})
    duration_s = float(json.loads(order["scenario_json"])["duration_s"])
    attend(
        channel,
        partial(outcome_of, partial(_make, run, order, keep or _keep)),
        name=f"seed {order['seed']}",
        simulated_s=lambda: run.progress() * duration_s,
        stop=run.cancel,
    )


def _make(run: _core.LiveRun, order: dict[str, Any], keep: Callable[..., None]) -> str:
    run.execute()
    audit = json.loads(run.audit())
    if order["live"]["replay"]:
        events, difference = run.replay()
        audit["replay"] = {"events": events, "difference": difference}
    if (machine := order["live"].get("user_mode")) is not None:
        audit["user_mode"] = machine
    keep(run, order, audit)
    return str(order["folder"])


def _keep(run: _core.LiveRun, order: dict[str, Any], audit: dict[str, Any]) -> None:
    from aqmlab.result import Result  # noqa: PLC0415  (Arrow starts threads)

    Result.from_core(run, content_address=order["address"]).with_live(audit).save(Path(order["folder"]))


if __name__ == "__main__":
    main()
