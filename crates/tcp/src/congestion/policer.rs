//! Whether a policer stands on the path, and the rate that it lets through.
//!
//! Source: Linux net/ipv4/tcp_bbr.c `bbr_lt_bw_sampling`; Flach et al., "An Internet-Wide Analysis of Traffic
//! Policing", SIGCOMM 2016. An interval begins and ends with a loss, when the policer has no tokens; it lasts
//! 4 to 16 rounds, and a fifth as much was lost in it as arrived. Two intervals with the same rate, by an
//! eighth or by 4 kbit/s, are a policer's: their mean is used for 48 rounds.

use super::path_model::seconds_since;
use aqmlab_units::Time;

/// Rounds of an interval; that many times four are too many.
const ROUNDS: u32 = 4;
/// 50/256 of what arrived.
const LOSS: f64 = 50.0 / 256.0;
const DIFFERENCE: f64 = 1.0 / 8.0;
const DIFFERENCE_BITS_PER_S: f64 = 4_000.0;
const LEAST_INTERVAL_S: f64 = 0.001;
const USED_ROUNDS: u32 = 48;

/// Segments that ever arrived and were lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) delivered: u64,
    pub(super) lost: u64,
}

/// What is known of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policer {
    packet_bits: f64,
    /// Whether an interval has begun, and whether the rate is used.
    samples: bool,
    used: bool,
    /// Of the interval before, in segments a second; zero before the first.
    rate: f64,
    /// Of this interval, or of the time in which the rate is used.
    rounds: u32,
    since: Time,
    counted: Counted,
}

impl Policer {
    pub(super) fn new(packet_bytes: u32) -> Self {
        Self {
            packet_bits: 8.0 * f64::from(packet_bytes),
            samples: false,
            used: false,
            rate: 0.0,
            rounds: 0,
            since: Time::ZERO,
            counted: Counted::default(),
        }
    }

    /// What it lets through, in segments a second; none if there is none.
    #[inline]
    pub(super) fn rate(&self) -> Option<f64> {
        self.used.then_some(self.rate)
    }

    const fn begin(&mut self, now: Time, counted: Counted) {
        (self.since, self.counted, self.rounds) = (now, counted, 0);
    }

    /// Nothing is known of one.
    pub(super) const fn forget(&mut self) {
        (self.samples, self.used, self.rate, self.rounds) = (false, false, 0.0, 0);
    }

    /// An acknowledgement: whether a round begins with it, and counts where the rate is used; whether it
    /// shows a loss, and whether the application limits it. Answers whether the rate has been used for long
    /// enough.
    pub(super) fn look(
        &mut self,
        now: Time,
        counted: Counted,
        round: Option<bool>,
        loses: bool,
        limited: bool,
    ) -> bool {
        if self.used {
            self.rounds += u32::from(round == Some(true));
            let is_over = round == Some(true) && self.rounds >= USED_ROUNDS;
            if is_over {
                self.forget();
            }
            return is_over;
        }
        if self.samples || loses {
            self.sample(now, counted, round.is_some(), loses, limited);
        }
        false
    }

    fn sample(&mut self, now: Time, counted: Counted, round_begins: bool, loses: bool, limited: bool) {
        if !self.samples {
            self.begin(now, counted);
            self.samples = true;
        }
        if limited {
            return self.forget();
        }
        self.rounds += u32::from(round_begins);
        if self.rounds > 4 * ROUNDS {
            return self.forget();
        }
        let delivered = (counted.delivered - self.counted.delivered) as f64;
        let lost = (counted.lost - self.counted.lost) as f64;
        let interval_s = seconds_since(self.since, now);
        let is_complete = loses && self.rounds >= ROUNDS && interval_s >= LEAST_INTERVAL_S;
        if !is_complete || delivered == 0.0 || lost < LOSS * delivered {
            return;
        }
        let rate = delivered / interval_s;
        let difference = (rate - self.rate).abs();
        let agrees =
            difference <= DIFFERENCE * self.rate || difference * self.packet_bits <= DIFFERENCE_BITS_PER_S;
        if self.rate > 0.0 && agrees {
            self.rate = f64::midpoint(rate, self.rate);
            (self.used, self.rounds) = (true, 0);
        } else {
            self.rate = rate;
            self.begin(now, counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One round of 100 ms in which so many arrive and are lost, the last acknowledgement showing it.
    fn after(policer: &mut Policer, rounds: std::ops::Range<u64>, delivered: u64, lost: u64) -> Option<f64> {
        for round in rounds {
            let now = Time::from_seconds(0.1 * round as f64);
            let counted = Counted { delivered: delivered * round, lost: lost * round };
            policer.look(now, counted, Some(true), true, false);
        }
        policer.rate()
    }

    /// 100 arrive and 30 are lost in a round of 100 ms: 1,000 a second, known after the first loss and two
    /// intervals of four rounds.
    #[test]
    fn two_intervals_with_a_fifth_lost_and_the_same_rate_are_a_policers() {
        let mut policer = Policer::new(1_500);
        // The first round begins the first interval, and counts.
        assert_eq!(after(&mut policer, 0..7, 100, 30), None);
        let rate = after(&mut policer, 7..8, 100, 30).expect("two intervals");
        assert!((rate - 1_000.0).abs() < 1e-6, "{rate}");
        let mut others = 0;
        while !policer.look(Time::from_seconds(2.0), Counted::default(), Some(true), true, false) {
            others += 1;
        }
        assert_eq!((others, policer.rate()), (47, None));
    }

    #[test]
    fn less_than_a_fifth_is_no_policers() {
        let mut policer = Policer::new(1_500);
        assert_eq!(after(&mut policer, 0..40, 100, 19), None);
    }

    #[test]
    fn what_the_application_limits_tells_nothing() {
        let mut policer = Policer::new(1_500);
        after(&mut policer, 0..7, 100, 30);
        let counted = Counted { delivered: 700, lost: 210 };
        policer.look(Time::from_seconds(0.7), counted, Some(true), true, true);
        assert_eq!(after(&mut policer, 8..15, 100, 30), None);
        assert!(after(&mut policer, 15..17, 100, 30).is_some());
    }
}
