//! How many levels and bins a Stochastic Fairness Guardian needs.
//!
//! Source: Chung, Claypool, Kinicki, *Stochastic Fair Aggregate Rate Control*, 2004, section 4, equations
//! (2), (3), (5).

/// The probability that a flow shares its bins in all levels with misbehaving flows: equation (3).
///
/// Equation (2) counts surjections, which leaves the numbers of a double early; its expectation has the
/// closed form `N·(1 − (1 − 1/N)^B)`.
#[must_use]
pub fn false_positive(levels: f64, bins: f64, misbehaving: f64) -> f64 {
    let polluted = -libm::expm1(misbehaving * libm::log1p(-1.0 / bins));
    libm::pow(polluted, levels)
}

/// Bytes per second of a TCP-friendly flow with packets of `packet_bytes` over `rtt_s`, of which a share is
/// signalled: equation (5). The capacity over it is the number of bins.
#[must_use]
pub fn tcp_friendly_rate(packet_bytes: f64, rtt_s: f64, notification_rate: f64) -> f64 {
    1.5 * libm::sqrt(2.0 / 3.0) * packet_bytes / (rtt_s * libm::sqrt(notification_rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation (3) as it is printed, with equation (2): sums over whole numbers, exact as long as they stay
    /// small.
    fn as_printed(levels: u32, bins: u32, misbehaving: u32) -> f64 {
        let choose = |n: u32, k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        let power = |base: f64, times: u32| (0..times).fold(1.0, |product, _| product * base);
        let ways = |i: u32| -> f64 {
            let term = |k: u32| power(-1.0, k) * choose(i, k) * power(f64::from(i - k), misbehaving);
            (0..=i).map(term).sum()
        };
        let expected: f64 =
            (0..=misbehaving.min(bins)).map(|i| f64::from(i) * choose(bins, i) * ways(i)).sum();
        power(expected / power(f64::from(bins), misbehaving + 1), levels)
    }

    #[test]
    fn false_positives_are_the_papers() {
        // Section 4: about 0.01, 0.06 and 0.15 for 5, 10 and 15 misbehaving flows.
        for (misbehaving, share) in [(1, 1.25e-4), (5, 0.011577), (10, 0.064608), (15, 0.154602)] {
            let found = false_positive(3.0, 20.0, f64::from(misbehaving));
            assert!((found - share).abs() < 5e-7, "{misbehaving}: {found}");
            let printed = as_printed(3, 20, misbehaving);
            assert!((found / printed - 1.0).abs() < 1e-6, "{misbehaving}: {found}, printed {printed}");
        }
        for (levels, share) in [(1.0, 0.226219), (2.0, 0.051175), (4.0, 0.002619)] {
            assert!((false_positive(levels, 20.0, 5.0) - share).abs() < 5e-7);
        }
    }

    #[test]
    fn a_tcp_friendly_flow_at_one_per_cent_is_half_a_megabit_per_second() {
        let rate = tcp_friendly_rate(1500.0, 0.3, 0.01);
        assert!((rate * 8e-6 - 0.48990).abs() < 5e-6, "{rate}");
        assert!((tcp_friendly_rate(1500.0, 0.3, 0.02) * 8e-6 - 0.34641).abs() < 5e-6);
        assert_eq!((10e6 / (8.0 * rate)).round(), 20.0, "bins at 10 Mbit/s");
    }
}
