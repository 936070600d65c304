//! Where the bytes of packets are kept; buffers are used again.

use super::headers::MTU;

/// The bytes of one packet.
pub(crate) struct Buffer {
    bytes: Box<[u8; MTU]>,
    length: u16,
}

impl Buffer {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.length)]
    }
}

/// Buffers that hold nothing.
#[derive(Default)]
pub(crate) struct Pool {
    free: Vec<Buffer>,
}

impl Pool {
    /// A buffer with a copy of a packet.
    ///
    /// # Panics
    /// If the packet is longer than [`MTU`]: such are refused before.
    pub(crate) fn filled(&mut self, packet: &[u8]) -> Buffer {
        let mut buffer = self.free.pop().unwrap_or_else(|| Buffer { bytes: Box::new([0; MTU]), length: 0 });
        buffer.bytes[..packet.len()].copy_from_slice(packet);
        buffer.length = u16::try_from(packet.len()).unwrap_or_else(|_| unreachable!("shorter than the MTU"));
        buffer
    }

    pub(crate) fn take_back(&mut self, buffer: Buffer) {
        self.free.push(buffer);
    }
}
