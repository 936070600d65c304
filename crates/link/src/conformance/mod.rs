//! What every driver of a link owes: departures and discards as a reference without a queue, a ring or a
//! clock works them out.
//!
//! A test draws a [`Case`], drives a link with it in whatever way it drives links, and has what it saw
//! [checked](check). The simulator, the live router, replays and a bare [`crate::Link`] take the same cases.

mod aggregates;
mod byte_time;
mod observed;
mod passed;
mod reference;

pub use observed::{Observed, check};
pub use reference::expected;

use crate::{Framing, Medium, RateTrace, ServiceModel};
use aqmlab_aqm::parts::LineCoding;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span, Time};
use serde_json::Value;

/// A link behind a drop-tail queue whose limit is one of packets.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its rate; of a trace the mean.
    pub rate: Rate,
    /// How long transmissions take.
    pub service: ServiceModel,
    /// Where the random numbers of its service are: drawn, or what a driver of whole runs takes.
    pub key: Key,
    /// What the link layer adds.
    pub framing: Framing,
    /// Packets that its driver takes ahead of transmission.
    pub ring_packets: u32,
    /// Packets that may wait.
    pub limit_packets: u32,
}

/// A packet that comes to the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// Length of the IP packet.
    pub ip_bytes: u32,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The last of it leaves at this instant.
    Departs(Time),
    /// It finds the queue full.
    Overflows,
}

impl Case {
    /// A case drawn at random.
    #[must_use]
    pub fn drawn(dice: &mut Stream) -> Self {
        let overhead_bytes = below(dice, 40);
        let coding = [LineCoding::None, LineCoding::Atm, LineCoding::Ptm][below(dice, 3) as usize];
        let (minimum_frame_bytes, gap_bytes) = (below(dice, 200), below(dice, 30));
        let framing = Framing { overhead_bytes, minimum_frame_bytes, gap_bytes, coding };
        // From 0.1 to 10 Mbit/s, most of them with fractions of a nanosecond for each byte.
        let rate = Rate::from_bits_per_second(100_000 + dice.below(9_900_000));
        let (rate, service) = match dice.below(4) {
            0 => {
                let trace = trace(dice);
                (trace.mean_rate(), ServiceModel::Trace(trace))
            }
            1 => {
                let mut media = Medium::drawn(dice);
                (rate, ServiceModel::Medium(media.swap_remove(dice.below(media.len() as u64) as usize)))
            }
            _ => (rate, ServiceModel::Constant),
        };
        let ring_packets = if dice.below(2) == 0 { 0 } else { 1 + below(dice, 5) };
        let key = Key::from_seed(dice.below(u64::MAX));
        Self { rate, service, key, framing, ring_packets, limit_packets: 1 + below(dice, 12) }
    }

    /// The bottleneck of a dumbbell as the case has it, both ways: a scenario without traffic.
    #[must_use]
    pub fn scenario_text(&self) -> String {
        let bits = self.rate.bits_per_second();
        let (rate, thousandths) = (bits / 1_000_000, bits % 1_000_000);
        let Framing { overhead_bytes, minimum_frame_bytes, gap_bytes, coding } = self.framing;
        let coding = serde_json::to_value(coding).unwrap_or_default();
        let (keys, files) = match &self.service {
            ServiceModel::Constant => (String::new(), String::new()),
            ServiceModel::Medium(medium) => {
                let table = inline(&serde_json::to_value(medium).unwrap_or_default());
                (
                    ["medium", "medium_right_to_left"].map(|key| format!("{key} = {table}\n")).concat(),
                    String::new(),
                )
            }
            ServiceModel::Steps(_) => unreachable!("no case has steps"),
            ServiceModel::Trace(trace) => {
                let keys = ["rate_trace_file", "rate_right_to_left_trace_file"];
                let lines: Vec<String> =
                    trace.opportunities_ms().iter().map(|ms| format!("{ms}\\n")).collect();
                (
                    keys.map(|key| format!("{key} = \"own.trace\"\n")).concat(),
                    format!("[files]\n\"own.trace\" = \"{}\"\n", lines.concat()),
                )
            }
        };
        format!(
            "name = \"link\"\n{files}[dumbbell]\nrate_mbps = {rate}.{thousandths:06}\n{keys}\
             queue = {{ scheme = \"drop-tail\", limit_packets = {} }}\ntransmit_ring_packets = {}\n\
             layer2_overhead_bytes = {overhead_bytes}\nlayer2_minimum_frame_bytes = {minimum_frame_bytes}\n\
             layer2_gap_bytes = {gap_bytes}\nlayer2_coding = {coding}\n",
            self.limit_packets, self.ring_packets
        )
    }

    /// So many arrivals, in bursts and pauses that fill and empty the queue.
    #[must_use]
    pub fn arrivals(&self, count: usize, dice: &mut Stream) -> Vec<Arrival> {
        let mut at = Time::ZERO;
        let mut pace = Span::ZERO;
        let arrival = |_| {
            let ip_bytes = 28 + below(dice, 1_473);
            if dice.below(8) == 0 {
                // Between nothing and four times what a full packet takes.
                let full = self.rate.bits_per_second() as f64 / (8.0 * 1_500.0);
                pace = Span::from_seconds(dice.uniform() * dice.uniform() * 4.0 / full);
            }
            at += Span::from_seconds(2.0 * dice.uniform() * pace.seconds());
            Arrival { at, ip_bytes }
        };
        (0..count).map(arrival).collect()
    }
}

/// A value as TOML, tables in one line.
fn inline(value: &Value) -> String {
    let Some(table) = value.as_object() else { return value.to_string() };
    let keys: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
    format!("{{ {} }}", keys.join(", "))
}

/// Some opportunities within some hundred milliseconds, several of them at one instant.
fn trace(dice: &mut Stream) -> RateTrace {
    let mut at = below(dice, 3);
    let mut lines = String::new();
    for _ in 0..2 + dice.below(20) {
        lines += &format!("{at}\n");
        at += below(dice, 3) * below(dice, 20);
    }
    lines += &format!("{}\n", at + 1);
    RateTrace::parse(&lines).unwrap_or_else(|(line, reason)| unreachable!("{line:?}: {reason}"))
}

fn below(dice: &mut Stream, limit: u64) -> u32 {
    u32::try_from(dice.below(limit)).unwrap_or(u32::MAX)
}
