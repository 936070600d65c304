//! Long-lived flows.

use super::delay_box;
use super::host::{self, Host, HostKeys};
use super::law_files;
use super::phases;
use super::quantity::{megabits_per_second, milliseconds, seconds};
use super::traffic::{Starts, check_start, check_stop, ends};
use super::unused;
use crate::document::{
    BaseRoundTripTime, Document, FlowsTable, RoundTripLawName, ThinkTime, TransferBytes, TransferSizeLaw,
    start_spread,
};
use crate::files::loader;
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex};
use crate::scenario::{Flow, FlowDelays, FlowGroup, FlowStarts, Population};
use aqmlab_random::Law;
use aqmlab_session::Writes;
use aqmlab_units::Span;
use aqmlab_web::{RoundTripLaw, SizeLaw};
use std::collections::{BTreeMap, BTreeSet};

/// Every group of flows. Connections are told apart by the name of their population or group, so that these
/// differ.
pub(super) fn resolve(
    document: &Document,
    network: &Network,
    populations: &[Population],
    mistakes: &mut Mistakes<'_>,
) -> Vec<FlowGroup> {
    let mut names = BTreeSet::new();
    let groups = document.flows.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("flows.{index}");
        let name = table.name.clone().unwrap_or_default();
        if !names.insert(name.clone()) {
            let wrong = format!("a second group of flows named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        if populations.iter().any(|population| population.name == name) {
            let wrong = format!("there is a population named \"{name}\"");
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        let starts = starts(document, table, &path, mistakes);
        unused::check_flows(table, &path, mistakes);
        unused::check_writes(table, &path, mistakes);
        unused::check_thinking(table, &path, mistakes);
        let asked = (table.direction, table.senders.as_deref(), table.receivers.as_deref());
        let ends = ends(document, network, &path, asked, table.device.as_deref(), mistakes)?;
        let delays = delays(table, &path, &document.files, mistakes)?;
        let in_turn = (0..).zip(ends.in_turn(table.count));
        let flows = in_turn.map(|(index, ends)| flow(table, &delays, index, ends)).collect();
        let keys = HostKeys { transport: &table.transport, profile: &table.profile, overrides: &table.host };
        let Host { profile, transport } = host::of_flows(&path, keys, mistakes)?;
        let stop = table.stop_s.map(seconds);
        let bytes = match &table.bytes {
            Some(bytes) => Some(size_law(bytes, &joined(&path, "bytes"), &document.files, mistakes)?),
            None => None,
        };
        let dscp = table.dscp;
        let writes = table.application_mbps.map(|rate_mbps| Writes {
            rate: megabits_per_second(rate_mbps),
            every: milliseconds(table.application_write_ms.unwrap_or_default()),
        });
        let delay_box = delay_box::resolve(table.delay_box, &path, mistakes);
        Some(FlowGroup {
            name,
            flows,
            delays,
            starts,
            stop,
            profile,
            transport,
            dscp,
            bytes,
            writes,
            delay_box,
        })
    });
    groups.collect()
}

const CDF_FILE: &str = "cdf_file";

/// The sizes of a group; nothing where their law is none, or its file cannot be read.
fn size_law(
    bytes: &TransferBytes,
    path: &str,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<SizeLaw> {
    let law = match bytes {
        TransferBytes::Same(bytes) => return Some(SizeLaw::constant(*bytes)),
        TransferBytes::Drawn(law) => law,
    };
    let too_small = |maximum: f64| format!("{maximum} leaves no size");
    match *law {
        TransferSizeLaw::Exponential { mean_bytes } => Some(SizeLaw::exponential(mean_bytes)),
        TransferSizeLaw::Lognormal { median_bytes, sigma, maximum_bytes }
            if median_bytes <= maximum_bytes =>
        {
            Some(SizeLaw::lognormal(median_bytes, sigma, maximum_bytes))
        }
        TransferSizeLaw::Lognormal { median_bytes, maximum_bytes, .. } => {
            let legal = format!("median_bytes, {median_bytes}, or more");
            mistakes.value(&joined(path, "maximum_bytes"), too_small(maximum_bytes), legal);
            None
        }
        TransferSizeLaw::Pareto { mean_bytes, shape, maximum_bytes } => {
            let law = SizeLaw::pareto(mean_bytes, shape, maximum_bytes);
            if law.is_none() {
                let least = mean_bytes * (shape - 1.0) / shape;
                let legal = format!("above the least size, mean_bytes (shape - 1) / shape = {least:.1}");
                mistakes.value(&joined(path, "maximum_bytes"), too_small(maximum_bytes), legal);
            }
            law
        }
        // A file that could not be read is a mistake already.
        TransferSizeLaw::Empirical { .. } if mistakes.concern(path) => None,
        TransferSizeLaw::Empirical { ref cdf_file } => SizeLaw::from_file(CDF_FILE, cdf_file, &loader(files))
            .inspect_err(|error| law_files::refuse(path, error, files, mistakes))
            .ok(),
    }
}

/// When the flows start: in one of four ways.
fn starts(document: &Document, table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) -> FlowStarts {
    let listed = !table.starts_s.is_empty();
    let spread_key = joined(path, "start_spread_s");
    // The default says nothing: a resolved scenario has it written out, and may be given arrivals.
    let spreads = table.start_spread_s != start_spread();
    if (listed || table.arrivals_hz.is_some()) && spreads {
        let own = if listed { "starts_s" } else { "arrivals_hz" };
        mistakes.value(&spread_key, format!("{own} already sets when flows start"), format!("without {own}"));
    }
    if let Some(phases) = &table.phases {
        return phases::resolve(document, table, phases, path, mistakes);
    }
    if let Some(think) = &table.think_s {
        return thinking(document, (table, think), path, mistakes);
    }
    match (listed, table.arrivals_hz) {
        (true, arrivals) => {
            check_listed(document, table, path, mistakes);
            if arrivals.is_some() {
                let wrong = "starts_s already sets when flows start";
                mistakes.value(&joined(path, "arrivals_hz"), wrong, "without starts_s");
            }
            FlowStarts::Listed(table.starts_s.iter().copied().map(seconds).collect())
        }
        (false, Some(arrivals_hz)) => {
            let starts = Starts { start_s: table.start_s, start_spread_s: 0.0 };
            check_start(document, path, starts, mistakes);
            check_stop(path, starts, table.stop_s, mistakes);
            FlowStarts::Poisson { first: seconds(table.start_s), mean_interval_s: 1.0 / arrivals_hz }
        }
        (false, None) => {
            let starts = Starts { start_s: table.start_s, start_spread_s: table.start_spread_s };
            check_start(document, path, starts, mistakes);
            check_stop(path, starts, table.stop_s, mistakes);
            FlowStarts::Spread { first: seconds(table.start_s), spread: seconds(table.start_spread_s) }
        }
    }
}

/// Flows that begin when their user has thought about the one before.
fn thinking(
    document: &Document,
    (table, think): (&FlowsTable, &ThinkTime),
    path: &str,
    mistakes: &mut Mistakes<'_>,
) -> FlowStarts {
    let starts = Starts { start_s: table.start_s, start_spread_s: table.start_spread_s };
    check_start(document, path, starts, mistakes);
    check_stop(path, starts, table.stop_s, mistakes);
    let key = joined(path, "think_s");
    for (other, given) in
        [("arrivals_hz", table.arrivals_hz.is_some()), ("starts_s", !table.starts_s.is_empty())]
    {
        if given {
            let wrong = format!("{other} already sets when flows start");
            mistakes.value(&key, wrong, "one of the two");
        }
    }
    if table.bytes.is_none() {
        mistakes.value(&key, "nobody thinks about flows that never end", "together with bytes");
    }
    let users = table.users.unwrap_or(1);
    if users > table.count {
        let wrong = format!("{users} is more than the flows that they begin, count = {}", table.count);
        mistakes.value(&joined(path, "users"), wrong, format!("1 to {}", table.count));
    }
    let think = think.law().unwrap_or_else(|| {
        let wrong = "it is below median_s, and leaves no pause";
        mistakes.value(&joined(&key, "maximum_s"), wrong, "median_s or more");
        Law::Constant(0.0)
    });
    FlowStarts::Thinking {
        first: seconds(table.start_s),
        spread: seconds(table.start_spread_s),
        users: users.max(1),
        think,
    }
}

/// One instant within the run for each flow.
fn check_listed(document: &Document, table: &FlowsTable, path: &str, mistakes: &mut Mistakes<'_>) {
    let key = joined(path, "starts_s");
    if table.starts_s.len() != table.count as usize {
        let wrong = format!("{} where count is {}", table.starts_s.len(), table.count);
        mistakes.value(&key, wrong, "as many as count says");
    }
    if table.start_s > 0.0 {
        let wrong = "starts_s already sets when flows start";
        mistakes.value(&joined(path, "start_s"), wrong, "without starts_s");
    }
    let late = table.starts_s.iter().position(|&start_s| start_s > document.duration_s);
    if let Some(place) = late {
        let wrong = format!("{} is after the end of the run", table.starts_s[place]);
        mistakes.value(&joined(&key, &place.to_string()), wrong, format!("0 to {}", document.duration_s));
    }
    let last_s = table.starts_s.iter().copied().fold(0.0, f64::max);
    if let Some(stop_s) = table.stop_s.filter(|&stop_s| stop_s <= last_s) {
        let wrong = format!("{stop_s} is not after the last of starts_s, {last_s}");
        mistakes.value(&joined(path, "stop_s"), wrong, format!("above {last_s}"));
    }
}

/// Where the delays of a group come from; nothing where that is a file that cannot be read.
fn delays(
    table: &FlowsTable,
    path: &str,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<FlowDelays> {
    let law = match &table.base_rtt_ms {
        dealt if dealt.is_dealt() => return Some(FlowDelays::Dealt),
        BaseRoundTripTime::Same(_) | BaseRoundTripTime::Spaced(_) => return Some(FlowDelays::Given),
        BaseRoundTripTime::Law(named) => match named.law {
            RoundTripLawName::PackMime => RoundTripLaw::packmime(),
        },
        BaseRoundTripTime::File(file) => {
            let path = joined(path, "base_rtt_ms");
            // A file that could not be read is a mistake already.
            if mistakes.concern(&path) {
                return None;
            }
            let load = loader(files);
            match RoundTripLaw::from_file(CDF_FILE, &file.cdf_file, &load) {
                Ok(law) => law,
                Err(error) => {
                    law_files::refuse(&path, &error, files, mistakes);
                    return None;
                }
            }
        }
    };
    Some(FlowDelays::Drawn { law, on: table.delay_on })
}

fn flow(table: &FlowsTable, delays: &FlowDelays, index: u32, [sender, receiver]: [NodeIndex; 2]) -> Flow {
    let given = || milliseconds(table.base_rtt_ms.of_flow(index, table.count).unwrap_or_default());
    let round_trip = match delays {
        FlowDelays::Given | FlowDelays::Dealt => given(),
        FlowDelays::Drawn { law, .. } => law.shortest(),
    };
    let undelayed = Flow { sender, receiver, delay_from_sender: Span::ZERO, delay_from_receiver: Span::ZERO };
    undelayed.delayed(round_trip, table.delay_on)
}
