//! Every datagram that arrived, one by one: how its delay went over time.

use crate::{ColumnValues, SentDatagram, SourceColumns, Table};
use aqmlab_units::{Span, Time};

/// Recorder of single datagrams, in the order in which they arrived, of the whole run.
#[derive(Clone, Debug, Default)]
pub struct DatagramArrivals {
    sources: Vec<u32>,
    sent_s: Vec<f64>,
    delay_s: Vec<f64>,
}

/// What says whose a datagram is.
const KEYS: [&str; 2] = ["group", "source"];

impl DatagramArrivals {
    /// A datagram of a source has reached its receiver.
    pub fn received(&mut self, source: u32, datagram: SentDatagram, now: Time) {
        let delay: Span = now - datagram.sent;
        self.sources.push(source);
        self.sent_s.push(datagram.sent.seconds());
        self.delay_s.push(delay.seconds());
    }

    /// The table `datagram_arrivals`: a row per datagram, with what tells its source from others.
    ///
    /// # Panics
    /// If a source has no row in these columns.
    #[must_use]
    pub fn into_table(self, identity: &SourceColumns) -> Table {
        let keys = identity.iter().filter(|(name, _)| KEYS.contains(name));
        let mut columns: SourceColumns =
            keys.map(|(name, values)| (*name, values.at(&self.sources))).collect();
        columns.extend([
            ("sent_s", ColumnValues::F64(self.sent_s)),
            ("delay_s", ColumnValues::F64(self.delay_s)),
        ]);
        Table::new("datagram_arrivals", columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_datagram_has_the_group_and_number_of_its_source() {
        let mut arrivals = DatagramArrivals::default();
        let at = |milliseconds: u64| Time::from_nanoseconds(milliseconds * 1_000_000);
        for (source, sent, now) in [(2, 10, 13), (0, 20, 20), (2, 15, 27)] {
            arrivals.received(source, SentDatagram { sent: at(sent), ip_bytes: 64 }, at(now));
        }
        let identity = vec![
            ("group", ColumnValues::names(vec![0, 0, 1], ["probe", "call"])),
            ("source", ColumnValues::U32(vec![0, 1, 0])),
            ("from", ColumnValues::names(vec![0, 0, 0], ["server"])),
        ];
        let table = arrivals.into_table(&identity);
        let columns: Vec<_> = table.columns.into_iter().map(|column| (column.name, column.values)).collect();
        let expected = vec![
            ("group", ColumnValues::names(vec![1, 0, 1], ["probe", "call"])),
            ("source", ColumnValues::U32(vec![0, 0, 0])),
            ("sent_s", ColumnValues::F64(vec![0.01, 0.02, 0.015])),
            ("delay_s", ColumnValues::F64(vec![0.003, 0.0, 0.012])),
        ];
        assert_eq!(columns, expected);
    }
}
