//! Aggregation: a transmission carries several packets, and costs a time of its own beside theirs.
//!
//! Source: IEEE 802.11-2020, section 10.12 (A-MPDU): a station that has won the medium sends what waits as
//! one transmission, up to a number of packets and of bytes, behind one preamble and answered by one
//! acknowledgement. A burst of a cable modem under one grant (DOCSIS 3.1, MULPI, section 7.2) is of the same
//! kind.
//!
//! ```text
//! transmission   the first packet that waits, and the next ones while there are at most most_packets and most_bytes
//! takes          overhead_us + bytes/rate;  all its packets arrive when it ends
//! throughput     n·L/(overhead_us + n·L/rate) at most, of n packets of L bytes
//! ```
//!
//! Departures and silences. The overhead is one number: contention, preamble, gaps and acknowledgement
//! together, and no collision. Nothing waits for more packets to come. A packet that is taken out of the
//! queue and no longer fits goes first in the next transmission. A packet longer than `most_bytes` travels
//! alone.

use super::{Load, MediumModel, Service, capacity};
use aqmlab_aqm::ParameterError;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several packets in one transmission, with a fixed overhead for each transmission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Aggregation {
    /// Time of each transmission beside its bytes: contention, preamble, acknowledgement.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub overhead_us: f64,

    /// Packets that a transmission carries at most.
    #[serde(default = "most_packets")]
    #[schemars(range(min = 1, max = 1_024))]
    pub most_packets: u32,

    /// Bytes of frames, with preambles and gaps, that a transmission carries at most. A longer packet travels
    /// alone.
    #[serde(default = "most_bytes")]
    #[schemars(range(min = 1, max = 8_388_608))]
    pub most_bytes: u32,
}

/// The window of an 802.11n block acknowledgement.
const fn most_packets() -> u32 {
    64
}

/// The longest A-MPDU of 802.11n.
const fn most_bytes() -> u32 {
    65_535
}

impl MediumModel for Aggregation {
    fn validate(&self, _rate: Rate) -> Result<(), ParameterError> {
        Ok(())
    }

    fn service(&self, rate: Rate, _key: Key) -> Box<dyn Service> {
        Box::new(Aggregating {
            clock: TransmissionClock::new(rate),
            overhead: Span::from_seconds(self.overhead_us / 1e6),
            most_packets: self.most_packets,
            most_bytes: self.most_bytes,
        })
    }

    fn capacity(&self, rate: Rate, wire_bytes: u32) -> Rate {
        let mut service = MediumModel::service(self, rate, Key::from_seed(0)); // nothing of it is random
        capacity::of_full_transmissions(service.as_mut(), wire_bytes)
    }

    fn drawn(dice: &mut Stream) -> Self {
        let most_packets = 1 + dice.below(6) as u32;
        let most_bytes = if dice.below(2) == 0 { 65_535 } else { 1 + dice.below(6_000) as u32 };
        Self { overhead_us: dice.below(4) as f64 * dice.uniform() * 1_000.0, most_packets, most_bytes }
    }
}

#[derive(Clone)]
struct Aggregating {
    clock: TransmissionClock,
    overhead: Span,
    most_packets: u32,
    most_bytes: u32,
}

impl Service for Aggregating {
    fn carries(&self, load: Load) -> bool {
        load.packets <= self.most_packets && load.wire_bytes <= self.most_bytes
    }

    fn transmit(&mut self, now: Time, load: Load) -> Time {
        now + self.overhead + self.clock.transmit(load.wire_bytes)
    }
}
