//! What passes chosen ports, kept to be written as pcapng files.
//!
//! A packet is kept when the last of it has left on the link, with the instant at which it did in virtual
//! time.

use aqmlab_driver::{UnknownPort, named_ports};
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::Time;
use aqmlab_wire::PassedPacket;

/// The ports of a run whose packets are to be kept; by default none.
#[derive(Clone, Debug, Default)]
pub struct CapturedPorts(Vec<(LinkIndex, String)>);

impl CapturedPorts {
    /// The ports of these names.
    ///
    /// # Errors
    /// [`UnknownPort`]: there is no such port.
    pub fn of(scenario: &Scenario, names: &[String]) -> Result<Self, UnknownPort> {
        let ports = named_ports(scenario, names)?.into_iter().zip(names);
        Ok(Self(ports.map(|((_, link), name)| (link, name.clone())).collect()))
    }
}

/// A packet that passed. Applications write zeros: they end most packets, and are not kept.
#[derive(Clone, Debug)]
pub struct KeptPacket {
    at: Time,
    length: usize,
    before_zeros: Box<[u8]>,
}

impl KeptPacket {
    fn of(at: Time, packet: &[u8]) -> Self {
        let end = packet.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        Self { at, length: packet.len(), before_zeros: packet[..end].into() }
    }
}

impl PassedPacket for KeptPacket {
    fn at(&self) -> Time {
        self.at
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.before_zeros.to_vec();
        bytes.resize(self.length, 0);
        bytes
    }
}

/// The packets that passed a port.
pub type Capture = aqmlab_wire::Capture<KeptPacket>;

/// Keeps what passes.
#[derive(Debug, Default)]
pub(crate) struct Capturing(Vec<(LinkIndex, Capture)>);

impl Capturing {
    pub(crate) fn new(ports: &CapturedPorts) -> Self {
        Self(ports.0.iter().map(|(link, name)| (*link, Capture::of(name.clone()))).collect())
    }

    /// A packet has left on a link.
    pub(crate) fn keep(&mut self, at: Time, link: LinkIndex, packet: &[u8]) {
        if let Some((_, capture)) = self.0.iter_mut().find(|(port, _)| *port == link) {
            capture.keep(KeptPacket::of(at, packet));
        }
    }

    pub(crate) fn into_captures(self) -> Vec<Capture> {
        self.0.into_iter().map(|(_, capture)| capture).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_kept_whole_whatever_it_ends_with() {
        for packet in [&[1, 0, 2, 0, 0][..], &[0, 0], &[], &[0, 3]] {
            assert_eq!(KeptPacket::of(Time::ZERO, packet).bytes(), packet);
        }
    }
}
