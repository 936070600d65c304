//! Prague's fallback for queues that mark as RFC 3168 has it: how sure a sender is that its marks come from
//! one, by how much its round trip varies and by the queue that it sees.
//!
//! Source: B. Briscoe and A. S. Ahmed, "TCP Prague Fall-back on Detection of a Classic ECN AQM",
//! arXiv:1911.00710v3, version 2 of the algorithm; its constants as in the L4S team's Linux
//! (net/ipv4/tcp_prague.c of module version 0.6, `prague_ecn_fallback = 1`), which RFC 9331 section 4.3 asks
//! for.
//!
//! | event | effect |
//! | --- | --- |
//! | a reduction, from the second on | g = ⌊lg ssthresh⌋ + ⌊⌊lg ssthresh⌋ / 2⌋ + 1, 18 at the most and before |
//! | a round trip R | D += (\|R − S\| − D) / 2^(g+1), S += (R − S) / 2^g |
//! | a round is over, and there ever was a mark | c += ½ lg(D / 750 us) + ½ lg(max((S − least R) / 2 ms, 1)), from 0 to 17 |
//! | a mark | the share that reduces the window is at least 0.625 (min(c, 9) − 8) |
//!
//! Up to 8 nothing changes, from 9 on a mark takes 0.3125 of the window, nearly what CUBIC takes. 8 on each
//! side keeps one round, or a few, from changing that.
//!
//! Departures and silences: the logarithms are real numbers, where the kernel carries the rest of whole ones
//! to the next round; the least round trip is that of the connection, the kernel's that of five minutes; the
//! kernel sets g at losses too. The paper's term for senders that their application limits is switched off in
//! that kernel, and left out here.
//!
//! Later kernels, whose α has 24 bits instead of 20, kept `V0_LG` and `D0_LG`, logarithms in units of the
//! last bit: a sixteenth of what they had been, 1.5 us instead of 750 and 1.6 us instead of 2 ms. These
//! kernels fall back everywhere, and so does a host with `classic_ecn_fallback_everywhere`.

use aqmlab_units::Span;

/// The deviation of the round trip, and the queue, in microseconds, beyond which a round speaks for a classic
/// queue: `V0_LG`, `D0_LG`.
const DEVIATION_US: f64 = 750.0;
const QUEUE_US: f64 = 2_000.0;
/// What an α of 24 bits makes of the logarithms of both.
const WITH_24_BITS: f64 = 1.0 / 16.0;
/// The weights of both.
const DEVIATION_WEIGHT: f64 = 0.5;
const QUEUE_WEIGHT: f64 = 0.5;
/// Up to here a queue is taken for one of L4S, from the next whole number on for a classic one, and there
/// certainty ends: `L_STICKY`, `CLASSIC_ECN`, `C_STICKY`.
const SCALABLE: f64 = 8.0;
const CLASSIC: f64 = 9.0;
const GREATEST: f64 = 17.0;
/// The share of marks that a classic queue stands for.
const CLASSIC_SHARE: f64 = 0.625;
/// Greatest shift of the averages.
const GREATEST_SHIFT: u32 = 18;

/// What is known of the queue that marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassicEcn {
    /// S, D and the least R, in microseconds; S is zero before the first.
    smoothed_us: f64,
    deviation_us: f64,
    least_us: f64,
    /// The deviation and the queue beyond which a round speaks for a classic one.
    references_us: [f64; 2],
    /// g.
    shift: u32,
    /// c.
    sureness: f64,
    /// Whether a mark was ever taken for one of a classic queue.
    has_fallen_back: bool,
}

impl ClassicEcn {
    pub(super) fn new(everywhere: bool) -> Self {
        let power = if everywhere { WITH_24_BITS } else { 1.0 };
        Self {
            smoothed_us: 0.0,
            deviation_us: 1.0,
            least_us: f64::INFINITY,
            references_us: [DEVIATION_US, QUEUE_US].map(|reference_us| libm::pow(reference_us, power)),
            shift: GREATEST_SHIFT,
            sureness: 0.0,
            has_fallen_back: false,
        }
    }

    /// A round trip has ended.
    pub(super) fn note_round_trip(&mut self, round_trip: Span) {
        let sample_us = round_trip.seconds() * 1e6;
        self.least_us = self.least_us.min(sample_us);
        if self.smoothed_us == 0.0 {
            self.smoothed_us = sample_us;
            return;
        }
        let error_us = sample_us - self.smoothed_us;
        let gain = 1.0 / f64::from(1_u32 << self.shift);
        self.smoothed_us += error_us * gain;
        self.deviation_us += (error_us.abs() - self.deviation_us) * gain / 2.0;
    }

    /// The window is about to be reduced, with such a threshold.
    pub(super) fn note_reduction(&mut self, threshold: u32) {
        let lg = threshold.max(1).ilog2();
        self.shift = (lg + lg / 2 + 1).min(GREATEST_SHIFT);
    }

    /// A round is over.
    pub(super) fn weigh(&mut self) {
        if self.smoothed_us == 0.0 {
            return;
        }
        let [deviation_us, queue_us] = self.references_us;
        let of_deviation = libm::log2(self.deviation_us.max(1.0) / deviation_us);
        let of_queue = libm::log2(((self.smoothed_us - self.least_us) / queue_us).max(1.0));
        let sureness = self.sureness + DEVIATION_WEIGHT * of_deviation + QUEUE_WEIGHT * of_queue;
        self.sureness = sureness.clamp(0.0, GREATEST);
    }

    /// Whether a mark was ever taken for one of a classic queue, the sender being sure.
    pub(super) const fn has_fallen_back(&self) -> bool {
        self.has_fallen_back
    }

    /// A mark reduces the window, by this share where the marks say another.
    pub(super) fn on_mark(&mut self, of_marks: f64) -> f64 {
        self.has_fallen_back |= self.sureness >= CLASSIC;
        self.share(of_marks)
    }

    /// The share by which a mark reduces the window where the marks say another.
    fn share(&self, of_marks: f64) -> f64 {
        of_marks.max(CLASSIC_SHARE * (self.sureness.min(CLASSIC) - SCALABLE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(deviation_us: f64, queue_us: f64) -> ClassicEcn {
        let smoothed_us = 20_000.0 + queue_us;
        ClassicEcn { smoothed_us, deviation_us, least_us: 20_000.0, ..ClassicEcn::new(false) }
    }

    /// 3 ms are four times 750 us: ½ lg 4 = 1 each round. Eight rounds change nothing, the ninth everything.
    #[test]
    fn nine_rounds_of_a_deviation_of_3_ms_fall_back() {
        let mut classic = of(3_000.0, 1_000.0);
        for round in 1..=8 {
            classic.weigh();
            assert_eq!((classic.sureness, classic.on_mark(0.1)), (f64::from(round), 0.1));
        }
        classic.weigh();
        assert!(!classic.has_fallen_back(), "there was no mark");
        assert_eq!((classic.sureness, classic.on_mark(0.1)), (9.0, 0.625));
        assert_eq!(classic.share(0.8), 0.8, "the greater of both");
        assert!(classic.has_fallen_back());
        (0..20).for_each(|_| classic.weigh());
        assert_eq!(classic.sureness, 17.0);
    }

    /// 187.5 us are a quarter of 750: a round takes 1 back. From 17 on nine rounds are needed.
    #[test]
    fn nine_rounds_of_a_deviation_of_187_us_return() {
        let mut classic = ClassicEcn { sureness: 17.0, ..of(187.5, 0.0) };
        (0..8).for_each(|_| classic.weigh());
        assert_eq!((classic.sureness, classic.share(0.1)), (9.0, 0.625));
        classic.weigh();
        assert_eq!((classic.sureness, classic.share(0.1)), (8.0, 0.1));
        (0..20).for_each(|_| classic.weigh());
        assert_eq!(classic.sureness, 0.0);
    }

    /// A queue of 8 ms is four times 2 ms: ½ lg 4 = 1, and beside a deviation of 750 us nothing else. One of
    /// less than 2 ms takes nothing away.
    #[test]
    fn a_queue_speaks_for_a_classic_one_and_never_against() {
        let after_a_round = |deviation_us, queue_us| {
            let mut classic = ClassicEcn { sureness: 4.0, ..of(deviation_us, queue_us) };
            classic.weigh();
            classic.sureness
        };
        assert_eq!(after_a_round(750.0, 8_000.0), 5.0);
        assert_eq!(after_a_round(750.0, 500.0), 4.0);
        assert_eq!(after_a_round(375.0, 4_000.0), 4.0, "½ lg ½ + ½ lg 2");
    }

    /// A deviation of 100 us and a queue of 0.5 ms, as in DualPI2: lg 100 = 6.64 and lg 500 = 8.97 instead of
    /// lg 750 = 9.55 and lg 2,000 = 10.97; a round takes ½ · 2.91 back. With sixteenths, 0.597 and 0.685, a
    /// round adds ½ · 6.05 + ½ · 8.28 = 7.16, and two are enough.
    #[test]
    fn constants_of_20_bits_beside_24_fall_back_in_dualpi2_too() {
        let after_rounds = |everywhere, rounds| {
            let references_us = ClassicEcn::new(everywhere).references_us;
            let mut classic = ClassicEcn { references_us, ..of(100.0, 500.0) };
            (0..rounds).for_each(|_| classic.weigh());
            classic.sureness
        };
        assert_eq!(after_rounds(false, 1), 0.0);
        assert!((after_rounds(true, 1) - 7.164).abs() < 1e-3, "{}", after_rounds(true, 1));
        assert!(after_rounds(true, 2) > CLASSIC);
        assert_eq!(after_rounds(true, 3), GREATEST);
    }

    /// Halfway between: 0.625 · 0.5.
    #[test]
    fn between_8_and_9_the_share_grows() {
        let classic = ClassicEcn { sureness: 8.5, ..ClassicEcn::new(false) };
        assert_eq!((classic.share(0.0), classic.share(0.4)), (0.3125, 0.4));
    }

    /// A threshold of two segments is g = 2: a quarter of the error, and an eighth for the deviation. 24 ms
    /// after 20: S = 21 ms, D = 1 + (4,000 − 1) / 8 = 500.875 us.
    #[test]
    fn averages_move_by_the_size_of_the_window() {
        let shift = |threshold| {
            let mut classic = ClassicEcn::new(false);
            classic.note_reduction(threshold);
            classic.shift
        };
        assert_eq!([2, 4, 10, 80, 4_096, u32::MAX].map(shift), [2, 4, 5, 10, 18, 18]);
        let mut classic = ClassicEcn::new(false);
        classic.note_round_trip(Span::from_milliseconds(20));
        classic.note_reduction(2);
        classic.note_round_trip(Span::from_milliseconds(24));
        assert!((classic.smoothed_us - 21_000.0).abs() < 1e-6);
        assert!((classic.deviation_us - 500.875).abs() < 1e-6);
        assert!((classic.least_us - 20_000.0).abs() < 1e-6);
    }
}
