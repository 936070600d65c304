//! A run that ends in its cool-down has measured what the run with all of it has.

use super::columns::digest_of;
use aqmlab_sim::Output;
use serde_json::Value as Json;

/// Tables that hold nothing but what is measured.
const MEASURED: [&str; 11] = [
    "response_histogram",
    "response_scatter",
    "responses",
    "page_histogram",
    "pages",
    "datagrams",
    "transfers",
    "users",
    "traffic",
    "traffic_series",
    "queues",
];

/// Of a population, what is counted to the end of the run.
const OF_THE_RUN: [&str; 3] = ["unfinished", "whole_run", "generated"];

/// Whether two runs that differ in the length of their cool-down have measured the same.
pub(crate) fn measured_alike(ended: &Output, whole: &Output) -> bool {
    measured(ended) == measured(whole)
}

fn measured(output: &Output) -> u64 {
    let mut summary = serde_json::to_value(&output.summary).unwrap_or_default();
    if let Some(keys) = summary.as_object_mut() {
        keys.remove("ended_s");
    }
    for population in summary["populations"].as_array_mut().into_iter().flatten() {
        population.as_object_mut().into_iter().for_each(|keys: &mut serde_json::Map<String, Json>| {
            keys.retain(|key, _| !OF_THE_RUN.contains(&key.as_str()));
        });
    }
    digest_of(&summary.to_string(), output.tables.iter().filter(|table| MEASURED.contains(&table.name)))
}
