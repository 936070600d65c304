//! What a link can carry: the answer for those who look at it from outside, who do not know how it serves.
//!
//! Asked of the [`Service`] that sends the packets, so that a new model answers for itself.

use super::{Load, Service, ServiceModel};
use crate::framing::Framing;
use aqmlab_units::{Rate, Time};
use std::ops::Range;

impl ServiceModel {
    /// Bits per second, preambles and gaps among them, that a link of this rate carries of IP packets of one
    /// size if something always waits. Of a rate that varies, the mean.
    #[must_use]
    pub fn capacity(&self, rate: Rate, framing: Framing, ip_bytes: u32) -> Rate {
        match self {
            Self::Constant | Self::Trace(_) | Self::Steps(_) => rate,
            Self::Medium(medium) => medium.capacity(rate, framing.wire_bytes(ip_bytes)),
        }
    }
}

/// What a service carries whose transmissions are all alike: that of one full transmission over its time.
pub(super) fn of_full_transmissions(service: &mut dyn Service, wire_bytes: u32) -> Rate {
    let load = full_transmission(service, 0..u32::MAX, |_| wire_bytes);
    let took = (service.transmit(Time::ZERO, load) - Time::ZERO).nanoseconds().max(1);
    let bits = u128::from(load.wire_bytes) * 8 * 1_000_000_000;
    Rate::from_bits_per_second(u64::try_from(bits / u128::from(took)).unwrap_or(u64::MAX).max(1))
}

/// The transmission that begins with the first of these packets, of which there is one at least, each with
/// its bytes on the wire.
pub(crate) fn full_transmission(
    service: &dyn Service,
    packets: Range<u32>,
    wire_bytes: impl Fn(u32) -> u32,
) -> Load {
    let mut load = Load { packets: 1, wire_bytes: wire_bytes(packets.start) };
    while packets.start + load.packets < packets.end {
        let next = Load { packets: 1, wire_bytes: wire_bytes(packets.start + load.packets) };
        let more = load.with(next);
        if !service.carries(more) {
            break;
        }
        load = more;
    }
    load
}
