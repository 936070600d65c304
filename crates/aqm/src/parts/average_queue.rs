//! RED's average queue: a moving average over arrivals, aged by the time that the link was idle.

use crate::parts::{Ewma, Gauge, Weight};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an idle period ages the average, where m is the number of whole mean packets that the link could have
/// sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleRule {
    /// Times (1 - w_q)^m; the arrival that ends the period adds no sample (Floyd and Jacobson 1993).
    #[default]
    Paper,
    /// Times (1 - w_q)^m, then the sample (ns-2, ns-3).
    Ns2,
    /// Times (1 - w_q)^(m - 1), or zero after more than 60 s, then the sample (ALTQ).
    Altq,
}

/// ALTQ forgets the average after this many seconds of idleness.
const ALTQ_FORGETS_AFTER: Span = Span::from_milliseconds(60_000);

/// The average length of the queue as RED sees it, in packets (of mean size).
#[derive(Clone, Copy, Debug)]
pub struct AverageQueue {
    average: Ewma,
    gauge: Gauge,
    rule: IdleRule,
    link_rate: Rate,
    idle_since: Option<Time>,
}

impl AverageQueue {
    /// An average that starts at zero.
    #[must_use]
    pub fn new(weight: Weight, gauge: Gauge, rule: IdleRule, facts: &PortFacts) -> Self {
        let packets_per_second = facts.link_rate.packets_per_second(gauge.mean_packet_bytes);
        Self {
            average: Ewma::new(weight.value(packets_per_second)),
            gauge,
            rule,
            link_rate: facts.link_rate,
            idle_since: None,
        }
    }

    /// The average of another queue, weighed from here on as in this one.
    #[must_use]
    pub const fn continued_from(self, before: &Self) -> Self {
        Self { average: self.average.from(before.value()), idle_since: before.idle_since, ..self }
    }

    /// The average at the last arrival.
    #[must_use]
    #[inline]
    pub const fn value(&self) -> f64 {
        self.average.average()
    }

    /// The average as an arrival that finds an empty queue at `now` would see it aged, before its own sample.
    #[must_use]
    pub fn aged(&self, now: Time) -> f64 {
        match self.idle_since {
            Some(since) => self.average.after_zeros(self.missed(now - since)),
            None => self.value(),
        }
    }

    /// The weight of a sample.
    #[must_use]
    pub const fn weight(&self) -> f64 {
        self.average.weight()
    }

    /// A packet arrives at `queue`.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, queue: &QueueView<'_>) {
        let Some(since) = self.idle_since.take() else {
            return self.average.sample(self.gauge.length(queue));
        };
        self.end_idle_period(now - since);
        if self.rule != IdleRule::Paper {
            self.average.sample(self.gauge.length(queue));
        }
    }

    /// The link fell idle. Only the first report of an idle period counts.
    #[inline]
    pub fn on_idle(&mut self, now: Time) {
        self.idle_since.get_or_insert(now);
    }

    fn end_idle_period(&mut self, idle: Span) {
        if self.rule == IdleRule::Altq && idle > ALTQ_FORGETS_AFTER {
            self.average.reset();
        } else {
            self.average.decay(self.missed(idle));
        }
    }

    /// How many samples of an empty queue an idle period stands for.
    fn missed(&self, idle: Span) -> u64 {
        let packets = packets_in(idle, self.link_rate, self.gauge.mean_packet_bytes);
        if self.rule == IdleRule::Altq { packets.saturating_sub(1) } else { packets }
    }
}

/// How many packets of `packet_bytes` a link transmits in `span`, rounded down.
fn packets_in(span: Span, rate: Rate, packet_bytes: u32) -> u64 {
    let bit_nanoseconds = u128::from(span.nanoseconds()) * u128::from(rate.bits_per_second());
    (bit_nanoseconds / (u128::from(packet_bytes) * 8_000_000_000)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Measure;
    use crate::port_facts::PortFacts;
    use crate::queue_view::EmptyQueue;

    const WEIGHT: f64 = 1.0 / 512.0;

    /// An average of 100 packets at 10 Mbit/s and 1000-byte packets (1250 per second), idle since 1 s.
    fn idle_since_one_second(rule: IdleRule) -> AverageQueue {
        let gauge = Gauge { measure: Measure::Packets, mean_packet_bytes: 1000 };
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        let mut average = AverageQueue::new(Weight::Fixed(WEIGHT), gauge, rule, &facts);
        average.average.sample(100.0 / WEIGHT);
        average.on_idle(Time::from_seconds(1.0));
        average.on_idle(Time::from_seconds(1.05));
        average
    }

    fn after_idle(rule: IdleRule, idle_s: f64) -> f64 {
        let mut average = idle_since_one_second(rule);
        average.on_arrival(Time::from_seconds(1.0 + idle_s), &EmptyQueue::view());
        average.value()
    }

    #[test]
    fn a_tenth_of_a_second_of_idleness_is_125_missed_samples() {
        assert!((after_idle(IdleRule::Paper, 0.1) - 78.319).abs() < 5e-4);
        assert!((after_idle(IdleRule::Ns2, 0.1) - 78.166).abs() < 5e-4);
        // m - 1 = 124 and the sample make 125 together.
        assert!((after_idle(IdleRule::Altq, 0.1) - 78.319).abs() < 5e-4);
    }

    #[test]
    fn part_of_a_packet_does_not_count() {
        // One packet lasts 0.8 ms.
        assert_eq!(after_idle(IdleRule::Paper, 0.000_799), 100.0);
        assert!((after_idle(IdleRule::Paper, 0.0008) - 100.0 * (1.0 - WEIGHT)).abs() < 1e-9);
        assert!((after_idle(IdleRule::Altq, 0.000_1) - 100.0 * (1.0 - WEIGHT)).abs() < 1e-9);
    }

    #[test]
    fn altq_forgets_after_a_minute() {
        assert_eq!(after_idle(IdleRule::Altq, 60.001), 0.0);
        assert!(after_idle(IdleRule::Altq, 60.0) > 0.0);
    }

    #[test]
    fn looking_at_an_idle_average_does_not_change_it() {
        let average = idle_since_one_second(IdleRule::Ns2);
        assert!((average.aged(Time::from_seconds(1.1)) - 78.319).abs() < 5e-4);
        assert_eq!(average.value(), 100.0);
    }
}
