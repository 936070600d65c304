//! Packets of each population and group of flows at monitored links in the measured window, by who sent them: the table
//! `traffic`.

use super::network::Network;
use super::packet::Packet;
use crate::identifiers::MonitoredId;
use crate::recording::FlowGroups;
use aqmlab_driver::TableNames;
use aqmlab_record::{ColumnValues, MeasuredWindow, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::{Owner, Side};
use aqmlab_units::Time;

/// Who sends: the browser or the sender of a flow, and the server or the receiver.
const SENDERS: [&str; 2] = ["browser", "server"];

/// What became of the packets of one sender at one link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    sent_packets: u64,
    sent_bytes: u64,
    /// Of those sent, marked here or before.
    marked_packets: u64,
    discarded_packets: u64,
    discarded_bytes: u64,
}

/// What traffic each monitored link sent and discarded.
pub(crate) struct Traffic {
    window: MeasuredWindow,
    links: usize,
    populations: usize,
    groups: FlowGroups,
    /// Populations, then groups of flows; of each both senders; of each all links.
    counts: Vec<Counts>,
}

impl Traffic {
    /// None where nobody asks for the table.
    pub(crate) fn new(scenario: &Scenario, network: &Network, window: MeasuredWindow) -> Option<Self> {
        let links = network.monitored_links().count();
        let (populations, groups) = (scenario.populations.len(), scenario.flows.len());
        scenario.record.traffic.then(|| Self {
            window,
            links,
            populations,
            groups: FlowGroups::of(scenario),
            counts: vec![Counts::default(); (populations + groups) * SENDERS.len() * links],
        })
    }

    fn counts(&mut self, link: MonitoredId, owner: Owner, from: Side) -> &mut Counts {
        let party = match owner {
            Owner::User { population, .. } => population.place(),
            Owner::Flow { flow } => self.populations + self.groups.place(flow).0.place(),
        };
        &mut self.counts[(party * SENDERS.len() + from as usize) * self.links + link.place()]
    }

    /// A packet has left a link.
    pub(crate) fn note_sent(&mut self, now: Time, link: MonitoredId, owner: Owner, packet: &Packet) {
        if self.window.contains(now) {
            let counts = self.counts(link, owner, packet.from());
            counts.sent_packets += 1;
            counts.sent_bytes += u64::from(packet.ip_bytes());
            counts.marked_packets += u64::from(packet.is_marked());
        }
    }

    /// A packet was discarded at a link's queue, or on its way there.
    pub(crate) fn note_discarded(&mut self, now: Time, link: MonitoredId, owner: Owner, packet: &Packet) {
        if self.window.contains(now) {
            let counts = self.counts(link, owner, packet.from());
            counts.discarded_packets += 1;
            counts.discarded_bytes += u64::from(packet.ip_bytes());
        }
    }

    /// A row for each party, sender and monitored link.
    pub(crate) fn into_table(self, names: &TableNames) -> Table {
        let rows = self.counts.len();
        let party = |row: usize| row / self.links / SENDERS.len();
        let sender = |row: usize| u32::from(row / self.links % SENDERS.len() == 1);
        let link = |row: usize| u16::try_from(row % self.links).expect("monitored links have short numbers");
        let short = |place: usize| u16::try_from(place).ok();
        let population = |row: usize| short(party(row)).filter(|_| party(row) < self.populations);
        let group = |row: usize| party(row).checked_sub(self.populations).and_then(short);
        let count = |of: fn(&Counts) -> u64| ColumnValues::U64(self.counts.iter().map(of).collect());
        let links: Vec<u16> = (0..rows).map(link).collect();
        let columns = vec![
            ("link", names.of_links(&links)),
            ("population", names.of_populations((0..rows).map(population))),
            ("flow_group", names.of_flow_groups((0..rows).map(group))),
            ("sender", ColumnValues::names((0..rows).map(sender).collect(), SENDERS)),
            ("sent_packets", count(|counts| counts.sent_packets)),
            ("sent_bytes", count(|counts| counts.sent_bytes)),
            ("marked_packets", count(|counts| counts.marked_packets)),
            ("discarded_packets", count(|counts| counts.discarded_packets)),
            ("discarded_bytes", count(|counts| counts.discarded_bytes)),
        ];
        Table::new("traffic", columns)
    }
}
