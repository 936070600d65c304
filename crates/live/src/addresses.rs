//! Addresses of machines and ports of connections.
//!
//! Machines that open connections lie in 10.0.0.0/9, those that answer in 10.128.0.0/9, each with a block of
//! addresses of its own. The n-th connection that a machine opens has the n-th pair of address and port in
//! its block, so that the router finds what was registered for a packet by arithmetic.

use aqmlab_scenario::{NodeIndex, NodeKind, Scenario};
use aqmlab_session::DatagramSourceId;
use std::net::Ipv4Addr;

/// The ephemeral ports (RFC 6335, section 6).
const FIRST_PORT: u16 = 49_152;
const PORTS: u32 = 16_384;
const ACTIVE: u32 = 10 << 24;
const PASSIVE: u32 = ACTIVE | 1 << 23;
const NET_MASK: u32 = 0xff80_0000;
/// Bits of an address within its half of 10.0.0.0/8.
const HOST_BITS: u32 = 23;
/// What programs of the user's open connections from: the last address of the half, which no block reaches.
pub(crate) const GUEST: Ipv4Addr = Ipv4Addr::new(10, 127, 255, 254);

/// Where the first machine answers, whatever the scenario.
pub(crate) const ANSWERER: Ipv4Addr = Ipv4Addr::new(10, 128, 0, 1);

/// Which half of the network an address lies in: of those who open, or of those who answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Active,
    Passive,
}

/// Who an address and a port belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Party {
    /// A machine that opens connections, and which of its connections.
    Opener { machine: u32, number: u32 },
    /// A machine that answers.
    Answerer { machine: u32 },
    /// A program of the user's.
    Guest,
}

/// The addresses of a scenario's hosts.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    /// Bits of an address within its block.
    block_bits: u32,
    /// The node of each machine.
    nodes: Vec<NodeIndex>,
    /// The machine of each node; none for routers.
    machines: Vec<Option<u32>>,
}

impl Addresses {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let mut nodes = Vec::new();
        let machines = (0..).map(NodeIndex).zip(&scenario.network.nodes).map(|(index, node)| {
            (node.kind == NodeKind::Host).then(|| {
                nodes.push(index);
                u32::try_from(nodes.len() - 1).unwrap_or(u32::MAX)
            })
        });
        let machines = machines.collect();
        // The last block is the guest's.
        let blocks = (nodes.len() + 1).next_power_of_two().trailing_zeros();
        Self { block_bits: HOST_BITS - blocks.min(HOST_BITS), nodes, machines }
    }

    /// How many machines there are, if they all have room.
    pub(crate) fn machines(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn machine(&self, node: NodeIndex) -> u32 {
        self.machines[node.0 as usize].unwrap_or_else(|| unreachable!("connections end at hosts"))
    }

    pub(crate) fn node(&self, machine: u32) -> NodeIndex {
        self.nodes[machine as usize]
    }

    /// Address and port of a machine's connection of this number; none beyond what its block holds.
    pub(crate) fn opener(&self, machine: u32, number: u32) -> Option<(Ipv4Addr, u16)> {
        let within = number / PORTS;
        let address = ACTIVE | machine << self.block_bits | (within + 1);
        let fits = within + 1 < 1 << self.block_bits;
        fits.then(|| (Ipv4Addr::from(address), port(number)))
    }

    /// Where a machine answers.
    pub(crate) fn answerer(&self, machine: u32) -> Ipv4Addr {
        Ipv4Addr::from(PASSIVE | machine << self.block_bits | 1)
    }

    /// What the addresses of a machine in both halves have in common: a value and its mask.
    pub(crate) const fn block(&self, machine: u32) -> (u32, u32) {
        (ACTIVE | machine << self.block_bits, !(PASSIVE ^ ACTIVE) & (u32::MAX << self.block_bits))
    }

    /// The sources of datagrams of each machine, by the numbers of their addresses.
    pub(crate) fn datagram_sources(&self, scenario: &Scenario) -> Vec<Vec<DatagramSourceId>> {
        let mut of_machines = vec![Vec::new(); self.machines()];
        let senders = scenario.datagrams.iter().flat_map(|group| &group.sources).map(|ends| ends[0]);
        for (place, sender) in senders.enumerate() {
            of_machines[self.machine(sender) as usize].push(DatagramSourceId::of(place));
        }
        of_machines
    }

    /// In which half an address lies.
    pub(crate) const fn half(address: u32) -> Option<Half> {
        match address & NET_MASK {
            ACTIVE => Some(Half::Active),
            PASSIVE => Some(Half::Passive),
            _ => None,
        }
    }

    /// Whose an address and a port are.
    pub(crate) fn party(&self, address: u32, port: u16) -> Option<Party> {
        let half = Self::half(address)?;
        if Ipv4Addr::from(address) == GUEST {
            return Some(Party::Guest);
        }
        let within = address & !NET_MASK;
        let (machine, place) = (within >> self.block_bits, within & ((1 << self.block_bits) - 1));
        if machine as usize >= self.nodes.len() || place == 0 {
            return None;
        }
        match half {
            Half::Passive => Some(Party::Answerer { machine }),
            Half::Active => {
                let offset = u32::from(port.checked_sub(FIRST_PORT)?);
                let number = u64::from(place - 1) * u64::from(PORTS) + u64::from(offset);
                Some(Party::Opener { machine, number: u32::try_from(number).ok()? })
            }
        }
    }
}

/// The port of a machine's connection of this number.
#[allow(clippy::cast_possible_truncation)] // below 2¹⁴
pub(crate) const fn port(number: u32) -> u16 {
    FIRST_PORT + (number % PORTS) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(machines: u32) -> Addresses {
        let text = format!(
            "name = \"x\"\nduration_s = 1.0\n[dumbbell]\nrate_mbps = 1.0\nbrowser_machines_per_side = {machines}\n\
             server_machines_per_side = 1\nqueue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n[users]\nper_side = 1\n"
        );
        Addresses::of(&Scenario::from_toml(&text, "x", &[]).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn an_address_and_a_port_say_which_connection_of_which_machine() {
        for machines in [1, 7, 300] {
            let addresses = addresses(machines);
            for machine in [0, 1, u32::try_from(addresses.machines()).unwrap() - 1] {
                for number in [0, 1, PORTS - 1, PORTS, 1_000_000] {
                    let (address, port) = addresses.opener(machine, number).unwrap();
                    let found = addresses.party(u32::from(address), port);
                    assert_eq!(found, Some(Party::Opener { machine, number }), "of {machines}");
                }
                let there = addresses.party(u32::from(addresses.answerer(machine)), 80);
                assert_eq!(there, Some(Party::Answerer { machine }));
                assert_eq!(addresses.machine(addresses.node(machine)), machine);
            }
            assert_eq!(addresses.answerer(0), ANSWERER);
            assert_eq!(addresses.party(u32::from(GUEST), 1), Some(Party::Guest));
        }
    }

    #[test]
    fn nobody_has_addresses_and_ports_outside_of_the_blocks() {
        let addresses = addresses(7);
        for address in ["192.168.0.1", "10.0.0.0", "10.127.255.253", "10.255.0.1", "0.0.0.0"] {
            let address: Ipv4Addr = address.parse().unwrap();
            assert_eq!(addresses.party(u32::from(address), 50_000), None, "{address}");
        }
        let (address, _) = addresses.opener(0, 0).unwrap();
        assert_eq!(addresses.party(u32::from(address), 80), None);
        assert_eq!(addresses.opener(0, u32::MAX), None, "the block is full");
    }
}
