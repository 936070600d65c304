//! What was registered of connections: delays and markings of their packets.

use super::guest::GUEST_FLOW;
use super::paths::Paths;
use crate::addresses::{Addresses, Half, Party};
use crate::hosts::seen::{HostsSeen, Seen};
use crate::packet::headers::{Headers, Refusal};
use aqmlab_aqm::{FiveTuple, HeaderFields};
use aqmlab_driver::Whose;
use aqmlab_random::Key;
use aqmlab_scenario::{NodeIndex, Scenario};
use aqmlab_session::{DatagramSourceId, Owner};
use aqmlab_units::{Span, Time};
use aqmlab_wire::Protocol;
use std::sync::mpsc::Receiver;

/// Where probes are answered (RFC 862).
pub(crate) const PROBE_PORT: u16 = 7;

/// What whoever opens a connection says of it before its first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registration {
    /// Whose it is.
    pub(crate) owner: Owner,
    /// Machine that opens it, and which of its connections it is.
    pub(crate) opener: (u32, u32),
    /// Delay added to the packets of the end that opens, and of the other.
    pub(crate) delays: [Span; 2],
}

/// What is known of a connection.
#[derive(Clone, Copy, Default)]
struct Registered {
    owner: Option<Owner>,
    delays: [Span; 2],
}

/// How a packet is treated.
pub(crate) struct Conduct {
    pub(crate) whose: Whose,
    pub(crate) path: u32,
    pub(crate) delay: Span,
    pub(crate) header: HeaderFields,
    pub(crate) flow: u64,
}

/// All connections of a run.
pub(crate) struct Connections {
    addresses: Addresses,
    key: Key,
    news: Receiver<Registration>,
    /// By machine, by number.
    registered: Vec<Vec<Registered>>,
    /// Sources of datagrams, in the same way.
    sources: Vec<Vec<DatagramSourceId>>,
    seen: Vec<Vec<Seen>>,
    /// Delay of the packets of programs of the user's.
    pub(crate) guest_delay: Span,
    /// What is seen of the hosts, programs of the user's left aside.
    pub(crate) hosts: HostsSeen,
    /// Packets of connections that nobody registered.
    pub(crate) unregistered: u64,
}

impl Connections {
    /// Those of a scenario, on hosts with this least timeout.
    pub(crate) fn new(
        scenario: &Scenario,
        seed: u64,
        news: Receiver<Registration>,
        least_timeout: Span,
    ) -> Self {
        let addresses = Addresses::of(scenario);
        let machines = addresses.machines();
        Self {
            sources: addresses.datagram_sources(scenario),
            addresses,
            key: Key::from_seed(seed).named("flow hash"),
            news,
            registered: vec![Vec::new(); machines],
            seen: vec![Vec::new(); machines],
            guest_delay: Span::ZERO,
            hosts: HostsSeen { least_timeout, ..HostsSeen::default() },
            unregistered: 0,
        }
    }

    pub(crate) fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Hears of the connections that were opened since.
    fn catch_up(&mut self) {
        while let Ok(Registration { owner, opener: (machine, number), delays }) = self.news.try_recv() {
            let (of_machine, number) = (&mut self.registered[machine as usize], number as usize);
            of_machine.resize(of_machine.len().max(number + 1), Registered::default());
            of_machine[number] = Registered { owner: Some(owner), delays };
            let seen = &mut self.seen[machine as usize];
            seen.resize(seen.len().max(number + 1), Seen::default());
        }
    }

    /// What is to be done with a packet from a half of the network.
    pub(crate) fn conduct(
        &mut self,
        (from, now): (Half, Time),
        headers: &Headers,
        paths: &Paths,
    ) -> Result<Conduct, Refusal> {
        if Addresses::half(headers.source) != Some(from) || Addresses::half(headers.destination) == Some(from)
        {
            return Err(Refusal::NoRoute);
        }
        let parties = [(headers.source, headers.ports[0]), (headers.destination, headers.ports[1])]
            .map(|(address, port)| self.addresses.party(address, port));
        let (side, ends) = match (from, parties) {
            (Half::Active, [Some(opener), Some(Party::Answerer { machine })]) => (0, (opener, machine)),
            (Half::Passive, [Some(Party::Answerer { machine }), Some(opener)]) => (1, (opener, machine)),
            _ => return Err(Refusal::NoRoute),
        };
        // Their way is the router's own: there need be none for a program, which wants answers.
        if headers.protocol == Protocol::UDP && headers.ports.contains(&PROBE_PORT) {
            let (whose, header) = (Whose::Nobody, HeaderFields::default());
            return Ok(Conduct { whose, path: paths.probe, delay: Span::ZERO, header, flow: 0 });
        }
        let (machines, number, (whose, delay), guest) = match ends {
            (Party::Opener { machine, number }, answerer) => {
                let known = self.known(machine, number, side, headers.protocol);
                self.note_host(machine, number, side, (headers, now));
                ([machine, answerer], number, known, 0)
            }
            (Party::Guest, _) => {
                let machines = paths.guests.ok_or(Refusal::NoRoute)?;
                let delay = if side == 0 { self.guest_delay } else { Span::ZERO };
                (machines, u32::from(headers.ports[side]), (Whose::Nobody, delay), GUEST_FLOW)
            }
            (Party::Answerer { .. }, _) => return Err(Refusal::NoRoute),
        };
        let [from, to] = if side == 0 { machines } else { [machines[1], machines[0]] };
        let path = paths.between(from, to).ok_or(Refusal::NoRoute)?;
        let nodes = [from, to].map(|machine| self.addresses.node(machine));
        // A machine numbers its connections and its sources of datagrams apart from each other.
        let is_datagram = u64::from(headers.protocol == Protocol::UDP);
        let flow =
            guest | u64::from(machines[0]) << 40 | u64::from(number) << 8 | is_datagram << 1 | side as u64;
        Ok(Conduct { whose, path, delay, header: self.header(nodes, headers), flow })
    }

    /// Whose a packet is, and its delay. Datagrams have none of their own, and are not registered.
    fn known(&mut self, machine: u32, number: u32, side: usize, protocol: Protocol) -> (Whose, Span) {
        let (machine, number) = (machine as usize, number as usize);
        if protocol == Protocol::UDP {
            let source = self.sources[machine].get(number);
            return (source.map_or(Whose::Nobody, |&source| Whose::Datagrams(source)), Span::ZERO);
        }
        if self.registered[machine].len() <= number {
            self.catch_up();
        }
        match self.registered[machine].get(number) {
            Some(known) => (known.owner.map_or(Whose::Nobody, Whose::Connection), known.delays[side]),
            None => {
                self.unregistered += 1;
                (Whose::Nobody, Span::ZERO)
            }
        }
    }

    fn note_host(&mut self, machine: u32, number: u32, side: usize, (headers, now): (&Headers, Time)) {
        let Some(tcp) = headers.tcp else { return };
        if let Some(connection) = self.seen[machine as usize].get_mut(number as usize) {
            self.hosts.note(connection, side, tcp, now);
        }
    }

    /// What ports sort the packet by: the machines and ports that the simulator would know it by.
    fn header(&self, [from, to]: [NodeIndex; 2], headers: &Headers) -> HeaderFields {
        let tuple = FiveTuple {
            source: from.0,
            destination: to.0,
            source_port: headers.ports[0],
            destination_port: headers.ports[1],
            protocol: headers.protocol.0,
        };
        HeaderFields {
            flow_hash: tuple.hash(self.key),
            dscp: headers.dscp,
            source: from.0,
            destination: to.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::addresses::Half;
    use crate::router::capture::CapturedPorts;
    use crate::router::fuzz::network;
    use crate::router::log::{Log, LogEvent};
    use aqmlab_units::Time;
    use aqmlab_wire::{Flags, WireAddress, WireOptions, WirePacket, WirePayload, WireTcp};

    /// The first connection of a machine and its first source of datagrams: queues of the kernel tell them
    /// apart.
    #[test]
    fn a_connection_and_a_source_of_one_number_are_two_flows() {
        let text = "name = \"two flows\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 10.0\n\
                    queue = { scheme = \"drop-tail\", limit_packets = 9 }\n[users]\nper_side = 1\n";
        let (mut network, addresses) = network(text, Log::new(true, &CapturedPorts::default()));
        let (opener, port) = addresses.opener(0, 0).unwrap();
        let answerer = addresses.answerer(u32::try_from(addresses.machines()).unwrap() - 1);
        let tcp = WireTcp {
            sequence: 1,
            acknowledgement: 1,
            flags: Flags::ACK,
            window: 65_535,
            largest_window: 1_000_000,
            segment_bytes: 1_460,
            payload: 400,
            scales: true,
            options: WireOptions::default(),
        };
        for payload in [WirePayload::Tcp(tcp), WirePayload::Udp, WirePayload::Tcp(tcp)] {
            let packet = WirePacket {
                at: Time::ZERO,
                source: WireAddress { address: opener.octets(), port },
                destination: WireAddress { address: answerer.octets(), port: 80 },
                traffic_class: 0,
                ip_bytes: 448,
                payload,
            };
            network.arrive(Time::ZERO, Half::Active, &packet.bytes());
        }
        network.run_until(Time::from_seconds(1.0), &mut |_, _, _| {});
        let rows = network.log.into_parts().0;
        let arrivals = rows.iter().filter(|row| row.event == LogEvent::Arrival);
        let flows: Vec<u64> = arrivals.map(|row| row.facts.flow).collect();
        assert!(matches!(flows[..], [one, other, again] if one == again && one != other), "{flows:?}");
    }
}
