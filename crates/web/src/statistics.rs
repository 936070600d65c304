//! What a population generated.

use crate::size_histogram::SizeHistogram;
use crate::{Command, Exchange, ObjectKind};

/// Totals over the commands of any number of users: the demand, independent of what the network made of it.
///
/// Fixed memory; two of them add up ([`Statistics::merge`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Server visits whose first page was begun.
    pub server_visits: u64,
    /// Pages begun.
    pub pages: u64,
    /// Connections opened for the first time.
    pub connections: u64,
    /// Of these, the ones chosen to be persistent.
    pub persistent_connections: u64,
    /// Connections opened again after they were lost.
    pub reopened_connections: u64,
    /// Objects requested on connections chosen to be persistent.
    pub objects_on_persistent_connections: u64,
    /// Response bytes requested on connections chosen to be persistent.
    pub response_bytes_on_persistent_connections: u64,
    /// Top-level objects.
    pub top_level: KindTotals,
    /// Embedded objects.
    pub embedded: KindTotals,
    /// Sizes of all requested responses.
    pub response_sizes: SizeHistogram,
}

/// Totals of one kind of object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindTotals {
    /// Objects requested.
    pub objects: u64,
    /// Bytes of the request messages.
    pub request_bytes: u64,
    /// Bytes of the responses that were asked for.
    pub response_bytes: u64,
}

impl Statistics {
    /// Nothing generated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one command of any user.
    #[inline]
    pub fn record(&mut self, command: &Command) {
        match command {
            Command::Open { reopened: true, .. } => self.reopened_connections += 1,
            Command::Open { persistent, .. } => {
                self.connections += 1;
                self.persistent_connections += u64::from(*persistent);
            }
            Command::Request { exchange, .. } => self.record_exchange(exchange),
            Command::Close { .. } | Command::Think { .. } | Command::Wait { .. } => {}
        }
    }

    /// Counts one exchange. Requests do so by themselves; this is for the exchange whose connection failed
    /// before the request could be written, and which therefore appears in no command.
    pub fn record_exchange(&mut self, exchange: &Exchange) {
        let of_kind = match exchange.kind {
            ObjectKind::TopLevel => {
                self.pages += 1;
                self.server_visits += u64::from(exchange.page == 0);
                &mut self.top_level
            }
            ObjectKind::Embedded => &mut self.embedded,
        };
        of_kind.objects += 1;
        of_kind.request_bytes += u64::from(exchange.request_bytes);
        of_kind.response_bytes += exchange.response_bytes;
        if exchange.on_persistent_connection {
            self.objects_on_persistent_connections += 1;
            self.response_bytes_on_persistent_connections += exchange.response_bytes;
        }
        self.response_sizes.record(exchange.response_bytes);
    }

    /// Adds what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        self.server_visits += other.server_visits;
        self.pages += other.pages;
        self.connections += other.connections;
        self.persistent_connections += other.persistent_connections;
        self.reopened_connections += other.reopened_connections;
        self.objects_on_persistent_connections += other.objects_on_persistent_connections;
        self.response_bytes_on_persistent_connections += other.response_bytes_on_persistent_connections;
        self.top_level.merge(&other.top_level);
        self.embedded.merge(&other.embedded);
        self.response_sizes.merge(&other.response_sizes);
    }

    /// Objects requested, of both kinds.
    #[must_use]
    pub const fn objects(&self) -> u64 {
        self.top_level.objects + self.embedded.objects
    }

    /// Bytes of all responses that were asked for.
    #[must_use]
    pub const fn response_bytes(&self) -> u64 {
        self.top_level.response_bytes + self.embedded.response_bytes
    }

    /// Bytes of all request messages.
    #[must_use]
    pub const fn request_bytes(&self) -> u64 {
        self.top_level.request_bytes + self.embedded.request_bytes
    }
}

impl KindTotals {
    fn merge(&mut self, other: &Self) {
        self.objects += other.objects;
        self.request_bytes += other.request_bytes;
        self.response_bytes += other.response_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConnectionOrdinal;
    use crate::MinimumDelay;
    use aqmlab_units::Span;

    fn open(persistent: bool, reopened: bool) -> Command {
        let connection = ConnectionOrdinal::new(0);
        Command::Open {
            connection,
            visit: 0,
            machine: None,
            server: 0,
            delay: MinimumDelay::Drawn(0.5),
            persistent,
            reopened,
        }
    }

    fn request(page: u32, kind: ObjectKind, persistent: bool, bytes: (u32, u64)) -> Command {
        let exchange = Exchange {
            object: 0,
            page,
            kind,
            on_persistent_connection: persistent,
            request_bytes: bytes.0,
            response_bytes: bytes.1,
            server_time: Span::ZERO,
            server_closes: false,
        };
        Command::Request { connection: ConnectionOrdinal::new(0), exchange }
    }

    /// A visit of two pages with three embedded objects.
    fn a_visit() -> Statistics {
        let mut statistics = Statistics::new();
        for command in [
            open(true, false),
            request(0, ObjectKind::TopLevel, true, (300, 5_000)),
            request(0, ObjectKind::Embedded, true, (400, 700)),
            open(false, false),
            request(0, ObjectKind::Embedded, false, (500, 11)),
            open(true, true),
            request(1, ObjectKind::TopLevel, true, (600, 13)),
            request(1, ObjectKind::Embedded, true, (700, 17)),
        ] {
            statistics.record(&command);
        }
        statistics
    }

    fn figures(statistics: &Statistics) -> [u64; 14] {
        let Statistics { top_level, embedded, .. } = statistics;
        [
            statistics.server_visits,
            statistics.pages,
            statistics.connections,
            statistics.persistent_connections,
            statistics.reopened_connections,
            statistics.objects_on_persistent_connections,
            statistics.response_bytes_on_persistent_connections,
            top_level.objects,
            top_level.request_bytes,
            top_level.response_bytes,
            embedded.objects,
            embedded.request_bytes,
            embedded.response_bytes,
            statistics.response_sizes.total(),
        ]
    }

    const OF_A_VISIT: [u64; 14] = [1, 2, 2, 1, 1, 4, 5_730, 2, 900, 5_013, 3, 1_600, 728, 5];

    #[test]
    fn a_visit_is_counted() {
        let statistics = a_visit();
        assert_eq!(figures(&statistics), OF_A_VISIT);
        assert_eq!(
            (statistics.objects(), statistics.response_bytes(), statistics.request_bytes()),
            (5, 5_741, 2_500)
        );
    }

    #[test]
    fn merging_adds_every_figure() {
        let mut three = a_visit();
        (0..2).for_each(|_| three.merge(&a_visit()));
        assert_eq!(figures(&three), OF_A_VISIT.map(|figure| 3 * figure));
    }
}
