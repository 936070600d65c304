//! How a link serves packets: what the file of a rate trace says, or how its medium is granted, checked
//! against its rate.

use super::quantity::megabits_per_second;
use crate::document::TraceFiles;
use crate::mistakes::{Mistakes, joined};
use crate::recognised::{FileKind, mistaken};
use aqmlab_link::{Medium, RateTrace, ServiceModel};
use std::collections::BTreeMap;

/// What a trace must hold.
const LEGAL_TRACE: &str = "lines of one instant in whole milliseconds, never decreasing, the last above 0";
/// How far the rate that stands beside a trace may be from its mean, as a share of it: it is written by hand.
const LARGEST_DEVIATION: f64 = 0.01;

/// The service of a link with the rate at a key: as the trace says that is in the file which another key
/// names, or as its medium is granted to it.
pub(super) fn service(
    (trace_key, trace_file): (&str, Option<&TraceFiles>),
    (medium_key, medium): (&str, Option<&Medium>),
    rate: (&str, f64),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> ServiceModel {
    match (trace_file, medium) {
        (None, None) => ServiceModel::Constant,
        (Some(names), None) => {
            let trace = rate_trace((trace_key, names.names()), rate, files, mistakes);
            trace.map_or(ServiceModel::Constant, ServiceModel::Trace)
        }
        (None, Some(medium)) => {
            if let Err(error) = medium.validate(megabits_per_second(rate.1)) {
                let wrong = format!("{} is not legal", error.value.unwrap_or_default());
                mistakes.value(&joined(medium_key, &error.key), wrong, error.legal);
            }
            ServiceModel::Medium(medium.clone())
        }
        (Some(_), Some(_)) => {
            let other = trace_key.rsplit('.').next().unwrap_or(trace_key);
            let own = medium_key.rsplit('.').next().unwrap_or(medium_key);
            let wrong = format!("given together with {other}, which says when the link sends");
            mistakes.value(medium_key, wrong, format!("{other} alone, or {own}"));
            ServiceModel::Constant
        }
    }
}

/// The traces in the files that `key` names, one behind the other, whose mean the rate at `rate_key` has to
/// be.
fn rate_trace(
    (key, names): (&str, &[String]),
    (rate_key, rate_mbps): (&str, f64),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<RateTrace> {
    let traces: Option<Vec<RateTrace>> =
        names.iter().map(|name| one_trace((key, name), files, mistakes)).collect();
    let Some(trace) = RateTrace::in_a_row(&traces?) else {
        let wrong = "together the traces take more milliseconds than can be counted";
        mistakes.value(key, wrong, "traces of at most 4294967295 ms in all");
        return None;
    };
    let name = names.join("\", \"");
    let mean_mbps = trace.mean_rate().bits_per_second() as f64 / 1e6;
    if (rate_mbps / mean_mbps - 1.0).abs() > LARGEST_DEVIATION {
        let wrong = format!("{rate_mbps} is not the mean rate of \"{name}\"");
        mistakes.value(rate_key, wrong, format!("{mean_mbps:.6}, to one hundredth of it"));
    }
    Some(trace)
}

/// The trace in one file.
fn one_trace(
    (key, name): (&str, &String),
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<RateTrace> {
    // A file that could not be read is a mistake already.
    let text = files.get(name)?;
    RateTrace::parse(text)
        .map_err(|(line, reason)| {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let other = mistaken(name, text.as_bytes(), Some(FileKind::RateTrace));
            let wrong =
                other.map_or(format!("\"{name}\"{line}: {reason}"), |what| format!("\"{name}\" is {what}"));
            mistakes.value(key, wrong, LEGAL_TRACE);
        })
        .ok()
}
