"""That every shown command is found: what is not found is not run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from commands import shown_output
from commands.leavings import check
from commands.shown_commands import examples, examples_of_files, help_texts, helps, lines_of, steps
from commands.shown_output import Shown, as_shown, write_block
from documented import ROOT, Block

if TYPE_CHECKING:
    from pathlib import Path

SH = Block("page.md", 1, "sh", "# first\naqmlab list   # all of them\n\naqmlab run a.toml --set 'b=\"#1\"'\n")


def test_a_line_is_found_without_what_is_said_about_it() -> None:
    assert lines_of(SH) == ["aqmlab list", "aqmlab run a.toml --set 'b=\"#1\"'"]
    text = "Words.\n\nExamples:\n      aqmlab list\n      aqmlab new vdsl        read it first\n"
    assert examples(text.replace("Examples", "    Examples")) == ["aqmlab list", "aqmlab new vdsl"]


def test_every_command_of_the_readme_is_a_step() -> None:
    fenced = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    shown = [line.split("   #")[0].strip() for block in fenced for line in block.splitlines()]
    assert [step.text for step in steps("README.md") if step.kind == "sh"] == [
        re.sub(r"\s+#\s.*", "", line) for line in shown
    ]


def test_every_help_shows_an_example() -> None:
    assert [command for command, lines in helps().items() if not lines] == []


def test_no_line_of_an_example_of_help_is_passed_over() -> None:
    for command, text in help_texts().items():
        lines = re.findall(r"^ {6}(\S.*)$", re.sub(r"\s*\\\n\s*", " ", text), re.MULTILINE)
        assert [re.split(r" {3,}", line, maxsplit=1)[0] for line in lines] == examples(text), command


def test_every_scenario_of_examples_has_a_command() -> None:
    named = {file.name for file, lines in examples_of_files().items() if lines}
    assert named == {file.name for file in (ROOT / "examples").glob("*.toml")}


def test_what_is_shown_is_written_anew_in_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    above = "# A page\n\n<!-- example: shown; by: aqmlab list -->\n```text\n"
    page.write_text(f"{above}old\n```\n\nbelow\n")
    write_block(Shown("page.md", 4, "aqmlab list", "old\n"), "new  \n\n 1.0 \n", root=tmp_path)
    assert page.read_text() == f"{above}new\n\n 1.0\n```\n\nbelow\n"
    assert as_shown("a  \nb\n\n") == "a\nb\n"


def test_the_words_of_a_first_screen_are_those_of_its_header(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text(
        "<style>p { }</style><header><h1>Two queues</h1><svg aria-label='6.0 s'></svg></header><p>below</p>"
    )
    assert shown_output.words_of(report) == "Two queues 6.0 s"


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("a.csv", "x,y\n", "no row"),
        ("a.csv", "x,y\n1,2\n3\n", "longer or shorter"),
        ("a.csv", "x,y\na,b\n", "no number"),
        ("a.csv", "x,y\n1,nan\n", "holds nan"),
        ("run.json", '{"links": [1], "invariants": [{"name": "bytes", "holds": false}]}', "bytes"),
        ("a.json", '{"x": NaN}', "NaN is no JSON"),
        ("a.svg", "<svg></svg>", "nothing is drawn"),
        ("a.html", "<table><tr><td>1</td></tr></table>", "no figure"),
        ("a.html", "<svg></svg><table><tr><td>x</td></tr></table>", "no number"),
        ("a.html", "<svg></svg><table><tr><td>1</td></tr></table><p>nan s</p>", "holds nan"),
        ("a.xyz", "1", "what is this file"),
        ("a.pdf", "", "is empty"),
        ("SHA256SUMS", f"{'0' * 64}  SHA256SUMS\n", "SHA256SUMS"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(
    name: str, content: str, wrong: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(AssertionError, match=wrong):
        check(file)
