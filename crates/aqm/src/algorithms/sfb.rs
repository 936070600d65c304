//! SFB, Stochastic Fair Blue: a Blue in each of many bins of flows, and a box for flows that no probability
//! stops.
//!
//! Source: Feng, Kandlur, Saha, Shin, *Stochastic Fair Blue: A Queue Management Algorithm for Enforcing
//! Fairness*, INFOCOM 2001, sections II to IV, as Chung, Claypool, Kinicki, *Stochastic Fair Aggregate Rate
//! Control*, 2004, and Linux `sch_sfb.c` read it; the Blue of each bin is [`crate::parts::BlueProbability`].
//!
//! ```text
//! on each arrival     in each level, the flow's bin: more than bin_packets of its packets wait: p_m rises
//!                                                    none waits: p_m falls; each at most once in a freeze time
//!                     p ← least p_m of its bins; least (or greatest) at the threshold: the flow is boxed
//!                     boxed: drop, unless the box lets one pass; otherwise with probability p: mark or drop
//! each rehash_ms      other hash functions, whose bins were fed with the boxed flows for warm_up_ms
//! ```
//!
//! | parameter | unit | values used | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | 500 000 bytes (Chung et al.) | at least one of them |
//! | `levels`, `bins` | | 3, 20 (Chung et al.); 8, 16 (Linux) | 1 to 16, 1 to 65536 |
//! | `bin_packets` | packets | 1.5 buffers over the bins; 20 (Linux) | 1 or more |
//! | `increment`, `decrement`, `freeze_ms` | | 0.005, 0.001, 100; 0.001, 0.00017, 0 (Linux) | 0 to 1 without 0; 0 to 1e9 |
//! | `threshold` | probability | 0.98; 1 (Linux) | above 0, at most 1 |
//! | `box_on` | | least (the paper, Linux), greatest (Chung et al. in words) | |
//! | `penalty` | | one in 15 ms (Chung et al.); 10 a second after 20 (Linux) | above 0 |
//! | `rehash_ms`, `warm_up_ms` | ms | 20 000; 600 000, 60 000 (Linux) | 0.001 to 1e9; 0 to below rehash_ms |
//!
//! Departures and silences. The full text of the paper was not at hand: what is not in the two others is
//! named. Chung et al. box a flow at the greatest probability of its bins, the paper and Linux at the least:
//! `box_on`. They give no bin size: unset it is one and a half times the buffer over the bins, in packets of
//! mean size. Their `penalty box time of 15 ms` is read as one packet of all boxed flows in that time, which
//! at 1000 bytes makes the half of a megabit per second of their figures. A bin with more packets than its
//! size discards the arrival in the paper (`full_bins`), in Linux only where all its bins are full. Linux
//! drops capable packets too where the probability is above a half (`drop_above_half`), and moves bins
//! without a freeze time. Packets queued before other hash functions came into use do not count in their
//! bins, unless their flow was boxed while these were fed. The probabilities of boxed flows move on. What
//! leaves is counted off in the order in which it came.

use crate::algorithms::drop_tail::DropTail;
use crate::aqm::Reason;
use crate::discipline::Discipline;
use crate::guard::{Admission, Behind, Decision, Guard};
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::parameter_error::{
    ParameterError, require, require_packet_bytes, require_period_ms, require_share,
};
use crate::parameters::Parameters;
use crate::parts::{BlueProbability, BlueSettings, FlowBins, FlowHashes, Limit, Ticker, buffered_params};
use crate::port_facts::PortFacts;
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Which probability of a flow's bins sends it to the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoxOn {
    /// The least: every one of its bins is at the threshold (Feng et al., Linux).
    #[default]
    Least,
    /// The greatest: one of its bins is (Chung et al. in words).
    Greatest,
}

/// What a bin with more packets than its size does to an arrival, besides raising its probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FullBins {
    /// One of them discards it (Feng et al.).
    #[default]
    AnyDrops,
    /// All of them together discard it (Linux).
    AllDrop,
    /// Nothing.
    Pass,
}

/// How much the box passes of all boxed flows together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Penalty {
    /// One packet, and none in the time after it.
    Interval {
        /// The time.
        box_ms: f64,
    },
    /// A token bucket: a number of packets at once, refilled at a rate (Linux).
    Tokens {
        /// Packets per second.
        rate_hz: f64,
        /// Packets at once.
        burst: u32,
    },
}

buffered_params! {
    /// SFB: a Blue in each of many bins of flows, and a box for flows that no probability stops.
    ///
    /// Source: Feng, Kandlur, Saha and Shin 2001. The defaults are those of Chung, Claypool and Kinicki 2004.
    struct Params {
        /// Levels, in each of which a flow has one bin.
        levels: u32 = 3,
        /// Bins of a level.
        bins: u32 = 20,
        /// Packets in a bin beyond which its probability rises. Unset: one and a half times the buffer over
        /// the bins.
        bin_packets: Option<u32> = None,
        /// Length of a mean packet (IP length): how many packets a limit in bytes stands for.
        mean_packet_bytes: u32 = 1000,
        /// What else a bin with more packets than that does to an arrival.
        full_bins: FullBins = FullBins::AnyDrops,
        /// Increase of the probability of a full bin.
        increment: f64 = 0.005,
        /// Decrease of the probability of an empty bin.
        decrement: f64 = 0.001,
        /// Minimum time between two steps of a bin's probability; 0 for none.
        freeze_ms: f64 = 100.0,
        /// Probability above which a flow is boxed.
        threshold: f64 = 0.98,
        /// Which probability of a flow's bins sends it to the box.
        box_on: BoxOn = BoxOn::Least,
        /// How much the box passes: { interval = { box_ms = ... } } or { tokens = { rate_hz = ..., burst =
        /// ... } }.
        penalty: Penalty = Penalty::Interval { box_ms: 15.0 },
        /// Time after which the hash functions change.
        rehash_ms: f64 = 20_000.0,
        /// Time before that in which boxed flows already update the next bins.
        warm_up_ms: f64 = 2_000.0,
        /// Whether more and more selected ECN-capable packets are dropped as the probability rises above one
        /// half.
        drop_above_half: bool = false,
        /// Whether selected ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
    }
}

impl Params {
    /// Packets in a bin beyond which its probability rises.
    fn bin_size(&self) -> u32 {
        let in_packets = self.limit_packets.map_or(f64::INFINITY, f64::from);
        let in_bytes =
            self.limit_bytes.map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(self.mean_packet_bytes));
        let of_buffer = 1.5 * in_packets.min(in_bytes) / f64::from(self.bins);
        self.bin_packets.unwrap_or((of_buffer as u32).max(1))
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require((1..=16).contains(&self.levels), "levels", self.levels, "from 1 to 16")?;
        require((1..=65_536).contains(&self.bins), "bins", self.bins, "from 1 to 65536")?;
        let bin = self.bin_packets.unwrap_or(1);
        require(bin >= 1, "bin_packets", bin, "at least 1")?;
        require_packet_bytes("mean_packet_bytes", self.mean_packet_bytes)?;
        require_share("increment", self.increment)?;
        require_share("decrement", self.decrement)?;
        let freeze_ms = self.freeze_ms;
        require((0.0..=1e9).contains(&freeze_ms), "freeze_ms", freeze_ms, "from 0 to 1e9 milliseconds")?;
        require_share("threshold", self.threshold)?;
        match self.penalty {
            Penalty::Interval { box_ms } => require_period_ms("penalty.interval.box_ms", box_ms)?,
            Penalty::Tokens { rate_hz, burst } => {
                let legal = (1e-6..=1e6).contains(&rate_hz);
                require(legal, "penalty.tokens.rate_hz", rate_hz, "from 1e-6 to 1e6 per second")?;
                require(burst >= 1, "penalty.tokens.burst", burst, "at least 1")?;
            }
        }
        require_period_ms("rehash_ms", self.rehash_ms)?;
        let (warm_up_ms, legal) =
            (self.warm_up_ms, format!("from 0 to below rehash_ms ({})", self.rehash_ms));
        require(warm_up_ms >= 0.0 && warm_up_ms < self.rehash_ms, "warm_up_ms", warm_up_ms, legal)
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    /// The size of its bins follows from the limits.
    fn adjustable(&self) -> &'static [&'static str] {
        &[]
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        Some(
            "its box leaves flows that do not answer a rate of their own, however little else comes (Feng et al. 2001)",
        )
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(DropTail).guarded_by(Box::new(FairBlue::new(self, facts)))
    }
}

/// One bin: packets of its flows that wait, and its Blue.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    packets: u32,
    blue: BlueProbability,
}

/// The bins of a generation, and how flows are hashed into them.
#[derive(Clone, Debug)]
struct Generation {
    hashes: FlowHashes,
    bins: Vec<Bin>,
}

impl Generation {
    fn new(places: &FlowBins, generation: u64) -> Self {
        Self { hashes: places.hashes(generation), bins: vec![Bin::default(); places.len()] }
    }

    /// A packet of the flow joins the queue.
    #[inline]
    fn join(&mut self, flow_hash: u32) {
        for &place in self.hashes.places(flow_hash) {
            self.bins[place as usize].packets += 1;
        }
    }

    /// A packet of the flow leaves the queue.
    #[inline]
    fn leave(&mut self, flow_hash: u32) {
        for &place in self.hashes.places(flow_hash) {
            self.bins[place as usize].packets -= 1;
        }
    }
}

/// A packet that waits: its flow, and which bins count it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    flow_hash: u32,
    /// Generations in the range of a number of 32 bits: it tells the last two apart from each other and from
    /// earlier ones.
    generation: u32,
    /// Whether the bins of the next generation count it too.
    counted_ahead: bool,
}

/// What the box has let pass.
#[derive(Clone, Copy, Debug)]
enum Gate {
    Interval { box_span: Span, opens: Time },
    Tokens { rate_hz: f64, burst: u32, left: u32, emptied: Time },
}

impl Gate {
    fn new(penalty: Penalty) -> Self {
        match penalty {
            Penalty::Interval { box_ms } => {
                Self::Interval { box_span: Span::from_seconds(box_ms / 1e3), opens: Time::ZERO }
            }
            Penalty::Tokens { rate_hz, burst } => {
                Self::Tokens { rate_hz, burst, left: burst, emptied: Time::ZERO }
            }
        }
    }

    /// Whether a packet of a boxed flow passes.
    fn opens(&mut self, now: Time) -> bool {
        match self {
            Self::Interval { box_span, opens } => {
                if now < *opens {
                    return false;
                }
                *opens = now + *box_span;
            }
            Self::Tokens { rate_hz, burst, left, emptied } => {
                if *left == 0 {
                    let come_back = now.since(*emptied).seconds() * *rate_hz;
                    *left = (come_back as u32).min(*burst);
                    if *left == 0 {
                        return false;
                    }
                }
                *left -= 1;
                // Tokens come back from the instant on at which the last one went.
                *emptied = now;
            }
        }
        true
    }
}

/// The filter at a port.
#[derive(Clone, Debug)]
struct FairBlue {
    places: FlowBins,
    in_use: Generation,
    next: Generation,
    generation: u32,
    warming_up: bool,
    bin_packets: u32,
    full_bins: FullBins,
    settings: BlueSettings,
    threshold: f64,
    box_on: BoxOn,
    drop_above_half: bool,
    gate: Gate,
    rehash: Ticker,
    warm_up: Span,
    waiting: VecDeque<Waiting>,
    /// The last arrival, of which the next decision tells.
    last: Waiting,
    last_probability: f64,
    last_boxed: bool,
}

impl FairBlue {
    fn new(params: &Params, facts: &PortFacts) -> Self {
        let places = FlowBins::new(params.levels as usize, params.bins as usize, facts.flow_salt);
        let rehash = Ticker::new(params.rehash_ms / 1e3, facts);
        let warm_up = Span::from_seconds(params.warm_up_ms / 1e3);
        Self {
            in_use: Generation::new(&places, 0),
            next: Generation::new(&places, 1),
            places,
            generation: 0,
            warming_up: rehash.due().since(Time::ZERO) <= warm_up,
            bin_packets: params.bin_size(),
            full_bins: params.full_bins,
            settings: BlueSettings {
                increment: params.increment,
                decrement: params.decrement,
                freeze: Span::from_seconds(params.freeze_ms / 1e3),
            },
            threshold: params.threshold,
            box_on: params.box_on,
            drop_above_half: params.drop_above_half,
            gate: Gate::new(params.penalty),
            rehash,
            warm_up,
            waiting: VecDeque::with_capacity(params.limit_packets.unwrap_or(1024).min(4096) as usize),
            last: Waiting { flow_hash: 0, generation: 0, counted_ahead: false },
            last_probability: 0.0,
            last_boxed: false,
        }
    }

    /// Moves the Blue of each of the flow's bins, of the generation in use or of the next: answers with the
    /// least and the greatest probability, and in how many levels the bin is full.
    #[inline]
    fn move_bins(&mut self, now: Time, ahead: bool, flow_hash: u32) -> (f64, f64, usize) {
        let Self { in_use, next, bin_packets, settings, .. } = self;
        let Generation { hashes, bins } = if ahead { next } else { in_use };
        let (mut least, mut greatest, mut full) = (1.0_f64, 0.0_f64, 0);
        for &place in hashes.places(flow_hash) {
            let bin = &mut bins[place as usize];
            if bin.packets > *bin_packets {
                full += 1;
                bin.blue.rise(now, settings);
            } else if bin.packets == 0 {
                bin.blue.fall(now, settings);
            }
            let probability = bin.blue.value();
            if probability < least {
                least = probability;
            }
            if probability > greatest {
                greatest = probability;
            }
        }
        (least, greatest, full)
    }

    /// A packet joins the queue: the bins count it.
    #[inline]
    fn join(&mut self, Waiting { flow_hash, counted_ahead, .. }: Waiting) {
        self.in_use.join(flow_hash);
        if counted_ahead {
            self.next.join(flow_hash);
        }
    }

    /// A packet leaves the queue: the bins that counted it are in use, in use no longer, or still to come.
    #[inline]
    fn leave(&mut self, Waiting { flow_hash, generation, counted_ahead }: Waiting) {
        if generation == self.generation {
            self.in_use.leave(flow_hash);
            if counted_ahead {
                self.next.leave(flow_hash);
            }
        } else if counted_ahead && generation.wrapping_add(1) == self.generation {
            // Its next generation has come into use since.
            self.in_use.leave(flow_hash);
        }
    }

    fn are_too_full(&self, full: usize) -> bool {
        match self.full_bins {
            FullBins::AnyDrops => full > 0,
            FullBins::AllDrop => full == self.places.levels(),
            FullBins::Pass => false,
        }
    }

    fn select(&self, probability: f64, coins: &mut Stream) -> Admission {
        let coin = coins.uniform();
        if self.drop_above_half && coin < 2.0 * (probability - 0.5) {
            return Admission::Refuse(Reason::Early);
        }
        if coin < probability { Admission::Signal } else { Admission::Pass }
    }

    /// When the next bins begin to be fed; none while they are.
    fn warm_up_due(&self) -> Option<Time> {
        let due = self.rehash.due().nanoseconds().saturating_sub(self.warm_up.nanoseconds());
        (!self.warming_up).then_some(Time::from_nanoseconds(due))
    }

    /// The next bins come into use.
    fn switch(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        let after_next = Generation::new(&self.places, u64::from(self.generation) + 1);
        self.in_use = std::mem::replace(&mut self.next, after_next);
        self.warming_up = false;
    }
}

impl Guard for FairBlue {
    fn admits(
        &mut self,
        now: Time,
        _packet: &PacketFacts,
        header: &HeaderFields,
        _behind: &Behind<'_>,
        coins: &mut Stream,
    ) -> Admission {
        let flow_hash = header.flow_hash;
        let (least, greatest, full) = self.move_bins(now, false, flow_hash);
        let deciding = if self.box_on == BoxOn::Least { least } else { greatest };
        (self.last_probability, self.last_boxed) = (least, deciding >= self.threshold);
        let counted_ahead = self.last_boxed && self.warming_up;
        self.last = Waiting { flow_hash, generation: self.generation, counted_ahead };
        if self.last_boxed {
            if counted_ahead {
                self.move_bins(now, true, flow_hash);
            }
            let opens = self.gate.opens(now);
            return if opens { Admission::Pass } else { Admission::Refuse(Reason::Filter) };
        }
        if self.are_too_full(full) {
            return Admission::Refuse(Reason::Forced);
        }
        self.select(least, coins)
    }

    fn on_decision(&mut self, _now: Time, _packet: &PacketFacts, decision: Decision) {
        match decision {
            Decision::Queued | Decision::Marked => {
                self.join(self.last);
                self.waiting.push_back(self.last);
            }
            Decision::Sent => {
                let gone = self.waiting.pop_front().expect("whoever is sent was queued");
                self.leave(gone);
            }
            // It found no room, and never waited.
            Decision::Discarded(_) => {}
        }
    }

    fn next_timer(&self) -> Option<Time> {
        let switch = self.rehash.due();
        Some(self.warm_up_due().map_or(switch, |due| due.min(switch)))
    }

    fn on_timer(&mut self, due: Time, _behind: &Behind<'_>) {
        if due < self.rehash.due() {
            self.warming_up = true;
            return;
        }
        self.switch();
        self.rehash.advance();
        // With the whole of the time for warming up there is no instant at which it begins.
        self.warming_up = self.warm_up_due().is_some_and(|begins| begins <= due);
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("probability_of_last_arrival", self.last_probability);
        sink("last_arrival_is_boxed", f64::from(u8::from(self.last_boxed)));
        sink("generation", f64::from(self.generation));
        sink("bin_packets", f64::from(self.bin_packets));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_one_and_a_half_times_their_share_of_the_buffer_unless_told() {
        let size = |limit_packets, limit_bytes, bin_packets| {
            Params { limit_packets, limit_bytes, bin_packets, ..Params::default() }.bin_size()
        };
        // 1.5·500/20 = 37.5.
        assert_eq!(size(Some(500), None, None), 37);
        assert_eq!(size(None, Some(500_000), None), 37);
        assert_eq!(size(Some(100), Some(500_000), None), 7);
        assert_eq!(size(Some(5), None, None), 1);
        assert_eq!(size(Some(500), None, Some(25)), 25);
    }

    #[test]
    fn a_box_of_15_ms_lets_66_packets_a_second_pass_and_tokens_come_back_when_they_are_gone() {
        let at = |ms: u64| Time::ZERO + Span::from_milliseconds(ms);
        let mut gate = Gate::new(Penalty::Interval { box_ms: 15.0 });
        // At 0, 15, ..., 990 ms.
        assert_eq!((0..1000).filter(|&ms| gate.opens(at(ms))).count(), 67);
        let mut gate = Gate::new(Penalty::Tokens { rate_hz: 10.0, burst: 3 });
        let opened: Vec<u64> = (0..=310).filter(|&ms| gate.opens(at(ms))).collect();
        // Three at once; the next after a tenth of a second without any, and so on.
        assert_eq!(opened, [0, 1, 2, 102, 202, 302]);
        assert!(gate.opens(at(602)) && gate.opens(at(602)) && gate.opens(at(602)) && !gate.opens(at(602)));
    }

    #[test]
    fn at_three_quarters_linux_drops_half_and_marks_a_quarter() {
        let facts = PortFacts::new(aqmlab_units::Rate::from_megabits_per_second(10.0));
        let blue = FairBlue::new(&Params { drop_above_half: true, ..Params::default() }, &facts);
        let mut coins = aqmlab_random::Key::from_seed(1).stream();
        let (mut drops, mut signals) = (0, 0);
        for _ in 0..20_000 {
            match blue.select(0.75, &mut coins) {
                Admission::Refuse(_) => drops += 1,
                Admission::Signal => signals += 1,
                Admission::Pass => {}
            }
        }
        // Standard deviations of 71 and 61.
        assert!((9_700..=10_300).contains(&drops), "{drops}");
        assert!((4_750..=5_250).contains(&signals), "{signals}");
    }
}
