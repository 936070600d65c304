"""`python -m aqmlab.runs.user_mode.guest ORDERS FD`: the live runs of some orders, inside a user-mode Linux.

It answers on a terminal, its descriptor FD, as the worker of every live run does on its socket. The orders
are a file: a terminal takes no long lines. The only one is kept as a result; of several only `run.json`,
because Arrow takes longer to load here than a short run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab.runs.live.worker import serve
from aqmlab.runs.protocol import Channel

if TYPE_CHECKING:
    from aqmlab import _core


def main() -> None:
    """Makes the runs."""
    orders = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    descriptor = int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    channel = Channel(descriptor, descriptor)
    if len(orders) == 1:
        orders[0]["live"]["parent"] = os.getppid()  # the machine's first process
        serve(orders[0], channel)
        return
    for order in orders:
        order["live"]["parent"] = os.getpid()
        _apart(order, channel)


def _apart(order: dict[str, Any], channel: Channel) -> None:
    """Makes one of several runs in a process of its own, which takes its namespaces with it."""
    child = os.fork()
    if child == 0:
        try:
            serve(order, channel, _keep_summary)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        channel.send({"failed": f"the process of the run ended with status {status}"})


def _keep_summary(run: _core.LiveRun, order: dict[str, Any], audit: dict[str, Any]) -> None:
    whole = {**json.loads(run.summary()), "content_address": order["address"], "live": audit}
    Path(order["folder"]).write_text(json.dumps(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
