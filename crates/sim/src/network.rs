//! Nodes, links and routes; any topology.

use crate::agenda::{Agenda, DELAYED};
use crate::connection::AddedDelay;
use crate::control::RunError;
use crate::packet::{Packet, Way};
use crate::transmissions::MAXIMUM_LINKS;
use crate::wheel::Rank;
use aqmlab_aqm::{Counters, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_scenario::{Framing, Link, NodeIndex, NodeKind, Scenario};
use aqmlab_units::{Rate, Span, Time, TransmissionClock};
use std::collections::VecDeque;

/// A link with a queue discipline.
pub(crate) struct QueuedLink {
    pub(crate) port: Port<Packet>,
    /// Whether a packet is being sent.
    pub(crate) busy: bool,
    pub(crate) monitored: bool,
    pub(crate) to: u16,
    /// Its place among the links with a queue.
    position: u16,
    /// The packet that is being sent, or was last.
    in_service: Packet,
    /// Packets that the driver has taken out of the queue and the link has not begun to send.
    pub(crate) ring: VecDeque<Packet>,
    ring_packets: usize,
    transmission: TransmissionClock,
    pub(crate) framing: Framing,
    pub(crate) sent: Sent,
    /// Pipe of the propagation delay, if there is one.
    pub(crate) propagation: Option<(Rank, Span)>,
    /// Its number in the scenario.
    pub(crate) link: u16,
}

/// What has left a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) frames: u64,
    pub(crate) frame_bytes: u64,
    pub(crate) ip_bytes: u64,
}

impl Sent {
    pub(crate) const fn minus(self, earlier: Self) -> Self {
        Self {
            frames: self.frames - earlier.frames,
            frame_bytes: self.frame_bytes - earlier.frame_bytes,
            ip_bytes: self.ip_bytes - earlier.ip_bytes,
        }
    }

    /// Bytes whose time the frames took on the wire.
    pub(crate) const fn wire_bytes(self, framing: Framing) -> u64 {
        self.frame_bytes + self.frames * framing.gap_bytes as u64
    }
}

impl QueuedLink {
    /// Lets the driver take what it can hold, and the link begin to send if it is idle; answers with the packet that
    /// it begins to send. Without a ring the driver asks for a packet only when the link is idle.
    #[inline(always)]
    pub(crate) fn serve(
        &mut self,
        now: Time,
        agenda: &mut Agenda,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Packet> {
        let mut begun = None;
        loop {
            let waiting = if self.busy { None } else { self.ring.pop_front() };
            if let Some(packet) = waiting {
                self.transmit(now, packet, agenda);
                begun = Some(packet);
                continue;
            }
            if self.busy && self.ring.len() >= self.ring_packets {
                return begun;
            }
            let Some(packet) = self.port.depart(now, discarded) else { return begun };
            if self.busy {
                self.ring.push_back(packet);
            } else {
                self.transmit(now, packet, agenda);
                begun = Some(packet);
            }
        }
    }

    /// Whether an arrival can move on at once.
    #[inline(always)]
    pub(crate) fn has_room_below(&self) -> bool {
        !self.busy || self.ring.len() < self.ring_packets
    }

    #[inline(always)]
    fn transmit(&mut self, now: Time, packet: Packet, agenda: &mut Agenda) {
        let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes()));
        self.busy = true;
        self.in_service = packet;
        let end = now + self.transmission.transmit(wire_bytes);
        agenda.transmissions.begin(usize::from(self.position), end);
    }

    /// The transmission has ended; answers with the packet and its frame bytes. Another must be taken into service,
    /// or the agenda told that the link is idle.
    #[inline(always)]
    pub(crate) fn end_transmission(&mut self) -> (Packet, u32) {
        let packet = self.in_service;
        let frame_bytes = self.framing.frame_bytes(u32::from(packet.ip_bytes()));
        self.busy = false;
        self.sent.frames += 1;
        self.sent.frame_bytes += u64::from(frame_bytes);
        self.sent.ip_bytes += u64::from(packet.ip_bytes());
        (packet, frame_bytes)
    }

    /// Counters of the port and of the link at this instant.
    pub(crate) fn snapshot(&self) -> (Counters, Sent) {
        (self.port.counters().clone(), self.sent)
    }
}

/// A link that needs no event of its own to send: its unlimited queue is first in, first out, so the instant at
/// which a packet has been sent is known when it is handed over.
pub(crate) struct Passage {
    to: u16,
    /// Among which packets its own travel while they are under way.
    rank: Rank,
    delay: Span,
    framing: Framing,
    /// None for a wire, which takes no time to send.
    transmission: Option<TransmissionClock>,
    busy_until: Time,
}

impl Passage {
    /// Hands over a packet; answers when it arrives at the far end.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Time, ip_bytes: u16) -> Time {
        let Some(transmission) = &mut self.transmission else { return now + self.delay };
        let wire_bytes = self.framing.wire_bytes(u32::from(ip_bytes));
        self.busy_until = self.busy_until.max(now) + transmission.transmit(wire_bytes);
        self.busy_until + self.delay
    }

    const fn is_interface(&self) -> bool {
        self.transmission.is_some()
    }
}

/// All links, and which of them leads where.
pub(crate) struct Network {
    /// Links with a queue.
    pub(crate) queued: Vec<QueuedLink>,
    /// All others that take time.
    pub(crate) passages: Vec<Passage>,
    /// The next step from a node towards a destination; row per node.
    steps: Vec<u16>,
    nodes: usize,
    /// Rank of the next pipe.
    next_pipe: usize,
}

/// Nothing but ideal wires lies between here and the destination.
pub(crate) const DELIVERY: u16 = u16::MAX;

impl Network {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Result<Self, RunError> {
        let description = &scenario.network;
        let (nodes, links) = (description.nodes.len(), description.links.len());
        if nodes.max(links) >= usize::from(DELIVERY) {
            let what = format!("{nodes} nodes and {links} links, at most 65,534 of each are possible");
            return Err(RunError::TooLarge(what));
        }
        let first_pipe = 1 + description.links.iter().filter(|link| is_queued(link)).count();
        let mut network = Self {
            queued: Vec::new(),
            passages: Vec::new(),
            steps: Vec::new(),
            nodes,
            next_pipe: first_pipe,
        };
        let direct = sends_directly(scenario);
        for (number, link) in description.links.iter().enumerate() {
            match (link.rate, &link.queue) {
                (Some(rate), Some(scheme)) => network.add_queued_link(number, link, rate, scheme, key),
                _ if is_ideal(link) => {}
                _ => network.add_passage(link, direct[link.from.0 as usize]),
            }
        }
        network.steps = steps(description, network.queued.len() as u16);
        Ok(network)
    }

    fn add_queued_link(&mut self, number: usize, link: &Link, rate: Rate, scheme: &Scheme, key: Key) {
        let key = key.named("queue").named(&link.name);
        let facts = PortFacts::new(rate).with_timer_phase(key.named("timer phase").uniform(0));
        let propagation = (link.delay > Span::ZERO).then(|| (self.pipe(), link.delay));
        self.queued.push(QueuedLink {
            port: Port::new(scheme, facts, key.named("coins").stream()),
            busy: false,
            monitored: link.monitored,
            to: link.to.0 as u16,
            position: self.queued.len() as u16,
            in_service: Packet::NONE,
            ring: VecDeque::new(),
            ring_packets: link.transmit_ring_packets as usize,
            transmission: TransmissionClock::new(rate),
            framing: link.framing,
            sent: Sent::default(),
            propagation,
            link: number as u16,
        });
    }

    /// `direct` says that no packet has a delay of its own behind this link, so that they keep their order.
    fn add_passage(&mut self, link: &Link, direct: bool) {
        let rank = if link.rate.is_some() && direct { self.pipe() } else { DELAYED };
        self.passages.push(Passage {
            to: link.to.0 as u16,
            rank,
            delay: link.delay,
            framing: link.framing,
            transmission: link.rate.map(TransmissionClock::new),
            busy_until: Time::ZERO,
        });
    }

    /// Makes a pipe: packets that arrive in the order in which they were sent.
    pub(crate) fn pipe(&mut self) -> Rank {
        self.next_pipe += 1;
        // One too many is found by `check_size` before anything runs.
        Rank((self.next_pipe - 1).min(usize::from(DELAYED.0)) as u16)
    }

    /// Refuses a network with more links or pipes than can be told apart.
    pub(crate) fn check_size(&self) -> Result<(), RunError> {
        let limits = [
            (self.queued.len(), MAXIMUM_LINKS, "links with a queue"),
            (self.next_pipe - 1, usize::from(DELAYED.0) - 1, "interfaces and flows with delays"),
        ];
        match limits.into_iter().find(|(count, most, _)| count > most) {
            Some((count, most, what)) => {
                Err(RunError::TooLarge(format!("{count} {what}, at most {most} are possible")))
            }
            None => Ok(()),
        }
    }

    /// The next step from `node` towards `destination`: [`DELIVERY`], a place in [`Network::queued`], or beyond
    /// these a place in [`Network::passages`].
    #[inline(always)]
    pub(crate) fn step(&self, node: u16, destination: u16) -> u16 {
        self.steps[usize::from(node) * self.nodes + usize::from(destination)]
    }

    /// The passage of a step, if it is one.
    #[inline(always)]
    pub(crate) fn passage(&mut self, step: u16) -> Option<&mut Passage> {
        self.passages.get_mut(usize::from(step).wrapping_sub(self.queued.len()))
    }

    /// Hands a packet to a passage, with a delay of its own behind it.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Time, step: u16, packet: Packet, agenda: &mut Agenda) {
        let Some(passage) = self.passage(step) else { unreachable!("step {step} is no passage") };
        let arrival = passage.send(now, packet.ip_bytes());
        agenda.push(passage.rank, arrival, packet.towards(passage.to));
    }

    /// How packets travel from `node` to `destination` after a delay of their own, or without one.
    pub(crate) fn way(&mut self, node: u16, destination: u16, delay: AddedDelay) -> Way {
        let step = self.step(node, destination);
        let interface = self.passage(step).filter(|passage| passage.is_interface());
        let (at, of_interface) = match interface {
            Some(interface) => (interface.to, Some(interface.rank)),
            None => (node, None),
        };
        let (delay, rank) = match (delay, of_interface) {
            (AddedDelay::None, Some(rank)) => (Span::ZERO, rank),
            (AddedDelay::None, None) => (Span::ZERO, Way::AT_ONCE),
            (AddedDelay::Pipe(pipe, delay), Some(_)) => (delay, pipe),
            (AddedDelay::Own(delay), _) | (AddedDelay::Pipe(_, delay), None) => (delay, DELAYED),
        };
        Way {
            delay_ns: delay.nanoseconds(),
            step,
            at,
            destination,
            rank,
            by_interface: of_interface.is_some(),
        }
    }

    /// Whether the way from `node` towards `destination` begins with an interface.
    pub(crate) fn begins_with_interface(&mut self, node: u16, destination: u16) -> bool {
        let step = self.step(node, destination);
        self.passage(step).is_some_and(|passage| passage.is_interface())
    }

    /// The links with a queue, with their numbers in the scenario.
    pub(crate) fn queued_links(&self) -> impl Iterator<Item = (usize, &QueuedLink)> {
        self.queued.iter().map(|queued| (usize::from(queued.link), queued))
    }

    /// The link with a queue that has this number in the scenario.
    pub(crate) fn queued_link_mut(&mut self, link: u16) -> Option<&mut QueuedLink> {
        self.queued.iter_mut().find(|queued| queued.link == link)
    }
}

const fn is_queued(link: &Link) -> bool {
    link.rate.is_some() && link.queue.is_some()
}

/// A wire that takes no time at all: it only leads to the next node.
fn is_ideal(link: &Link) -> bool {
    link.rate.is_none() && link.delay == Span::ZERO
}

/// Which nodes hand packets to their interfaces that have no delay of their own behind it: a pipe for all of
/// them keeps their order. Routers do; servers of users do; ends of flows do unless the flow has a delay.
fn sends_directly(scenario: &Scenario) -> Vec<bool> {
    let kinds = scenario.network.nodes.iter().map(|node| node.kind == NodeKind::Router);
    let mut direct: Vec<bool> = kinds.collect();
    let servers = scenario.populations.iter().flat_map(|population| &population.servers);
    servers.for_each(|node| direct[node.0 as usize] = true);
    for flow in scenario.flows.iter().flat_map(|group| &group.flows) {
        direct[flow.sender.0 as usize] |= flow.delay_from_sender == Span::ZERO;
        direct[flow.receiver.0 as usize] |= flow.delay_from_receiver == Span::ZERO;
    }
    direct
}

/// The next step from each node towards each destination; row per node. Ideal wires are followed to their ends.
fn steps(description: &scenario::Network, queued: u16) -> Vec<u16> {
    let nodes = description.nodes.len();
    let of_links = steps_of_links(description, queued);
    let mut steps = vec![DELIVERY; nodes * nodes];
    for destination in 0..nodes {
        let next = description.next_links(NodeIndex(destination as u32));
        for node in 0..nodes {
            let mut here = node;
            while let Some(link) = next[here].filter(|_| here != destination) {
                let link = link.0 as usize;
                if let Some(step) = of_links[link] {
                    steps[node * nodes + destination] = step;
                    break;
                }
                here = description.links[link].to.0 as usize;
            }
        }
    }
    steps
}

/// The step that each link is; none for ideal wires.
fn steps_of_links(description: &scenario::Network, queued: u16) -> Vec<Option<u16>> {
    let (mut next_queued, mut next_passage) = (0, queued);
    let number = |link: &Link| {
        if is_ideal(link) {
            return None;
        }
        let next = if is_queued(link) { &mut next_queued } else { &mut next_passage };
        *next += 1;
        Some(*next - 1)
    };
    description.links.iter().map(number).collect()
}
