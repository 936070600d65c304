//! What can be seen and counted of a link with a queue.

use aqmlab_aqm::{Counters, Occupancy, Port, QueueCounters, Queued};
use aqmlab_units::{Probability, Span, Time};

/// A queue in front of a link, as a monitor sees it: a [`Port`], or what a driver has in its place.
pub trait MonitoredQueue {
    /// Lets time pass, before the state is read.
    fn advance(&mut self, now: Time);

    /// How many packets wait.
    fn packets(&self) -> u32;

    /// How many bytes of IP packets wait.
    fn bytes(&self) -> u64;

    /// The packets that wait, integrated over time until `now`.
    fn occupancy(&self, now: Time) -> Occupancy;

    /// The probability with which congestion is now signalled to a packet of average size; none where nobody
    /// tells.
    fn signal_probability(&self) -> Option<Probability>;

    /// What happened here so far.
    fn counters(&self) -> &Counters;

    /// Reports names and values of its state.
    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64));

    /// Where it consists of several: what happened in each that has seen a packet.
    fn parts(&self) -> Option<Vec<(u32, QueueCounters)>>;
}

impl<P: Queued> MonitoredQueue for Port<P> {
    fn advance(&mut self, now: Time) {
        Self::advance(self, now);
    }

    fn packets(&self) -> u32 {
        Self::packets(self)
    }

    fn bytes(&self) -> u64 {
        Self::bytes(self)
    }

    fn occupancy(&self, now: Time) -> Occupancy {
        Self::occupancy(self, now)
    }

    fn signal_probability(&self) -> Option<Probability> {
        Some(Self::signal_probability(self))
    }

    fn counters(&self) -> &Counters {
        Self::counters(self)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        Self::observe(self, sink);
    }

    fn parts(&self) -> Option<Vec<(u32, QueueCounters)>> {
        self.queue(0).map(|_| queues_with_packets(self))
    }
}

/// A link with a queue, as a monitor sees it: its queue, and what has left it.
pub trait MonitoredLink {
    /// Its queue.
    fn queue(&self) -> &dyn MonitoredQueue;

    /// Its queue, to let time pass there.
    fn queue_mut(&mut self) -> &mut dyn MonitoredQueue;

    /// What has left it so far.
    fn sent(&self) -> Sent;

    /// How long it has been transmitting until `now`.
    fn transmitting(&self, now: Time) -> Span;

    /// Counters of the port and of the link at this instant.
    fn snapshot(&self, now: Time) -> LinkSnapshot {
        let queue = self.queue();
        LinkSnapshot {
            counters: queue.counters().clone(),
            sent: self.sent(),
            transmitting: self.transmitting(now),
            occupancy: queue.occupancy(now),
            queues: queue.parts(),
        }
    }
}

/// What has left a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Frames.
    pub frames: u64,
    /// Bytes of these frames.
    pub frame_bytes: u64,
    /// Bytes of the IP packets in them.
    pub ip_bytes: u64,
}

impl Sent {
    /// What has left since `earlier`.
    #[must_use]
    pub const fn minus(self, earlier: Self) -> Self {
        Self {
            frames: self.frames - earlier.frames,
            frame_bytes: self.frame_bytes - earlier.frame_bytes,
            ip_bytes: self.ip_bytes - earlier.ip_bytes,
        }
    }
}

/// Counters of a link until an instant.
#[derive(Clone)]
pub struct LinkSnapshot {
    /// Of its port.
    pub counters: Counters,
    /// What has left it.
    pub sent: Sent,
    /// How long it has been transmitting.
    pub transmitting: Span,
    /// Its packets that waited, integrated over time.
    pub occupancy: Occupancy,
    /// Of a port with several queues, those of each that has seen a packet: there may be 65,536, of which few
    /// have.
    pub queues: Option<Vec<(u32, QueueCounters)>>,
}

fn queues_with_packets<P: Queued>(port: &Port<P>) -> Vec<(u32, QueueCounters)> {
    let queues = (0..).zip((0..port.queues()).filter_map(|queue| port.queue(queue)));
    let counted = queues.map(|(number, queue)| (number, queue.counters));
    counted.filter(|(_, counters)| *counters != QueueCounters::default()).collect()
}
