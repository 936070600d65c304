//! What passed a port, to be written as a pcapng file.

use crate::pcapng::PcapNg;
use aqmlab_units::Time;
use std::io::{self, Write};

/// A packet that passed a port.
pub trait PassedPacket {
    /// When the last of it had left.
    fn at(&self) -> Time;

    /// The packet, from its IP header on.
    fn bytes(&self) -> Vec<u8>;
}

/// The packets that passed a port.
#[derive(Clone, Debug)]
pub struct Capture<P> {
    port: String,
    packets: Vec<P>,
}

impl<P: PassedPacket> Capture<P> {
    /// None yet, of a port of this name.
    #[must_use]
    pub const fn of(port: String) -> Self {
        Self { port, packets: Vec::new() }
    }

    /// Another one passed, after all others.
    pub fn keep(&mut self, packet: P) {
        self.packets.push(packet);
    }

    /// The name of the port.
    #[must_use]
    pub fn port(&self) -> &str {
        &self.port
    }

    /// How many packets passed.
    #[must_use]
    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Writes them as a pcapng file.
    ///
    /// # Errors
    /// What writing says.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut file = PcapNg::new(out, &self.port)?;
        self.packets.iter().try_for_each(|packet| file.write(packet.at(), &packet.bytes()))?;
        file.finish()
    }
}
