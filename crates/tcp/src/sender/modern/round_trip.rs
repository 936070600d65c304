//! Linux's estimate of the round trip, from which its retransmission timeout follows.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_rtt_estimator`, in microseconds, SRTT scaled by 8 and the
//! deviations by 4:
//!
//! | value | first sample m | later samples |
//! | --- | --- | --- |
//! | SRTT | 8m | + e, with e = m − ⌊S/8⌋ |
//! | mean deviation D | 2m | + \|e\| − ⌊D/4⌋, of which an eighth where a falling round trip would raise it |
//! | greatest D of this round trip | max(D, minimum) | max; the minimum at the begin of the next |
//! | RTTVAR V | the same | at once what is greater; at the end of a round trip a quarter towards what was smaller |
//! | RTO | ⌊S/8⌋ + V | |
//!
//! So the timeout exceeds the round trip by the minimum, 200 ms, at the least.

use crate::sequence::SequenceNumber;

/// The estimate of a connection, in microseconds with the scales of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTripEstimate {
    smoothed: i64,
    deviation: i64,
    greatest: i64,
    variation: i64,
    /// What was sent when this round trip began.
    until: SequenceNumber,
}

impl RoundTripEstimate {
    /// The smoothed round trip in microseconds.
    pub(crate) const fn smoothed(&self) -> u64 {
        (self.smoothed >> 3) as u64
    }

    /// The timeout in microseconds, before its maximum and any back-off.
    pub(crate) const fn timeout(&self) -> u64 {
        ((self.smoothed >> 3) + self.variation) as u64
    }

    /// Takes a sample, with everything before `una` acknowledged and everything before `max` sent.
    pub(crate) fn sample(
        &mut self,
        microseconds: u64,
        minimum: u64,
        una: SequenceNumber,
        max: SequenceNumber,
    ) {
        // Longer than an hour is not a round trip but a bug elsewhere.
        let (sample, minimum) = (microseconds.clamp(1, 3_600_000_000) as i64, minimum as i64);
        if self.smoothed == 0 {
            self.smoothed = sample << 3;
            self.deviation = sample << 1;
            self.variation = self.deviation.max(minimum);
            self.greatest = self.variation;
            self.until = max;
            return;
        }
        let error = sample - (self.smoothed >> 3);
        self.smoothed = (self.smoothed + error).max(1);
        let change = error.abs() - (self.deviation >> 2);
        self.deviation += if error < 0 && change > 0 { change >> 3 } else { change };
        self.greatest = self.greatest.max(self.deviation);
        self.variation = self.variation.max(self.greatest);
        if self.until.before(una) {
            if self.greatest < self.variation {
                self.variation -= (self.variation - self.greatest) >> 2;
            }
            self.until = max;
            self.greatest = minimum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_timeout_is_three_round_trips_or_one_and_200_ms() {
        let at = SequenceNumber::new;
        for (round_trip, timeout) in [(300_000, 900_000), (100_000, 300_000), (10_000, 210_000)] {
            let mut estimate = RoundTripEstimate::default();
            estimate.sample(round_trip, 200_000, at(1), at(1));
            assert_eq!(estimate.timeout(), timeout);
        }
    }

    #[test]
    fn the_variation_falls_once_in_a_round_trip_and_never_below_the_minimum() {
        let at = SequenceNumber::new;
        let mut estimate = RoundTripEstimate::default();
        estimate.sample(300_000, 200_000, at(1), at(1));
        assert_eq!((estimate.smoothed(), estimate.timeout()), (300_000, 900_000));
        // D is 600,000; a sample without error takes a quarter of it. The greatest of the first round trip is
        // 600,000, so V stays, and the next round trip begins with the minimum.
        estimate.sample(300_000, 200_000, at(2), at(10));
        assert_eq!(estimate.timeout(), 900_000);
        // D is 337,500 now, the greatest of this round trip; at its end V falls by a quarter of the
        // difference.
        estimate.sample(300_000, 200_000, at(11), at(20));
        assert_eq!(estimate.timeout(), 300_000 + 600_000 - (600_000 - 337_500) / 4);
        for round in 2..200 {
            estimate.sample(300_000, 200_000, at(10 * round + 1), at(10 * round + 10));
        }
        assert!((500_000..=500_010).contains(&estimate.timeout()), "{}", estimate.timeout());
    }

    /// The table above, with a minimum that never counts. In microseconds: e, ⌊S/8⌋, D, V.
    #[test]
    fn a_falling_round_trip_raises_the_deviation_by_an_eighth_and_the_variation_falls_at_the_end_of_a_round()
    {
        let at = SequenceNumber::new;
        let mut estimate = RoundTripEstimate::default();
        let mut timeout = |sample, una, max| {
            estimate.sample(sample, 1_000, at(una), at(max));
            estimate.timeout()
        };
        assert_eq!(timeout(100_000, 1, 10), 100_000 + 200_000);
        // e = −80,000; S/8 = 90,000; |e| − D/4 = 30,000, of which an eighth: D = V = 203,750.
        assert_eq!(timeout(20_000, 2, 11), 90_000 + 203_750);
        // e = 110,000; S/8 = 103,750; |e| − ⌊D/4⌋ = 59,063: D = V = 262,813.
        assert_eq!(timeout(200_000, 3, 12), 103_750 + 262_813);
        // e = −3,750; S = 826,250; |e| − ⌊D/4⌋ = −61,953 counts whole: D = 200,860.
        assert_eq!(timeout(100_000, 4, 13), 103_281 + 262_813);
        // The end of the round, whose greatest D is V. e = 0 from here on: D = 150,645.
        assert_eq!(timeout(103_281, 11, 20), 103_281 + 262_813);
        // D = 112,984, which is the greatest of this round.
        assert_eq!(timeout(103_281, 12, 21), 103_281 + 262_813);
        // Its end: a quarter of 262,813 − 112,984 is 37,457.
        assert_eq!(timeout(103_281, 21, 30), 103_281 + 225_356);
    }
}
