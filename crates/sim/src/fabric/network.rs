//! All links of a run and the routes over them; any topology.

use super::delay_boxes::DelayBoxes;
use super::events::Events;
use super::impairments::ImpairedLink;
use super::interface::Interface;
use super::packet::Packet;
use super::path::{AddedDelay, Delayed, Path};
use super::queued_link::QueuedLink;
use super::responders::responders;
use super::route_table::{RouteTable, hops};
use crate::engine::{DELAYED, Rank};
use crate::identifiers::{ChannelId, Column, DelayClockId, Egress, Hop, MonitoredId, QueuedId};
use aqmlab_aqm::Scheme;
use aqmlab_driver::{channels, link_of, varying_delay};
use aqmlab_link::{Channel, VaryingDelay};
use aqmlab_random::Key;
use aqmlab_scenario as scenario;
use aqmlab_scenario::{Conversation, Link, LinkIndex, NodeIndex, NodeKind, Scenario};
use aqmlab_session::Owner;
use aqmlab_tcp::HostClock;
use aqmlab_units::{Rate, Span, Time};
use std::collections::BTreeMap;

/// What becomes of a packet that an impairment does not lose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    /// The egress behind it.
    pub(crate) egress: Egress,
    /// Whether the packet comes a second time.
    pub(crate) repeats: bool,
}

/// All links, and which of them leads where.
#[derive(Clone)]
pub(crate) struct Network {
    /// Links with a queue.
    pub(crate) queued: Vec<QueuedLink>,
    /// The channels that some of them share.
    pub(super) channels: Vec<Channel>,
    /// All others that take time.
    interfaces: Vec<Interface>,
    /// Those of either kind that lose or change packets which are on their way to them.
    pub(crate) impaired: Vec<ImpairedLink>,
    pub(crate) delay_boxes: DelayBoxes,
    routes: RouteTable,
    pipes: usize,
    delay_clocks: Vec<HostClock>,
    /// Which of these each machine has.
    delay_clock_of: BTreeMap<NodeIndex, DelayClockId>,
}

impl Network {
    pub(crate) fn new(scenario: &Scenario, key: Key) -> Self {
        let description = &scenario.network;
        let routes = RouteTable::new(scenario, &egresses(description));
        let impaired = impaired_links(description, key);
        let mut network = Self {
            queued: Vec::new(),
            channels: Vec::new(),
            interfaces: Vec::new(),
            impaired,
            delay_boxes: DelayBoxes::new(scenario, key),
            routes,
            pipes: 0,
            delay_clocks: Vec::new(),
            delay_clock_of: BTreeMap::new(),
        };
        let (hops, direct) = (hops(description), sends_directly(scenario));
        let responders = responders(scenario);
        for (number, link) in (0..).map(LinkIndex).zip(&description.links) {
            let to = hops[link.to.0 as usize];
            match (link.rate, &link.queue) {
                (Some(rate), Some(scheme)) => network.add_queued_link(number, link, to, (rate, scheme), key),
                _ if is_no_step(link) => {}
                _ => {
                    let interface = network.add_interface(link, to, direct[link.from.0 as usize]);
                    interface.leads_to_responder = responders[link.to.0 as usize];
                }
            }
        }
        network.share_channels(description);
        network
    }

    fn share_channels(&mut self, description: &scenario::Network) {
        self.channels = channels(self.queued.iter().map(|queued| description.link(queued.number)));
        for (place, channel) in self.channels.iter().enumerate() {
            channel.links().for_each(|link| self.queued[link].channel = Some(ChannelId::of(place)));
        }
    }

    fn add_queued_link(
        &mut self,
        number: LinkIndex,
        link: &Link,
        to: Hop,
        (rate, scheme): (Rate, &Scheme),
        key: Key,
    ) {
        let propagation = self.propagation(link, key);
        let monitored = link.monitored.then(|| MonitoredId::of(self.monitored_links().count()));
        let places = (QueuedId::of(self.queued.len()), monitored, number);
        self.queued.push(QueuedLink::new(link_of(link, (rate, scheme), key), places, to, propagation));
    }

    fn propagation(&mut self, link: &Link, key: Key) -> (Option<(Rank, Span)>, Option<Box<VaryingDelay>>) {
        match varying_delay(link, key) {
            // Where packets may overtake one another, each has a place of its own among those under way: a
            // pipe keeps their order.
            Some((delay, true)) => (Some((DELAYED, link.delay)), Some(Box::new(delay))),
            Some((delay, false)) => (Some((self.pipe(), link.delay)), Some(Box::new(delay))),
            None => ((link.delay > Span::ZERO).then(|| (self.pipe(), link.delay)), None),
        }
    }

    /// When a packet that a link has sent now is at its far end, where that varies.
    #[cold]
    #[inline(never)]
    pub(crate) fn varied_arrival(&mut self, position: usize, now: Time) -> Time {
        self.queued[position].varying.as_mut().map_or(now, |delay| delay.arrival(now))
    }

    /// `direct` says that no packet has a delay of its own behind this link, so that they keep their order.
    fn add_interface(&mut self, link: &Link, to: Hop, direct: bool) -> &mut Interface {
        let rank = if link.rate.is_some() && direct { self.pipe() } else { DELAYED };
        let place = self.interfaces.len();
        self.interfaces.push(Interface::new(link, to, rank));
        &mut self.interfaces[place]
    }

    /// Makes a pipe: packets that arrive in the order in which they were sent.
    pub(crate) fn pipe(&mut self) -> Rank {
        let rank = Rank::between(self.pipes);
        self.pipes += 1;
        rank
    }

    /// The clock that releases the delayed packets of a machine at its ticks.
    pub(crate) fn delay_clock(&mut self, node: NodeIndex, clock: HostClock) -> DelayClockId {
        *self.delay_clock_of.entry(node).or_insert_with(|| {
            self.delay_clocks.push(clock);
            DelayClockId::of(self.delay_clocks.len() - 1)
        })
    }

    /// When a packet that is sent `now` leaves its own node. A clock counts its whole delay in ticks, from
    /// the last one on.
    fn released(&self, now: Time, path: &Path) -> Time {
        let delay = Span::from_nanoseconds(path.delay_ns);
        let Delayed::ByClock(clock) = path.delayed else { return now + delay };
        let clock = &self.delay_clocks[clock.place()];
        match clock.whole_ticks(delay) {
            0 => now,
            ticks => clock.instant_of(clock.ticks_at(now) + ticks),
        }
    }

    /// The next egress from a hop: [`Egress::DELIVERY`], a place in [`Network::queued`], beyond these a place
    /// in [`Network::interfaces`], or beyond those one in [`Network::impaired`].
    #[inline(always)]
    pub(crate) fn egress(&self, at: Hop, destination: Column) -> Egress {
        self.routes.egress(at, destination)
    }

    /// The interface of an egress, if it is one.
    #[inline(always)]
    pub(crate) fn interface(&mut self, egress: Egress) -> Option<&mut Interface> {
        self.interfaces.get_mut(egress.place().wrapping_sub(self.queued.len()))
    }

    /// The same, to be looked at.
    pub(crate) fn interface_at(&self, egress: Egress) -> Option<&Interface> {
        self.interfaces.get(egress.place().wrapping_sub(self.queued.len()))
    }

    /// Where packets are that have taken an egress; none if it was their last.
    pub(crate) fn far_end(&self, egress: Egress) -> Option<Hop> {
        if egress == Egress::DELIVERY {
            return None;
        }
        let egress = self.behind_impairment(egress);
        let queued = self.queued.get(egress.place()).map(|queued| queued.to);
        queued.or_else(|| self.interface_at(egress).map(|interface| interface.to))
    }

    /// Where the packets of a machine enter the network: behind its interface, if all of them take it.
    pub(crate) fn entrance(&self, node: NodeIndex) -> Hop {
        let departure = self.routes.departure(node);
        let only = self.routes.only_egress_of(departure);
        only.and_then(|egress| self.interface_at(egress)).map_or(departure, |interface| interface.to)
    }

    /// How packets name the machine where they end.
    pub(crate) fn destination(&self, node: NodeIndex) -> Column {
        self.routes.destination(node)
    }

    /// Lets what was predicted for the instants before `now` happen.
    pub(crate) fn catch_up_before(&mut self, now: Time) {
        let last = Time::from_nanoseconds(now.nanoseconds().saturating_sub(1));
        self.catch_up(last);
    }

    /// Lets what was predicted until `now` happen, what happens then included.
    pub(crate) fn catch_up(&mut self, now: Time) {
        self.queued.iter_mut().filter(|queued| queued.predicts).for_each(|queued| queued.link.catch_up(now));
    }

    /// Where an egress stands in [`Network::impaired`], if it is one of those.
    fn impairment(&self, egress: Egress) -> Option<usize> {
        let place = egress.place().checked_sub(self.queued.len() + self.interfaces.len())?;
        (place < self.impaired.len()).then_some(place)
    }

    /// The egress behind an impairment for a packet of `owner`: whether it passes, perhaps with another
    /// codepoint, or is lost there.
    pub(crate) fn pass_impairment(
        &mut self,
        egress: Egress,
        packet: &mut Packet,
        owner: Option<Owner>,
        now: Time,
    ) -> Result<Passed, Egress> {
        let Some(place) = self.impairment(egress) else { unreachable!("{egress:?} leads nowhere") };
        let impaired = &mut self.impaired[place];
        if impaired.loses(packet, owner, now) {
            return Err(impaired.egress);
        }
        impaired.change_codepoint(packet);
        Ok(Passed { egress: impaired.egress, repeats: impaired.repeats(packet) })
    }

    /// Sends a packet of `owner` off on its path; answers whether it was not lost on its way to the first
    /// link. Where that is no interface the packet waits at its own node, and goes through the event queue
    /// even without a delay: handed on here, it could make the other end answer while this end is still being
    /// served.
    pub(crate) fn send_off(
        &mut self,
        mut packet: Packet,
        path: &Path,
        owner: Option<Owner>,
        now: Time,
        events: &mut Events,
    ) -> bool {
        let delay = Span::from_nanoseconds(path.delay_ns);
        let arrival = match path.delayed {
            Delayed::AtNode | Delayed::ByClock(_) => Some(self.released(now, path)),
            Delayed::BehindInterface => {
                self.send_over_interface(&mut packet, path.egress, owner, now).map(|sent| sent + delay)
            }
            Delayed::BehindBoxAtNode => self.delay_boxes.pass(&packet, now).map(|gone| gone + delay),
            Delayed::BehindBoxBehindInterface => self
                .send_over_interface(&mut packet, path.egress, owner, now)
                .and_then(|sent| self.delay_boxes.pass(&packet, sent))
                .map(|gone| gone + delay),
        };
        if let Some(arrival) = arrival {
            events.push(path.rank, arrival, packet);
        }
        arrival.is_some()
    }

    /// Hands a packet to the interface that is an egress, or to that behind an impairment; answers when it is
    /// at the far end.
    fn send_over_interface(
        &mut self,
        packet: &mut Packet,
        egress: Egress,
        owner: Option<Owner>,
        now: Time,
    ) -> Option<Time> {
        let egress = match self.interface(egress) {
            Some(_) => egress,
            // Nothing comes twice here: duplicates are of links with a queue.
            None => self.pass_impairment(egress, packet, owner, now).ok()?.egress,
        };
        let Some(interface) = self.interface(egress) else { unreachable!("{egress:?} is no interface") };
        Some(interface.send(now, packet.ip_bytes()))
    }

    /// The egress that packets take which are not lost on their way to it.
    pub(crate) fn behind_impairment(&self, egress: Egress) -> Egress {
        self.impairment(egress).map_or(egress, |place| self.impaired[place].egress)
    }

    /// The path of packets from `node` to `destination` after a delay of their own, or without one.
    pub(crate) fn path(&mut self, node: NodeIndex, destination: NodeIndex, delay: AddedDelay) -> Path {
        let (departure, destination) = (self.routes.departure(node), self.routes.destination(destination));
        let egress = self.egress(departure, destination);
        let behind = self.behind_impairment(egress);
        let interface = self.interface(behind).filter(|interface| interface.takes_time_to_send());
        let (at, of_interface) = match (interface, delay) {
            (Some(interface), AddedDelay::None | AddedDelay::Own(_) | AddedDelay::Pipe(..)) => {
                (interface.to, Some(interface.rank))
            }
            (Some(_), AddedDelay::Ticks(..)) | (None, _) => (departure, None),
        };
        let delayed = match (delay, of_interface) {
            (AddedDelay::Ticks(clock, _), _) => Delayed::ByClock(clock),
            (_, Some(_)) => Delayed::BehindInterface,
            (_, None) => Delayed::AtNode,
        };
        let (delay, rank) = match (delay, of_interface) {
            (AddedDelay::None, Some(rank)) => (Span::ZERO, rank),
            (AddedDelay::None, None) => (Span::ZERO, Path::AT_ONCE),
            (AddedDelay::Pipe(pipe, delay), Some(_)) => (delay, pipe),
            (AddedDelay::Own(delay) | AddedDelay::Ticks(_, delay), _)
            | (AddedDelay::Pipe(_, delay), None) => (delay, DELAYED),
        };
        Path { delay_ns: delay.nanoseconds(), egress, at, destination, rank, delayed }
    }

    /// Whether the path from `node` towards `destination` begins with an interface.
    pub(crate) fn begins_with_interface(&mut self, node: NodeIndex, destination: NodeIndex) -> bool {
        let egress = self.egress(self.routes.departure(node), self.routes.destination(destination));
        let behind = self.behind_impairment(egress);
        self.interface(behind).is_some_and(|interface| interface.takes_time_to_send())
    }

    /// The links with a queue, with their numbers in the scenario.
    pub(crate) fn queued_links(&self) -> impl Iterator<Item = (usize, &QueuedLink)> {
        self.queued.iter().map(|queued| (queued.number.0 as usize, queued))
    }

    /// Where the monitored links stand among those with a queue, in the order of their codes in the tables.
    pub(crate) fn monitored_positions(&self) -> impl Iterator<Item = usize> + Clone {
        self.monitored_links().map(|queued| queued.position.place())
    }

    /// The monitored links, in the order of their codes in the tables.
    pub(crate) fn monitored_links(&self) -> impl Iterator<Item = &QueuedLink> + Clone {
        self.queued.iter().filter(|queued| queued.monitored.is_some())
    }
}

const fn is_queued(link: &Link) -> bool {
    link.rate.is_some() && link.queue.is_some()
}

/// Which nodes hand packets to their interfaces that have no delay of their own behind it: a pipe for all of
/// them keeps their order. Routers do; servers of users and senders of datagrams do; ends of flows do unless
/// the flow has a delay.
fn sends_directly(scenario: &Scenario) -> Vec<bool> {
    let kinds = scenario.network.nodes.iter().map(|node| node.kind == NodeKind::Router);
    let mut direct: Vec<bool> = kinds.collect();
    for Conversation { ends, enters_at_once, .. } in scenario.conversations() {
        for (machines, at_once) in ends.into_iter().zip(enters_at_once) {
            machines.iter().for_each(|node| direct[node.0 as usize] |= at_once);
        }
    }
    direct
}

/// Whether it only leads to the next node: an ideal wire that loses nothing.
fn is_no_step(link: &Link) -> bool {
    link.is_ideal() && link.impairment.is_none()
}

/// The impaired links, in the order of their egresses.
fn impaired_links(description: &scenario::Network, key: Key) -> Vec<ImpairedLink> {
    let links = (0..).map(LinkIndex).zip(&description.links).zip(steps_behind_impairments(description));
    let impaired =
        links.filter_map(|((number, link), egress)| ImpairedLink::new((number, egress?), link, key));
    impaired.collect()
}

/// The egress that each link is; none for ideal wires. Impairments come last, in the order of their links.
pub(crate) fn egresses(description: &scenario::Network) -> Vec<Option<Egress>> {
    let mut egresses = steps_behind_impairments(description);
    let beyond = egresses.iter().flatten().count();
    let impaired = egresses.iter_mut().zip(&description.links).filter(|(_, link)| link.impairment.is_some());
    impaired.enumerate().for_each(|(number, (egress, _))| *egress = Some(Egress::of(beyond + number)));
    egresses
}

/// The egress that each link is for the packets that are not lost on their way to it.
fn steps_behind_impairments(description: &scenario::Network) -> Vec<Option<Egress>> {
    let queued = description.links.iter().filter(|link| is_queued(link)).count();
    let (mut next_queued, mut next_interface) = (0, queued);
    let egress = |link: &Link| {
        if is_no_step(link) {
            return None;
        }
        let next = if is_queued(link) { &mut next_queued } else { &mut next_interface };
        *next += 1;
        Some(Egress::of(*next - 1))
    };
    description.links.iter().map(egress).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader and her server, a sender behind a wire and its receiver, and two links with queues between
    /// them, of which the first takes no time to cross.
    const TEXT: &str = r#"
name = "network"
duration_s = 1.0
topology.nodes = [
  { name = "reader", kind = "host" }, { name = "sender", kind = "host" },
  { name = "near", kind = "router" }, { name = "middle", kind = "router" }, { name = "far", kind = "router" },
  { name = "server", kind = "host" }, { name = "receiver", kind = "host" },
]
topology.links = [
  { from = "reader", to = "near", rate_mbps = 10.0 },
  { from = "sender", to = "near", delay_ms = 1.0 },
  { from = "near", to = "middle", rate_mbps = 10.0, both_ways = false, queue = { scheme = "drop-tail", limit_packets = 9 } },
  { from = "middle", to = "near", rate_mbps = 10.0, both_ways = false },
  { from = "middle", to = "far", rate_mbps = 10.0, delay_ms = 5.0, queue = { scheme = "drop-tail", limit_packets = 9 } },
  { from = "far", to = "server", rate_mbps = 10.0 },
  { from = "far", to = "receiver", rate_mbps = 10.0 },
]
[[populations]]
name = "people"
browsers = "reader"
servers = "server"
count = 1
[[flows]]
senders = "sender"
receivers = "receiver"
count = 1
base_rtt_ms = 10.0
delay_on = "sender"
"#;

    fn scenario(overrides: &[(&str, &str)]) -> Scenario {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scenario::from_toml(TEXT, "network", &overrides).unwrap_or_else(|error| panic!("{error}"))
    }

    fn node(scenario: &Scenario, name: &str) -> NodeIndex {
        scenario.network.machines(name)[0]
    }

    /// Names of the nodes that send directly.
    fn direct(scenario: &Scenario) -> Vec<&str> {
        let nodes = scenario.network.nodes.iter().zip(sends_directly(scenario));
        nodes.filter(|(_, direct)| *direct).map(|(node, _)| node.name.as_str()).collect()
    }

    #[test]
    fn routers_servers_and_ends_without_a_delay_of_their_own_send_directly() {
        assert_eq!(direct(&scenario(&[])), ["near", "middle", "far", "server", "receiver"]);
        let swapped = scenario(&[("flows.0.delay_on", "receiver")]);
        assert_eq!(direct(&swapped), ["sender", "near", "middle", "far", "server"]);
    }

    #[test]
    fn packets_keep_their_order_in_a_pipe_behind_an_interface_without_delays_and_behind_a_delayed_queue() {
        let scenario = scenario(&[]);
        let network = Network::new(&scenario, Key::from_seed(1));
        let links = || scenario.network.links.iter();
        let interfaces = links().filter(|link| link.queue.is_none()).zip(&network.interfaces);
        let in_order: Vec<&str> = interfaces
            .filter(|(_, interface)| interface.rank != DELAYED)
            .map(|(link, _)| scenario.network.node(link.from).name.as_str())
            .collect();
        // Links from routers and from hosts that send directly; wires have no queue whose order there would
        // be to keep.
        assert_eq!(in_order, ["near", "middle", "far", "server", "far", "receiver"]);
        let queues = links().filter(|link| link.queue.is_some()).zip(&network.queued);
        for (link, queued) in queues {
            let delay = queued.propagation.map(|(_, delay)| delay);
            assert_eq!(delay, (link.delay > Span::ZERO).then_some(link.delay), "{}", link.name);
        }
        // All of these are pipes of their own.
        let of_queues = network.queued.iter().filter_map(|queued| Some(queued.propagation?.0));
        let of_interfaces =
            network.interfaces.iter().map(|interface| interface.rank).filter(|&rank| rank != DELAYED);
        let pipes: Vec<Rank> = of_queues.chain(of_interfaces).collect();
        let own = |(place, pipe): (usize, &Rank)| !pipes[..place].contains(pipe);
        assert!(pipes.iter().enumerate().all(own), "{pipes:?}");
        assert_eq!(network.pipes, pipes.len());
    }

    #[test]
    fn a_path_begins_with_an_interface_where_sending_takes_time() {
        let scenario = scenario(&[]);
        let mut network = Network::new(&scenario, Key::from_seed(1));
        let [reader, sender, server, receiver] =
            ["reader", "sender", "server", "receiver"].map(|name| node(&scenario, name));
        assert!(network.begins_with_interface(reader, server));
        assert!(network.begins_with_interface(receiver, sender));
        assert!(!network.begins_with_interface(sender, receiver), "a wire");
        // Packets with a delay of their own have a pipe behind an interface alone.
        let delay = Span::from_milliseconds(3);
        let pipe = network.pipe();
        let mut rank = |from, to| network.path(from, to, AddedDelay::Pipe(pipe, delay)).rank;
        assert_eq!((rank(reader, server), rank(sender, receiver)), (pipe, DELAYED));
    }

    #[test]
    fn a_clock_counts_a_delay_in_whole_ticks_from_the_last_one_on() {
        let scenario = scenario(&[]);
        let mut network = Network::new(&scenario, Key::from_seed(1));
        let [reader, server] = ["reader", "server"].map(|name| node(&scenario, name));
        let [tick, phase] = [10, 3].map(Span::from_milliseconds);
        // It ticks at 7, 17, 27 ms and so on.
        let clock = network.delay_clock(reader, HostClock::new(tick, phase));
        let mut released = |delay_ms, now_us: u64| {
            let delay = AddedDelay::Ticks(clock, Span::from_milliseconds(delay_ms));
            let path = network.path(reader, server, delay);
            assert_eq!(path.delayed, Delayed::ByClock(clock), "it waits in front of the interface");
            network.released(Time::from_nanoseconds(1_000 * now_us), &path).nanoseconds() / 1_000
        };
        // 25 ms are two ticks.
        let found = [7_000, 7_001, 16_999, 17_000].map(|now_us| released(25, now_us));
        assert_eq!(found, [27_000, 27_000, 27_000, 37_000]);
        assert_eq!(released(10, 16_999), 17_000, "one tick may be short");
        assert_eq!(released(9, 16_999), 16_999, "less than a tick is none");
    }
}
