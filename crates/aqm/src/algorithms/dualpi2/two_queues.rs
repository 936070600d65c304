//! The scheduler of DualPI2: who is sorted where, who is served, and what becomes of a packet that leaves.

use super::Schedule;
use super::coupled::{Coupled, Kind, LengthTestedOn, heads};
use super::protection::Protection;
use crate::aqm::{Departing, Verdict};
use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketFacts};
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_units::{Probability, Rate, Span, Time};
use std::collections::VecDeque;

/// Who is sorted where.
#[derive(Clone)]
pub(super) struct Sorting {
    /// Whether the ECN field tells.
    pub(super) tells_apart: bool,
    /// The DSCP that the L queue takes as well.
    pub(super) dscp: Option<u8>,
    /// Who of those is sent to the C queue.
    pub(super) protection: Option<Box<Protection>>,
}

impl Sorting {
    /// The queue of an arrival.
    fn queue_of(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> Kind {
        let scalable = self.tells_apart && matches!(packet.codepoint, Codepoint::Ect1 | Codepoint::Ce);
        if !scalable && self.dscp != Some(header.dscp) {
            return Kind::Classic;
        }
        let redirected = self.protection.as_mut().is_some_and(|protection| {
            let waiting = queues.bytes(Kind::LowLatency as usize);
            protection.redirects(now, packet.flow, header.flow_hash, packet.bytes, waiting)
        });
        if redirected { Kind::Classic } else { Kind::LowLatency }
    }
}

/// Serves the L queue, unless the C queue's time has come.
#[derive(Clone)]
pub(super) struct TwoQueues {
    schedule: Schedule,
    sorting: Sorting,
    /// What the C queue has to wait for, in bytes: it is served when this is above zero.
    classic_credit: f64,
    /// What it begins with, and begins with again whenever the link finds nothing to send.
    initial_credit: f64,
    both_hold_packets: bool,
    last_arrival: usize,
    coupled: Coupled,
    /// Of each packet that waits in the L queue whether it found a long queue; only where this is told on
    /// arrival.
    found_long: VecDeque<bool>,
    tests_on_arrival: bool,
}

impl TwoQueues {
    pub(super) fn new(schedule: Schedule, sorting: Sorting, mtu_bytes: u32, coupled: Coupled) -> Self {
        let initial_credit = match schedule {
            Schedule::Weighted { classic_share } => f64::from(mtu_bytes) * (2.0 * classic_share - 1.0),
            Schedule::TimeShifted { .. } => 0.0,
        };
        let tests_on_arrival = coupled.settings.length_tested_on == LengthTestedOn::Arrival;
        Self {
            schedule,
            sorting,
            classic_credit: initial_credit,
            initial_credit,
            both_hold_packets: false,
            last_arrival: 0,
            coupled,
            found_long: VecDeque::with_capacity(if tests_on_arrival { 1024 } else { 0 }),
            tests_on_arrival,
        }
    }

    /// Whether the C queue is served though packets wait in both.
    fn classic_is_due(&self, queues: &dyn Backlogs) -> bool {
        let shift = match self.schedule {
            Schedule::Weighted { .. } => return self.classic_credit > 0.0,
            Schedule::TimeShifted { shift_ms } => Span::from_seconds(shift_ms / 1e3),
        };
        match heads(queues) {
            [Some(classic), Some(low_latency)] => classic + shift < low_latency,
            _ => false,
        }
    }
}

impl Scheduler for TwoQueues {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        self.advance(now, queues);
        self.last_arrival = self.sorting.queue_of(now, packet, header, queues) as usize;
        self.last_arrival
    }

    fn on_queued(&mut self, _now: Time, queue: usize, _packet: &PacketFacts, queues: &dyn Backlogs) {
        if self.tests_on_arrival && Kind::of(queue) == Kind::LowLatency {
            let waited_before = queues.packets(queue) - 1;
            self.found_long.push_back(waited_before > self.coupled.settings.queue_length_packets);
        }
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        self.advance(now, queues);
        let holds = |kind: Kind| queues.packets(kind as usize) > 0;
        let (classic, low_latency) = (holds(Kind::Classic), holds(Kind::LowLatency));
        self.both_hold_packets = classic && low_latency;
        if low_latency && !(classic && self.classic_is_due(queues)) {
            return Turn::Queue(Kind::LowLatency as usize);
        }
        if !classic {
            self.classic_credit = self.initial_credit;
            return Turn::Nobody;
        }
        Turn::Queue(Kind::Classic as usize)
    }

    fn on_departure(
        &mut self,
        now: Time,
        queue: usize,
        packet: &Departing,
        queues: &dyn Backlogs,
    ) -> Verdict {
        let bytes = queues.bytes(Kind::Classic as usize) + queues.bytes(Kind::LowLatency as usize);
        match Kind::of(queue) {
            Kind::Classic => self.coupled.of_classic(&packet.facts, bytes),
            Kind::LowLatency => {
                let found_long = self.found_long.pop_front();
                let stay_behind = queues.packets(queue);
                let is_long = found_long.unwrap_or(stay_behind > self.coupled.settings.queue_length_packets);
                self.coupled.of_low_latency(now, packet, is_long, bytes)
            }
        }
    }

    fn watches_departures(&self) -> bool {
        true
    }

    fn on_sent(&mut self, _now: Time, queue: usize, bytes: u32) {
        let Schedule::Weighted { classic_share } = self.schedule else { return };
        if self.both_hold_packets {
            let low_latency = Kind::of(queue) == Kind::LowLatency;
            let change = if low_latency { classic_share } else { classic_share - 1.0 };
            self.classic_credit += change * f64::from(bytes);
        }
    }

    fn on_empty(&mut self, _now: Time, _queue: usize) {}

    fn on_rate(&mut self, rate: Rate) {
        if let Some(protection) = &mut self.sorting.protection {
            protection.change_rate(rate);
        }
    }

    /// The last arrival makes room.
    fn victim(&mut self, _now: Time, _queues: &dyn Backlogs) -> Victim {
        if Kind::of(self.last_arrival) == Kind::LowLatency {
            self.found_long.pop_back();
        }
        Victim { queue: self.last_arrival, end: End::Tail, most_packets: 1, enough_bytes: u64::MAX }
    }

    fn advance(&mut self, now: Time, queues: &dyn Backlogs) {
        self.coupled.catch_up(now, || heads(queues));
    }

    fn signal_probability(&self, queue: usize) -> Option<Probability> {
        Some(self.coupled.signal_probability(Kind::of(queue)))
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.coupled.observe(sink);
        sink("classic_credit_bytes", self.classic_credit);
        if let Some(protection) = &self.sorting.protection {
            sink("redirected_packets", protection.redirected() as f64);
        }
    }
}
