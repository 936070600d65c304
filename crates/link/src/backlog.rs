//! When what waits in front of a link has been sent: the answer for those who look at it from outside, who do
//! not know how it serves.
//!
//! Asked of the [`Service`] that sends the packets, so that a new model answers for itself.

use crate::framing::Framing;
use crate::service::{Load, Service, ServiceModel, full_transmission};
use crate::transmitter::{Pace, Transmitter};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};

/// A link without its queue, asked at one instant after the other when a backlog would have been sent.
pub struct BacklogClock {
    transmitter: Transmitter,
}

impl BacklogClock {
    /// The service of a link of this rate; what is random of it has its numbers at a key.
    #[must_use]
    pub fn new(service: (&ServiceModel, Key), rate: Rate, framing: Framing) -> Self {
        Self { transmitter: Transmitter::new(service, rate, framing) }
    }

    /// How long it takes from `now` until so many packets with so many bytes of IP in all have been sent, if
    /// they are sent one behind the other. The packets are taken to have one size, their mean; what is on the
    /// link at `now` comes on top.
    ///
    /// `now` never decreases from call to call.
    pub fn sent_after(&mut self, now: Time, packets: u32, ip_bytes: u64) -> Span {
        let sizes = sizes_of(packets, ip_bytes, self.transmitter.framing());
        match &mut self.transmitter.pace {
            Pace::Constant(clock) => clock.clone().transmit(sizes.total()),
            Pace::Varying(service) => {
                // What is random of the time until now is drawn once, and not at every instant anew.
                service.transmit(now, Load { packets: 1, wire_bytes: 0 });
                drain(service.clone().as_mut(), now, sizes) - now
            }
        }
    }
}

/// Bytes on the wire of packets of one size, or of two that differ by a byte of IP: on the wire by a byte,
/// or where that opens a cell by more.
#[derive(Clone, Copy)]
struct Sizes {
    packets: u32,
    each: u32,
    /// How many are longer.
    longer: u32,
    /// By how much.
    longer_by: u32,
}

impl Sizes {
    fn total(self) -> u32 {
        let bytes = u64::from(self.packets) * u64::from(self.each)
            + u64::from(self.longer) * u64::from(self.longer_by);
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    fn of(self, packet: u32) -> u32 {
        self.each + if packet < self.longer { self.longer_by } else { 0 }
    }
}

fn sizes_of(packets: u32, ip_bytes: u64, framing: Framing) -> Sizes {
    if packets == 0 {
        return Sizes { packets, each: 0, longer: 0, longer_by: 0 };
    }
    let (mean, rest) = (ip_bytes / u64::from(packets), ip_bytes % u64::from(packets));
    let [each, next] = [mean, mean + 1].map(|ip| framing.wire_bytes(u32::try_from(ip).unwrap_or(u32::MAX)));
    Sizes { packets, each, longer: rest as u32, longer_by: next - each }
}

/// When the last of these packets has been sent.
fn drain(service: &mut dyn Service, now: Time, sizes: Sizes) -> Time {
    if sizes.packets == 0 {
        return now;
    }
    if service.costs_bytes_alone() {
        return service.transmit(now, Load { packets: 1, wire_bytes: sizes.total() });
    }
    let (mut at, mut packet) = (now, 0);
    while packet < sizes.packets {
        let load = full_transmission(service, packet..sizes.packets, |packet| sizes.of(packet));
        packet += load.packets;
        at = service.transmit(at, load);
    }
    at
}
