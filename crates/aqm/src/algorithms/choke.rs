//! CHOKe: an arrival is held against packets drawn from the queue, and both go if they are of one flow.
//!
//! Source: Pan, Prabhakar, Psounis, *CHOKe: A Stateless Active Queue Management Scheme for Approximating Fair
//! Bandwidth Allocation*, INFOCOM 2000; several draws by region as Chung, Claypool, Kinicki, *Stochastic Fair
//! Aggregate Rate Control*, section 6, describe them; details of the order of tests from Linux `sch_choke.c`.
//!
//! ```text
//! on each arrival      avg as in RED
//!   avg < min_th       pass
//!   otherwise          region i: the i-th of `regions` equal parts of [min_th, max_th), the last one from there on
//!                      draw 2i + 1 waiting packets; one or more of the same flow: discard these and the arrival
//!                      none: decide as RED does
//! ```
//!
//! | parameter | unit | values used | legal |
//! | --- | --- | --- | --- |
//! | `regions` | | 1 (the basic scheme), 5 (Chung et al.) | 1 to 8 |
//! | the others | | | as for RED |
//!
//! Departures and silences. With one region this is the basic scheme. The draws are uniform over the packets
//! that wait, with replacement, and the packet on the link is not among them; an empty queue is not drawn
//! from. The papers leave open whether every match goes (as here) or the draws end with the first one
//! (`stop_at_first_match`), and whether region i, from 0 on, has 2i + 1 draws (Chung et al.) or, as the
//! authors' paper is remembered, 2(i + 1): `draws_in_region`. Above max_th the draws are those of the last
//! region, and what does not match meets RED's curve, gentle or not. Matches leave RED's count alone (Linux),
//! and are dropped even if they are ECN-capable. Linux draws from an array with holes and takes the head
//! after three of them; here every draw meets a packet.

use crate::aqm::{Aqm, Positions, Reason, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::Parameters;
use crate::parts::{Detector, RedCurve, Region, Weight, red_parameters, red_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// How many packets are drawn in region i, from 0 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawsInRegion {
    /// 2i + 1: 1, 3, 5, ... (Chung et al.; with one region the basic scheme).
    #[default]
    Odd,
    /// 2(i + 1): 2, 4, 6,... (the authors' paper, from memory).
    Even,
}

red_params! {
    /// CHOKe: RED that first compares an arrival with random packets of the queue, and discards both if they
    /// are of one flow.
    ///
    /// Source: Pan, Prabhakar and Psounis 2000. With regions = 1 the basic scheme; regions = 5 is the
    /// adaptive one of Chung et al.
    struct Params {
        w_q = Weight::Fixed(0.002);
        /// Whether RED's probability rises from max_p to 1 between max_th and twice max_th, instead of
        /// jumping to 1.
        gentle: bool = true,
        /// Equal parts of the range between the thresholds: the higher one the average lies in, the more
        /// packets are drawn.
        regions: u32 = 1,
        /// How many packets are drawn in a region.
        draws_in_region: DrawsInRegion = DrawsInRegion::Odd,
        /// Whether drawing stops at the first match, which discards at most one queued packet.
        stop_at_first_match: bool = false,
    }
}

/// With more regions the draws could match more packets than a verdict may name.
const MOST_REGIONS: u32 = Positions::CAPACITY as u32 / 2;

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        let legal = (1..=MOST_REGIONS).contains(&self.regions);
        require(legal, "regions", self.regions, format!("from 1 to {MOST_REGIONS}"))?;
        self.validate_shared(&self.given_thresholds())
    }

    red_parameters!(given_thresholds);

    fn adjustable(&self) -> &'static [&'static str] {
        &[
            "limit_packets",
            "limit_bytes",
            "min_th_packets",
            "max_th_packets",
            "target_delay_ms",
            "w_q",
            "max_p",
            "gentle",
            "ecn",
            "ecn_rule",
            "mark_p",
            "regions",
            "draws_in_region",
            "stop_at_first_match",
        ]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let shape = |steep: RedCurve| if self.gentle { steep.gentle(false) } else { steep };
        Discipline::fifo(Choke {
            detector: self.detector(facts, &self.given_thresholds(), shape),
            regions: self.regions,
            draws_in_region: self.draws_in_region,
            stop_at_first_match: self.stop_at_first_match,
        })
    }
}

/// CHOKe at a port.
#[derive(Clone, Debug)]
pub struct Choke {
    detector: Detector,
    regions: u32,
    draws_in_region: DrawsInRegion,
    stop_at_first_match: bool,
}

impl Choke {
    /// How many packets an arrival is held against at this average.
    fn draws_at(&self, average: f64) -> u32 {
        let curve = &self.detector.curve;
        if curve.region(average) == Region::Below {
            return 0;
        }
        let part = (average - curve.min_th()) / (curve.max_th() - curve.min_th());
        let region = ((part * f64::from(self.regions)) as u32).min(self.regions - 1);
        match self.draws_in_region {
            DrawsInRegion::Odd => 2 * region + 1,
            DrawsInRegion::Even => 2 * (region + 1),
        }
    }

    /// Those of the packets drawn that are of the same flow.
    fn matches(&self, packet: &PacketFacts, queue: &QueueView<'_>, coins: &mut Stream) -> Positions {
        let mut found = Positions::default();
        if queue.packets() == 0 {
            return found;
        }
        for _ in 0..self.draws_at(self.detector.average.value()) {
            let position = coins.below(queue.packets().into()) as u32;
            if queue.facts(position).flow == packet.flow {
                found.insert(position);
                if self.stop_at_first_match {
                    break;
                }
            }
        }
        found
    }
}

impl Aqm for Choke {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.detector.average.on_arrival(now, queue);
        let positions = self.matches(packet, queue, coins);
        if !positions.as_slice().is_empty() {
            return Verdict::DropWith { positions, reason: Reason::Match };
        }
        self.detector.decide(packet, queue, coins)
    }

    fn on_overflow(&mut self, _now: Time, _packet: &PacketFacts) {
        self.detector.restart_count();
    }

    fn on_idle(&mut self, now: Time) {
        self.detector.average.on_idle(now);
    }

    fn signal_probability(&self) -> Probability {
        self.detector.signal_probability()
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.detector.observe(sink);
        sink("draws", f64::from(self.draws_at(self.detector.average.value())));
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn decides_about_waiting(&self) -> bool {
        true
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = Self { detector: self.detector.continued_from(&before.detector), ..*self };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Scheme;
    use crate::packet::{Codepoint, PacketClass, Queued};
    use crate::port::Port;
    use aqmlab_random::Key;
    use aqmlab_units::Rate;

    #[derive(Clone, Copy, Debug)]
    struct Packet(u64);

    impl Queued for Packet {
        fn facts(&self) -> PacketFacts {
            let (codepoint, class) = (Codepoint::NotEct, PacketClass::Data);
            PacketFacts { flow: self.0, bytes: 1000, codepoint, class }
        }

        fn mark(&mut self) {}
    }

    /// The settings of Chung et al. with an average that follows the queue at once.
    fn adaptive(draws_in_region: DrawsInRegion, regions: u32) -> Params {
        Params {
            limit_packets: Some(500),
            min_th_packets: Some(50.0),
            max_th_packets: Some(300.0),
            max_p: 1e-9,
            w_q: Weight::Fixed(1.0),
            regions,
            draws_in_region,
            ..Params::default()
        }
    }

    fn draws(params: &Params, average: u32) -> u32 {
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let shape = |steep: RedCurve| steep.gentle(false);
        let choke = Choke {
            detector: params.detector(&facts, &params.given_thresholds(), shape),
            regions: params.regions,
            draws_in_region: params.draws_in_region,
            stop_at_first_match: false,
        };
        choke.draws_at(f64::from(average))
    }

    #[test]
    fn five_regions_between_50_and_300_have_their_boundaries_every_50_packets() {
        let odd = |average| draws(&adaptive(DrawsInRegion::Odd, 5), average);
        let averages = [49, 50, 99, 100, 149, 150, 199, 200, 249, 250, 299, 300, 599, 600];
        assert_eq!(averages.map(odd), [0, 1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 9, 9, 9]);
        let even = |average| draws(&adaptive(DrawsInRegion::Even, 5), average);
        assert_eq!([50, 120, 290].map(even), [2, 4, 10]);
        assert_eq!(draws(&adaptive(DrawsInRegion::Odd, 1), 299), 1, "the basic scheme");
    }

    /// The share of arrivals of a flow that match when so many packets wait, the first `own` of which are the
    /// flow's.
    fn matched(waiting: u64, own: u64) -> f64 {
        let scheme = Scheme::Choke(adaptive(DrawsInRegion::Odd, 5));
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let mut matched = 0;
        for seed in 0..4_000 {
            let mut port = Port::new(&scheme, facts, Key::from_seed(seed).stream());
            // The flow's own packets come while the average is below min_th, and nobody else's match.
            let flow = |packet: u64| if packet < own { 1 } else { 100 + packet };
            (0..waiting).for_each(|packet| port.arrive(Time::ZERO, Packet(flow(packet)), &mut |_, _| {}));
            port.arrive(Time::ZERO, Packet(1), &mut |_, _| {});
            matched += port.counters().discards(Reason::Match).total().packets.min(1);
        }
        matched as f64 / 4_000.0
    }

    #[test]
    fn a_flow_is_matched_with_one_minus_the_share_of_the_others_to_the_power_of_the_draws() {
        // 1 draw among 50 packets, 3 among 100, 9 among 250; standard deviations are below 0.8 %.
        let expected = |share: f64, draws: u32| 1.0 - (0..draws).fold(1.0, |miss, _| miss * (1.0 - share));
        for (waiting, own, draws) in [(50, 25, 1), (100, 30, 3), (250, 30, 9)] {
            let (found, expected) = (matched(waiting, own), expected(own as f64 / waiting as f64, draws));
            assert!((found - expected).abs() < 0.03, "{draws} draws: {found}, not {expected}");
        }
    }
}
