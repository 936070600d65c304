//! COBALT: CoDel whose count falls as it rose, and Blue for senders that take no notice.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018, section III-B, as Linux `sch_cake.c` has it, whose names these are.
//!
//! ```text
//! each departure      over_target ← sojourn > target and sojourn > 4 packet times;  due ← count > 0, now ≥ drop_next
//!                     over_target after a time without: dropping, drop_next ← now + interval/√count;  count is at least 1
//!                     due and dropping: mark or drop; count ← count + 1, drop_next ← drop_next + interval/√count
//!                     due, and not dropping: count ← count − 1, drop_next ← drop_next + interval/√count, as often as due
//!                     with probability p_drop: drop, whatever the codepoint
//!                     count = 0: drop_next ← now + interval;  due until now, and not dropped: drop_next ← now
//! a full buffer       p_drop ← p_drop + 1/256, at most once in a target; dropping, drop_next ← now, count at least 1
//! an empty queue      p_drop ← p_drop − 1/4096, at most once in a target; dropping ends; count falls as above, once
//! ```
//!
//! | parameter | unit | Linux | legal |
//! | --- | --- | --- | --- |
//! | `limit_packets`, `limit_bytes` | packets, bytes | | at least one of them |
//! | `target_ms`, `interval_ms` | ms | 5, 100 | 0.001 to 1e9, the interval at least the target |
//! | `increment`, `decrement` | probability | 1/256, 1/4096 | above 0, at most 1 |
//! | `mtu_bytes` | bytes | 1500 | 1 or more |
//!
//! Departures and silences. Roots are exact; Linux takes those of counts below 16 from a table, and one
//! Newton step above. With a count of 0 the interval is whole, as Linux's comment says and ns-3 has it; in
//! Linux the first episode of a queue begins with none, because the root there is 0 until it is computed
//! first. Target and interval grow with the time of a packet on a slow link as Linux's do (`scale_to_link`):
//! a target of one and a half packet times, an interval longer by as much and twice the target at least. The
//! last packet of a queue may be marked, and is never dropped. Under a scheduler that tells of busy flows, as
//! cake's `ingress`, nothing is dropped that waited less than two packet times for each of them.

use crate::aqm::{Aqm, Departing, Load, Reason, Verdict};
use crate::discipline::Discipline;
use crate::packet::PacketFacts;
use crate::parameter_error::{
    ParameterError, require_packet_bytes, require_share, require_target_and_interval,
};
use crate::parameters::Parameters;
use crate::parts::{Limit, buffered_params};
use crate::port_facts::PortFacts;
use crate::queue_view::QueueView;
use aqmlab_random::Stream;
use aqmlab_units::{Probability, Rate, Span, Time};

buffered_params! {
    /// COBALT: CoDel whose count falls as it rose, and Blue for senders that do not respond to it.
    ///
    /// Source: Hoeiland-Joergensen, Taht and Morton 2018. The defaults are those of Linux's cake.
    struct Params {
        /// Waiting time that is always acceptable.
        target_ms: f64 = 5.0,
        /// Time from the first packet that waits longer to the first drop.
        interval_ms: f64 = 100.0,
        /// Whether both grow on slow links.
        scale_to_link: bool = true,
        /// Length of the largest packet (IP length): nothing is dropped that waited less than the time of
        /// four.
        mtu_bytes: u32 = 1500,
        /// Increase of the drop probability per overflow.
        increment: f64 = 1.0 / 256.0,
        /// Decrease of that probability per empty queue.
        decrement: f64 = 1.0 / 4096.0,
        /// Whether ECN-capable packets are marked instead of dropped, except by that probability.
        ecn: bool = false,
    }
}

impl Params {
    /// Target and interval in seconds, at a link on which the largest packet takes so long.
    fn times_s(&self, packet_s: f64) -> (f64, f64) {
        let (target, interval) = (self.target_ms / 1e3, self.interval_ms / 1e3);
        if !self.scale_to_link {
            return (target, interval);
        }
        let longer = target.max(1.5 * packet_s);
        (longer, (interval + longer - target).max(2.0 * longer))
    }
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        require_target_and_interval(self.target_ms, self.interval_ms)?;
        require_packet_bytes("mtu_bytes", self.mtu_bytes)?;
        require_share("increment", self.increment)?;
        require_share("decrement", self.decrement)
    }

    fn limit(&self) -> Limit {
        self.buffer()
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::fifo(Cobalt::new(self, facts))
    }
}

/// COBALT at a port.
#[derive(Clone, Debug)]
pub struct Cobalt {
    target: Span,
    interval: Span,
    four_packets: Span,
    increment: f64,
    decrement: f64,
    ecn: bool,
    /// The time of two packets of each busy flow, where it is told of them.
    of_busy_flows: Span,
    /// Its parameters, where its rate may change, and that rate.
    following: Option<Box<(Params, Rate)>>,
    count: u32,
    drop_next: Time,
    dropping: bool,
    p_drop: f64,
    blue_moved: Time,
}

impl Cobalt {
    /// COBALT in a queue, under parameters that are valid.
    pub(crate) fn new(parameters: &Params, facts: &PortFacts) -> Self {
        let packet_s = 1.0 / facts.link_rate.packets_per_second(parameters.mtu_bytes);
        let (target_s, interval_s) = parameters.times_s(packet_s);
        Self {
            target: Span::from_seconds(target_s),
            interval: Span::from_seconds(interval_s),
            four_packets: Span::from_seconds(4.0 * packet_s),
            increment: parameters.increment,
            decrement: parameters.decrement,
            ecn: parameters.ecn,
            of_busy_flows: Span::ZERO,
            following: None,
            count: 0,
            drop_next: Time::ZERO,
            dropping: false,
            p_drop: 0.0,
            blue_moved: Time::ZERO,
        }
    }

    /// The same in a queue whose rate may change: target and interval follow it.
    pub(crate) fn following_rate(self, parameters: &Params, facts: &PortFacts) -> Self {
        Self { following: Some(Box::new((parameters.clone(), facts.link_rate))), ..self }
    }

    /// Target, interval and the time of packets at another rate.
    #[cold]
    fn follow(&mut self, rate: Rate) {
        let Some(following) = &mut self.following else { return };
        if following.1 != rate {
            following.1 = rate;
            let timed = Self::new(&following.0, &PortFacts::new(rate));
            (self.target, self.interval, self.four_packets) =
                (timed.target, timed.interval, timed.four_packets);
        }
    }

    /// The next instant after another one.
    fn control(&self, from: Time) -> Time {
        let gap_ns = self.interval.nanoseconds() as f64 / f64::from(self.count.max(1)).sqrt();
        from + Span::from_nanoseconds(gap_ns.round() as u64)
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// The count falls by one, and the next instant moves by the longer gap.
    fn fall(&mut self) {
        self.count -= 1;
        self.drop_next = self.control(self.drop_next);
    }

    /// CoDel's part: whether the packet is to be marked or dropped, and whether `now` is past the next
    /// instant, as it was before an episode began with this packet.
    fn signals(&mut self, now: Time, sojourn: Span) -> (bool, bool) {
        let (due, was_late) = (self.is_due(now), now > self.drop_next);
        if sojourn > self.target && sojourn > self.four_packets && sojourn > self.of_busy_flows {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = self.control(now);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if due && self.dropping {
            self.count = self.count.saturating_add(1);
            self.drop_next = self.control(self.drop_next);
            return (true, now > self.drop_next);
        }
        while due && self.is_due(now) {
            self.fall();
        }
        (false, if due { now > self.drop_next } else { was_late })
    }

    /// Once in a target at most the probability of Blue moves.
    fn move_blue(&mut self, now: Time, step: f64) {
        if now.since(self.blue_moved) > self.target {
            self.p_drop = (self.p_drop + step).clamp(0.0, 1.0);
            self.blue_moved = now;
        }
    }

    fn on_full(&mut self, now: Time) {
        self.move_blue(now, self.increment);
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }
}

impl Aqm for Cobalt {
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
        coins: &mut Stream,
    ) -> Verdict {
        let sojourn = packet.arrived.map_or(Span::ZERO, |arrived| now.since(arrived));
        let (signals, is_late) = self.signals(now, sojourn);
        let marks = signals && self.ecn && packet.facts.codepoint.can_be_marked();
        let by_blue = self.p_drop > 0.0 && coins.uniform() < self.p_drop;
        let drops = signals && !marks || by_blue;
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if is_late && !drops {
            self.drop_next = now;
        }
        if drops && queue.packets() > 0 {
            Verdict::Drop(Reason::Early)
        } else if marks {
            Verdict::Signal(Reason::Early)
        } else {
            Verdict::Pass
        }
    }

    fn on_load(&mut self, load: &Load) {
        if let Some(rate) = load.rate {
            self.follow(rate);
        }
        let of_flow_ns = self.four_packets.nanoseconds() / 2;
        self.of_busy_flows = Span::from_nanoseconds(of_flow_ns * u64::from(load.busy_flows));
    }

    fn on_overflow(&mut self, now: Time, _packet: &PacketFacts) {
        self.on_full(now);
    }

    fn on_room_made(&mut self, now: Time, packets: u32) {
        (0..packets).for_each(|_| self.on_full(now));
    }

    fn on_idle(&mut self, now: Time) {
        if self.p_drop > 0.0 {
            self.move_blue(now, -self.decrement);
        }
        self.dropping = false;
        if self.is_due(now) {
            self.fall();
        }
    }

    fn signal_probability(&self) -> Probability {
        Probability::clamped(self.p_drop)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("count", f64::from(self.count));
        sink("dropping", f64::from(u8::from(self.dropping)));
        sink("drop_next_ms", self.drop_next.seconds() * 1e3);
        sink("blue_probability", self.p_drop);
    }

    fn watches_arrivals(&self) -> bool {
        false
    }

    fn needs_arrival_instants(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_and_interval_grow_on_a_slow_link() {
        let times = |packet_ms: f64, scale_to_link| {
            let (target, interval) = Params { scale_to_link, ..Params::default() }.times_s(packet_ms / 1e3);
            ((target * 1e6).round() / 1e3, (interval * 1e6).round() / 1e3)
        };
        // 1500 bytes take 1.2 ms at 10 Mbit/s, 12 ms at 1 Mbit/s and 120 ms at 100 kbit/s.
        assert_eq!(times(1.2, true), (5.0, 100.0));
        assert_eq!(times(12.0, true), (18.0, 113.0));
        assert_eq!(times(120.0, true), (180.0, 360.0));
        assert_eq!(times(120.0, false), (5.0, 100.0));
    }

    #[test]
    fn drops_come_closer_and_the_count_falls_as_it_rose() {
        let mut cobalt = Cobalt {
            target: Span::from_milliseconds(5),
            interval: Span::from_milliseconds(100),
            four_packets: Span::ZERO,
            increment: 1.0 / 256.0,
            decrement: 1.0 / 4096.0,
            ecn: false,
            of_busy_flows: Span::ZERO,
            following: None,
            count: 0,
            drop_next: Time::ZERO,
            dropping: false,
            p_drop: 0.0,
            blue_moved: Time::ZERO,
        };
        let at = |ms: u64| Time::ZERO + Span::from_milliseconds(ms);
        let long = Span::from_milliseconds(20);
        // Over the target from 1 s on: after 100 ms, then 100/√2, 100/√3, ... ms, at whole milliseconds or
        // just after.
        let drops: Vec<u64> = (1_000..1_400).filter(|&ms| cobalt.signals(at(ms), long).0).collect();
        assert_eq!(drops, [1_100, 1_171, 1_229, 1_279, 1_324, 1_364]);
        assert_eq!(cobalt.count, 7);
        // Below it: 1364.0 + 100/√7 = 1401.8 is due first, then come gaps for 6, 5, 4: 1442.6, 1487.3,
        // 1537.3.
        let counts: Vec<u32> = [1_401, 1_402, 1_443, 1_488, 1_538]
            .map(|ms| {
                cobalt.signals(at(ms), Span::ZERO);
                cobalt.count
            })
            .to_vec();
        assert_eq!(counts, [7, 6, 5, 4, 3]);
    }
}
