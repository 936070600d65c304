"""`aqmlab.frame`: the quantities of any results as one tidy table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.comparison.reading import results_of
from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.tidy import tidy_table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from aqmlab.comparison.reading import Results
    from aqmlab.statistics.quantity import Quantity


@arguments.checked(UnknownQuantityError)
def frame(
    results: Results, quantities: Sequence[Quantity | str] | None = None, *, links: Sequence[str] = ()
) -> pa.Table:
    """The quantities of results as a tidy table: one row for each configuration, seed and quantity.

    `polars.from_arrow` and `pandas` (`.to_pandas()`) take the table as it is, DuckDB queries it by name.

    Args:
        results: A result, results by name, a list of results or of their folders, the folder of a
            comparison, a `Comparison` or a `SweepResults`.
        quantities: Quantities by name (`aqmlab.quantities` lists them); by default those that `compare`
            shows.
        links: The links that loss, throughput and so on are of; by default those that carry data.

    Returns:
        The columns `configuration`, `seed`, `who`, `quantity`, `unit`, `value`, `at_least` and `at_most`.
        `who` is the group or link of a number, null where it is of all together. A value that a run did not
        record is null, as is that of a group that only other results have. Where a run has only one bound,
        the value is infinite and the bound stands in `at_least` or `at_most`; between two bounds it is null,
        and both stand there; elsewhere both are the value.

    Raises:
        UnknownQuantityError: No quantity has one of the names, or no result the group that it is of; the
            message lists them.
        UnknownLinkError: A link is not monitored.
        ResultError: A folder contains no result.
    """
    by_name = results_of(results)
    if quantities is None:
        quantities = shown_of_all([result for each in by_name.values() for result in each], links)
    return tidy_table_of(by_name, quantities, links=links)
