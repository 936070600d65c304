//! Nodes, links and routes as the simulator runs them.
//!
//! Every link is one of three kinds of [`Hop`]; no code here or elsewhere knows how many there are or which
//! of them is the bottleneck.

use crate::control::RunError;
use crate::packet::Packet;
use aqmlab_aqm::{Counters, Port, PortFacts, Reason};
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_scenario::{Framing, NodeIndex, NodeKind, Scenario};
use aqmlab_units::{Span, Time, TransmissionClock};
use std::collections::VecDeque;

/// Sending on a link.
pub(crate) enum Hop {
    /// A link with a queue discipline in front of it.
    Queued(Box<QueuedLink>),
    /// A link with an unlimited first-in first-out queue: the instant at which a packet has been sent is known
    /// when it is handed over, so it needs no event of its own.
    Interface(Interface),
    /// A link that takes no time to send: it only leads to the next node.
    Wire { to: u16, delay: Span },
}

/// A link with a queue discipline.
pub(crate) struct QueuedLink {
    pub(crate) port: Port<Packet>,
    pub(crate) in_service: Option<Packet>,
    /// Packets that the driver has taken out of the queue and the link has not begun to send.
    pub(crate) ring: VecDeque<Packet>,
    ring_packets: usize,
    /// Place among the links with a queue.
    pub(crate) position: u16,
    pub(crate) to: u16,
    pub(crate) monitored: bool,
    /// Pipe of the propagation delay, if there is one.
    pub(crate) propagation: Option<(u16, Span)>,
    pub(crate) framing: Framing,
    transmission: TransmissionClock,
    pub(crate) sent: Sent,
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
    /// Lets the driver take what it can hold, and the link begin to send if it is idle; answers when the
    /// transmission that begins now ends. Without a ring the driver asks for a packet only when the link is
    /// idle.
    #[inline]
    pub(crate) fn serve_next(
        &mut self,
        now: Time,
        discarded: &mut impl FnMut(Packet, Reason),
    ) -> Option<Time> {
        let idle = self.in_service.is_none();
        let begins =
            if idle { self.ring.pop_front().or_else(|| self.port.depart(now, discarded)) } else { None };
        let ends = begins.map(|packet| self.serve(now, packet));
        while self.ring.len() < self.ring_packets && self.in_service.is_some() {
            let Some(packet) = self.port.depart(now, discarded) else { break };
            self.ring.push_back(packet);
        }
        ends
    }

    /// Whether an arrival can move on at once.
    #[inline]
    pub(crate) fn has_room_below(&self) -> bool {
        self.in_service.is_none() || self.ring.len() < self.ring_packets
    }

    /// Takes a packet into service; answers when its transmission ends.
    #[inline]
    fn serve(&mut self, now: Time, packet: Packet) -> Time {
        let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes));
        self.in_service = Some(packet);
        now + self.transmission.transmit(wire_bytes)
    }

    /// Counts the packet whose transmission has ended; answers with its frame bytes.
    #[inline]
    pub(crate) fn count_sent(&mut self, packet: &Packet) -> u32 {
        let frame_bytes = self.framing.frame_bytes(u32::from(packet.ip_bytes));
        self.sent.frames += 1;
        self.sent.frame_bytes += u64::from(frame_bytes);
        self.sent.ip_bytes += u64::from(packet.ip_bytes);
        frame_bytes
    }

    /// Counters of the port and of the link at this instant.
    pub(crate) fn snapshot(&self) -> (Counters, Sent) {
        (self.port.counters().clone(), self.sent)
    }
}

/// A host's or router's interface with an unlimited queue.
pub(crate) struct Interface {
    pub(crate) to: u16,
    /// Where its packets are while they are under way; without one, each is on its own.
    pub(crate) pipe: Option<u16>,
    delay: Span,
    framing: Framing,
    transmission: TransmissionClock,
    busy_until: Time,
}

impl Interface {
    /// Hands over a packet; answers when it arrives at the far end.
    #[inline]
    pub(crate) fn send(&mut self, now: Time, packet: &Packet) -> Time {
        let wire_bytes = self.framing.wire_bytes(u32::from(packet.ip_bytes));
        self.busy_until = self.busy_until.max(now) + self.transmission.transmit(wire_bytes);
        self.busy_until + self.delay
    }
}

/// All links, and which of them leads where.
pub(crate) struct Network {
    pub(crate) hops: Vec<Hop>,
    /// Link from a node towards a destination; row per node.
    routes: Vec<u16>,
    nodes: usize,
    /// Links with a queue, in order of position.
    pub(crate) queued: Vec<u16>,
    /// Node at the end of each pipe.
    pub(crate) pipe_ends: Vec<u16>,
}

const NO_ROUTE: u16 = u16::MAX;

impl Network {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Result<Self, RunError> {
        let description = &scenario.network;
        let direct = sends_directly(scenario);
        let nodes = description.nodes.len();
        if nodes.max(description.links.len()) >= usize::from(NO_ROUTE) {
            return Err(RunError::TooLarge(format!("{nodes} nodes, at most 65,534 are possible")));
        }
        let mut network = Self {
            hops: Vec::new(),
            routes: routes(description),
            nodes,
            queued: Vec::new(),
            pipe_ends: Vec::new(),
        };
        for link in &description.links {
            let hop = network.hop(link, &direct, key);
            network.hops.push(hop);
        }
        Ok(network)
    }

    fn hop(&mut self, link: &scenario::Link, direct: &[bool], key: Key) -> Hop {
        let to = link.to.0 as u16;
        let Some(rate) = link.rate else { return Hop::Wire { to, delay: link.delay } };
        let transmission = TransmissionClock::new(rate);
        let Some(scheme) = &link.queue else {
            let pipe = direct[link.from.0 as usize].then(|| self.pipe(to));
            return Hop::Interface(Interface {
                to,
                pipe,
                delay: link.delay,
                framing: link.framing,
                transmission,
                busy_until: Time::ZERO,
            });
        };
        let key = key.named("queue").named(&link.name);
        let facts = PortFacts::new(rate).with_timer_phase(key.named("timer phase").uniform(0));
        self.queued.push(self.hops.len() as u16);
        Hop::Queued(Box::new(QueuedLink {
            port: Port::new(scheme, facts, key.named("coins").stream()),
            in_service: None,
            ring: VecDeque::new(),
            ring_packets: link.transmit_ring_packets as usize,
            position: (self.queued.len() - 1) as u16,
            to,
            monitored: link.monitored,
            propagation: (link.delay > Span::ZERO).then(|| (self.pipe(to), link.delay)),
            framing: link.framing,
            transmission,
            sent: Sent::default(),
        }))
    }

    /// Makes a pipe that ends at this node.
    pub(crate) fn pipe(&mut self, to: u16) -> u16 {
        self.pipe_ends.push(to);
        (self.pipe_ends.len() - 1) as u16
    }

    /// Where a packet with a delay of its own arrives that `node` sends on this link: behind an interface at its
    /// far end, otherwise at the node itself, where it waits in front of the link.
    #[inline]
    pub(crate) fn next_stop(&self, link: usize, node: u16) -> u16 {
        match &self.hops[link] {
            Hop::Interface(interface) => interface.to,
            Hop::Queued(_) | Hop::Wire { .. } => node,
        }
    }

    /// The link from `node` towards `destination`.
    #[inline]
    pub(crate) fn route(&self, node: u16, destination: u16) -> usize {
        usize::from(self.routes[usize::from(node) * self.nodes + usize::from(destination)])
    }

    /// Where an interface leads, if the way from `node` towards `destination` begins with one.
    pub(crate) fn interface_end(&self, node: u16, destination: u16) -> Option<u16> {
        match &self.hops[self.route(node, destination)] {
            Hop::Interface(interface) => Some(interface.to),
            Hop::Queued(_) | Hop::Wire { .. } => None,
        }
    }

    /// The links with a queue.
    pub(crate) fn queued_links(&self) -> impl Iterator<Item = (usize, &QueuedLink)> {
        self.queued.iter().filter_map(|&link| match &self.hops[usize::from(link)] {
            Hop::Queued(queued) => Some((usize::from(link), &**queued)),
            _ => None,
        })
    }

    pub(crate) fn queued_link_mut(&mut self, link: u16) -> Option<&mut QueuedLink> {
        match &mut self.hops[usize::from(link)] {
            Hop::Queued(queued) => Some(queued),
            _ => None,
        }
    }
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

/// The next link from each node towards each destination; row per node.
fn routes(description: &scenario::Network) -> Vec<u16> {
    let nodes = description.nodes.len();
    let mut routes = vec![NO_ROUTE; nodes * nodes];
    for destination in 0..nodes {
        let next = description.next_links(NodeIndex(destination as u32));
        for (node, link) in next.iter().enumerate() {
            if let Some(link) = link {
                routes[node * nodes + destination] = link.0 as u16;
            }
        }
    }
    routes
}
