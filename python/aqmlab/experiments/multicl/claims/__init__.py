"""The checks of this study that no other paper needs, by theme."""

from aqmlab.experiments.multicl.claims import responses, traffic

CHECKS = (
    responses.loses_more,
    responses.degrades_more,
    traffic.generated,
    traffic.quickest,
    traffic.offered_percent,
)
"""What the statements of `claims.toml` may name besides the common checks."""
NUMBERS = ()
"""Numbers of a run that `of` may name besides the registered quantities."""
