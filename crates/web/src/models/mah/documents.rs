//! Counts of files and documents: the discrete Weibull law, and what a file says instead.

use aqmlab_random::{EmpiricalTable, Interpolation, Law};

// Beyond this share of larger counts no population meets one.
const NEGLIGIBLE_SHARE: f64 = 1e-10;
const BISECTIONS: usize = 80;
// Shapes between which every legal mean lies; the smaller, the heavier the tail.
const SHAPES: (f64, f64) = (0.2, 8.0);
const MOST: u32 = 100_000;

/// The law of Nakagawa and Osaki with this probability of the count 1, and this mean, as a table of steps.
///
/// The parameters' legal ranges keep the mean within what shapes from 0.2 to 8 can give; beyond, the nearest
/// one.
pub(super) fn discrete_weibull(share_of_one: f64, mean: f64) -> Law {
    if share_of_one >= 1.0 {
        return Law::Constant(1.0);
    }
    let log_more_than_one = libm::log1p(-share_of_one);
    let (mut low, mut high) = SHAPES;
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if mean_of(log_more_than_one, middle) > mean { low = middle } else { high = middle }
    }
    let shape = f64::midpoint(low, high);
    let mut knots = Vec::new();
    for count in 1..=MOST {
        let more = share_above(log_more_than_one, shape, count);
        let last = more < NEGLIGIBLE_SHARE || count == MOST;
        knots.push((f64::from(count), if last { 1.0 } else { 1.0 - more }));
        if last {
            break;
        }
    }
    Law::Empirical(EmpiricalTable::new(&knots, Interpolation::Step).expect("shares of more decrease"))
}

/// P(X > count).
fn share_above(log_more_than_one: f64, shape: f64, count: u32) -> f64 {
    libm::exp(log_more_than_one * libm::pow(f64::from(count), shape))
}

/// The sum of P(X > n) over n = 0, 1, 2…
fn mean_of(log_more_than_one: f64, shape: f64) -> f64 {
    let terms = (1..=MOST).map(|count| share_above(log_more_than_one, shape, count));
    1.0 + terms.take_while(|&share| share >= NEGLIGIBLE_SHARE).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_above_in(law: &Law, count: f64) -> f64 {
        match law {
            Law::Empirical(table) => 1.0 - table.share_at_most(count),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_and_documents_come_close_to_the_measured_shares() {
        // Shares of documents with more files, and of visits with more documents, of the full tables.
        let files =
            [(1.0, 0.5136), (2.0, 0.3084), (3.0, 0.2186), (6.0, 0.0957), (10.0, 0.0388), (19.0, 0.0070)];
        let visits =
            [(1.0, 0.6443), (2.0, 0.4506), (4.0, 0.2530), (8.0, 0.1186), (10.0, 0.0988), (19.0, 0.0079)];
        for (share_of_one, mean, measured) in [(0.4864, 2.915, files), (0.3557, 4.087, visits)] {
            let law = discrete_weibull(share_of_one, mean);
            assert!((law.mean() - mean).abs() < 1e-6, "{}", law.mean());
            for (count, share) in measured {
                let ours = share_above_in(&law, count);
                assert!((ours - share).abs() < 0.035, "more than {count}: {ours} for {share}");
            }
        }
    }

    #[test]
    fn a_shape_of_one_is_geometric() {
        // Mean 2.5 with P(1) = 0.4 is the geometric law: P(X > n) = 0.6^n.
        let law = discrete_weibull(0.4, 2.5);
        for (count, share) in [(1.0, 0.6), (2.0, 0.36), (5.0, 0.077_76)] {
            assert!((share_above_in(&law, count) - share).abs() < 1e-6);
        }
    }

    #[test]
    fn everything_in_one_is_one() {
        assert_eq!(discrete_weibull(1.0, 1.0).quantile(0.999), 1.0);
    }
}
