"""One comparison: configurations beside a baseline, paired seed by seed.

`compare` makes one from a scenario and schemes, or from results at hand; `Comparison` holds levels,
differences, curves and verdicts. What may be paired is in `pairing`.
"""

from aqmlab.comparison.asked import keep_compared
from aqmlab.comparison.change import Change, Level, Values, exceeds, leaves_out_zero, paired_difference
from aqmlab.comparison.comparison import Comparison
from aqmlab.comparison.curve import CurveDifference
from aqmlab.comparison.making import compare, configurations
from aqmlab.comparison.reading import (
    read_configurations,
    read_first_stage,
    require_one_comparison,
    unfinished,
)
from aqmlab.comparison.running import lengthened
from aqmlab.errors import ComparisonError

__all__ = [
    "Change",
    "Comparison",
    "ComparisonError",
    "CurveDifference",
    "Level",
    "Values",
    "compare",
    "configurations",
    "exceeds",
    "keep_compared",
    "leaves_out_zero",
    "lengthened",
    "paired_difference",
    "read_configurations",
    "read_first_stage",
    "require_one_comparison",
    "unfinished",
]
