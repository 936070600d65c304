//! SFG, the Stochastic Fairness Guardian: a filter that holds groups of flows to their share of the link, in
//! front of any scheme.
//!
//! Source: Chung, Claypool, Kinicki, *Stochastic Fair Aggregate Rate Control: Practical Traffic Management
//! for Efficient and Robust IP Networking*, Worcester Polytechnic Institute, 2004, sections 3 and 4,
//! algorithm 2 and equation (4). In front of [`super::arc`] it is the paper's SFA.
//!
//! ```text
//! each interval d_s   every bin: prob ← max(0, 1 − (d_s·C/N)/bytes);  bytes ← 0
//!                     p_n ← p_d + (1 − p_d)·p_e;  avg ← (1 − w)·avg + w·p_n
//!                     on where avg > m_h, off where avg < m_l
//! on each arrival     p ← the least prob of its bins, one in each level;  bytes of these bins ← + size
//!                     on, and with probability p: drop; otherwise on to the scheme behind
//! ```
//!
//! | parameter | unit | paper | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 500 000 bytes | at least one of them |
//! | `levels`, `bins` | | 3, 20 at 10 Mbit/s | 1 to 16, 1 to 65536 |
//! | `interval_ms` | ms | 2000 | 0.001 to 1e9 |
//! | `high_watermark`, `low_watermark` | share of packets | 0.02, 0.01 | 0 to 1, low at most high |
//! | `average_weight` | | not given | above 0, at most 1 |
//! | `inner` | a scheme | drop-tail, ARC | one with a single queue |
//!
//! Departures and silences. The listing divides by bytes that may be none, and its probabilities may be
//! negative: a bin without arrivals has 0, and none is below. What the filter itself drops counts as arrived,
//! so that a flow beyond its share keeps to it. The paper says that two hashes in each level, one to look up
//! and one to count, changed each interval, free a flow that shares all its bins with misbehaving ones, and
//! not whether its figures have them: `rehash`. The weight of the average is not given: 0.2 goes from 0.02 to
//! 0.01 within four intervals. While the filter is off it goes on counting. A flow that begins within an
//! interval is let pass until its end. p_e is the share of the packets behind the filter that overflow (the
//! paper's measure for drop-tail), or what the scheme behind reports (its measure for ARC): `notification`. A
//! filter draws no coin while it is off.

mod trial;

pub use trial::false_positives;

use crate::aqm::Reason;
use crate::discipline::{Discipline, QueueLimit, Scheduled};
use crate::guard::{Admission, Behind, Decision, Guard};
use crate::header::HeaderFields;
use crate::onset::Onset;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require, require_period_ms, require_share};
use crate::parameters::{AnyScheme, Parameters};
use crate::parts::{Ewma, FlowBins, FlowHashes, Limit, LimitRule, Ticker};
use crate::port_facts::PortFacts;
use aqmlab_random::Stream;
use aqmlab_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// When the filter drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Switching {
    /// From an average notification rate above the high watermark until one below the low watermark.
    #[default]
    Watermarks,
    /// Always.
    AlwaysOn,
}

/// What the scheme behind the filter adds to the notification rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Notification {
    /// The share of packets that overflowed the queue in the interval (the paper, for drop-tail).
    #[default]
    Overflows,
    /// The probability of a signal that the scheme reports at the end of the interval (the paper, for ARC).
    SignalProbability,
}

/// SFG: a filter that holds groups of flows to their share of the link while it is congested, in front of any
/// scheme.
///
/// Source: Chung, Claypool and Kinicki 2004. The defaults are the paper's, for 10 Mbit/s; in front of ARC,
/// with notification = "signal_probability", it is their SFA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params<S: AnyScheme> {
    /// Packets that may wait. At least one of the two limits has to be given.
    pub limit_packets: Option<u32>,
    /// Bytes (IP lengths) that may wait.
    pub limit_bytes: Option<u64>,
    /// What a limit of L means.
    pub limit_rule: LimitRule,
    /// Levels, in each of which a flow has one bin.
    pub levels: u32,
    /// Bins of a level, each of which has an equal share of the link.
    pub bins: u32,
    /// Time over which arrivals are counted and after which the probabilities change.
    pub interval_ms: f64,
    /// Whether the hash functions change in each interval.
    pub rehash: bool,
    /// When the filter drops.
    pub switching: Switching,
    /// Average notification rate above which the filter switches on.
    pub high_watermark: f64,
    /// Average notification rate below which the filter switches off.
    pub low_watermark: f64,
    /// Weight of an interval in the average notification rate.
    pub average_weight: f64,
    /// What the scheme behind the filter adds to the notification rate.
    pub notification: Notification,
    /// The scheme behind the filter: a table with scheme = ..., as of a port. It may be without limits.
    #[schemars(schema_with = "S::schema_of_queue_behind_filter")]
    pub inner: Box<S>,
}

impl<S: AnyScheme> Default for Params<S> {
    fn default() -> Self {
        Self {
            limit_packets: None,
            limit_bytes: None,
            limit_rule: LimitRule::HoldLimit,
            levels: 3,
            bins: 20,
            interval_ms: 2000.0,
            rehash: false,
            switching: Switching::Watermarks,
            high_watermark: 0.02,
            low_watermark: 0.01,
            average_weight: 0.2,
            notification: Notification::Overflows,
            inner: Box::new(S::of_queue_behind_filter()),
        }
    }
}

impl<S: AnyScheme> Params<S> {
    fn inner(&self) -> &dyn Parameters {
        self.inner.parameters()
    }

    /// The limit of the scheme behind, if it has one of its own.
    fn own_limit(&self) -> Option<Limit> {
        let limit = self.inner().limit();
        (limit.packets.is_some() || limit.bytes.is_some()).then_some(limit)
    }

    fn guardian(&self, facts: &PortFacts) -> Guardian {
        let bins = FlowBins::new(self.levels as usize, self.bins as usize, facts.flow_salt);
        let bytes_per_s = facts.link_rate.bits_per_second() as f64 / 8.0;
        Guardian {
            share_bytes: bytes_per_s * self.interval_ms / 1e3 / f64::from(self.bins),
            rehash: self.rehash,
            switching: self.switching,
            watermarks: (self.low_watermark, self.high_watermark),
            notification: self.notification,
            on: self.switching == Switching::AlwaysOn,
            table: vec![Bin::default(); bins.len()],
            generation: 0,
            counting: bins.hashes(0),
            looking_up: bins.hashes(0),
            bins,
            average: Ewma::new(self.average_weight),
            interval: Interval::default(),
            last_probability: 0.0,
            ticker: Ticker::new(self.interval_ms / 1e3, facts),
        }
    }
}

impl<S: AnyScheme> Parameters for Params<S> {
    fn validate(&self) -> Result<(), ParameterError> {
        require((1..=16).contains(&self.levels), "levels", self.levels, "from 1 to 16")?;
        require((1..=65_536).contains(&self.bins), "bins", self.bins, "from 1 to 65536")?;
        require_period_ms("interval_ms", self.interval_ms)?;
        let (low, high) = (self.low_watermark, self.high_watermark);
        require((0.0..=1.0).contains(&high), "high_watermark", high, "from 0 to 1")?;
        let legal = format!("from 0 to high_watermark ({high})");
        require((0.0..=high).contains(&low), "low_watermark", low, legal)?;
        require_share("average_weight", self.average_weight)?;
        require(
            self.inner().is_one_queue(),
            "inner.scheme",
            "one with several queues",
            "a scheme with a single queue",
        )?;
        let limit = self.own_limit().map_or(Ok(()), |limit| limit.validate());
        limit.and_then(|()| self.inner().validate()).map_err(|error| error.within("inner"))
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.inner().validate_at(facts).map_err(|error| error.within("inner"))
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(self.inner().onset(facts)?.within("inner"))
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: self.limit_bytes, rule: self.limit_rule }
    }

    fn felt_limit(&self) -> Option<Limit> {
        self.inner().felt_limit()?;
        Some(self.own_limit().unwrap_or_else(|| self.limit()))
    }

    fn ecn(&self) -> bool {
        self.inner().ecn()
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn scheme_within(&self) -> Option<&dyn Any> {
        Some(&*self.inner)
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        Some(
            "its filter leaves each bin its part of the link, and a few flows a few parts of it (Chung et al. 2004)",
        )
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let Discipline::Fifo(queue) = self.inner().build(facts) else {
            unreachable!("a scheme with a single queue, as it was checked to be")
        };
        let limit = self.own_limit().map_or(QueueLimit::OfPort, QueueLimit::Own);
        Discipline::Scheduled(Scheduled::guarded_queue(Box::new(self.guardian(facts)), queue, limit))
    }
}

/// Packets of the present interval.
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    arrived: u64,
    dropped: u64,
    overflowed: u64,
}

/// What is kept in one place: side by side, because without `rehash` it is of one bin.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// Of the bin under the hash functions `looking_up`.
    probability: f64,
    /// Of the bin under the hash functions `counting`.
    bytes: u64,
}

/// The filter at a port.
#[derive(Clone, Debug)]
struct Guardian {
    bins: FlowBins,
    /// What a bin may carry in an interval.
    share_bytes: f64,
    rehash: bool,
    switching: Switching,
    /// Low and high.
    watermarks: (f64, f64),
    notification: Notification,
    on: bool,
    table: Vec<Bin>,
    /// That of `counting`: the same for ever, or another in each interval.
    generation: u64,
    counting: FlowHashes,
    looking_up: FlowHashes,
    average: Ewma,
    interval: Interval,
    last_probability: f64,
    ticker: Ticker,
}

impl Guardian {
    /// The least probability of the flow's bins.
    fn probability_of(&mut self, flow_hash: u32) -> f64 {
        let places = self.looking_up.places(flow_hash).iter();
        places.fold(1.0, |least, &place| self.table[place as usize].probability.min(least))
    }

    /// A packet of the flow arrives: its bins count it. Answers with the least probability.
    fn meet(&mut self, flow_hash: u32, bytes: u32) -> f64 {
        if self.rehash {
            let probability = self.probability_of(flow_hash);
            for &place in self.counting.places(flow_hash) {
                self.table[place as usize].bytes += u64::from(bytes);
            }
            return probability;
        }
        let mut least = 1.0_f64;
        for &place in self.counting.places(flow_hash) {
            let bin = &mut self.table[place as usize];
            bin.bytes += u64::from(bytes);
            if bin.probability < least {
                least = bin.probability;
            }
        }
        least
    }

    fn renew_probabilities(&mut self) {
        for bin in &mut self.table {
            let arrived = std::mem::take(&mut bin.bytes) as f64;
            bin.probability = if arrived > self.share_bytes { 1.0 - self.share_bytes / arrived } else { 0.0 };
        }
        if self.rehash {
            self.generation += 1;
            let next = self.bins.hashes(self.generation);
            self.looking_up = std::mem::replace(&mut self.counting, next);
        }
    }

    /// The notification rate of the interval that ends, and whether the filter drops in the next one.
    fn switch(&mut self, behind: &Behind<'_>) {
        let Interval { arrived, dropped, overflowed } = std::mem::take(&mut self.interval);
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
        let by_filter = share(dropped, arrived);
        let by_scheme = match self.notification {
            Notification::Overflows => share(overflowed, arrived - dropped),
            Notification::SignalProbability => behind.signal_probability().value(),
        };
        self.average.sample(by_filter + (1.0 - by_filter) * by_scheme);
        let (low, high) = self.watermarks;
        let average = self.average.average();
        self.on = match self.switching {
            Switching::AlwaysOn => true,
            Switching::Watermarks => average > high || (self.on && average >= low),
        };
    }
}

impl Guard for Guardian {
    fn admits(
        &mut self,
        _now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        _behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission {
        self.interval.arrived += 1;
        self.last_probability = self.meet(header.flow_hash, packet.bytes);
        if self.on && coins.uniform() < self.last_probability {
            self.interval.dropped += 1;
            return Admission::Refuse(Reason::Filter);
        }
        Admission::Pass
    }

    fn on_decision(&mut self, _now: Time, _packet: &PacketFacts, decision: Decision) {
        if decision == Decision::Discarded(Reason::Overflow) {
            self.interval.overflowed += 1;
        }
    }

    fn hears_of_all(&self) -> bool {
        false
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.ticker.due())
    }

    fn on_timer(&mut self, _due: Time, behind: &Behind<'_>) {
        self.renew_probabilities();
        self.switch(behind);
        self.ticker.advance();
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("filter_is_on", f64::from(u8::from(self.on)));
        sink("notification_rate", self.average.average());
        sink("filter_probability_of_last_arrival", self.last_probability);
        let over = self.table.iter().filter(|bin| bin.probability > 0.0);
        sink("bins_over_share", over.count() as f64);
        sink("greatest_bin_probability", self.table.iter().map(|bin| bin.probability).fold(0.0, f64::max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Scheme;
    use crate::packet::{Codepoint, PacketClass};
    use aqmlab_random::Key;
    use aqmlab_units::{Probability, Rate, Span};

    const NOBODY: Behind<'_> = Behind::new(0, 0, &|| Probability::ZERO);

    /// The paper's filter at 10 Mbit/s, always on: each of 20 bins may carry 125,000 bytes in 2 s.
    fn guardian() -> Guardian {
        let params: Params<Scheme> = Params { switching: Switching::AlwaysOn, ..Params::default() };
        params.guardian(&PortFacts::new(Rate::from_megabits_per_second(10.0)))
    }

    #[test]
    fn a_flow_beyond_its_share_keeps_to_it() {
        // 1, 2 and 10 Mbit/s of 0.5 that a bin may carry: 0.5, 0.75, 0.95 are dropped, half a megabit
        // remains.
        for (mbps, share) in [(1.0, 0.5), (2.0, 0.75), (10.0, 0.95), (0.4, 0.0)] {
            let mut guardian = guardian();
            guardian.meet(7, (mbps * 2e6 / 8.0) as u32);
            guardian.on_timer(Time::ZERO + Span::from_milliseconds(2000), &NOBODY);
            assert!((guardian.probability_of(7) - share).abs() < 1e-12, "{mbps}");
            assert!(share == 0.0 || (mbps * (1.0 - guardian.probability_of(7)) - 0.5).abs() < 1e-12);
            guardian.on_timer(Time::ZERO + Span::from_milliseconds(4000), &NOBODY);
            assert_eq!(guardian.probability_of(7), 0.0, "after an interval of silence");
        }
    }

    #[test]
    fn notification_rates_of_filter_and_scheme_add_up_as_if_they_were_independent() {
        // 0.05 + 0.95·0.1 = 0.145.
        let mut guardian = guardian();
        guardian.average = Ewma::new(1.0);
        guardian.interval = Interval { arrived: 1000, dropped: 50, overflowed: 95 };
        guardian.switch(&NOBODY);
        assert!((guardian.average.average() - 0.145).abs() < 1e-12);
        guardian.notification = Notification::SignalProbability;
        guardian.interval = Interval { arrived: 1000, dropped: 50, overflowed: 95 };
        guardian.switch(&Behind::new(0, 0, &|| Probability::clamped(0.1)));
        assert!((guardian.average.average() - 0.145).abs() < 1e-12);
    }

    #[test]
    fn between_the_watermarks_it_stays_as_it_was() {
        let mut guardian = guardian();
        (guardian.switching, guardian.on) = (Switching::Watermarks, false);
        (guardian.average, guardian.notification) = (Ewma::new(1.0), Notification::SignalProbability);
        let states = [0.015, 0.02, 0.021, 0.015, 0.01, 0.0099, 0.015].map(|rate| {
            guardian.switch(&Behind::new(0, 0, &|| Probability::clamped(rate)));
            guardian.on
        });
        assert_eq!(states, [false, false, true, true, true, false, false]);
    }

    #[test]
    fn who_shares_every_bin_with_a_misbehaving_flow_is_free_after_a_rehash() {
        // In one bin of one level everybody shares it; in two, half of the flows are free.
        let params: Params<Scheme> =
            Params { levels: 1, bins: 2, rehash: true, switching: Switching::AlwaysOn, ..Params::default() };
        let mut guardian = params.guardian(&PortFacts::new(Rate::from_megabits_per_second(10.0)));
        let packet =
            PacketFacts { flow: 1, bytes: 1500, codepoint: Codepoint::Ect0, class: PacketClass::Data };
        let (mut shared, mut coins) = (0, Key::from_seed(1).stream());
        for interval in 1..=400 {
            guardian.meet(1, 100_000_000);
            let header = HeaderFields { flow_hash: 2, ..HeaderFields::default() };
            guardian.admits(Time::ZERO, &packet, &header, &NOBODY, &mut coins);
            guardian.on_timer(Time::ZERO + Span::from_milliseconds(2000 * interval), &NOBODY);
            assert!(guardian.probability_of(1) > 0.98, "the one that misbehaves is found each time");
            shared += u32::from(guardian.probability_of(2) > 0.98);
        }
        // 200, with a standard deviation of 10.
        assert!((150..=250).contains(&shared), "{shared}");
    }
}
