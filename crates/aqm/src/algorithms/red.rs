//! RED: Random Early Detection.
//!
//! Source: Floyd, Jacobson, *Random Early Detection Gateways for Congestion Avoidance*, IEEE/ACM Transactions
//! on Networking 1(4), 1993; `gentle` and `max_p` 1/10 from Floyd's later recommendations. The variants are
//! those of ns-2.35 `red.cc`, ns-3 `red-queue-disc.cc` and `altq_red.c`, whose behaviour the studies of RED
//! rest on.
//!
//! ```text
//! on each arrival     avg ← (1 − w_q)·avg + w_q·q           aged over idle time: IdleRule
//!   avg < min_th      pass
//!   avg < max_th      p_b = max_p·(avg − min_th)/(max_th − min_th)
//!   avg < 2 max_th    p_b = max_p + (1 − max_p)·(avg − max_th)/max_th     (gentle)
//!   above             every packet is dropped (or, by ecn_rule, marked)
//!   on the curve      signal with probability p_a, which spreads p_b over the arrivals: Spacing
//! ```
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | | at least one of them |
//! | `min_th_packets`, `max_th_packets` | packets of mean size | 5, 15 | 0 ≤ min < max; max alone is refused |
//! | `target_delay_ms` | ms | | above 0; instead of thresholds |
//! | `w_q` | per arrival, or a time constant | 0.002 | above 0, at most 1 |
//! | `max_p` | probability | 0.02 in 1993, 0.1 later | above 0, at most 1 |
//! | `mean_packet_bytes`, `max_packet_bytes` | bytes | | 1 or more |
//! | `mark_p` | probability | | 0 to 1; read under `ecn_rule = "mark_p"` |
//!
//! Departures and silences. The paper counts arrivals from −1 on entering the region, so that its first
//! arrival has count 0: this is what happens here with `spare_first_in_region = false`. The paper has no
//! guard for nearly empty queues (`spare_nearly_empty`). A forced drop and an overflow restart the count, as
//! the paper's pseudocode says for forced drops and as ns-2 does for both. When the coin selects an arrival
//! that would not have found room either, the discard counts as early (ALTQ's order); ns-2 calls it forced.
//! Forced drops take the arrival, not a random victim. The paper is silent on ECN-capable packets: see
//! [`EcnRule`](crate::parts::EcnRule).

use crate::aqm::{Aqm, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::ParameterError;
use crate::parameters::Parameters;
use crate::parts::{Detector, RedCurve, Weight, red_parameters, red_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Time};
use std::any::Any;

red_params! {
    /// RED: signals congestion with a probability that grows with the average queue, spread over the
    /// arrivals.
    ///
    /// Source: Floyd and Jacobson 1993, with Floyd's later recommendations (gentle, max_p 0.1). A scenario
    /// that repeats an ns-2 study sets spacing = "ns2_wait", idle = "ns2", both spare rules, and the ecn_rule
    /// of its version; one that repeats an ALTQ study sets spacing = "altq", idle = "altq", gentle = false
    /// and both spare rules.
    struct Params {
        w_q = Weight::Fixed(0.002);
        /// Whether the probability rises from max_p to 1 between max_th and twice max_th, instead of jumping
        /// to 1.
        gentle: bool = true,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
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
        ]
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let shape = |steep: RedCurve| if self.gentle { steep.gentle(false) } else { steep };
        Discipline::fifo(Red::new(self.detector(facts, &self.given_thresholds(), shape)))
    }
}

/// RED at a port.
#[derive(Clone, Debug)]
pub struct Red {
    detector: Detector,
}

impl Red {
    /// RED under this detector.
    pub(crate) const fn new(detector: Detector) -> Self {
        Self { detector }
    }
}

impl Aqm for Red {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        coins: &mut Stream,
    ) -> Verdict {
        self.detector.average.on_arrival(now, queue);
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
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = Self { detector: self.detector.continued_from(&before.detector) };
        true
    }
}
