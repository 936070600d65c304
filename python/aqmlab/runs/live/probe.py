"""`python -m aqmlab.runs.live.probe`: creates what live runs need from the kernel, and prints what failed.

A process of its own, because namespaces are for good: it writes a line of JSON with the words of what
was refused, or null: `process` (may it have namespaces at all), and `tun`, `af-packet` and the names of host
settings.
"""

from __future__ import annotations

import json
import os
import sys

from aqmlab import _core
from aqmlab.errors import RunError

BACKENDS = ("tun", "af-packet")


def main() -> None:
    """Tries everything."""
    try:
        _core.prepare_live(os.getppid())  # before there is a second thread
    except RunError as error:
        found: dict[str, str | None] = {"process": str(error)}
    else:
        found = {"process": None, **_tried()}
    sys.stdout.write(json.dumps(found) + "\n")


def _tried() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for backend in BACKENDS:
        found[backend] = _core.probe_live("linux-reno", backend)
    working = [backend for backend in BACKENDS if found[backend] is None]
    for hosts in _core.live_host_names() if working else ():
        found[hosts] = _core.probe_live(hosts, working[0])
    return found


if __name__ == "__main__":
    main()
