//! How a link serves packets: what the file of a rate trace says, held against the rate beside it.

use crate::mistakes::Mistakes;
use aqmlab_link::{RateTrace, ServiceModel};
use std::collections::BTreeMap;

/// What a trace must hold.
const LEGAL_TRACE: &str = "lines of one instant in whole milliseconds, never decreasing, the last above 0";
/// How far the rate that stands beside a trace may be from its mean, as a share of it: it is written by hand.
const LARGEST_DEVIATION: f64 = 0.01;

/// The service of a link with this rate, whose trace is in the file that `key` names if it has one.
pub(super) fn service(
    (key, trace_file): (&str, Option<&String>),
    rate: (&str, f64),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> ServiceModel {
    let trace = trace_file.and_then(|name| rate_trace((key, name), rate, files, mistakes));
    trace.map_or(ServiceModel::Constant, ServiceModel::Trace)
}

/// The trace in the file that `key` names, whose mean the rate at `rate_key` has to be.
fn rate_trace(
    (key, name): (&str, &String),
    (rate_key, rate_mbps): (&str, f64),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<RateTrace> {
    // A file that could not be read is a mistake already.
    let text = files.get(name)?;
    let trace = match RateTrace::parse(text) {
        Ok(trace) => trace,
        Err((line, reason)) => {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            mistakes.value(key, format!("\"{name}\"{line}: {reason}"), LEGAL_TRACE);
            return None;
        }
    };
    let mean_mbps = trace.mean_rate().bits_per_second() as f64 / 1e6;
    if (rate_mbps / mean_mbps - 1.0).abs() > LARGEST_DEVIATION {
        let wrong = format!("{rate_mbps} is not the mean rate of \"{name}\"");
        mistakes.value(rate_key, wrong, format!("{mean_mbps:.6}, to one hundredth of it"));
    }
    Some(trace)
}
