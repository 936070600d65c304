//! What became of datagrams, source by source.
//!
//! A datagram counts in the measured window if it was *sent* in it, whatever became of it later: then what
//! was sent is what was received, what was lost, and what was still under way when the run ended. Those under
//! way are what waits longest: a percentile of the delay is told with the two ends between which it lies
//! whatever becomes of them. Goodput alone counts what *arrived* in the window, whenever it was sent.

use crate::{Amount, ColumnValues, LogHistogram, MeasuredWindow, Settled, Table};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// A datagram as its receiver and whoever discards it know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentDatagram {
    /// When its source handed it over.
    pub sent: Time,
    /// Length of the IP packet.
    pub ip_bytes: u16,
}

/// What one source sent, and what became of it.
#[derive(Clone, Debug, Default)]
struct Source {
    sent: Amount,
    received: Amount,
    marked: Amount,
    lost: Amount,
    /// What arrived in the window, whenever it was sent.
    arrived: Amount,
    /// What was sent in the window, and neither arrived nor was lost: how many at which instant, in order.
    under_way: VecDeque<(Time, u32)>,
    delays: LogHistogram,
    delay_sum: u128,
    least_delay: Option<Span>,
    greatest_delay: Span,
    in_run: DatagramsInRun,
}

/// Datagrams of a source over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatagramsInRun {
    /// Packets.
    pub sent: u64,
    /// Packets.
    pub received: u64,
    /// Bytes of those with their headers.
    pub received_bytes: u64,
    /// Packets.
    pub lost: u64,
}

impl DatagramsInRun {
    /// Packets that have neither arrived nor been lost.
    #[must_use]
    pub const fn under_way(self) -> u64 {
        self.sent - self.received - self.lost
    }
}

/// Recorder of datagrams: of every source those that it sent in the measured window.
#[derive(Clone, Debug)]
pub struct Datagrams {
    window: MeasuredWindow,
    sources: Vec<Source>,
    settled: Settled,
}

/// What tells the sources apart, row by row: columns beside those that are counted.
pub type SourceColumns = Vec<(&'static str, ColumnValues)>;

impl Datagrams {
    /// A recorder for this many sources.
    #[must_use]
    pub fn new(window: MeasuredWindow, sources: usize) -> Self {
        Self { window, sources: vec![Source::default(); sources], settled: Settled::default() }
    }

    /// A source sends a datagram.
    pub fn sent(&mut self, source: usize, datagram: SentDatagram) {
        let own = &mut self.sources[source];
        own.in_run.sent += 1;
        if self.window.contains(datagram.sent) {
            count(&mut own.sent, datagram);
            match own.under_way.back_mut() {
                Some((sent, packets)) if *sent == datagram.sent => *packets += 1,
                _ => own.under_way.push_back((datagram.sent, 1)),
            }
        }
    }

    /// A datagram has reached its receiver, with congestion experienced on the way or without.
    pub fn received(&mut self, source: usize, datagram: SentDatagram, now: Time, is_marked: bool) {
        let own = &mut self.sources[source];
        own.in_run.received += 1;
        own.in_run.received_bytes += u64::from(datagram.ip_bytes);
        if self.window.contains(now) {
            count(&mut own.arrived, datagram);
        }
        if !self.window.contains(datagram.sent) {
            return;
        }
        own.settle(datagram.sent);
        count(&mut own.received, datagram);
        if is_marked {
            count(&mut own.marked, datagram);
        }
        let delay = now - datagram.sent;
        own.delays.record(delay.nanoseconds());
        own.delay_sum += u128::from(delay.nanoseconds());
        own.least_delay = Some(own.least_delay.map_or(delay, |least| least.min(delay)));
        own.greatest_delay = own.greatest_delay.max(delay);
    }

    /// A datagram was lost: a queue has discarded it, or a link has lost it.
    pub fn lost(&mut self, source: usize, datagram: SentDatagram) {
        let own = &mut self.sources[source];
        own.in_run.lost += 1;
        if self.window.contains(datagram.sent) {
            own.settle(datagram.sent);
            count(&mut own.lost, datagram);
        }
    }

    /// Whether it is known of each datagram sent in the window, which has passed, what became of it.
    pub fn are_settled(&mut self) -> bool {
        let sources = &self.sources;
        self.settled.are_all(sources.len(), |source| sources[source].packets_under_way() == 0)
    }

    /// What one source did in the whole run.
    #[must_use]
    pub fn in_run(&self, source: usize) -> DatagramsInRun {
        self.sources[source].in_run
    }

    /// The first source that has sent fewer datagrams than were received and lost, which cannot be.
    #[must_use]
    pub fn overdrawn(&self) -> Option<usize> {
        self.sources.iter().position(|source| {
            let DatagramsInRun { sent, received, lost, .. } = source.in_run;
            sent < received + lost
        })
    }

    /// The table `datagrams` of a run that ended at this instant: a row per source, these columns first.
    ///
    /// # Panics
    /// If the columns have not as many rows as there are sources.
    #[must_use]
    pub fn into_table(self, identity: SourceColumns, end: Time) -> Table {
        let sources = &self.sources;
        let whole = |of: &dyn Fn(&Source) -> u64| ColumnValues::U64(sources.iter().map(of).collect());
        let seconds = |of: &dyn Fn(&Source) -> Option<f64>| {
            ColumnValues::F64(sources.iter().map(|source| of(source).unwrap_or(f64::NAN)).collect())
        };
        let quantile = |share: f64| seconds(&move |source: &Source| source.quantile(share));
        let least = |share: f64| seconds(&move |source: &Source| source.least_quantile(share, end));
        let most = |share: f64| seconds(&move |source: &Source| source.most_quantile(share));
        let watched = |place: &dyn Fn(&Source) -> Option<&(Time, u32)>| {
            seconds(&|source| place(source).map(|&(sent, _)| (end - sent).seconds()))
        };
        let mut columns = identity;
        columns.extend([
            ("sent_packets", whole(&|source| source.sent.packets)),
            ("sent_bytes", whole(&|source| source.sent.bytes)),
            ("received_packets", whole(&|source| source.received.packets)),
            ("received_bytes", whole(&|source| source.received.bytes)),
            ("marked_packets", whole(&|source| source.marked.packets)),
            ("marked_bytes", whole(&|source| source.marked.bytes)),
            ("lost_packets", whole(&|source| source.lost.packets)),
            ("lost_bytes", whole(&|source| source.lost.bytes)),
            ("under_way_packets", whole(&Source::packets_under_way)),
            (
                "under_way_bytes",
                whole(&|source| source.sent.bytes - source.received.bytes - source.lost.bytes),
            ),
            ("under_way_shortest_s", watched(&|source| source.under_way.back())),
            ("under_way_longest_s", watched(&|source| source.under_way.front())),
            ("arrived_packets", whole(&|source| source.arrived.packets)),
            ("arrived_bytes", whole(&|source| source.arrived.bytes)),
            ("delay_minimum_s", seconds(&|source| source.least_delay.map(Span::seconds))),
            ("delay_mean_s", seconds(&Source::mean_delay)),
            ("delay_p50_s", quantile(0.5)),
            ("delay_p95_s", quantile(0.95)),
            ("delay_p99_s", quantile(0.99)),
            (
                "delay_maximum_s",
                seconds(&|source| source.least_delay.map(|_| source.greatest_delay.seconds())),
            ),
            ("delay_p50_least_s", least(0.5)),
            ("delay_p50_most_s", most(0.5)),
            ("delay_p95_least_s", least(0.95)),
            ("delay_p95_most_s", most(0.95)),
            ("delay_p99_least_s", least(0.99)),
            ("delay_p99_most_s", most(0.99)),
        ]);
        Table::new("datagrams", columns)
    }
}

impl Source {
    fn mean_delay(&self) -> Option<f64> {
        let count = self.delays.total();
        (count > 0).then(|| self.delay_sum as f64 / count as f64 / 1e9)
    }

    /// Of a bin of the histogram its upper edge, never above the greatest delay there was.
    fn quantile(&self, share: f64) -> Option<f64> {
        let edge = Span::from_nanoseconds(self.delays.quantile(share)?);
        Some(edge.min(self.greatest_delay).seconds())
    }

    /// What became of a datagram that was sent in the window is known.
    fn settle(&mut self, sent: Time) {
        let place = self.under_way.partition_point(|&(earlier, _)| earlier < sent);
        if let Some((_, packets)) = self.under_way.get_mut(place) {
            *packets = packets.saturating_sub(1);
        }
        while matches!(self.under_way.front(), Some((_, 0))) {
            self.under_way.pop_front();
        }
        while matches!(self.under_way.back(), Some((_, 0))) {
            self.under_way.pop_back();
        }
    }

    const fn packets_under_way(&self) -> u64 {
        self.sent.packets - self.received.packets - self.lost.packets
    }

    /// What a quantile of the delay at least is, whatever becomes of those under way at the end of the run.
    ///
    /// Each of them is lost, or will have taken at least as long as it was watched. The quantile is least if
    /// those arrive that were watched no longer than it, and the others are lost: it is the first delay that
    /// so many of all who arrived did not exceed.
    fn least_quantile(&self, share: f64, end: Time) -> Option<f64> {
        let greatest = self.greatest_delay.nanoseconds();
        let mut arrived = self.delays.bins().map(|bin| (bin.upper.min(greatest), bin.count)).peekable();
        let since = |&(sent, packets): &(Time, u32)| ((end - sent).nanoseconds(), u64::from(packets));
        // Those that were sent last were watched least: both are in order.
        let mut under_way = self.under_way.iter().rev().map(since).peekable();
        let mut ends = std::iter::from_fn(|| {
            let next = arrived.peek().map_or(u64::MAX, |&(delay, _)| delay);
            match under_way.next_if(|&(watched, _)| watched <= next) {
                Some((delay, packets)) => Some((delay, 0, packets)),
                None => arrived.next().map(|(delay, count)| (delay, count, 0)),
            }
        });
        let (mut within, mut watched) = (0, 0);
        let mut wanted = rank(share, self.delays.total());
        ends.find_map(|(delay, arrived, under_way)| {
            within += arrived + under_way;
            if under_way > 0 {
                watched += under_way;
                wanted = rank(share, self.delays.total() + watched);
            }
            (within >= wanted).then(|| Span::from_nanoseconds(delay).seconds())
        })
    }

    /// What it at most is: with all those under way slower than any that arrived; infinite if they decide.
    fn most_quantile(&self, share: f64) -> Option<f64> {
        let under_way = self.packets_under_way();
        let total = self.delays.total() + under_way;
        if under_way == 0 || total == 0 {
            return self.quantile(share);
        }
        let wanted = rank(share, total);
        let mut seen = 0;
        let edge = self.delays.bins().find_map(|bin| {
            seen += bin.count;
            (seen >= wanted).then_some(bin.upper)
        });
        Some(edge.map_or(f64::INFINITY, |edge| Span::from_nanoseconds(edge).seconds()))
    }
}

/// The place of a quantile among so many values, from 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rank(share: f64, total: u64) -> u64 {
    (share * total as f64).ceil().max(1.0) as u64
}

fn count(amount: &mut Amount, datagram: SentDatagram) {
    amount.packets += 1;
    amount.bytes += u64::from(datagram.ip_bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(milliseconds * 1_000_000)
    }

    fn of(table: &Table, name: &str) -> ColumnValues {
        let column = table.columns.iter().find(|column| column.name == name);
        column.unwrap_or_else(|| panic!("no column {name}")).values.clone()
    }

    #[test]
    fn a_datagram_belongs_to_the_window_in_which_it_was_sent() {
        let window = MeasuredWindow { from: at(10), until: at(20) };
        let mut datagrams = Datagrams::new(window, 2);
        let sent_at = |milliseconds| SentDatagram { sent: at(milliseconds), ip_bytes: 100 };
        for sent in [9, 10, 19, 20] {
            datagrams.sent(1, sent_at(sent));
        }
        datagrams.received(1, sent_at(9), at(12), true);
        datagrams.received(1, sent_at(10), at(13), true);
        datagrams.lost(1, sent_at(19));
        datagrams.received(1, sent_at(20), at(21), false);
        assert_eq!(datagrams.overdrawn(), None);
        let table = datagrams.into_table(vec![("source", ColumnValues::U32(vec![0, 1]))], at(30));
        for (name, packets) in [("sent", 2), ("received", 1), ("marked", 1), ("lost", 1)] {
            assert_eq!(of(&table, &format!("{name}_packets")), ColumnValues::U64(vec![0, packets]), "{name}");
            assert_eq!(of(&table, &format!("{name}_bytes")), ColumnValues::U64(vec![0, 100 * packets]));
        }
        for name in ["delay_minimum_s", "delay_mean_s", "delay_p50_s", "delay_p99_s", "delay_maximum_s"] {
            let ColumnValues::F64(delays) = of(&table, name) else { panic!("{name} is a real number") };
            assert!(delays[0].is_nan() && delays[1] == 0.003, "{name}: {delays:?}");
        }
    }

    #[test]
    fn what_arrives_in_the_window_counts_there_whenever_it_was_sent() {
        let window = MeasuredWindow { from: at(10), until: at(20) };
        let mut datagrams = Datagrams::new(window, 1);
        for (sent, arrives) in [(5, 9), (6, 10), (12, 13), (13, 19), (14, 20), (20, 21)] {
            let datagram = SentDatagram { sent: at(sent), ip_bytes: 70 };
            datagrams.sent(0, datagram);
            datagrams.received(0, datagram, at(arrives), false);
        }
        let table = datagrams.into_table(Vec::new(), at(30));
        assert_eq!(of(&table, "arrived_packets"), ColumnValues::U64(vec![3]));
        assert_eq!(of(&table, "arrived_bytes"), ColumnValues::U64(vec![210]));
        assert_eq!(of(&table, "received_packets"), ColumnValues::U64(vec![3]));
    }

    /// Ten datagrams, one a millisecond; the run ends at 20 ms. Those sent at 5 to 9 ms are under way.
    #[test]
    fn a_quantile_lies_between_what_it_is_if_those_under_way_come_at_once_and_if_they_never_do() {
        let window = MeasuredWindow { from: at(0), until: at(10) };
        let mut datagrams = Datagrams::new(window, 1);
        let sent_at = |milliseconds| SentDatagram { sent: at(milliseconds), ip_bytes: 100 };
        for sent in 0..10 {
            datagrams.sent(0, sent_at(sent));
        }
        for sent in 0..5 {
            datagrams.received(0, sent_at(sent), at(2 * sent + 10), false);
        }
        let table = datagrams.into_table(Vec::new(), at(20));
        let of = |name: &str| {
            let ColumnValues::F64(values) = of(&table, name) else { panic!("{name} is a real number") };
            values[0]
        };
        assert_eq!((of("under_way_shortest_s"), of("under_way_longest_s")), (0.011, 0.015));
        // Delays of 10 to 14 ms, and 11 to 15 ms watched. If only that of 11 ms comes and the others are
        // lost the median of six is the third, 11 ms; if all five come later than 14 ms it is the fifth.
        assert!((of("delay_p50_least_s") - 0.011).abs() < 1.2e-5, "{}", of("delay_p50_least_s"));
        assert!((of("delay_p50_most_s") - 0.014).abs() < 1.5e-5, "{}", of("delay_p50_most_s"));
        assert!((of("delay_p99_least_s") - 0.014).abs() < 1.5e-5, "{}", of("delay_p99_least_s"));
        assert_eq!(of("delay_p99_most_s"), f64::INFINITY);
    }

    #[test]
    fn without_any_under_way_both_ends_are_the_quantile_and_of_nothing_there_is_none() {
        let window = MeasuredWindow { from: at(0), until: at(10) };
        let mut datagrams = Datagrams::new(window, 2);
        for sent in [3, 3, 3, 4] {
            datagrams.sent(0, SentDatagram { sent: at(sent), ip_bytes: 100 });
        }
        for (sent, arrives) in [(4, 9), (3, 70), (3, 60)] {
            datagrams.received(0, SentDatagram { sent: at(sent), ip_bytes: 100 }, at(arrives), false);
        }
        datagrams.lost(0, SentDatagram { sent: at(3), ip_bytes: 100 });
        let table = datagrams.into_table(Vec::new(), at(80));
        assert_eq!(of(&table, "under_way_packets"), ColumnValues::U64(vec![0, 0]));
        for share in ["p50", "p95", "p99"] {
            let [found, least, most] = ["", "_least", "_most"].map(|end| {
                let name = format!("delay_{share}{end}_s");
                let ColumnValues::F64(values) = of(&table, &name) else { panic!("{name} is a real number") };
                assert!(values[1].is_nan(), "{name}");
                values[0]
            });
            assert!(least == found && most == found, "{share}: {least} {found} {most}");
        }
    }

    #[test]
    fn more_received_and_lost_than_sent_is_noticed() {
        let window = MeasuredWindow { from: at(0), until: at(20) };
        let mut datagrams = Datagrams::new(window, 3);
        let datagram = SentDatagram { sent: at(1), ip_bytes: 28 };
        datagrams.sent(2, datagram);
        datagrams.lost(2, datagram);
        assert_eq!(datagrams.overdrawn(), None);
        datagrams.received(2, datagram, at(2), false);
        assert_eq!(datagrams.overdrawn(), Some(2));
    }
}
