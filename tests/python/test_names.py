"""What a user wrote is shown as it was written: never as markup, a formula, or orders to the terminal."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rich.console import Console

from aqmlab import cli
from aqmlab.files.folders import folder_name, folder_names
from aqmlab.show.figures.printed import as_file, figure_of, new_axes, settle
from aqmlab.show.tables.render import to_terminal
from aqmlab.tables import Column, Table
from aqmlab.tables.model import text
from aqmlab.terminal.progress import Bar, tracked
from small import BULK

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("[/x]", "[bold]b", "[link=http://x]y[/link]", ":smile: $x^$", "a\\[b]", "{0}", "%s")


def leave(arguments: Sequence[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(list(arguments))
    out, err = capfd.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, out, err


@pytest.mark.parametrize("name", NAMES)
def test_a_run_and_a_sweep_print_a_name_as_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("bulk.toml").write_text(BULK.replace('"two flows"', f"'{name}'"))
    code, out, err = leave(["run", "bulk.toml"], capfd)
    assert code == 0, err
    assert f"{name}, seed 1: links" in out
    Path("sweep.toml").write_text(
        f"name = '{name}'\nscenario = 'bulk.toml'\n[grid]\n\"description\" = ['{name}']\n"
    )
    code, out, err = leave(["sweep", "sweep.toml"], capfd)
    assert code == 0, err
    assert f"{name}: means over 1 seed" in out
    assert f"{name}: 1 point" in err
    code, out, err = leave(["sweep", "sweep.toml", "--status"], capfd)
    assert code == 0, err
    assert f"{name}: results/store" in out
    assert f"description = {name}" in out


def test_a_bar_shows_its_label_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    for name in NAMES:
        with Bar(label=name, runs=1, total_s=1.0, hidden=False) as bar:
            bar.show(done_s=1.0, finished=1)
        assert name in capfd.readouterr().err
        assert list(tracked(range(300), label=name, hidden=False)) == list(range(300))


def test_a_table_shows_its_cells_as_they_are_on_any_console() -> None:
    screen = Console(file=io.StringIO(), width=200)
    columns = [Column("a", text, "[/h]"), Column("b", lambda _: text("\x1b[31mred\nnext"), "other")]
    screen.print(to_terminal(Table.of(["[/x]"], columns, title="[/t] title", caption="[/c] caption")))
    printed = screen.file.getvalue()  # type: ignore[attr-defined]
    for words in ("[/t] title", "[/c] caption", "[/h]", "[/x]", "\\x1b[31mred\\nnext"):
        assert words in printed


def test_a_dollar_in_a_figure_is_a_dollar() -> None:
    axes = new_axes()
    axes.plot([1.0, 2.0], [1.0, 10.0], label="$x^$ per $")
    axes.set(title="$\\frac", xlabel="$a", ylabel="a$b$", yscale="log")
    axes.legend()
    text = as_file(settle(figure_of(axes)), ".svg").decode()
    for words in ("$x^$ per $", "$\\frac", "a$b$"):
        assert words in text
    assert np.isfinite(axes.get_ylim()).all()


def test_the_message_of_a_refused_name_steers_no_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        ["run", str(tmp_path / "\x1b[31m.toml")],
        ["run", str(tmp_path / "\udcff.toml")],
        ["explain", "\x1b]0;title\x07"],
        ["sweep", "\x9b2J"],
        ["reproduce", "\x1b[2J"],
    ):
        code, _, err = leave(arguments, capfd)
        assert code == 2
        assert "\x1b" not in err
        assert "\x9b" not in err


def test_a_nul_in_an_argument_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    for arguments in (["run", "a\x00"], ["run", "x", "--output", "\x00"], ["tune", "x", "--ranges", "r\x00"]):
        code, _, err = leave(arguments, capfd)
        assert code == 2
        assert "contains a NUL" in err


def test_a_long_name_makes_a_folder_that_a_disk_takes_and_no_other_name_has() -> None:
    long = [folder_name("n" * 300), folder_name("n" * 301), folder_name("é" * 300)]
    assert len(set(long)) == 3
    assert all(len(name.encode()) <= 255 for name in long)
    assert folder_name("two flows") == "two-flows"
    assert folder_name("n" * 100) == "n" * 100
    assert folder_name("é") == folder_name("..") == "scenario"


def test_names_beside_each_other_share_no_folder() -> None:
    places = folder_names(["a b", "a-b", "RED", "red", "pi", "n" * 300, "n" * 301])
    assert len({place.lower() for place in places.values()}) == len(places) == 7
    assert all(Path(place).name == place for place in places.values())
    assert places["pi"] == "pi", "a name that nobody shares is kept"


def test_a_run_with_a_long_name_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bulk.toml").write_text(BULK.replace("two flows", "n" * 300))
    code, out, err = leave(["run", "bulk.toml", "--quiet"], capfd)
    assert code == 0, err
    assert Path(out.strip()).is_dir()


def test_two_names_of_one_folder_share_nothing_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(BULK.replace("two flows", "a/b"))
    Path("other.toml").write_text(BULK.replace("two flows", "a-b").replace("count = 2", "count = 3"))
    first = Path("results/a-b/seed-1")
    assert leave(["run", "one.toml", "--quiet"], capfd)[:2] == (0, f"{first}\n")
    before = {file: file.read_bytes() for file in first.iterdir()}
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, out, err = leave(["run", "other.toml", "--quiet"], capfd)
    assert (code, out) == (0, "results/a-b-2/seed-1\n")
    holds = "results/a-b holds a run of another scenario, flows.0.count 2 instead of 3"
    assert f"{holds}: this goes to results/a-b-2" in " ".join(err.split())
    assert {file: file.read_bytes() for file in first.iterdir()} == before
