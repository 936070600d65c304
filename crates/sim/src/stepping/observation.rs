//! What can be seen of a run and of its links while a run goes on.

use super::groups::GroupObservation;
use crate::fabric::QueuedLink;
use crate::identifiers::QueuedId;
use aqmlab_aqm::{Counters, Occupancy, Reason, Tally};
use aqmlab_link::{MonitoredLink, Sent};
use aqmlab_scenario::Link;
use aqmlab_units::{Probability, Rate, Span, Time};

/// The monitored links and the groups of traffic at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The instant.
    pub now: Time,
    /// The instant of the observation before, or the start of the run.
    pub since: Time,
    /// In the order of the scenario.
    pub links: Vec<LinkObservation>,
    /// Populations, groups of flows, then groups of datagrams, in the order of the scenario.
    pub groups: Vec<GroupObservation>,
}

/// A link with a queue: its state now, and what happened since the observation before. Lengths are those of
/// IP packets; the packet that is being sent does not wait.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkObservation {
    /// Its name.
    pub name: String,
    /// Its rate now; of a rate that varies by itself, the mean.
    pub rate: Rate,
    /// Packets that wait.
    pub backlog_packets: u32,
    /// Bytes that wait.
    pub backlog_bytes: u64,
    /// Packets that waited, averaged over time; 0 if no time has passed.
    pub mean_backlog_packets: f64,
    /// Probability with which congestion is now signalled to a packet of average size.
    pub signal_probability: Probability,
    /// When a timer of the queue's scheme is due next, such as PIE's update; none if it has none.
    pub next_timer: Option<Time>,
    /// State of the queue's scheme, as its page names it.
    pub state: Vec<(&'static str, f64)>,
    /// Packets that came to the queue.
    pub arrived: Tally,
    /// Packets that left the queue for the link.
    pub departed: Tally,
    /// Packets that were marked.
    pub marked: Tally,
    /// Packets that were dropped, for every reason.
    pub dropped: Tally,
    /// Those for each reason, in the order of [`Reason::ALL`].
    pub dropped_for: [Tally; Reason::COUNT],
    /// Frames that the link has sent.
    pub sent: Sent,
    /// Share of the time in which the link was sending, from 0 to 1; 0 if no time has passed.
    pub utilization: f64,
}

impl LinkObservation {
    /// How long the link takes for what waits, without the overhead of frames: the queueing delay that an
    /// arrival meets in a queue that is first in, first out.
    #[must_use]
    pub fn queueing_delay(&self) -> Span {
        Span::from_seconds(self.backlog_bytes as f64 * 8.0 / self.rate.bits_per_second() as f64)
    }
}

/// A monitored link, and what had happened there when it was observed last.
#[derive(Clone)]
pub(super) struct Watched {
    position: QueuedId,
    name: String,
    pub(super) rate: Rate,
    counted: Counted,
    occupancy: Occupancy,
    transmitting: Span,
}

/// Totals since the run began.
#[derive(Clone, Copy, Default)]
struct Counted {
    arrived: Tally,
    departed: Tally,
    marked: Tally,
    dropped_for: [Tally; Reason::COUNT],
    sent: Sent,
}

impl Counted {
    fn of(counters: &Counters, sent: Sent) -> Self {
        Self {
            arrived: counters.arrivals().total(),
            departed: counters.departures().total(),
            marked: counters.marks().total(),
            dropped_for: Reason::ALL.map(|reason| counters.discards(reason).total()),
            sent,
        }
    }
}

impl Watched {
    /// # Panics
    /// If the link has no rate: every link with a queue has one.
    pub(super) fn new(position: QueuedId, link: &Link) -> Self {
        let Some(rate) = link.rate else { panic!("{} has a queue and no rate", link.name) };
        Self {
            position,
            name: link.name.clone(),
            rate,
            counted: Counted::default(),
            occupancy: Occupancy::ZERO,
            transmitting: Span::ZERO,
        }
    }

    /// The link among those with a queue, at the second of these instants; the first is that of the last
    /// look.
    pub(super) fn look(&mut self, queued: &mut [QueuedLink], (since, now): (Time, Time)) -> LinkObservation {
        let link = &mut queued[self.position.place()];
        link.queue_mut().advance(now);
        let port = link.link.port();
        let counted = Counted::of(port.counters(), link.sent());
        let before = std::mem::replace(&mut self.counted, counted);
        let (occupancy, transmitting) = (port.occupancy(now), link.transmitting(now));
        let mean_backlog_packets = occupancy.mean_packets_since(&self.occupancy);
        let sending = transmitting - self.transmitting;
        (self.occupancy, self.transmitting) = (occupancy, transmitting);
        let mut state = Vec::new();
        port.observe(&mut |name, value| state.push((name, value)));
        let dropped_for: [Tally; Reason::COUNT] =
            std::array::from_fn(|reason| counted.dropped_for[reason].minus(before.dropped_for[reason]));
        LinkObservation {
            name: self.name.clone(),
            rate: self.rate,
            backlog_packets: port.packets(),
            backlog_bytes: port.bytes(),
            mean_backlog_packets,
            signal_probability: port.signal_probability(),
            next_timer: port.next_timer(),
            state,
            arrived: counted.arrived.minus(before.arrived),
            departed: counted.departed.minus(before.departed),
            marked: counted.marked.minus(before.marked),
            dropped: dropped_for.iter().fold(Tally::default(), |sum, &tally| sum + tally),
            dropped_for,
            sent: counted.sent.minus(before.sent),
            utilization: share(sending, now - since),
        }
    }
}

fn share(part: Span, whole: Span) -> f64 {
    if whole == Span::ZERO { 0.0 } else { part.seconds() / whole.seconds() }
}
