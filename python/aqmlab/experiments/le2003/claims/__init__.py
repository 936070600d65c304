"""The checks of Le, Aikat, Jeffay and Smith (SIGCOMM 2003) that no other paper needs, by theme."""

from aqmlab.experiments.le2003.claims import responses, scatter, table, tails, traffic

CHECKS = (
    responses.ecn_removes_extra_timeouts,
    responses.spared,
    responses.lost_like_data,
    responses.flat_before_one_second,
    responses.larger_gain,
    responses.gains_more_from_ecn,
    responses.completes_few_more,
    responses.equal_for_the_shortest,
    responses.better_but_for_the_shortest,
    scatter.band_after,
    scatter.band_denser,
    table.higher_says_the_text,
    table.in_the_tables_order,
    table.cells_of_table_2,
    tails.tails_cross_near,
    tails.tails_cross,
    traffic.calibration_is_straight,
    traffic.slope_is_the_published,
    traffic.users_offer,
    traffic.generated_bytes,
    traffic.larger_responses,
    traffic.hurst_parameter,
    traffic.about_a_share,
    traffic.more_than_a_share,
)
"""What the statements of `claims.toml` may name besides the common checks."""
NUMBERS = (
    scatter.slow_small_percent,
    scatter.triangle_share,
    scatter.copy_margin,
)
"""Numbers of a run that `of` may name besides the registered quantities."""
