//! What Mah measured in 1995: lengths of requests and replies, think times.
//!
//! Source: B. A. Mah, *An Empirical Model of HTTP Network Traffic* (INFOCOM 1997), condensed into 110 bins
//! per quantity (1 % of the probability each, finer above 99 %), a bin being represented by its mean. The
//! condensation keeps the mean of each quantity exactly and its quantiles to within one bin: 396.2 B for
//! primary and 335.8 B for secondary requests, both with two humps (about 230 B and 1,100 B); 17,932 B for
//! primary and 6,868 B for secondary replies; 1,312.5 s for think times, which run up to a day.

use aqmlab_random::{EmpiricalTable, Interpolation, Law};

const COMPACT_BINS: &str = include_str!("../data/mah_compact_bins.csv");

/// Lengths of requests for primary (top-level) files, in bytes.
pub(crate) fn primary_request_bytes() -> Law {
    Law::Empirical(table("mah_request_primary_bytes"))
}

/// Lengths of requests for secondary (embedded) files, in bytes.
pub(crate) fn secondary_request_bytes() -> Law {
    Law::Empirical(table("mah_request_secondary_bytes"))
}

/// Lengths of replies with primary (top-level) files, in bytes.
pub(crate) fn primary_reply_bytes() -> Law {
    Law::Empirical(table("mah_reply_primary_bytes"))
}

/// Lengths of replies with secondary (embedded) files, in bytes.
pub(crate) fn secondary_reply_bytes() -> Law {
    Law::Empirical(table("mah_reply_secondary_bytes"))
}

/// Think times in seconds, all of them.
pub(crate) fn think_seconds() -> EmpiricalTable {
    table("mah_think_time_s")
}

/// The share of think times at or below `seconds`. The mean of a bin stands in its middle and the share rises
/// linearly from one mean to the next, so that a cut between two means takes part of a bin.
pub(crate) fn think_share_at_most(seconds: f64) -> f64 {
    let knots = knots("mah_think_time_s");
    let (mut mean_below, mut share_below, mut bin_begins) = (0.0, 0.0, 0.0);
    for (mean, bin_ends) in knots {
        let middle = f64::midpoint(bin_begins, bin_ends);
        if seconds < mean {
            return share_below + (middle - share_below) * (seconds - mean_below) / (mean - mean_below);
        }
        (mean_below, share_below, bin_begins) = (mean, middle, bin_ends);
    }
    1.0
}

fn table(quantity: &str) -> EmpiricalTable {
    let table = EmpiricalTable::new(&knots(quantity), Interpolation::Step);
    table.expect("the shipped table is in order: a test reads it")
}

fn knots(quantity: &str) -> Vec<(f64, f64)> {
    COMPACT_BINS.lines().filter_map(|line| knot(line, quantity)).collect()
}

/// A row is: quantity, share below the bin, share up to and with the bin, mean of the bin.
fn knot(line: &str, quantity: &str) -> Option<(f64, f64)> {
    let mut columns = line.split(',');
    if columns.next()? != quantity {
        return None;
    }
    let share = columns.nth(1)?.parse().ok()?;
    let value = columns.next()?.parse().ok()?;
    Some((value, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_means_are_those_of_the_measured_tables() {
        // Means of the full tables, 1,726 primary and 3,304 secondary files, 1,678 think times.
        let rows = [
            (primary_request_bytes(), 396.2, 0.05),
            (secondary_request_bytes(), 335.8, 0.05),
            (primary_reply_bytes(), 17_932.0, 0.5),
            (secondary_reply_bytes(), 6_867.6, 0.05),
            (Law::Empirical(think_seconds()), 1_312.5, 0.05),
        ];
        for (law, mean, rounding) in rows {
            assert!((law.mean() - mean).abs() < rounding, "{} against {mean}", law.mean());
        }
    }

    #[test]
    fn the_largest_reply_is_there() {
        // One reply in 1,726 had 8,146,976 bytes; the last bin holds 0.04 % of the table, so that reply
        // alone.
        assert!((primary_reply_bytes().quantile(0.99999) - 8_146_976.0).abs() < 1.0);
    }

    #[test]
    fn the_share_of_short_think_times_is_that_of_the_measured_table() {
        // Of the full table: 6.3 % above 2,190 s. The share rises all the way from 0 to 1.
        assert!((think_share_at_most(2_190.0) - 0.937).abs() < 0.0015);
        let seconds = [0.0, 1.0, 15.0, 100.0, 2_000.0, 2_100.0, 50_000.0, 86_395.0];
        assert!(seconds.windows(2).all(|pair| think_share_at_most(pair[0]) < think_share_at_most(pair[1])));
        assert_eq!((think_share_at_most(0.0), think_share_at_most(86_395.0)), (0.0, 1.0));
    }

    #[test]
    fn the_quantiles_are_those_of_the_measured_tables_to_within_a_bin() {
        // 10 %, 50 %, 90 % points of the full tables; a bin reaches one percent further on either side.
        let rows = [
            (primary_request_bytes(), [175.0, 238.0, 1114.0]),
            (secondary_request_bytes(), [142.0, 227.0, 1057.0]),
            (primary_reply_bytes(), [308.0, 2_099.0, 11_606.0]),
            (secondary_reply_bytes(), [103.0, 1_981.0, 16_918.0]),
            (Law::Empirical(think_seconds()), [2.36, 15.3, 538.0]),
        ];
        for (law, measured) in rows {
            for (share, bytes) in [0.1, 0.5, 0.9].into_iter().zip(measured) {
                let around = law.quantile(share - 0.015)..=law.quantile(share + 0.015);
                assert!(around.contains(&bytes), "{share}: {bytes} not in {around:?}");
            }
        }
    }
}
