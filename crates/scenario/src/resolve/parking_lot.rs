//! The network of a parking lot: routers first, then the machines, group by group; the hops first, the two
//! directions of each together, then each machine's two links.

use super::ports::{add_machines, add_node, add_ports, check_ports, machine_names};
use crate::document::{ParkingLot, Ports as _};
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeKind};
use std::collections::BTreeSet;

pub(super) fn network(lot: &ParkingLot, mistakes: &mut Mistakes<'_>) -> Network {
    check_ports(lot, (&lot.uncongested_queue, lot.uncongested_rate_mbps), mistakes);
    check_machines(lot, mistakes);
    let mut network = Network { nodes: Vec::new(), links: Vec::new() };
    for name in (0..=lot.hops).map(router) {
        add_node(&mut network, name.clone(), &name, NodeKind::Router);
    }
    add_ports(&mut network, lot, (lot.framing(), lot.layer2_queued_bytes));
    for group in lot.machine_groups() {
        add_machines(&mut network, &group, lot.framing());
    }
    network
}

fn router(number: u32) -> String {
    format!("router-{number}")
}

/// Machines of one's own stand behind a router that there is, and have names of their own.
fn check_machines(lot: &ParkingLot, mistakes: &mut Mistakes<'_>) {
    let mut taken: BTreeSet<String> = (0..=lot.hops).map(router).collect();
    let groups = lot.machine_groups();
    let given = groups.len() - lot.machines.len();
    for (place, group) in groups.iter().enumerate() {
        let names: BTreeSet<String> =
            machine_names(&group.name, group.count).chain([group.name.clone()]).collect();
        if let Some(index) = place.checked_sub(given) {
            let path = format!("{}.machines.{index}", ParkingLot::PATH);
            if !taken.is_disjoint(&names) {
                let wrong = format!("a second node named \"{}\"", group.name);
                mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
            }
            let router = lot.machines[index].router;
            if router > lot.hops {
                let wrong = format!("there is no router {router} behind {} hops", lot.hops);
                mistakes.value(&joined(&path, "router"), wrong, format!("0 to {}", lot.hops));
            }
        }
        taken.extend(names);
    }
}
