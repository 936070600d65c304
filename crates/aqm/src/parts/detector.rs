//! RED's decision on an arrival: region of the curve, spacing of the signals, and what ECN-capable packets
//! get.
//!
//! RED and Adaptive RED share it; they differ in who sets `max_p`. The order of the tests is that of ns-2's
//! `red.cc` and of `altq_red.c`; [`DetectorSettings`] names each point at which the 1993 paper differs.

use crate::aqm::{Reason, Verdict};
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require, require_packet_bytes};
use crate::parts::{AverageQueue, Gauge, PacketScale, RedCurve, Region, ScaleProbability, Spacing};
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::Probability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a selected packet that could be marked. Without `ecn` every selected packet is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EcnRule {
    /// Marked while the average is below max_th, dropped above (RFC 3168 section 7; Le et al. 2003; ns-2
    /// before 30 April 2002).
    #[default]
    MarkBelowMaxTh,
    /// Marked while the base probability is below `mark_p`, dropped from there on; there is no forced region,
    /// with or without `ecn`: beyond the curve the probability is 1, which even a `mark_p` of 1 does not mark
    /// (ns-2.35 with `use_mark_p_`).
    MarkP,
    /// Marked everywhere, even beyond the curve: only a full queue drops (ns-3 without `UseHardDrop`, Linux
    /// without `harddrop`).
    MarkAlways,
    /// Marked as long as the coin decides, dropped beyond the curve (ns-2.35 without `use_mark_p_`, ns-3 with
    /// `UseHardDrop`, ALTQ).
    MarkUntilForced,
}

/// The rules of one detector.
#[derive(Clone, Copy, Debug)]
pub struct DetectorSettings {
    /// How signals are spaced.
    pub spacing: Spacing,
    /// How the queue is measured.
    pub gauge: Gauge,
    /// How the probability depends on the packet's size.
    pub scale: PacketScale,
    /// Whether a signal marks packets that can be marked.
    pub ecn: bool,
    /// What a selected packet that could be marked gets.
    pub ecn_rule: EcnRule,
    /// Base probability below which [`EcnRule::MarkP`] marks.
    pub mark_p: f64,
    /// An arrival that finds at most one packet waiting (in bytes: at most one byte) is never selected.
    pub spare_nearly_empty: bool,
    /// The first arrival that finds the average on the curve is never selected by the coin.
    pub spare_first_in_region: bool,
}

impl DetectorSettings {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        require_packet_bytes("mean_packet_bytes", self.scale.mean_packet_bytes)?;
        require_packet_bytes("max_packet_bytes", self.scale.max_packet_bytes)?;
        require((0.0..=1.0).contains(&self.mark_p), "mark_p", self.mark_p, "a probability, from 0 to 1")
    }
}

/// The state of the decision.
#[derive(Clone, Copy, Debug)]
pub struct Detector {
    settings: DetectorSettings,
    /// The average queue.
    pub average: AverageQueue,
    /// The probability curve.
    pub curve: RedCurve,
    /// Whether the last arrival found the average on the curve.
    on_curve: bool,
    packets_since_signal: u64,
    bytes_since_signal: u64,
}

impl Detector {
    /// A detector that has seen nothing.
    #[must_use]
    pub const fn new(settings: DetectorSettings, average: AverageQueue, curve: RedCurve) -> Self {
        Self { settings, average, curve, on_curve: false, packets_since_signal: 0, bytes_since_signal: 0 }
    }

    /// The state of another detector under the settings of this one.
    #[must_use]
    pub const fn continued_from(self, before: &Self) -> Self {
        let Self { on_curve, packets_since_signal, bytes_since_signal, .. } = *before;
        let average = self.average.continued_from(&before.average);
        Self { average, on_curve, packets_since_signal, bytes_since_signal, ..self }
    }

    /// The base probability at the present average.
    #[must_use]
    pub fn signal_probability(&self) -> Probability {
        Probability::clamped(self.curve.region(self.average.value()).probability())
    }

    /// Reports the state, and the settings that may have been derived from the link rate.
    pub fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("average_packets", self.average.value());
        sink("base_probability", self.signal_probability().value());
        sink("packets_since_signal", self.packets_since_signal as f64);
        sink("max_p", self.curve.max_p());
        sink("min_th_packets", self.curve.min_th());
        sink("max_th_packets", self.curve.max_th());
        sink("w_q", self.average.weight());
    }

    /// Decides on an arrival that the average has already seen.
    #[inline]
    pub fn decide(&mut self, packet: &PacketFacts, queue: &QueueView<'_>, coins: &mut Stream) -> Verdict {
        let verdict = self.verdict(packet, queue, coins);
        let queued = match verdict {
            Verdict::Pass => true,
            Verdict::Signal(_) => self.settings.ecn && packet.codepoint.can_be_marked(),
            _ => false,
        };
        if queued {
            self.average.on_queued();
        }
        verdict
    }

    #[inline]
    fn verdict(&mut self, packet: &PacketFacts, queue: &QueueView<'_>, coins: &mut Stream) -> Verdict {
        let region = self.curve.region(self.average.value());
        let spared = self.settings.spare_nearly_empty && self.settings.gauge.at_most_one_waits(queue);
        if spared || region == Region::Below {
            self.on_curve = false;
            return Verdict::Pass;
        }
        self.packets_since_signal += 1;
        self.bytes_since_signal += u64::from(packet.bytes);
        if region == Region::Above && self.settings.ecn_rule != EcnRule::MarkP {
            self.restart_count();
            return self.beyond_the_curve();
        }
        self.decide_on_curve(region, packet, coins)
    }

    /// A packet was lost to a full queue: the sender has its signal, the count starts again.
    #[inline]
    pub fn restart_count(&mut self) {
        self.packets_since_signal = 0;
        self.bytes_since_signal = 0;
    }

    fn decide_on_curve(&mut self, region: Region, packet: &PacketFacts, coins: &mut Stream) -> Verdict {
        if !self.on_curve {
            self.on_curve = true;
            self.restart_count();
            if self.settings.spare_first_in_region {
                self.packets_since_signal = 1;
                self.bytes_since_signal = u64::from(packet.bytes);
                return Verdict::Pass;
            }
        }
        if coins.uniform() >= self.arrival_probability(region.probability(), packet.bytes) {
            return Verdict::Pass;
        }
        self.restart_count();
        self.selected(region)
    }

    /// The probability for this packet. In the paper its size scales the base probability, before the count;
    /// in ns-2 the count is taken in bytes, in whole mean packets, and the size scales the result.
    #[inline]
    fn arrival_probability(&self, base: f64, bytes: u32) -> f64 {
        let DetectorSettings { spacing, scale, .. } = &self.settings;
        match scale.mode {
            ScaleProbability::Mean => {
                let mean_packets = self.bytes_since_signal / u64::from(scale.mean_packet_bytes);
                let spaced = spacing.arrival_probability(base, mean_packets as f64);
                if spaced < 1.0 { scale.apply(spaced, bytes) } else { spaced }
            }
            ScaleProbability::Max | ScaleProbability::None => {
                spacing.arrival_probability(scale.apply(base, bytes), self.packets_since_signal as f64)
            }
        }
    }

    const fn selected(&self, region: Region) -> Verdict {
        let marks = match self.settings.ecn_rule {
            EcnRule::MarkBelowMaxTh => matches!(region, Region::Between(_)),
            EcnRule::MarkP => region.probability() < self.settings.mark_p,
            EcnRule::MarkAlways | EcnRule::MarkUntilForced => true,
        };
        if marks { Verdict::Signal(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    const fn beyond_the_curve(&self) -> Verdict {
        match self.settings.ecn_rule {
            EcnRule::MarkAlways => Verdict::Signal(Reason::Forced),
            _ => Verdict::Drop(Reason::Forced),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Codepoint, PacketClass};
    use crate::parts::{IdleRule, Measure, Weight};
    use crate::port_facts::PortFacts;
    use crate::queue_view::EmptyQueue;
    use aqmlab_random::Key;
    use aqmlab_units::Rate;

    /// A detector with classic spacing whose curve begins at an average of zero.
    fn detector(mode: ScaleProbability) -> Detector {
        let gauge = Gauge { measure: Measure::Packets, mean_packet_bytes: 1000 };
        let settings = DetectorSettings {
            spacing: Spacing::Classic,
            gauge,
            scale: PacketScale { mode, mean_packet_bytes: 1000, max_packet_bytes: 1500 },
            ecn: false,
            ecn_rule: EcnRule::MarkBelowMaxTh,
            mark_p: 0.1,
            spare_nearly_empty: false,
            spare_first_in_region: true,
        };
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let average = AverageQueue::new(Weight::Fixed(0.002), gauge, IdleRule::Ns2, &facts);
        Detector::new(settings, average, RedCurve::new(0.0, 15.0, 0.1))
    }

    /// The probability of an arrival of `bytes` when 10 packets with 10 500 bytes came since the last signal.
    fn after_ten_packets(mode: ScaleProbability, bytes: u32) -> f64 {
        Detector { packets_since_signal: 10, bytes_since_signal: 10_500, ..detector(mode) }
            .arrival_probability(0.05, bytes)
    }

    #[test]
    fn size_scales_the_base_in_the_paper_and_the_result_in_ns2() {
        // 0.05·750/1500 = 0.025, then 0.025/(1 − 10·0.025).
        assert!((after_ten_packets(ScaleProbability::Max, 750) - 0.025 / 0.75).abs() < 1e-15);
        // 10 whole mean packets: 0.05/(1 − 10·0.05) = 0.1, then times 40/1000.
        assert!((after_ten_packets(ScaleProbability::Mean, 40) - 0.004).abs() < 1e-15);
        assert!((after_ten_packets(ScaleProbability::None, 40) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_certain_signal_is_certain_for_small_packets_too() {
        // 20 mean packets at 0.05 exhaust the law; ns-2 scales only what is below one.
        let exhausted = Detector { bytes_since_signal: 20_000, ..detector(ScaleProbability::Mean) };
        assert_eq!(exhausted.arrival_probability(0.05, 40), 1.0);
    }

    #[test]
    fn mark_p_itself_is_no_longer_marked() {
        let gentle = Region::Gentle;
        for (mark_p, region, marks) in [
            (0.0, Region::Between(0.0), false),
            (0.1, Region::Between(0.099_999), true),
            (0.1, Region::Between(0.1), false),
            (0.1, gentle(0.1), false),
            (0.1, Region::Above, false),
            (1.0, gentle(0.999_999), true),
            (1.0, gentle(1.0), false),
            (1.0, Region::Above, false),
        ] {
            let mut detector = detector(ScaleProbability::None);
            (detector.settings.ecn_rule, detector.settings.mark_p) = (EcnRule::MarkP, mark_p);
            let expected = if marks { Verdict::Signal(Reason::Early) } else { Verdict::Drop(Reason::Early) };
            assert_eq!(detector.selected(region), expected, "{mark_p}, {region:?}");
        }
    }

    #[test]
    fn a_spared_first_packet_counts_with_its_bytes() {
        let mut detector = detector(ScaleProbability::Mean);
        let packet =
            PacketFacts { flow: 1, bytes: 1500, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        let mut coins = Key::from_seed(1).stream();
        assert_eq!(detector.decide(&packet, &EmptyQueue::view(), &mut coins), Verdict::Pass);
        assert_eq!((detector.packets_since_signal, detector.bytes_since_signal), (1, 1500));
        assert_eq!(coins.drawn(), 0);
    }

    #[test]
    fn the_first_packet_of_every_stay_in_the_region_is_spared() {
        // ns-2 and ALTQ clear `old` below min_th, and where at most one packet waits.
        let mut detector = detector(ScaleProbability::None);
        let packet =
            PacketFacts { flow: 1, bytes: 1000, codepoint: Codepoint::NotEct, class: PacketClass::Data };
        let mut coins = Key::from_seed(1).stream();
        let mut coins_of = |detector: &mut Detector| {
            let before = coins.drawn();
            detector.decide(&packet, &EmptyQueue::view(), &mut coins);
            coins.drawn() - before
        };
        let region = detector.curve;
        assert_eq!([coins_of(&mut detector), coins_of(&mut detector)], [0, 1], "spared, then asked");
        detector.curve = RedCurve::new(5.0, 15.0, 0.1);
        assert_eq!(coins_of(&mut detector), 0, "the average of 0 is below now");
        detector.curve = region;
        assert_eq!([coins_of(&mut detector), coins_of(&mut detector)], [0, 1], "back from below");
        detector.settings.spare_nearly_empty = true;
        assert_eq!(coins_of(&mut detector), 0, "nobody waits");
        detector.settings.spare_nearly_empty = false;
        assert_eq!(
            [coins_of(&mut detector), coins_of(&mut detector)],
            [0, 1],
            "back from a nearly empty queue"
        );
    }
}
