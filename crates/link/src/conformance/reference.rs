//! The reference: closed forms over the packets that found room, in the order of their arrival.
//!
//! A packet is taken out of the queue when it comes, or when so many packets are left below it as the ring
//! holds beside the one in service; it is sent when it is taken, or when the one before it has left (D. V.
//! Lindley, *The theory of queues with a single server*, Mathematical Proceedings of the Cambridge
//! Philosophical Society 48, 1952). It finds room if fewer than the limit came before it and were not taken.

use super::aggregates::{self, Turns};
use super::byte_time::{byte_q32, took};
use super::passed::Passed;
use super::{Arrival, Case, Outcome};
use crate::{Medium, RateTrace, ServiceModel, Slots};
use aqmlab_units::{Rate, Span, Time};

/// An accepted packet.
#[derive(Clone, Copy)]
struct Accepted {
    /// When it is taken out of the queue.
    taken: Time,
    /// When the last of it has left.
    left: Time,
}

/// What becomes of each of these arrivals, which come in this order. An arrival at the instant at which a
/// transmission ends finds what that has left behind.
#[must_use]
pub fn expected(case: &Case, arrivals: &[Arrival]) -> Vec<Outcome> {
    if let Some(turns) = Turns::of(case) {
        return aggregates::expected(case, &turns, arrivals);
    }
    let mut accepted: Vec<Accepted> = Vec::new();
    let mut sender = Sender::new(case);
    let below = case.ring_packets as usize + 1;
    let outcome = |arrival: &Arrival| {
        let waiting = accepted.iter().filter(|packet| packet.taken > arrival.at).count();
        if waiting >= case.limit_packets as usize {
            return Outcome::Overflows;
        }
        let end_of = |back: usize| accepted.len().checked_sub(back).map_or(Time::ZERO, |n| accepted[n].left);
        let taken = arrival.at.max(end_of(below));
        let left = sender.send(taken.max(end_of(1)), case.framing.wire_bytes(arrival.ip_bytes));
        accepted.push(Accepted { taken, left });
        Outcome::Departs(left)
    };
    arrivals.iter().map(outcome).collect()
}

enum Sender {
    /// Time of a byte in units of 2⁻³² ns, and all bytes that were sent.
    Constant(u128, u128),
    /// Every opportunity that there may be, with what is left of it.
    Trace(Vec<(Time, u32)>),
    /// The bytes in slots as those of a constant rate, and the slots.
    Slots(u128, u128, SlotTime),
    /// What has passed until each end of an interval.
    VaryingRate(Passed),
}

/// Time that passes in slots alone: cycle, slot and its beginning, in nanoseconds.
struct SlotTime([u64; 3]);

impl SlotTime {
    fn new(slots: &Slots) -> Self {
        let Slots { cycle_ms, slot_ms, offset_ms } = *slots;
        Self([cycle_ms, slot_ms, offset_ms].map(|ms| Span::from_seconds(ms / 1e3).nanoseconds()))
    }

    /// How much of it is over at an instant.
    fn at(&self, now: Time) -> u64 {
        let [cycle, slot, offset] = self.0;
        now.nanoseconds()
            .checked_sub(offset)
            .map_or(0, |since| since / cycle * slot + (since % cycle).min(slot))
    }

    /// The first instant at which so much of it is over, which is more than nothing.
    fn when(&self, over: u64) -> Time {
        let [cycle, slot, offset] = self.0;
        let before = (over - 1) / slot;
        Time::from_nanoseconds(offset + before * cycle + (over - before * slot))
    }
}

impl Sender {
    fn new(case: &Case) -> Self {
        match &case.service {
            ServiceModel::Constant => Self::Constant(byte_q32(case.rate), 0),
            ServiceModel::Trace(trace) => Self::Trace(opportunities(trace)),
            ServiceModel::Steps(_) => unreachable!("no case has steps"),
            ServiceModel::Medium(Medium::Slots(slots)) => {
                let time = SlotTime::new(slots);
                let [cycle, slot, _] = time.0.map(u128::from);
                let bits = (u128::from(case.rate.bits_per_second()) * cycle + slot / 2) / slot;
                let in_slot = Rate::from_bits_per_second(u64::try_from(bits).unwrap_or(u64::MAX));
                Self::Slots(byte_q32(in_slot), 0, time)
            }
            ServiceModel::Medium(Medium::VaryingRate(own)) => Self::VaryingRate(Passed::new(case, own)),
            ServiceModel::Medium(Medium::Aggregation(_) | Medium::Wifi(_)) => {
                unreachable!("its transmissions carry several packets")
            }
        }
    }

    /// When these bytes have left whose transmission begins at an instant.
    fn send(&mut self, begins: Time, bytes: u32) -> Time {
        match self {
            Self::Constant(byte, sent) => begins + took(*byte, sent, bytes),
            Self::Slots(byte, sent, time) => {
                time.when(time.at(begins) + took(*byte, sent, bytes).nanoseconds())
            }
            Self::VaryingRate(passed) => passed.send(begins, bytes),
            Self::Trace(opportunities) => {
                let mut missing = bytes;
                opportunities.retain(|&(at, left)| at >= begins && left > 0);
                for (at, left) in opportunities {
                    let carried = missing.min(*left);
                    (*left, missing) = (*left - carried, missing - carried);
                    if missing == 0 {
                        return *at;
                    }
                }
                unreachable!("there are more opportunities than bytes")
            }
        }
    }
}

/// The opportunities of a trace, round after round, for longer than any test sends.
fn opportunities(trace: &RateTrace) -> Vec<(Time, u32)> {
    const ROUNDS: u64 = 4_000;
    let of_round = |round: u64| {
        let began = round * u64::from(trace.period_ms());
        let instant = move |&ms: &u32| Time::ZERO + Span::from_milliseconds(began + u64::from(ms));
        trace.opportunities_ms().iter().map(move |ms| (instant(ms), 1_504))
    };
    (0..ROUNDS).flat_map(of_round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Framing;
    use aqmlab_random::Key;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(ms)
    }

    /// Packets of 1,250 bytes take 1 ms at 10 Mbit/s. Four come at once and one at 2 ms; one waits, and a
    /// ring holds one more.
    #[test]
    fn a_ring_is_room_below_the_queue() {
        let outcomes = |ring_packets| {
            let rate = Rate::from_megabits_per_second(10.0);
            let (service, framing, key) = (ServiceModel::Constant, Framing::NONE, Key::from_seed(1));
            let case = Case { rate, service, key, framing, ring_packets, limit_packets: 1 };
            let arrivals = [0, 0, 0, 0, 2].map(|ms| Arrival { at: at(ms), ip_bytes: 1_250 });
            expected(&case, &arrivals)
        };
        let departs = |ms| Outcome::Departs(at(ms));
        let overflows = Outcome::Overflows;
        assert_eq!(outcomes(0), [departs(1), departs(2), overflows, overflows, departs(3)]);
        assert_eq!(outcomes(1), [departs(1), departs(2), departs(3), overflows, departs(4)]);
    }
}
