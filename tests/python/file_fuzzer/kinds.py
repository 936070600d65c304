# ruff: noqa: E501, TC001
"""The kinds of file that aqmlab reads: how each is damaged, and what then has to hold."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from aqmlab import Result, Scenario, _core
from aqmlab.errors import CalibrationError, ExperimentError, ResultError, ScenarioError
from aqmlab.files.toml_text import to_toml
from aqmlab.load import Calibration, Line, LoadLine, Point
from aqmlab.papers import experiments
from aqmlab.runs.store import State, inspect
from file_fuzzer.mutations import bytes_damaged, rows_damaged, tree_damaged
from file_fuzzer.stand_in import StandIn
from file_fuzzer.values import TEXTS, toml_text
from file_fuzzer.verdict import Finding, answer, command
from line_files import LOADED, SAW, WAVEFORM, flent, iperf3, ping_log
from small import BULK, WEB
from sweeping import SWEEP

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]

TOPOLOGY = """
name = "line"
duration_s = 6.0
[topology]
nodes = [
    { name = "readers", kind = "host", count = 3 }, { name = "middle", kind = "router" }, { name = "site", kind = "host" },
]
links = [
    { from = "readers", to = "middle", rate_mbps = 10.0, delay_ms = 2.0 },
    { from = "middle", to = "site", rate_mbps = 1.0, queue = { scheme = "red", limit_packets = 50 } },
]
[[populations]]
name = "people"
browsers = "readers"
servers = "site"
count = 30
[[flows]]
name = "bulk"
count = 2
senders = "site"
receivers = "readers"
"""

SWEEPS = (
    SWEEP,
    """
scenario = "web.toml"
seeds = "1-3,7"
[overrides]
"duration_s" = 7.0
[random]
points = 4
seed = 3
[random.keys]
"dumbbell.rate_mbps" = { low = 1.0, high = 5.0, scale = "log" }
"users.per_side" = { low = 20, high = 200, integer = true }
[[list]]
"dumbbell.queue" = { scheme = "drop-tail", limit_packets = 120 }
[[list]]
"dumbbell.queue" = { scheme = "red", limit_packets = 480, min_th_packets = 30, max_th_packets = 90 }
""",
    """
name = "hypercube"
store = "elsewhere"
seeds = [1, 5]
measure_offered_load = true
[scenario]
name = "inside"
duration_s = 3.0
dumbbell = { rate_mbps = 10.0, queue = { scheme = "drop-tail", limit_packets = 50 } }
flows = [{ count = 2, direction = "left-to-right" }]
[latin-hypercube]
points = 5
[latin-hypercube.keys]
"dumbbell.queue.limit_packets" = { low = 10, high = 300, scale = "log", integer = true }
"flows.0.base_rtt_ms" = [10.0, 20.0]
[grid]
"dumbbell.rate_mbps" = { low = 5.0, high = 10.0, points = 3 }
""",
)

HAR = """{"log": {"version": "1.2", "entries": [
    {"startedDateTime": "2026-01-31T12:00:00.000Z", "time": 90.5, "pageref": "p", "request": {"url": "https://a.example/",
        "headersSize": 400, "bodySize": 0}, "response": {"headersSize": 200, "bodySize": 9000, "_transferSize": 9200}},
    {"startedDateTime": "2026-01-31T12:00:00.200+00:00", "time": 40, "pageref": "p", "request": {"url": "https://b.example:8443/x.js",
        "headersSize": -1, "bodySize": -1}, "response": {"headersSize": 200, "bodySize": 700},
        "_initiator": {"type": "script", "stack": {"callFrames": [{"url": "https://a.example/"}]}}}
]}}"""

HAR_ELSEWHERE = """{"log": {"version": "1.2", "creator": {"name": "Firefox"}, "entries": [
    {"startedDateTime": "2026-01-31T12:00:00.000Z", "time": null, "_bytesIn": "9200", "_objectSize": 9000, "request": {"url": "https://a.example/",
        "headersSize": null, "bodySize": -1}, "response": {"headersSize": 200, "bodySize": 0, "headers": [{"name": "Content-Length", "value": "9000"}]}},
    {"startedDateTime": null, "time": 0, "request": {"method": "GET", "url": "https://a.example/y.png"}, "timings": {"wait": 0, "receive": -1},
        "response": {"status": 200, "headersSize": 0, "bodySize": 98065}, "cache": {"afterRequest": null}, "_fromCache": "disk"},
    {"startedDateTime": "2026-01-31T12:00:00.200Z", "time": 40, "request": {"method": "HEAD", "url": "https://a.example/x.js"},
        "response": {"status": 304, "headersSize": 300, "bodySize": 700, "content": {"size": 700, "compression": 3}},
        "_initiator": "https://a.example/", "_initiator_detail": "{\\"url\\": \\"https://a.example/\\"}"}
]}}"""

CDF = "# bytes, share\n100 0.1\n500 0.35\n2000 0.7\n20000 0.95\n100000 1.0\n"


TRACE = "0\n1\n1\n4\n7\n7\n7\n12\n"

VECTORS = """# a trace
SEQ 6851 1 21217 555117
w 64800 6432
r 76194
l 0.0 0.01
> 826
t 534
< 1213
t 872
CONC 400000 2 1 21217 822928
r 36556
c> 190
t> 505
c< 396
c> 46
S 500000 1 1 1
r 1
m 1460 536
I 0 0 826
A 0 534 1213
A 872 0 0
"""


_SERIES: dict[str, list[float | None]] = {"TCP upload": [9.0] * 100, "Ping (ms) ICMP": [20.0] * 100}
_SAW = "".join(f"{20 + wait:.1f}\n" for wait in SAW * 5)
MEASUREMENTS = (
    {"ping.log": ping_log(LOADED), "down.json": iperf3(9.0, way="down", at_s=10)},
    {"ping.log": ping_log(LOADED, dated=False), "up.json": iperf3(9.0, way="up")},
    {"nup.flent": flent(_SERIES)},
    {"bufferbloat.csv": WAVEFORM.format(",", ".", "20.0\n" * 20, _SAW, _SAW)},
)


@dataclass
class Case:
    """One case on its way: its chance, its folder, and what stands in for the simulator."""

    chance: random.Random
    folder: Path
    stand_in: StandIn

    def damage_toml(self, file: Path, text: str) -> None:
        """Writes a damaged TOML file: its bytes, or the tree that it holds."""
        if self.chance.random() < 0.4:
            file.write_bytes(bytes_damaged(self.chance, text.encode()))
        else:
            file.write_text(
                toml_text(tree_damaged(self.chance, tomllib.loads(text))), "utf-8", "surrogatepass"
            )

    def damage_json(self, file: Path) -> None:
        """Damages a JSON file where it stands."""
        data = file.read_bytes()
        if self.chance.random() < 0.4:
            file.write_bytes(bytes_damaged(self.chance, data))
        else:
            tree = tree_damaged(self.chance, json.loads(data))
            file.write_text(json.dumps(tree, ensure_ascii=self.chance.random() < 0.5, default=str))


class Kinds:
    """Each method tries one case of the kind that it is named after."""

    RANGES: ClassVar[dict[str, str]] = {}

    @staticmethod
    def scenario(case: Case) -> None:
        """`aqmlab run` with a damaged scenario: dumbbell or topology, users or flows."""
        file = case.folder / "scenario.toml"
        case.damage_toml(file, case.chance.choice((BULK, WEB, TOPOLOGY)))
        output = ("--output", str(case.folder / "out")) if case.chance.random() < 0.5 else ()
        if command(["run", str(file), *output, "--no-offered-load"], place="scenario.toml") == 0:
            _resolves_to_itself(Scenario.from_file(file))

    @staticmethod
    def sweep(case: Case) -> None:
        """`aqmlab sweep` with a damaged sweep file, or a damaged scenario below it."""
        texts = {"bulk.toml": BULK, "web.toml": WEB, "sweep.toml": case.chance.choice(SWEEPS)}
        for name, text in texts.items():
            (case.folder / name).write_text(text)
        name = case.chance.choice(("sweep.toml",) * 9 + ("bulk.toml",))
        case.damage_toml(case.folder / name, texts[name])
        more = case.chance.choice(
            (("--status",), ("--export", str(case.folder / "table.csv")), ("--quiet",), ())
        )
        store = ("--store", str(case.folder / "store"))
        command(["sweep", str(case.folder / "sweep.toml"), *more, *store], place=case.folder.name)

    @staticmethod
    def ranges(case: Case) -> None:
        """`aqmlab tune --ranges` with a damaged file of ranges."""
        (case.folder / "web.toml").write_text(WEB)
        file = case.folder / "ranges.toml"
        text = (ROOT / "python/aqmlab/study/tuning/ranges.toml").read_text(encoding="utf-8")
        scheme = case.chance.choice(("red", "pi", "rem", "ared", "drop-tail"))
        whole = tomllib.loads(text)
        part = case.chance.choice((text, toml_text({scheme: whole[scheme]})))
        case.damage_toml(file, part)
        few = ("--trials", "3", "--seeds", "1", "--fresh-seeds", "2", "--quiet")
        places = ("--output", str(case.folder / "out"), "--store", str(case.folder / "store"))
        scenario = str(case.folder / "web.toml")
        arguments = ["tune", scenario, "--scheme", scheme, "--ranges", str(file), *few, *places]
        if command(arguments, place="ranges.toml") == 0:
            answer(lambda: Scenario.from_file(case.folder / "out/best.toml"))

    @staticmethod
    def cdf(case: Case) -> None:
        """A run with users whose sizes come from a damaged file of a distribution."""
        text = case.chance.choice((CDF, CDF.replace(" ", ","), CDF.replace(" ", "\t"), f"0 0\n{CDF}"))
        _run_with_file(case, "sizes.cdf", text, 'model = "unc"\nresponse_bytes_cdf_file', users=5)

    @staticmethod
    def vectors(case: Case) -> None:
        """A run that replays a damaged file of connection vectors."""
        _run_with_file(case, "own.cvec", VECTORS, 'model = "tmix"\nvectors_file', users=2)

    @staticmethod
    def trace(case: Case) -> None:
        """A run over a link with a damaged rate trace, or another file in its place."""
        file = case.folder / "phone.trace"
        (case.folder / "phone.toml").write_text(
            BULK.replace("[dumbbell]", f'[dumbbell]\nrate_trace_file = "{file}"')
        )
        text = case.chance.choice((TRACE,) * 3 + (HAR, CDF, "time,mbps\n0,12\n1,3\n"))
        packed = case.chance.random() < 0.2
        file.write_bytes(
            gzip.compress(text.encode()) if packed else bytes_damaged(case.chance, text.encode())
        )
        answer(lambda: Scenario.from_file(case.folder / "phone.toml"), ScenarioError, place="phone.trace")
        command(["pages", "import", str(file), "-o", str(case.folder / "own.csv")], place="phone.trace")

    @staticmethod
    def har(case: Case) -> None:
        """`aqmlab pages import` of a damaged HAR file."""
        file, output = case.folder / "own.har", case.folder / "own.csv"
        file.write_text(case.chance.choice((HAR, HAR_ELSEWHERE)))
        case.damage_json(file)
        if command(["pages", "import", str(file), "-o", str(output)], place="own.har") == 0:
            text = f"{WEB.split('[record]')[0]}\n[users.model]\nmodel = 'pages'\npages_file = '{output}'\n"
            answer(lambda: Scenario.from_toml(text))

    @staticmethod
    def measurements(case: Case) -> None:
        """`aqmlab line` with damaged measurements of a line, one file or two that belong together."""
        for name, text in case.chance.choice(MEASUREMENTS).items():
            file = case.folder / name
            file.write_text(text)
            if text.startswith("{"):
                case.damage_json(file)
            else:
                file.write_bytes(bytes_damaged(case.chance, text.encode()))
        given, output = sorted(map(str, case.folder.iterdir())), case.folder / "my-line.toml"
        if command(["line", *given, "-o", str(output)], place=case.folder.name) == 0:
            answer(lambda: Scenario.from_file(output))

    @staticmethod
    def experiment(case: Case) -> None:
        """An experiment's folder with one damaged file."""
        name = case.chance.choice(("le2003", "christiansen2000"))
        folder = case.folder / name
        shutil.copytree(ROOT / "python/aqmlab/experiments" / name, folder)
        file = case.chance.choice(
            [
                each
                for each in sorted(folder.iterdir())
                if each.suffix in _DATA
                for _ in range(_WEIGHTS.get(each.name, 1))
            ]
        )
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".toml":
            case.damage_toml(file, text)
        elif file.suffix == ".csv" and case.chance.random() < 0.6:
            file.write_text(rows_damaged(case.chance, text), "utf-8", "surrogatepass")
        else:
            file.write_bytes(bytes_damaged(case.chance, text.encode()))
        answer(lambda: _planned(folder), ExperimentError, place=name)

    @staticmethod
    def result(case: Case) -> None:
        """A stored result of which a file is damaged, lost, or put there by another hand."""
        place, address = _stored(case)
        before = {file.name: file.read_bytes() for file in place.iterdir()}
        file = case.chance.choice(sorted(place.iterdir()))
        match case.chance.randrange(6):
            case 0:
                file.unlink()
            case 1:
                (
                    place / case.chance.choice(("more.parquet", "tables.arrow", "x", "run.json.bak"))
                ).write_bytes(file.read_bytes())
            case 2:
                file.write_bytes(case.chance.choice(sorted(place.iterdir())).read_bytes())
            case _:
                file.write_bytes(bytes_damaged(case.chance, file.read_bytes()))
        answer(lambda: Result.load(place), ResultError, place=place.name)
        found = answer(lambda: inspect(place, address))
        if found.state is State.FINISHED:  # type: ignore[attr-defined]
            _whole(found.result, before)  # type: ignore[attr-defined]
        store = str(place.parent)
        (case.folder / "bulk.toml").write_text(BULK)
        sweep = case.folder / "sweep.toml"
        sweep.write_text('scenario = "bulk.toml"\n[grid]\n"dumbbell.queue.limit_packets" = [50]\n')
        command(["sweep", str(sweep), "--store", store, "--status"])
        command(["sweep", str(sweep), "--store", store, "--export", str(case.folder / "table.parquet")])

    @staticmethod
    def forged(case: Case) -> None:
        """A stored result whose run.json or table was rewritten and its checksums made to fit."""
        place, _ = _stored(case)
        if case.chance.random() < 0.8:
            case.damage_json(place / "run.json")
        else:
            table = place / "tables.arrow"
            table.write_bytes(bytes_damaged(case.chance, table.read_bytes()))
        files = sorted(file for file in place.iterdir() if file.name != "SHA256SUMS")
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
        (place / "SHA256SUMS").write_text("".join(lines))

        def use() -> object:
            result = Result.load(place)
            for name in result.tables:
                result.tables[name].num_rows  # noqa: B018
            return (
                result.warnings,
                result.seed,
                result.version,
                result.offered_load,
                repr(result),
            )

        answer(use, ResultError, place=place.name)

    @staticmethod
    def calibration(case: Case) -> None:
        """A damaged calibration.json."""
        file = case.folder / "calibration.json"
        line = Line(10457.7, 0.42)
        points = tuple(Point(1, users, users / 100.0, {"a": users / 100.0}) for users in (100, 200, 300))
        Calibration((LoadLine(points, line, 0.99, {1: line}, 10.0),), "1").save(file)
        case.damage_json(file)

        def use() -> object:
            calibration = Calibration.load(file)
            _finite([calibration.line.intercept_mbps, calibration.line.bits_per_second_per_user], "line")
            own = calibration.tightest
            slope = own.slope_interval if own.lines_by_seed else None
            return str(calibration), slope, own.against(line)

        answer(use, CalibrationError, place="calibration.json")

    @staticmethod
    def arguments(case: Case) -> None:
        """Strange words on the command line."""
        chance = case.chance
        for name, text in {"bulk.toml": BULK, "web.toml": WEB}.items():
            (case.folder / name).write_text(text)
        words = [*TEXTS, "nul\x00", "\udcff\udcfe", "a=b", "=", "a.b=1", "name=[/x]", "red", "1-8,", "0", "-5", "nan",
                 "dumbbell.rate_mbps=\udcff", "max_p=0.1:0.2:log", "max_p=\x00", "limit_packets=9", "response=nan",
                 "1" * 5000, f"limit_packets={'1' * 5000}", "max_p=0:1:log", "x=" + "[" * 2000, "inf", "18446744073709551615"]  # fmt: skip
        word = chance.choice(words)
        if chance.random() < 0.3:
            word = bytes_damaged(chance, word.encode("utf-8", "surrogatepass")).decode(
                "utf-8", "surrogateescape"
            )
        run = ["run", str(case.folder / "bulk.toml"), "--no-offered-load"]
        tune = ["tune", str(case.folder / "web.toml"), "--trials", "2", "--seeds", "1", "--quiet",
                "--store", str(case.folder / "store"), "--output", str(case.folder / "out")]  # fmt: skip
        command(chance.choice((
            [*run, "--seeds", word], [*run, "--seed", word], [*run, "--set", word], [*run, "--output", word],
            [*run, "--set", f"name={word}"], [*run, "--workers", word], ["run", word], ["run", str(case.folder / word)],
            [*tune, "--range", word], [*tune, "--weights", word, "--objective", "weighted"], [*tune, "--scheme", word],
            [*tune, "--seeds", word], [*tune, "--fresh-seeds", word], [*tune, "--ranges", word], [*tune, "--store", word],
            [*tune, "--restricted-to", word], [*tune, "--beside", word], [*tune, "--executor", word], ["explain", word],
            ["sweep", word], ["compare", word, word], ["sweep", word, "--export", word], ["tune", word], ["calibrate", word],
            ["calibrate", str(case.folder / "web.toml"), "--sizes", word], ["calibrate", str(case.folder / "web.toml"), "--demand", word], ["reproduce", word],
            ["reproduce", "le2003", "--cells", word], ["reproduce", "le2003", "--loads", word], [word],
        )))  # fmt: skip


_DATA = {".toml", ".csv", ".md"}
_WEIGHTS = {"experiment.toml": 6, "tolerances.toml": 2, "claims.toml": 2}

KINDS: dict[str, Callable[[Case], None]] = {
    "scenario": Kinds.scenario,
    "sweep": Kinds.sweep,
    "ranges": Kinds.ranges,
    "cdf": Kinds.cdf,
    "trace": Kinds.trace,
    "har": Kinds.har,
    "measurements": Kinds.measurements,
    "experiment": Kinds.experiment,
    "result": Kinds.result,
    "forged": Kinds.forged,
    "calibration": Kinds.calibration,
    "arguments": Kinds.arguments,
}


def _run_with_file(case: Case, name: str, text: str, model: str, users: int) -> None:
    """A short run of users whose model reads a damaged file of rows."""
    file = case.folder / name
    damaged = (
        bytes_damaged(case.chance, text.encode())
        if case.chance.random() < 0.5
        else rows_damaged(case.chance, text.replace(" ", ","))
        .replace(",", " ")
        .encode("utf-8", "surrogatepass")
    )
    file.write_bytes(damaged)
    web = WEB.replace("20.0", "0.3").replace("5.0", "0.1").replace("per_side = 150", f"per_side = {users}")
    scenario = case.folder / "web.toml"
    scenario.write_text(f'{web.split("[record]")[0]}\n[users.model]\n{model} = "{file}"\n')

    def run() -> object:
        checked = Scenario.from_file(scenario)
        checked.content_address(1)
        run = _core.Run(checked.core, 1)
        run.execute()
        return run.summary()

    summary = answer(run, ScenarioError, place=name)
    if isinstance(summary, str):
        _finite(json.loads(summary), "run.json")


def _resolves_to_itself(scenario: Scenario) -> None:
    _finite(scenario.resolved, "resolved scenario")
    again = Scenario.from_toml(to_toml(scenario.resolved))
    if again != scenario:
        raise Finding(
            f"resolves to another scenario when written and read:\n{scenario.resolved_json}\n{again.resolved_json}"
        )


def _finite(part: object, what: str) -> None:
    if isinstance(part, dict):
        for value in part.values():
            _finite(value, what)
    elif isinstance(part, list):
        for value in part:
            _finite(value, what)
    elif isinstance(part, float) and not math.isfinite(part):
        raise Finding(f"{what} holds {part}")


def _planned(folder: Path) -> object:
    """Reads an experiment and makes the scenarios of its scales and cells, as `aqmlab reproduce` does."""
    from aqmlab.papers.reproduction import base_scenario, cell_scenario

    experiment = experiments.read(folder)
    bases = [base_scenario(experiment, scale) for scale in experiment.scales.values()]
    for configuration in list(experiment.configurations.values()) if bases else ():
        try:
            cell_scenario(bases[0], configuration)
        except ExperimentError as error:
            raise ExperimentError(f"{folder.name}: {error}") from None
    return experiment


def _stored(case: Case) -> tuple[Path, str]:
    """A sound result in a store, and its content address."""
    result = case.stand_in.bulk
    store = case.folder / "store"
    return result.save(store / result.content_address), result.content_address


def _whole(result: Result, before: dict[str, bytes]) -> None:
    """Whether a result that was taken for sound is all of what was written, bit for bit."""
    assert result.folder is not None
    if "tables.arrow" in before and not result.tables:
        raise Finding("a result that lacks a table was taken for sound")
    for name, data in before.items():
        if name != "SHA256SUMS" and (result.folder / name).read_bytes() != data:
            raise Finding(f"a damaged result was taken for sound: {name}")


__all__ = ["KINDS", "Case"]
