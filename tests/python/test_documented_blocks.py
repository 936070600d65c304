"""Every command and code block of README and docs is tried, or at least read by what it is for.

The comment above a block says how (`docs/explanation/testing.md`); a block without one fails.
"""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import matplotlib.pyplot as plt
import pytest

import aqmlab
from aqmlab.cli import _exit_code, commands
from aqmlab.files.toml_text import to_toml
from aqmlab.papers import experiments
from aqmlab.papers.claims import evaluate
from aqmlab.papers.experiments import read_claims
from aqmlab.papers.study import Study
from aqmlab.study import sweeps
from commands.shown_commands import FOLLOWED
from documented import KINDS, ROOT, Block, blocks, inline_commands, pages
from small import TWO_HOPS, WEB

if TYPE_CHECKING:
    from collections.abc import Callable

INCLUDE = {f"$(aqmlab {what} include)": f"{ROOT}/python/aqmlab/{what}s" for what in ("scheme", "controller")}
"""What commands print that stand within others."""

_SMALL = WEB.split("[record]", maxsplit=1)[0].replace("20.0", "4.0").replace("5.0", "1.0")
_RED = (
    'scheme = "red", limit_packets = 480, min_th_packets = 5, max_th_packets = 200',
    'scheme = "pi", limit_packets = 500',
)


def _scenario(file: Path, text: str = _SMALL) -> None:
    file.write_text(text)


def _red_grid(file: Path) -> None:
    _red(file.with_name("red.toml"))
    file.write_text('scenario = "red.toml"\nreplications = 1\n[grid]\n"dumbbell.queue.max_p" = [0.05, 0.1]\n')


def _red(file: Path) -> None:
    _scenario(file, _SMALL.replace(_RED[1], _RED[0]))


def _result(folder: Path) -> None:
    aqmlab.run(_SMALL).save(folder)


MADE: dict[str, Callable[[Path], None]] = {
    "le.toml": lambda file: _scenario(file, _SMALL + _FLOWS),
    "campus.toml": _scenario,
    "pi.toml": _scenario,
    "web.toml": _scenario,
    "two-bottlenecks.toml": lambda file: _scenario(file, TWO_HOPS),
    "red.toml": _red,
    "red-grid.toml": _red_grid,
    "results/pi-24-90/seed-1": _result,
}
"""What a block may ask for with `with:`, if no block above it on its page has made it."""

_FLOWS = '[[flows]]\ncount = 2\ndirection = "left-to-right"\n'


def _runs(queue: str) -> list[aqmlab.Result]:
    scenario = aqmlab.Scenario.from_toml(_SMALL.replace(_RED[1], queue))
    return aqmlab.run_many([aqmlab.Job(scenario, seed) for seed in range(1, 7)], progress=False)


GIVEN: dict[str, Callable[[], object]] = {
    "pi_runs": lambda: _runs(_RED[1]),
    "drop_tail_runs": lambda: _runs('scheme = "drop-tail", limit_packets = 50'),
}
"""Names that a block of Python may ask for with `given:`."""


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


LONG = {"docs/how-to/sweeps.md", "docs/how-to/own-scheme.md", "docs/how-to/design.md"}
"""Pages whose blocks take long to run."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=pytest.mark.exhaustive if name in LONG else ())
        for page in pages()
        for name in [str(page.relative_to(ROOT))]
    ],
)
def test_every_block_of_a_page_is_tried(page: Path) -> None:
    tried: dict[str, Callable[[Block], None]] = {
        "scenario": _try_scenario,
        "sweep": _try_sweep,
        "file": _try_file,
        "scheme": _try_scheme,
        "claim": _try_claim,
        # What a newcomer follows is run by test_commands_of_pages.py, unaltered; once is enough.
        "run": _parse if page in {ROOT / each for each in FOLLOWED} else _run,
        "parse": _parse,
        "shown": lambda _: None,
    }
    assert set(tried) == KINDS
    for block in blocks(page):
        assert block.kind in KINDS, f"{block.place}: what is this block? See docs/explanation/testing.md"
        known = {
            "scenario": {"shortened"},
            "run": {"with", "given", "parsed only", "needs"},
            "sweep": {"with", "points"},
            "shown": {"by"},
        }
        assert set(block.settings) <= known.get(block.kind, set()), block.place
        for name in _list(block.settings.get("with", "")):
            if not Path(name).exists():
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                MADE[name](Path(name))
        try:
            tried[block.kind](block)
        except Exception as error:
            raise AssertionError(f"{block.place}: {error}") from error
    for command in inline_commands(page):
        _known(command)


def _try_scenario(block: Block) -> None:
    scenario = aqmlab.Scenario.from_toml(block.text, source_name=block.place)
    if block.name:
        shortened = tomllib.loads("\n".join(_list(block.settings.get("shortened", ""))))
        resolved = scenario.with_overrides(_dotted(shortened)).resolved
        # As its reader has it: the files that it names lie beside it.
        Path(block.name).write_text(to_toml({key: own for key, own in resolved.items() if key != "files"}))


def _dotted(table: dict[str, object], before: str = "") -> dict[str, object]:
    dotted: dict[str, object] = {}
    for key, value in table.items():
        dotted.update(_dotted(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value})
    return dotted


def _try_sweep(block: Block) -> None:
    points = len(sweeps.read_text(block.text, folder=Path()).points)
    assert points == int(block.settings["points"]), points
    if block.name:
        Path(block.name).write_text(block.text)


def _try_file(block: Block) -> None:
    if block.language == "python":
        compile(block.text, block.name, "exec")
    Path(block.name).write_text(block.text)


def _try_scheme(block: Block) -> None:
    network = 'name = "x"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\n[dumbbell.queue]\n'
    aqmlab.Scenario.from_toml(network + block.text + _FLOWS)


def _try_claim(block: Block) -> None:
    experiment = experiments.load("le2003")
    head = '[[claims]]\nid = "X1"\nwhere = ""\nclaim = ""\nmeasured_as = ""\n'
    Path("claims.toml").write_text(head + block.text)
    claims = read_claims(Path("claims.toml"), experiment.configurations)
    study = Study(replace(experiment, published_claims=claims), experiment.scale("quick"), {})
    assert all("was not run" in part.evidence for part in evaluate(study)[0].parts)


def _run(block: Block) -> None:
    match block.language:
        case "sh":
            if shutil.which(block.settings.get("needs", "sh")) is None:
                return
            parsed_only = _list(block.settings.get("parsed only", ""))
            for line in _commands(block):
                if any(part in line for part in parsed_only):
                    _parse_line(line)
                elif line.startswith("cc "):
                    for command, printed in INCLUDE.items():
                        line = line.replace(command, printed)  # noqa: PLW2901
                    subprocess.run(shlex.split(line), check=True)
                else:
                    assert line.startswith("aqmlab "), f"{line}: not a command of ours"
                    assert _exit_code(shlex.split(line)[1:]) == 0, line
        case "python":
            names = {name: GIVEN[name]() for name in _list(block.settings.get("given", ""))}
            exec(compile(block.text, block.place, "exec"), names)  # noqa: S102  (our own pages)
            plt.close("all")
        case language:
            raise AssertionError(f"there is nothing that runs {language!r}")


def _parse(block: Block) -> None:
    match block.language:
        case "sql":
            _check_query(block.text)
        case "python":
            compile(block.text, block.place, "exec")
        case "sh":
            for line in _commands(block):
                _parse_line(line)
        case language:
            raise AssertionError(f"there is nothing that reads {language!r}")


def _commands(block: Block) -> list[str]:
    lines = [re.sub(r"\s+#\s.*", "", line).strip() for line in block.text.splitlines()]
    return [line for line in lines if line]


def _parse_line(line: str) -> None:
    """Whether what a line calls is there, and knows what the line asks of it."""
    words = shlex.split(line)
    program, *arguments = itertools.dropwhile(_sets_a_variable, words)
    match program:
        case "aqmlab":
            _known(line)
        case "make":
            targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
            variables = set(re.findall(r"\$\((\w+)\)", (ROOT / "Makefile").read_text()))
            for argument in arguments:
                name, assignment, _ = argument.partition("=")
                assert name in (variables if assignment else targets), line
        case "pip":
            project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
            extras = re.findall(r"\[([^\]]+)\]", line)
            assert {name for each in extras for name in each.split(",")} <= set(
                project["optional-dependencies"]
            )
        case "python3" if arguments[:2] == ["-m", "venv"]:
            assert arguments[2:] == [".venv"], line
        case ".":
            assert arguments == [".venv/bin/activate"], line
        case "python3":
            source = (ROOT / arguments[0]).read_text()
            assert all(option in source for option in arguments if option.startswith("--")), line
        case "cargo":
            _parse_cargo(arguments, line)
        case _ if (ROOT / program).is_file():
            source = (ROOT / program).read_text()
            assert all(option in source for option in arguments if option.startswith("--")), line
        case _:
            raise AssertionError(f"{line}: nothing here knows {program}")


def _sets_a_variable(word: str) -> bool:
    return re.match(r"[A-Z_]+=", word) is not None


def _parse_cargo(arguments: list[str], line: str) -> None:
    """Whether the program to install is one that the Makefile calls, or the tests of a package are there."""
    if arguments[0] == "install":
        assert arguments[-1] in (ROOT / "Makefile").read_text(), line
        return
    assert arguments[:2] == ["test", "-p"], line
    crate = ROOT / "crates" / arguments[2].removeprefix("aqmlab-")
    for option, name in zip(arguments[3::2], arguments[4::2], strict=True):
        assert option == "--test", line
        assert (crate / "tests" / f"{name}.rs").exists(), line


def _known(line: str) -> None:
    """Whether a command of ours exists, with the options in the line, and values that they take."""
    name, *arguments = shlex.split(line)[1:] or ["--help"]
    if name.startswith("-"):
        return
    command = commands.get_command(click.Context(commands), name)
    assert command is not None, f"{line}: no such command"
    if isinstance(command, click.Group) and arguments:
        name, *arguments = arguments
        command = command.get_command(click.Context(command), name)
        assert command is not None, f"{line}: no such command"
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    # Behind -- stands a command of the reader's own.
    for argument in arguments[: arguments.index("--") if "--" in arguments else None]:
        option, _, _ = argument.partition("=")
        assert not option.startswith("-") or option in {*options, "--help"}, f"{line}: no option {option}"
    placeholders = any(re.search(r"\b[A-Z]+\b|…|\.\.\.", argument) for argument in arguments)
    files = [argument for argument in arguments if argument.endswith(".toml")]
    if arguments and not placeholders and all(Path(file).exists() for file in files):
        command.make_context(name, arguments)


def _check_query(query: str) -> None:
    """DuckDB is no dependency: that the files and the column exist is checked without it."""
    (pattern,) = re.findall(r"from '([^']+)'", query)
    (column,) = re.findall(r"quantile_cont\((\w+),", query)
    files = list(Path().glob(pattern))
    assert files, f"{pattern}: no such file"
    (seed, *_) = files
    assert column in aqmlab.Result.load(seed.parent).tables[seed.stem].column_names


def test_the_commands_that_read_a_scenario_refuse_an_option_that_they_lack() -> None:
    with pytest.raises(AssertionError, match="no option --colour"):
        _known("aqmlab run pi.toml --colour red")
    with pytest.raises(AssertionError, match="no such command"):
        _known("aqmlab walk")
    with pytest.raises(AssertionError):
        _parse_line("make tea")
    with pytest.raises(AssertionError):
        _parse_line("pip install '.[colour]'")


def test_a_block_without_a_comment_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n\n```sh\naqmlab list\n```\n")
    with pytest.raises(AssertionError, match=r"page\.md:3: what is this block"):
        test_every_block_of_a_page_is_tried(page)
