//! Laws of the tables, by the names of their columns.

use super::columns::{named, numbers};
use super::{Broken, datagrams, video_calls};
use aqmlab_record::Table;
use aqmlab_scenario::{Population, Scenario, StartRule};
use aqmlab_sim::Output;

/// Columns of instants within the run.
const INSTANTS: [&str; 4] = ["time_s", "completed_at_s", "opened_s", "closed_s"];
/// Instants of rows that stand in the order in which they happened.
const ORDERED: [&str; 2] = ["time_s", "completed_at_s"];
/// Shares and probabilities.
const SHARES: [&str; 2] = ["utilization", "signal_probability"];

pub(super) fn check(table: &Table, scenario: &Scenario, broken: &mut Broken) {
    let end = scenario.duration.seconds();
    // Whatever a scheme tells of itself may be any number.
    for column in table.columns.iter().filter(|column| (table.name, column.name) != ("scheme_state", "value"))
    {
        let name = format!("{}.{}", table.name, column.name);
        // Of a connection that is still open the end is not known, no delay where nothing was received, no
        // round trip before the first sample, a frame may never be shown, and nothing be under way.
        let may_be_missing =
            ["closed_s", "completed_s", "transfer_time_s", "smoothed_round_trip_s", "shown_s"]
                .contains(&column.name)
                || column.name.starts_with("delay_")
                || column.name.starts_with("under_way_");
        let values: Vec<f64> =
            numbers(&column.values).filter(|value| !(may_be_missing && value.is_nan())).collect();
        let outside = |legal: std::ops::RangeInclusive<f64>| {
            values.iter().copied().find(|value| !legal.contains(value))
        };
        // Histograms end in a bin without an upper end, and what is under way may take for ever.
        let open_ended = column.name.contains("upper") || column.name.ends_with("_most_s");
        let bad = values.iter().find(|value| value.is_nan() || (value.is_infinite() && !open_ended));
        broken.unless(bad.is_none(), || format!("{name} holds {bad:?}"));
        broken.unless(outside(0.0..=f64::INFINITY).is_none(), || format!("{name} holds a negative number"));
        if INSTANTS.contains(&column.name) {
            let late = outside(0.0..=end);
            broken.unless(late.is_none(), || format!("{name} holds {late:?} in a run of {end} s"));
        }
        if ORDERED.contains(&column.name) {
            let back = values.windows(2).find(|pair| pair[0] > pair[1]);
            broken.unless(back.is_none(), || format!("{name} goes back: {back:?}"));
        }
        if SHARES.contains(&column.name) {
            let share = outside(0.0..=1.0);
            broken.unless(share.is_none(), || format!("{name} holds {share:?}"));
        }
    }
    match table.name {
        "queue_summary" => check_queue_summary(table, broken),
        "flows" => check_flows(table, broken),
        "datagrams" => datagrams::check(table, scenario, broken),
        "video_call_frames" => video_calls::check(table, scenario, broken),
        "responses" => check_responses(table, scenario, broken),
        _ => {}
    }
}

fn check_queue_summary(table: &Table, broken: &mut Broken) {
    let (least, mean, most) =
        (named(table, "minimum_packets"), named(table, "mean_packets"), named(table, "maximum_packets"));
    for row in 0..mean.len() {
        // Means are kept with 24 bits.
        let between = least[row] * (1.0 - 1e-7) <= mean[row] && mean[row] <= most[row] * (1.0 + 1e-7);
        broken.unless(between, || {
            format!("queue_summary: mean {} of {} to {}", mean[row], least[row], most[row])
        });
    }
}

fn check_flows(table: &Table, broken: &mut Broken) {
    let (opened, closed) = (named(table, "opened_s"), named(table, "closed_s"));
    let back = opened.iter().zip(&closed).find(|(opened, closed)| opened > closed);
    broken.unless(back.is_none(), || format!("flows: closed before opened: {back:?}"));
    let (drops, episodes) = (named(table, "dropped_data_segments"), named(table, "loss_episodes"));
    let multiple = named(table, "loss_episodes_multiple");
    for row in 0..drops.len() {
        let ordered = multiple[row] <= episodes[row] && episodes[row] <= drops[row];
        broken.unless(ordered, || format!("flows: {} drops, {} episodes", drops[row], episodes[row]));
    }
}

fn check_responses(table: &Table, scenario: &Scenario, broken: &mut Broken) {
    let from = scenario.warm_up.seconds();
    // Who is met in the middle of everything may wait since half an hour.
    let stationary = |population: &Population| population.start == StartRule::Stationary;
    let past = if scenario.populations.iter().any(stationary) { 1_800.0 } else { 0.0 };
    let (completed, taken) = (named(table, "completed_at_s"), named(table, "response_time_s"));
    for (&completed, &taken) in completed.iter().zip(&taken) {
        // Instants are read as numbers of 53 bits.
        broken.unless(taken <= (completed + past) * (1.0 + 1e-12), || {
            format!("responses: completed at {completed} s after {taken} s")
        });
        broken.unless(completed >= from, || {
            format!("responses: completed at {completed} s, measured from {from} s")
        });
    }
}

/// Laws that join tables with the summary.
pub(super) fn check_totals(output: &Output, scenario: &Scenario, broken: &mut Broken) {
    let populations = || output.summary.populations.iter().zip(&scenario.populations);
    let completed: u64 = populations().filter(|(_, own)| !watches(own)).map(|(done, _)| done.completed).sum();
    check_segments(
        output,
        populations().filter(|(_, own)| watches(own)).map(|(done, _)| done.completed).sum(),
        broken,
    );
    for table in &output.tables {
        let counted = match table.name {
            "responses" => table.rows() as f64,
            "response_histogram" | "response_scatter" => named(table, "count").iter().sum(),
            _ => continue,
        };
        broken.unless(counted == completed as f64, || {
            format!("{}: {counted} exchanges where {completed} were completed", table.name)
        });
    }
    check_queues(output, broken);
    let queue = output.tables.iter().find(|table| table.name == "queue");
    let limits =
        scenario.network.links.iter().filter(|link| link.monitored).filter_map(|link| link.queue.as_ref());
    let limits: Vec<_> = limits.map(|scheme| scheme.limit()).collect();
    if let Some(table) = queue {
        let (link, packets) = (named(table, "link"), named(table, "packets"));
        for (link, packets) in link.iter().zip(&packets) {
            let limit = limits.get(*link as usize).and_then(|limit| limit.packets).unwrap_or(u32::MAX);
            broken
                .unless(*packets <= f64::from(limit), || format!("{packets} packets wait where {limit} may"));
        }
    }
}

/// Whether a population watches videos, whose segments are no responses.
fn watches(population: &Population) -> bool {
    population.model.parameters().facts().waits_for.segments()
}

/// The segments that arrived in the measured window are the exchanges that viewers completed.
fn check_segments(output: &Output, completed: u64, broken: &mut Broken) {
    let Some(table) = output.tables.iter().find(|table| table.name == "video_segments") else { return };
    let (from, until) = (output.summary.measured_from_s, output.summary.measured_until_s);
    let columns = ["requested_at_s", "download_time_s", "arrived"].map(|column| named(table, column));
    // Instants are read as numbers of 53 bits.
    let arrived = |slack: f64| {
        let inside = |row: &usize| {
            let at = columns[0][*row] + columns[1][*row];
            columns[2][*row] == 1.0 && from - slack <= at && at < until + slack
        };
        (0..table.rows()).filter(inside).count() as u64
    };
    broken.unless((arrived(-1e-9)..=arrived(1e-9)).contains(&completed), || {
        format!("video_segments: {} arrived where {completed} exchanges were completed", arrived(0.0))
    });
}

/// What single queues of a port did is what the port did.
fn check_queues(output: &Output, broken: &mut Broken) {
    let Some(table) = output.tables.iter().find(|table| table.name == "queues") else { return };
    let link = named(table, "link");
    for name in ["sent", "marked"] {
        let counts = named(table, &format!("{name}_packets"));
        for (place, summary) in output.summary.links.iter().enumerate() {
            let own = link.iter().zip(&counts).filter(|(link, _)| **link == place as f64);
            let (rows, sum) = own.fold((0, 0.0), |(rows, sum), (_, count)| (rows + 1, sum + count));
            let counters = &summary.counters;
            let of_port = if name == "sent" { counters.departed } else { counters.marked };
            broken.unless(rows == 0 || sum == of_port.packets as f64, || {
                format!("queues of {}: {sum} {name}, the port {}", summary.name, of_port.packets)
            });
        }
    }
}
