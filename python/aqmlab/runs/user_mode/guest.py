"""`python -m aqmlab.runs.user_mode.guest ORDER FD`: the live run of an order, inside a user-mode Linux.

It answers on a terminal, its descriptor FD, as the worker of every live run does on its socket. The order is
a file: a terminal takes no long lines.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from aqmlab.runs.live.worker import serve
from aqmlab.runs.protocol import Channel


def main() -> None:
    """Makes the run."""
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    descriptor = int(sys.argv[2])
    os.set_inheritable(descriptor, False)
    order["live"]["parent"] = os.getppid()  # the machine's first process
    serve(order, Channel(descriptor, descriptor))


if __name__ == "__main__":
    main()
