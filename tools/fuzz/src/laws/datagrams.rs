//! Laws of the table of datagrams: nothing is received that was not sent, nor sooner than links allow.

use super::Broken;
use super::columns::named;

use aqmlab_link::{ServiceModel, Steps};
use aqmlab_record::Table;
use aqmlab_scenario::{DatagramGroup, NodeIndex, Scenario};
use aqmlab_units::{Rate, Span};

pub(super) fn check(table: &Table, scenario: &Scenario, broken: &mut Broken) {
    let column = |name: &str| named(table, name);
    for unit in ["packets", "bytes"] {
        let [sent, received, marked, lost] =
            ["sent", "received", "marked", "lost"].map(|name| column(&format!("{name}_{unit}")));
        for row in 0..sent.len() {
            let holds = received[row] + lost[row] <= sent[row] && marked[row] <= received[row];
            broken.unless(holds, || {
                format!(
                    "datagrams: {} sent, {} received, {} marked, {} lost",
                    sent[row], received[row], marked[row], lost[row]
                )
            });
        }
    }
    let sources =
        scenario.datagrams.iter().flat_map(|group| group.sources.iter().map(move |ends| (group, *ends)));
    let sent = column("sent_packets");
    let delays = ["minimum", "p50", "p95", "p99", "maximum"].map(|name| column(&format!("delay_{name}_s")));
    let mean = column("delay_mean_s");
    broken.unless(sources.clone().count() == sent.len(), || format!("datagrams: {} rows", sent.len()));
    for (row, (group, ends)) in sources.enumerate().take(sent.len()) {
        check_sent(sent[row], group, scenario, broken);
        let least = delays[0][row];
        if least.is_nan() {
            continue;
        }
        let ordered = delays.windows(2).all(|pair| pair[0][row] <= pair[1][row]);
        let between = (least * (1.0 - 1e-12)..=delays[4][row] * (1.0 + 1e-12)).contains(&mean[row]);
        broken.unless(ordered && between, || {
            format!("datagrams: delays {:?}, mean {}", delays.each_ref().map(|delay| delay[row]), mean[row])
        });
        let possible = shortest_s(scenario, group, ends);
        broken.unless(least >= possible, || format!("datagrams: {least} s where {possible} s are needed"));
    }
}

/// A source sends no more than in the mean and what may come at once, where that is bounded.
fn check_sent(sent: f64, group: &DatagramGroup, scenario: &Scenario, broken: &mut Broken) {
    let seconds = (scenario.duration - scenario.warm_up - scenario.cool_down).seconds();
    let Some(spare) = group.sends.burst_packets else { return };
    let most = group.sends.packets_per_second * seconds;
    // An instant is rounded to a nanosecond, and a first datagram stands at the beginning of the window.
    broken.unless(sent <= most * (1.0 + 1e-6) + spare, || {
        format!("datagrams: {sent} sent where {most} may be")
    });
}

/// The highest of rates in bits per second.
fn fastest_of(rates: &Steps<u64>) -> Rate {
    Rate::from_bits_per_second(rates.values().iter().copied().max().unwrap_or(1).max(1))
}

/// What links take for a datagram on empty queues, their clocks as fast as they may be.
fn shortest_s(scenario: &Scenario, group: &DatagramGroup, [from, to]: [NodeIndex; 2]) -> f64 {
    let path = scenario.network.path(from, to).unwrap_or_default();
    let links = path.into_iter().map(|index| scenario.network.link(index));
    let seconds: f64 = links
        .map(|link| {
            let wire_bits = f64::from(link.framing.wire_bytes(u32::from(group.sends.shortest_bytes))) * 8.0;
            let fastest = 1.0 + scenario.rate_tolerance;
            let rate = link.rate.map(|rate| match &link.service {
                ServiceModel::Medium(medium) => medium.highest_rate(rate),
                ServiceModel::Steps(rates) => fastest_of(rates),
                // Several opportunities may share an instant.
                ServiceModel::Trace(_) => Rate::from_bits_per_second(u64::MAX),
                ServiceModel::Constant => rate,
            });
            let rate = rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64 * fastest);
            // A delay that varies may have no least one but zero: a reordered packet has none.
            let delay = if link.delay_model.is_none() { link.delay } else { Span::ZERO };
            delay.seconds() + wire_bits / rate
        })
        .sum();
    // Every link rounds down to a nanosecond, and the rate to a bit per second.
    seconds * (1.0 - 1e-3) - 1e-7
}
