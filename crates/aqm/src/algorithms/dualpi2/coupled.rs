//! What couples the two queues of DualPI2: the base probability, and what follows from it for a packet that
//! leaves.

use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::packet::PacketFacts;
use crate::parts::{Pi2Controller, Recurrence, Ticker};
use crate::queue_view::QueueView;
use crate::scheduler::Backlogs;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the packets of the L queue are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LengthTestedOn {
    /// When a packet leaves: those that stay behind (the RFC's listing).
    #[default]
    Departure,
    /// When it came: those that waited before it (the RFC's text, Linux).
    Arrival,
}

/// Which of the two; also its number among the queues of the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Classic = 0,
    LowLatency = 1,
}

impl Kind {
    /// By the number of the queue.
    pub(super) const fn of(queue: usize) -> Self {
        if queue == Self::Classic as usize { Self::Classic } else { Self::LowLatency }
    }
}

/// The rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoupledSettings {
    pub(super) coupling: f64,
    pub(super) highest_marking: f64,
    pub(super) ramp_from: Span,
    pub(super) ramp_range: Span,
    pub(super) queue_length_packets: u32,
    pub(super) length_tested_on: LengthTestedOn,
    pub(super) drops_on_overload: bool,
    /// Coupled likelihoods rest while fewer bytes wait in both queues.
    pub(super) spared_bytes: u64,
    /// Whether anything is marked.
    pub(super) marks: bool,
}

/// The scheme of either queue: packets wait, and the scheduler, which sees both, decides.
#[derive(Clone)]
pub(super) struct Waiting;

impl Aqm for Waiting {
    fn on_arrival(&mut self, _: Time, _: &PacketFacts, _: &QueueView<'_>, _: &mut Stream) -> Verdict {
        Verdict::Pass
    }

    fn watches_arrivals(&self) -> bool {
        false
    }

    fn watches_departures(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }
}

/// The probability that both queues have in common, and the sums that turn likelihoods into decisions.
#[derive(Clone, Debug)]
pub(super) struct Coupled {
    pub(super) settings: CoupledSettings,
    controller: Pi2Controller,
    ticker: Ticker,
    sums: [Recurrence; 2],
}

/// When the packet at the head of either queue came.
pub(super) fn heads(queues: &dyn Backlogs) -> [Option<Time>; 2] {
    [Kind::Classic, Kind::LowLatency].map(|kind| queues.head(kind as usize).and_then(|head| head.arrived))
}

impl Coupled {
    pub(super) const fn new(settings: CoupledSettings, controller: Pi2Controller, ticker: Ticker) -> Self {
        Self { settings, controller, ticker, sums: [Recurrence::new(), Recurrence::new()] }
    }

    /// Updates the probability at every instant that is due. Heads only change when a packet comes or goes,
    /// which calls this first: so whoever is late finds what a timer would have found.
    pub(super) fn catch_up(&mut self, now: Time, heads: impl Fn() -> [Option<Time>; 2]) {
        while self.ticker.due() <= now {
            let due = self.ticker.due();
            let waited = |head: &Time| due.since(*head).seconds();
            let longest = heads().iter().flatten().map(waited).fold(0.0, f64::max);
            self.controller.update(longest);
            self.ticker.advance();
        }
    }

    /// What becomes of a packet of the C queue, where so many bytes stay behind in both.
    pub(super) fn of_classic(&mut self, packet: &PacketFacts, bytes: u64) -> Verdict {
        let likelihood = self.controller.classic();
        if self.rests(bytes) || !self.sums[Kind::Classic as usize].recurs(likelihood) {
            return Verdict::Pass;
        }
        let marks = packet.codepoint.can_be_marked() && likelihood < self.settings.highest_marking;
        if marks { Verdict::Signal(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    /// What becomes of a packet of the L queue that leaves now; `is_long` where the queue was longer than
    /// what is spared.
    pub(super) fn of_low_latency(
        &mut self,
        now: Time,
        packet: &Departing,
        is_long: bool,
        bytes: u64,
    ) -> Verdict {
        let coupled = if self.rests(bytes) { 0.0 } else { self.controller.coupled(self.settings.coupling) };
        if coupled >= 1.0 && self.settings.drops_on_overload {
            return self.overloaded(&packet.facts, coupled);
        }
        let waited = packet.arrived.map_or(Span::ZERO, |arrived| now.since(arrived));
        let native = if is_long { self.ramp(waited) } else { 0.0 };
        if !self.can_mark(&packet.facts) {
            return Verdict::Pass;
        }
        let marks = self.sums[Kind::LowLatency as usize].recurs(native.max(coupled.min(1.0)));
        if marks { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    fn overloaded(&mut self, packet: &PacketFacts, coupled: f64) -> Verdict {
        let (classic, can_mark) = (self.controller.classic(), self.can_mark(packet));
        let sum = &mut self.sums[Kind::LowLatency as usize];
        if sum.recurs(classic) {
            return Verdict::Drop(Reason::Early);
        }
        // More than one in one would pile up in the sum, and mark long after the overload.
        if can_mark && sum.recurs(coupled.min(1.0)) { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    const fn can_mark(&self, packet: &PacketFacts) -> bool {
        self.settings.marks && packet.codepoint.can_be_marked()
    }

    const fn rests(&self, bytes: u64) -> bool {
        bytes < self.settings.spared_bytes
    }

    /// The likelihood of a mark for the delay alone.
    fn ramp(&self, waited: Span) -> f64 {
        let CoupledSettings { ramp_from, ramp_range, .. } = self.settings;
        if waited >= ramp_from + ramp_range {
            1.0
        } else if waited > ramp_from {
            (waited.nanoseconds() - ramp_from.nanoseconds()) as f64 / ramp_range.nanoseconds() as f64
        } else {
            0.0
        }
    }

    /// The likelihood with which a queue signals.
    pub(super) fn signal_probability(&self, kind: Kind) -> Probability {
        Probability::clamped(match kind {
            Kind::Classic => self.controller.classic(),
            Kind::LowLatency => self.controller.coupled(self.settings.coupling),
        })
    }

    pub(super) fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("base_probability", self.controller.base());
        sink("accumulated_classic", self.sums[0].sum());
        sink("accumulated_low_latency", self.sums[1].sum());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_units::Rate;

    fn coupled(settings: CoupledSettings) -> Coupled {
        let facts = crate::port_facts::PortFacts::new(Rate::from_megabits_per_second(10.0));
        Coupled::new(settings, Pi2Controller::new(0.015, 0.16, 3.2, 1.0), Ticker::new(0.016, &facts))
    }

    const RFC: CoupledSettings = CoupledSettings {
        coupling: 2.0,
        highest_marking: 0.25,
        ramp_from: Span::from_microseconds(800),
        ramp_range: Span::from_microseconds(400),
        queue_length_packets: 1,
        length_tested_on: LengthTestedOn::Departure,
        drops_on_overload: true,
        spared_bytes: 0,
        marks: true,
    };

    #[test]
    fn the_ramp_rises_from_800_to_1200_microseconds_and_without_a_range_it_is_a_step() {
        let ramp = |settings, us| coupled(settings).ramp(Span::from_microseconds(us));
        let found = [0, 800, 900, 1000, 1199, 1200, 5000].map(|us| ramp(RFC, us));
        assert_eq!(found, [0.0, 0.0, 0.25, 0.5, 0.9975, 1.0, 1.0]);
        let step =
            CoupledSettings { ramp_from: Span::from_microseconds(1000), ramp_range: Span::ZERO, ..RFC };
        assert_eq!([999, 1000].map(|us| ramp(step, us)), [0.0, 1.0]);
    }

    #[test]
    fn the_longer_wait_of_the_two_heads_drives_the_probability() {
        let mut coupled = coupled(RFC);
        let at = |us: u64| Time::ZERO + Span::from_microseconds(us);
        let [classic, low_latency] = [Some(at(6_000)), Some(at(15_000))];
        // At 16 ms 10 ms of the C queue's head: 0.16·(10 − 15) ms + 3.2·10 ms = 0.0312.
        coupled.catch_up(at(16_000), || [classic, low_latency]);
        assert!((coupled.controller.base() - 0.0312).abs() < 1e-12, "{}", coupled.controller.base());
        // At 32 ms 17 ms of the L queue's: + 0.16·2 ms + 3.2·7 ms = 0.05392.
        coupled.catch_up(at(47_999), || [None, low_latency]);
        assert!((coupled.controller.base() - 0.053_92).abs() < 1e-12, "{}", coupled.controller.base());
    }
}
