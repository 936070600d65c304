//! The reference of links whose transmissions carry several packets: a list of who waits, worked through in
//! order.
//!
//! A transmission takes the first that wait when it begins, as many as it may carry. What waits below the
//! queue meanwhile, and takes no room there, is as many as the ring holds, or one that was taken and did not
//! fit.

use super::byte_time::{byte_q32, took};
use super::{Arrival, Case, Outcome};
use crate::{Medium, ServiceModel};
use aqmlab_units::{Span, Time};

/// What transmissions may carry and what they take.
pub(super) struct Turns {
    most_packets: u32,
    most_bytes: u32,
    overhead_us: f64,
    /// Time that others take for each unit of time of a transmission.
    others_ratio: f64,
}

impl Turns {
    /// Those of a case, if its transmissions carry several packets.
    pub(super) fn of(case: &Case) -> Option<Self> {
        match &case.service {
            ServiceModel::Medium(Medium::Aggregation(own)) => Some(Self {
                most_packets: own.most_packets,
                most_bytes: own.most_bytes,
                overhead_us: own.overhead_us,
                others_ratio: 0.0,
            }),
            ServiceModel::Medium(Medium::Wifi(own)) => Some(Self {
                most_packets: own.most_packets,
                most_bytes: own.most_bytes(case.rate),
                overhead_us: own.overhead_us,
                others_ratio: own.others_ratio(),
            }),
            _ => None,
        }
    }
}

struct Sender<'a> {
    case: &'a Case,
    own: &'a Turns,
    arrivals: &'a [Arrival],
    outcomes: Vec<Outcome>,
    /// Numbers of the accepted packets that no transmission carries yet.
    waiting: Vec<usize>,
    /// Whether the first of them was taken out of the queue for the present transmission and did not fit.
    one_too_many: bool,
    free_at: Time,
    sent_bytes: u128,
}

pub(super) fn expected(case: &Case, own: &Turns, arrivals: &[Arrival]) -> Vec<Outcome> {
    let outcomes = vec![Outcome::Overflows; arrivals.len()];
    let (waiting, one_too_many, free_at, sent_bytes) = (Vec::new(), false, Time::ZERO, 0);
    let mut sender = Sender { case, own, arrivals, outcomes, waiting, one_too_many, free_at, sent_bytes };
    for (number, arrival) in arrivals.iter().enumerate() {
        while sender.free_at <= arrival.at && !sender.waiting.is_empty() {
            sender.begin(sender.free_at);
        }
        if sender.free_at <= arrival.at {
            sender.waiting.push(number);
            sender.begin(arrival.at);
        } else if sender.in_queue() < case.limit_packets as usize {
            sender.waiting.push(number);
        }
    }
    while !sender.waiting.is_empty() {
        sender.begin(sender.free_at);
    }
    sender.outcomes
}

impl Sender<'_> {
    fn in_queue(&self) -> usize {
        let below = (self.case.ring_packets as usize).max(usize::from(self.one_too_many));
        self.waiting.len().saturating_sub(below)
    }

    fn wire_bytes(&self, number: usize) -> u32 {
        self.case.framing.wire_bytes(self.arrivals[number].ip_bytes)
    }

    fn begin(&mut self, at: Time) {
        let mut bytes = self.wire_bytes(self.waiting[0]);
        let mut packets = 1;
        self.one_too_many = false;
        while packets < self.own.most_packets as usize && bytes < self.own.most_bytes {
            let Some(&next) = self.waiting.get(packets) else { break };
            if bytes + self.wire_bytes(next) > self.own.most_bytes {
                self.one_too_many = true;
                break;
            }
            bytes += self.wire_bytes(next);
            packets += 1;
        }
        let overhead = Span::from_seconds(self.own.overhead_us / 1e6);
        let own = overhead + took(byte_q32(self.case.rate), &mut self.sent_bytes, bytes);
        let others = own.nanoseconds() as f64 * self.own.others_ratio;
        self.free_at = at + own + Span::from_nanoseconds(others.round() as u64);
        for number in self.waiting.drain(..packets) {
            self.outcomes[number] = Outcome::Departs(self.free_at);
        }
    }
}
