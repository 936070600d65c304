//! RED's average queue: a moving average over arrivals, aged by the time that the link was idle.

use crate::parts::{Ewma, Gauge, Weight};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_units::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an idle period ages the average, where m is the number of whole mean packets that the link could have
/// sent.
///
/// Arrivals that are discarded in the middle of a period do not end it. The rules differ in what they do to
/// its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleRule {
    /// Times (1 - w_q)^m, counted from when the queue became empty; an arrival in the period adds no sample
    /// (Floyd and Jacobson 1993).
    #[default]
    Paper,
    /// Times (1 - w_q)^m, counted from the last discard in the period, then the sample (ns-2, ns-3).
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
    idle: Option<Idle>,
}

/// An idle period that has not ended.
#[derive(Clone, Copy, Debug)]
struct Idle {
    since: Time,
    /// The average at that instant: ageing begins from it, so that what is looked at often ages as what is
    /// looked at once.
    average: f64,
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
            idle: None,
        }
    }

    /// The average of another queue, weighed from here on as in this one.
    #[must_use]
    pub const fn continued_from(self, before: &Self) -> Self {
        Self { average: self.average.from(before.value()), idle: before.idle, ..self }
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
        self.idle.map_or(self.value(), |idle| self.aged_by(idle, now))
    }

    /// The weight of a sample.
    #[must_use]
    pub const fn weight(&self) -> f64 {
        self.average.weight()
    }

    /// A packet arrives at `queue`. An idle period goes on until the packet [is queued](Self::on_queued).
    #[inline]
    pub fn on_arrival(&mut self, now: Time, queue: &QueueView<'_>) {
        let Some(idle) = self.idle else {
            return self.average.sample(self.gauge.length(queue));
        };
        self.average = self.average.from(self.aged_by(idle, now));
        if self.rule != IdleRule::Paper {
            self.average.sample(self.gauge.length(queue));
            // These call a link idle anew whenever it asks in vain, as it does after each discard.
            self.idle = Some(Idle { since: now, average: self.value() });
        }
    }

    /// The packet that arrived last is queued: the link is not idle.
    #[inline]
    pub const fn on_queued(&mut self) {
        self.idle = None;
    }

    /// The link fell idle. Only the first report of an idle period counts.
    #[inline]
    pub fn on_idle(&mut self, now: Time) {
        let average = self.value();
        self.idle.get_or_insert(Idle { since: now, average });
    }

    fn aged_by(&self, idle: Idle, now: Time) -> f64 {
        let passed = now - idle.since;
        if self.rule == IdleRule::Altq && passed > ALTQ_FORGETS_AFTER {
            return 0.0;
        }
        self.average.from(idle.average).after_zeros(self.missed(passed))
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

    /// An average of 100, idle since 1 s, after so many discarded arrivals a second for `seconds`.
    fn after_discards(rule: IdleRule, per_second: u32, seconds: f64) -> f64 {
        let mut average = idle_since_one_second(rule);
        for arrival in 1..=(f64::from(per_second) * seconds) as u32 {
            average.on_arrival(
                Time::from_seconds(1.0 + f64::from(arrival) / f64::from(per_second)),
                &EmptyQueue::view(),
            );
            average.on_idle(Time::from_seconds(1.0 + f64::from(arrival) / f64::from(per_second)));
        }
        average.value()
    }

    #[test]
    fn what_is_discarded_at_an_idle_link_does_not_stop_its_clock() {
        // A second of 1,250 missed samples, however many arrivals look at it: the last of them at its end.
        let once = after_idle(IdleRule::Paper, 1.0);
        for per_second in [1, 1_000, 1_625, 2_750, 12_500] {
            assert_eq!(after_discards(IdleRule::Paper, per_second, 1.0), once, "{per_second} a second");
        }
        // (1 - 1/512)^1250, by its logarithm: exp(-1250/511.4998).
        assert!((once / 100.0 - libm::exp(-1250.0 / 511.499_837)).abs() < 1e-6, "{once}");
    }

    #[test]
    fn ns2_takes_the_clock_anew_at_each_discard_and_a_sample_with_it() {
        // 2,750 arrivals a second are less than a packet apart: m = 0, a sample each.
        let expected = 100.0 * libm::pow(1.0 - WEIGHT, 2_750.0);
        assert!((after_discards(IdleRule::Ns2, 2_750, 1.0) - expected).abs() < 1e-9);
        // 1,000 a second: one whole packet and a sample each.
        let expected = 100.0 * libm::pow(1.0 - WEIGHT, 2_000.0);
        assert!((after_discards(IdleRule::Ns2, 1_000, 1.0) - expected).abs() < 1e-9);
    }

    #[test]
    fn a_packet_that_is_queued_ends_the_period() {
        let mut average = idle_since_one_second(IdleRule::Paper);
        let arrive = |average: &mut AverageQueue| {
            average.on_arrival(Time::from_seconds(1.1), &EmptyQueue::view());
            average.value()
        };
        assert!((arrive(&mut average) - 78.319).abs() < 5e-4);
        average.on_queued();
        assert!(
            (arrive(&mut average) - 78.166).abs() < 5e-4,
            "the link is busy and nobody waits: a sample of zero"
        );
    }

    #[test]
    fn looking_at_an_idle_average_does_not_change_it() {
        let average = idle_since_one_second(IdleRule::Ns2);
        assert!((average.aged(Time::from_seconds(1.1)) - 78.319).abs() < 5e-4);
        assert_eq!(average.value(), 100.0);
    }
}
