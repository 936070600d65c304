"""Numbers of many runs as one tidy table: a row for each configuration, seed and quantity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pyarrow as pa

from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.parts import require_known_part
from aqmlab.statistics.quantities import Measured, by_name
from aqmlab.statistics.recorded import seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.recorded import Recorded

COLUMNS = pa.schema(
    [
        ("configuration", pa.string()),
        ("seed", pa.uint64()),
        ("quantity", pa.string()),
        ("unit", pa.string()),
        ("value", pa.float64()),
        ("at_least", pa.float64()),
        ("at_most", pa.float64()),
    ]
)
"""The columns of the table. A value that a run did not record is null. Where a run has only one bound of it,
the value is infinite and the bound stands in `at_least` or `at_most`; between two bounds the value is null,
and both stand there; elsewhere both are the value."""


def tidy_table(
    names: Iterable[str],
    seeds: Sequence[int],
    quantities: Sequence[Quantity],
    observed: Callable[[str, Quantity], Iterable[Observation]],
) -> pa.Table:
    """The table, configuration by configuration and quantity by quantity.

    Args:
        names: The configurations.
        seeds: Their seeds, in order.
        quantities: The quantities.
        observed: Of a configuration and a quantity what each seed says of it.
    """
    return tidy_rows(
        (name, seed, quantity.name, quantity.unit, each)
        for name in names
        for quantity in quantities
        for seed, each in zip(seeds, observed(name, quantity), strict=True)
    )


def tidy_rows(observations: Iterable[tuple[str, int, str, str, Observation]]) -> pa.Table:
    """The table of observations, each with its configuration, seed, quantity and unit."""
    rows = [(*whose, *_numbers(each)) for *whose, each in observations]
    columns = zip(*rows, strict=True) if rows else [[] for _ in COLUMNS]
    arrays = [pa.array(list(each), type=kind.type) for each, kind in zip(columns, COLUMNS, strict=True)]
    return pa.Table.from_arrays(arrays, schema=COLUMNS)


def tidy_numbers(numbers: Iterable[tuple[str, int, Mapping[str, float | None]]]) -> pa.Table:
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


_UNITS = {"ms": "ms", "s": "s", "percent": "%", "mbps": "Mbit/s", "rpm": "1/min"}


def _unit(name: str) -> str:
    return _UNITS[name.rpartition("_")[2]]


class Tidy:
    """What is one tidy table for programs."""

    def to_arrow(self) -> pa.Table:
        """One row for each configuration, seed and quantity: the columns of `aqmlab.frame`."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """`to_arrow` as a data frame of pandas."""
        return as_pandas(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def as_pandas(table: pa.Table) -> pd.DataFrame:
    """The table as a data frame of pandas.

    Raises:
        ImportError: pandas is not installed.
    """
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
    at_least, at_most = (end if math.isfinite(end) else None for end in (each.lower, each.upper))
    return value, at_least, at_most


def tidy_table_of(
    results: Mapping[str, Sequence[Recorded]],
    quantities: Sequence[Quantity | str],
    *,
    links: Sequence[str] = (),
) -> pa.Table:
    """The table of results by name; configurations may have different seeds.

    Raises:
        UnknownQuantityError: No quantity has one of the names, or no run the group that it is of.
        UnknownLinkError: A link is not monitored.
    """
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
    """Quantities that were given themselves, or by name.

    Raises:
        UnknownQuantityError: No quantity has one of the names, or no result the group that it is of.
    """
    UnknownQuantityError.require_list("quantities", quantities, "['loss_percent']")
    wanted = [by_name(each) for each in quantities]
    for each in wanted:
        require_known_part(each, results)
    return wanted
