//! Opening a connection.
//!
//! Source: RFC 9293 sections 3.5 and 3.10.7; RFC 3168 section 6.1.1 (ECN negotiation); RFC 6298 rules 5.1 to 5.7;
//! FreeBSD 4.x tcp_input.c and tcp_timer.c; ns-2.35 tcp.cc and tcp-sink.cc for the one-way handshake.
//!
//! The acknowledgement that completes the handshake is a packet of its own, before any data (FreeBSD 4.x and
//! ns-2: the application writes only after `connect` returns).
//!
//! Departures and silences:
//! - FreeBSD 4.5 answers a SYN from a SYN cache whose timers could not be read. Here the SYN/ACK is retransmitted
//!   like data of an unsampled connection (3, 9, 21, 45 s), a repeated SYN is answered by the SYN/ACK at once and
//!   restarts that timer, and neither reduces the threshold, since the cache keeps no congestion state.
//! - FreeBSD 2.2 has no SYN cache: it leaves a repeated SYN to the timer, and a lost SYN/ACK halves the threshold of
//!   its server as a lost SYN does its client's.
//! - A server that gives up in SYN-RECEIVED sends a reset (FreeBSD 4.x `tcp_drop`).

use crate::congestion;
use crate::endpoint::{Context, Endpoint, Phase};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Ecn, Handshake, HostProfile, RtoAlgorithm};
use crate::round_trip_time::RoundTripTime;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// RFC 6298 rule 5.7: after a lost SYN, data start with at least this timeout.
const TIMEOUT_AFTER_LOST_SYN: Span = Span::from_milliseconds(3_000);

impl Endpoint {
    pub(crate) fn begin_active(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.phase = Phase::SynSent;
        self.begin(now, context);
        self.send_syn(context.profile, out);
    }

    /// State common to both openers: the opening segment is being sent and timed.
    fn begin(&mut self, now: Time, context: &Context<'_>) {
        let timer = &context.profile.retransmission;
        congestion::begin(self, context.profile);
        self.round_trip_time = RoundTripTime::new(timer, &context.clock);
        self.next = SequenceNumber::INITIAL.plus(1);
        self.highest = self.next;
        self.timed_since = now;
        self.timed_number = SequenceNumber::INITIAL;
        self.retransmission_deadline = self.round_trip_time.deadline(timer, &context.clock, now);
        self.secondary_deadline = timer.connection_timeout.map_or(Time::MAX, |limit| now + limit);
    }

    fn send_syn(&self, profile: &HostProfile, out: &mut Outbox) {
        let given_up = profile.ecn_fallback_on_syn_loss && self.marks.has(Marks::SYN_LOST);
        let flags = if profile.ecn == Ecn::Off || given_up {
            Flags::SYN
        } else {
            Flags::SYN.with(Flags::ECE).with(Flags::CWR)
        };
        out.segments.push(Segment { sequence: SequenceNumber::INITIAL, ..self.bare_segment(flags) });
    }

    fn send_syn_ack(&self, out: &mut Outbox) {
        let mut flags = Flags::SYN.with(Flags::ACK);
        if self.marks.has(Marks::ECN) {
            flags = flags.with(Flags::ECE);
        }
        out.segments.push(Segment { sequence: SequenceNumber::INITIAL, ..self.bare_segment(flags) });
    }

    pub(crate) fn on_listening(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        if !segment.flags.contains(Flags::SYN) || segment.flags.intersects(Flags::ACK.with(Flags::RST)) {
            return;
        }
        self.expected = segment.sequence.plus(1);
        if context.profile.ecn != Ecn::Off && segment.flags.contains(Flags::ECE.with(Flags::CWR)) {
            self.marks.set(Marks::ECN);
        }
        self.begin(now, context);
        self.send_syn_ack(out);
        match context.profile.handshake {
            Handshake::ThreeWay => self.phase = Phase::SynReceived,
            // The sink has no timer: a lost answer is repeated when the SYN comes again.
            Handshake::OneWay => {
                self.timed_since = Time::MAX;
                self.unacknowledged = self.highest;
                self.open(now, context, out);
            }
        }
    }

    pub(crate) fn on_syn_sent(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        if !segment.flags.contains(Flags::ACK) || segment.acknowledgement != self.highest {
            return;
        }
        if segment.flags.contains(Flags::RST) {
            self.on_reset(out);
            return;
        }
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        self.expected = segment.sequence.plus(1);
        if segment.flags.contains(Flags::ECE) && !segment.flags.contains(Flags::CWR) {
            self.marks.set(Marks::ECN);
        }
        self.take_sample(now, context, segment.acknowledgement);
        self.unacknowledged = segment.acknowledgement;
        self.open(now, context, out);
        if context.profile.handshake == Handshake::ThreeWay {
            out.segments.push(self.bare_segment(Flags::ACK));
        }
        self.output(now, context, out);
    }

    pub(crate) fn on_syn_received(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.flags.contains(Flags::RST) {
            self.on_reset(out);
        } else if segment.flags.contains(Flags::SYN) {
            if !context.profile.retransmission.repeated_syn_answered {
                return;
            }
            self.send_syn_ack(out);
            let timer = &context.profile.retransmission;
            self.retransmission_deadline = self.round_trip_time.deadline(timer, &context.clock, now);
            self.timed_since = Time::MAX;
        } else if segment.flags.contains(Flags::ACK) && segment.acknowledgement == self.highest {
            self.take_sample(now, context, segment.acknowledgement);
            self.unacknowledged = segment.acknowledgement;
            self.open(now, context, out);
            // What the segment carries beyond the acknowledgement of our SYN is handled as on any open
            // connection; a close or a write that came early goes out now.
            self.on_segment(now, context, segment, ce_marked, out);
            if self.phase == Phase::Synchronized {
                self.output(now, context, out);
            }
        }
    }

    /// The connection is open.
    fn open(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        self.phase = Phase::Synchronized;
        self.retransmission_deadline = Time::MAX;
        self.secondary_deadline = Time::MAX;
        self.active_at = now;
        out.established = true;
        congestion::open(self, profile);
        if self.marks.has(Marks::SYN_LOST) && profile.retransmission.algorithm == RtoAlgorithm::Rfc6298 {
            self.round_trip_time.raise_to(&profile.retransmission, &context.clock, TIMEOUT_AFTER_LOST_SYN);
        }
    }

    /// A SYN or SYN/ACK on an open connection: an answer of ours was lost.
    pub(crate) fn on_repeated_syn(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        if segment.flags.contains(Flags::ACK) {
            self.marks.set(Marks::ACK_NOW);
            self.output(now, context, out);
        } else if context.profile.handshake == Handshake::OneWay {
            self.send_syn_ack(out);
        }
    }

    pub(crate) fn on_opening_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.secondary_deadline <= now {
            self.give_up(out);
            return;
        }
        if self.retransmission_deadline > now {
            return;
        }
        let timer = &context.profile.retransmission;
        if timer.maximum_retransmissions.is_some_and(|most| self.round_trip_time.backoffs() >= most) {
            self.give_up(out);
            return;
        }
        self.statistics.count_syn_retransmission();
        self.marks.set(Marks::SYN_LOST);
        self.timed_since = Time::MAX;
        self.round_trip_time.back_off(timer, &context.clock, self.phase == Phase::SynSent);
        self.retransmission_deadline = self.round_trip_time.deadline(timer, &context.clock, now);
        if self.phase == Phase::SynSent {
            self.send_syn(context.profile, out);
        } else {
            if context.profile.ecn_fallback_on_syn_loss {
                self.marks.clear(Marks::ECN);
            }
            self.send_syn_ack(out);
        }
    }
}
