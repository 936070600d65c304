//! What the options of segments under way say: beside the packets, which have no room for them.
//!
//! A packet with options names its place here where others carry their acknowledgement number. The place is
//! free again when the packet has arrived or was lost; of packets that are under way when a run ends, or
//! arrive for nobody, nothing depends on it.

use super::packet::Packet;
use super::places::Places;
use aqmlab_tcp::{Blocks, ByteCounts, Segment, SegmentOptions, SequenceNumber, Timestamps};

/// What stands beside a packet. Hundreds of thousands are under way on a fast line, and few have blocks
/// or count bytes: these have places of their own.
#[derive(Clone, Copy)]
struct Kept {
    acknowledgement: SequenceNumber,
    timestamps: Option<Timestamps>,
    blocks: u32,
    counts: u32,
}

/// No blocks, or no counts.
const NONE: u32 = u32::MAX;

impl Default for Kept {
    fn default() -> Self {
        Self { acknowledgement: SequenceNumber::default(), timestamps: None, blocks: NONE, counts: NONE }
    }
}

/// The options of all packets under way that have any.
#[derive(Clone, Default)]
pub(crate) struct Options {
    kept: Places<Kept>,
    blocks: Places<Blocks>,
    counts: Places<ByteCounts>,
    /// What packets of other transports carry.
    payloads: Places<Box<[u8]>>,
}

impl Options {
    /// Keeps what a segment says beside the packet. Answers with the place.
    #[inline]
    pub(crate) fn keep(&mut self, segment: &Segment, options: &SegmentOptions) -> u32 {
        let timestamps = options.timestamps;
        let blocks = if options.blocks.is_empty() { NONE } else { self.blocks.keep(options.blocks) };
        let counts = options.counts.map_or(NONE, |counts| self.counts.keep(counts));
        self.kept.keep(Kept { acknowledgement: segment.acknowledgement, timestamps, blocks, counts })
    }

    /// What a packet says, with its options if it has any.
    pub(crate) fn read(&self, packet: &Packet) -> (Segment, Option<SegmentOptions>) {
        let segment = packet.segment();
        let place = packet.options().filter(|_| packet.payload().is_none());
        let Some(place) = place else { return (segment, None) };
        let Kept { acknowledgement, timestamps, blocks, counts } = *self.kept.at(place);
        let blocks = if blocks == NONE { Blocks::default() } else { *self.blocks.at(blocks) };
        let counts = (counts != NONE).then(|| *self.counts.at(counts));
        (Segment { acknowledgement, ..segment }, Some(SegmentOptions { timestamps, blocks, counts }))
    }

    /// What a segment says that has arrived: it is under way no more.
    #[inline(always)]
    pub(crate) fn take(&mut self, packet: &Packet) -> (Segment, SegmentOptions) {
        let segment = packet.segment();
        let Some(place) = packet.options() else { return (segment, SegmentOptions::default()) };
        let Kept { acknowledgement, timestamps, blocks, counts } = *self.kept.release(place);
        let blocks = if blocks == NONE { Blocks::default() } else { *self.blocks.release(blocks) };
        let counts = (counts != NONE).then(|| self.counts.take(counts));
        (Segment { acknowledgement, ..segment }, SegmentOptions { timestamps, blocks, counts })
    }

    /// The packet is under way no more.
    pub(crate) fn release(&mut self, packet: &Packet) {
        if let Some(place) = packet.payload() {
            self.payloads.take(place);
        } else {
            self.take(packet);
        }
    }

    /// A [copy](Packet::is_copy) of a packet, which says the same.
    #[cold]
    pub(crate) fn copied(&mut self, packet: &Packet) -> Packet {
        let copy = packet.as_copy();
        if let Some(place) = packet.payload() {
            let payload = self.payloads.at(place).clone();
            return copy.with_place(self.payloads.keep(payload));
        }
        let Some(place) = packet.options() else { return copy };
        let mut kept = *self.kept.at(place);
        if kept.blocks != NONE {
            let blocks = *self.blocks.at(kept.blocks);
            kept.blocks = self.blocks.keep(blocks);
        }
        if kept.counts != NONE {
            let counts = *self.counts.at(kept.counts);
            kept.counts = self.counts.keep(counts);
        }
        copy.with_place(self.kept.keep(kept))
    }

    /// Keeps what a packet of another transport carries. Answers with the place.
    pub(crate) fn keep_payload(&mut self, payload: Box<[u8]>) -> u32 {
        self.payloads.keep(payload)
    }

    /// What such a packet carries that has arrived: it is under way no more.
    pub(crate) fn take_payload(&mut self, packet: &Packet) -> Option<Box<[u8]>> {
        packet.payload().map(|place| self.payloads.take(place))
    }

    /// How many payloads are under way.
    #[cfg(test)]
    pub(crate) fn kept_payloads(&self) -> usize {
        self.payloads.kept()
    }
}
