"""`aqmlab.frame`: the quantities of any results as one tidy table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.comparison.reading import results_of
from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.summary import row_of
from aqmlab.statistics.tidy import tidy_table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from aqmlab.comparison.reading import Results
    from aqmlab.statistics.quantity import Quantity


@arguments.checked(
    UnknownQuantityError,
    quantities=arguments.optional(arguments.quantities),
    links=arguments.links,
)
def frame(
    results: Results, quantities: Sequence[Quantity | str] | None = None, *, links: Sequence[str] = ()
) -> pa.Table:
    """The quantities of results as a tidy table: one row for each configuration, seed and quantity.

    `polars.from_arrow` and `pandas` (`.to_pandas()`) take the table as it is, DuckDB queries it by name.

    Args:
        results: A result, results by name, a list of results or of their folders, the folder of a
            comparison, a `Comparison` or a `SweepResults`.
        quantities: Quantities by name (`aqmlab.quantities` lists them); by default throughput, utilization,
            loss, queue, response times and page load times.
        links: The links that loss, throughput and so on are of; by default those that carry data.

    Returns:
        The columns `configuration`, `seed`, `quantity`, `unit` and `value`. A value that a run did not record
        is null, as is that of a group that only other results have; an infinite one is longer than the run
        could see.

    Raises:
        UnknownQuantityError: No quantity has one of the names, or no result the group that it is of; the
            message lists them.
        UnknownLinkError: A link is not monitored.
        ResultError: A folder contains no result.
    """
    wanted = row_of() if quantities is None else quantities
    return tidy_table_of(results_of(results), wanted, links=links)
