//! Keys that a run would pass over in silence: what differs from its default and means nothing here is
//! refused. Defaults pass, so that a scenario with everything filled in is as legal as the one that it was
//! made of.

use crate::ResponseEnd;
use crate::document::{
    DelayOn, Document, FlowsTable, LinkTable, RecordTable, Responses, ethernet_gap, ethernet_minimum_frame,
    ethernet_overhead,
};
use crate::mistakes::{Mistakes, joined};
use crate::network::Network;
use aqmlab_transport::Transport;

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
    for (key, is_given) in
        [("conditions_file", table.conditions_file.is_some()), ("netem", table.netem.is_some())]
    {
        if is_given && !queues {
            let wrong = if table.rate_mbps.is_some() { EVEN_INTERFACE } else { wrong };
            mistakes.value(&joined(path, key), wrong, format!("{key} together with {others}"));
        }
    }
    check_conditions(table, path, mistakes);
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

const EVEN_INTERFACE: &str = "a link without a queue discipline is an interface, on which nothing varies";

/// A file of conditions has a way for each direction, and one alone is meant.
fn check_conditions(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.conditions_file.is_some() {
        if table.both_ways {
            let wrong = "the file of conditions has rates for each way";
            mistakes.value(&joined(path, "both_ways"), wrong, "false, and a link for each way");
        }
    } else if table.conditions_way.is_some() {
        let legal = "conditions_way together with conditions_file";
        mistakes.value(&joined(path, "conditions_way"), "there is no file of conditions", legal);
    } else if !table.conditions_end.is_repeat() {
        let legal = "conditions_end together with conditions_file";
        mistakes.value(&joined(path, "conditions_end"), "there is no file of conditions", legal);
    }
}

const FREE_INTERFACE: &str =
    "a link without a queue discipline is an interface, which sends one packet after the other at any time";

/// A wire that is ideal in the uncongested twin too.
fn check_ideal_wire(table: &LinkTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.uncongested_queue.is_some() {
        let legal = "uncongested_queue together with rate_mbps or uncongested_rate_mbps";
        mistakes.value(&joined(path, "uncongested_queue"), IDEAL_WIRE, legal);
    }
    if !table.layer2_coding.is_none() {
        let wrong = "a link without rate_mbps is an ideal wire: bytes take no time there";
        mistakes.value(&joined(path, "layer2_coding"), wrong, "layer2_coding together with rate_mbps");
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

/// Keys of an application that is not there.
pub(super) fn check_writes(table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let key = joined(path, "application_write_ms");
    if table.application_mbps.is_none() && table.application_write_ms.is_some() {
        let wrong = "this application writes as fast as the connection takes it";
        mistakes.value(&key, wrong, "together with application_mbps");
    }
}

/// Users who do not think.
pub(super) fn check_thinking(table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    if table.think_s.is_none() && table.users.is_some() {
        let wrong = "these flows do not wait for one another";
        mistakes.value(&joined(path, "users"), wrong, "together with think_s");
    }
}

/// Congestion windows, which only flows over TCP have.
fn check_windows(flows: &[FlowsTable], mistakes: &mut Mistakes<'_>) {
    let key = "record.congestion_window_interval_ms";
    match flows {
        [] => mistakes.value(key, "there are no long-lived flows to record", "together with [[flows]]"),
        [first, ..] if flows.iter().all(|flow| flow.transport != Transport::TCP) => {
            let wrong = format!(
                "no long-lived flow goes over TCP, whose windows it records: the transport is \"{}\"",
                first.transport
            );
            mistakes.value(key, wrong, "together with [[flows]] over \"tcp\", or left out");
        }
        _ => {}
    }
}

/// What is to be recorded where there is nothing of the kind.
pub(super) fn check_record(document: &Document, network: &Network, mistakes: &mut Mistakes<'_>) {
    let record = &document.record;
    let without_users = document.users.is_none() && document.populations.is_empty();
    let unwatched = !network.links.iter().any(|link| link.monitored);
    let usual = RecordTable::default();
    let kept = matches!(record.responses, Responses::Rows | Responses::Histogram);
    let nobody = "there are no users";
    if record.datagrams && document.datagrams.is_empty() {
        let wrong = "there are no datagrams to record";
        mistakes.value("record.datagrams", wrong.to_owned(), "together with [[datagrams]]");
    }
    if record.congestion_window_interval_ms.is_some() {
        check_windows(&document.flows, mistakes);
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
