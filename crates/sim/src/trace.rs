//! A record of every packet at links with a queue, for small runs.

use crate::packet::Packet;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::LinkIndex;
use aqmlab_units::Time;

/// What happened to a packet; the code in the table is the number given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceEvent {
    Arrival = 0,
    Departure = 1,
    Discard = 2,
}

pub(crate) struct Trace {
    wanted: bool,
    rows: Vec<(Time, TraceEvent, u8, Packet)>,
}

impl Trace {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, rows: Vec::new() }
    }

    #[inline]
    pub(crate) fn record(&mut self, now: Time, event: TraceEvent, link: LinkIndex, packet: &Packet) {
        if self.wanted {
            self.rows.push((now, event, link.0 as u8, *packet));
        }
    }

    pub(crate) fn into_table(self) -> Option<Table> {
        let whole = |of: &dyn Fn(&Packet) -> u32| {
            ColumnValues::U32(self.rows.iter().map(|(_, _, _, packet)| of(packet)).collect())
        };
        let code = |of: &dyn Fn(&Packet) -> u8| {
            ColumnValues::U8(self.rows.iter().map(|(_, _, _, packet)| of(packet)).collect())
        };
        self.wanted.then(|| {
            Table::new(
                "packets",
                vec![
                    ("time_s", ColumnValues::F64(self.rows.iter().map(|row| row.0.seconds()).collect())),
                    ("event", ColumnValues::U8(self.rows.iter().map(|row| row.1 as u8).collect())),
                    ("link", ColumnValues::U8(self.rows.iter().map(|row| row.2).collect())),
                    ("connection", whole(&|packet| packet.connection())),
                    ("from_passive", code(&|packet| packet.from() as u8)),
                    ("class", code(&|packet| packet.class() as u8)),
                    ("codepoint", code(&|packet| packet.codepoint() as u8)),
                    ("flags", code(&|packet| packet.segment().flags.bits())),
                    ("sequence", whole(&|packet| packet.segment().sequence.value())),
                    ("acknowledgement", whole(&|packet| packet.segment().acknowledgement.value())),
                    ("payload_bytes", whole(&|packet| u32::from(packet.segment().payload))),
                    ("ip_bytes", whole(&|packet| u32::from(packet.ip_bytes()))),
                ],
            )
        })
    }
}
