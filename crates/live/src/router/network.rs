//! Links, queues and delays in virtual time: what happens to packets between the namespaces, each step at its
//! own instant.
//!
//! Whoever calls says when a packet arrived and up to which instant everything is to happen. How late a call
//! comes changes nothing about the instants, nor about what any scheme decides: only when the packet is
//! handed over.

use super::connections::{Conduct, Connections};
use super::guest::Crossings;
use super::link::{Queue, QueuedLink};
use super::log::{Log, LogEvent};
use super::paths::{Paths, Stage};
use super::pings::Pings;
use crate::addresses::Half;
use crate::clock::Clock;
use crate::error::LiveError;
use crate::kernel_queue::{self, KernelQueue};
use crate::packet::Packet;
use crate::packet::buffer::Pool;
use crate::packet::headers::{Headers, Refusal};
use crate::packet::ping::Ping;
use aqmlab_aqm::{PacketFacts, Reason};
use aqmlab_driver::{Boundary, Monitor, Traffic, Whose, channels};
use aqmlab_link::{Channel, Link, LinkSnapshot, MonitoredLink, News, Serializer};
use aqmlab_random::Key;
use aqmlab_record::{MeasuredWindow, ShaperSummary};
use aqmlab_scenario::{LinkIndex, Scenario};
use aqmlab_units::{Span, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What becomes of packets that a queue throws away.
type Discard<'a> = dyn FnMut(Packet, Reason) + 'a;

/// What is pending.
enum What {
    /// A packet goes on.
    Moves(Packet),
    /// A link has sent what it was sending.
    TransmissionEnds { queue: usize },
    /// A port no longer holds back what waits.
    PortOpens { queue: usize },
    /// The kernel has let a packet go.
    LeavesKernel { queue: usize, packet: Packet },
    /// A program in the router pings a reflector.
    Pings { pinger: u32 },
    /// It measures the load of its shapers.
    MeasuresLoad,
}

struct Pending {
    at: Time,
    /// At equal instants transmissions end first, in the order of the links, as in a simulation; then packets
    /// move, in the order in which that was noted; then ports are asked again.
    order: (usize, u64),
    what: What,
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}

impl Eq for Pending {}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// What became of every packet that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Balance {
    /// Came from a namespace.
    pub(crate) read: u64,
    /// Handed over to the other one.
    pub(crate) handed_over: u64,
    /// Thrown away by queues.
    pub(crate) discarded: u64,
    /// Refused, by reason.
    pub(crate) refused: [u64; Refusal::COUNT],
}

/// Counters at an edge of the measured window.
#[derive(Clone)]
pub(crate) struct Edge {
    /// Of the monitored links.
    pub(crate) links: Vec<LinkSnapshot>,
    /// Data segments, and SYN and SYN/ACK segments, that monitored queues threw away.
    pub(crate) dropped: [u64; 2],
}

/// The network of a run.
pub(crate) struct Network {
    pub(crate) queues: Vec<QueuedLink>,
    channels: Vec<Channel>,
    serializers: Vec<Serializer>,
    pub(crate) paths: Paths,
    pub(crate) connections: Connections,
    pending: BinaryHeap<Reverse<Pending>>,
    noted: u64,
    now: Time,
    pool: Pool,
    pub(crate) monitor: Monitor,
    pub(crate) edges: [Option<Edge>; 2],
    pub(crate) balance: Balance,
    dropped: [u64; 2],
    pub(crate) guests: Crossings,
    pub(crate) log: Log,
    pub(crate) traffic: Option<Traffic>,
    pings: Option<Pings>,
}

impl Network {
    pub(crate) fn new(
        scenario: &Scenario,
        window: MeasuredWindow,
        seed: u64,
        connections: Connections,
        log: Log,
    ) -> Self {
        let key = Key::from_seed(seed);
        let (paths, mut queues, serializers) = Paths::of(scenario, connections.addresses(), key);
        let channels = channels(queues.iter().map(|queue| scenario.network.link(queue.number)));
        for (place, channel) in channels.iter().enumerate() {
            channel.links().for_each(|queue| queues[queue].channel = Some(place));
        }
        let monitored = (0..queues.len()).filter(|&place| queues[place].monitored.is_some());
        let monitored: Vec<usize> = monitored.collect();
        let position_of = |number| queues.iter().position(|queue| queue.number == number);
        let ends = (connections.addresses(), &paths);
        let pings = Pings::new(scenario, position_of, (window, key), ends);
        let mut network = Self {
            monitor: Monitor::new(scenario, window, monitored.into_iter()),
            queues,
            channels,
            serializers,
            paths,
            connections,
            pending: BinaryHeap::new(),
            noted: 0,
            now: Time::ZERO,
            pool: Pool::default(),
            edges: [None, None],
            balance: Balance::default(),
            dropped: [0; 2],
            guests: Crossings::default(),
            log,
            traffic: Traffic::new(scenario, window),
            pings,
        };
        network.begin_to_ping();
        network
    }

    /// The program in the router begins to ping, where there is one.
    fn begin_to_ping(&mut self) {
        let Some(Pings { follower, .. }) = &self.pings else { return };
        let (first, load) = (follower.first_pings().collect::<Vec<_>>(), follower.load_interval());
        for (after, pinger) in first {
            self.note(Time::ZERO + after, What::Pings { pinger });
        }
        self.note(Time::ZERO + load, What::MeasuresLoad);
    }

    /// What its shapers were set to.
    pub(crate) fn shapers(&self) -> Vec<ShaperSummary> {
        self.pings.as_ref().map(|pings| pings.follower.summaries()).unwrap_or_default()
    }

    /// The next instant at which something happens by itself.
    pub(crate) fn next(&self) -> Time {
        let pending = self.pending.peek().map_or(Time::MAX, |Reverse(pending)| pending.at);
        pending.min(self.monitor.next())
    }

    /// A packet came from a half of the network at `now`, which no call has gone beyond.
    pub(crate) fn arrive(&mut self, now: Time, from: Half, bytes: &[u8]) {
        self.balance.read += 1;
        match self.admit((from, now), bytes) {
            Ok(packet) => {
                self.guests.come(&packet);
                self.start(now.max(self.now), packet);
            }
            Err(refusal) => self.balance.refused[refusal as usize] += 1,
        }
    }

    /// What came from a namespace was not even to be looked at.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.balance.read += 1;
        self.balance.refused[refusal as usize] += 1;
    }

    fn admit(&mut self, (from, now): (Half, Time), bytes: &[u8]) -> Result<Packet, Refusal> {
        let headers = Headers::read(bytes)?;
        let Conduct { whose, path, delay, header, flow } =
            self.connections.conduct((from, now), &headers, &self.paths)?;
        let facts = PacketFacts {
            flow,
            bytes: u32::from(headers.bytes),
            codepoint: headers.codepoint,
            class: headers.class,
        };
        // What follows the packet in what was read is none of it.
        let buffer = self.pool.filled(&bytes[..usize::from(headers.bytes)]);
        let to = if from == Half::Active { Half::Passive } else { Half::Active };
        Ok(Packet { facts, header, buffer, whose, to, path, passed: 0, delay, ping: None })
    }

    /// A packet leaves its machine: its interface sends it, and its own delay follows; without an interface
    /// the delay alone.
    fn start(&mut self, now: Time, mut packet: Packet) {
        let mut at = now;
        if let Some(&Stage::Interface(interface, delay)) = self.paths.stage(packet.path, 0) {
            at = self.serializers[interface].send(now, packet.facts.bytes) + delay;
            packet.passed = 1;
        }
        let at = at + std::mem::replace(&mut packet.delay, Span::ZERO);
        self.note(at, What::Moves(packet));
    }

    fn note(&mut self, at: Time, what: What) {
        self.noted += 1;
        let rank = match what {
            What::TransmissionEnds { queue } => queue,
            What::Moves(_) | What::LeavesKernel { .. } => usize::MAX - 1,
            What::PortOpens { .. } | What::Pings { .. } | What::MeasuresLoad => usize::MAX,
        };
        self.pending.push(Reverse(Pending { at, order: (rank, self.noted), what }));
    }

    /// Lets everything happen that is due by `now`. Packets that have arrived are handed over with the
    /// instant at which they did.
    pub(crate) fn run_until(&mut self, now: Time, hand_over: &mut impl FnMut(Time, Half, &[u8])) {
        loop {
            let sample = self.monitor.next();
            let due = self.pending.peek().map_or(Time::MAX, |Reverse(pending)| pending.at);
            if sample.min(due) > now {
                break;
            }
            if sample <= due {
                self.sample(sample);
                continue;
            }
            let Some(Reverse(Pending { at, what, .. })) = self.pending.pop() else { break };
            self.now = at;
            match what {
                What::Moves(packet) => self.go_on(at, packet, hand_over),
                What::TransmissionEnds { queue } => self.end_transmission(at, queue, hand_over),
                What::PortOpens { queue } => {
                    self.act(at, queue, |link, mut discard| link.ask_again(at, &mut discard));
                }
                What::LeavesKernel { queue, packet } => self.leave_kernel(at, packet, queue),
                What::Pings { pinger } => self.ping(at, pinger),
                What::MeasuresLoad => self.measure_load(at),
            }
        }
        self.now = self.now.max(now);
    }

    fn go_on(&mut self, now: Time, mut packet: Packet, hand_over: &mut impl FnMut(Time, Half, &[u8])) {
        match self.paths.stage(packet.path, packet.passed) {
            None => {
                self.balance.handed_over += 1;
                if let Some(ping) = packet.ping {
                    self.pool.take_back(packet.buffer);
                    return self.end_of_ping(now, ping);
                }
                self.guests.handed_over(&packet);
                hand_over(now, packet.to, packet.buffer.bytes());
                self.pool.take_back(packet.buffer);
            }
            Some(&Stage::Wire(delay)) => {
                packet.passed += 1;
                self.note(now + delay, What::Moves(packet));
            }
            Some(&Stage::Interface(interface, delay)) => {
                packet.passed += 1;
                let sent = self.serializers[interface].send(now, packet.facts.bytes);
                self.note(sent + delay, What::Moves(packet));
            }
            Some(&Stage::Queue(queue)) => self.come_to_queue(now, packet, queue),
        }
    }

    /// The program in the router pings a reflector.
    fn ping(&mut self, now: Time, pinger: u32) {
        let Some(Pings { follower, .. }) = &mut self.pings else { return };
        let (number, next) = (follower.ping(pinger), now + follower.ping_interval());
        self.note(next, What::Pings { pinger });
        self.send_ping(now, Ping { pinger, number, sent: now, is_response: false });
    }

    fn send_ping(&mut self, now: Time, ping: Ping) {
        let Some(pings) = &self.pings else { return };
        let (path, facts, header, bytes, to) = pings.packet(ping);
        let buffer = self.pool.filled(bytes);
        let (whose, ping) = (Whose::Nobody, Some(ping));
        self.balance.read += 1;
        self.start(
            now,
            Packet { facts, header, buffer, whose, to, path, passed: 0, delay: Span::ZERO, ping },
        );
    }

    /// A ping has arrived at its reflector, or the response to one in the router.
    fn end_of_ping(&mut self, now: Time, ping: Ping) {
        let Some(Pings { follower, .. }) = &mut self.pings else { return };
        let Ping { pinger, number, sent, is_response } = ping;
        if !is_response {
            follower.turn(pinger as usize, number, now - sent);
            return self.send_ping(now, Ping { is_response: true, ..ping });
        }
        let queues = &mut self.queues;
        follower.hear(now, (pinger as usize, number), now - sent, |position, rate| {
            if let Some(link) = queues[position].own_mut() {
                link.port_mut().change_shaped_rate(rate);
            }
        });
    }

    fn measure_load(&mut self, now: Time) {
        let Some(Pings { follower, .. }) = &mut self.pings else { return };
        follower.measure_load(now, |position| self.queues[position].sent());
        let next = now + follower.load_interval();
        self.note(next, What::MeasuresLoad);
    }

    /// Puts the kernel's queue disciplines, made in the namespace of this thread, in the place of the
    /// scenario's.
    pub(crate) fn take_kernel_queues(&mut self, scenario: &Scenario) -> Result<(), LiveError> {
        for queue in &mut self.queues {
            let link = scenario.network.link(queue.number);
            if kernel_queue::is_queued(link) {
                queue.take_kernel_queue(scenario)?;
            }
        }
        Ok(())
    }

    /// Queues that are the kernel's, with their links.
    pub(crate) fn kernel_queues(&self) -> impl Iterator<Item = (LinkIndex, &KernelQueue)> {
        self.queues.iter().filter_map(|queue| Some((queue.number, &queue.kernel()?.queue)))
    }

    /// The run begins.
    pub(crate) fn begin(&mut self, clock: Clock) {
        for kernel in self.queues.iter_mut().filter_map(QueuedLink::kernel_mut) {
            kernel.queue.clock = clock;
        }
    }

    /// Takes what the kernel has let go.
    pub(crate) fn take_from_kernel(&mut self) {
        for queue in 0..self.queues.len() {
            let mut gone = Vec::new();
            while let Some(kernel) = self.queues[queue].kernel_mut() {
                let now = kernel.queue.clock.now();
                let left = kernel.queue.leave(&mut |packet, reason| gone.push((packet, reason)));
                let Some(packet) = left else { break };
                kernel.expect();
                // After the samples that are due before.
                self.note(now, What::LeavesKernel { queue, packet });
            }
            for (packet, reason) in gone {
                self.throw_away(queue, packet, reason);
            }
        }
    }

    fn come_to_kernel(&mut self, now: Time, packet: Packet, queue: usize) {
        let Some(kernel) = self.queues[queue].kernel_mut() else { return };
        if let Some((packet, reason)) = kernel.queue.come(now, packet) {
            self.throw_away(queue, packet, reason);
        }
    }

    fn leave_kernel(&mut self, now: Time, mut packet: Packet, queue: usize) {
        let link = &mut self.queues[queue];
        let number = link.number;
        let Some(kernel) = link.kernel_mut() else { return };
        let ends = kernel.send_on(now, packet.facts.bytes);
        let arrives = link.arrival(ends);
        self.log.note(ends, LogEvent::Departure, number, &packet);
        self.count_sent(ends, queue, &packet);
        packet.passed += 1;
        self.note(arrives, What::Moves(packet));
    }

    /// The kernel has thrown a packet away.
    fn throw_away(&mut self, queue: usize, packet: Packet, reason: Reason) {
        let link = &self.queues[queue];
        self.balance.discarded += 1;
        self.guests.discarded(&packet);
        if let Some(place) = link.monitored {
            count_dropped(&mut self.dropped, packet.facts.class);
            if let Some(traffic) = &mut self.traffic {
                traffic.note_discarded(self.now, place, packet.counted());
            }
        }
        self.log.note(self.now, LogEvent::Discard(reason), link.number, &packet);
        self.pool.take_back(packet.buffer);
    }

    fn come_to_queue(&mut self, now: Time, packet: Packet, queue: usize) {
        let link = &self.queues[queue];
        self.log.note(now, LogEvent::Arrival, link.number, &packet);
        if link.kernel().is_some() {
            return self.come_to_kernel(now, packet, queue);
        }
        self.act(now, queue, |link, mut discard| link.arrive(now, packet, &mut discard));
    }

    /// Lets a link act, and notes what it discards and what comes of it.
    fn act(
        &mut self,
        now: Time,
        queue: usize,
        act: impl FnOnce(&mut Link<Packet>, &mut Discard<'_>) -> News,
    ) {
        let Self { queues, pool, balance, dropped, guests, log, traffic, .. } = self;
        let link = &mut queues[queue];
        let (number, monitored) = (link.number, link.monitored);
        let Queue::Own(link) = &mut link.queue else { return };
        let News { begun, asks_again } = act(link, &mut |packet: Packet, reason| {
            balance.discarded += 1;
            guests.discarded(&packet);
            if let Some(place) = monitored {
                count_dropped(dropped, packet.facts.class);
                if let Some(traffic) = traffic.as_mut() {
                    traffic.note_discarded(now, place, packet.counted());
                }
            }
            log.note(now, LogEvent::Discard(reason), number, &packet);
            pool.take_back(packet.buffer);
        });
        if let Some(ends) = begun {
            self.note(ends, What::TransmissionEnds { queue });
            self.begin_turn(now, queue);
        }
        if let Some(opens) = asks_again {
            self.note(opens, What::PortOpens { queue });
        }
    }

    fn end_transmission(&mut self, now: Time, queue: usize, hand_over: &mut impl FnMut(Time, Half, &[u8])) {
        loop {
            let link = &mut self.queues[queue];
            let number = link.number;
            let Some(own) = link.own_mut() else { return };
            let mut sent = own.end_transmission();
            let carries_another = own.is_sending();
            let arrives = link.arrival(now);
            self.log.note(now, LogEvent::Departure, number, &sent);
            self.count_sent(now, queue, &sent);
            match self.queues[queue].channel {
                _ if carries_another => {}
                Some(channel) => self.end_turn(now, channel),
                None => self.act(now, queue, |link, mut discard| link.serve(now, &mut discard)),
            }
            sent.passed += 1;
            if arrives == now {
                self.go_on(now, sent, hand_over);
            } else {
                self.note(arrives, What::Moves(sent));
            }
            if !carries_another {
                return;
            }
        }
    }

    /// A link has begun to send: if it shares a channel, the others wait for their turn.
    fn begin_turn(&mut self, now: Time, queue: usize) {
        let Self { channels, queues, .. } = self;
        let Some(channel) = queues[queue].channel else { return };
        channels[channel].begin(queue, now, |other| hold(&mut queues[other], true));
    }

    /// A transmission on a shared channel has ended: who is next begins.
    fn end_turn(&mut self, now: Time, channel: usize) {
        let Self { channels, queues, .. } = self;
        channels[channel].end(now, |each| hold(&mut queues[each], false));
        loop {
            let Self { channels, queues, .. } = self;
            let waits = |each: usize| queues[each].own_mut().is_some_and(|link| link.has_something());
            let Some(next) = channels[channel].next(waits) else { return };
            self.act(now, next, |link, mut discard| link.serve(now, &mut discard));
            if self.queues[next].own_mut().is_some_and(|link| link.is_sending()) {
                return;
            }
        }
    }

    fn count_sent(&mut self, now: Time, queue: usize, packet: &Packet) {
        if let Some((place, traffic)) = self.queues[queue].monitored.zip(self.traffic.as_mut()) {
            traffic.note_sent(now, place, packet.counted());
        }
    }

    fn sample(&mut self, at: Time) {
        self.now = at;
        match self.monitor.sample(at, &mut self.queues) {
            Boundary::None => {}
            Boundary::WindowBegins => self.edges[0] = Some(self.edge(at)),
            Boundary::WindowEnds => self.edges[1] = Some(self.edge(at)),
        }
    }

    fn edge(&self, now: Time) -> Edge {
        let monitored = self.queues.iter().filter(|link| link.monitored.is_some());
        Edge { links: monitored.map(|link| link.snapshot(now)).collect(), dropped: self.dropped }
    }

    /// Packets that are on their way: they wait, are being sent, or are delayed.
    pub(crate) fn under_way(&self) -> u64 {
        let moving = self.pending.iter().filter(|Reverse(pending)| matches!(pending.what, What::Moves(_)));
        let at_links = self.queues.iter().map(QueuedLink::held);
        moving.count() as u64 + at_links.sum::<u64>()
    }
}

fn hold(queue: &mut QueuedLink, held: bool) {
    if let Some(link) = queue.own_mut() {
        link.hold(held);
    }
}

fn count_dropped(dropped: &mut [u64; 2], class: aqmlab_aqm::PacketClass) {
    use aqmlab_aqm::PacketClass::{Data, Syn, SynAck};
    match class {
        Data => dropped[0] += 1,
        Syn | SynAck => dropped[1] += 1,
        _ => {}
    }
}
