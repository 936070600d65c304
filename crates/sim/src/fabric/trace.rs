//! A record of every packet at the monitored links, for small runs.

use super::capture::{Capture, Capturing};
use super::options::Options;
use super::packet::Packet;
use crate::identifiers::{ConnectionIdentity, MonitoredId, ProfileId};
use aqmlab_aqm::{Codepoint, PacketClass};
use aqmlab_driver::TableNames;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::{DatagramGroup, NodeIndex};
use aqmlab_tcp::{Flags, Segment, SequenceNumber};
use aqmlab_units::Time;

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceEvent {
    /// It came to the queue.
    Arrival,
    /// The last of it left on the link.
    Departure,
    /// The queue threw it away.
    Discard,
}

/// Names by the order of [`TraceEvent`].
const EVENTS: [&str; 3] = ["arrival", "departure", "discard"];
/// Names by the order of [`aqmlab_session::Side`].
const SIDES: [&str; 2] = ["active", "passive"];
/// Names of flags by their bits, from the lowest.
const FLAGS: [(Flags, &str); 7] = [
    (Flags::FIN, "FIN"),
    (Flags::SYN, "SYN"),
    (Flags::RST, "RST"),
    (Flags::ACK, "ACK"),
    (Flags::AE, "AE"),
    (Flags::ECE, "ECE"),
    (Flags::CWR, "CWR"),
];
#[derive(Clone)]

pub(crate) struct Trace {
    /// Whether there is anything to do.
    wanted: bool,
    /// Whether there is to be a table.
    tabled: bool,
    capturing: Capturing,
    rows: Vec<Row>,
    /// Numbers of the connections that were opened at each place, by their generation.
    generations: Vec<Vec<u32>>,
}
#[derive(Clone)]

struct Row {
    at: Time,
    packet: Packet,
    segment: Segment,
    connection: u32,
    link: MonitoredId,
    event: TraceEvent,
}

impl Trace {
    pub(crate) fn new(tabled: bool, capturing: Capturing) -> Self {
        let wanted = tabled || !capturing.is_empty();
        Self { wanted, tabled, capturing, rows: Vec::new(), generations: Vec::new() }
    }

    /// Whether every packet has to come by at its instant.
    pub(crate) const fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// Notes which connection packets with this place and generation are of, as long as there are any: places
    /// are reused while the last packets of an earlier owner are still under way.
    #[inline]
    pub(crate) fn opened(
        &mut self,
        connection: ConnectionIdentity,
        number: u32,
        (nodes, profile): ([NodeIndex; 2], ProfileId),
    ) {
        if !self.wanted {
            return;
        }
        self.capturing.opened(number, nodes, profile);
        let (place, generation) = (connection.place as usize, usize::from(connection.generation));
        self.generations.resize_with(self.generations.len().max(place + 1), Vec::new);
        let numbers = &mut self.generations[place];
        numbers.resize(numbers.len().max(generation + 1), number);
        numbers[generation] = number;
    }

    /// Keeps what happened to a packet at a link, if that is monitored.
    #[inline]
    pub(crate) fn record(
        &mut self,
        at: Time,
        event: TraceEvent,
        link: Option<MonitoredId>,
        packet: &Packet,
        options: &Options,
    ) {
        if self.wanted {
            self.keep((at, event), link, packet, options);
        }
    }

    fn keep(
        &mut self,
        (at, event): (Time, TraceEvent),
        link: Option<MonitoredId>,
        packet: &Packet,
        options: &Options,
    ) {
        let Some(link) = link else { return };
        let connection = match packet.as_datagram() {
            Some(_) => packet.connection(),
            None => self.generations[packet.connection() as usize][usize::from(packet.generation())],
        };
        if event == TraceEvent::Departure {
            self.capturing.keep(at, link, (packet, options), connection);
        }
        if self.tabled {
            let (segment, _) = options.read(packet);
            self.rows.push(Row { at, packet: *packet, segment, connection, link, event });
        }
    }

    pub(crate) fn into_table(self, names: &TableNames) -> (Option<Table>, Vec<Capture>) {
        (self.tabled.then(|| table(&self.rows, names)), self.capturing.into_captures())
    }
}

fn table(rows: &[Row], names: &TableNames) -> Table {
    let whole = |of: &dyn Fn(&Row) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
    let codes = |of: &dyn Fn(&Row) -> u8| rows.iter().map(|row| u32::from(of(row))).collect();
    let of_packet =
        |of: &dyn Fn(&Packet) -> u32| ColumnValues::U32(rows.iter().map(|row| of(&row.packet)).collect());
    let of_segment = |of: &dyn Fn(&Segment) -> u32| whole(&|row| of(&segment_of(row)));
    let links: Vec<u16> = rows.iter().map(|row| row.link.number()).collect();
    Table::new(
        "packets",
        vec![
            ("time_s", ColumnValues::F64(rows.iter().map(|row| row.at.seconds()).collect())),
            ("event", ColumnValues::names(codes(&|row| row.event as u8), EVENTS)),
            ("link", names.of_links(&links)),
            ("connection", whole(&|row| row.connection)),
            ("sender", ColumnValues::names(codes(&|row| row.packet.from() as u8), SIDES)),
            ("class", ColumnValues::names(codes(&|row| row.packet.class() as u8), PacketClass::NAMES)),
            ("codepoint", ColumnValues::names(codes(&|row| row.packet.codepoint() as u8), Codepoint::NAMES)),
            ("flags", flags(rows)),
            ("sequence", of_segment(&|segment| segment.sequence.value())),
            ("acknowledgement", of_segment(&|segment| segment.acknowledgement.value())),
            ("payload_bytes", of_segment(&|segment| u32::from(segment.payload))),
            ("ip_bytes", of_packet(&|packet| u32::from(packet.ip_bytes()))),
        ],
    )
}

/// What a packet says beside its IP header; a datagram has a number and what is not header, and nothing else
/// of a segment.
fn segment_of(row: &Row) -> Segment {
    let segment = row.segment;
    if row.packet.class() != PacketClass::Datagram {
        return segment;
    }
    Segment {
        acknowledgement: SequenceNumber::new(0),
        payload: row.packet.ip_bytes() - DatagramGroup::HEADER_BYTES,
        flags: Flags::NONE,
        ..segment
    }
}

/// The combinations of flags that occur, by name.
fn flags(rows: &[Row]) -> ColumnValues {
    let bits = |row: &Row| segment_of(row).flags.bits();
    let mut occur = [false; 256];
    rows.iter().for_each(|row| occur[usize::from(bits(row))] = true);
    let present: Vec<u8> = (0..=u8::MAX).filter(|&bits| occur[usize::from(bits)]).collect();
    let mut codes = [0; 256];
    (0..).zip(&present).for_each(|(code, &bits)| codes[usize::from(bits)] = code);
    let names = present.iter().map(|&bits| flags_name(Flags::from_bits(bits)));
    ColumnValues::names(rows.iter().map(|row| codes[usize::from(bits(row))]).collect(), names)
}

/// Such as `SYN+ACK`; empty without a flag.
fn flags_name(flags: Flags) -> String {
    let set = FLAGS.iter().filter(|(flag, _)| flags.contains(*flag));
    set.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_session::Side;

    #[test]
    fn names_stand_in_the_order_of_the_codes() {
        assert_eq!(EVENTS[TraceEvent::Discard as usize], "discard");
        assert_eq!(SIDES[Side::Passive as usize], "passive");
        assert_eq!(flags_name(Flags::SYN.with(Flags::ACK).with(Flags::ECE)), "SYN+ACK+ECE");
        assert_eq!(flags_name(Flags::NONE), "");
    }
}
