//! What the options of segments under way say: beside the packets, which have no room for them.
//!
//! A packet with options names its place here where others carry their acknowledgement number. The place is
//! free again when the packet has arrived or was lost; of packets that are under way when a run ends, or
//! arrive for nobody, nothing depends on it.

use super::packet::Packet;
use super::payloads::Payloads;
use aqmlab_tcp::{Segment, SegmentOptions, SequenceNumber};

#[derive(Clone, Copy)]
struct Kept {
    acknowledgement: SequenceNumber,
    options: SegmentOptions,
}

/// The options of all packets under way that have any.
#[derive(Default)]
pub(crate) struct Options {
    places: Vec<Kept>,
    free: Vec<u32>,
    /// What packets of other transports carry.
    payloads: Payloads,
}

impl Options {
    /// Keeps what a segment says beside the packet. Answers with the place.
    pub(crate) fn keep(&mut self, segment: &Segment, options: SegmentOptions) -> u32 {
        let kept = Kept { acknowledgement: segment.acknowledgement, options };
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = kept;
            return place;
        }
        let place = u32::try_from(self.places.len()).ok();
        self.places.push(kept);
        place.expect("as many packets as have places fill the memory of no machine")
    }

    /// What a packet says, with its options if it has any.
    pub(crate) fn read(&self, packet: &Packet) -> (Segment, Option<SegmentOptions>) {
        let segment = packet.segment();
        let place = packet.options().filter(|_| packet.payload().is_none());
        let Some(place) = place else { return (segment, None) };
        let kept = self.places[place as usize];
        (Segment { acknowledgement: kept.acknowledgement, ..segment }, Some(kept.options))
    }

    /// What a segment says that has arrived: it is under way no more.
    #[inline(always)]
    pub(crate) fn take(&mut self, packet: &Packet) -> (Segment, SegmentOptions) {
        let segment = packet.segment();
        let Some(place) = packet.options() else { return (segment, SegmentOptions::default()) };
        self.free.push(place);
        let kept = self.places[place as usize];
        (Segment { acknowledgement: kept.acknowledgement, ..segment }, kept.options)
    }

    /// The packet is under way no more.
    pub(crate) fn release(&mut self, packet: &Packet) {
        if let Some(place) = packet.payload() {
            self.payloads.take(place);
        } else if let Some(place) = packet.options() {
            self.free.push(place);
        }
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
