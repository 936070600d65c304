//! What became of datagrams, source by source.
//!
//! A datagram counts in the measured window if it was *sent* in it, whatever became of it later: then what
//! was sent is what was received, what was lost, and what was still under way when the run ended.

use crate::{Amount, ColumnValues, LogHistogram, MeasuredWindow, Table};
use aqmlab_units::{Span, Time};

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
    delays: LogHistogram,
    delay_sum: u128,
    least_delay: Option<Span>,
    greatest_delay: Span,
    /// Of the whole run: packets sent, received, lost.
    in_run: [u64; 3],
}

/// Recorder of datagrams: of every source those that it sent in the measured window.
#[derive(Clone, Debug)]
pub struct Datagrams {
    window: MeasuredWindow,
    sources: Vec<Source>,
}

/// What tells the sources apart, row by row: columns beside those that are counted.
pub type SourceColumns = Vec<(&'static str, ColumnValues)>;

impl Datagrams {
    /// A recorder for this many sources.
    #[must_use]
    pub fn new(window: MeasuredWindow, sources: usize) -> Self {
        Self { window, sources: vec![Source::default(); sources] }
    }

    /// A source sends a datagram.
    pub fn sent(&mut self, source: usize, datagram: SentDatagram) {
        let own = &mut self.sources[source];
        own.in_run[0] += 1;
        if self.window.contains(datagram.sent) {
            count(&mut own.sent, datagram);
        }
    }

    /// A datagram has reached its receiver, with congestion experienced on the way or without.
    pub fn received(&mut self, source: usize, datagram: SentDatagram, now: Time, is_marked: bool) {
        let own = &mut self.sources[source];
        own.in_run[1] += 1;
        if !self.window.contains(datagram.sent) {
            return;
        }
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
        own.in_run[2] += 1;
        if self.window.contains(datagram.sent) {
            count(&mut own.lost, datagram);
        }
    }

    /// The first source that has sent fewer datagrams than were received and lost, which cannot be.
    #[must_use]
    pub fn overdrawn(&self) -> Option<usize> {
        self.sources.iter().position(|source| {
            let [sent, received, lost] = source.in_run;
            sent < received + lost
        })
    }

    /// The table `datagrams`: a row per source, these columns first.
    ///
    /// # Panics
    /// If the columns have not as many rows as there are sources.
    #[must_use]
    pub fn into_table(self, identity: SourceColumns) -> Table {
        let sources = &self.sources;
        let whole = |of: &dyn Fn(&Source) -> u64| ColumnValues::U64(sources.iter().map(of).collect());
        let seconds = |of: &dyn Fn(&Source) -> Option<f64>| {
            ColumnValues::F64(sources.iter().map(|source| of(source).unwrap_or(f64::NAN)).collect())
        };
        let quantile = |share: f64| seconds(&move |source: &Source| source.quantile(share));
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
            ("delay_minimum_s", seconds(&|source| source.least_delay.map(Span::seconds))),
            ("delay_mean_s", seconds(&Source::mean_delay)),
            ("delay_p50_s", quantile(0.5)),
            ("delay_p95_s", quantile(0.95)),
            ("delay_p99_s", quantile(0.99)),
            (
                "delay_maximum_s",
                seconds(&|source| source.least_delay.map(|_| source.greatest_delay.seconds())),
            ),
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
        let table = datagrams.into_table(vec![("source", ColumnValues::U32(vec![0, 1]))]);
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
