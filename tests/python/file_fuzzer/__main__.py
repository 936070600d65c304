# ruff: noqa: E501
"""Runs cases of the fuzzer; ends with code 1 if there was a finding, and says how to replay each."""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import itertools
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from file_fuzzer.kinds import KINDS, Case
from file_fuzzer.stand_in import StandIn, instead_of_the_simulator, specimens
from file_fuzzer.verdict import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

CASE_LIMIT_S = 60.0
"""Of processor time: how long a case takes is no matter of what else the machine does."""
WAITING_LIMIT_S = 600.0
"""For a case that takes no time and never ends."""
MEMORY_LIMIT_BYTES = 6 << 30


def main() -> int:
    """The command."""
    options = _options()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    kinds = [options.kind] if options.kind else list(KINDS)
    numbers = [options.case] if options.case is not None else _numbers(options)
    stand_in = specimens()
    found: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        for patch in instead_of_the_simulator(stand_in):
            stack.enter_context(patch)
        for number in numbers:
            kind = kinds[number % len(kinds)] if options.case is None else kinds[0]
            tried[kind] += 1
            if (
                finding := trial(kind, options.seed, number, stand_in, keep=options.case is not None)
            ) is not None:
                found[kind] += 1
                _say(f"FINDING: {replay(kind, options.seed, number)}\n{finding}\n")
    for kind in kinds:
        _say(f"{kind:<12} {tried[kind]:>7} cases {found[kind]:>6} findings")
    _say(
        f"{tried.total()} cases, {found.total()} findings, {time.monotonic() - begin:.0f} s, seed {options.seed}"
    )
    return 1 if found else 0


def trial(kind: str, seed: int, number: int, stand_in: StandIn, *, keep: bool = False) -> str | None:
    """Tries one case in a folder of its own; what was found, if anything was."""
    # A hang in compiled code hears no signal of Python's; the watchdog ends the process and says where it was.
    sys.stderr.flush()
    current = f"case under way: {replay(kind, seed, number)}\n"
    Path(os.environ.get("FILE_FUZZER_CURRENT", os.devnull)).write_text(current, encoding="utf-8")
    faulthandler.register(signal.SIGPROF, chain=True)
    signal.setitimer(signal.ITIMER_PROF, CASE_LIMIT_S)
    faulthandler.dump_traceback_later(WAITING_LIMIT_S, exit=True)
    folder = Path(tempfile.mkdtemp(prefix=f"file-fuzzer-{kind}-"))
    here = Path.cwd()
    try:
        os.chdir(folder)
        KINDS[kind](Case(random.Random(f"{seed}/{kind}/{number}"), folder, stand_in))  # noqa: S311
    except Finding as finding:
        return str(finding)
    except BaseException:
        if sys.exc_info()[0] is KeyboardInterrupt:
            raise
        return f"the fuzzer itself: {traceback.format_exc()}"
    finally:
        os.chdir(here)
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        if keep:
            _say(f"its files are in {folder}")
        else:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    return None


def replay(kind: str, seed: int, number: int) -> str:
    """The command that tries a case again."""
    return (
        f"PYTHONPATH=tests/python .venv/bin/python -m file_fuzzer --seed {seed} --kind {kind} --case {number}"
    )


def _numbers(options: argparse.Namespace) -> Iterator[int]:
    """The numbers of the cases, so many or for so long."""
    end = time.monotonic() + 3600.0 * (options.hours or 0.0)
    for number in itertools.count(options.first):
        if time.monotonic() >= end if options.hours else number >= options.first + options.cases:
            return
        yield number


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="file_fuzzer", description="Tries damaged files of every kind.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000, help="of all kinds in turn")
    parser.add_argument("--hours", type=float, help="for so long, instead of so many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--case", type=int, help="this one alone, with its files kept")
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
