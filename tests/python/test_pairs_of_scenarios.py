"""Pairs of runs whose scenarios differ in one key: each comparison refuses the pair or names the key.

The scenarios are real and so are the runs: one of four networks, half of the time with up to three random
settings that both share. `aqmlab compare` decides before anything runs, a comparison of results over the
runs, and `aqmlab report` over folders. What is decided to matter for nothing must change no figure.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab import _core
from aqmlab.comparison import Comparison, read_configurations
from aqmlab.comparison.comparability import Decides, decided_by, differences
from aqmlab.comparison.pairing import require_comparable
from aqmlab.errors import ComparisonError, MissingDataError, ScenarioError
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.statistics.run_summary import figures
from random_cases import one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PEOPLE = """
think_time_median_seconds = 0.5
think_time_maximum_seconds = 20.0
response_maximum_bytes = 100000.0
"""
TRAFFIC = """
[[flows]]
name = "bulk"
count = 1
senders = "SENDERS"
receivers = "RECEIVERS"
base_rtt_ms = 30
delay_box = { rate_mbps = 2.0, loss_probability = 0.001 }
[[datagrams]]
name = "calls"
count = 2
senders = "SENDERS"
receivers = "RECEIVERS"
packet_bytes = 200
rate_mbps = 0.08
"""
HEAD = 'name = "pair"\nduration_s = 3.0\nwarm_up_s = 0.5\ncool_down_s = 0.5\n'
POPULATION = f"""
[[populations]]
name = "people"
browsers = "BROWSERS"
servers = "SERVERS"
count = 60
minimum_delay_ms = {{ low = 5, high = 50 }}
delay_box = {{ rate_mbps = 5.0 }}
profile = "linux6-cubic"
[populations.model]
model = "unc"
{PEOPLE}
"""


def with_traffic(text: str, *, browsers: str, servers: str) -> str:
    traffic = TRAFFIC.replace("SENDERS", servers).replace("RECEIVERS", browsers)
    return HEAD + text.replace("BROWSERS", browsers).replace("SERVERS", servers) + traffic


BASES = {
    "dumbbell": with_traffic(
        f"""
[dumbbell]
rate_mbps = 4.0
queue = {{ scheme = "red", limit_packets = 40 }}
[users]
left = 0
right = 60
minimum_delay_ms = {{ low = 5, high = 50 }}
delay_box = {{ rate_mbps = 5.0 }}
[users.model]
model = "unc"
{PEOPLE}
""",
        browsers="browsers-right",
        servers="servers-left",
    ),
    "parking lot": with_traffic(
        f"""
[parking_lot]
hops = 2
rate_mbps = 4.0
delay_ms = 1.0
queue = {{ scheme = "codel", limit_packets = 40 }}
links = [{{ hop = 1, rate_mbps = 5.0, delay_ms = 2.0 }}]
machines = [{{ name = "office", router = 1, rate_mbps = 50.0, delay_ms = 1.0 }}]
{POPULATION}
""",
        browsers="browsers-1",
        servers="servers-left",
    ),
    "star": with_traffic(
        f"""
[star]
homes = 2
rate_mbps = 4.0
rate_up_mbps = 1.0
queue = {{ scheme = "fq-codel" }}
links = [{{ home = 1, rate_mbps = 6.0 }}]
{POPULATION}
""",
        browsers="homes",
        servers="servers",
    ),
    "topology": with_traffic(
        f"""
[[topology.nodes]]
name = "near"
kind = "host"
count = 2
[[topology.nodes]]
name = "left"
kind = "router"
[[topology.nodes]]
name = "right"
kind = "router"
[[topology.nodes]]
name = "far"
kind = "host"
count = 2
[[topology.links]]
from = "near"
to = "left"
rate_mbps = 100.0
[[topology.links]]
from = "left"
to = "right"
rate_mbps = 4.0
delay_ms = 1.0
queue = {{ scheme = "pie", limit_packets = 40 }}
[[topology.links]]
from = "right"
to = "far"
rate_mbps = 100.0
{POPULATION}
""",
        browsers="far",
        servers="near",
    ),
}


@cache
def base(name: str) -> aqmlab.Scenario:
    return aqmlab.Scenario.from_toml(BASES[name])


@cache
def base_run(name: str) -> aqmlab.Result:
    return aqmlab.run(base(name), seed=1)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """The dotted keys of a resolved scenario with their values, those that are absent too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{place}")
    else:
        yield path, value


@cache
def words_by_key() -> dict[str, list[str]]:
    """Of each key of the schema the words that it may have."""
    schema = json.loads(_core.json_schema())
    found: dict[str, list[str]] = defaultdict(list)

    def walk(node: object, key: str, depth: int) -> None:
        if isinstance(node, list):
            for each in node:
                walk(each, key, depth)
        if not isinstance(node, dict) or depth > 9:
            return
        if "$ref" in node:
            walk(schema["$defs"][str(node["$ref"]).rpartition("/")[2]], key, depth + 1)
        found[key] += [each for each in (node.get("const"), *node.get("enum", ())) if isinstance(each, str)]
        for how in ("anyOf", "oneOf", "items"):
            walk(node.get(how, []), key, depth)
        for inner, each in node.get("properties", {}).items():
            walk(each, inner, depth + 1)

    walk(schema, "", 0)
    return {key: sorted(set(words)) for key, words in found.items()}


def others(key: str, value: Any, draw: np.random.Generator) -> list[object]:  # noqa: ANN401
    """Other values that the key might have, in random order; not all are legal."""
    last = key.rpartition(".")[2]
    words: list[object] = [*words_by_key().get(last, ())]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        numbers = [value * 2, value // 2, value + 1, value / 2.0, value * 1.1, 1]
        return [
            *draw.permutation(np.array(numbers, dtype=object)),
            *draw.permutation(np.array(words, dtype=object)),
        ]
    found = [*words, *([1, 2.5, 20, 0.01, True, 500] if value is None else [])]
    return [each for each in draw.permutation(np.array(found, dtype=object)) if each != value][:30]


def another(
    scenario: aqmlab.Scenario, key: str, value: object, draw: np.random.Generator
) -> aqmlab.Scenario | None:
    """The scenario with another value there; none if no legal one was found."""
    for other in others(key, value, draw):
        place, put = (
            (key.removesuffix(".scheme"), {"scheme": other}) if key.endswith(".scheme") else (key, other)
        )
        try:
            made = scenario.with_overrides({place: put})
        except (ScenarioError, TypeError, ValueError):
            continue
        if dict(leaves(made.resolved)).get(key) != value:
            return made
    return None


def is_cheap(scenario: aqmlab.Scenario) -> bool:
    return scenario.duration_s <= 6.0


NOTHING_TO_COMPARE = ("no exchange ended", "was not recorded", "no monitored link")


def with_random_settings(scenario: aqmlab.Scenario, draw: np.random.Generator) -> aqmlab.Scenario:
    """The scenario with up to three other settings, as far as it stays cheap."""
    for _ in range(int(draw.integers(1, 4))):
        key, value = choose(scenario, draw)
        made = another(scenario, key, value, draw)
        if made is not None and is_cheap(made):
            scenario = made
    return scenario


def choose(scenario: aqmlab.Scenario, draw: np.random.Generator) -> tuple[str, object]:
    """A key of the scenario. Kinds of keys are drawn alike: a model has many parameters, a network few."""
    groups: dict[tuple[Decides, bool], list[tuple[str, object]]] = defaultdict(list)
    for key, value in leaves(scenario.resolved):
        if not key.startswith("files."):
            groups[decided_by(key), ".model." in key or ".host." in key].append((key, value))
    kinds = sorted(groups, key=str)
    group = groups[kinds[int(draw.integers(len(kinds)))]]
    return group[int(draw.integers(len(group)))]


def assert_refused_before_anything_runs(a: aqmlab.Scenario, b: aqmlab.Scenario, key: str) -> None:
    """What `aqmlab compare` of two files asks first: the same that a comparison of their results asks."""
    scenarios = {"b": b.resolved, "a": a.resolved}
    if decided_by(key) in {Decides.USERS, Decides.MEASURE}:
        with pytest.raises(ComparisonError) as refused:
            require_comparable(scenarios)
        assert key in str(refused.value)
    else:
        require_comparable(scenarios)


def assert_reported(a: aqmlab.Result, b: aqmlab.Result, key: str, folder: Path) -> None:
    """What `aqmlab report` makes of the folders of two results: a refusal, or a page that names the key."""
    a.save(folder / "a")
    b.save(folder / "b")
    found = read_configurations([folder / "b", folder / "a"])
    decides = decided_by(key)
    if decides in {Decides.USERS, Decides.MEASURE}:
        with pytest.raises(ComparisonError) as refused:
            Comparison.of(found)
        assert key in str(refused.value)
        return
    if len(found) == 1:
        # A name or a description alone: two runs of one scenario and seed, of which one counts.
        assert decides is Decides.NOTHING
        return
    refusal = ""
    try:
        compared = Comparison.of(found)
        page = render(page_of(compared))
    except (MissingDataError, ComparisonError) as error:
        refusal = str(error)
    if refusal:
        assert any(why in refusal for why in (*NOTHING_TO_COMPARE, "other links carry data", key)), refusal
        return
    if decides in {Decides.NETWORK, Decides.HOSTS}:
        (said,) = compared.cautions()
        assert key in said
        assert "Not only the queue differs" in page
    if decides in {Decides.NETWORK, Decides.HOSTS, Decides.QUEUE}:
        assert key in page, f"the report does not name {key}"


def in_words(a: aqmlab.Result, b: aqmlab.Result) -> str:
    """What a comparison says of two runs, and the settings that it finds to differ; or its refusal, twice."""
    said = []
    try:
        found = Comparison.of({"b": [b], "a": [a]})
        said.append(str(found))
        said += [str(each) for each in found.differing["a"]]
    except (ComparisonError, MissingDataError) as error:
        said += 2 * [f"refused: {error}"]
    return "\n".join(said)


def _same(a: Mapping[str, float | int | None], b: Mapping[str, float | int | None]) -> bool:
    """Whether two rows of figures agree, as far as both runs recorded them."""
    return all(a[name] == b[name] or None in {a[name], b[name]} for name in a)


def assert_refused_or_told(a: aqmlab.Result, b: aqmlab.Result, key: str) -> Decides:
    said, decides = in_words(a, b), decided_by(key)
    # Of two schemes the names are told, whatever else they have.
    known = {each.key: each for each in differences(b.scenario, a.scenario)}
    if decides is Decides.NOTHING:
        assert not known
        assert "refused" not in said or any(why in said for why in NOTHING_TO_COMPARE), said
        assert _same(figures(a), figures(b)), f"{key} is said to change nothing"
        return decides
    assert key in known, key
    if any(why in said for why in NOTHING_TO_COMPARE):
        return decides  # refused, whatever differs
    lines = [line for line in said.splitlines() if key in line]
    assert len(lines) >= 2, f"{key}: {said}"
    if decides in {Decides.USERS, Decides.MEASURE}:
        assert all("refused" in line for line in lines), said
        assert said.count("refused") == 2
    elif decides in {Decides.NETWORK, Decides.HOSTS} and "refused" not in said:
        assert any(line.startswith("Not only the queue differs between a and b") for line in lines), said
    return decides


REPORTED = 5
"""Of so many pairs one is written to folders and reported, which takes longer than both runs."""


@pytest.mark.parametrize("number", one_by_one(150))
def test_a_pair_that_differs_in_one_key_is_refused_or_told(number: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(number)
    name = str(draw.choice([*BASES]))
    shared, result = base(name), None
    if draw.random() < 0.5:
        shared = with_random_settings(base(name), draw)
        result = aqmlab.run(shared, seed=1)
    result = result or base_run(name)
    for _ in range(20):
        key, value = choose(shared, draw)
        made = another(shared, key, value, draw)
        if made is not None and is_cheap(made):
            break
    else:
        pytest.fail("no legal pair was found")
    assert_refused_before_anything_runs(made, shared, key)
    other = aqmlab.run(made, seed=1)
    assert_refused_or_told(other, result, key)
    if number % REPORTED == 0:
        assert_reported(other, result, key, tmp_path)


SIZES = "100 0.5\n1000 1\n"
TRACE = "1\n2\n3\n4\n"


@pytest.mark.parametrize(
    ("key", "file", "other"),
    [
        ("users.model.response_bytes_cdf_file", "sizes.cdf", "1000 0.5\n20000 1\n"),
        ("dumbbell.rate_trace_file", "link.trace", "2\n2\n3\n4\n"),
    ],
)
def test_a_pair_that_differs_in_a_file_is_refused_or_told(key: str, file: str, other: str) -> None:
    texts = {"sizes.cdf": SIZES, "link.trace": TRACE}

    def made(texts: Mapping[str, str]) -> aqmlab.Result:
        files = "".join(f'"{name}" = """\n{text}"""\n' for name, text in texts.items())
        return aqmlab.run(
            BASES["dumbbell"]
            .replace("rate_mbps = 4.0\nqueue", 'rate_mbps = 12.032\nrate_trace_file = "link.trace"\nqueue')
            .replace("response_maximum_bytes = 100000.0\n", "")
            .replace('model = "unc"\n', 'model = "unc"\nresponse_bytes_cdf_file = "sizes.cdf"\n')
            + f"\n[files]\n{files}",
            seed=1,
        )

    assert_refused_or_told(made({**texts, file: other}), made(texts), key)
