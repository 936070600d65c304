//! Keys that a run would pass over in silence: what differs from its default and means nothing here is
//! refused. Defaults pass, so that a scenario with everything filled in is as legal as the one that it was
//! made of.

use crate::ResponseEnd;
use crate::document::{
    DelayOn, Document, FlowsTable, LinkTable, MinimumDelayRange, RecordTable, Responses, Start, UserModel,
    ethernet_gap, ethernet_minimum_frame, ethernet_overhead,
};
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use crate::{MahParameters, PackMimeParameters, PagesParameters, UncParameters, WebtrafParameters};
use aqmlab_web::Http;
use serde::Serialize;

/// Keys of a link that has no queue discipline, or no rate and so neither a queue nor transmission times.
pub(super) fn check_link(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let (wrong, others) = match table.rate_mbps {
        None => (IDEAL_WIRE, "rate_mbps and queue"),
        Some(_) => (INTERFACE, "queue"),
    };
    let queues = table.rate_mbps.is_some() && table.queue.is_some();
    if table.rate_mbps.is_none() && table.queue.is_some() {
        mistakes.value(&joined(path, "queue"), wrong, "queue together with rate_mbps");
    } else if table.monitored == Some(true) && !queues {
        mistakes.value(&joined(path, "monitored"), wrong, format!("monitored together with {others}"));
    }
    if table.transmit_ring_packets > 0 && !queues && table.uncongested_queue.is_none() {
        let legal = format!("transmit_ring_packets together with {others}");
        mistakes.value(&joined(path, "transmit_ring_packets"), wrong, legal);
    }
    if table.layer2_queued_bytes > 0 && !queues && table.uncongested_queue.is_none() {
        let legal = format!("layer2_queued_bytes together with {others}");
        let wrong = if table.rate_mbps.is_some() { UNMEASURED_INTERFACE } else { wrong };
        mistakes.value(&joined(path, "layer2_queued_bytes"), wrong, legal);
    }
    if table.rate_trace_file.is_some() && !queues {
        let legal = format!("rate_trace_file together with {others}");
        let wrong = if table.rate_mbps.is_some() { STEADY_INTERFACE } else { wrong };
        mistakes.value(&joined(path, "rate_trace_file"), wrong, legal);
    }
    if table.medium.is_some() && !queues {
        let legal = format!("medium together with {others}");
        let wrong = if table.rate_mbps.is_some() { FREE_INTERFACE } else { wrong };
        mistakes.value(&joined(path, "medium"), wrong, legal);
    }
    if table.rate_mbps.is_none() && table.uncongested_rate_mbps.is_none() {
        check_ideal_wire(table, path, mistakes);
    }
}

const IDEAL_WIRE: &str = "a link without rate_mbps is an ideal wire: nothing ever queues there";
const INTERFACE: &str =
    "a link without a queue discipline is an interface: it is not recorded and its driver has no ring";
const UNMEASURED_INTERFACE: &str =
    "a link without a queue discipline is an interface, in whose queue nothing goes by bytes";
const STEADY_INTERFACE: &str = "a link without a queue discipline is an interface, whose rate does not vary";

const FREE_INTERFACE: &str =
    "a link without a queue discipline is an interface, which sends one packet after the other at any time";

/// A wire that is ideal in the uncongested twin too.
fn check_ideal_wire(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.uncongested_queue.is_some() {
        let legal = "uncongested_queue together with rate_mbps or uncongested_rate_mbps";
        mistakes.value(&joined(path, "uncongested_queue"), IDEAL_WIRE, legal);
    }
    for (key, bytes, default) in [
        ("layer2_overhead_bytes", table.layer2_overhead_bytes, ethernet_overhead()),
        ("layer2_minimum_frame_bytes", table.layer2_minimum_frame_bytes, ethernet_minimum_frame()),
        ("layer2_gap_bytes", table.layer2_gap_bytes, ethernet_gap()),
    ] {
        if bytes != default {
            let wrong = "a link without rate_mbps is an ideal wire: bytes take no time there";
            mistakes.value(&joined(path, key), wrong, format!("{key} together with rate_mbps"));
        }
    }
}

/// Keys of a group of flows. A delay of zero that is written is a value like others: a sweep may begin with
/// it.
pub(super) fn check_flows(table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.delay_on != DelayOn::Both && !mistakes.is_given(&joined(path, "base_rtt_ms")) {
        let wrong = "this flow has no delay";
        mistakes.value(&joined(path, "delay_on"), wrong, "delay_on together with base_rtt_ms");
    }
}

/// Parameters of laws that a file takes the place of, and of a start that is not this one.
pub(super) fn check_model(
    path: &str,
    model: &UserModel,
    (start, delay): (Start, MinimumDelayRange),
    mistakes: &mut Mistakes<'_>,
) {
    let (given, default, replaced) = match model {
        UserModel::Unc(parameters) => (tree(parameters), tree(&UncParameters::default()), UNC_REPLACED),
        UserModel::Mah(parameters) => (tree(parameters), tree(&MahParameters::default()), MAH_REPLACED),
        UserModel::Pages(parameters) => {
            check_pages(path, parameters, mistakes);
            (tree(parameters), tree(&PagesParameters::default()), PAGES_REPLACED)
        }
        UserModel::PackMime(parameters) => {
            check_arrivals(path, "packmime", parameters.round_trip_times, (start, delay), mistakes);
            return check_packmime(path, parameters, mistakes);
        }
        UserModel::Tmix(parameters) => {
            return check_arrivals(path, "tmix", parameters.round_trip_times, (start, delay), mistakes);
        }
        UserModel::Webtraf(parameters) => {
            check_webtraf(path, start, mistakes);
            (tree(parameters), tree(&WebtrafParameters::default()), NOTHING_REPLACED)
        }
    };
    if start != Start::Steady && given[PAGE_TIME_AT_START] != default[PAGE_TIME_AT_START] {
        let wrong = match start {
            Start::Fresh => "users of a fresh start begin with a think time, never within a page",
            _ => "a stationary start simulates page times",
        };
        mistakes.value(&joined(path, PAGE_TIME_AT_START), wrong, "only together with start = \"steady\"");
    }
    for (files, parameters) in replaced {
        if files.iter().any(|file| given[file].is_null()) {
            continue;
        }
        let files = files.join(" and ");
        for parameter in parameters.iter().filter(|parameter| given[*parameter] != default[*parameter]) {
            let legal = format!("{parameter} without {files}");
            mistakes.value(&joined(path, parameter), format!("{files} goes before it"), legal);
        }
    }
}

/// What models do not know whose connections arrive.
fn check_arrivals(
    path: &str,
    model: &str,
    round_trip_times: bool,
    (start, delay): (Start, MinimumDelayRange),
    mistakes: &mut Mistakes<'_>,
) {
    let population = path.strip_suffix(".model").unwrap_or(path);
    if start != Start::Steady {
        let when = if model == "tmix" {
            "when their file says"
        } else {
            "at their long-run rate from the first instant"
        };
        let wrong = format!("connections of model = \"{model}\" arrive {when}");
        mistakes.value(&joined(population, "start"), wrong, "\"steady\", or leave the key out");
    }
    let key = joined(population, "minimum_delay_ms");
    if round_trip_times && delay != MinimumDelayRange::default() {
        let wrong = format!("connections of model = \"{model}\" have round-trip times of the model");
        mistakes.value(&key, wrong, "minimum_delay_ms together with model.round_trip_times = false");
    }
}

/// Laws of PackMime that nothing is drawn from.
fn check_packmime(path: &str, parameters: &PackMimeParameters, mistakes: &mut Mistakes<'_>) {
    let (round_trips, server_times) = (parameters.round_trip_times, parameters.server_times);
    for (key, file, used, switch) in [
        (
            "client_round_trip_ms_cdf_file",
            &parameters.client_round_trip_ms_cdf_file,
            round_trips,
            "round_trip_times",
        ),
        (
            "server_round_trip_ms_cdf_file",
            &parameters.server_round_trip_ms_cdf_file,
            round_trips,
            "round_trip_times",
        ),
        (
            "server_time_seconds_cdf_file",
            &parameters.server_time_seconds_cdf_file,
            server_times,
            "server_times",
        ),
    ] {
        if file.is_some() && !used {
            let wrong = format!("{switch} = false turns them off");
            mistakes.value(&joined(path, key), wrong, format!("{key} together with {switch} = true"));
        }
    }
}

/// Sessions are not met in the middle of a page.
fn check_webtraf(path: &str, start: Start, mistakes: &mut Mistakes<'_>) {
    if start == Start::Stationary {
        let population = path.strip_suffix(".model").unwrap_or(path);
        let wrong = "sessions of model = \"webtraf\" have no past";
        mistakes.value(&joined(population, "start"), wrong, "\"steady\" or \"fresh\"");
    }
}

/// What the model of today's pages knows with HTTP/1.1 alone.
fn check_pages(path: &str, parameters: &PagesParameters, mistakes: &mut Mistakes<'_>) {
    let usual = PagesParameters::default().connections_per_host;
    if parameters.http == Http::V2 && parameters.connections_per_host != usual {
        let wrong = "HTTP/2 has one connection to a host";
        mistakes.value(&joined(path, "connections_per_host"), wrong, "only together with http = \"1.1\"");
    }
}

const PAGE_TIME_AT_START: &str = "steady_start_page_time_seconds";

fn tree(parameters: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(parameters).expect("parameters are a table of scalars")
}

/// Which parameters have no effect where all of these files are given.
type Replaced = (&'static [&'static str], &'static [&'static str]);

const NOTHING_REPLACED: &[Replaced] = &[];
const UNC_REPLACED: &[Replaced] = &[
    (
        &["think_time_seconds_cdf_file"],
        &[
            "think_time_median_seconds",
            "think_time_sigma",
            "think_time_pareto_alpha",
            "think_time_maximum_seconds",
        ],
    ),
    (&["embedded_objects_per_page_cdf_file"], &["objects_per_page_mean"]),
    (&["servers_per_page_cdf_file"], &["servers_per_page_mean"]),
    (&["pages_per_server_visit_cdf_file"], &["pages_per_server_visit_mean"]),
    (&["requests_per_persistent_connection_cdf_file"], &["requests_per_persistent_connection_mean"]),
    (&["top_level_request_bytes_cdf_file", "embedded_request_bytes_cdf_file"], &["request_bytes_cdf_file"]),
    (&["response_bytes_cdf_file"], RESPONSE_LAW),
    (&["top_level_response_bytes_cdf_file", "embedded_response_bytes_cdf_file"], RESPONSE_LAW),
    (
        &["top_level_response_bytes_cdf_file", "embedded_response_bytes_cdf_file"],
        &["response_bytes_cdf_file"],
    ),
];

const RESPONSE_LAW: &[&str] =
    &["response_median_bytes", "response_sigma", "response_pareto_alpha", "response_maximum_bytes"];

const PAGES_REPLACED: &[Replaced] = &[
    (&["think_time_seconds_cdf_file"], &["think_time_median_seconds", "think_time_sigma"]),
    (&["objects_per_page_cdf_file"], &["objects_per_page_median", "objects_per_page_sigma"]),
    (&["page_bytes_cdf_file"], &["page_bytes_median", "page_bytes_sigma"]),
    (
        &["pages_file"],
        &[
            "objects_per_page_median",
            "objects_per_page_sigma",
            "objects_per_page_cdf_file",
            "page_bytes_median",
            "page_bytes_sigma",
            "page_bytes_cdf_file",
            "weight_to_objects_correlation",
            "root_bytes_median",
            "root_bytes_sigma",
            "object_share_sigma",
            "third_party_share",
            "third_party_spread",
            "named_by_root_share",
            "request_bytes",
        ],
    ),
];

const MAH_REPLACED: &[Replaced] = &[
    (&["files_per_document_cdf_file"], &["single_file_document_share", "files_per_document_mean"]),
    (
        &["documents_per_server_visit_cdf_file"],
        &["single_document_visit_share", "documents_per_server_visit_mean"],
    ),
];

/// What is to be recorded where there is nothing of the kind.
pub(super) fn check_record(document: &Document, network: &Network, mistakes: &mut Mistakes<'_>) {
    let record = &document.record;
    let without_users = document.users.is_none() && document.populations.is_empty();
    let unwatched = !network.links.iter().any(|link| link.monitored);
    let usual = RecordTable::default();
    let kept = matches!(record.responses, Responses::Rows | Responses::Histogram);
    let nobody = "there are no users";
    let windows = record.congestion_window_interval_ms.is_some();
    if windows && document.flows.is_empty() {
        let wrong = "there are no long-lived flows to record";
        mistakes.value("record.congestion_window_interval_ms", wrong.to_owned(), "together with [[flows]]");
    }
    let nothing = "no link has a queue discipline and is monitored";
    for (key, is_asked, is_empty, wrong) in [
        ("users", record.users, without_users, nobody),
        ("responses", kept, without_users, nobody),
        ("response_end", record.response_end == ResponseEnd::ConnectionClosed, without_users, nobody),
        ("users", record.users && !without_users, unwatched, nothing),
        ("arrivals", record.arrivals, unwatched, nothing),
        ("packets", record.packets, unwatched, nothing),
        ("queue_interval_ms", record.queue_interval_ms != usual.queue_interval_ms, unwatched, nothing),
        ("link_interval_ms", record.link_interval_ms != usual.link_interval_ms, unwatched, nothing),
        ("queue_summary_interval_ms", record.queue_summary_interval_ms.is_some(), unwatched, nothing),
        ("scheme_state_interval_ms", record.scheme_state_interval_ms.is_some(), unwatched, nothing),
    ] {
        if is_asked && is_empty {
            let legal =
                if wrong == nobody { "together with users" } else { "together with a monitored link" };
            mistakes.value(&joined("record", key), format!("{wrong} to record"), legal);
        }
    }
}
