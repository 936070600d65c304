//! From a document to a scenario: names become indices, shorthands become networks, numbers become
//! quantities; what no run could mean is refused on the way.

mod dumbbell;
mod flows;
mod host;
mod populations;
mod quantity;
mod topology;
mod traffic;

use crate::document::{Document, RecordTable};
use crate::mistakes::Mistakes;
use crate::network::Network;
use crate::scenario::{Record, Scenario};
use quantity::{milliseconds, seconds};

/// The scenario that a document describes; what it cannot mean is added to the mistakes.
///
/// The result is to be used only if there are no mistakes.
pub(crate) fn resolve(document: &Document, mistakes: &mut Mistakes<'_>) -> Option<Scenario> {
    check_window(document, mistakes);
    let network = network(document, mistakes)?;
    let mut populations = Vec::new();
    if let Some(users) = &document.users {
        populations.extend(populations::of_dumbbell(document, users, &network, mistakes));
    }
    populations.extend(populations::of_groups(&document.populations, &network, mistakes));
    let flows = flows::resolve(document, &network, mistakes);
    if mistakes.is_empty() {
        traffic::check(document, &populations, mistakes);
    }
    Some(Scenario {
        name: document.name.clone(),
        description: document.description.clone(),
        duration: seconds(document.duration_s),
        warm_up: seconds(document.warm_up_s),
        cool_down: seconds(document.cool_down_s),
        network,
        populations,
        flows,
        record: record(&document.record),
        document: document.clone(),
    })
}

/// Something must be left to measure.
fn check_window(document: &Document, mistakes: &mut Mistakes<'_>) {
    let cut_s = document.warm_up_s + document.cool_down_s;
    if cut_s >= document.duration_s {
        let key = if document.warm_up_s >= document.cool_down_s { "warm_up_s" } else { "cool_down_s" };
        mistakes.value(
            key,
            format!(
                "warm_up_s + cool_down_s = {cut_s} leaves nothing of duration_s = {}",
                document.duration_s
            ),
            "warm_up_s + cool_down_s below duration_s",
        );
    }
}

fn network(document: &Document, mistakes: &mut Mistakes<'_>) -> Option<Network> {
    match (&document.dumbbell, &document.topology) {
        (Some(dumbbell), None) => Some(dumbbell::network(dumbbell, mistakes)),
        (None, Some(topology)) => Some(topology::network(topology, mistakes)),
        (Some(_), Some(_)) => {
            mistakes
                .sentence("topology", "there is a dumbbell already: give [dumbbell] or [topology], not both");
            None
        }
        (None, None) => {
            mistakes.sentence("", "there is no network: give [dumbbell] or [topology]");
            None
        }
    }
}

fn record(table: &RecordTable) -> Record {
    Record {
        queue_interval: milliseconds(table.queue_interval_ms),
        link_interval: milliseconds(table.link_interval_ms),
        throughput_layer: table.throughput_layer,
        arrivals: table.arrivals,
        responses: table.responses,
        flows: table.flows,
        users: table.users,
        packets: table.packets,
    }
}
