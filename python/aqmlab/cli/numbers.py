"""`--json` and `--csv` of every command that prints numbers: the columns of `aqmlab.frame`, for programs."""

from __future__ import annotations

import functools
import json
import math
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from aqmlab.terminal.console import for_programs, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from _typeshed import DataclassInstance

Command = TypeVar("Command", bound="Callable[..., Any]")
FindingT = TypeVar("FindingT", bound="DataclassInstance")

_STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True)
class Numbers:
    """What a command found, for programs; worked out if one asks.

    Attributes:
        table: Makes its numbers, in the columns of `aqmlab.frame`.
        facts: Makes what else there is to say, as plain data.
        exit_code: What the command leaves with.
    """

    table: Callable[[], pa.Table]
    facts: Callable[[], Mapping[str, Any]] = dict
    exit_code: int = 0

    @classmethod
    def of(cls, found: Any, *, exit_code: int = 0, **facts: object) -> Numbers:  # noqa: ANN401 (what is `Tidy`)
        """Those of what an analysis found, with its verdict."""
        from aqmlab import shown

        return cls(found.tidy, lambda: {**shown.facts(found), **facts}, exit_code)

    def as_json(self) -> str:
        """A JSON object: the facts, and the numbers as a list of rows."""
        from aqmlab.statistics.tidy import plain_rows

        whole = {**self.facts(), "numbers": plain_rows(self.table())}
        return json.dumps(_plain(whole), indent=1, ensure_ascii=False, allow_nan=False)

    def as_csv(self) -> str:
        """The rows, nothing where there is none."""
        from aqmlab.statistics.tidy import csv_of

        return csv_of(self.table())


def numbers_of_rules(
    kind: str,
    rules: Mapping[str, Sequence[str]],
    findings: Mapping[str, Sequence[FindingT]],
    broken: Callable[[FindingT], str],
) -> Numbers:
    """Which rules each class keeps, 1 or 0; the facts are the findings, the exit code 2 if one is broken."""
    from aqmlab.statistics.tidy import tidy_numbers

    rows: dict[str, dict[str, float]] = {}
    for name, held_to in rules.items():
        wrong = {broken(each) for each in findings[name]}
        rows[name] = {f"passes/{kind}.{rule}": float(rule not in wrong) for rule in held_to}
    facts = {name: [asdict(each) for each in found] for name, found in findings.items()}
    return Numbers(
        lambda: tidy_numbers((name, None, row) for name, row in rows.items()),
        lambda: {"findings": facts},
        2 if any(findings.values()) else 0,
    )


def numbers_options(command: Command) -> Command:
    """Adds `--json` and `--csv` to a command that returns its `Numbers`; standard output has nothing else."""

    @functools.wraps(command)
    def with_numbers(*, as_json: bool, csv_file: Path | None, **others: Any) -> None:  # noqa: ANN401
        from aqmlab.files.folders import require_writable, write_whole

        to_program = as_json or csv_file == _STANDARD_OUTPUT
        if as_json and csv_file == _STANDARD_OUTPUT:
            raise click.UsageError("--json and --csv - both print; legal: one of them, or --csv FILE")
        if csv_file is not None and csv_file != _STANDARD_OUTPUT:
            require_writable(csv_file)
        with for_programs() if to_program else nullcontext():
            numbers: Numbers | None = command(**others)
        if numbers is None:
            if to_program or csv_file is not None:
                raise click.UsageError("--json and --csv: there are no numbers with these options")
            return
        if as_json:
            say(numbers.as_json())
        if csv_file == _STANDARD_OUTPUT:
            click.echo(numbers.as_csv(), nl=False)
        elif csv_file is not None:
            write_whole(csv_file, numbers.as_csv())
            if not as_json:
                say(f"written: {csv_file}")
        if numbers.exit_code:
            raise click.exceptions.Exit(numbers.exit_code)

    click.option(
        "--csv",
        "csv_file",
        type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
        metavar="FILE|-",
        help="Also write every number, one a row (docs/how-to/data-frames.md); - prints that alone.",
    )(with_numbers)
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print JSON alone, for programs: every number, and the verdict.",
    )(with_numbers)
    return cast("Command", with_numbers)


def _plain(value: Any) -> Any:  # noqa: ANN401 (whatever JSON holds)
    """Without numbers that are not finite, which JSON has none of."""
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value
