//! From a document to a scenario: names become indices, shorthands become networks, numbers become
//! quantities; what no run could mean is refused on the way.

mod conditions;
mod datagrams;
mod delay_box;
mod dumbbell;
mod flows;
mod host;
mod hosts_of_classes;
mod journeys;
mod law_files;
mod line;
mod parking_lot;
mod phases;
mod populations;
mod ports;
mod quantity;
mod service;
mod size;
mod star;
mod topology;
mod traffic;
mod unused;

use crate::document::{Document, RecordTable};
use crate::mistakes::Mistakes;
use crate::network::Network;
use crate::scenario::{EndAfter, Population, QueueSummary, Record, Scenario};
use crate::{ResponseEnd, UserModel};
use aqmlab_web::ModelFacts;
use quantity::{milliseconds, seconds};

/// The scenario that a document describes; what it cannot mean is added to the mistakes.
///
/// The result is to be used only if there are no mistakes.
pub(crate) fn resolve(document: &Document, mistakes: &mut Mistakes<'_>) -> Option<Scenario> {
    check_window(document, mistakes);
    if !size::check(document, mistakes) {
        return None;
    }
    let mut network = network(document, mistakes)?;
    hosts_of_classes::find(&mut network, mistakes);
    let network = network;
    let mut populations = Vec::new();
    if let Some(users) = &document.users {
        populations.extend(populations::of_dumbbell(document, users, &network, mistakes));
    }
    populations.extend(populations::of_groups(document, &network, mistakes));
    let flows = flows::resolve(document, &network, &populations, mistakes);
    let datagrams = datagrams::resolve(document, &network, mistakes);
    journeys::check(document, &network, (&populations, &flows, &datagrams), mistakes);
    unused::check_record(document, &network, mistakes);
    if mistakes.is_empty() {
        traffic::check(document, &populations, mistakes);
    }
    let record = record(&document.record, &populations, mistakes);
    let end_after = end_after(document, &populations, mistakes);
    let shaper_follower = document.line.as_ref().and_then(|line| line::shaper_follower(line, &network));
    Some(Scenario {
        name: document.name.clone(),
        description: document.description.clone(),
        duration: seconds(document.duration_s),
        warm_up: seconds(document.warm_up_s),
        cool_down: seconds(document.cool_down_s),
        end_after,
        rate_tolerance: document.rate_tolerance_ppm / 1e6,
        delay_phase: seconds(document.delay_phase_ns / 1e9),
        network,
        populations,
        flows,
        datagrams,
        shaper_follower,
        record,
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

/// Which population ends the run, and with how many exchanges.
fn end_after(
    document: &Document,
    populations: &[Population],
    mistakes: &mut Mistakes<'_>,
) -> Option<EndAfter> {
    let table = document.end_after.as_ref()?;
    if document.cool_down_s > 0.0 {
        let wrong = "a run whose end is not known before has no last part that is left out";
        mistakes.value("cool_down_s", wrong, "0, or leave end_after out");
    }
    let place = populations.iter().position(|population| population.name == table.population);
    let Some(population) = place else {
        let legal: Vec<&str> = populations.iter().map(|population| population.name.as_str()).collect();
        mistakes.unknown_name("end_after.population", "population", &table.population, &legal);
        return None;
    };
    Some(EndAfter { population, exchanges: table.exchanges })
}

fn network(document: &Document, mistakes: &mut Mistakes<'_>) -> Option<Network> {
    if document.line.is_none() && !document.devices.is_empty() {
        mistakes.sentence("devices", "there is no line to which devices are connected: give [line]");
    }
    match document.networks()[..] {
        [] => {
            mistakes.sentence(
                "",
                "there is no network: give [dumbbell], [line], [parking_lot], [star] or [topology]",
            );
            return None;
        }
        [_] => {}
        [first, second, ..] => {
            let wrong = format!("there is a {first} already: give [{first}] or [{second}], not both");
            mistakes.sentence(second, wrong);
            return None;
        }
    }
    if let Some(table) = &document.dumbbell {
        return Some(dumbbell::network(table, &document.files, mistakes));
    }
    if let Some(table) = &document.parking_lot {
        return Some(parking_lot::network(table, mistakes));
    }
    if let Some(table) = &document.star {
        return Some(star::network(table, mistakes));
    }
    if let Some(table) = &document.line {
        return line::network(table, &document.devices, &document.files, mistakes);
    }
    document.topology.as_ref().map(|table| topology::network(table, &document.files, mistakes))
}

fn record(table: &RecordTable, populations: &[Population], mistakes: &mut Mistakes<'_>) -> Record {
    check_response_end(table, populations, mistakes);
    Record {
        queue_interval: milliseconds(table.queue_interval_ms),
        link_interval: milliseconds(table.link_interval_ms),
        throughput_layer: table.throughput_layer,
        arrivals: table.arrivals,
        responses: table.responses,
        response_end: table.response_end,
        queue_summary: queue_summary(table, mistakes),
        scheme_state_interval: table.scheme_state_interval_ms.map(milliseconds),
        flows: table.flows,
        congestion_window_interval: table.congestion_window_interval_ms.map(milliseconds),
        traffic: table.traffic,
        traffic_interval: table.traffic_interval_ms.map(milliseconds),
        users: table.users,
        packets: table.packets,
        datagrams: table.datagrams,
        cool_down: table.cool_down,
    }
}

/// Where no server closes, a response time that ends with the close would never end.
fn check_response_end(table: &RecordTable, populations: &[Population], mistakes: &mut Mistakes<'_>) {
    let open = populations.iter().find(|population| !population.model.parameters().facts().servers_close());
    if let (ResponseEnd::ConnectionClosed, Some(population)) = (table.response_end, open) {
        let wrong = format!("the servers of population \"{}\" leave connections open", population.name);
        let closing = UserModel::names_where(ModelFacts::servers_close).join("\" or \"");
        let legal = format!("last_byte, or users of model = \"{closing}\" alone");
        mistakes.value("record.response_end", wrong, legal);
    }
}

fn queue_summary(table: &RecordTable, mistakes: &mut Mistakes<'_>) -> Option<QueueSummary> {
    match (table.queue_summary_interval_ms, table.queue_summary_sample_ms) {
        (Some(interval_ms), sample_ms) => {
            let sample_ms = sample_ms.unwrap_or(interval_ms);
            if sample_ms > interval_ms {
                let wrong = format!("{sample_ms} is longer than queue_summary_interval_ms = {interval_ms}");
                mistakes.value("record.queue_summary_sample_ms", wrong, format!("0.001 to {interval_ms}"));
            }
            Some(QueueSummary { sample: milliseconds(sample_ms), interval: milliseconds(interval_ms) })
        }
        (None, Some(_)) => {
            let wrong = "no queue summary is recorded";
            mistakes.value(
                "record.queue_summary_sample_ms",
                wrong,
                "only together with queue_summary_interval_ms",
            );
            None
        }
        (None, None) => None,
    }
}
