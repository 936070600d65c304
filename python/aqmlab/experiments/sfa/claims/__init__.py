"""The checks of this study that no other paper needs."""

from aqmlab.experiments.sfa.claims import filters

CHECKS = (
    filters.gain_admissible,
    filters.false_positives,
    filters.friendly_rate,
    filters.drops_are_linear,
    filters.equivalent_load,
    filters.times_as_much,
)
"""What the statements of `claims.toml` may name besides the common checks."""
NUMBERS = (filters.fairness_of_classes,)
"""Numbers of a run that `of` may name besides the registered quantities."""
