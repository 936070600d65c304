//! What ports read in the headers of packets: by what they sort these, and what acknowledgements say.

use super::flow_hashes::FlowHashes;
use super::options::Options;
use super::packet::Packet;
use aqmlab_aqm::{Acknowledgement, HeaderFields, Headers};

/// The headers of the packets of a run.
pub(crate) struct HeadersOf<'a> {
    pub(crate) flow_hashes: &'a FlowHashes,
    pub(crate) options: &'a Options,
}

impl Headers<Packet> for HeadersOf<'_> {
    #[inline(always)]
    fn fields(&self, packet: &Packet) -> HeaderFields {
        self.flow_hashes.header_of(packet)
    }

    fn acknowledgement(&self, packet: &Packet) -> Option<Acknowledgement> {
        if packet.as_datagram().is_some() || packet.payload().is_some() {
            return None;
        }
        let (segment, options) = self.options.read(packet);
        let options = options.unwrap_or_default();
        let timestamps = options.timestamps.map(|stamps| [stamps.value, stamps.echo]);
        let (flags, number) = (segment.flags.bits(), segment.acknowledgement.value());
        let said = Acknowledgement::of_segment(flags, number, timestamps, segment.payload > 0)?;
        let blocks = options.blocks.as_slice().iter();
        Some(blocks.fold(said, |said, (start, end)| said.with_block([start.value(), end.value()])))
    }
}
