"""The scorecard: what reproductions leave, read back and set on one page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from altered_experiment import altered_experiment
from aqmlab.cli import commands
from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.papers import experiments, scorecard
from aqmlab.papers.claims import Answer, Finding, Part
from aqmlab.papers.documents import Conclusion, Difference
from aqmlab.papers.proofs import concluded
from aqmlab.show.papers import pages
from aqmlab.show.papers.report import Parts, files_of, parts_of, write_report
from synthetic_results import SyntheticResult, exchange_times, synthetic_result, synthetic_study


@cache
def parts() -> Parts:
    def make(name: str, _: float, seed: int) -> SyntheticResult | None:
        if name not in ("uncongested", "pi-24", "pi-240"):
            return None
        times = exchange_times(seed, size=1500, timeouts=0.0 if name == "uncongested" else 0.1)
        result = synthetic_result(seed=seed, times_s=times, throughput_mbps=(87.0, 88.8))
        result.run["content_address"] = f"{name}-{seed}"
        return result

    return parts_of(synthetic_study(make, replications=6, loads=(90.0,)))


@pytest.fixture(scope="module", name="folder")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "le2003-quick"
    write_report(parts(), folder)
    return folder


def test_every_published_number_of_the_cells_and_every_claim_is_scored(folder: Path) -> None:
    entries = scorecard.read(folder)
    stated = sum(len(outcome.parts) for outcome in parts().outcomes)
    assert Counter(entry.kind for entry in entries) == {"number": 3 * 3, "claim": 32, "statement": stated}
    assert {entry.experiment for entry in entries} == {"le2003"}
    names = {entry.name for entry in entries if entry.kind == "number"}
    assert names == {"uncongested at 90 %", "PI 24 at 90 %", "PI 240 at 90 %"}


def test_a_number_stands_beside_the_published_one_with_its_runs(folder: Path) -> None:
    (entry,) = (
        each
        for each in scorecard.read(folder)
        if each.name == "PI 24 at 90 %" and each.says.startswith("throughput")
    )
    # The mean of 87.0 and 88.8 against 87.9, with the 1.5 Mbit/s of tolerances.toml.
    assert (entry.ours, entry.published, entry.tolerance) == (
        Decimal("87.900"),
        Decimal("87.9"),
        Decimal("1.5"),
    )
    assert entry.verdict == "within"
    assert entry.in_sample == "transmit ring"
    assert entry.runs.split() == [f"pi-24-{seed}" for seed in range(1, 7)]


def test_a_claim_stands_with_its_words_fraction_and_figure(folder: Path) -> None:
    found = {each.name: each for each in scorecard.read(folder) if each.kind == "claim"}
    outcome = next(each for each in parts().outcomes if each.identifier == "L08")
    assert found["L08"].says == outcome.claim
    assert (found["L08"].verdict, found["L08"].fraction) == (str(outcome.verdict), outcome.fraction)
    assert found["L08"].figure == "figures/figure-08.svg"
    assert found["L29"].figure == ""  # section 6 names no figure


def test_every_number_and_statement_has_one_conclusion(folder: Path) -> None:
    entries = [each for each in scorecard.read(folder) if each.kind != "claim"]
    assert {each.conclusion for each in entries} <= {str(each) for each in Conclusion}
    for each in entries:
        held = each.verdict == "holds" or (each.verdict == "within" and inside(each))
        assert (each.conclusion == "reproduced") is held, each
        assert bool(each.proof) is (each.conclusion in ("differs, cause known", "not identifiable")), each
        assert not each.because or each.conclusion.startswith(("differs", "not identifiable")), each


def inside(entry: scorecard.Scored) -> bool:
    """Whether both ends of the interval lie within the tolerance."""
    numbers = entry.lower, entry.upper, entry.published, entry.tolerance
    assert all(number is not None for number in numbers)
    lower, upper, published, tolerance = numbers
    return all(abs(end - published) <= tolerance for end in (lower, upper))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("cell", "throughputs", "conclusion"),
    [
        # PI 24 at 90 % carries 87.9 Mbit/s in the paper, with a tolerance of 1.5.
        ("pi-24", [87.9] * 6, "reproduced"),
        # Six runs of mean 87.9 and standard deviation 4.38: the interval is ± 4.6, wider than the tolerance.
        ("pi-24", [83.9, 91.9] * 3, "scale cannot judge"),
        # Five runs have no interval.
        ("pi-24", [87.9] * 5, "scale cannot judge"),
        # PI 240 carries 87.2, and ours at the paper's length 89.1.
        ("pi-240", [70.0] * 6, "differs, cause unknown"),
    ],
)
def test_a_number_is_reproduced_only_with_its_whole_interval(
    cell: str, throughputs: list[float], conclusion: str
) -> None:
    def make(name: str, _: float, seed: int) -> SyntheticResult | None:
        if name not in ("uncongested", cell):
            return None
        times, carried = exchange_times(seed, size=100), throughputs[seed - 1]
        return synthetic_result(seed=seed, times_s=times, throughput_mbps=(carried, carried))

    study = synthetic_study(make, replications=len(throughputs), loads=(90.0,))
    name = f"{study.configuration(cell).label} at 90 %"
    (entry,) = (
        each for each in parts_of(study).scored if each.name == name and each.says.startswith("throughput")
    )
    assert entry.conclusion == conclusion


def test_a_cell_like_the_network_without_a_bottleneck_cannot_fail() -> None:
    table = experiments.load("le2003").published.table("2")
    tolerances = experiments.load("le2003").tolerances
    # Read off table 2: PI 24 at 80 % has 0.0 %, 13.3 and 80.2, the uncongested network 0, 13.2 and 80.6.
    assert not table.can_fail("pi-24", 80.0, tolerances)
    # ARED 24 with ECN carries 78.8 Mbit/s there, more than 1.5 less.
    assert table.can_fail("ared-24-ecn", 80.0, tolerances)
    assert not table.can_fail("uncongested", 98.0, tolerances)
    assert all(
        table.can_fail(cell, load, tolerances)
        for cell, load in table.rows
        if load > 80.0 and cell != "uncongested"
    )
    assert replace(table, without_effect=None).can_fail("uncongested", 98.0, tolerances)


def test_the_first_line_counts_the_numbers_that_can_fail() -> None:
    def number(conclusion: Conclusion, **others: object) -> scorecard.Scored:
        plain = scorecard.Scored("le2003", "full", "1", "number", "a cell", "loss", can_fail=True)
        return replace(plain, conclusion=conclusion, **others)  # type: ignore[arg-type]

    entries = [
        number(Conclusion.REPRODUCED),
        number(Conclusion.CAUSE_UNKNOWN),
        number(Conclusion.REPRODUCED, can_fail=False),
        number(Conclusion.REPRODUCED, in_sample="tail index"),
        number(Conclusion.REPRODUCED, kind="statement"),
    ]
    assert scorecard.reproduced(entries) == "Of 2 numbers that can fail, 1 is reproduced."
    assert scorecard.reproduced(entries[2:]) == "No number that can fail was run."


def test_the_summary_counts_in_sample_numbers_and_statements_apart(folder: Path) -> None:
    table = scorecard.summary(scorecard.read(folder))
    rows = [{c.name: cell.value for c, cell in zip(table.columns, r, strict=True)} for r in table.rows]
    assert [(row["study"], row["of"]) for row in rows] == [
        ("le2003", "numbers that can fail"),
        ("le2003", "numbers of the load"),
        ("le2003", "in-sample numbers"),
        ("le2003", "statements"),
    ]
    # Fitted were: completed and throughput of the uncongested cell, loss and throughput of PI 24. The loss of
    # the uncongested cell is of the load; the completed of PI 24 and all three of PI 240 can fail.
    assert [row["count"] for row in rows[:3]] == [4, 1, 4]
    for row in rows:
        assert sum(int(str(row[str(conclusion)])) for conclusion in Conclusion) == row["count"]
    held = sum(outcome.count(Finding.HOLDS) for outcome in parts().outcomes)
    assert rows[3]["reproduced"] == held


def explained(folder: Path, differences: str) -> list[scorecard.Scored]:
    """The scorecard of the same runs with this `differences.toml`."""
    copy = altered_experiment("le2003", folder, "title", "title")
    (copy / "differences.toml").write_text(differences)
    study = replace(parts().study, experiment=experiments.read(copy))
    return scorecard.scored(study, parts().filled, parts().outcomes)


def test_a_difference_has_the_cause_or_the_reason_that_the_file_gives(tmp_path: Path) -> None:
    before = scorecard.scored(parts().study, parts().filled, parts().outcomes)
    differing = next(each for each in before if each.verdict == Finding.DIFFERS)
    found = explained(
        tmp_path,
        f"""
[[differences]]
conjecture = "Of the whole claim."
claims = ["{differing.name.split(".")[0]}"]
""",
    )
    own = [each for each in found if each.name.startswith(f"{differing.name.split('.')[0]}.")]
    assert any(each.because for each in own)
    for each in own:
        because = "Of the whole claim." if each.verdict == Finding.DIFFERS else ""
        assert each.because == because
        assert each.verdict != Finding.DIFFERS or each.conclusion == "differs, cause unknown"


def test_a_reason_counts_before_a_cause_and_a_cause_before_a_conjecture() -> None:
    conjecture = Difference(conjecture="Perhaps.")
    cause = Difference(cause="Frames.", proof="frames")
    reason = Difference(not_identifiable="Not printed.", proof="bins")
    assert concluded([conjecture, cause, reason]) == (Conclusion.NOT_IDENTIFIABLE, "Not printed.", "bins")
    assert concluded([conjecture, cause]) == (Conclusion.CAUSE_KNOWN, "Frames.", "frames")
    assert concluded([conjecture]) == (Conclusion.CAUSE_UNKNOWN, "Perhaps.", "")
    assert concluded([]) == (Conclusion.CAUSE_UNKNOWN, "", "")


def test_a_statement_of_a_whole_row_has_what_its_least_explained_number_has() -> None:
    of_study = ("le2003", "full", "1")

    def number(conclusion: Conclusion, because: str = "") -> scorecard.Scored:
        name = "PI 240 at 90 %"
        return scorecard.Scored(*of_study, "number", name, "loss", conclusion=conclusion, because=because)

    fine = number(Conclusion.REPRODUCED)
    known = number(Conclusion.CAUSE_KNOWN, "Frames.")
    reason = number(Conclusion.NOT_IDENTIFIABLE, "Not printed.")
    unknown = number(Conclusion.CAUSE_UNKNOWN)

    def of_row(*numbers: scorecard.Scored, claimed: str = "L99", holds: bool = False) -> tuple[str, str]:
        part = Part.of("PI 240 at 90 %", Answer(holds, "outside"))
        differences = [Difference(cause="Of the claim.", proof="proof", claims=(claimed,))]
        found = scorecard._statement(of_study, "L23", part, differences, {"PI 240 at 90 %": numbers})
        return found.conclusion, found.because

    assert of_row(fine, known) == ("differs, cause known", "Frames.")
    assert of_row(known, reason, fine) == ("not identifiable", "Not printed.")
    assert of_row(known, unknown, reason) == ("differs, cause unknown", "")
    assert of_row(fine) == ("differs, cause unknown", "")
    assert of_row(known, holds=True) == ("reproduced", "")
    assert of_row(known, unknown, claimed="L23") == ("differs, cause known", "Of the claim.")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('claims = ["L01"]', r"differences\[1\]: give one of cause, not_identifiable and conjecture"),
        ('cause = "a"\nconjecture = "b"\nclaims = ["L01"]', "give one of cause"),
        (
            'cause = "a"\nclaims = ["L01"]',
            r"differences\[1\]\.proof: missing; a cause or reason names its runs",
        ),
        ('not_identifiable = "a"\nclaims = ["L01"]', r"differences\[1\]\.proof: missing"),
        (
            'conjecture = "a"\nproof = "b"\nclaims = ["L01"]',
            r"differences\[1\]\.proof: a conjecture has none",
        ),
        ('cause = "a"\nproof = "b"\nclaims = ["L01"]', r"differences\[1\]\.proof: proof 'b': unknown"),
        ('cause = " "\nclaims = ["L01"]', "a sentence, not"),
        ('cause = "a"', "give claims or numbers"),
        ('cause = "a"\nclaims = ["L99"]', r"claims: 'L99': unknown.*legal: L01, L02,"),
        ('cause = "a"\nclaims = ["L01.99"]', r"'L01\.99': unknown.*legal: L01\.1, L01\.2, L01\.3\)"),
        ('cause = "a"\nnumbers = [{ table = "9", cells = ["pi-24"] }]', r"numbers\[1\]\.table: "),
        ('cause = "a"\nnumbers = [{ table = "2", cells = ["pi-25"] }]', r"numbers\[1\]\.cells: "),
        (
            'cause = "a"\nnumbers = [{ table = "2", cells = ["paper"], quantities = ["losses"] }]',
            r"numbers\[1\]\.quantities: ",
        ),
    ],
)
def test_a_difference_of_what_there_is_not_is_refused_with_its_place(
    tmp_path: Path, entry: str, said: str
) -> None:
    with pytest.raises(ExperimentError, match=said):
        explained(tmp_path, f"[[differences]]\n{entry}\n")


def test_the_command_prints_the_summary_and_writes_the_page(folder: Path) -> None:
    page = folder.parent / "page.md"
    done = CliRunner().invoke(commands, ["scorecard", str(folder), "--output", str(page)])
    assert done.exit_code == 0, done.output
    assert "le2003" in done.output
    counts = page.read_text(encoding="utf-8")
    assert "| study | of | count | reproduced | differs, cause known | not identifiable |" in counts
    assert "\n**Of 4 numbers that can fail, " in counts
    assert "(page-numbers.csv)" in counts
    numbers = read_table(folder.parent / "page-numbers.csv", ExperimentError)
    assert Counter(row["kind"] for row in numbers) == {"number": 9, "claim": 32}
    fitted = {(row["name"], row["says"].partition(",")[0]) for row in numbers if row["in_sample"]}
    assert ("PI 24 at 90 %", "throughput") in fitted
    assert ("PI 240 at 90 %", "throughput") not in fitted
    assert Counter(row["can_fail"] for row in numbers) == {"yes": 4, "no": 5, "": 32}


DOCUMENTED = Path(__file__).parents[2] / "docs/explanation"


def test_the_table_of_the_documentation_has_the_numbers_that_its_page_counts() -> None:
    counted = re.findall(
        r"(?m)^\| (\w+), \w+ \| numbers that can fail \| (\d+) \| (\d+) ",
        (DOCUMENTED / "reproduction.md").read_text(encoding="utf-8"),
    )
    rows = read_table(DOCUMENTED / "reproduction-numbers.csv", ExperimentError)
    failing = [row for row in rows if row["can_fail"] == "yes"]
    held = Counter(row["study"] for row in failing if row["verdict"] == "reproduced")
    numbers = Counter(row["study"] for row in failing)
    assert {study: (int(of), int(count)) for study, of, count in counted} == {
        study: (numbers[study], held[study]) for study in numbers
    }
    assert len(counted) == 4


def form(page: str) -> set[str]:
    """What every page of its kind has: its lines without those of single studies, numbers and claims."""
    heads = re.findall(r"(?m)^(\| .* \|\n\| --- .*\|)$", page)
    words = [line for line in page.splitlines() if line[:2] not in ("| ", "- ", "##", "**")]
    fixed = [line for line in words if not re.match(r"\d+\. |Version |Without runs ", line)]
    return {
        *heads,
        *fixed,
        *(line for line in page.splitlines() if line in ("## All studies", "## Repeat it")),
    }


def test_the_documented_page_and_table_have_the_form_that_the_command_writes(
    folder: Path, tmp_path: Path
) -> None:
    first, *others = scorecard.read(folder)
    explained = replace(first, conclusion=Conclusion.CAUSE_KNOWN, because="Frames.", proof="frames")
    pages.write([explained, *others], tmp_path / pages.PAGE)
    page, documented = ((each / pages.PAGE).read_text(encoding="utf-8") for each in (tmp_path, DOCUMENTED))
    assert form(page) == form(documented)
    table, kept = (read_table(each / pages.NUMBERS, ExperimentError) for each in (tmp_path, DOCUMENTED))
    assert [*table[0]] == [*kept[0]]
    assert table[0]["why"] == "[1] Frames. (proof: `frames`)"


def rows_of(page: str) -> list[list[str]]:
    """The cells of all tables of a page."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in lines]


def sections_of(page: str) -> dict[str, str]:
    """The part about each study."""
    found = re.split(r"(?m)^## (\S+, scale \S+)$", page)
    return dict(zip(found[1::2], found[2::2], strict=True))


def test_the_counts_of_the_documented_page_are_those_of_its_numbers() -> None:
    page = (DOCUMENTED / pages.PAGE).read_text(encoding="utf-8")
    rows = read_table(DOCUMENTED / pages.NUMBERS, ExperimentError)
    counted = [row for row in rows_of(page) if row[1] in scorecard.KINDS]
    causes = sections_of(page)
    titles = dict.fromkeys(f"{row['study']}, scale {row['scale']}" for row in rows)
    assert [*titles] == [*causes]
    for title, section in causes.items():
        study = [row for row in rows if f"{row['study']}, scale {row['scale']}" == title]
        numbers = [row for row in study if row["kind"] == scorecard.NUMBER]
        own = [row[3:] for row in counted if row[0] == title.replace("scale ", "")]
        for place, conclusion in enumerate(Conclusion):
            found = sum(row["verdict"] == conclusion for row in numbers)
            assert found == sum(int(row[place]) for row in own), (title, conclusion)
        for note, concerned in re.findall(r"(?m)^- \[(\d+)\] .* \((\d+) numbers?[,;]", section):
            assert sum(f"[{note}] " in row["why"] for row in numbers) == int(concerned), (title, note)
        notes = dict(note for row in study for note in re.findall(r"\[(\d+)\] (.*?)(?= / \[|$)", row["why"]))
        proofs = [re.findall(r"\(proof: `(.*)`\)$", notes[each]) for each in sorted(notes, key=int)]
        assert re.findall(r"`--proof (.*)`\)", section) == [one for each in proofs for one in each]
        conjectures = re.findall(r"there (?:is|are) (\d+) conjecture", section)
        assert [int(each) for each in conjectures] == [n for n in [proofs.count([])] if n]


def test_a_report_takes_the_place_of_the_earlier_one_and_touches_nothing_else(tmp_path: Path) -> None:
    whole = {"report.html", "table2.csv", "claims.csv", "statements.csv", "scorecard.csv", "replications.csv"}
    files = write_report(parts(), tmp_path)
    written = {each.name for each in tmp_path.iterdir()}
    assert whole <= written
    assert (tmp_path / "figures" / "figure-08.svg").is_file()
    (tmp_path / "runs").mkdir()
    for name in ("today.csv", "loads.csv", "calibration.json", "ablations.csv", "figures/figure-26.png"):
        (tmp_path / name).write_text("of an earlier report")
    mine = [
        tmp_path / each for each in ("runs/claims.csv", "tableau.csv", "figures/figure-8.svg", "notes.txt")
    ]
    for file in mine:
        file.write_text("mine")
    # Nothing of table 2 was run, and nothing that its figures show.
    bare = replace(parts(), filled=[], drawn=[])
    assert "figures" not in write_report(bare, tmp_path)
    left = {each.name for each in tmp_path.iterdir() if each.is_file()}
    assert left == {file.name for file in files.values() if file.is_file()} - {"table2.csv"} | {
        *("tableau.csv", "notes.txt")
    }
    assert [each.name for each in (tmp_path / "figures").iterdir()] == ["figure-8.svg"]
    assert all(file.read_text() == "mine" for file in mine)


def test_files_that_no_report_left_are_not_removed(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text("of aqmlab calibrate")
    write_report(parts(), tmp_path)
    assert (tmp_path / "calibration.json").read_text() == "of aqmlab calibrate"


def test_every_file_of_a_report_is_among_those_that_the_next_one_replaces(folder: Path) -> None:
    written = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}
    assert written <= files_of(parts().study.experiment)


def test_two_folders_of_one_study_at_one_scale_are_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_report(parts(), other)
    done = CliRunner().invoke(commands, ["scorecard", str(folder), str(other)])
    assert done.exit_code != 0
    assert str(done.exception) == (
        f"{folder} and {other}: both are of le2003 at scale standard, whose statements would count twice; "
        "name one of them"
    )
    (other / scorecard.FILE).write_text((folder / scorecard.FILE).read_text().replace(",standard,", ",full,"))
    assert len(scorecard.read_all([folder, other])) == 2 * len(scorecard.read(folder))


def test_a_folder_with_other_hosts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "today.csv").write_text("statement\n")
    with pytest.raises(
        ExperimentError, match=r"other hosts than the paper's .* statements are in today\.csv"
    ):
        scorecard.read(tmp_path)


def test_a_file_that_is_no_scorecard_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / scorecard.FILE).write_text("a,b\n1,2\n")
    with pytest.raises(ExperimentError, match=r"scorecard\.csv:1: no scorecard of this version"):
        scorecard.read(tmp_path)


def test_without_results_the_command_says_what_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(commands, ["scorecard"])
    assert done.exit_code == 2
    assert "`aqmlab reproduce` without --hosts writes it" in done.output


def test_cells_of_all_experiments_are_refused() -> None:
    done = CliRunner().invoke(commands, ["reproduce", "all", "--cells", "pi-24"])
    assert done.exit_code == 2
    assert "--cells and --loads are those of one experiment" in done.output


FAILING = "numbers that can fail"


def scored_at(scale: str, *conclusions: Conclusion) -> list[scorecard.Scored]:
    """A number and some statements of a study at a scale."""
    kinds = [(scorecard.NUMBER, "cell at 90 %", Conclusion.REPRODUCED)]
    kinds += [(scorecard.STATEMENT, f"L01.{place}", each) for place, each in enumerate(conclusions, start=1)]
    own = [
        scorecard.Scored("le2003", scale, "1", *each[:2], "says", conclusion=each[2], can_fail=True)
        for each in kinds
    ]
    return [*own, scorecard.Scored("le2003", scale, "1", scorecard.CLAIM, "L01", "claim", verdict=scale)]


def test_claims_are_those_of_the_scale_that_decides_most_of_them(tmp_path: Path) -> None:
    unjudged = Conclusion.SCALE_CANNOT_JUDGE
    full = scored_at("full", unjudged, unjudged)
    standard = scored_at("standard", Conclusion.REPRODUCED, unjudged)
    for entries in (full + standard, standard + full):
        counts = {(each.scale, each.of): each.conclusions.total() for each in scorecard.counted(entries)}
        assert counts == {("full", FAILING): 1, ("standard", FAILING): 1, ("standard", "statements"): 2}
        pages.write(entries, tmp_path / "page.md")
        text = (tmp_path / "page.md").read_text(encoding="utf-8")
        assert text.count("Claims: at scale standard.") == 1
        assert "1 standard" in text  # the count of verdicts, in place of "1 full"
        assert "1 full" not in text
    alone = {(each.scale, each.of) for each in scorecard.counted(full)}
    assert alone == {("full", FAILING), ("full", "statements")}, "one scale is judged by itself"


@pytest.mark.parametrize(
    ("value", "text"), [(240379.0, "240379"), (12000.0, "12000"), (15.0, "15.0"), (0.04, "0.04")]
)
def test_counts_of_thousands_are_printed_in_full(value: float, text: str) -> None:
    assert str(scorecard._printed(value)) == text
