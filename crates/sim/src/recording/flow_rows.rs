//! One row per connection, for those who ask (`record.flows`).

use crate::fabric::Connection;
use aqmlab_driver::{FlowGroups, TableNames};
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::{Owner, PopulationId};
use aqmlab_units::Time;

/// What is known of a connection that is over, or still open at the end of the run.
#[derive(Clone)]
struct Row {
    connection: u32,
    opened_s: f64,
    /// Not a number while the connection is open.
    closed_s: f64,
    party: Party,
    /// User within the population, or flow within the group.
    user: u32,
    exchanges: u32,
    timeouts: u64,
    syn_retransmissions: u64,
    fast_recoveries: u64,
    retransmitted_segments: u64,
    ecn_reductions: u64,
    dropped_data_segments: u64,
    dropped_handshake_segments: u64,
    loss_episodes: u64,
    loss_episodes_multiple: u64,
}

/// Whose a connection is.
#[derive(Clone, Copy)]
enum Party {
    Population(PopulationId),
    FlowGroup(u16),
}

impl Party {
    const fn population(self) -> Option<u16> {
        match self {
            Self::Population(place) => Some(place.number()),
            Self::FlowGroup(_) => None,
        }
    }

    const fn flow_group(self) -> Option<u16> {
        match self {
            Self::Population(_) => None,
            Self::FlowGroup(place) => Some(place),
        }
    }
}
#[derive(Clone)]

pub(crate) struct FlowRows {
    wanted: bool,
    rows: Vec<Row>,
    groups: FlowGroups,
}

impl FlowRows {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { wanted: scenario.record.flows, rows: Vec::new(), groups: FlowGroups::of(scenario) }
    }

    /// Keeps a connection that is over, or that is open still at the end of the run.
    #[inline]
    pub(crate) fn record(&mut self, connection: &Connection, exchanges: impl FnOnce() -> u32) {
        if self.wanted {
            let (party, user) = self.party(connection.owner);
            self.rows.push(Row::of(connection, party, user, exchanges()));
        }
    }

    /// Whose a connection is, and which user of the population or flow of the group.
    fn party(&self, owner: Owner) -> (Party, u32) {
        match owner {
            Owner::User { population, user, .. } => (Party::Population(population), user),
            Owner::Flow { flow } => {
                let (group, place) = self.groups.place(flow);
                (Party::FlowGroup(group), place.number())
            }
        }
    }

    pub(crate) fn into_table(self, names: &TableNames) -> Option<Table> {
        let rows = &self.rows;
        let real = |of: &dyn Fn(&Row) -> f64| ColumnValues::F64(rows.iter().map(of).collect());
        let whole = |of: &dyn Fn(&Row) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
        let count = |of: &dyn Fn(&Row) -> u64| ColumnValues::U64(rows.iter().map(of).collect());
        self.wanted.then(|| {
            Table::new(
                "flows",
                vec![
                    ("connection", whole(&|row| row.connection)),
                    ("opened_s", real(&|row| row.opened_s)),
                    ("closed_s", real(&|row| row.closed_s)),
                    ("population", names.of_populations(rows.iter().map(|row| row.party.population()))),
                    ("flow_group", names.of_flow_groups(rows.iter().map(|row| row.party.flow_group()))),
                    ("user", whole(&|row| row.user)),
                    ("exchanges", whole(&|row| row.exchanges)),
                    ("timeouts", count(&|row| row.timeouts)),
                    ("syn_retransmissions", count(&|row| row.syn_retransmissions)),
                    ("fast_recoveries", count(&|row| row.fast_recoveries)),
                    ("retransmitted_segments", count(&|row| row.retransmitted_segments)),
                    ("ecn_reductions", count(&|row| row.ecn_reductions)),
                    ("dropped_data_segments", count(&|row| row.dropped_data_segments)),
                    ("dropped_handshake_segments", count(&|row| row.dropped_handshake_segments)),
                    ("loss_episodes", count(&|row| row.loss_episodes)),
                    ("loss_episodes_multiple", count(&|row| row.loss_episodes_multiple)),
                ],
            )
        })
    }
}

impl Row {
    fn of(connection: &Connection, party: Party, user: u32, exchanges: u32) -> Self {
        let tcp = connection.totals();
        let losses = connection.losses.total;
        Self {
            connection: connection.number,
            opened_s: connection.opened.seconds(),
            closed_s: connection.closed.map_or(f64::NAN, Time::seconds),
            party,
            user,
            exchanges,
            timeouts: tcp.timeouts,
            syn_retransmissions: tcp.syn_retransmissions,
            fast_recoveries: tcp.fast_recoveries,
            retransmitted_segments: tcp.retransmitted_segments,
            ecn_reductions: tcp.ecn_reductions,
            dropped_data_segments: losses.data_segments,
            dropped_handshake_segments: losses.handshake_segments,
            loss_episodes: losses.episodes,
            loss_episodes_multiple: losses.episodes_multiple,
        }
    }
}
