"""Numbers of many runs as one tidy table: a row for each configuration, seed and quantity.

Every table, CSV file and JSON list of numbers has these columns: `aqmlab.frame`, `to_arrow` of whatever an
analysis found, and `--csv` and `--json` of every command. A part that some run has (a link, a population, a
group) may be absent from another one, whose number is then missing; a name that no run has is misspelt, and
refused.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.datagrams import datagram_groups
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.quantities import Measured, by_name
from aqmlab.statistics.recorded import seed
from aqmlab.terminal.spelling import closest, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.recorded import Recorded

COLUMNS = pa.schema(
    [
        ("configuration", pa.string()),
        ("seed", pa.uint64()),
        ("who", pa.string()),
        ("quantity", pa.string()),
        ("unit", pa.string()),
        ("value", pa.float64()),
        ("at_least", pa.float64()),
        ("at_most", pa.float64()),
    ]
)
"""The columns of the table. `who` is whose number it is, by the name in the scenario (a group, a link), null
where it is of all together; a quantity's full name has it behind the slash. `seed` is null of what is of all
runs together. A value that a run did not record is null. Where a run has only one bound of it,
the value is infinite and the bound stands in `at_least` or `at_most`; between two bounds the value is null,
and both stand there; elsewhere both are the value."""


def tidy_table(
    names: Iterable[str],
    seeds: Sequence[int],
    quantities: Sequence[Quantity],
    observed: Callable[[str, Quantity], Iterable[Observation]],
) -> pa.Table:
    """The table, configuration by configuration and quantity by quantity."""
    return tidy_rows(
        (name, seed, quantity.name, quantity.unit, each)
        for name in names
        for quantity in quantities
        for seed, each in zip(seeds, observed(name, quantity), strict=True)
    )


def tidy_rows(observations: Iterable[tuple[str, int | None, str, str, Observation]]) -> pa.Table:
    """The table of observations, each with its configuration, seed, quantity and unit."""
    return _table(
        (configuration, seed, who_of(name), name, unit, *_numbers(each))
        for configuration, seed, name, unit, each in observations
    )


def tidy_estimates(
    configuration: str, estimates: Mapping[str, tuple[float, float | None, float | None]]
) -> pa.Table:
    """The table of numbers of no single run, by names that end in their units, each with its bounds."""
    return _table(
        (configuration, None, who_of(name), name, _unit(name), value, *map(_finite, bounds))
        for name, (value, *bounds) in estimates.items()
    )


def _table(given: Iterable[tuple[object, ...]]) -> pa.Table:
    rows = list(given)
    columns = zip(*rows, strict=True) if rows else [[] for _ in COLUMNS]
    arrays = [pa.array(list(each), type=kind.type) for each, kind in zip(columns, COLUMNS, strict=True)]
    return pa.Table.from_arrays(arrays, schema=COLUMNS)


def tidy_numbers(numbers: Iterable[tuple[str, int | None, Mapping[str, float | None]]]) -> pa.Table:
    """The table of numbers by names that end in their units, each dict with its configuration and seed."""
    return tidy_rows(
        (
            configuration,
            seed,
            name,
            _unit(name),
            Observation.nothing() if value is None else Observation.exact(value),
        )
        for configuration, seed, named in numbers
        for name, value in named.items()
    )


def who_of(quantity: str) -> str | None:
    """Whose number a quantity is, by its name: `call-up` of `loss_percent/datagrams.call-up`."""
    part = quantity.partition("/")[2].partition("@")[0]
    return part.partition(".")[2] or None


_UNITS = {
    "bytes": "bytes",
    "db": "dB",
    "degrees": "degrees",
    "mbps": "Mbit/s",
    "ms": "ms",
    "ns": "ns",
    "percent": "%",
    "rpm": "1/min",
    "s": "s",
}


def _unit(name: str) -> str:
    """The unit that a name ends in; empty of a count or a ratio."""
    return _UNITS.get(name.partition("/")[0].rpartition("_")[2], "")


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of such a table as JSON and CSV hold them: none where a number is not finite."""
    return [{name: _finite(value) for name, value in row.items()} for row in table.to_pylist()]


def csv_of(table: pa.Table) -> str:
    """The same rows as CSV, nothing where there is none."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(row.values() for row in plain_rows(table))
    return written.getvalue()


def _finite(value: Any) -> Any:  # noqa: ANN401 (a number, or what is none)
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Tidy:
    """What is one tidy table for programs."""

    def to_arrow(self) -> pa.Table:
        """One row for each configuration, seed and quantity: the columns of `aqmlab.frame`."""
        raise NotImplementedError

    def tidy(self) -> pa.Table:
        """The columns of `aqmlab.frame`, which `--csv` and `--json` write; `to_arrow` may have others."""
        return self.to_arrow().select(COLUMNS.names)

    def to_pandas(self) -> pd.DataFrame:
        """`to_arrow` as a data frame of pandas."""
        return as_pandas(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def as_pandas(table: pa.Table) -> pd.DataFrame:
    """The table as a data frame of pandas."""
    try:
        import pandas as pd  # noqa: F401, PLC0415 (an extra)
    except ImportError as missing:
        raise ImportError(
            f"to_pandas() needs the package pandas, from PyPI ({missing}): pip install pandas, or pip "
            "install 'aqmlab[pandas]'; to_arrow() needs nothing"
        ) from None
    return table.to_pandas()


def _numbers(each: Observation) -> tuple[float | None, float | None, float | None]:
    """Value, lower and upper end of an observation, none where there is none."""
    if not each.is_known:
        return None, None, None
    value = each.plain if each.bound is not Bound.BETWEEN else None
    return value, _finite(each.lower), _finite(each.upper)


def tidy_table_of(
    results: Mapping[str, Sequence[Recorded]],
    quantities: Sequence[Quantity | str],
    *,
    links: Sequence[str] = (),
) -> pa.Table:
    """The table of results by name; configurations may have different seeds."""
    wanted = known_quantities(quantities, [result for each in results.values() for result in each])
    measured = {name: [Measured(result, links) for result in each] for name, each in results.items()}

    def observed(name: str, quantity: Quantity) -> list[Observation]:
        return [quantity.observed(run) for run in measured[name]]

    tables = [
        tidy_table([name], [seed(run.result) for run in runs], wanted, observed)
        for name, runs in measured.items()
    ]
    return pa.concat_tables(tables) if tables else COLUMNS.empty_table()


def known_quantities(quantities: Sequence[Quantity | str], results: Sequence[Recorded]) -> list[Quantity]:
    """Quantities that were given themselves, or by name."""
    UnknownQuantityError.require_list("quantities", quantities, "['loss_percent']")
    wanted = [by_name(each) for each in quantities]
    for each in wanted:
        require_known_part(each, results)
    return wanted


# ---------------------------------------------------------------------------------------------- parts by name


_IN_RUN = ("links", "populations", "flows")
_KINDS = (*_IN_RUN, "datagrams")


def require_known_part(quantity: Quantity, results: Iterable[Recorded]) -> None:
    """Checks that some run has the part of the traffic that a quantity is of, if it is of one."""
    part = quantity.name.partition("/")[2].partition("@")[0]
    kind, _, name = part.partition(".")
    if kind not in _KINDS:
        return
    known = list(dict.fromkeys(each for result in results for each in _names(result, kind)))
    if name in known:
        return
    parts = [f"{kind}.{each}" for each in known]
    legal = ", ".join(parts)
    raise UnknownQuantityError(
        f'quantity "{quantity.name}": no run has {part}; there are: {legal or "none"}{nearest(part, parts)}',
        place="quantity",
        value=part,
        legal=legal,
        nearest=closest(part, parts),
    )


def _names(result: Recorded, kind: str) -> list[str]:
    if kind in _IN_RUN:
        return [str(each["name"]) for each in result.run.get(kind, ())]
    return datagram_groups(result)
