//! What can be seen of people, flows and datagrams while a run goes on.

use crate::fabric::Fabric;
use aqmlab_scenario::{Scenario, TrafficGroup};
use aqmlab_session::Session;
use aqmlab_units::Span;

/// A population, or a group of flows or datagrams: what became of its traffic since the observation before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupObservation {
    /// Its name.
    pub name: String,
    /// Objects that arrived whole, transfers whose last byte arrived, or datagrams that arrived: of a group
    /// that is an echo, those that came back.
    pub completed: u64,
    /// Objects whose connection gave up, or datagrams that were lost.
    pub failed: u64,
    /// Objects, transfers or datagrams that are under way now. Transfers without an end always are.
    pub under_way: u64,
    /// Bytes that reached receivers: of flows as they came, of objects with the last byte of each, of
    /// datagrams with their headers.
    pub delivered_bytes: u64,
    /// Of the objects that arrived whole; none where none did. Those under way may have waited longer.
    pub mean_response_time: Option<Span>,
}

/// What a group had done since the run began.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    completed: u64,
    failed: u64,
    under_way: u64,
    delivered_bytes: u64,
    waited: Span,
}

impl Done {
    fn since(self, before: Self, name: &str) -> GroupObservation {
        let completed = self.completed - before.completed;
        let waited = self.waited - before.waited;
        GroupObservation {
            name: name.to_owned(),
            completed,
            failed: self.failed - before.failed,
            under_way: self.under_way,
            delivered_bytes: self.delivered_bytes - before.delivered_bytes,
            mean_response_time: (completed > 0 && waited > Span::ZERO)
                .then(|| Span::from_nanoseconds(waited.nanoseconds() / completed)),
        }
    }

    /// All groups of a scenario, in the order of [`Scenario::traffic`].
    fn of_groups(scenario: &Scenario, fabric: &Fabric, session: &Session) -> Vec<Self> {
        let unfinished = session.unfinished();
        let (mut population, mut flow, mut source) = (0, 0, 0);
        let mut done = Vec::new();
        for group in scenario.traffic() {
            done.push(match group {
                TrafficGroup::Users(_) => {
                    population += 1;
                    Self::of_population(session, population - 1, unfinished[population - 1])
                }
                TrafficGroup::Flows(group) => {
                    flow += group.flows.len();
                    Self::of_flows(session, flow - group.flows.len(), flow)
                }
                TrafficGroup::Datagrams(group) => {
                    source += group.sources.len();
                    Self::of_datagrams(fabric, source - group.sources.len(), source)
                }
            });
        }
        done
    }

    fn of_population(session: &Session, place: usize, under_way: u64) -> Self {
        let population = &session.populations()[place];
        let (exchanges, delivered) = (population.in_run(), population.delivered());
        Self {
            completed: exchanges.completed,
            failed: exchanges.failed,
            under_way,
            delivered_bytes: delivered.bytes,
            waited: delivered.response_times,
        }
    }

    fn of_flows(session: &Session, first: usize, end: usize) -> Self {
        let ends = session.transfers().skip(first).take(end - first).map(|(_, completed)| completed);
        let completed = ends.flatten().count();
        Self {
            completed: completed as u64,
            under_way: (end - first - completed) as u64,
            delivered_bytes: session.delivered()[first..end].iter().sum(),
            ..Self::default()
        }
    }

    fn of_datagrams(fabric: &Fabric, first: usize, end: usize) -> Self {
        let mut done = Self::default();
        for counted in (first..end).map(|source| fabric.datagrams().in_run(source)) {
            done.completed += counted.received;
            done.failed += counted.lost;
            done.under_way += counted.under_way();
            done.delivered_bytes += counted.received_bytes;
        }
        done
    }
}

/// The groups of a run, and what they had done when they were observed last.
#[derive(Clone, Default)]
pub(super) struct WatchedGroups(Vec<Done>);

impl WatchedGroups {
    pub(super) fn look(
        &mut self,
        scenario: &Scenario,
        fabric: &Fabric,
        session: &Session,
    ) -> Vec<GroupObservation> {
        let done = Done::of_groups(scenario, fabric, session);
        self.0.resize(done.len(), Done::default());
        let before = std::mem::replace(&mut self.0, done);
        let named = scenario.traffic().zip(self.0.iter().zip(before));
        named.map(|(group, (now, before))| now.since(before, group.name())).collect()
    }
}
