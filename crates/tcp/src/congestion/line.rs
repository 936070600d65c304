//! A line for controllers alone, without TCP: what they send passes a bottleneck, and what comes of it they
//! are told as facts, computed segment by segment as draft-ietf-ccwg-bbr section 4.1.2 has it. What is lost
//! is not sent again.

use super::{
    Acknowledged, CongestionControl, DeliveryRate, Feedback, Loss, LostSegment, Opening, Phase, Recovered,
    Sent, Timeout,
};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

const SECOND_NS: f64 = 1e9;
const TIMEOUT_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
struct Segment {
    place: u64,
    sent_ns: u64,
    /// When it is acknowledged; none if it is lost.
    answered_ns: Option<u64>,
    delivered: u64,
    delivered_ns: u64,
    flight_began_ns: u64,
    in_flight: u32,
    lost: u32,
    limited: bool,
    marked: bool,
}

/// A controller at one end of a line. What is public may be changed while it runs.
pub(super) struct Line<C> {
    pub(super) controller: C,
    pub(super) segments_per_s: f64,
    pub(super) round_trip_ns: u64,
    pub(super) buffer: u32,
    /// Acknowledgements come at whole multiples of this.
    pub(super) bunch_ns: u64,
    /// Segments a second that the application writes; none is without end.
    pub(super) written_per_s: Option<f64>,
    /// One of so many segments is lost.
    pub(super) loses_every: Option<u64>,
    /// A policer in front of the bottleneck: segments a second, and its bucket.
    pub(super) policer: Option<(f64, f64)>,
    /// A segment is marked that finds so many waiting.
    pub(super) marks_from: Option<f64>,
    /// What is in the network, as it is told instead of what is so.
    pub(super) told_in_flight: Option<u32>,
    pub(super) now_ns: u64,
    pub(super) delivered: u64,
    pub(super) lost: u32,
    pub(super) was_limited: bool,
    under_way: VecDeque<Segment>,
    missing: VecDeque<Segment>,
    in_flight: u32,
    place: u64,
    free_ns: u64,
    paced_ns: u64,
    quantum_left: u32,
    written_ns: u64,
    delivered_ns: u64,
    flight_began_ns: u64,
    limited_until: Option<u64>,
    tokens: f64,
    tokens_ns: u64,
    phase: Phase,
    recover: u64,
    full_until: u64,
}

fn at(ns: u64) -> Time {
    Time::from_nanoseconds(ns)
}

impl<C: CongestionControl> Line<C> {
    /// A connection that is open, on a line of so many Mbit/s with packets of 1,500 bytes.
    pub(super) fn new(mut controller: C, mbps: f64, round_trip_ms: u64, buffer: u32) -> Self {
        let round_trip = Some(Span::from_milliseconds(round_trip_ms));
        let opening = Opening {
            now: at(0),
            round_trip,
            active: true,
            syn_lost: false,
            reduces_window: false,
            feedback: Feedback::Accurate,
        };
        controller.on_established(opening);
        Self {
            controller,
            segments_per_s: mbps * 1e6 / 12_000.0,
            round_trip_ns: round_trip_ms * 1_000_000,
            buffer,
            bunch_ns: 1,
            written_per_s: None,
            loses_every: None,
            policer: None,
            marks_from: None,
            told_in_flight: None,
            now_ns: 0,
            delivered: 0,
            lost: 0,
            was_limited: false,
            under_way: VecDeque::new(),
            missing: VecDeque::new(),
            in_flight: 0,
            place: 0,
            free_ns: 0,
            paced_ns: 0,
            quantum_left: 0,
            written_ns: 0,
            delivered_ns: 0,
            flight_began_ns: 0,
            limited_until: None,
            tokens: 0.0,
            tokens_ns: 0,
            phase: Phase::Open,
            recover: 0,
            full_until: 0,
        }
    }

    pub(super) fn now(&self) -> Time {
        at(self.now_ns)
    }

    /// The application, which has written nothing for a while, writes now.
    pub(super) const fn resume(&mut self) {
        self.written_ns = self.now_ns;
    }

    /// Segments that the line holds without a queue.
    pub(super) fn product(&self) -> f64 {
        self.segments_per_s * self.round_trip_ns as f64 / SECOND_NS
    }

    /// Runs for so long, or until this is so. Answers whether it is.
    pub(super) fn run(&mut self, seconds: f64, until: impl Fn(&Self) -> bool) -> bool {
        let end = self.now_ns + (seconds * SECOND_NS) as u64;
        while self.now_ns < end && !until(self) {
            self.step(end);
        }
        until(self)
    }

    fn step(&mut self, end: u64) {
        let admitted = self.in_flight < self.controller.window();
        let paced = if self.quantum_left > 0 { self.now_ns } else { self.paced_ns.max(self.now_ns) };
        let leaves = if admitted { paced.max(self.written_ns) } else { u64::MAX };
        let answer = self.under_way.front().and_then(|segment| segment.answered_ns).unwrap_or(u64::MAX);
        let expires = if self.under_way.is_empty() && !self.missing.is_empty() && !admitted {
            self.now_ns + TIMEOUT_NS
        } else {
            u64::MAX
        };
        let next = leaves.min(answer).min(expires).min(end);
        self.quantum_left = if next > self.now_ns { 0 } else { self.quantum_left };
        self.now_ns = next;
        if next == answer {
            self.answer();
        } else if next == leaves {
            self.leave();
        } else if next == expires {
            self.expire();
        }
    }

    fn leave(&mut self) {
        let now = self.now_ns;
        if self.in_flight == 0 {
            (self.flight_began_ns, self.delivered_ns) = (now, now);
        }
        if let Some(rate) = self.written_per_s {
            if self.written_ns >= self.paced_ns {
                self.limited_until = Some(self.delivered + u64::from(self.in_flight));
            }
            self.written_ns = self.written_ns.max(now) + (SECOND_NS / rate) as u64;
        }
        if self.quantum_left == 0 {
            self.quantum_left = self.controller.send_quantum();
        }
        self.quantum_left -= 1;
        self.in_flight += 1;
        let rate = self.controller.pacing_rate().expect("a pace").bits_per_second();
        self.paced_ns = self.paced_ns.max(now) + (12_000.0 / rate as f64 * SECOND_NS) as u64;
        let marked = self.marks_from.is_some_and(|from| self.waiting() >= from);
        let segment = Segment {
            place: self.place,
            sent_ns: now,
            answered_ns: self.pass(),
            delivered: self.delivered,
            delivered_ns: self.delivered_ns,
            flight_began_ns: self.flight_began_ns,
            in_flight: self.in_flight,
            lost: self.lost,
            limited: self.limited_until.is_some(),
            marked,
        };
        self.place += 1;
        if segment.answered_ns.is_some() {
            self.under_way.push_back(segment);
        } else {
            self.missing.push_back(segment);
        }
        if self.in_flight >= self.controller.window() {
            self.full_until = self.place;
        }
        let (in_flight, application_limited) = (self.in_flight, segment.limited);
        let (now, again, phase) = (at(now), false, self.phase);
        self.controller.on_sent(&Sent { now, again, in_flight, application_limited, phase });
    }

    /// Segments in the queue, the one that is leaving it with what is left of it.
    pub(super) fn waiting(&self) -> f64 {
        self.free_ns.saturating_sub(self.now_ns) as f64 / SECOND_NS * self.segments_per_s
    }

    /// When what leaves now is acknowledged; none if it is lost.
    fn pass(&mut self) -> Option<u64> {
        let now = self.now_ns;
        if let Some((rate, bucket)) = self.policer {
            let passed_s = (now - self.tokens_ns) as f64 / SECOND_NS;
            self.tokens = (self.tokens + rate * passed_s).min(bucket);
            self.tokens_ns = now;
            if self.tokens < 1.0 {
                return None;
            }
            self.tokens -= 1.0;
        }
        let waiting = self.waiting();
        let unlucky = self.loses_every.is_some_and(|every| self.place.is_multiple_of(every));
        if waiting > f64::from(self.buffer) || unlucky {
            return None;
        }
        self.free_ns = self.free_ns.max(now) + (SECOND_NS / self.segments_per_s) as u64;
        Some((self.free_ns + self.round_trip_ns).next_multiple_of(self.bunch_ns))
    }

    /// Everything that is acknowledged now, by one acknowledgement.
    fn answer(&mut self) {
        let now = self.now_ns;
        let (mut delivered, mut marked) = (0, 0);
        let mut newest = None;
        while let Some(segment) = self.under_way.front().filter(|next| next.answered_ns == Some(now)) {
            newest = Some(*segment);
            delivered += 1;
            marked += u32::from(segment.marked);
            self.under_way.pop_front();
        }
        let newest = newest.expect("something is acknowledged");
        self.delivered += u64::from(delivered);
        self.delivered_ns = now;
        self.in_flight -= delivered;
        self.limited_until = self.limited_until.filter(|&until| self.delivered <= until);
        self.flight_began_ns = newest.sent_ns;
        let interval = (newest.sent_ns - newest.flight_began_ns).max(now - newest.delivered_ns);
        self.end_phase(newest.place);
        let lost = self.lose(newest.place);
        self.was_limited = newest.limited;
        let rate = DeliveryRate {
            segments: (self.delivered - newest.delivered) as u32,
            interval: Span::from_nanoseconds(interval),
            application_limited: newest.limited,
            in_flight: newest.in_flight,
            lost_since: self.lost - newest.lost,
        };
        let told = (interval >= self.round_trip_ns).then_some(rate);
        self.controller.on_acknowledged(&Acknowledged {
            now: at(now),
            delivered,
            delivered_ever: self.delivered,
            marked,
            lost,
            in_flight: self.told_in_flight.unwrap_or(self.in_flight),
            advanced: true,
            may_grow: true,
            round_trip: Some(Span::from_nanoseconds(now - newest.sent_ns)),
            delivery_rate: told,
            window_unused: false,
            window_full: newest.place < self.full_until,
            round_begins: false,
            phase: self.phase,
        });
        if self.controller.limits_samples() {
            self.limited_until = Some(self.delivered + u64::from(self.in_flight));
        }
    }

    fn end_phase(&mut self, place: u64) {
        if self.phase != Phase::Open && place >= self.recover {
            let was = std::mem::replace(&mut self.phase, Phase::Open);
            let how = if was == Phase::Loss { Recovered::AfterTimeout } else { Recovered::Complete };
            self.controller.on_recovered(how);
        }
    }

    /// What left before what has arrived now is lost.
    fn lose(&mut self, place: u64) -> u32 {
        let mut lost = 0;
        while let Some(segment) = self.missing.front().filter(|segment| segment.place < place).copied() {
            self.missing.pop_front();
            lost += 1;
            self.tell_lost(&segment);
        }
        if lost > 0 && self.phase == Phase::Open {
            (self.phase, self.recover) = (Phase::Recovery, self.place);
            let (now, in_flight) = (at(self.now_ns), self.in_flight);
            self.controller.on_loss(&Loss { now, in_flight, reduced: false, repaired: false });
        }
        lost
    }

    fn tell_lost(&mut self, segment: &Segment) {
        self.in_flight -= 1;
        self.lost += 1;
        self.controller.on_lost(&LostSegment {
            now: at(self.now_ns),
            delivered_ever: self.delivered,
            place: segment.place,
            in_flight: segment.in_flight,
            lost_since: self.lost - segment.lost,
            application_limited: segment.limited,
        });
    }

    fn expire(&mut self) {
        while let Some(segment) = self.missing.pop_front() {
            self.tell_lost(&segment);
        }
        let (now, in_flight) = (at(self.now_ns), self.in_flight);
        self.controller.on_timeout(&Timeout { now, in_flight, repeated: self.phase == Phase::Loss });
        (self.phase, self.recover) = (Phase::Loss, self.place);
    }
}
