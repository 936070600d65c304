//! When a packet that a link has sent arrives at its far end, where that varies.
//!
//! ```text
//! arrives     when it was sent, and the delay that holds then, and the jitter; a packet that is reordered
//!             when it was sent
//! order       a packet that is not reordered never arrives before one sent earlier, unless that is asked for
//! ```

use crate::netem::{Correlated, Netem};
use crate::steps::{StepClock, Steps};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// How long packets are under way behind a link, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayModel {
    /// The delay that holds at each instant.
    pub delay: Steps<Span>,
    /// Jitter and reordering.
    pub netem: Netem,
}

impl DelayModel {
    /// A delay of this length, or one that steps, with jitter and reordering; none where it is constant.
    #[must_use]
    pub fn new(delay: Span, steps: Option<Steps<Span>>, netem: Option<Netem>) -> Option<Self> {
        let netem = netem.unwrap_or_default();
        let moves = netem.jitter_ms > 0.0 || netem.reorder_probability > 0.0;
        if steps.is_none() && !moves {
            return None;
        }
        let constant = || Steps::new([Span::ZERO].into(), [delay].into(), Span::from_seconds(1.0), false);
        Some(Self { delay: steps.unwrap_or_else(constant), netem })
    }

    /// Whether a packet may arrive before one that was sent earlier.
    #[must_use]
    pub fn reorders(&self) -> bool {
        !self.netem.keeps_order || self.netem.reorder_probability > 0.0
    }
}

/// A delay on its way.
#[derive(Clone)]
pub struct VaryingDelay {
    delay: StepClock<Span>,
    netem: Netem,
    jitter: Correlated,
    /// The jitter of the present interval.
    held: f64,
    coins: Correlated,
    /// Packets since the last that was reordered.
    in_order: u32,
    /// When the last of the packets arrives that keep their order.
    latest: Time,
}

impl VaryingDelay {
    /// The delay of a link; its random numbers are at a key.
    #[must_use]
    pub fn new(model: &DelayModel, key: Key) -> Self {
        let netem = model.netem;
        Self {
            delay: StepClock::new(model.delay.clone()),
            netem,
            jitter: Correlated::new(key.named("jitter"), netem.jitter_correlation),
            held: 0.0,
            coins: Correlated::new(key.named("reordering"), netem.reorder_correlation),
            in_order: 0,
            latest: Time::ZERO,
        }
    }

    /// When a packet arrives that has been sent at an instant, which is never before an earlier one.
    pub fn arrival(&mut self, sent: Time) -> Time {
        if self.is_reordered() {
            return sent;
        }
        let delay = self.delay.at(sent).nanoseconds() as f64 + self.jitter_ns(sent);
        let arrives = sent + Span::from_nanoseconds(delay.max(0.0).round() as u64);
        if !self.netem.keeps_order {
            return arrives;
        }
        self.latest = self.latest.max(arrives);
        self.latest
    }

    fn is_reordered(&mut self) -> bool {
        if self.netem.reorder_probability == 0.0 {
            return false;
        }
        let may = self.in_order + 1 >= self.netem.reorder_gap;
        if may && self.coins.next() < self.netem.reorder_probability {
            self.in_order = 0;
            return true;
        }
        self.in_order = self.in_order.saturating_add(1);
        false
    }

    fn jitter_ns(&mut self, now: Time) -> f64 {
        let Netem { jitter_ms, jitter_distribution, jitter_interval_ms, .. } = self.netem;
        if jitter_ms == 0.0 {
            return 0.0;
        }
        let drawn = if jitter_interval_ms > 0.0 {
            let interval = now.nanoseconds() / Span::from_seconds(jitter_interval_ms / 1e3).nanoseconds();
            while self.jitter.drawn() <= interval {
                self.held = self.jitter.next();
            }
            self.held
        } else {
            self.jitter.next()
        };
        1e6 * jitter_ms * jitter_distribution.quantile(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netem::Jitter;

    fn ms(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + ms(milliseconds)
    }

    fn arrivals(model: &DelayModel, sent_ms: impl IntoIterator<Item = u64>) -> Vec<Time> {
        let mut delay = VaryingDelay::new(model, Key::from_seed(1));
        sent_ms.into_iter().map(|sent| delay.arrival(at(sent))).collect()
    }

    /// 50 ms, and 10 ms from 100 ms on.
    fn falling() -> Steps<Span> {
        Steps::new([ms(0), ms(100)].into(), [ms(50), ms(10)].into(), ms(200), false)
    }

    #[test]
    fn where_the_delay_falls_packets_wait_for_those_before_them_unless_they_may_overtake() {
        let sent = [0, 90, 100, 120, 140];
        let in_order = DelayModel::new(Span::ZERO, Some(falling()), None).unwrap();
        assert_eq!(arrivals(&in_order, sent), [50, 140, 140, 140, 150].map(at));
        assert!(!in_order.reorders());
        let netem = Netem { keeps_order: false, ..Netem::default() };
        let free = DelayModel::new(Span::ZERO, Some(falling()), Some(netem)).unwrap();
        assert_eq!(arrivals(&free, sent), [50, 140, 110, 130, 150].map(at));
    }

    #[test]
    fn a_constant_delay_does_not_vary() {
        assert_eq!(DelayModel::new(ms(5), None, None), None);
        assert_eq!(
            DelayModel::new(ms(5), None, Some(Netem { duplicate_probability: 0.5, ..Netem::default() })),
            None
        );
    }

    #[test]
    fn each_third_packet_goes_first_with_a_gap_of_three_and_certainty() {
        let netem = Netem { reorder_probability: 1.0, reorder_gap: 3, ..Netem::default() };
        let model = DelayModel::new(ms(20), None, Some(netem)).unwrap();
        assert_eq!(arrivals(&model, 0..6), [20, 21, 2, 23, 24, 5].map(at));
    }

    #[test]
    fn reordered_packets_are_a_share() {
        let netem = Netem { reorder_probability: 0.25, ..Netem::default() };
        let model = DelayModel::new(ms(20), None, Some(netem)).unwrap();
        let packets = 100_000;
        let early =
            arrivals(&model, 0..packets).iter().zip(0..).filter(|(time, sent)| **time == at(*sent)).count();
        let error = (0.25 * 0.75 / packets as f64).sqrt();
        assert!((early as f64 / packets as f64 - 0.25).abs() < 4.0 * error, "{early}");
    }

    #[test]
    fn uniform_jitter_has_its_bounds_mean_and_variance() {
        let netem = Netem { jitter_ms: 5.0, keeps_order: false, ..Netem::default() };
        let model = DelayModel::new(ms(20), None, Some(netem)).unwrap();
        let packets = 100_000_u64;
        let delays: Vec<f64> = arrivals(&model, (0..packets).map(|n| 100 * n))
            .iter()
            .zip(0..)
            .map(|(time, n)| 1e3 * (*time - at(100 * n)).seconds())
            .collect();
        assert!(delays.iter().all(|delay| (15.0..=25.0).contains(delay)));
        let mean = delays.iter().sum::<f64>() / packets as f64;
        let variance =
            delays.iter().map(|delay| (delay - mean) * (delay - mean)).sum::<f64>() / packets as f64;
        // Variance 10²/12; of the mean its square root over √n, of the variance (10⁴/180)/n.
        assert!((mean - 20.0).abs() < 4.0 * (100.0_f64 / 12.0 / packets as f64).sqrt(), "{mean}");
        assert!(
            (variance - 100.0 / 12.0).abs() < 4.0 * (1e4_f64 / 180.0 / packets as f64).sqrt(),
            "{variance}"
        );
    }

    #[test]
    fn one_jitter_holds_for_its_interval_whoever_asks() {
        let netem = Netem {
            jitter_ms: 5.0,
            jitter_distribution: Jitter::Normal,
            jitter_interval_ms: 15_000.0,
            ..Netem::default()
        };
        let model = DelayModel::new(ms(30), None, Some(netem)).unwrap();
        let delay = |sent_ms: &[u64]| -> Vec<Span> {
            let arrivals = arrivals(&model, sent_ms.iter().copied());
            arrivals.iter().zip(sent_ms).map(|(arrival, sent)| *arrival - at(*sent)).collect()
        };
        let [first, second, third, fourth] = delay(&[0, 14_000, 15_100, 29_900])[..] else { unreachable!() };
        assert_eq!((first, third), (second, fourth));
        assert_ne!(first, third);
        assert_eq!(delay(&[20_000]), [third], "an idle link has the same");
    }
}
