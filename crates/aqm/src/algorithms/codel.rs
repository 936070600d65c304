//! CoDel: controlled delay, decided when packets leave.
//!
//! Source: Nichols, Jacobson, McGregor, Iyengar, *Controlled Delay Active Queue Management*, RFC 8289 (2018),
//! section 5; the names of the state are the RFC's.
//!
//! ```text
//! take the head               sojourn < target or bytes left ≤ mtu   first_above ← none
//!                             else first_above = none                first_above ← now + interval
//!                             else now ≥ first_above                 it may be dropped
//! while dropping              it may not be dropped: stop dropping
//!                             now ≥ drop_next: drop, count ← count + 1, take the next head;
//!                                              if that may be dropped, drop_next ← drop_next + interval/√count
//! otherwise, if it may be dropped: drop, take the next head, start dropping;
//!                             count ← count − lastcount if that is above 1 and now − drop_next < 16 intervals, else 1
//!                             drop_next ← now + interval/√count; lastcount ← count
//! ```
//!
//! | parameter | unit | RFC 8289 | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | a memory limit, not a control | at least one of them |
//! | `target_ms` | ms | 5 | 0.001 to 1e9 |
//! | `interval_ms` | ms | 100 | 0.001 to 1e9, at least `target_ms` |
//! | `mtu_bytes` | bytes | the largest packet | 1 or more |
//! | `ce_threshold_ms` | ms | (Linux: none) | 0.001 to 1e6 |
//!
//! Departures and silences. The RFC's listing only drops. With ECN, where the listing would drop, a packet
//! that is ECN-capable is marked and delivered, and the next instant is set as if it had been dropped (Linux
//! `codel.h`, the implementation of the RFC's authors). `mtu_bytes` is a parameter where the RFC's code takes
//! the largest packet seen; nothing is dropped while no more than that stays behind. Square roots are exact;
//! Linux's first Newton step gives gaps of 50 and 56 ms where the law gives 71 and 58. The threshold of marks
//! is that of Linux `codel_impl.h`: for all packets that can be marked, or those with ECT(1), which Linux has
//! in fq_codel alone.

use crate::aqm::{Aqm, Departing, Reason, Verdict};
use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::packet::PacketFacts;
use crate::parameter_error::{ParameterError, require_packet_bytes, require_target_and_interval};
use crate::parameters::Parameters;
use crate::parts::{CeThreshold, CeThresholdEcn, Limit, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

buffered_params! {
    /// CoDel: drops at the head once packets have waited longer than a target for a whole interval, ever more
    /// often.
    ///
    /// Source: RFC 8289 (2018), section 5. The defaults are the RFC's.
    struct Params {
        /// Waiting time that is always acceptable; at least the transmission time of one packet.
        target_ms: f64 = 5.0,
        /// How long the least waiting time has to exceed the target before the first drop; about the longest
        /// usual round-trip time.
        interval_ms: f64 = 100.0,
        /// Length of the largest packet (IP length): nothing is dropped while at most this many bytes remain
        /// queued.
        mtu_bytes: u32 = 1500,
        /// Whether ECN-capable packets are marked instead of dropped.
        ecn: bool = false,
        /// ECN-capable packets that waited longer are marked, whatever else is decided and also with ecn =
        /// false. Unset: none.
        ce_threshold_ms: Option<f64> = None,
        /// Which ECN-capable packets ce_threshold_ms concerns, without which it is any.
        ce_threshold_ecn: CeThresholdEcn = CeThresholdEcn::Any,
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_target_and_interval(self.target_ms, self.interval_ms)?;
        require_packet_bytes("mtu_bytes", self.mtu_bytes)?;
        CeThreshold::validate(self.ce_threshold_ms, self.ce_threshold_ecn)
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(Onset::of_delay("target_ms", self.target_ms, facts.link_rate))
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ecn || self.ce_threshold_ms.is_some()
    }

    fn adjustable(&self) -> &'static [&'static str] {
        &[
            "limit_packets",
            "limit_bytes",
            "target_ms",
            "interval_ms",
            "mtu_bytes",
            "ecn",
            "ce_threshold_ms",
            "ce_threshold_ecn",
        ]
    }

    fn build(&self, _facts: &PortFacts) -> Discipline {
        Discipline::fifo(CoDel::new(self, InFairQueueing::default()))
    }
}

/// When a queue is so short that nothing is dropped from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NearlyEmpty {
    /// While at most `mtu_bytes` wait in the queue itself (RFC 8289, section 5.3; ns-3).
    #[default]
    OwnQueue,
    /// While at most `mtu_bytes` wait in all queues together (Linux).
    AllQueues,
}

/// What is otherwise where CoDel has one queue of many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InFairQueueing {
    /// Whether packets that the port discards to make room for others count as drops of its own.
    pub(crate) counts_room_made: bool,
    pub(crate) nearly_empty: NearlyEmpty,
}

/// Why the packet that is asked about is the next head within one departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterDrop {
    /// It is the first that the link is offered.
    Nothing,
    /// The drop before it began an episode: it passes.
    Began,
    /// The drop before it was one of an episode, which goes on if this one may be dropped too.
    WentOn,
}

/// CoDel at a port.
#[derive(Clone, Debug)]
pub struct CoDel {
    target: Span,
    interval: Span,
    mtu_bytes: u64,
    ecn: bool,
    ce_threshold: Option<CeThreshold>,
    among_others: InFairQueueing,
    /// When the waiting time will have been above the target for an interval; none while it is not above.
    first_above: Option<Time>,
    drop_next: Time,
    /// Drops since the episode began.
    count: u32,
    /// What `count` was when the episode began.
    last_count: u32,
    dropping: bool,
    after: AfterDrop,
}

impl CoDel {
    /// CoDel in a queue, under parameters that are valid.
    pub(crate) fn new(parameters: &Params, among_others: InFairQueueing) -> Self {
        Self {
            target: Span::from_seconds(parameters.target_ms / 1e3),
            interval: Span::from_seconds(parameters.interval_ms / 1e3),
            mtu_bytes: parameters.mtu_bytes.into(),
            ecn: parameters.ecn,
            ce_threshold: CeThreshold::new(parameters.ce_threshold_ms, parameters.ce_threshold_ecn),
            among_others,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            after: AfterDrop::Nothing,
        }
    }

    /// The RFC's `dodequeue`: whether the head may be dropped.
    fn may_drop(&mut self, now: Time, packet: &Departing, queue: &QueueView<'_>) -> bool {
        let Some(arrived) = packet.arrived else { return false };
        let left = match self.among_others.nearly_empty {
            NearlyEmpty::OwnQueue => queue.bytes(),
            NearlyEmpty::AllQueues => queue.bytes_of_port(),
        };
        if now.since(arrived) < self.target || left <= self.mtu_bytes {
            self.first_above = None;
            return false;
        }
        let first_above = *self.first_above.get_or_insert(now + self.interval);
        // An interval is never zero: the instant at which it begins is not one at which it is over.
        now >= first_above
    }

    /// The RFC's `control_law`: drops come closer with the square root of their number.
    fn control_law(&self, from: Time) -> Time {
        let gap_ns = self.interval.nanoseconds() as f64 / f64::from(self.count).sqrt();
        from + Span::from_nanoseconds(gap_ns.round() as u64)
    }

    fn begin(&mut self, now: Time) {
        let delta = self.count.saturating_sub(self.last_count);
        let since_ns = now.nanoseconds().saturating_sub(self.drop_next.nanoseconds());
        let soon = since_ns < self.interval.nanoseconds().saturating_mul(16);
        self.count = if delta > 1 && soon { delta } else { 1 };
        self.drop_next = self.control_law(now);
        self.last_count = self.count;
        self.dropping = true;
    }

    /// A drop of an episode under way. The next instant follows from this drop's, not from `now`.
    fn go_on(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    fn signal(&mut self, packet: &Departing, next: AfterDrop) -> Verdict {
        let delivered = self.ecn && packet.facts.codepoint.can_be_marked();
        self.after = if delivered { AfterDrop::Nothing } else { next };
        if delivered && next == AfterDrop::WentOn {
            self.drop_next = self.control_law(self.drop_next);
        }
        Verdict::Signal(Reason::Early)
    }

    /// The RFC's `dequeue`.
    #[inline(always)]
    fn decide(&mut self, now: Time, packet: &Departing, queue: &QueueView<'_>) -> Verdict {
        let may_drop = self.may_drop(now, packet, queue);
        let after = std::mem::replace(&mut self.after, AfterDrop::Nothing);
        if after == AfterDrop::Began {
            return Verdict::Pass;
        }
        if self.dropping {
            if !may_drop {
                self.dropping = false;
                return Verdict::Pass;
            }
            if after == AfterDrop::WentOn {
                self.drop_next = self.control_law(self.drop_next);
            }
            if now < self.drop_next {
                return Verdict::Pass;
            }
            self.go_on();
            return self.signal(packet, AfterDrop::WentOn);
        }
        if may_drop {
            self.begin(now);
            return self.signal(packet, AfterDrop::Began);
        }
        Verdict::Pass
    }

    /// Linux's threshold: what passes is marked if it waited longer and can be. The port has ECN for that;
    /// without, CoDel itself drops.
    #[inline(never)]
    fn decide_beside(
        &mut self,
        threshold: CeThreshold,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
    ) -> Verdict {
        match self.decide(now, packet, queue) {
            Verdict::Pass if threshold.marks(now, packet) => Verdict::Signal(Reason::Early),
            Verdict::Signal(reason) if !self.ecn => Verdict::Drop(reason),
            other => other,
        }
    }
}

impl Aqm for CoDel {
    fn on_arrival(
        &mut self,
        _now: Time,
        _packet: &PacketFacts,
        _queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(
        &mut self,
        now: Time,
        packet: &Departing,
        queue: &QueueView<'_>,
        _coins: &mut Stream,
    ) -> Verdict {
        if let Some(threshold) = self.ce_threshold {
            return self.decide_beside(threshold, now, packet, queue);
        }
        self.decide(now, packet, queue)
    }

    fn on_room_made(&mut self, _now: Time, packets: u32) {
        if self.among_others.counts_room_made {
            self.count = self.count.saturating_add(packets);
        }
    }

    fn on_idle(&mut self, _now: Time) {
        self.first_above = None;
        self.dropping = false;
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("count", f64::from(self.count));
        sink("last_count", f64::from(self.last_count));
        sink("dropping", f64::from(u8::from(self.dropping)));
        sink("drop_next_ms", self.drop_next.seconds() * 1e3);
    }

    fn watches_arrivals(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }

    fn continue_from(&mut self, before: &dyn Any) -> bool {
        let Some(before) = before.downcast_ref::<Self>() else { return false };
        *self = {
            let Self { target, interval, mtu_bytes, ecn, ce_threshold, among_others, .. } = *self;
            Self { target, interval, mtu_bytes, ecn, ce_threshold, among_others, ..before.clone() }
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Codepoint, PacketClass, Queued};
    use crate::port::Port;
    use crate::queue_view::EmptyQueue;
    use aqmlab_random::Key;
    use aqmlab_units::Rate;

    #[derive(Clone, Copy, Debug)]
    struct Packet;

    impl Queued for Packet {
        fn facts(&self) -> PacketFacts {
            PacketFacts { flow: 1, bytes: 1500, codepoint: Codepoint::NotEct, class: PacketClass::Data }
        }

        fn mark(&mut self) {}
    }

    /// When packets are dropped, in milliseconds, from a queue that never drains: one packet a millisecond
    /// leaves.
    fn drops_of_a_standing_queue(until_ms: u64) -> Vec<u64> {
        let scheme = crate::Scheme::CoDel(Params { limit_packets: Some(100_000), ..Params::default() });
        let facts = PortFacts::new(Rate::from_megabits_per_second(12.0));
        let mut port = Port::new(&scheme, facts, Key::from_seed(1).stream());
        (0..10_000).for_each(|_| port.arrive(Time::ZERO, Packet, &mut |_, _| {}));
        let mut drops = Vec::new();
        for now_ms in 0..until_ms {
            let now = Time::ZERO + Span::from_milliseconds(now_ms);
            let _ = port.depart(now, &mut |_, _| drops.push(now_ms));
        }
        drops
    }

    #[test]
    fn drops_come_closer_with_the_square_root_of_their_number() {
        // Above the target from 5 ms on: the first drop comes an interval later, the next after gaps of
        // 100/sqrt(1), 100/sqrt(2), ... ms: 105, 205, 275.7, 333.4, 383.4, 428.2, 469.0, at whole
        // milliseconds or just after.
        assert_eq!(drops_of_a_standing_queue(470), [105, 205, 276, 334, 384, 429, 469]);
    }

    /// RFC 8289 section 5.5: `dodequeue` of an empty queue forgets since when packets have waited too long,
    /// however it was emptied (FQ-CoDel may discard the last packet of a queue to make room).
    #[test]
    fn an_empty_queue_forgets_since_when_packets_have_waited_too_long() {
        let mut codel = CoDel::new(&Params::default(), InFairQueueing::default());
        let room = Limit::of_packets(10).room();
        let queue = QueueView::new(2, 3_000, &room, &EmptyQueue);
        let mut coins = Key::from_seed(1).stream();
        let mut depart = |codel: &mut CoDel, now_ms: u64| {
            let now = Time::ZERO + Span::from_milliseconds(now_ms);
            let arrived = Some(Time::ZERO + Span::from_milliseconds(now_ms - 10));
            codel.on_departure(now, &Departing { facts: Packet.facts(), arrived }, &queue, &mut coins)
        };
        // Above the target from 10 ms on: the first drop would come at 110.
        assert_eq!(depart(&mut codel, 10), Verdict::Pass);
        codel.on_idle(Time::ZERO + Span::from_milliseconds(50));
        assert_eq!([110, 120, 209].map(|now| depart(&mut codel, now)), [Verdict::Pass; 3]);
        assert_eq!(depart(&mut codel, 210), Verdict::Signal(Reason::Early), "an interval after 110");
    }

    /// Packets that waited 0.9, 1, 1.1 and 20 ms; a threshold of 1 ms marks what waited longer. With ecn =
    /// false CoDel itself would drop, and its first interval is not over.
    #[test]
    fn a_threshold_of_ect1_alone_marks_no_other_packet() {
        let marked = |ce_threshold_ecn, codepoint| {
            let parameters = Params { ce_threshold_ms: Some(1.0), ce_threshold_ecn, ..Params::default() };
            let mut codel = CoDel::new(&parameters, InFairQueueing::default());
            let room = Limit::of_packets(10).room();
            let queue = QueueView::new(2, 3_000, &room, &EmptyQueue);
            let mut coins = Key::from_seed(1).stream();
            [900, 1_000, 1_100, 20_000].map(|waited_us| {
                let now = Time::from_seconds(1.0);
                let arrived = Some(Time::from_seconds(1.0 - f64::from(waited_us) / 1e6));
                let facts = PacketFacts { codepoint, ..Packet.facts() };
                codel.on_departure(now, &Departing { facts, arrived }, &queue, &mut coins) != Verdict::Pass
            })
        };
        let (none, late) = ([false; 4], [false, false, true, true]);
        for (codepoint, any, ect1) in [
            (Codepoint::NotEct, none, none),
            (Codepoint::Ect0, late, none),
            (Codepoint::Ect1, late, late),
            (Codepoint::Ce, late, none),
        ] {
            assert_eq!(marked(CeThresholdEcn::Any, codepoint), any, "{codepoint:?}");
            assert_eq!(marked(CeThresholdEcn::Ect1, codepoint), ect1, "{codepoint:?}");
        }
    }

    #[test]
    fn packets_of_a_threshold_are_not_chosen_without_one() {
        let with = |ce_threshold_ms, ce_threshold_ecn| {
            Params { ce_threshold_ms, ce_threshold_ecn, ..Params::default() }.validate()
        };
        assert_eq!(with(Some(1.0), CeThresholdEcn::Ect1), Ok(()));
        assert_eq!(with(None, CeThresholdEcn::Any), Ok(()));
        assert_eq!(
            with(None, CeThresholdEcn::Ect1).unwrap_err().to_string(),
            "`ce_threshold_ecn` is \"ect1\": it must be \"any\" without ce_threshold_ms, the threshold that it is about"
        );
    }

    #[test]
    fn an_episode_soon_after_another_goes_on_where_that_one_was() {
        let codel = CoDel::new(&Params::default(), InFairQueueing::default());
        let mut codel = CoDel { drop_next: Time::from_seconds(10.0), count: 9, last_count: 3, ..codel };
        // 9 - 3 drops within 16 intervals; the next gap is 100/sqrt(6) ms.
        codel.begin(Time::from_seconds(11.599));
        assert_eq!((codel.count, codel.last_count), (6, 6));
        assert_eq!(codel.drop_next.nanoseconds(), 11_599_000_000 + 40_824_829);
        // 16 intervals after the next drop would have been due is no longer soon.
        (codel.count, codel.drop_next) = (19, Time::from_seconds(10.0));
        codel.begin(Time::from_seconds(11.6));
        assert_eq!(codel.count, 1);
        codel.count = 9;
        codel.begin(Time::from_seconds(20.0));
        assert_eq!(codel.count, 1, "too long ago");
    }
}
