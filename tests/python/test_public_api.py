"""The public API: every function, typed summaries, tidy tables, and errors with fields."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pytest

import aqmlab
from aqmlab import cli, models, schemes
from aqmlab.load.queues import Queues
from aqmlab.statistics.quantities import QUANTITIES
from small import BULK, WEB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUEUE = "dumbbell.queue.limit_packets"
COLUMNS = ["configuration", "seed", "who", "quantity", "unit", "value", "at_least", "at_most"]


@pytest.fixture(scope="module")
def swept() -> aqmlab.SweepResults:
    return aqmlab.sweep(BULK, grid={QUEUE: np.array([10, 50])}, seeds=range(1, 3))


def test_every_name_is_there_and_documented() -> None:
    for name in aqmlab.__all__:
        found = getattr(aqmlab, name)
        assert name == "__version__" or (found.__doc__ and name in dir(aqmlab)), name


def test_every_error_has_the_one_root() -> None:
    for name in aqmlab.__all__:
        found = getattr(aqmlab, name)
        if inspect.isclass(found) and issubclass(found, BaseException):
            assert issubclass(found, aqmlab.AqmlabError), name
    # What caught them before still does.
    for refused in (aqmlab.ScenarioError, aqmlab.SweepError, aqmlab.UnknownLinkError):
        assert issubclass(refused, ValueError)
    assert issubclass(aqmlab.UnknownQuantityError, LookupError)
    assert issubclass(aqmlab.StorageError, OSError)
    assert issubclass(aqmlab.TableError, KeyError)
    assert issubclass(aqmlab.RunError, RuntimeError)


@pytest.mark.parametrize("module", ["aqmlab.scenario", "aqmlab.statistics.quantities"])
def test_the_examples_in_docstrings_run(module: str) -> None:
    done = doctest.testmod(importlib.import_module(module))
    assert done.attempted
    assert not done.failed


# --------------------------------------------------------------------------------------------------- errors


def refused(given: str | dict[str, Any], overrides: dict[str, object] | None = None) -> aqmlab.ScenarioError:
    with pytest.raises(aqmlab.ScenarioError) as error:
        aqmlab.Scenario.of(given, overrides=overrides)
    return error.value


def test_a_mistake_in_a_text_has_its_line_value_and_nearest_name_as_fields() -> None:
    error = refused(BULK.replace("rate_mbps = 10.0", "rate_mpbs = 10.0"))
    (mistake,) = (each for each in error.mistakes if each.value == "rate_mpbs")
    assert (mistake.place, mistake.key, mistake.nearest) == ("scenario:7", "dumbbell", "rate_mbps")
    assert "rate_mbps" in mistake.legal.split(", ")
    wrong = refused(BULK.replace("10.0", "-1.5"))
    assert (wrong.place, wrong.value, wrong.legal) == ("scenario:7", -1.5, "0.001 to 1000000")
    assert wrong.nearest is None


def test_an_override_is_its_own_place_and_no_option_is_named() -> None:
    error = refused(BULK, overrides={"dumbbell.rate_mbps": -1})
    assert (error.place, error.value, error.legal) == ("dumbbell.rate_mbps=-1", -1, "0.001 to 1000000")
    assert "--" not in str(error)
    assert error.mistakes[0].overrides


def test_the_command_line_names_its_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(BULK)
    assert cli._exit_code(["run", str(tmp_path / "link.toml"), "--set", "dumbbell.rate_mbps=-1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("aqmlab: in --set dumbbell.rate_mbps=-1: dumbbell.rate_mbps: -1 is out of range")


def test_a_dict_has_keys_and_no_lines() -> None:
    document = aqmlab.Scenario.of(BULK).resolved
    assert aqmlab.Scenario.of(document) == aqmlab.Scenario.of(BULK)
    error = refused({**document, "duration_s": "long"})
    assert error.place == "duration_s"
    assert error.value == "long"
    assert str(error).startswith("duration_s: expected a number")


def test_a_missing_key_is_the_place_where_it_belongs() -> None:
    document = aqmlab.Scenario.of(BULK).resolved
    error = refused({key: value for key, value in document.items() if key != "duration_s"})
    assert (error.place, error.legal) == ("duration_s", "0.001 to 2000000")
    line = {key: value for key, value in document["dumbbell"].items() if key != "rate_mbps"}
    assert refused({**document, "dumbbell": line}).place == "dumbbell.rate_mbps"
    # A text has a line to point to, and the key beside it.
    in_text = refused(BULK.replace("rate_mbps = 10.0\n", ""))
    assert (in_text.place, in_text.mistakes[0].key) == ("scenario:6", "dumbbell.rate_mbps")


def test_a_message_tells_twenty_mistakes_and_counts_the_others() -> None:
    document = aqmlab.Scenario.of(BULK).resolved
    error = refused({**document, "flows": [{**document["flows"][0], "colour": 1}] * 23})
    *told, last = str(error).splitlines()
    assert (len(error.mistakes), len(told), last) == (23, 20, "and 3 more mistakes")
    assert told[0].startswith('flows.0: unknown key "colour"')
    assert [each.message for each in error.mistakes[:20]] == told


def test_an_override_is_no_part_of_a_refusal_of_a_scheme_however_long_it_is() -> None:
    scenario = aqmlab.Scenario.of(BULK)
    queues = Queues.of(scenario, ("left-to-right",))
    words = "x" * 300
    with pytest.raises(aqmlab.ScenarioError) as left:
        queues.with_scheme(scenario, f"codel:target_ms={words}")
    assert str(left.value).startswith("scheme codel: dumbbell.queue.target_ms: expected a number")


def test_many_mistakes_are_all_there_and_survive_a_process_boundary() -> None:
    error = refused(BULK.replace("count = 2", "count = 2\ncolour = 1").replace("10.0", '"fast"'))
    assert {each.key for each in error.mistakes} == {"dumbbell.rate_mbps", "flows.0"}
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  (our own)
    assert (str(again), again.mistakes, again.place) == (str(error), error.mistakes, error.place)


@pytest.mark.parametrize(
    ("call", "kind", "fields"),
    [
        (
            lambda: aqmlab.quantity("loss_precent"),
            aqmlab.UnknownQuantityError,
            ("loss_precent", "loss_percent"),
        ),
        (lambda: aqmlab.quantities("link"), aqmlab.UnknownQuantityError, ("link", "links")),
        (lambda: aqmlab.plot({}, "pagse"), ValueError, ("pagse", "pages")),
        (lambda: aqmlab.tune(WEB, objective="wieghted"), aqmlab.TuneError, ("wieghted", "weighted")),
        (lambda: aqmlab.tune(WEB, scheme="fq_codle"), aqmlab.TuneError, ("fq_codle", "fq-codel")),
    ],
)
def test_a_misspelt_name_is_a_field_beside_the_nearest(
    call: Callable[[], object], kind: type[Exception], fields: tuple[str, str]
) -> None:
    with pytest.raises(kind) as error:
        call()
    assert isinstance(error.value, aqmlab.AqmlabError)
    assert (error.value.value, error.value.nearest) == fields
    assert fields[1] in error.value.legal.split(", ")


def of(**given: Any) -> dict[str, Any]:  # noqa: ANN401
    """Arguments of a search that is refused before anything runs."""
    return {"scheme": "codel", "trials": 1, "seeds": [1], "fresh_seeds": [2], **given}


@pytest.mark.parametrize(
    ("call", "place", "value"),
    [
        (lambda: aqmlab.run(BULK, seed=-1), "seed", -1),
        (lambda: aqmlab.live(BULK, seed=-1), "seed", -1),
        (lambda: aqmlab.live(BULK, command="ls"), "command", "ls"),
        (lambda: aqmlab.Simulation(BULK).advance_until(-1), "time_s", -1),
        (lambda: aqmlab.Simulation(BULK).act("up", rate_mbps=1), "monitored link", "up"),
        (lambda: aqmlab.live(BULK, command=["true"], serve="nowhere"), "serve", "nowhere"),
        (lambda: aqmlab.live(BULK, command=["no-such-program"]), "command", "no-such-program"),
        (lambda: aqmlab.live(BULK, command=["true"], rtt_ms=-1), "rtt_ms", -1),
        (lambda: aqmlab.run_many([BULK]), "jobs", BULK),  # type: ignore[list-item]
        (lambda: aqmlab.run_many([], executor="grid"), "executor", "grid"),
        (lambda: aqmlab.run_many([], workers=0), "workers", 0),
        (lambda: aqmlab.compare("nowhere"), "what", "nowhere"),
        (lambda: aqmlab.compare(BULK, schemes=["red", "pi"], workers=0), "workers", 0),
        (lambda: aqmlab.compare(BULK, schemes=["red", "pi"], seeds=3), "seeds", 3),  # type: ignore[arg-type]
        (lambda: aqmlab.compare(BULK, schemes="red,pi"), "schemes", "red,pi"),
        (lambda: aqmlab.compare(BULK, schemes=["red", "pi"], queues=["up"]), "queues: up", "up"),
        (lambda: aqmlab.compare(BULK, schemes=["red", "pi"], links=["up"]), "links: up", "up"),
        (lambda: aqmlab.sweep(BULK, points={QUEUE: 5}), "points", {QUEUE: 5}),  # type: ignore[dict-item]
        (lambda: aqmlab.sweep(BULK, grid={QUEUE: [5]}, seeds=[]), "seeds", []),
        (lambda: aqmlab.sweep(BULK, grid={QUEUE: [5]}, links=["up"]), "links: up", "up"),
        (lambda: aqmlab.sweep(BULK, random={"points": 2}), "random", None),
        (lambda: aqmlab.sweep(BULK, random=3), "random", 3),  # type: ignore[arg-type]
        (lambda: aqmlab.sweep(BULK, grid={QUEUE: []}), f'grid."{QUEUE}"', None),
        (lambda: aqmlab.tune(BULK, **of(ranges={"target_ms": (2, 1)})), "codel.target_ms", 2),
        (lambda: aqmlab.tune(BULK, **of(ranges={"target_ms": "x"})), "codel.target_ms", "x"),
        (lambda: aqmlab.tune(BULK, **of(trials=0)), "trials", 0),
        (lambda: aqmlab.tune(BULK, **of(budget_runs=0)), "budget_runs", 0),
        (lambda: aqmlab.tune(BULK, **of(optimiser_seed=-1)), "optimiser_seed", -1),
        (lambda: aqmlab.tune(BULK, **of(seeds=3)), "seeds", 3),
        (lambda: aqmlab.tune(BULK, **of(fresh_seeds=[1])), "fresh_seeds", 1),
        (lambda: aqmlab.tune(BULK, **of(restricted_to_s=-1)), "restricted_to_s", -1),
        (lambda: aqmlab.tune(BULK, **of(queues=["up"])), "queues: up", "up"),
        (lambda: aqmlab.evaluate("red", only="8.2"), "only", "8.2"),
        (lambda: aqmlab.evaluate("red", only=["8.2.9"]), "only", "8.2.9"),
        (lambda: aqmlab.evaluate("red", schemes="pi"), "schemes", "pi"),
        (lambda: aqmlab.evaluate("red", seeds=[]), "seeds", []),
        (lambda: aqmlab.evaluate("red", only=["5.1.1"], seeds=[-1]), "seeds", [-1]),
        (lambda: aqmlab.frame(3), "results", 3),  # type: ignore[arg-type]
        (lambda: aqmlab.plot(3), "results", 3),  # type: ignore[arg-type]
    ],
)
def test_a_refused_argument_is_the_place_of_the_error(
    call: Callable[[], object], place: str, value: object
) -> None:
    with pytest.raises(aqmlab.AqmlabError) as error:
        call()
    assert isinstance(error.value, ValueError)
    assert (error.value.place, error.value.value) == (place, value)


def test_a_name_is_not_taken_for_a_list_of_letters(swept: aqmlab.SweepResults) -> None:
    run = swept.at({QUEUE: 10})[0]
    with pytest.raises(
        aqmlab.UnknownQuantityError, match=r"quantities: a list such as .* not 'loss_percent'"
    ):
        aqmlab.frame(run, "loss_percent")
    with pytest.raises(aqmlab.UnknownLinkError, match=r"links: a list such as .* not 'left-to-right'"):
        run.value("loss_percent", links="left-to-right")


def test_a_configuration_that_is_not_there_is_a_field_beside_the_nearest(swept: aqmlab.SweepResults) -> None:
    found = aqmlab.compare(swept.results)
    with pytest.raises(aqmlab.ComparisonError) as error:
        found.change("limit_packets = 51", "loss_percent")
    assert (error.value.value, error.value.nearest) == ("limit_packets = 51", "limit_packets = 50")
    with pytest.raises(aqmlab.SweepError) as missing:
        swept.at({QUEUE: 11})
    assert (missing.value.value, missing.value.legal) == ({QUEUE: 11}, QUEUE)


def test_the_types_that_own_classes_are_handed_can_be_named() -> None:
    bases = {
        schemes: (schemes.Scheme, schemes.Scheduler, schemes.Guard),
        models: (models.TrafficModel,),
    }
    for module, classes in bases.items():
        for method in (each for one in classes for each in vars(one).values() if inspect.isfunction(each)):
            named = {
                word for text in method.__annotations__.values() for word in re.findall(r"[A-Z]\w+", text)
            }
            assert named - {"Any", "Mapping", "None", "Sequence"} <= set(module.__all__), method


def test_what_is_printed_is_short(swept: aqmlab.SweepResults) -> None:
    assert repr(aqmlab.quantity("loss_percent")) == "Quantity('loss_percent', '%')"
    assert repr(aqmlab.plot(swept, "queue")) == "Plot('Packets waiting, left-to-right')"


def test_every_function_takes_overrides(tmp_path: Path) -> None:
    overrides = {QUEUE: 7, "duration_s": 1.0, "warm_up_s": 0.0}
    alone = aqmlab.run(BULK, overrides=overrides)
    found = aqmlab.compare(BULK, schemes=["drop-tail", "codel"], seeds=[1], overrides=overrides)
    # A type checker sees results, too: this file is checked.
    assert found.results["drop-tail"][0].content_address == alone.content_address
    assert found.results["codel"][0].summary.links["left-to-right"].scheme == "codel"
    named = aqmlab.compare({"a": BULK, "b": BULK}, seeds=[1], overrides=overrides)
    assert named.results["b"][0].content_address == alone.content_address
    with pytest.raises(aqmlab.ComparisonError, match="overrides: only of scenarios"):
        aqmlab.compare(found.results, overrides=overrides)
    searched = of(store=tmp_path, objective="lowest-drop-rate", ranges={"limit_packets": (5, 9)})
    outcome = aqmlab.tune(BULK, overrides=overrides, **searched)
    assert outcome.best.duration_s == 1.0
    assert repr(outcome).startswith("Outcome('two flows', codel for lowest-drop-rate: ")
    with pytest.raises(aqmlab.ScenarioError, match="duration_s=-1"):
        aqmlab.live(BULK, overrides={"duration_s": -1})


def test_one_result_is_a_configuration_of_one_seed() -> None:
    runs = {name: aqmlab.run(BULK, overrides={QUEUE: packets}) for name, packets in (("a", 5), ("b", 50))}
    assert aqmlab.compare(runs).seeds == (1,)
    assert aqmlab.frame(runs, ["loss_percent"]).column("configuration").to_pylist() == ["a", "b"]
    loss = aqmlab.quantity("loss_percent")
    assert runs["a"].value(loss) == runs["a"].value("loss_percent")


def test_designs_are_refused_by_the_names_of_the_arguments() -> None:
    with pytest.raises(aqmlab.SweepError, match="at least one of grid, points, random, latin_hypercube"):
        aqmlab.sweep(BULK)
    with pytest.raises(aqmlab.SweepError, match=r"^latin_hypercube: keys is missing"):
        aqmlab.sweep(BULK, latin_hypercube={"points": 2})
    with pytest.raises(aqmlab.SweepError, match=r"^points: "):
        aqmlab.sweep(BULK, points=[])


# ---------------------------------------------------------------------------------------------------- sweeps


def test_a_sweep_runs_every_point_with_every_seed(swept: aqmlab.SweepResults) -> None:
    assert list(swept.results) == ["limit_packets = 10", "limit_packets = 50"]
    for settings in ({QUEUE: 10}, {QUEUE: 50}):
        runs = swept.at(settings)
        assert [run.seed for run in runs] == [1, 2]
    alone = aqmlab.run(BULK, seed=2, overrides={QUEUE: 10})
    assert swept.at({QUEUE: 10})[1].content_address == alone.content_address
    with pytest.raises(aqmlab.SweepError, match="no point has limit_packets = 11"):
        swept.at({QUEUE: 11})


def test_a_sweep_is_one_tidy_table(swept: aqmlab.SweepResults) -> None:
    table = swept.to_arrow(["loss_percent", "goodput_mbps/flows.flows-0"])
    assert table.column_names == [QUEUE, *COLUMNS]
    rows = table.to_pylist()
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        (run,) = (each for each in swept.at({QUEUE: row[QUEUE]}) if each.seed == row["seed"])
        if row["quantity"] == "loss_percent":
            assert row["value"] == run.value("loss_percent")
        else:
            assert row["value"] == run.value("goodput_mbps/flows.flows-0")
    with pytest.raises(aqmlab.UnknownQuantityError):
        swept.to_arrow(["loss"])


def test_a_sweep_resumes_from_its_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = aqmlab.sweep(BULK, points=[{QUEUE: 20}], store=tmp_path)
    monkeypatch.setattr("aqmlab.runs.executors.threads.Threads.compute", lambda *_, **__: iter(()))
    again = aqmlab.sweep(BULK, points=[{QUEUE: 20}], store=tmp_path)
    assert again.to_arrow().equals(first.to_arrow())


def test_a_design_is_refused_before_anything_runs() -> None:
    with pytest.raises(aqmlab.SweepError, match="no design"):
        aqmlab.sweep(BULK)
    with pytest.raises(aqmlab.SweepError, match="a list of values, not 3"):
        aqmlab.sweep(BULK, grid={QUEUE: 3})  # type: ignore[dict-item]
    with pytest.raises(aqmlab.SweepError, match="an empty list"):
        aqmlab.sweep(BULK, grid={QUEUE: []})
    with pytest.raises(aqmlab.SweepError) as error:
        aqmlab.sweep(BULK, points=[{"dumbbell.queue.limit_pakets": 3}])
    assert error.value.nearest == "limit_packets"


# ------------------------------------------------------------------------------- numbers of runs and figures


def test_a_summary_has_the_numbers_of_the_run() -> None:
    result = aqmlab.run(WEB)
    summary = result.summary
    (link,) = (each for each in result.run["links"] if each["name"] == "left-to-right")
    found = summary.links["left-to-right"]
    assert found.loss_percent == pytest.approx(100 * link["loss_ratio"])
    assert found.marked_percent == pytest.approx(100 * link["mark_ratio"])
    assert sum(found.discarded_packets.values()) == sum(
        count["packets"] for count in link["counters"]["discarded"].values()
    )
    assert found.utilization_percent == pytest.approx(100 * link["busy_share"])
    assert summary.populations["left"].completed == result.run["populations"][0]["completed"]
    assert summary.window_s == result.run["measured_until_s"] - result.run["measured_from_s"]
    assert summary.timing_valid is None
    assert summary.offered_load_percent is None


def with_group(name: str) -> aqmlab.Result:
    return aqmlab.run(BULK.replace("count = 2", f'count = 2\nname = "{name}"'))


def test_a_group_that_no_run_has_is_refused_and_one_that_some_have_is_missing_in_the_others() -> None:
    runs = {"a": with_group("bulk"), "b": with_group("backup")}
    rows = aqmlab.frame(runs, ["goodput_mbps/flows.bulk"]).to_pylist()
    assert [row["value"] for row in rows] == [runs["a"].value("goodput_mbps/flows.bulk"), None]
    found = aqmlab.compare(runs, same_users=False)
    assert found.level("a", "goodput_mbps/flows.bulk").have == 1
    assert found.level("b", "goodput_mbps/flows.bulk").have == 0
    calls: list[Callable[[], object]] = [
        lambda: aqmlab.frame(runs, ["goodput_mbps/flows.bluk"]),
        lambda: found.to_arrow(["goodput_mbps/flows.bluk"]),
        lambda: found.level("a", "goodput_mbps/flows.bluk"),
        lambda: runs["a"].value("goodput_mbps/flows.bluk"),
    ]
    for call in calls:
        with pytest.raises(aqmlab.UnknownQuantityError, match=r'did you mean "flows\.bulk"\?') as error:
            call()
        assert (error.value.value, error.value.nearest) == ("flows.bluk", "flows.bulk")
    for other in (
        "loss_percent/datagrams.calls",
        "throughput_mbps/links.up@1-2",
        "loss_percent/populations.x",
    ):
        with pytest.raises(aqmlab.UnknownQuantityError, match=r"no run has \w+\.\w+; there are: "):
            aqmlab.frame(runs, [other])


def test_a_sweep_refuses_a_group_that_no_point_has(swept: aqmlab.SweepResults) -> None:
    with pytest.raises(aqmlab.UnknownQuantityError) as error:
        swept.to_arrow(["goodput_mbps/flows.flow-0"])
    assert error.value.nearest == "flows.flows-0"


def test_notebooks_show_scenarios_summaries_and_sweeps(swept: aqmlab.SweepResults) -> None:
    scenario = aqmlab.Scenario.of(BULK)._repr_html_()
    assert "<svg" in scenario
    assert "10 Mbit/s" in scenario
    run = swept.at({QUEUE: 10})[0]
    summary = run.summary._repr_html_()
    link = run.summary.links["left-to-right"]
    assert f"<td>{link.throughput_mbps:.2f}</td><td>{link.utilization_percent:.1f}</td>" in summary
    assert f"<td>{run.summary.flows['flows-0'].goodput_mbps:.3f}</td>" in summary
    assert "exchanges" not in summary
    web = aqmlab.run(WEB, overrides={"duration_s": 6.0}).summary
    assert f"<td>{web.populations['left'].completed}</td>" in web._repr_html_()
    table = swept._repr_html_()
    goodput = "goodput_mbps/flows.flows-0"
    means = [np.mean([each.value(goodput) for each in swept.at({QUEUE: of})]) for of in (10, 50)]
    for packets, mean in zip((10, 50), means, strict=True):
        assert f"<td>{packets}</td><td>{mean:.1f}</td>" in table


def test_api_and_command_line_have_one_name_for_one_thing() -> None:
    context = click.Context(cli.commands)
    options: dict[str, set[str]] = {}
    for command in ("plot", "compare", "live"):
        found = cli.commands.get_command(context, command)
        assert found is not None
        options[command] = {name for each in found.params for name in each.opts}
    for function, names in ((aqmlab.plot, ("what",)), (aqmlab.compare, ("output",)),
                            (aqmlab.live, ("output", "pcap", "kernel", "hosts", "backend"))):  # fmt: skip
        for name in names:
            assert name in inspect.signature(function).parameters
            assert f"--{name}" in options[function.__name__]


def test_a_frame_takes_results_however_they_are_given(tmp_path: Path) -> None:
    runs = [aqmlab.run(BULK, seed=seed) for seed in (1, 2)]
    runs[0].save(tmp_path / "seed-1")
    runs[1].save(tmp_path / "seed-2")
    wanted = ["throughput_mbps", "page_p50_s"]
    expected = [
        {"configuration": "two flows", "seed": run.seed, "who": None, "quantity": wanted[0], "unit": "Mbit/s",
         **dict.fromkeys(("value", "at_least", "at_most"), run.value("throughput_mbps"))} for run in runs
    ]  # fmt: skip
    for given in (runs, {"two flows": runs}, tmp_path, [tmp_path / "seed-1", tmp_path / "seed-2"]):
        rows = aqmlab.frame(given, wanted).to_pylist()
        assert rows[:2] == expected
        assert [row["value"] for row in rows[2:]] == [None, None]
    assert aqmlab.frame(runs[0]).column_names == COLUMNS
    with pytest.raises(aqmlab.ResultError):
        aqmlab.frame([3])  # type: ignore[arg-type]


def test_a_comparison_in_a_folder_is_read_again_and_drawn(tmp_path: Path) -> None:
    found = aqmlab.compare(BULK, schemes=["drop-tail", "red"], seeds=[1, 2], output=tmp_path / "both")
    again = aqmlab.compare(tmp_path / "both")
    assert again.names == ("drop-tail", "red")
    assert again.to_arrow().equals(found.to_arrow())
    assert found.to_arrow(["loss_percent"]).num_rows == 4
    drawn = aqmlab.plot(found, "utilization")
    for ending in ("svg", "csv"):
        assert drawn.save(tmp_path / f"figure.{ending}").stat().st_size
    assert drawn.to_arrow().column_names[1:] == ["drop-tail", "red"]
    assert "<svg" in drawn.svg
    with pytest.raises(ValueError, match="legal endings"):
        drawn.save(tmp_path / "figure.gif")


# ------------------------------------------------------------------------------------------------ quantities


def test_every_quantity_says_what_it_is_and_of_what() -> None:
    for name, each in QUANTITIES.items():
        assert each.definition, name
        assert each.unit != "%" or each.denominator, name
    named = ["loss_percent/flows.bulk", "loss_percent/datagrams.calls", "packet_loss_percent/links.up@1-2"]
    losses = [aqmlab.quantity(name) for name in ["loss_percent", *named]]
    assert all(each.definition for each in losses)
    assert len({each.denominator for each in losses}) == 3


def test_scopes_part_the_registry() -> None:
    parts = [aqmlab.quantities(scope) for scope in ("links", "users", "run")]
    assert sum(map(len, parts)) == len(aqmlab.quantities()) == len(QUANTITIES)


def test_no_room_is_loaded_by_one_below_it() -> None:
    program = "import sys, aqmlab.comparison, aqmlab.result; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    rooms = {name.split(".")[1] for name in loaded.split() if name.startswith("aqmlab.")}
    assert rooms.isdisjoint({"tables", "words", "figures", "report", "sweeps", "tuning", "cli"})
    assert "comparison" in rooms
