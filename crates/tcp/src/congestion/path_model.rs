//! What the controllers share that model the path: its rate and its aggregation, and the pace that follows.
//!
//! Source: draft-ietf-ccwg-bbr sections 5.5.9 (aggregation), 5.6.2 (pacing rate) and 5.6.3 (send quantum), as
//! Linux net/ipv4/tcp_bbr.c has them; K. Nichols' filter of a maximum (Linux lib/win_minmax.c).

use aqmlab_units::{Rate, Span, Time};

/// Segments below which a window is never cut: two under way and two acknowledged.
pub(super) const LEAST_WINDOW: u32 = 4;
/// Of the estimated rate, what is paced: 1 % less.
const MARGIN: f64 = 0.99;
/// The round trip that stands for one that is not known yet, in seconds.
const NOMINAL_ROUND_TRIP_S: f64 = 0.001;
/// A quantum is 64 KiB at the most.
const MOST_QUANTUM_BYTES: u32 = 65_536;
/// Below so many bits a second a quantum may be one segment.
const SLOW: f64 = 1_200_000.0;
/// Microseconds of the least round trip that halve what short ones add to a quantum, as a power of two
/// (`bbr_tso_rtt_shift`).
const HALVED_EACH_US_SHIFT: u32 = 9;

/// The seconds between two instants.
pub(super) fn seconds_since(earlier: Time, now: Time) -> f64 {
    now.checked_since(earlier).map_or(0.0, Span::seconds)
}

/// How many segments leave together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quanta {
    /// What leaves in so long.
    seconds: f64,
    /// The fewest segments below [`SLOW`]; two otherwise.
    least_when_slow: u32,
    /// Whether 64 KiB are added, halved for each 2⁹ us of the least round trip (Linux
    /// `bbr_tso_segs_generic`).
    adds_at_short_round_trips: bool,
}

impl Quanta {
    /// A millisecond: the draft's, and those of Linux's version 1.
    pub(super) const MILLISECOND: Self =
        Self { seconds: 0.001, least_when_slow: 1, adds_at_short_round_trips: false };
    /// 2⁻¹⁰ s and what short round trips add: Linux's version 2.
    pub(super) const VERSION_2: Self =
        Self { seconds: 1.0 / 1_024.0, least_when_slow: 1, adds_at_short_round_trips: true };
    /// The same, two at least (`tcp_min_tso_segs`): Linux's version 3.
    pub(super) const VERSION_3: Self = Self { least_when_slow: 2, ..Self::VERSION_2 };

    /// Bytes that such a least round trip adds.
    fn added_bytes(self, least: Option<Span>) -> u32 {
        let halvings = least.map_or(u64::MAX, |least| (least.nanoseconds() / 1_000) >> HALVED_EACH_US_SHIFT);
        if self.adds_at_short_round_trips && halvings < 32 { MOST_QUANTUM_BYTES >> halvings } else { 0 }
    }
}

/// At which rate segments leave, in segments a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    packet_bits: f64,
    quanta: Quanta,
    /// Segments that the least round trip adds to a quantum.
    added: f64,
    most_quantum: u32,
    segments_per_s: f64,
    quantum: u32,
    rate: Rate,
}

impl Pace {
    pub(super) fn new(packet_bytes: u32, quanta: Quanta) -> Self {
        Self {
            packet_bits: 8.0 * f64::from(packet_bytes),
            quanta,
            added: 0.0,
            most_quantum: MOST_QUANTUM_BYTES / packet_bytes,
            segments_per_s: 0.0,
            quantum: 1,
            rate: Rate::from_bits_per_second(1),
        }
    }

    /// The first one: a window in a round trip, times a gain.
    pub(super) fn begin(&mut self, window: u32, gain: f64, round_trip: Option<Span>) {
        let round_trip_s = round_trip.map_or(NOMINAL_ROUND_TRIP_S, Span::seconds);
        self.adopt(gain * MARGIN * f64::from(window) / round_trip_s);
    }

    /// So many segments a second are to arrive, times a gain. The pace follows, downwards only once the path
    /// has been filled.
    pub(super) fn follow(&mut self, bandwidth: f64, gain: f64, may_fall: bool) {
        let pace = gain * bandwidth * MARGIN;
        if may_fall && pace != self.segments_per_s || pace > self.segments_per_s {
            self.adopt(pace);
        }
    }

    fn adopt(&mut self, segments_per_s: f64) {
        self.segments_per_s = segments_per_s;
        self.rate = Rate::from_bits_per_second(((segments_per_s * self.packet_bits) as u64).max(1));
        self.set_quantum();
    }

    /// The least round trip of the path is so long.
    pub(super) fn note_least(&mut self, least: Option<Span>) {
        self.added = 8.0 * f64::from(self.quanta.added_bytes(least)) / self.packet_bits;
        self.set_quantum();
    }

    fn set_quantum(&mut self) {
        let is_slow = self.segments_per_s * self.packet_bits < SLOW;
        let least = if is_slow { self.quanta.least_when_slow } else { 2 };
        let segments = self.segments_per_s * self.quanta.seconds + self.added;
        self.quantum = (segments as u32).min(self.most_quantum).max(least);
    }

    pub(super) const fn rate(&self) -> Rate {
        self.rate
    }

    /// Segments that leave together.
    pub(super) const fn quantum(&self) -> u32 {
        self.quantum
    }
}

/// The greatest of the values of a window of rounds, by the three best of its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GreatestOfRounds {
    best: [(u64, f64); 3],
}

impl GreatestOfRounds {
    pub(super) const fn greatest(&self) -> f64 {
        self.best[0].1
    }

    /// A value of this round, with a window of so many.
    pub(super) fn note(&mut self, rounds: u64, round: u64, value: f64) {
        let new = (round, value);
        if value >= self.best[0].1 || round - self.best[2].0 > rounds {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].1 {
            (self.best[1], self.best[2]) = (new, new);
        } else if value >= self.best[2].1 {
            self.best[2] = new;
        }
        let age = round - self.best[0].0;
        if age > rounds {
            self.best = [self.best[1], self.best[2], new];
            if round - self.best[0].0 > rounds {
                self.best = [self.best[1], self.best[2], new];
            }
        } else if self.best[1].0 == self.best[0].0 && age > rounds / 4 {
            (self.best[1], self.best[2]) = (new, new);
        } else if self.best[2].0 == self.best[1].0 && age > rounds / 2 {
            self.best[2] = new;
        }
    }
}

/// How many more segments arrive at once than the rate of the path explains: the greatest excess of one to
/// two periods of rounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    /// Whether the rate explains whole segments alone, as in Linux, and not parts of them.
    whole: bool,
    began: Time,
    arrived: f64,
    /// Of the present period, and of the one before.
    excess: [u32; 2],
    rounds: u32,
}

impl Aggregation {
    pub(super) const fn new(whole: bool) -> Self {
        Self { whole, began: Time::ZERO, arrived: 0.0, excess: [0; 2], rounds: 0 }
    }

    /// What is counted begins anew.
    pub(super) const fn restart(&mut self, now: Time) {
        (self.began, self.arrived) = (now, 0.0);
    }

    /// So many segments have arrived, with this rate and window; a period ends after so many rounds.
    pub(super) fn note(
        &mut self,
        now: Time,
        segments: u32,
        bandwidth: f64,
        window: u32,
        round_begins: bool,
        period: u32,
    ) {
        if round_begins {
            self.rounds += 1;
            if self.rounds >= period {
                (self.rounds, self.excess) = (0, [0, self.excess[0]]);
            }
        }
        let mut expected = bandwidth * seconds_since(self.began, now);
        if self.whole {
            expected = libm::floor(expected);
        }
        if self.arrived <= expected {
            self.restart(now);
            expected = 0.0;
        }
        self.arrived += f64::from(segments);
        let excess = ((self.arrived - expected) as u32).min(window);
        self.excess[0] = self.excess[0].max(excess);
    }

    /// The greatest excess of both periods.
    pub(super) fn greatest(&self) -> u32 {
        self.excess[0].max(self.excess[1])
    }
}

/// Segments that such a rate keeps in the network for so long, rounded up: rounded down, a smaller window
/// would make the rate smaller that it follows from.
pub(super) fn product(bandwidth: f64, round_trip: Span, gain: f64) -> u32 {
    libm::ceil(gain * bandwidth * round_trip.seconds()).min(f64::from(u32::MAX / 4)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    /// 1,000 segments of 1,500 bytes a second are 12 Mbit/s.
    #[test]
    fn a_pace_is_a_hundredth_slower_than_its_path_and_falls_only_once_that_is_known() {
        let mut pace = Pace::new(1_500, Quanta::MILLISECOND);
        pace.begin(10, 2.0, Some(Span::from_milliseconds(100)));
        assert_eq!(pace.rate(), Rate::from_bits_per_second(2 * 1_200_000 * 99 / 100));
        pace.follow(1_000.0, 1.25, false);
        assert_eq!(pace.rate(), Rate::from_bits_per_second(14_850_000));
        pace.follow(500.0, 1.0, false);
        assert_eq!(pace.rate(), Rate::from_bits_per_second(14_850_000));
        pace.follow(500.0, 1.0, true);
        assert_eq!(pace.rate(), Rate::from_bits_per_second(5_940_000));
    }

    /// What leaves in a millisecond: two segments at least, one below 1.2 Mbit/s, 64 KiB at most.
    #[test]
    fn a_quantum_is_what_leaves_in_a_millisecond() {
        let quantum = |megabits_per_s: f64| {
            let mut pace = Pace::new(1_500, Quanta::MILLISECOND);
            pace.follow(megabits_per_s * 1e6 / 12_000.0 / 0.99, 1.0, true);
            pace.quantum()
        };
        assert_eq!([1.1, 1.3, 20.0, 60.1, 1_000.0].map(quantum), [1, 2, 2, 5, 43]);
    }

    /// 64 KiB of 1,500 bytes are 43.7 segments, the most. 2.1 ms are four times 512 us and 10 ms nineteen
    /// times: 4 KiB, 2.7 segments, and none. Of 50 Mbit/s 4.07 leave in 2⁻¹⁰ s, of 1.1 Mbit/s none.
    #[test]
    fn short_round_trips_add_to_the_quanta_of_linux() {
        let quantum = |quanta, megabits_per_s: f64, least_us| {
            let mut pace = Pace::new(1_500, quanta);
            pace.follow(megabits_per_s * 1e6 / 12_000.0 / 0.99, 1.0, true);
            pace.note_least(Some(Span::from_microseconds(least_us)));
            pace.quantum()
        };
        let of_version_3 = |least_us| [1.1, 50.0].map(|rate| quantum(Quanta::VERSION_3, rate, least_us));
        assert_eq!(
            [100, 600, 2_100, 10_000, 40_000].map(of_version_3),
            [[43, 43], [21, 25], [2, 6], [2, 4], [2, 4]]
        );
        assert_eq!([600, 40_000].map(|least_us| quantum(Quanta::VERSION_2, 1.1, least_us)), [21, 1]);
        assert_eq!([600, 40_000].map(|least_us| quantum(Quanta::MILLISECOND, 1.1, least_us)), [1, 1]);
    }

    #[test]
    fn the_greatest_of_rounds_is_that_of_the_window() {
        let mut filter = GreatestOfRounds::default();
        // Values fall by one a round, from 100: with a window of ten the greatest is ten rounds old or less.
        for round in 0..40_u64 {
            filter.note(10, round, (100 - round) as f64);
            let greatest = filter.greatest() as u64;
            assert!(greatest >= 100 - round && greatest <= 100 - round.saturating_sub(10), "{round}");
        }
        filter.note(10, 40, 1_000.0);
        assert_eq!(filter.greatest(), 1_000.0);
    }

    /// At 1,000 segments a second ten arrive every 10 ms at once: nine more than the first explains, and ten
    /// with the instant itself.
    #[test]
    fn what_arrives_in_bunches_is_an_excess_of_a_bunch() {
        let mut aggregation = Aggregation::new(false);
        for bunch in 0..5 {
            aggregation.note(at(10 * bunch), 10, 1_000.0, 100, false, 5);
        }
        assert_eq!(aggregation.greatest(), 10);
        // Smooth arrivals leave one; the bunches are forgotten after two periods of five rounds.
        for round in 0..12_u64 {
            for segment in 0..10 {
                let now = at(100 + 10 * round + segment);
                aggregation.note(now, 1, 1_000.0, 100, segment == 0, 5);
            }
        }
        assert!(aggregation.greatest() <= 2, "{}", aggregation.greatest());
    }

    /// At 1,000 segments a second two arrive at once and two 1.5 ms later: of four 1.5 are explained, or one.
    #[test]
    fn the_rate_explains_whole_segments_in_linux() {
        let excess = |whole| {
            let mut aggregation = Aggregation::new(whole);
            aggregation.note(at(0), 2, 1_000.0, 100, false, 5);
            aggregation.note(at(1) + Span::from_microseconds(500), 2, 1_000.0, 100, false, 5);
            aggregation.greatest()
        };
        assert_eq!([true, false].map(excess), [3, 2]);
    }

    #[test]
    fn a_product_is_rounded_up() {
        assert_eq!(product(1_000.0, Span::from_milliseconds(40), 1.0), 40);
        assert_eq!(product(1_000.0, Span::from_microseconds(40_100), 1.0), 41);
        assert_eq!(product(10.0, Span::from_milliseconds(40), 2.0), 1);
    }
}
