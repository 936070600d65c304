//! Request lengths measured by Mah in 1995.
//!
//! Source: B. A. Mah, *An Empirical Model of HTTP Network Traffic* (INFOCOM 1997), condensed into 110 bins per
//! quantity (1 % of the probability each, finer above 99 %), a bin being represented by its mean. The
//! condensation keeps the mean of each quantity exactly and its quantiles to within one bin: 396.2 B for
//! primary and 335.8 B for secondary requests, both with two humps (about 230 B and 1,100 B).

use aqmlab_random::{EmpiricalTable, Interpolation, Law};

const COMPACT_BINS: &str = include_str!("../data/mah_compact_bins.csv");

/// Lengths of requests for primary (top-level) files, in bytes.
pub(crate) fn primary_request_bytes() -> Law {
    table("mah_request_primary_bytes")
}

/// Lengths of requests for secondary (embedded) files, in bytes.
pub(crate) fn secondary_request_bytes() -> Law {
    table("mah_request_secondary_bytes")
}

fn table(quantity: &str) -> Law {
    let knots: Vec<(f64, f64)> = COMPACT_BINS.lines().filter_map(|line| knot(line, quantity)).collect();
    let table = EmpiricalTable::new(&knots, Interpolation::Step);
    Law::Empirical(table.expect("the shipped table is in order: a test reads it"))
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
        // Means of the full tables, 1,726 and 3,304 requests.
        for (law, mean) in [(primary_request_bytes(), 396.2), (secondary_request_bytes(), 335.8)] {
            assert!((law.mean() - mean).abs() < 0.05, "{} against {mean}", law.mean());
        }
    }

    #[test]
    fn the_quantiles_are_those_of_the_measured_tables_to_within_a_bin() {
        // 10 %, 50 %, 90 % points of the full tables; a bin reaches one percent further on either side.
        let rows = [
            (primary_request_bytes(), [175.0, 238.0, 1114.0]),
            (secondary_request_bytes(), [142.0, 227.0, 1057.0]),
        ];
        for (law, measured) in rows {
            for (share, bytes) in [0.1, 0.5, 0.9].into_iter().zip(measured) {
                let around = law.quantile(share - 0.015)..=law.quantile(share + 0.015);
                assert!(around.contains(&bytes), "{share}: {bytes} not in {around:?}");
            }
        }
    }
}
