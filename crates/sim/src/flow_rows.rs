//! One row per connection, for those who ask (`record.flows`).

use crate::connection::{Connection, Owner};
use aqmlab_record::{ColumnValues, Table};
use aqmlab_units::Time;

/// What is known of a connection that is over, or still open at the end of the run.
struct Row {
    opened_s: f64,
    /// Not a number while the connection is open.
    closed_s: f64,
    /// Population of the user, or 255 for a long-lived flow.
    population: u8,
    /// User within the population, or number of the flow.
    user: u32,
    exchanges: u32,
    timeouts: u32,
    syn_retransmissions: u32,
    fast_recoveries: u32,
    retransmitted_segments: u32,
    ecn_reductions: u32,
    dropped_data_segments: u32,
    dropped_handshake_segments: u32,
    loss_episodes: u32,
    loss_episodes_multiple: u32,
}

/// The code of a long-lived flow in the column `population`.
const NO_POPULATION: u8 = u8::MAX;

pub(crate) struct FlowRows {
    wanted: bool,
    rows: Vec<Row>,
}

impl FlowRows {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, rows: Vec::new() }
    }

    /// Keeps a connection whose record is given back, or that has one still at the end of the run.
    #[inline]
    pub(crate) fn record(&mut self, connection: &Connection) {
        if self.wanted {
            self.rows.push(Row::of(connection));
        }
    }

    pub(crate) fn into_table(self) -> Option<Table> {
        let rows = &self.rows;
        let real = |of: &dyn Fn(&Row) -> f64| ColumnValues::F64(rows.iter().map(of).collect());
        let whole = |of: &dyn Fn(&Row) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
        self.wanted.then(|| {
            Table::new(
                "flows",
                vec![
                    ("opened_s", real(&|row| row.opened_s)),
                    ("closed_s", real(&|row| row.closed_s)),
                    ("population", ColumnValues::U8(rows.iter().map(|row| row.population).collect())),
                    ("user", whole(&|row| row.user)),
                    ("exchanges", whole(&|row| row.exchanges)),
                    ("timeouts", whole(&|row| row.timeouts)),
                    ("syn_retransmissions", whole(&|row| row.syn_retransmissions)),
                    ("fast_recoveries", whole(&|row| row.fast_recoveries)),
                    ("retransmitted_segments", whole(&|row| row.retransmitted_segments)),
                    ("ecn_reductions", whole(&|row| row.ecn_reductions)),
                    ("dropped_data_segments", whole(&|row| row.dropped_data_segments)),
                    ("dropped_handshake_segments", whole(&|row| row.dropped_handshake_segments)),
                    ("loss_episodes", whole(&|row| row.loss_episodes)),
                    ("loss_episodes_multiple", whole(&|row| row.loss_episodes_multiple)),
                ],
            )
        })
    }
}

impl Row {
    fn of(connection: &Connection) -> Self {
        let (population, user) = match connection.owner {
            Owner::User { population, user, .. } => (population.place() as u8, user),
            Owner::Flow { flow } => (NO_POPULATION, flow.number()),
        };
        let tcp = connection.totals();
        let losses = connection.losses.total;
        Self {
            opened_s: connection.opened.seconds(),
            closed_s: connection.closed.map_or(f64::NAN, Time::seconds),
            population,
            user,
            exchanges: connection.exchanges,
            timeouts: tcp.timeouts as u32,
            syn_retransmissions: tcp.syn_retransmissions as u32,
            fast_recoveries: tcp.fast_recoveries as u32,
            retransmitted_segments: tcp.retransmitted_segments as u32,
            ecn_reductions: tcp.ecn_reductions as u32,
            dropped_data_segments: losses.data_segments as u32,
            dropped_handshake_segments: losses.handshake_segments as u32,
            loss_episodes: losses.episodes as u32,
            loss_episodes_multiple: losses.episodes_multiple as u32,
        }
    }
}
