//! What happened to packets at queues, kept for a replay, and the packets that left, for captures.

use super::capture::{Capture, CapturedPorts, Capturing};
use crate::packet::Packet;
use aqmlab_aqm::{Acknowledgement, HeaderFields, PacketFacts, Queued, Reason};
use aqmlab_scenario::LinkIndex;
use aqmlab_units::Time;

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEvent {
    /// It came to the queue.
    Arrival,
    /// The last of it left on the link.
    Departure,
    /// The queue threw it away.
    Discard(Reason),
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// When.
    pub at: Time,
    /// What.
    pub event: LogEvent,
    /// At which link.
    pub link: LinkIndex,
    /// The packet, as it was then.
    pub facts: PacketFacts,
    /// What queues sort it by.
    pub header: HeaderFields,
    /// What it acknowledges, when it came.
    pub acknowledgement: Option<Acknowledgement>,
}

/// All that happened, if that is wanted.
#[derive(Debug, Default)]
pub(crate) struct Log {
    rows: Option<Vec<LogRow>>,
    capturing: Capturing,
}

impl Log {
    pub(crate) fn new(wanted: bool, captured: &CapturedPorts) -> Self {
        Self { rows: wanted.then(Vec::new), capturing: Capturing::new(captured) }
    }

    pub(crate) fn note(&mut self, at: Time, event: LogEvent, link: LinkIndex, packet: &Packet) {
        if let Some(rows) = &mut self.rows {
            let acknowledgement = if event == LogEvent::Arrival { packet.acknowledgement() } else { None };
            let (facts, header) = (packet.facts, packet.header);
            rows.push(LogRow { at, event, link, facts, header, acknowledgement });
        }
        if event == LogEvent::Departure {
            self.capturing.keep(at, link, packet.buffer.bytes());
        }
    }

    pub(crate) fn into_parts(self) -> (Vec<LogRow>, Vec<Capture>) {
        (self.rows.unwrap_or_default(), self.capturing.into_captures())
    }
}
