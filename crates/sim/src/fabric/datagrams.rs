//! The ends of datagrams: packets in and out of them, and what became of each.
//!
//! A source owns no connection, and applications hear of nothing: what arrives is counted here, where TCP
//! counts what it did, and sent back at once where the group says so. What is sent back has a source of its
//! own, and the instant at which the first was sent. A packet that is a datagram says so by its class, and
//! names its source where no connection is; whoever looks for its connection finds none and asks here.

use super::events::Events;
use super::network::Network;
use super::packet::{Packet, number};
use super::path::{AddedDelay, Path};
use aqmlab_aqm::Codepoint;
use aqmlab_record::{
    ColumnValues, DatagramArrivals, Datagrams, MeasuredWindow, SentDatagram, SourceColumns, Table,
};
use aqmlab_scenario::{DatagramGroup, EcnCodepoint, NodeIndex, Scenario};
use aqmlab_session::{Datagram, DatagramSourceId};
use aqmlab_units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// How the datagrams of a source travel.
struct Source {
    path: Path,
    codepoint: Codepoint,
    /// Who sends back what has arrived.
    echo: Option<DatagramSourceId>,
}

/// All sources of datagrams, and their receivers.
pub(crate) struct DatagramEnds {
    sources: Vec<Source>,
    records: Datagrams,
    arrivals: Option<DatagramArrivals>,
    identity: SourceColumns,
}

impl DatagramEnds {
    pub(crate) fn new(scenario: &Scenario, network: &mut Network, window: MeasuredWindow) -> Self {
        let mut sources: Vec<Source> = Vec::new();
        let mut first_places = Vec::new();
        for group in &scenario.datagrams {
            let first = sources.len();
            first_places.push(first);
            let codepoint = codepoint(group.ecn);
            let source = |&[from, to]: &[NodeIndex; 2]| {
                let path = network.path(from, to, AddedDelay::None);
                Source { path, codepoint, echo: None }
            };
            sources.extend(group.sources.iter().map(source));
            if let Some(probes) = group.echo_of.map(|place| first_places[place]) {
                for place in 0..group.sources.len() {
                    sources[probes + place].echo = Some(DatagramSourceId::of(first + place));
                }
            }
        }
        let records = Datagrams::new(window, sources.len());
        let arrivals = scenario.record.datagrams.then(DatagramArrivals::default);
        Self { sources, records, arrivals, identity: identity(scenario) }
    }

    pub(crate) fn send(&mut self, datagram: &Datagram, network: &mut Network, events: &mut Events) {
        let Datagram { source, sequence, ip_bytes } = *datagram;
        let sent = SentDatagram { sent: events.now(), ip_bytes };
        self.send_off((source, sequence), sent, events.now(), network, events);
    }

    /// Sends a datagram off at an instant, as one that was sent then or earlier.
    fn send_off(
        &mut self,
        (source, sequence): (DatagramSourceId, u32),
        sent: SentDatagram,
        now: Time,
        network: &mut Network,
        events: &mut Events,
    ) {
        let Source { path, codepoint, .. } = &self.sources[source.place()];
        self.records.sent(source.place(), sent);
        let packet = Packet::datagram((source, sequence), sent, *codepoint, path);
        if !network.send_off(packet, path, None, now, events) {
            self.lose(&packet);
        }
    }

    /// Something arrives that is for no connection: a datagram, or a late packet of a connection that is
    /// over, for which nobody waits.
    #[cold]
    #[inline(never)]
    pub(crate) fn receive(&mut self, now: Time, packet: &Packet, network: &mut Network, events: &mut Events) {
        let Some((source, sent)) = packet.as_datagram() else { return };
        self.records.received(source.place(), sent, now, packet.is_marked());
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.received(source.number(), sent, now);
        }
        if let Some(echo) = self.sources[source.place()].echo {
            self.send_off((echo, packet.segment().sequence.value()), sent, now, network, events);
        }
    }

    /// A packet was discarded by a queue or lost on its way to a link.
    #[inline]
    pub(crate) fn lose(&mut self, packet: &Packet) {
        if let Some((source, sent)) = packet.as_datagram() {
            self.records.lost(source.place(), sent);
        }
    }

    /// How many sources there are.
    pub(crate) fn sources(&self) -> usize {
        self.sources.len()
    }

    /// A source that sent less than was received and lost, which cannot be.
    pub(crate) fn overdrawn(&self) -> Option<usize> {
        self.records.overdrawn()
    }

    /// The table `datagrams`, where there are any, and `datagram_arrivals`, where they are wanted.
    pub(crate) fn into_tables(self) -> [Option<Table>; 2] {
        let Self { sources, records, arrivals, identity } = self;
        let arrivals = arrivals.map(|arrivals| arrivals.into_table(&identity));
        let table = (!sources.is_empty()).then(|| records.into_table(identity));
        [table, arrivals]
    }
}

const fn codepoint(ecn: EcnCodepoint) -> Codepoint {
    match ecn {
        EcnCodepoint::NotEct => Codepoint::NotEct,
        EcnCodepoint::Ect0 => Codepoint::Ect0,
        EcnCodepoint::Ect1 => Codepoint::Ect1,
    }
}

/// The columns that tell sources apart.
fn identity(scenario: &Scenario) -> SourceColumns {
    let groups = &scenario.datagrams;
    let numbered = |group: &DatagramGroup| (0..).take(group.sources.len());
    let of_groups =
        (0..).zip(groups).flat_map(|(code, group)| std::iter::repeat_n(code, group.sources.len()));
    let names = groups.iter().map(|group| group.name.clone());
    let sources: Vec<u32> = groups.iter().flat_map(numbered).collect();
    let nodes = |end: usize| {
        let nodes: Vec<NodeIndex> =
            groups.iter().flat_map(|group| &group.sources).map(|ends| ends[end]).collect();
        names_of_nodes(scenario, &nodes)
    };
    let numbers = (0..sources.len()).map(|place| number(DatagramSourceId::of(place))).collect();
    vec![
        ("group", ColumnValues::names(of_groups.collect(), names)),
        ("source", ColumnValues::U32(sources)),
        ("connection", ColumnValues::U32(numbers)),
        ("from", nodes(0)),
        ("to", nodes(1)),
    ]
}

/// A column of nodes by name; the list holds those that occur.
fn names_of_nodes(scenario: &Scenario, nodes: &[NodeIndex]) -> ColumnValues {
    let occur: BTreeSet<NodeIndex> = nodes.iter().copied().collect();
    let codes: BTreeMap<NodeIndex, u32> = occur.iter().copied().zip(0..).collect();
    let names = occur.iter().map(|&node| scenario.network.node(node).name.clone());
    ColumnValues::names(nodes.iter().map(|node| codes[node]).collect(), names)
}
