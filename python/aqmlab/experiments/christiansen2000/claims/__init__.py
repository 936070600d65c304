"""The checks of Christiansen, Jeffay, Ott and Smith (SIGCOMM 2000) that no other paper needs, by theme."""

from aqmlab.experiments.christiansen2000.claims import generators, queues, settings, settling, table3

CHECKS = (
    generators.linear,
    generators.offered,
    generators.requests_of_table_2,
    queues.grows_faster,
    queues.never_drops_more,
    queues.never_full,
    queues.no_overflow,
    queues.short_against_long,
    queues.little_difference_up_to,
    queues.better_for_the_shorter,
    settings.settings_of_table_4,
    settings.criteria_differ,
    settings.considerably_worse,
    settings.more_harm,
    settling.settled,
    table3.rows_of_table_3,
)
"""What the statements of `claims.toml` may name besides the common checks."""
NUMBERS = (
    generators.dispersion_of_requests,
    generators.dispersion_of_bytes,
)
"""Numbers of a run that `of` may name besides the registered quantities."""
