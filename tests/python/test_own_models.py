"""Traffic models of one's own: a class of Python gives the pages, and everybody else treats it as a model."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab import Job, RunError, Scenario, ScenarioError
from aqmlab.models.loading import check
from small import aqmlab_run

EXAMPLES = Path(__file__).parents[2] / "examples"

SCENARIO = """
name = "own pages"
duration_s = 20.0
warm_up_s = 0.0

[dumbbell]
rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 1000 }

[users]
left = 5
right = 0
start = "fresh"
minimum_delay_ms = { low = 50, high = 50 }
model = { model = "own.py:Own", tls = "none" }

[record]
responses = "rows"
"""

CONSTANT = "return Page([Object(1_000), Object(1_200, request_bytes=400)], think_s=0.45)"

DRAWN = """sizes = draws.named("sizes")
others = [Object(1 + sizes.below(9_000), host=host) for host in range(1 + number % 3)]
return Page(
    [Object(1 + draws.below(40_000)), *others],
    think_s=0.2 + draws.exponential(0.3) + draws.of_user().uniform(),
)"""


def written(folder: Path, page: str, body: str = "", head: str = "") -> None:
    """A traffic model whose method `page` is this, in `own.py`."""
    method = f"def page(self, number, draws):\n{indented(page)}" if page else ""
    inside = indented(f"{body}\n{method}")
    text = f'from aqmlab.models import *\n{head}\nclass Own(TrafficModel):\n    """Own pages."""\n{inside}'
    (folder / "own.py").write_text(text)


def indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())


def own(
    folder: Path, page: str = CONSTANT, body: str = "", *, keys: str = "", text: str = SCENARIO
) -> Scenario:
    written(folder, page, body)
    return Scenario.from_toml(text.replace('tls = "none"', f'tls = "none"{keys}'), folder=folder)


def pages(result: aqmlab.Result) -> list[dict[str, Any]]:
    """The pages in the order of their users."""
    rows: list[dict[str, Any]] = result.tables["pages"].to_pylist()
    return sorted(rows, key=lambda row: (row["user"], row["page"]))


def test_constant_pages_come_at_the_rate_that_is_worked_out_by_hand(tmp_path: Path) -> None:
    """A page takes three round trips of 50 ms (SYN, root, object), as each message fits into a segment; what
    they take on 100 Mbit/s or more is below 1 ms. Behind it the user thinks for 0.45 s.
    """
    result = aqmlab.run(own(tmp_path), seed=1)
    rows = pages(result)
    ended = [row for row in rows if row["ended"]]
    assert {(row["objects"], row["response_bytes"]) for row in ended} == {(2, 2_200)}
    assert all(0.15 < row["page_load_time_s"] < 0.151 for row in ended)
    for one, following in pairwise(rows):
        if one["user"] == following["user"]:
            thought = following["began_s"] - one["began_s"] - one["page_load_time_s"]
            assert thought == pytest.approx(0.45, abs=1e-9)
    # The first page of each user begins at 0.45 s, and another one each 0.6 s; the last at 19.65 s.
    assert [sum(row["user"] == user for row in rows) for user in range(5)] == 5 * [33]
    asked = result.tables["responses"].to_pylist()
    assert {row["response_bytes"] for row in asked} == {1_000, 1_200}


def test_pages_are_the_same_under_every_scheme_and_on_any_number_of_workers(tmp_path: Path) -> None:
    narrow = "rate_mbps = 2.0", "limit_packets = 20"
    slow = SCENARIO.replace("rate_mbps = 1000.0", narrow[0]).replace("limit_packets = 1000", narrow[1])
    codel = slow.replace('scheme = "drop-tail"', 'scheme = "codel"')
    scenarios = [own(tmp_path, DRAWN, text=text) for text in (slow, codel)]
    jobs = [Job(scenario, seed) for scenario in scenarios for seed in (1, 2)]
    alone = aqmlab.run_many(jobs, workers=1, progress=False)
    beside = aqmlab.run_many(list(reversed(jobs)), workers=2, progress=False)
    assert [result.run for result in alone] == [result.run for result in reversed(beside)]

    def asked(result: aqmlab.Result) -> dict[tuple[int, int], int]:
        return {(row["user"], row["page"]): row["response_bytes"] for row in pages(result) if row["ended"]}

    first, other_seed, with_codel = asked(alone[0]), asked(alone[1]), asked(alone[2])
    shared = first.keys() & with_codel.keys()
    assert len(shared) > 50
    assert {key: first[key] for key in shared} == {key: with_codel[key] for key in shared}
    times = [[row["page_load_time_s"] for row in pages(result)] for result in (alone[0], alone[2])]
    assert times[0] != times[1], "the schemes differ"
    assert {key: other_seed.get(key) for key in shared} != {key: first[key] for key in shared}


@pytest.mark.parametrize("start", ["steady", "stationary"])
def test_users_may_start_in_the_middle_of_everything(start: str, tmp_path: Path) -> None:
    text = SCENARIO.replace('start = "fresh"', f'start = "{start}"').replace("left = 5", "left = 200")
    scenario = own(
        tmp_path, CONSTANT, text=text, keys=", steady_start_page_time_seconds = 0.15" * (start == "steady")
    )
    rows = pages(aqmlab.run(scenario, seed=1))
    # 200 users, each with a page in 0.45 s + 0.15 s: 333 pages a second from the start.
    first = sum(row["began_s"] < 1.0 for row in rows)
    assert 300 <= first <= 366


def test_a_scenario_keeps_the_file_and_its_address_changes_with_it(tmp_path: Path) -> None:
    scenario = own(tmp_path)
    copy = Scenario(scenario.resolved_json)
    (tmp_path / "own.py").unlink()
    assert aqmlab.run(copy, seed=1).run["populations"] == aqmlab.run(scenario, seed=1).run["populations"]
    document = json.loads(scenario.resolved_json)
    assert document["users"]["model"]["model"] == "own.py:Own"
    assert "class Own(TrafficModel)" in document["files"]["own.py"]
    edited = own(tmp_path, CONSTANT.replace("1_200", "1_201"))
    assert edited.resolved_json != scenario.resolved_json
    faster = scenario.with_overrides({"users.model.http": "1.1"})
    assert json.loads(faster.resolved_json)["users"]["model"]["http"] == "1.1"


def test_the_estimate_of_memory_follows_the_pages(tmp_path: Path) -> None:
    few = own(tmp_path, CONSTANT).core.memory_estimate()
    heavy = "return Page([Object(10_000)] + [Object(9, host=h) for h in range(900)], think_s=0.5)"
    assert own(tmp_path, heavy).core.memory_estimate() > few + 5 * 900 * 24


FAILURES = {
    "an exception": ("raise KeyError('gone')", "own.py, line 8, in page: KeyError: 'gone'"),
    "nothing": (
        "return None",
        "own.py:Own, method page: page 9: returned None; legal: an aqmlab.models.Page",
    ),
    "no objects": ("return Page([], 1.0)", "method page: page 9: there is no object; legal: the root first"),
    "no object": ("return Page([3], 1.0)", "object 0 is 3; legal: an aqmlab.models.Object"),
    "a negative size": (
        "return Page([Object(100), Object(-5)], 1.0)",
        "page 9: object 1: response_bytes is -5; legal: a whole number from 1 to 1000000000",
    ),
    "a size that is none": (
        "return Page([Object(1.5)], 1.0)",
        "response_bytes is 1.5; legal: a whole number",
    ),
    "no number": (
        "return Page([Object(1)], float('nan'))",
        "page 9: think_s is NaN; legal: a number from 0.001 to 1000000",
    ),
    "a word": ("return Page([Object(1)], 'long')", "page 9: think_s is 'long'; legal: a number of seconds"),
    "two roots": (
        "return Page([Object(1), Object(1, wave=0)], 1.0)",
        "object 1 is in wave 0, where the root",
    ),
    "a wrong law": (
        "return Page([Object(1)], draws.exponential(-1))",
        "in page: ValueError: mean is -1: it must be a positive number; legal: a model whose `page` works",
    ),
    "something kept": ("self.last = number", "AttributeError: self.last is set after start"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_ends_the_run_and_names_file_method_and_page(what: str, tmp_path: Path) -> None:
    """What fails on a user's tenth page, which no sample holds."""
    page, message = FAILURES[what]
    broken = own(tmp_path, f"if number == 9:\n{indented(page)}\n{CONSTANT}".replace("\n\n", "\n"))
    with pytest.raises(RunError) as failed:
        aqmlab.run_many([Job(broken, 1, folder=tmp_path / "result")], progress=False)
    assert message in str(failed.value)
    assert str(failed.value).count("legal: ") == 1
    assert "panicked" not in str(failed.value)
    assert not (tmp_path / "result" / "run.json").exists()
    assert aqmlab.run(own(tmp_path), seed=1).tables["pages"].num_rows > 0


REFUSALS = {
    "no class": (
        "Owl",
        CONSTANT,
        "",
        "",
        "own.py has no class Owl of aqmlab.models.TrafficModel; it has Own",
    ),
    "what is no Python": ("Own", "x = (", "", "", "own.py, line 7: SyntaxError"),
    "a file that fails": (
        "Own",
        CONSTANT,
        "x = nobody",
        "",
        "own.py, line 5, in Own: NameError: name 'nobody'",
    ),
    "no method": ("Own", "", "", "", "own.py: Own: a traffic model needs the method page"),
    "a misspelt method": ("Own", "", "def pages(self, number, draws):\n    pass", "", 'did you mean "page"?'),
    "an exception": ("Own", "return 1 / 0", "", "", "own.py, line 7, in page: ZeroDivisionError"),
    "an exception at the start": (
        "Own",
        CONSTANT,
        "def start(self):\n    self.x = 1 / 0",
        "",
        "own.py, line 6, in start: ZeroDivisionError",
    ),
    "another page each time": (
        "Own",
        "import random\nreturn Page([Object(random.randrange(1, 10**9))], 1.0)",
        "",
        "",
        "own.py:Own, method page: page 7 of a user was another one when it was drawn again",
    ),
    "an illegal page": (
        "Own",
        "return Page([Object(0)], 1.0)",
        "",
        "",
        "object 0: response_bytes is 0; legal",
    ),
    "an unknown key": (
        "Own",
        CONSTANT,
        "",
        ", objects = 3",
        'unknown key "objects"; legal keys: connections_per_host',
    ),
    "out of range": (
        "Own",
        CONSTANT,
        "pause = parameter(5, 'Pause.', least=2, most=9)",
        ", pause = 1",
        "users.model.pause: 1 is out of range; legal: 2 to 9",
    ),
    "a wrong type": (
        "Own",
        CONSTANT,
        "pause = parameter(5, 'Pause.')",
        ", pause = 1.5",
        "users.model.pause: expected a whole number",
    ),
    "a contradiction": (
        "Own",
        CONSTANT,
        "pause = parameter(5, 'P.')\ndef check(self):\n    raise IllegalParameter('pause', 'below 0')",
        "",
        "users.model.pause: 5 is not legal; legal: below 0",
    ),
    "a key of every model": (
        "Own",
        CONSTANT,
        "http = parameter('2', 'x')",
        "",
        "every traffic model has it already",
    ),
    "connections of HTTP/2": (
        "Own",
        CONSTANT,
        "",
        ", connections_per_host = 3",
        "HTTP/2 has one connection to a host",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_is_wrong_with_a_model_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    name, page, body, keys, message = REFUSALS[what]
    written(tmp_path, page, body)
    text = SCENARIO.replace("own.py:Own", f"own.py:{name}").replace('tls = "none"', f'tls = "none"{keys}')
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_toml(text, folder=tmp_path)
    assert message in str(refused.value)
    assert "users.model" in str(refused.value)
    assert str(refused.value).count("legal: ") <= 1


SENTENCES = {
    "Page([Object(0)], 1.0)": "own.py:Own, method page: page 0: object 0: response_bytes is 0; legal: "
    "a whole number from 1 to 1000000000",
    "Page([Object(1), 7], 1.0)": "own.py:Own, method page: page 0: object 1 is 7; legal: an "
    "aqmlab.models.Object",
    "Page([], 1.0)": "own.py:Own, method page: page 0: there is no object; legal: the root first, then the "
    "others",
    "Page([Object(1)], 0.0)": "own.py:Own, method page: page 0: think_s is 0; legal: a number from 0.001 to "
    "1000000",
    "1 / 0": "own.py, line 7, in page: ZeroDivisionError: division by zero; legal: a model whose `page` "
    "works",
}


@pytest.mark.parametrize("page", SENTENCES)
def test_a_message_says_once_what_is_legal(page: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as refused:
        own(tmp_path, f"return {page}")
    assert str(refused.value) == f"scenario:15: users.model.model: {SENTENCES[page]}"
    [mistake] = refused.value.mistakes
    assert mistake.legal == SENTENCES[page].partition("; legal: ")[2]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("nowhere.py:Own", "there is no file "),
        ("own.so:Own", "not a file of Python; legal: FILE.py:CLASS, the file of at most 1 MiB, its path "),
        ("owl", 'unknown model "owl"; legal: '),
    ],
)
def test_a_name_that_means_no_model_is_refused(model: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=message) as refused:
        Scenario.from_toml(SCENARIO.replace("own.py:Own", model), folder=tmp_path)
    assert str(refused.value).count("legal: ") == 1


def test_a_live_run_refuses_a_model_in_a_file(tmp_path: Path) -> None:
    core = pytest.importorskip("aqmlab._core")
    with pytest.raises(
        ScenarioError, match=r'model = "own.py:Own": a live run has no traffic models in files'
    ):
        core.LiveRun(own(tmp_path).core, 1, core.LiveSettings())


def test_the_shipped_model_runs_and_is_explained() -> None:
    text = SCENARIO.replace("own.py:Own", "my_pages.py:News")
    scenario = Scenario.from_toml(
        text.replace('tls = "none"', "pictures = 3, reading_s = 1.0"), folder=EXAMPLES
    )
    rows = pages(aqmlab.run(scenario, seed=1))
    assert {row["objects"] for row in rows if row["page"] % 2 == 0} == {4}
    assert {row["objects"] for row in rows if row["page"] % 2 == 1} == {1}
    said = aqmlab_run("explain", "my_pages.py:News", cwd=EXAMPLES)
    assert said.returncode == 0, said.stderr
    assert "Traffic model. Readers of a news site" in said.stdout
    assert "  pictures: integer, 0 to 1000, default 12\n      Pictures on the front page.\n" in said.stdout
    assert "  picture_bytes: number, 1 to 10000000, default 30000.0\n" in said.stdout
    assert '  http: one of those below, default "2"\n' in said.stdout
    schema = json.loads(aqmlab_run("schema", "my_pages.py:News", cwd=EXAMPLES).stdout)
    assert schema["properties"]["model"]["const"] == "my_pages.py:News"
    assert schema["properties"]["pictures"]["maximum"] == 1000


@pytest.mark.parametrize("command", ["explain", "schema"])
def test_a_class_that_is_not_there_is_missed_among_the_models_of_its_file(command: str) -> None:
    said = aqmlab_run(command, "my_pages.py:Nwes", cwd=EXAMPLES)
    assert said.returncode == 2
    assert "no class Nwes of aqmlab.models.TrafficModel; it has News" in said.stderr


def test_a_check_describes_the_pages(tmp_path: Path) -> None:
    written(tmp_path, CONSTANT)
    said = aqmlab_run("model", "check", "own.py:Own", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    *lines, cost = said.stdout.splitlines()
    assert lines == [
        "own.py:Own: passes",
        "  200 pages, each drawn twice",
        "  objects per page: median 2, 90th percentile 2, mean 2",
        "  bytes per object: median 1,000, 90th percentile 1,200, mean 1,100",
        "  think time: median 0.45 s, 90th percentile 0.45 s, mean 0.45 s",
    ]
    assert re.fullmatch(r"  time to draw a page: [0-9.]+ ms", cost)


def test_the_pages_of_a_check_are_those_of_the_users(tmp_path: Path) -> None:
    """Pages 0 to 7 of each user, of which page n has 2 + n % 3 objects."""
    written(tmp_path, DRAWN)
    found = check("own.py:Own", folder=tmp_path)
    assert found.objects == 25 * [2, 3, 4, 2, 3, 4, 2, 3]
    assert len(found.response_bytes) == sum(found.objects)
    assert all(1 <= size <= 40_000 for size in found.response_bytes)
    assert len(set(found.think_s)) == 200


@pytest.mark.parametrize("what", ["another page each time", "an exception", "an illegal page", "no class"])
def test_a_check_refuses_what_a_scenario_refuses(what: str, tmp_path: Path) -> None:
    name, page, body, _, message = REFUSALS[what]
    written(tmp_path, page, body)
    said = aqmlab_run("model", "check", f"own.py:{name}", cwd=tmp_path)
    assert said.returncode == 2
    assert said.stderr.startswith("aqmlab: own.py")
    assert message in said.stderr
    assert said.stdout == ""


def test_a_calibration_runs_the_users_of_a_model(tmp_path: Path) -> None:
    """A page of 200 kB in 137 segments, 205.5 kB with headers. A user has one every 20 s and its load time, 4
    to 20 round trips of 50 ms at 1 Gbit/s, so 78 to 81 kbit/s per user.
    """
    written(tmp_path, "return Page([Object(200_000)], think_s=20.0)")
    text = SCENARIO.replace("duration_s = 20.0", "duration_s = 400.0").replace('"fresh"', '"stationary"')
    (tmp_path / "own.toml").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    said = aqmlab_run(
        "calibrate", "../own.toml", "--sizes", "20,40,60", "--quiet", cwd=tmp_path / "elsewhere"
    )
    assert said.returncode == 0, said.stderr
    [kept] = (tmp_path / "elsewhere").rglob("calibration.json")
    [line] = json.loads(kept.read_text())["bottlenecks"]
    assert line["line"]["bits_per_second_per_user"] == pytest.approx(79_800, rel=0.03)
