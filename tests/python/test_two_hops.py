"""Every command on two bottlenecks in a chain: readers cross both, locals and endless flows one each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aqmlab
from aqmlab.errors import CalibrationError, DemandError, UnknownLinkError
from aqmlab.load import Demand, calibrate, fit
from aqmlab.load.demand import carrying_links, named_links
from aqmlab.load.matching import Knobs, match_loads
from aqmlab.load.offered import offering_twin
from aqmlab.study.sweeps import read, rows, status
from small import TWO_HOPS, WEB, aqmlab_run

BOTH = ("a-to-b", "b-to-c")
RATES = {"a-to-b": 2.0, "b-to-c": 3.0}


def chain(**overrides: object) -> aqmlab.Scenario:
    return aqmlab.Scenario.from_toml(TWO_HOPS, overrides=overrides)


def links(demand: Demand, size: int | None = None) -> list[str]:
    return [link.name for each in demand.bottlenecks(size) for link in each.links]


@pytest.fixture(name="file")
def scenario_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(TWO_HOPS)
    return tmp_path / "two.toml"


# --- what is turned, and what is judged ---


@pytest.mark.parametrize(
    ("names", "sizes", "judged"),
    [
        ((), {"populations.readers": 20, "populations.locals": 10}, BOTH),
        (("users",), {"populations.readers": 20, "populations.locals": 10}, BOTH),
        (("populations.locals",), {"populations.locals": 20}, BOTH[1:]),
        (("flows",), {"flows.cross-traffic": 20}, BOTH[:1]),
    ],
)
def test_the_routes_of_a_demand_say_which_links_are_judged(
    names: tuple[str, ...], sizes: dict[str, int], judged: tuple[str, ...]
) -> None:
    demand = Demand.of(chain(), names)
    assert demand.sizes(20) == sizes
    assert tuple(links(demand)) == judged
    turned = demand.at(20).resolved
    found = {f"populations.{each['name']}": each["count"] for each in turned["populations"]}
    found |= {f"flows.{each['name']}": each["count"] for each in turned["flows"]}
    assert found.items() >= sizes.items()


def test_a_scenario_and_its_run_agree_on_the_links_that_carry_data() -> None:
    for text in (TWO_HOPS, WEB):
        scenario = aqmlab.Scenario.from_toml(text, overrides={"duration_s": 6.0})
        run = aqmlab.run(scenario).run["links"]
        found = carrying_links(scenario)
        assert [link.name for link in found] == [link["name"] for link in run if link["carries_data"]]
        by_name = {link["name"]: link for link in run}
        for link in found:
            own = by_name[link.name]
            assert (link.ends, link.rate_mbps) == ((own["from"], own["to"]), own["rate_mbps"])
        assert len(named_links(scenario, list(by_name))) == len(run)


def test_a_population_without_anybody_can_be_turned_by_name() -> None:
    scenario = chain(**{"populations.1.count": 0})
    assert Demand.of(scenario).sizes(20) == {"populations.readers": 20, "populations.locals": 0}
    locals_alone = Demand.of(scenario, ["populations.locals"])
    assert locals_alone.sizes(7) == {"populations.locals": 7}
    assert links(locals_alone, 7) == ["b-to-c"]
    with pytest.raises(DemandError, match=r"no monitored link carries data of populations\.locals"):
        locals_alone.bottlenecks()


@pytest.mark.parametrize(
    ("names", "judged", "message"),
    [
        (
            ["populations.reader"],
            [],
            r'demand populations.reader: unknown; did you mean "populations.readers"',
        ),
        (
            ["users.left"],
            [],
            r"legal: users, flows, populations.readers, populations.locals, flows.cross-traffic",
        ),
        (["users", "flows.cross-traffic"], [], "users, flows or datagrams, only one of these"),
        ([], ["a-to-c"], r"links: a-to-c: unknown.*a-to-b"),
    ],
)
def test_a_demand_that_is_not_there_is_refused_with_what_is(
    names: list[str], judged: list[str], message: str
) -> None:
    with pytest.raises((DemandError, UnknownLinkError), match=message):
        Demand.of(chain(), names, links=judged)


def test_a_dumbbell_is_turned_on_each_side_and_its_directions_are_one_bottleneck() -> None:
    both = Demand.of(aqmlab.Scenario.from_toml(WEB))
    assert both.sizes(70) == {"users.left": 70, "users.right": 70}
    (bottleneck,) = both.bottlenecks()
    assert bottleneck.name == "left-to-right, right-to-left"
    assert bottleneck.load({"left-to-right": 1.0, "right-to-left": 2.0}) == 1.0, "the fuller direction"
    assert bottleneck.mean_load({"left-to-right": 1.0, "right-to-left": 2.0}) == 0.75
    own = Demand.of(aqmlab.Scenario.from_toml(WEB, overrides={"users.left": 0}))
    assert own.sizes(70) == {"users.left": 0, "users.right": 70}
    assert links(own) == ["left-to-right"]


# --- offered load ---


def test_endless_flows_are_no_part_of_the_offered_load() -> None:
    scenario = chain()
    load = aqmlab.run(scenario, seed=2, measure_offered_load=True).offered_load
    assert load is not None
    alone = chain(flows=[])
    twin = aqmlab.run(alone.uncongested_twin(), seed=2)
    carried = {link["name"]: link["throughput_mbps"] for link in twin.run["links"] if link["carries_data"]}
    assert load["realised_mbps"] == carried
    shares = {name: mbps / RATES[name] for name, mbps in carried.items()}
    assert tuple(shares) == BOTH
    assert load["bottleneck"] == [max(shares, key=lambda name: shares[name])]
    assert load["realised_percent"] == pytest.approx(100.0 * max(shares.values()))


def test_a_network_that_is_never_uncongested_has_no_offered_load() -> None:
    text = TWO_HOPS.replace("uncongested_rate_mbps = 100.0\n", "")
    assert offering_twin(aqmlab.Scenario.from_toml(text)) is None
    assert offering_twin(chain()) is not None
    assert offering_twin(chain(populations=[])) is None


# --- calibration and matching ---


def made(pairs: list[tuple[aqmlab.Scenario, int]], label: str) -> list[aqmlab.Result]:
    return aqmlab.run_many([aqmlab.Job(*pair) for pair in pairs], workers=2, progress=False, label=label)


def test_every_bottleneck_has_a_line_through_the_uncongested_runs() -> None:
    demand = Demand.of(chain(), ["populations.readers"])
    calibration = calibrate(demand, sizes=(40, 80), seeds=(1,), run=made)  # type: ignore[arg-type]
    twins = [chain(flows=[], **{"populations.0.count": size}).uncongested_twin() for size in (40, 80)]
    results = [aqmlab.run(twin, seed=1) for twin in twins]
    for line, name in zip(calibration.bottlenecks, BOTH, strict=True):
        assert line.links == (name,)
        assert line.rate_mbps == RATES[name]
        found = [next(each for each in result.run["links"] if each["name"] == name) for result in results]
        assert list(line.throughput_mbps) == [each["throughput_mbps"] for each in found]
    assert fit((40, 80), results, demand.bottlenecks()) == calibration


def test_a_congested_twin_is_said() -> None:
    scenario = chain(**{"topology.links.0.uncongested_rate_mbps": 2.0, "flows.0.bytes": 1_000_000})
    with pytest.warns(UserWarning, match=r"a-to-b: up to .* discarded on the uncongested network"):
        calibrate(Demand.of(scenario, ["flows"]), sizes=(2, 4), seeds=(1,), run=made)  # type: ignore[arg-type]


def test_a_load_is_matched_at_the_bottleneck_that_is_full_first() -> None:
    demand = Demand.of(chain(duration_s=60.0))
    matches = match_loads(
        demand, loads_percent=(60.0,), seeds=(1, 2), size_at_100_percent=150, run=made,  # type: ignore[arg-type]
        tolerance=0.05,
    )  # fmt: skip
    for (_, seed), match in matches.items():
        ((link, mbps),) = match.realised_mbps.items()
        assert abs(mbps / (0.6 * RATES[link]) - 1.0) <= 0.05 or match.warnings
        assert match.sizes["populations.locals"] == round(match.sizes["populations.readers"] / 2)
        assert match.twin.seed == seed


def test_what_has_no_users_is_not_matched() -> None:
    with pytest.raises(CalibrationError, match="only loads of users can be matched"):
        match_loads(
            Demand.of(chain(), ["flows"]), loads_percent=(50.0,), seeds=(1,), size_at_100_percent=5,
            run=made,  # type: ignore[arg-type]
        )  # fmt: skip


def test_both_ways_over_a_chain_are_two_knobs() -> None:
    more = """
[[populations]]
name = "uploaders"
browsers = "far-browsers"
servers = "sinks"
count = 10
"""
    text = TWO_HOPS.replace(
        '    { name = "sinks"', '    { name = "far-browsers", kind = "host" },\n    { name = "sinks"'
    )
    text = text.replace(
        "[[populations]]", '[[topology.links]]\nfrom = "far-browsers"\nto = "a"\n\n[[populations]]', 1
    )
    demand = Demand.of(
        aqmlab.Scenario.from_toml(text + more), ["populations.readers", "populations.uploaders"]
    )
    first, second = demand.bottlenecks()
    assert (first.name, second.name) == ("a-to-b, b-to-a", "b-to-c")
    knobs = Knobs.of(demand, first, 40)
    assert [str(each) for each in knobs.turned] == ["populations.readers", "populations.uploaders"]
    assert knobs.sizes((30, 4)) == {"populations.readers": 30, "populations.uploaders": 4}
    nobody = demand.with_sizes({"populations.readers": 0, "populations.uploaders": 0})
    empty = Demand.of(nobody, ["populations.readers", "populations.uploaders"])
    assert Knobs.of(empty, first, 40).sizes((30, 4)) == knobs.sizes((30, 4))
    # Uploaders do not cross the second one, so all are turned together there.
    assert [str(each) for each in Knobs.of(demand, second, 40).turned] == [str(demand)]


# --- the five commands ---


def test_run_tells_the_offered_load_of_the_bottleneck_by_name(file: Path) -> None:
    done = aqmlab_run("run", file, "--output", "out")
    assert done.returncode == 0, done.stderr
    load = aqmlab.Result.load("out").offered_load
    assert load is not None
    (name,) = load["bottleneck"]
    assert f"offered load: {load['realised_percent']:.1f} % of {name}" in done.stdout


def test_calibrate_prints_a_line_for_each_bottleneck_and_the_sizes_of_every_part(file: Path) -> None:
    done = aqmlab_run("calibrate", file, "--sizes", "40,80", "--loads", "50", "--output", "c", "--quiet")
    assert done.returncode == 0, done.stderr
    for name in BOTH:
        assert f"throughput of {name}: " in done.stdout
    assert "size: users of populations.readers, populations.locals" in done.stdout
    assert " populations.readers, " in done.stdout
    document = json.loads(Path("c/calibration.json").read_text())
    assert [each["rate_mbps"] for each in document["bottlenecks"]] == [2.0, 3.0]
    few = ("--sizes", "40,80", "--executor", "local", "--workers", "2", "--output", "elsewhere", "--quiet")
    processes = aqmlab_run("calibrate", file, *few)
    assert processes.returncode == 0, processes.stderr
    assert Path("elsewhere/calibration.json").read_bytes() == Path("c/calibration.json").read_bytes()
    done = aqmlab_run("calibrate", file, "--demand", "flow", "--output", "c")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'demand flow: unknown; did you mean "flows"?' in done.stderr


def test_compare_pairs_results_of_both_hops_by_name(file: Path) -> None:
    for name, limit in (("small", 5), ("large", 80)):
        options = ("--seeds", "1-2", "--no-offered-load", "--quiet", "--output", name)
        done = aqmlab_run("run", file, "--set", f"topology.links.0.queue.limit_packets={limit}", *options)
        assert done.returncode == 0, done.stderr
    done = aqmlab_run("compare", "small", "large", "--details")
    assert done.returncode == 0, done.stderr
    assert "link a-to-b" in done.stdout
    assert "link b-to-c" in done.stdout
    assert "large: half of the pages load in" in done.stdout
    done = aqmlab_run("compare", "small", "large", "--links", "a-to-c")
    assert done.returncode == 2
    assert "a-to-c" in done.stderr
    done = aqmlab_run("compare", "small", "nothing")
    assert "nothing: there is no such file or folder" in done.stderr


def test_populations_that_browse_otherwise_are_not_compared() -> None:
    runs = [
        aqmlab.run(chain(duration_s=5.0, **{"populations.1.minimum_delay_ms": {"low": 10, "high": high}}))
        for high in (150, 50)
    ]
    with pytest.raises(ValueError, match=r"populations\.1\.minimum_delay_ms\.high 150 instead of 50"):
        aqmlab.compare({"near": runs[1:], "far": runs[:1]})


def test_sweep_judges_both_hops_and_measures_the_offered_load(file: Path) -> None:
    (file.parent / "sweep.toml").write_text(
        'scenario = "two.toml"\nmeasure_offered_load = true\n[grid]\n'
        '"topology.links.1.queue.max_p" = [0.05, 0.2]\n"populations.0.count" = [40]\n'
    )
    done = aqmlab_run("sweep", "sweep.toml", "--store", "store")
    assert done.returncode == 0, done.stderr
    assert "links judged: a-to-b, b-to-c" in " ".join(done.stdout.split())
    table = rows(status(read("sweep.toml"), Path("store")))
    assert len(table) == 2
    assert all(row["judged_links"] == "a-to-b, b-to-c" for row in table)
    assert table[0]["offered_load_percent"] == table[1]["offered_load_percent"] > 0.0


@pytest.mark.exhaustive
def test_tune_sets_the_queues_of_both_hops_or_of_those_named(file: Path) -> None:
    few = (
        "--trials",
        "2",
        "--seeds",
        "1",
        "--fresh-seeds",
        "2",
        "--range",
        "limit_packets=50",
        "--store",
        "s",
    )
    done = aqmlab_run("tune", file, "--scheme", "red", *few, "--output", "all")
    assert done.returncode == 0, done.stderr
    assert (
        "all these queues have the same settings: topology.links.0.queue, topology.links.1.queue"
        in " ".join(done.stdout.split())
    )
    facts = json.loads(Path("all/search.json").read_text())
    assert (facts["links"], facts["queues"]) == (
        list(BOTH),
        ["topology.links.0.queue", "topology.links.1.queue"],
    )
    best = aqmlab.Scenario.from_file("all/best.toml").resolved["topology"]["links"]
    assert best[0]["queue"]["scheme"] == best[1]["queue"]["scheme"] == "red"
    done = aqmlab_run(
        "tune", file, "--scheme", "red", *few, "--output", "one", "--queues", "b-to-c", "--quiet"
    )
    assert done.returncode == 0, done.stderr
    best = aqmlab.Scenario.from_file("one/best.toml").resolved["topology"]["links"]
    assert [link["queue"]["scheme"] for link in best[:2]] == ["drop-tail", "red"]
    done = aqmlab_run("tune", file, *few, "--output", "none", "--queues", "c-to-d")
    assert done.returncode == 2
    assert "queues: c-to-d: unknown" in done.stderr
