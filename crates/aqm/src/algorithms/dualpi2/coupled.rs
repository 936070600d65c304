//! The two queues of DualPI2: what they know of each other, what each does with a packet that leaves, and who is served.

use super::Schedule;
use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketFacts};
use crate::parts::{Pi2Controller, Recurrence, Ticker};
use crate::queue_view::QueueView;
use crate::scheduler::{Backlogs, End, Scheduler, Victim};
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
}

/// What both queues and their scheduler see: the probability, and since when each head has waited.
#[derive(Debug)]
pub(super) struct Coupled {
    settings: CoupledSettings,
    controller: Pi2Controller,
    ticker: Ticker,
    /// Of each queue, by its number.
    heads: [Option<Time>; 2],
    bytes: [u64; 2],
    sums: [Recurrence; 2],
}

pub(super) type Shared = Arc<Mutex<Coupled>>;

impl Coupled {
    pub(super) const fn new(settings: CoupledSettings, controller: Pi2Controller, ticker: Ticker) -> Self {
        let sums = [Recurrence::new(), Recurrence::new()];
        Self { settings, controller, ticker, heads: [None; 2], bytes: [0; 2], sums }
    }

    pub(super) fn shared(self) -> Shared {
        Arc::new(Mutex::new(self))
    }

    /// Updates the probability at every instant that is due. Heads and probability only change here and when a packet
    /// comes or goes, which calls this first: so whoever is late finds what the timer would have found.
    fn catch_up(&mut self, now: Time) {
        while self.ticker.due() <= now {
            let due = self.ticker.due();
            let waited = |head: &Time| due.since(*head).seconds();
            let longest = self.heads.iter().flatten().map(waited).fold(0.0, f64::max);
            self.controller.update(longest);
            self.ticker.advance();
        }
    }

    /// What becomes of a packet of the C queue.
    fn of_classic(&mut self, packet: &PacketFacts) -> Verdict {
        let likelihood = self.controller.classic();
        if self.rests() || !self.sums[Kind::Classic as usize].recurs(likelihood) {
            return Verdict::Pass;
        }
        let marks = packet.codepoint.can_be_marked() && likelihood < self.settings.highest_marking;
        if marks { Verdict::Signal(Reason::Early) } else { Verdict::Drop(Reason::Early) }
    }

    /// What becomes of a packet of the L queue that has waited so long; `is_long` where the queue was longer than what is
    /// spared.
    fn of_low_latency(&mut self, waited: Span, is_long: bool) -> Verdict {
        let coupled = if self.rests() { 0.0 } else { self.controller.coupled(self.settings.coupling) };
        if coupled >= 1.0 && self.settings.drops_on_overload {
            return self.overloaded(coupled);
        }
        let native = if is_long { self.ramp(waited) } else { 0.0 };
        let marks = self.sums[Kind::LowLatency as usize].recurs(native.max(coupled.min(1.0)));
        if marks { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    fn overloaded(&mut self, coupled: f64) -> Verdict {
        let classic = self.controller.classic();
        let sum = &mut self.sums[Kind::LowLatency as usize];
        if sum.recurs(classic) {
            return Verdict::Drop(Reason::Early);
        }
        // More than one in one would pile up in the sum, and mark long after the overload.
        if sum.recurs(coupled.min(1.0)) { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    fn rests(&self) -> bool {
        self.bytes[0] + self.bytes[1] < self.settings.spared_bytes
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
}

fn lock(shared: &Shared) -> MutexGuard<'_, Coupled> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the two queues.
pub(super) struct CoupledQueue {
    kind: Kind,
    shared: Shared,
    packets: u32,
    /// Of the last arrival, which is what is discarded where there is no room.
    last_bytes: u32,
    /// Of each waiting packet whether it found a long queue; only where this is told on arrival.
    found_long: VecDeque<bool>,
    tests_on_arrival: bool,
    queue_length_packets: u32,
}

impl CoupledQueue {
    pub(super) fn new(kind: Kind, shared: &Shared) -> Self {
        let settings = lock(shared).settings;
        let tests_on_arrival =
            kind == Kind::LowLatency && settings.length_tested_on == LengthTestedOn::Arrival;
        Self {
            kind,
            shared: Arc::clone(shared),
            packets: 0,
            last_bytes: 0,
            found_long: VecDeque::with_capacity(if tests_on_arrival { 1024 } else { 0 }),
            tests_on_arrival,
            queue_length_packets: settings.queue_length_packets,
        }
    }

    const fn number(&self) -> usize {
        self.kind as usize
    }
}

impl Aqm for CoupledQueue {
    fn on_arrival(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        let mut shared = lock(&self.shared);
        shared.catch_up(now);
        if queue.packets() == 0 {
            shared.heads[self.kind as usize] = Some(now);
        }
        shared.bytes[self.kind as usize] = queue.bytes() + u64::from(packet.bytes);
        drop(shared);
        (self.packets, self.last_bytes) = (queue.packets() + 1, packet.bytes);
        if self.tests_on_arrival {
            self.found_long.push_back(queue.packets() > self.queue_length_packets);
        }
        Verdict::Pass
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        let mut shared = lock(&self.shared);
        shared.catch_up(now);
        shared.heads[self.kind as usize] = queue.arrived(0);
        shared.bytes[self.kind as usize] = queue.bytes();
        self.packets = queue.packets();
        match self.kind {
            Kind::Classic => shared.of_classic(&packet.facts),
            Kind::LowLatency => {
                let found_long = self.found_long.pop_front();
                let is_long = found_long.unwrap_or(queue.packets() > self.queue_length_packets);
                let waited = packet.arrived.map_or(Span::ZERO, |arrived| now.since(arrived));
                shared.of_low_latency(waited, is_long)
            }
        }
    }

    /// Room is made by the last arrival, at the tail.
    fn on_room_made(&mut self, now: Time, packets: u32) {
        let mut shared = lock(&self.shared);
        shared.catch_up(now);
        self.packets -= packets;
        shared.bytes[self.kind as usize] -= u64::from(self.last_bytes);
        if self.packets == 0 {
            shared.heads[self.kind as usize] = None;
        }
        let left = self.found_long.len().saturating_sub(packets as usize);
        self.found_long.truncate(left);
    }

    fn on_idle(&mut self, now: Time) {
        let mut shared = lock(&self.shared);
        shared.catch_up(now);
        shared.heads[self.kind as usize] = None;
        shared.bytes[self.kind as usize] = 0;
    }

    fn next_timer(&self) -> Option<Time> {
        (self.kind == Kind::Classic).then(|| lock(&self.shared).ticker.due())
    }

    fn on_timer(&mut self, due: Time, _queue: &QueueView<'_>) {
        lock(&self.shared).catch_up(due);
    }

    fn signal_probability(&self) -> Probability {
        let shared = lock(&self.shared);
        Probability::clamped(match self.kind {
            Kind::Classic => shared.controller.classic(),
            Kind::LowLatency => shared.controller.coupled(shared.settings.coupling),
        })
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("accumulated_likelihood", lock(&self.shared).sums[self.number()].sum());
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }
}

/// Who is served: the L queue, unless the C queue's time has come.
pub(super) struct TwoQueues {
    schedule: Schedule,
    tells_apart: bool,
    /// What the C queue has to wait for, in bytes: it is served when this is above zero.
    classic_credit: f64,
    /// What it begins with, and begins with again whenever the link finds nothing to send.
    initial_credit: f64,
    both_hold_packets: bool,
    last_arrival: usize,
    shared: Shared,
}

impl TwoQueues {
    pub(super) fn new(schedule: Schedule, tells_apart: bool, mtu_bytes: u32, shared: &Shared) -> Self {
        let initial_credit = match schedule {
            Schedule::Weighted { classic_share } => f64::from(mtu_bytes) * (2.0 * classic_share - 1.0),
            Schedule::TimeShifted { .. } => 0.0,
        };
        let (both_hold_packets, last_arrival) = (false, 0);
        Self {
            schedule,
            tells_apart,
            classic_credit: initial_credit,
            initial_credit,
            both_hold_packets,
            last_arrival,
            shared: Arc::clone(shared),
        }
    }

    /// Whether the C queue is served though packets wait in both.
    fn classic_is_due(&self) -> bool {
        let shift = match self.schedule {
            Schedule::Weighted { .. } => return self.classic_credit > 0.0,
            Schedule::TimeShifted { shift_ms } => Span::from_seconds(shift_ms / 1e3),
        };
        let [classic, low_latency] = lock(&self.shared).heads;
        match (classic, low_latency) {
            (Some(classic), Some(low_latency)) => classic + shift < low_latency,
            _ => false,
        }
    }
}

impl Scheduler for TwoQueues {
    fn classify(&mut self, packet: &PacketFacts, _header: &HeaderFields, _queues: &dyn Backlogs) -> usize {
        let low_latency = matches!(packet.codepoint, Codepoint::Ect1 | Codepoint::Ce) && self.tells_apart;
        self.last_arrival = if low_latency { Kind::LowLatency } else { Kind::Classic } as usize;
        self.last_arrival
    }

    fn on_queued(&mut self, _queue: usize, _packet: &PacketFacts) {}

    fn next(&mut self, queues: &dyn Backlogs) -> Option<usize> {
        let holds = |kind: Kind| queues.packets(kind as usize) > 0;
        let (classic, low_latency) = (holds(Kind::Classic), holds(Kind::LowLatency));
        self.both_hold_packets = classic && low_latency;
        if low_latency && !(classic && self.classic_is_due()) {
            return Some(Kind::LowLatency as usize);
        }
        if !classic {
            self.classic_credit = self.initial_credit;
            return None;
        }
        Some(Kind::Classic as usize)
    }

    fn on_sent(&mut self, queue: usize, bytes: u32) {
        let Schedule::Weighted { classic_share } = self.schedule else { return };
        if self.both_hold_packets {
            let low_latency = queue == Kind::LowLatency as usize;
            let change = if low_latency { classic_share } else { classic_share - 1.0 };
            self.classic_credit += change * f64::from(bytes);
        }
    }

    fn on_empty(&mut self, _queue: usize) {}

    fn asks_again_after_discard(&self) -> bool {
        true
    }

    fn victim(&mut self, _queues: &dyn Backlogs) -> Victim {
        Victim { queue: self.last_arrival, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let shared = lock(&self.shared);
        sink("base_probability", shared.controller.base());
        sink("accumulated_classic", shared.sums[0].sum());
        sink("accumulated_low_latency", shared.sums[1].sum());
        sink("classic_credit_bytes", self.classic_credit);
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
    };

    #[test]
    fn the_ramp_rises_from_800_to_1200_microseconds_and_without_a_range_it_is_a_step() {
        let ramp = |settings, us| coupled(settings).ramp(Span::from_microseconds(us));
        let found = [0, 800, 900, 1000, 1199, 1200, 5000].map(|us| ramp(RFC, us));
        assert_eq!(found, [0.0, 0.0, 0.25, 0.5, 0.9975, 1.0, 1.0]);
        let step = CoupledSettings { ramp_from: Span::from_microseconds(1000), ramp_range: Span::ZERO, ..RFC };
        assert_eq!([999, 1000].map(|us| ramp(step, us)), [0.0, 1.0]);
    }

    #[test]
    fn the_longer_wait_of_the_two_heads_drives_the_probability() {
        let mut shared = coupled(RFC);
        let at = |us: u64| Time::ZERO + Span::from_microseconds(us);
        shared.heads = [Some(at(6_000)), Some(at(15_000))];
        // At 16 ms 10 ms of the C queue's head: 0.16·(10 − 15) ms + 3.2·10 ms = 0.0312.
        shared.catch_up(at(16_000));
        assert!((shared.controller.base() - 0.0312).abs() < 1e-12, "{}", shared.controller.base());
        shared.heads[0] = None;
        // At 32 ms 17 ms of the L queue's: + 0.16·2 ms + 3.2·7 ms = 0.05392.
        shared.catch_up(at(47_999));
        assert!((shared.controller.base() - 0.053_92).abs() < 1e-12, "{}", shared.controller.base());
    }
}
