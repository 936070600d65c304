"""A live run inside a user-mode Linux: what is asked for, the machine around it, and what it answers."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aqmlab import _core
from aqmlab.errors import RunError, ScenarioError
from aqmlab.result import Result, link_files
from aqmlab.runs.live.worker import ordered
from aqmlab.runs.protocol import Channel, SilenceError
from aqmlab.runs.user_mode import machine
from aqmlab.runs.user_mode.kernel import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from aqmlab.runs.user_mode.kernel import Kernel
    from aqmlab.scenario import Scenario

_MEMORY_MB = 1_024
_RESULT, _ORDERS = "result", "orders.json"
_MESSAGES, _OUTPUT, _ERRORS = 1, 2, 3
"""The terminals inside: what the run answers, and the output of a program of the user's own."""
_READ_BYTES = 1 << 16
_NEWEST_LINES = 6
_LEAST_OF_PAPERS = (6, 11)
"""The first Linux whose least retransmission timeout can be set (net.ipv4.tcp_rto_min_us)."""


@dataclass(frozen=True)
class Asked:
    """A live run that a user-mode Linux can make.

    Attributes:
        kernel: The kernel.
        order: What the worker of a live run is told.
    """

    kernel: Kernel
    order: Mapping[str, Any]

    @classmethod
    def of(cls, scenario: Scenario, order: Mapping[str, Any], default: Path | None = None) -> Self:
        """The run of an order of a live run, checked before anything is booted."""
        kernel = installed(default)
        ways = {
            **order["live"],
            "kernel": True,
            "hosts": order["live"]["hosts"] or _nearest(scenario),
            "user_mode": {"virtual_time": kernel.virtual_time},
        }
        asked = cls(kernel, {**order, "live": ways})
        asked.require_possible(scenario)
        return asked

    def require_possible(self, scenario: Scenario) -> None:
        """Refuses what this kernel or a live run has not."""
        kernel, hosts = self.kernel, self.order["live"]["hosts"]
        if hosts not in _core.live_host_names():
            raise ScenarioError.unknown("hosts", hosts, _core.live_host_names())
        if hosts == "papers2003" and kernel.version < _LEAST_OF_PAPERS:
            raise ScenarioError(
                f"hosts: papers2003 needs Linux 6.11, whose least timeout can be set; user-mode Linux here "
                f"is {kernel.release}; legal: --hosts linux-reno, linux-cubic or linux-bbr",
                place="hosts",
                value=hosts,
            )
        # Which congestion controls there are is the guest's to say: one that every kernel has stands in here.
        ordered({**self.order, "live": {**self.order["live"], "hosts": "linux-reno"}})
        for queue in _core.kernel_disciplines(scenario.core):
            if queue.words and kernel.lacks(queue.words[0]):
                raise ScenarioError(
                    f"queue of {queue.link} in the kernel: user-mode Linux {kernel.release} "
                    f"lacks {queue.words[0]}",
                    place="kernel",
                    value=queue.scheme,
                )

    def make(self, folder: Path, served: Callable[[Channel, Callable[[], Result]], Result]) -> Result:
        """Makes the run and keeps the result."""
        has_program = bool(self.order["live"]["program"])
        with tempfile.TemporaryDirectory(prefix="aqmlab-uml-") as exchange:
            inside = Path(exchange)
            _write(inside, [{**self.order, "folder": f"/run/exchange/{_RESULT}"}], has_program=has_program)

            def fetch() -> Result:
                link_files(inside / _RESULT, folder, may_copy=True)
                return Result.load(folder)

            with _booted(self.kernel, inside, has_program=has_program) as (channel, said):
                try:
                    return served(channel, fetch)
                except SilenceError:
                    raise _silent(self.kernel, said()) from None


def summaries(asked: Sequence[Asked]) -> Iterator[Result]:
    """Makes several runs in one machine, one after another, and yields what `run.json` would hold of each."""
    kernel = asked[0].kernel
    with tempfile.TemporaryDirectory(prefix="aqmlab-uml-") as exchange:
        inside = Path(exchange)
        names = [f"{_RESULT}-{number}" for number in range(len(asked))]
        orders = [
            {**each.order, "folder": f"/run/exchange/{name}"} for each, name in zip(asked, names, strict=True)
        ]
        _write(inside, orders, has_program=False)
        left = iter(names)
        with _booted(kernel, inside, has_program=False) as (channel, said):
            for message in channel:
                if "kept" in message:
                    run = json.loads((inside / next(left)).read_text(encoding="utf-8"))
                    yield Result(run={"aqmlab_version": _core.version(), **run})
                elif not message.keys() & {"version", "simulated_s"}:
                    raise RunError(": ".join(map(str, *message.items())))
            if next(left, None) is not None:
                raise _silent(kernel, said())


def _silent(kernel: Kernel, said: Sequence[str]) -> RunError:
    told = "\n".join(said[-_NEWEST_LINES:]) or "it printed nothing"
    return RunError(f"user-mode Linux {kernel.release} ended without a result:\n{told}")


def _nearest(scenario: Scenario) -> str:
    """The TCP settings nearest to the scenario's hosts."""
    resolved = scenario.resolved
    groups = [resolved.get("users"), *(resolved.get("populations") or ()), *(resolved.get("flows") or ())]
    first = next((group["profile"] for group in groups if group and "profile" in group), "linux")
    return "linux-cubic" if "cubic" in first else "linux-reno" if first.startswith("linux") else "papers2003"


def _write(exchange: Path, orders: Sequence[Mapping[str, Any]], *, has_program: bool) -> None:
    """The orders, and the first process of the machine."""
    (exchange / _ORDERS).write_text(json.dumps(orders), encoding="utf-8")
    lines = [
        "#!/bin/sh",
        '. "$AQMLAB_START"',
        f"mkdir /run/exchange && {_mounted(str(exchange), '/run/exchange')}",
        *([_mounted(each, each) for each in _kept_folders()] if has_program else []),
        f"for number in {_MESSAGES} {_OUTPUT} {_ERRORS}; do stty -F /dev/tty$number raw -echo; done",
        "ulimit -n 65536",
        f"export PATH={shlex.quote(os.environ.get('PATH', ''))}:$PATH HOME=/run PYTHONDONTWRITEBYTECODE=1",
        f"export PYTHONPATH={shlex.quote(os.pathsep.join(each for each in sys.path if each))}",
        f"cd {shlex.quote(str(Path.cwd()))}",
        *_started(has_program=has_program),
        "halt",
    ]
    init = exchange / "init"
    init.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    init.chmod(0o755)


def _mounted(folder: str, place: str) -> str:
    """Gives the machine a folder of this one to write to."""
    return f"mount -t hostfs none {shlex.quote(place)} -o {shlex.quote(folder)}"


def _kept_folders() -> list[str]:
    """Where a program may write what stays: where it was started, and the folder for temporary files."""
    return list(dict.fromkeys([tempfile.gettempdir(), str(Path.cwd())]))


def _started(*, has_program: bool) -> list[str]:
    guest = [sys.executable, "-m", "aqmlab.runs.user_mode.guest", f"/run/exchange/{_ORDERS}", "9"]
    run = f"{shlex.join(guest)} 9<>/dev/tty{_MESSAGES}"
    if not has_program:
        return [run]
    # Through pipes: some programs print another thing to a terminal.
    copied = [
        f"cat </run/{name} >/dev/tty{number} &" for name, number in (("out", _OUTPUT), ("err", _ERRORS))
    ]
    return ["mkfifo /run/out /run/err", *copied, f"{run} </dev/null >/run/out 2>/run/err", "wait"]


@contextmanager
def _booted(
    kernel: Kernel, exchange: Path, *, has_program: bool
) -> Iterator[tuple[Channel, Callable[[], list[str]]]]:
    """A machine that runs; yields where it answers, and what it has said besides."""
    with ExitStack() as open_pipes:
        answers, said, output, errors = (_Pipe.of(open_pipes) for _ in range(4))
        consoles = {
            0: f"null,fd:{said.writing}",
            _MESSAGES: f"null,fd:{answers.writing}",
            _OUTPUT: f"null,fd:{output.writing}",
            _ERRORS: f"null,fd:{errors.writing}",
        }
        command = machine.command(kernel, exchange / "init", memory_mb=_MEMORY_MB, consoles=consoles)
        process = machine.start(
            command,
            exchange,
            _MEMORY_MB,
            stdout=said.writing,
            stderr=subprocess.STDOUT,
            pass_fds=[each.writing for each in (answers, said, output, errors)],
        )
        for pipe in (answers, said, output, errors):
            pipe.close_writing()
        lines = _Kept(said.reading)
        copied = [_Copied(pipe.reading, to) for pipe, to in ((output, 1), (errors, 2)) if has_program]
        try:
            yield Channel(answers.reading, answers.reading), lambda: _after(process, lines)
            process.wait()
        finally:
            process.terminate()
            process.wait()
            for each in (lines, *copied):
                each.join()


def _after(process: subprocess.Popen[bytes], lines: _Kept) -> list[str]:
    """All that was said, once the machine has ended."""
    process.wait()
    lines.join()
    return [line for line in lines.text.splitlines() if line.strip()]


class _Pipe:
    """A pipe whose ends close with a stack, or before."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        self._is_open = True

    @classmethod
    def of(cls, stack: ExitStack) -> _Pipe:
        pipe = cls(*os.pipe())
        stack.callback(os.close, pipe.reading)
        stack.callback(pipe.close_writing)
        return pipe

    def close_writing(self) -> None:
        if self._is_open:
            self._is_open = False
            os.close(self.writing)


class _Copied(threading.Thread):
    """Copies what comes from one descriptor to another until it closes."""

    def __init__(self, source: int, target: int) -> None:
        super().__init__(daemon=True)
        self._source, self._target = source, target
        self.start()

    def run(self) -> None:
        while data := os.read(self._source, _READ_BYTES):
            self.take(data)

    def take(self, data: bytes) -> None:
        left = data
        with suppress(BrokenPipeError):
            while left:
                left = left[os.write(self._target, left) :]


class _Kept(_Copied):
    """Keeps what comes."""

    def __init__(self, source: int) -> None:
        self._data = b""
        super().__init__(source, -1)

    def take(self, data: bytes) -> None:
        self._data += data

    @property
    def text(self) -> str:
        return self._data.decode(errors="replace")
