"""From a scenario to the result of a live run, in a separate process.

With it may run the user's own program behind the bottleneck, and its server on the other side.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aqmlab import _core, arguments
from aqmlab.errors import RunError, ScenarioError, StorageError
from aqmlab.files.folders import folder_name, require_new
from aqmlab.result import Result
from aqmlab.runs import Job
from aqmlab.runs.live.worker import ordered
from aqmlab.runs.protocol import Channel, SilenceError, require_version
from aqmlab.runs.user_mode.kernel import USER_MODE
from aqmlab.runs.user_mode.running import Asked
from aqmlab.scenario import Scenario
from aqmlab.terminal.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.scenario import ScenarioLike

SERVER_ADDRESS = "10.128.0.1"
"""Where the server of a program is reached from behind the bottleneck."""
FILE_SERVER_PORT = 8000
"""The port of the built-in server of files."""

_FILE_SERVER = Path(__file__).with_name("file_server.py")


@dataclass(frozen=True, slots=True)
class Program:
    """A command to be run behind the bottleneck of a live run.

    It begins with the measured window, stands where the first user stands (without users: where the sender
    of the first flow does), and is ended with the run if it has not ended before.

    Attributes:
        command: The command and its arguments.
        server: A command for the other side of the bottleneck, reached at `SERVER_ADDRESS`; it runs from
            before the start to the end of the run. None if empty.
        rtt_ms: Round trip of the command's packets without queues and transmissions, in milliseconds; none
            for 40 ms, or what the links alone take if that is more.
    """

    command: tuple[str, ...]
    server: tuple[str, ...] = ()
    rtt_ms: float | None = None

    @classmethod
    def of(
        cls,
        command: Sequence[str],
        *,
        server: Sequence[str] = (),
        serve: str | Path | None = None,
        rtt_ms: float | None = None,
    ) -> Self | None:
        """The program of these settings; none without a command."""
        if not command:
            if server or serve is not None or rtt_ms is not None:
                raise ScenarioError("server, serve and rtt_ms need a command", place="command")
            return None
        if server and serve is not None:
            raise ScenarioError("server and serve exclude each other", place="serve")
        if serve is not None and not Path(serve).is_dir():
            raise ScenarioError(f"serve: {serve}: there is no such folder", place="serve", value=str(serve))
        answering = tuple(server) if serve is None else file_server(Path(serve))
        if rtt_ms is not None:
            rtt_ms = ScenarioError.between("rtt_ms", rtt_ms, 0.0, _LONGEST_MS)
        return cls(tuple(command), answering, rtt_ms)

    def __post_init__(self) -> None:
        if not self.command:
            raise ScenarioError("a program needs a command")
        for words in (self.command, self.server):
            if words and shutil.which(words[0]) is None:
                raise ScenarioError(f"command not found: {words[0]!r}", place="command", value=words[0])


_LONGEST_MS = 60_000.0


def file_server(folder: Path) -> tuple[str, ...]:
    """The command of a server that serves the files of a folder over HTTP, at `FILE_SERVER_PORT`."""
    return (sys.executable, "-I", str(_FILE_SERVER), str(FILE_SERVER_PORT), str(folder.absolute()))


@arguments.checked(
    ScenarioError,
    output=arguments.optional(arguments.path),
    hosts=arguments.label,
    backend=arguments.label,
    kernel=arguments.flag_or(USER_MODE),
    replay=arguments.flag,
    pcap=arguments.texts("['left-to-right']"),
    command=arguments.texts("['iperf3', '-s']"),
    server=arguments.texts("['iperf3', '-s']"),
    serve=arguments.optional(arguments.path),
)
def live(
    scenario: ScenarioLike,
    *,
    seed: int = 1,
    overrides: Mapping[str, object] | None = None,
    output: str | Path | None = None,
    hosts: str = "",
    backend: str = "",
    kernel: bool | str = False,
    replay: bool = False,
    pcap: Sequence[str] = (),
    command: Sequence[str] = (),
    server: Sequence[str] = (),
    serve: str | Path | None = None,
    rtt_ms: float | None = None,
    progress: bool = False,
) -> Result:
    """Runs a scenario in real time over Linux TCP, in private network namespaces of this machine.

    Users, delays and queues are the same as in a simulation with the same seed. The result states whether
    its timing is valid (`Result.live`).

    Args:
        scenario: A `Scenario`, a path, TOML text or a dict.
        seed: Seed of users, delays and queues.
        overrides: Dotted keys with the values that replace the scenario's.
        output: Folder for the result; by default results/<name>/live-N.
        hosts: TCP settings of the hosts: papers2003, linux-reno, linux-cubic or linux-bbr. By default those
            nearest to the scenario's host profile.
        backend: How packets reach the router: tun (a TUN device), or af-packet (a packet socket on a veth
            device, needs no /dev/net/tun). By default tun if it can be opened.
        kernel: Use the kernel's queue disciplines, with the parameters of the scenario's schemes: this
            machine's, or (user-mode) those of a Linux that runs as a process, with its TCP, without
            privileges.
        replay: Replay the queues' arrivals through simulated ports with the same seed, and require the same
            drops, marks and departures in the same order.
        pcap: Links whose packets are written as pcapng files beside the result.
        command: A program and its arguments, run behind the bottleneck in place of one user.
        server: Run this server on the other side of the bottleneck; the command reaches it at 10.128.0.1.
        serve: Serve the files of this folder to the command at http://10.128.0.1:8000/.
        rtt_ms: Round-trip time of the command's packets without queueing; by default 40, or the links' own
            delay if that is longer.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario needs something that only the simulator has, or that the kernel lacks.
        FolderError, StorageError: The folder exists or cannot be made; the result could not be stored.
        RunError: The machine does not allow a live run (`aqmlab doctor` says why) or has no user-mode Linux;
            or the run failed.
    """
    checked = Scenario.of(scenario, overrides=overrides)
    place = Path(output or Path("results") / folder_name(checked.name) / f"live-{seed}")
    return run_live(
        checked,
        place,
        seed=seed,
        hosts=hosts,
        replay=replay,
        pcap=pcap,
        backend=backend,
        kernel=kernel,
        program=Program.of(command, server=server, serve=serve, rtt_ms=rtt_ms),
        progress=progress,
    )


def run_live(
    scenario: Scenario,
    folder: Path,
    *,
    seed: int = 1,
    hosts: str = "",
    replay: bool = False,
    pcap: Sequence[str] = (),
    backend: str = "",
    kernel: bool | str = False,
    program: Program | None = None,
    progress: bool = False,
) -> Result:
    """Runs a scenario in real time over the kernel's TCP and keeps the result."""
    if not hasattr(_core, "LiveRun"):
        raise RunError("live runs need Linux")
    job = Job(scenario, seed, folder=folder, pcap=tuple(pcap))
    ways = {
        "parent": os.getpid(),
        "hosts": hosts,
        "replay": replay,
        "program": asdict(program) if program else None,
        "backend": backend,
        "kernel": bool(kernel),
    }
    order = {**job.order(), "live": ways}
    require_new(folder)
    if kernel == USER_MODE:
        asked = Asked.of(scenario, order)
        with Bar(label="live", runs=1, total_s=scenario.duration_s, hidden=not progress) as bar:
            return asked.make(folder, partial(_served, bar=bar))
    ordered(order)  # refused before anything is made
    ours, its = socket.socketpair()
    command = [sys.executable, "-m", "aqmlab.runs.live.worker", str(its.fileno())]
    with (
        ours,
        subprocess.Popen(  # noqa: S603  (our own command)
            command,
            stdin=None if program else subprocess.DEVNULL,
            pass_fds=[its.fileno()],
            start_new_session=True,  # Ctrl-C is for us: we end it
        ) as worker,
        Bar(label="live", runs=1, total_s=scenario.duration_s, hidden=not progress) as bar,
    ):
        its.close()
        try:
            channel = Channel(ours.fileno(), ours.fileno())
            with suppress(ConnectionError):  # it has died, and its closed end will tell
                channel.send(order)
            return _served(channel, lambda: Result.load(folder), bar=bar)
        except SilenceError:
            worker.wait()  # for what it has to say of its end
            raise
        finally:
            worker.kill()


def _served(channel: Channel, fetch: Callable[[], Result], *, bar: Bar) -> Result:
    for message in channel:
        match message:
            case {"version": version}:
                require_version(version)
            case {"simulated_s": seconds}:
                bar.show(done_s=seconds, finished=0)
            case {"kept": _}:
                result = fetch()
                bar.show(done_s=float(result.run["scenario"]["duration_s"]), finished=1)
                return result
            case {"refused": reason}:
                raise ScenarioError(reason)
            case {"not_kept": reason}:
                raise StorageError(reason)
            case {"failed": reason}:
                raise RunError(reason)
            case _:
                raise RunError(f"the process of the live run sent an unknown message: {message}")
    raise SilenceError("the process of the live run ended without a result; its output is above")


def run_live_in_turn(jobs: Sequence[Job], *, progress: bool = False) -> list[Result]:
    """Runs scenarios in real time, in their order, and keeps the results in memory."""
    results = []
    with tempfile.TemporaryDirectory(prefix="aqmlab-live-") as parent:
        for place, job in enumerate(jobs):
            scenario, folder = Scenario.of(job.scenario), Path(parent) / str(place)
            results.append(run_live(scenario, folder, seed=job.seed, progress=progress).in_memory())
    return results


def suspect_reasons(results: Sequence[Result]) -> list[str]:
    """Why the timing of a run is suspect, of each run that is."""
    audits = [result.live for result in results]
    return ["; ".join(audit["reasons"]) for audit in audits if audit and audit["verdict"] != "valid"]
