//! Slots: links share a medium by taking turns in a fixed cycle (time division multiple access).
//!
//! Source: IEEE 802.16-2012, section 6.3.7 and ITU-T G.984.3 (GPON), section 8.2: in each cycle a station
//! sends in the slot that it was granted, and a packet that is not over by its end goes on in the next one.
//!
//! ```text
//! slot k         from offset_ms + k·cycle_ms, for slot_ms
//! in a slot      bytes at rate·cycle_ms/slot_ms, so that the link's rate is what its slots carry
//! takes          the time until so many bytes have passed in slots;  nothing passes between them
//! ```
//!
//! Departures and silences. Slots are the same in every cycle, whether something waits or not. Links that
//! share a medium have slots that do not overlap: whoever writes the scenario sees to it. A fragment has no
//! header of its own; a guard time is taken off `slot_ms`.

use super::{Load, MediumModel, Service};
use aqmlab_aqm::ParameterError;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The link sends only in its slot of a cycle. Its rate is the mean over a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slots {
    /// Time from the beginning of one slot of this link to the next.
    #[schemars(range(min = 0.001, max = 1_000_000.0))]
    pub cycle_ms: f64,

    /// Length of its slot, at most `cycle_ms` less `offset_ms`.
    #[schemars(range(min = 0.0001, max = 1_000_000.0))]
    pub slot_ms: f64,

    /// Beginning of its slot within the cycle.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub offset_ms: f64,
}

/// The fastest link of a scenario: 1,000,000 Mbit/s.
const FASTEST_BITS_PER_SECOND: u128 = 1_000_000_000_000;

impl Slots {
    fn spans(&self) -> [Span; 3] {
        [self.cycle_ms, self.slot_ms, self.offset_ms].map(|ms| Span::from_seconds(ms / 1e3))
    }

    /// Bits per second in a slot, of a link with this mean rate.
    fn rate_in_slot(&self, rate: Rate) -> u128 {
        let [cycle, slot, _] = self.spans().map(|span| u128::from(span.nanoseconds()));
        (u128::from(rate.bits_per_second()) * cycle + slot / 2) / slot
    }
}

impl MediumModel for Slots {
    fn validate(&self, rate: Rate) -> Result<(), ParameterError> {
        let refuse = |key: &'static str, value: f64, legal: String| {
            Err(ParameterError { key: key.into(), value: Some(value.to_string()), legal })
        };
        let [cycle, slot, offset] = self.spans();
        if offset >= cycle {
            return refuse("offset_ms", self.offset_ms, format!("below cycle_ms ({})", self.cycle_ms));
        }
        if slot > cycle - offset {
            let legal = format!("at most cycle_ms less offset_ms ({})", self.cycle_ms - self.offset_ms);
            return refuse("slot_ms", self.slot_ms, legal);
        }
        if self.rate_in_slot(rate) > FASTEST_BITS_PER_SECOND {
            let megabits = rate.bits_per_second() as f64 / 1e6;
            let legal = format!(
                "at least {}: the link sends at its {megabits} Mbit/s times cycle_ms/slot_ms, at most 1000000 Mbit/s",
                self.cycle_ms * megabits / 1e6
            );
            return refuse("slot_ms", self.slot_ms, legal);
        }
        Ok(())
    }

    fn service(&self, rate: Rate, _key: Key) -> Box<dyn Service> {
        let [cycle, slot, offset] = self.spans();
        let clock = TransmissionClock::new(self.highest_rate(rate));
        Box::new(Slotted { clock, cycle, slot, offset })
    }

    fn highest_rate(&self, rate: Rate) -> Rate {
        Rate::from_bits_per_second(u64::try_from(self.rate_in_slot(rate)).unwrap_or(u64::MAX))
    }

    fn drawn(dice: &mut Stream) -> Self {
        let cycle_ms = (100 + dice.below(20_000)) as f64 / 1e3;
        let offset_ms = if dice.below(2) == 0 { 0.0 } else { cycle_ms * 0.9 * dice.uniform() };
        Self { cycle_ms, slot_ms: (cycle_ms - offset_ms) * (0.1 + 0.9 * dice.uniform()), offset_ms }
    }
}

#[derive(Clone)]
struct Slotted {
    /// Of the bytes in slots.
    clock: TransmissionClock,
    cycle: Span,
    slot: Span,
    offset: Span,
}

impl Slotted {
    /// The slot at an instant, or the next one behind it: when it begins, and how much of it is over.
    fn slot_at(&self, now: Time) -> (Time, Span) {
        let cycle = self.cycle.nanoseconds();
        let since = (now.nanoseconds() + cycle - self.offset.nanoseconds()) % cycle;
        let over = Span::from_nanoseconds(since);
        if over < self.slot {
            (Time::from_nanoseconds(now.nanoseconds() - since), over)
        } else {
            (now + (self.cycle - over), Span::ZERO)
        }
    }
}

impl Service for Slotted {
    fn transmit(&mut self, now: Time, load: Load) -> Time {
        let (begins, over) = self.slot_at(now);
        // What would have to pass from the beginning of the slot on.
        let passes = (over + self.clock.transmit(load.wire_bytes)).nanoseconds();
        let slot = self.slot.nanoseconds();
        let whole_slots = passes.saturating_sub(1) / slot;
        let cycles = Span::from_nanoseconds(whole_slots * self.cycle.nanoseconds());
        begins + cycles + Span::from_nanoseconds(passes - whole_slots * slot)
    }

    fn costs_bytes_alone(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_microseconds(us)
    }

    /// 10 Mbit/s in 2 of 10 ms, from 3 ms on: 50 Mbit/s in a slot, in which 1,250 bytes take 0.2 ms.
    #[test]
    fn bytes_pass_in_slots_alone() {
        let slots = Slots { cycle_ms: 10.0, slot_ms: 2.0, offset_ms: 3.0 };
        let rate = Rate::from_megabits_per_second(10.0);
        assert_eq!(slots.validate(rate), Ok(()));
        let ends = |begins: u64, wire_bytes: u32| {
            let load = Load { packets: 1, wire_bytes };
            slots.service(rate, Key::from_seed(1)).transmit(at(begins), load)
        };
        assert_eq!(ends(0, 1_250), at(3_200));
        assert_eq!(ends(3_000, 1_250), at(3_200));
        assert_eq!(ends(4_800, 1_250), at(5_000), "over when the slot is");
        assert_eq!(ends(4_900, 1_250), at(13_100), "goes on in the next");
        assert_eq!(ends(5_000, 1_250), at(13_200));
        // 12,500 bytes are a slot; 31,250 two and a half.
        assert_eq!(ends(3_000, 12_500), at(5_000));
        assert_eq!(ends(4_000, 31_250), at(25_000));
    }

    #[test]
    fn slots_that_no_cycle_holds_are_refused() {
        let rate = Rate::from_megabits_per_second(10.0);
        let refused = |slots: Slots| slots.validate(rate).map_err(|error| error.to_string());
        let slots = |slot_ms, offset_ms| Slots { cycle_ms: 10.0, slot_ms, offset_ms };
        assert_eq!(refused(slots(10.0, 0.0)), Ok(()));
        assert_eq!(
            refused(slots(1.0, 10.0)),
            Err("`offset_ms` is 10: it must be below cycle_ms (10)".into())
        );
        let wrong = "`slot_ms` is 8: it must be at most cycle_ms less offset_ms (7)";
        assert_eq!(refused(slots(8.0, 3.0)), Err(wrong.into()));
        let too_fast = Slots { cycle_ms: 1e6, slot_ms: 1e-3, offset_ms: 0.0 };
        assert!(
            refused(too_fast)
                .is_err_and(|wrong| wrong.contains("it must be at least 10: the link sends at its"))
        );
    }
}
