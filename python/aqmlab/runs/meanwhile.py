"""Modules that the end of a command needs, loaded while its runs are made.

Importing what judges and draws takes half a second of one processor. Done when the runs are over, everybody
waits for it while the other processors rest.
"""

from __future__ import annotations

import contextlib
from importlib import import_module
from threading import Thread


def load_meanwhile(*modules: str) -> None:
    """Begins to import modules, one after another, in a thread of its own.

    What cannot be imported is left: whoever needs it finds out, and says so.
    """
    Thread(target=_load, args=(modules,), name="load_meanwhile").start()


def _load(modules: tuple[str, ...]) -> None:
    for module in modules:
        with contextlib.suppress(Exception):
            import_module(module)
