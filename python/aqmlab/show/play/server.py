"""The page's server: on this machine's loopback alone, at a random port, for whoever has the token.

A page of another site can make a browser send requests here, under a name of its own that leads to this
machine (DNS rebinding). So every request has to carry the token, which is drawn anew each time, and to name
this machine as its host.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import signal
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import resources
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler

from aqmlab._startup import was_interrupted
from aqmlab.comparison import Comparison
from aqmlab.comparison.verdict import verdict
from aqmlab.errors import Cancelled, RefusalError, RunError, ScenarioError
from aqmlab.files.shape import ANY, Table, conform
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.show.play.comparing import FullComparison
from aqmlab.show.play.knobs import PAGE, PlayError, read_json
from aqmlab.show.play.measured import judged, measurement
from aqmlab.show.play.page import ASSETS, page_facts, page_with
from aqmlab.show.words.play import of_run
from aqmlab.show.words.verdict import what_changes_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.show.play.knobs import Setting
    from aqmlab.show.play.played import Played


HOST = "127.0.0.1"
_LOOKS_S = 0.2
"""Time between two looks whether an interruption was swallowed while a package was imported."""
_MOST_BYTES = 64 * 1024
_SUPERSEDED, _FAILED = 409, 500
# Nothing from elsewhere, no frame around it, and no address of it (which holds the token) to anybody.
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# The report is one file with scripts and styles of its own; it sees neither the page nor the server.
_REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-downloads"
)


class Player:
    """Makes the runs for the page one at a time; a newer one stops the one before."""

    def __init__(self, link: Played[Any], file: str) -> None:
        self.link = link
        self.file = file
        self.comparison = FullComparison(link)
        self._lately = PlayedLately()
        self._facts: dict[str, Any] = {}
        self._under_way: tuple[object, Future[str] | None] = (None, None)
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="play")
        self._active = ActiveRuns()

    def first(self) -> None:
        """Begins with the scenario as it is, which the page asks for first."""
        self._facts = page_facts(self.link)
        self._begin(self.link.start, quick=True)

    async def play(self, setting: Setting, *, quick: bool) -> str:
        """The measurement of a setting, as JSON; of one that was played lately, without another run."""
        return await asyncio.wrap_future(self._begin(setting, quick=quick))

    def _begin(self, setting: Setting, *, quick: bool) -> Future[str]:
        """Stops what is played and plays this, unless it is what is played."""
        asked = (setting, quick)
        before, answer = self._under_way
        if answer is None or answer.done() or before != asked:
            self._active.stop()
            self._active = active = ActiveRuns()
            answer = self._threads.submit(self._play, setting, active, quick=quick)
            self._under_way = (asked, answer)
        return answer

    @property
    def facts(self) -> dict[str, Any]:
        """What the page is told once: what can be turned, where it stands, and how lines look."""
        return self._facts or page_facts(self.link)

    def _play(self, setting: Setting, active: ActiveRuns, *, quick: bool) -> str:
        scenario = self.link.at(setting)  # refused before it is looked for
        if (played := self._lately.of(setting, quick=quick)) is not None:
            return played.answer
        simulated_s = self.link.length_of(scenario, quick=quick)
        result = self.link.run(scenario, setting.seed, active, simulated_s)
        text = json.dumps(self._answered(setting, scenario, result, simulated_s), allow_nan=False)
        self._lately.keep(setting, PlayedRun(text, result), quick=quick)
        return text

    def changes(self, before: Setting, now: Setting) -> str:
        """For whom the change of the queue matters most, by the last runs of both; empty if unknown."""
        found = [self._lately.of(each, quick=True) for each in (before, now)]
        if None in found:
            return ""
        try:
            names = self.link.names(before, now)
            told = Comparison.of({name: [run.result] for name, run in zip(names, found, strict=True) if run})
        except RefusalError:  # other people, or other lengths: each run has a sentence of its own
            return ""
        return what_changes_most(told, verdict(told))

    def _answered(
        self, setting: Setting, scenario: Scenario, result: Result, simulated_s: float
    ) -> dict[str, Any]:
        measured = measurement(result, self.link.drawn_link(setting), self.link.waiting_links(scenario))
        whole_s = self.link.length_of(scenario, quick=False)
        return {
            **measured,
            "verdict": judged(result),
            "more": simulated_s < whole_s,
            "whole_s": whole_s - sum(self.link.edges_s(whole_s)),
            "words": of_run(measured, simulated_s=simulated_s),
            **self.link.about(setting, scenario, self.file),
            "toml": scenario.as_toml(),
        }

    def close(self) -> None:
        self.comparison.close()
        self._active.stop()
        self._threads.shutdown(wait=True, cancel_futures=True)


class _Handler(RequestHandler):
    """What all requests have in common: they are answered to those who know the token, on this machine."""

    says_json = False

    def initialize(self, player: Player, token: str, port: int) -> None:
        self.player = player
        self.token = token
        self.hosts = {f"{HOST}:{port}", f"localhost:{port}"}

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        if self.request.host not in self.hosts:
            raise HTTPError(403, reason="this page is available only on this machine")
        if not hmac.compare_digest(self.get_query_argument("token", "").encode(), self.token.encode()):
            raise HTTPError(403, reason="the address needs the token that aqmlab play printed")

    def write_error(self, status_code: int, **facts: Any) -> None:  # noqa: ANN401
        """Ends with a sentence: what was refused, or what went wrong here."""
        error = facts.get("exc_info", (None, None))[1]
        if status_code == _FAILED and error is not None:
            self.refuse(f"aqmlab play failed: {type(error).__name__}: {error}; see its terminal")
        else:
            self.refuse(self._reason)

    def refuse(self, sentence: str) -> None:
        """Responds with an error message: as JSON to the page, otherwise as text."""
        if self.says_json:
            self.answer({"refused": sentence})
            return
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{sentence}\n")

    def pair(self) -> tuple[Setting, Setting]:
        """The two settings that were sent, `before` and `now`, as `/run` takes them."""
        sent = read_json(self.request.body)
        conform(sent, Table({"before": ANY, "now": ANY}), PAGE, PlayError)
        before, now = (self.player.link.read(sent[side], f"{PAGE}.{side}") for side in ("before", "now"))
        return before, now

    @contextmanager
    def refusing(self) -> Iterator[None]:
        try:
            yield
        except (ScenarioError, RefusalError) as error:
            self.set_status(400)
            self.refuse(str(error))

    def answer(self, body: dict[str, Any]) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(body, allow_nan=False))

    def log_exception(self, *args: Any) -> None:  # noqa: ANN401
        if not isinstance(args[1], HTTPError):  # refused requests are no news
            super().log_exception(*args)


class _Page(_Handler):
    def get(self) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(page_with(("server.js",), "asset/{}?token=" + self.token, self.token))


class _Asset(_Handler):
    def get(self, name: str) -> None:
        if name not in ASSETS:
            raise HTTPError(404, reason="there is no such file")
        package, path, kind = ASSETS[name]
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.finish((resources.files(package) / path).read_bytes())


class _Knobs(_Handler):
    says_json = True

    def get(self) -> None:
        self.finish(self.player.facts)


class _Run(_Handler):
    says_json = True

    async def post(self) -> None:
        """Runs a setting, with `quick=1` for a first look; 409 where something newer was asked for."""
        quick = self.get_query_argument("quick", "") == "1"
        with self.refusing():
            try:
                setting = self.player.link.read(read_json(self.request.body), PAGE)
                answer = await self.player.play(setting, quick=quick)
                self.set_header("Content-Type", "application/json")
                self.finish(answer)
            except Cancelled:
                self.set_status(_SUPERSEDED)
                self.answer({"superseded": True})
            except RunError as error:
                self.set_status(_FAILED)
                self.refuse(str(error))


class _Comparison(_Handler):
    says_json = True

    def get(self) -> None:
        self.answer(self.player.comparison.status())

    def post(self) -> None:
        """Begins one: `before` and `now`, as `/run` takes them."""
        with self.refusing():
            self.answer(self.player.comparison.start(*self.pair()))

    def delete(self) -> None:
        self.answer(self.player.comparison.cancel())


class _Changes(_Handler):
    says_json = True

    def post(self) -> None:
        """What two settings differ in most for somebody, `before` and `now`: a sentence, or none."""
        with self.refusing():
            self.answer({"words": self.player.changes(*self.pair())})


class _Report(_Handler):
    def get(self) -> None:
        if (report := self.player.comparison.report) is None:
            raise HTTPError(404, reason="no report: no comparison has finished")
        self.set_header("Content-Security-Policy", _REPORT_POLICY)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(report)


def application(player: Player, token: str, port: int) -> Application:
    given = {"player": player, "token": token, "port": port}
    return Application(
        [
            (r"/", _Page, given),
            (r"/asset/([a-z.]+)", _Asset, given),
            (r"/knobs", _Knobs, given),
            (r"/run", _Run, given),
            (r"/changes", _Changes, given),
            (r"/comparison", _Comparison, given),
            (r"/comparison/report", _Report, given),
        ],
        log_function=lambda _: None,  # addresses hold the token
    )


def serve(link: Played[Any], file: str, *, port: int = 0, ready: Callable[[str], None]) -> None:
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(link, file, port, ready))


async def _serve(link: Played[Any], file: str, port: int, ready: Callable[[str], None]) -> None:
    try:
        sockets = bind_sockets(port, HOST)
    except OSError as error:
        raise PlayError(f"--port {port}: {error.strerror}; legal: a free port, or 0 for any") from None
    bound = sockets[0].getsockname()[1]
    token, player = secrets.token_urlsafe(24), Player(link, file)
    player.first()
    server = HTTPServer(application(player, token, bound), max_buffer_size=_MOST_BYTES)
    server.add_sockets(sockets)
    try:
        ready(f"http://{HOST}:{bound}/?token={token}")
        while not was_interrupted():
            await asyncio.sleep(_LOOKS_S)
            # A signal that comes while threads hand the interpreter to each other may go unnoticed until the
            # next one; this asks for those that wait, and changes nothing.
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        server.stop()
        player.close()


_KEPT, _KEPT_BYTES, _ALWAYS_KEPT = 32, 64e6, 4
"""Runs that are kept with their answers: fewer of large ones, but both runs of two sides."""


class PlayedRun(NamedTuple):
    """A run and what the page was told of it, as JSON."""

    answer: str
    result: Result


class PlayedLately:
    """The settings that were played lately, for all threads."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, PlayedRun] = OrderedDict()
        self._lock = Lock()

    def of(self, setting: Setting, *, quick: bool) -> PlayedRun | None:
        """The whole run of a setting; or, if that will do, its first look."""
        with self._lock:
            for length in ("whole", "quick") if quick else ("whole",):
                if (found := self._runs.get(name := f"{length} {setting!r}")) is not None:
                    self._runs.move_to_end(name)
                    return found
        return None

    def keep(self, setting: Setting, run: PlayedRun, *, quick: bool) -> None:
        """Keeps a run, and lets go of those that were looked at longest ago."""
        with self._lock:
            self._runs[f"{'quick' if quick else 'whole'} {setting!r}"] = run
            held = [
                sum(table.nbytes for table in each.result.tables.values()) for each in self._runs.values()
            ]
            while len(held) > _KEPT or (len(held) > _ALWAYS_KEPT and sum(held) > _KEPT_BYTES):
                self._runs.popitem(last=False)
                held.pop(0)
