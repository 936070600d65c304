//! Packets of each population, group of flows and group of datagrams at monitored links in the measured
//! window, by who sent them: in all the table `traffic`, one interval after another the table
//! `traffic_series`.

use crate::telling::flow_groups::{FlowGroups, short};
use crate::telling::table_names::TableNames;
use crate::wiring::links::is_monitored;
use aqmlab_record::{ColumnValues, MeasuredWindow, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::{DatagramSourceId, Owner, Side};
use aqmlab_units::{Span, Time};

/// Who sends: the browser or the sender of a flow or of datagrams, and the server or the receiver.
const SENDERS: [&str; 2] = ["browser", "server"];

/// Whose a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of a user or a flow.
    Connection(Owner),
    /// Of a source of datagrams.
    Datagrams(DatagramSourceId),
    /// Of a connection that is over, or of somebody who is not of the scenario.
    Nobody,
}

/// What is counted of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedPacket {
    /// Whose it is.
    pub whose: Whose,
    /// The side that sent it.
    pub from: Side,
    /// Length of the IP packet.
    pub ip_bytes: u32,
    /// Whether it says that congestion was experienced.
    pub is_marked: bool,
}

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

impl Counts {
    fn sent(&mut self, packet: CountedPacket) {
        self.sent_packets += 1;
        self.sent_bytes += u64::from(packet.ip_bytes);
        self.marked_packets += u64::from(packet.is_marked);
    }

    fn discarded(&mut self, packet: CountedPacket) {
        self.discarded_packets += 1;
        self.discarded_bytes += u64::from(packet.ip_bytes);
    }
}

/// What rows are of: parties (populations, groups of flows, groups of datagrams, nobody), of each both
/// senders, of each all links.
#[derive(Clone)]
struct Places {
    links: usize,
    populations: usize,
    groups: FlowGroups,
    flow_groups: usize,
    /// The group of each source of datagrams.
    datagram_groups: Vec<usize>,
    parties: usize,
}

impl Places {
    fn of(scenario: &Scenario) -> Self {
        let (populations, flow_groups) = (scenario.populations.len(), scenario.flows.len());
        let sources = |(place, group): (usize, &aqmlab_scenario::DatagramGroup)| {
            std::iter::repeat_n(place, group.sources.len())
        };
        Self {
            links: scenario.network.links.iter().filter(|link| is_monitored(link)).count(),
            populations,
            groups: FlowGroups::of(scenario),
            flow_groups,
            datagram_groups: scenario.datagrams.iter().enumerate().flat_map(sources).collect(),
            parties: scenario.traffic().count() + 1,
        }
    }

    const fn all(&self) -> usize {
        self.parties * SENDERS.len() * self.links
    }

    /// The rows of populations and groups of flows come first.
    const fn of_connections(&self) -> usize {
        (self.populations + self.flow_groups) * SENDERS.len() * self.links
    }

    fn row(&self, link: usize, whose: Whose, from: Side) -> usize {
        let party = match whose {
            Whose::Connection(Owner::User { population, .. }) => population.place(),
            Whose::Connection(Owner::Flow { flow }) => {
                self.populations + usize::from(self.groups.place(flow).0)
            }
            // The pings of a program in the router are nobody's.
            Whose::Datagrams(source) => match self.datagram_groups.get(source.place()) {
                Some(group) => self.populations + self.flow_groups + group,
                None => self.parties - 1,
            },
            Whose::Nobody => self.parties - 1,
        };
        (party * SENDERS.len() + from as usize) * self.links + link
    }

    /// Columns that say what these rows are of, but for groups of datagrams.
    fn columns(&self, rows: &[usize], names: &TableNames) -> Vec<(&'static str, ColumnValues)> {
        let links: Vec<u16> = rows.iter().map(|row| short(row % self.links)).collect();
        let sender = |row: &usize| u32::from(row / self.links % SENDERS.len() == 1);
        let population = rows.iter().map(|&row| self.party(row, 0, self.populations));
        let group = rows.iter().map(|&row| self.party(row, self.populations, self.flow_groups));
        vec![
            ("link", names.of_links(&links)),
            ("population", names.of_populations(population)),
            ("flow_group", names.of_flow_groups(group)),
            ("sender", ColumnValues::names(rows.iter().map(sender).collect(), SENDERS)),
        ]
    }

    fn datagram_groups(&self, rows: &[usize], names: &TableNames) -> (&'static str, ColumnValues) {
        let first = self.populations + self.flow_groups;
        let group = rows.iter().map(|&row| self.party(row, first, self.parties - 1 - first));
        ("datagram_group", names.of_datagram_groups(group))
    }

    /// The place of a row's party among so many from `first` on, if it is one of them.
    fn party(&self, row: usize, first: usize, count: usize) -> Option<u16> {
        let place = (row / self.links / SENDERS.len()).checked_sub(first)?;
        (place < count).then(|| short(place))
    }
}

fn counts(counts: &[Counts]) -> [(&'static str, ColumnValues); 5] {
    let column = |of: fn(&Counts) -> u64| ColumnValues::U64(counts.iter().map(of).collect());
    [
        ("sent_packets", column(|counts| counts.sent_packets)),
        ("sent_bytes", column(|counts| counts.sent_bytes)),
        ("marked_packets", column(|counts| counts.marked_packets)),
        ("discarded_packets", column(|counts| counts.discarded_packets)),
        ("discarded_bytes", column(|counts| counts.discarded_bytes)),
    ]
}

/// Counts of one interval after another.
#[derive(Clone)]
struct Series {
    interval: Span,
    /// Of the present interval.
    from: Time,
    present: Vec<Counts>,
    /// What was counted, without rows of nothing.
    from_s: Vec<f64>,
    rows: Vec<usize>,
    counts: Vec<Counts>,
}

impl Series {
    fn new(interval: Span, from: Time, rows: usize) -> Self {
        let present = vec![Counts::default(); rows];
        Self { interval, from, present, from_s: Vec::new(), rows: Vec::new(), counts: Vec::new() }
    }

    #[inline]
    fn at(&mut self, now: Time, row: usize) -> &mut Counts {
        if now >= self.from + self.interval {
            self.end_interval(now);
        }
        &mut self.present[row]
    }

    /// The present interval is over; `now` lies in the next one, or in a later one.
    #[cold]
    fn end_interval(&mut self, now: Time) {
        for (row, counts) in self.present.iter_mut().enumerate() {
            if *counts != Counts::default() {
                self.from_s.push(self.from.seconds());
                self.rows.push(row);
                self.counts.push(std::mem::take(counts));
            }
        }
        self.from += self.interval * (now - self.from).div_floor(self.interval);
    }
}

/// What traffic each monitored link sent and discarded.
#[derive(Clone)]
pub struct Traffic {
    window: MeasuredWindow,
    places: Places,
    /// None where the table is not wanted.
    whole: Option<Vec<Counts>>,
    series: Option<Series>,
}

impl Traffic {
    /// None where nobody asks for a table.
    #[must_use]
    pub fn new(scenario: &Scenario, window: MeasuredWindow) -> Option<Self> {
        let record = &scenario.record;
        let wanted = record.traffic || record.traffic_interval.is_some();
        wanted.then(|| {
            let places = Places::of(scenario);
            let whole = record.traffic.then(|| vec![Counts::default(); places.all()]);
            let series =
                record.traffic_interval.map(|interval| Series::new(interval, window.from, places.all()));
            Self { window, places, whole, series }
        })
    }

    /// A packet has left a link, which has this place among the monitored ones.
    pub fn note_sent(&mut self, now: Time, link: usize, packet: CountedPacket) {
        self.count(now, link, packet, Counts::sent);
    }

    /// A packet was discarded at a link's queue, or on its way there.
    pub fn note_discarded(&mut self, now: Time, link: usize, packet: CountedPacket) {
        self.count(now, link, packet, Counts::discarded);
    }

    fn count(
        &mut self,
        now: Time,
        link: usize,
        packet: CountedPacket,
        add: impl Fn(&mut Counts, CountedPacket),
    ) {
        if !self.window.contains(now) {
            return;
        }
        let row = self.places.row(link, packet.whose, packet.from);
        if let Some(whole) = &mut self.whole {
            add(&mut whole[row], packet);
        }
        if let Some(series) = &mut self.series {
            add(series.at(now, row), packet);
        }
    }

    /// `traffic`: a row for each population and group of flows, sender and monitored link. `traffic_series`:
    /// one of each interval, of groups of datagrams too, and of what nobody owned; without rows of nothing.
    #[must_use]
    pub fn into_tables(self, names: &TableNames) -> [Option<Table>; 2] {
        let Self { places, whole, series, .. } = self;
        let whole = whole.map(|whole| {
            let rows: Vec<usize> = (0..places.of_connections()).collect();
            let mut columns = places.columns(&rows, names);
            columns.extend(counts(&whole[..rows.len()]));
            Table::new("traffic", columns)
        });
        let series = series.map(|mut series| {
            series.end_interval(series.from);
            let Series { from_s, rows, counts: counted, .. } = series;
            let mut columns = vec![("from_s", ColumnValues::F64(from_s))];
            columns.extend(places.columns(&rows, names));
            columns.insert(4, places.datagram_groups(&rows, names));
            columns.extend(counts(&counted));
            Table::new("traffic_series", columns)
        });
        [whole, series]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_without_anything_leave_no_rows_and_lose_nothing() {
        let second = Span::from_milliseconds(1000);
        let mut series = Series::new(second, Time::from_seconds(10.0), 3);
        for (at_s, row) in [(10.0, 1), (10.999, 1), (11.0, 2), (14.5, 0), (14.5, 2)] {
            series.at(Time::from_seconds(at_s), row).sent_packets += 1;
        }
        series.end_interval(series.from);
        let sent: Vec<u64> = series.counts.iter().map(|counts| counts.sent_packets).collect();
        assert_eq!(series.from_s, [10.0, 11.0, 14.0, 14.0]);
        assert_eq!((series.rows, sent), (vec![1, 2, 0, 2], vec![2, 1, 1, 1]));
    }
}
