//! What can be seen of people, flows and datagrams while a run goes on.

use crate::fabric::{Connection, Fabric};
use crate::recording::ClosedFlows;
use aqmlab_record::VideoCallFrame;
use aqmlab_scenario::{Scenario, TrafficGroup};
use aqmlab_session::{Owner, Session};
use aqmlab_units::Span;
use std::ops::Range;

/// A population, or a group of flows or datagrams: what became of its traffic since the observation before.
#[derive(Clone, Debug, PartialEq)]
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
    /// Of flows, the mean of the smoothed round trips of their open connections now; none before the first.
    pub mean_round_trip: Option<Span>,
    /// Of flows, the mean congestion window of their open connections now, in bytes; none without one.
    pub mean_window_bytes: Option<f64>,
    /// Of flows, the segments that were sent again: data or FIN, by either end.
    pub retransmitted_segments: u64,
    /// Of calls and games, frames that were shown, and those that were passed over for later ones.
    pub frames_shown: u64,
    /// See above.
    pub frames_skipped: u64,
    /// Of those shown, the mean time from capture to showing; none where none was shown.
    pub mean_frame_delay: Option<Span>,
}

/// What a group had done since the run began.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    completed: u64,
    failed: u64,
    under_way: u64,
    delivered_bytes: u64,
    waited: Span,
    frames_shown: u64,
    frames_skipped: u64,
    frames_took: Span,
    senders: Senders,
}

/// What the senders of a group of flows know now, added up over their open connections; and what was sent
/// again on all of them.
#[derive(Clone, Copy, Default)]
struct Senders {
    connections: u64,
    window_bytes: f64,
    /// Those with a round trip, and the sum of these.
    measured: u64,
    round_trips: Span,
    retransmitted_segments: u64,
}

impl Senders {
    fn add(&mut self, fabric: &Fabric, connection: &Connection) {
        self.retransmitted_segments += connection.totals().retransmitted_segments;
        let Some(sender) = connection.ends[0].tcp() else { return };
        let context = fabric.context_of_sender(connection);
        self.connections += 1;
        self.window_bytes += sender.congestion_window_bytes(context.profile);
        if let Some(round_trip) = sender.smoothed_round_trip(&context) {
            self.measured += 1;
            self.round_trips += round_trip;
        }
    }

    /// Of each group of flows, whose ends among all flows these are.
    fn of_groups(fabric: &Fabric, ends: &[usize], closed: &ClosedFlows) -> Vec<Self> {
        let over =
            |group| Self { retransmitted_segments: closed.retransmitted_segments(group), ..Self::default() };
        let mut senders: Vec<Self> = (0..ends.len()).map(over).collect();
        for (_, connection) in fabric.open_connections() {
            let Owner::Flow { flow } = connection.owner else { continue };
            let group = ends.partition_point(|end| *end <= flow.place());
            senders[group].add(fabric, connection);
        }
        senders
    }
}

/// A sum over so many; none over none.
fn mean(sum: Span, count: u64) -> Option<Span> {
    (count > 0).then(|| Span::from_nanoseconds(sum.nanoseconds() / count))
}

impl Done {
    fn since(self, before: Self, name: &str) -> GroupObservation {
        let completed = self.completed - before.completed;
        let waited = self.waited - before.waited;
        let shown = self.frames_shown - before.frames_shown;
        GroupObservation {
            name: name.to_owned(),
            completed,
            failed: self.failed - before.failed,
            under_way: self.under_way,
            delivered_bytes: self.delivered_bytes - before.delivered_bytes,
            mean_response_time: mean(waited, completed).filter(|_| waited > Span::ZERO),
            mean_round_trip: mean(self.senders.round_trips, self.senders.measured),
            mean_window_bytes: (self.senders.connections > 0)
                .then(|| self.senders.window_bytes / self.senders.connections as f64),
            retransmitted_segments: self.senders.retransmitted_segments
                - before.senders.retransmitted_segments,
            frames_shown: shown,
            frames_skipped: self.frames_skipped - before.frames_skipped,
            mean_frame_delay: mean(self.frames_took - before.frames_took, shown),
        }
    }

    /// All groups of a scenario, in the order of [`Scenario::traffic`].
    fn of_groups(scenario: &Scenario, fabric: &Fabric, session: &Session, closed: &ClosedFlows) -> Vec<Self> {
        let unfinished = session.unfinished();
        let (mut population, mut flow, mut source) = (0, 0, 0);
        let mut ends = Vec::new();
        for group in scenario.traffic() {
            if let TrafficGroup::Flows(group) = group {
                ends.push(ends.last().unwrap_or(&0) + group.flows.len());
            }
        }
        let mut senders = Senders::of_groups(fabric, &ends, closed).into_iter();
        let mut done = Vec::new();
        for group in scenario.traffic() {
            done.push(match group {
                TrafficGroup::Users(_) => {
                    population += 1;
                    Self::of_population(session, population - 1, unfinished[population - 1])
                }
                TrafficGroup::Flows(group) => {
                    flow += group.flows.len();
                    let senders = senders.next().unwrap_or_default();
                    Self { senders, ..Self::of_flows(session, flow - group.flows.len(), flow) }
                }
                TrafficGroup::Datagrams(group) => {
                    source += group.sources.len();
                    Self::of_datagrams(fabric, session, source - group.sources.len()..source)
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
            ..Self::default()
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

    fn of_datagrams(fabric: &Fabric, session: &Session, sources: Range<usize>) -> Self {
        let mut done = Self::default();
        for source in sources {
            done.add_frames(session.frames(source));
            let counted = fabric.datagrams().in_run(source);
            done.completed += counted.received;
            done.failed += counted.lost;
            done.under_way += counted.under_way();
            done.delivered_bytes += counted.received_bytes;
        }
        done
    }

    /// Frames are shown in the order in which they were captured.
    fn add_frames(&mut self, frames: &[VideoCallFrame]) {
        let until = frames.iter().rposition(|frame| frame.shown.is_some()).map_or(0, |last| last + 1);
        for frame in &frames[..until] {
            match frame.shown {
                Some(shown) => {
                    self.frames_shown += 1;
                    self.frames_took += shown - frame.captured;
                }
                None => self.frames_skipped += 1,
            }
        }
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
        closed: &ClosedFlows,
    ) -> Vec<GroupObservation> {
        let done = Done::of_groups(scenario, fabric, session, closed);
        self.0.resize(done.len(), Done::default());
        let before = std::mem::replace(&mut self.0, done);
        let named = scenario.traffic().zip(self.0.iter().zip(before));
        named.map(|(group, (now, before))| now.since(before, group.name())).collect()
    }
}
