//! What the options of segments under way say: beside the packets, which have no room for them.
//!
//! A packet with options names its place here where others carry their acknowledgement number. The place is
//! free again when the packet has arrived or was lost; of packets that are under way when a run ends, or
//! arrive for nobody, nothing depends on it.

use super::packet::Packet;
use super::places::Places;
use aqmlab_tcp::{Segment, SegmentOptions, SequenceNumber, Timestamps};

/// What stands beside a packet. Hundreds of thousands are under way on a fast line, and few say more than
/// when they were sent: these have a report, in a place of its own.
#[derive(Clone, Copy)]
struct Kept {
    acknowledgement: SequenceNumber,
    timestamps: Option<Timestamps>,
    report: u32,
}

/// No report.
const NONE: u32 = u32::MAX;

impl Default for Kept {
    fn default() -> Self {
        Self { acknowledgement: SequenceNumber::default(), timestamps: None, report: NONE }
    }
}

/// The options of all packets under way that have any.
#[derive(Clone, Default)]
pub(crate) struct Options {
    kept: Places<Kept>,
    reports: Places<SegmentOptions>,
    /// What packets of other transports carry.
    payloads: Places<Box<[u8]>>,
}

impl Options {
    /// Keeps what a segment says beside the packet. Answers with the place.
    pub(crate) fn keep(&mut self, segment: &Segment, options: SegmentOptions) -> u32 {
        let SegmentOptions { timestamps, .. } = options;
        let report = self.reports.keep(options);
        self.kept.keep(Kept { acknowledgement: segment.acknowledgement, timestamps, report })
    }

    /// The same of a segment that says no more than when it was sent.
    #[inline(always)]
    pub(crate) fn keep_timestamps(&mut self, segment: &Segment, timestamps: Option<Timestamps>) -> u32 {
        self.kept.keep(Kept { acknowledgement: segment.acknowledgement, timestamps, report: NONE })
    }

    /// What a packet says, with its options if it has any.
    pub(crate) fn read(&self, packet: &Packet) -> (Segment, Option<SegmentOptions>) {
        let segment = packet.segment();
        let place = packet.options().filter(|_| packet.payload().is_none());
        let Some(place) = place else { return (segment, None) };
        let Kept { acknowledgement, timestamps, report } = *self.kept.at(place);
        let said = if report == NONE {
            SegmentOptions { timestamps, ..SegmentOptions::default() }
        } else {
            *self.reports.at(report)
        };
        (Segment { acknowledgement, ..segment }, Some(said))
    }

    /// What a segment says that has arrived: it is under way no more. If it has a report, that is to be
    /// [taken](Options::take_report) too.
    #[inline(always)]
    pub(crate) fn take(&mut self, packet: &Packet) -> (Segment, Option<Timestamps>, Option<u32>) {
        let segment = packet.segment();
        let Some(place) = packet.options() else { return (segment, None, None) };
        let Kept { acknowledgement, timestamps, report } = *self.kept.release(place);
        (Segment { acknowledgement, ..segment }, timestamps, (report != NONE).then_some(report))
    }

    /// All that a segment says which has a report.
    pub(crate) fn take_report(&mut self, report: u32) -> SegmentOptions {
        *self.reports.release(report)
    }

    /// The packet is under way no more.
    pub(crate) fn release(&mut self, packet: &Packet) {
        if let Some(place) = packet.payload() {
            self.payloads.take(place);
        } else if let (.., Some(report)) = self.take(packet) {
            self.take_report(report);
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
        if kept.report != NONE {
            let report = *self.reports.at(kept.report);
            kept.report = self.reports.keep(report);
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
