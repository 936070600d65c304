//! Long-lived flows.

use crate::agenda::Timer;
use crate::connection::{AddedDelay, Opening, Owner};
use crate::identifiers::{FlowId, GroupId, ProfileId};
use crate::network::Network;
use crate::packet::Side;
use crate::simulation::Simulation;
use crate::transport::{Hosts, Machine, News};
use aqmlab_random::Key;
use aqmlab_scenario::{FlowGroup, NodeIndex, Scenario};
use aqmlab_units::{Span, Time};

/// A flow: its sender opens the connection and writes.
#[derive(Clone)]
struct Flow {
    machines: [Machine; 2],
    added_delay: [AddedDelay; 2],
    starts: Time,
    bytes: Option<u64>,
    profile: ProfileId,
    delivered_bytes: u64,
}

pub(crate) struct Flows {
    all: Vec<Flow>,
    /// First flow of each group.
    pub(crate) groups: Vec<usize>,
}

impl Flows {
    pub(crate) fn new(scenario: &Scenario, network: &mut Network, hosts: &mut Hosts, key: Key) -> Self {
        let mut flows = Self { all: Vec::new(), groups: Vec::new() };
        for (index, group) in scenario.flows.iter().enumerate() {
            flows.groups.push(flows.all.len());
            let profile = ProfileId::of(scenario.populations.len() + index);
            flows.add_group(group, profile, network, hosts, key.named("flow").named(&group.name));
        }
        flows
    }

    fn add_group(
        &mut self,
        group: &FlowGroup,
        profile: ProfileId,
        network: &mut Network,
        hosts: &mut Hosts,
        key: Key,
    ) {
        for (index, flow) in (0..).zip(&group.flows) {
            let start = group.start_spread.seconds() * key.indexed(index).uniform(0);
            let [sender, receiver] = [flow.sender, flow.receiver];
            self.all.push(Flow {
                machines: [hosts.machine(profile, sender), hosts.machine(profile, receiver)],
                added_delay: [
                    added_delay(network, sender, receiver, flow.delay_from_sender),
                    added_delay(network, receiver, sender, flow.delay_from_receiver),
                ],
                starts: Time::from_seconds(start),
                bytes: group.bytes,
                profile,
                delivered_bytes: 0,
            });
        }
    }

    /// The group of a flow, and its place among the flows of the group.
    pub(crate) fn place_in_group(&self, flow: FlowId) -> (GroupId, FlowId) {
        let group = self.groups.partition_point(|&first| first <= flow.place()) - 1;
        (GroupId::of(group), FlowId::of(flow.place() - self.groups[group]))
    }

    /// Bytes delivered so far to the receivers' applications.
    pub(crate) fn delivered(&self) -> Vec<u64> {
        self.all.iter().map(|flow| flow.delivered_bytes).collect()
    }
}

/// A flow's packets keep their order behind its own delay, so they have a pipe of their own.
fn added_delay(network: &mut Network, from: NodeIndex, towards: NodeIndex, delay: Span) -> AddedDelay {
    if delay == Span::ZERO {
        return AddedDelay::None;
    }
    if network.begins_with_interface(from, towards) {
        AddedDelay::Pipe(network.pipe(), delay)
    } else {
        AddedDelay::Own(delay)
    }
}

impl Simulation {
    pub(crate) fn start_flows(&mut self) {
        for (flow, state) in self.flows.all.iter().enumerate() {
            self.agenda.wake(state.starts, Timer::FlowStart { flow: FlowId::of(flow) });
        }
    }

    pub(crate) fn start_flow(&mut self, flow: FlowId) {
        let state = self.flows.all[flow.place()].clone();
        let opening = Opening {
            owner: Owner::Flow { flow },
            profile: state.profile,
            machines: state.machines,
            added_delay: state.added_delay,
        };
        let place = self.open(&opening);
        self.act(place, Side::Active, |end, now, context, outbox| end.connect(now, context, outbox));
    }

    #[inline]
    pub(crate) fn react_for_flow(&mut self, place: u32, side: Side, flow: FlowId, news: &News) {
        if side == Side::Passive {
            self.flows.all[flow.place()].delivered_bytes += u64::from(news.delivered_bytes);
        }
        if side == Side::Active && news.established {
            match self.flows.all[flow.place()].bytes {
                None => self
                    .act(place, side, |end, now, context, outbox| end.write_unlimited(now, context, outbox)),
                Some(bytes) => {
                    self.act(place, side, |end, now, context, outbox| {
                        end.write(now, context, bytes, outbox);
                    });
                    self.act(place, side, |end, now, context, outbox| end.close(now, context, outbox));
                }
            }
        }
        if side == Side::Passive && news.peer_closed {
            self.act(place, side, |end, now, context, outbox| end.close(now, context, outbox));
        }
    }
}
