//! All links of a run and the routes over them; any topology.

use crate::agenda::{Agenda, DELAYED};
use crate::connection::AddedDelay;
use crate::control::RunError;
use crate::links::{Passage, QueuedLink};
use crate::packet::{Packet, Way};
use crate::transmissions::MAXIMUM_LINKS;
use crate::wheel::Rank;
use aqmlab_aqm::Scheme;
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_scenario::{Link, NodeIndex, NodeKind, Scenario};
use aqmlab_units::{Rate, Span, Time};

/// All links, and which of them leads where.
pub(crate) struct Network {
    /// Links with a queue.
    pub(crate) queued: Vec<QueuedLink>,
    /// All others that take time.
    passages: Vec<Passage>,
    /// The next step from a node towards a destination; row per node.
    steps: Vec<u16>,
    nodes: usize,
    /// Rank of the next pipe.
    next_pipe: usize,
}

/// Rank of the first pipe; rank 0 is no packet's: see [`Way::AT_ONCE`].
const FIRST_PIPE: usize = 1;
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
        let mut network = Self {
            queued: Vec::new(),
            passages: Vec::new(),
            steps: Vec::new(),
            nodes,
            next_pipe: FIRST_PIPE,
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
        let propagation = (link.delay > Span::ZERO).then(|| (self.pipe(), link.delay));
        let places = (self.queued.len(), number);
        self.queued.push(QueuedLink::new(places, link, rate, scheme, propagation, key));
    }

    /// `direct` says that no packet has a delay of its own behind this link, so that they keep their order.
    fn add_passage(&mut self, link: &Link, direct: bool) {
        let rank = if link.rate.is_some() && direct { self.pipe() } else { DELAYED };
        self.passages.push(Passage::new(link, rank));
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
            (
                self.next_pipe - FIRST_PIPE,
                usize::from(DELAYED.0) - FIRST_PIPE,
                "interfaces and flows with delays",
            ),
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

    /// Hands a packet to a passage; it arrives at the far end.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Time, step: u16, packet: Packet, agenda: &mut Agenda) {
        let Some(passage) = self.passage(step) else { unreachable!("step {step} is no passage") };
        let arrival = passage.send(now, packet.ip_bytes());
        agenda.push(passage.rank, arrival, packet.towards(passage.to));
    }

    /// How packets travel from `node` to `destination` after a delay of their own, or without one.
    pub(crate) fn way(&mut self, node: NodeIndex, destination: NodeIndex, delay: AddedDelay) -> Way {
        let (node, destination) = (node.0 as u16, destination.0 as u16);
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
    pub(crate) fn begins_with_interface(&mut self, node: NodeIndex, destination: NodeIndex) -> bool {
        let step = self.step(node.0 as u16, destination.0 as u16);
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
