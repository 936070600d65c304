"""The checks of this study that no other paper needs, by theme."""

from aqmlab.experiments.multicl.claims import traffic

CHECKS = (
    traffic.loses_more,
    traffic.degrades_more,
    traffic.generated,
    traffic.quickest,
    traffic.offered_percent,
)
"""What the statements of `claims.toml` may name besides the common checks."""
NUMBERS = ()
"""Numbers of a run that `of` may name besides the registered quantities."""
