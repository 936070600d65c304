//! Opening a connection.
//!
//! Source: RFC 9293 sections 3.5 and 3.10.7; RFC 6298 rules 5.1 to
//! 5.7; FreeBSD 4.x tcp_input.c and tcp_timer.c; ns-2.35 tcp.cc and tcp-sink.cc for the one-way handshake,
//! tcp-full.cc for the two-way agent.
//!
//! The acknowledgement that completes the handshake is a packet of its own, before any data (FreeBSD 4.x and
//! ns-2: the application writes only after `connect` returns).
//!
//! Departures and silences:
//! - FreeBSD 4.5 answers a SYN from a SYN cache whose timers could not be read. Here the SYN/ACK is
//!   retransmitted like data of an unsampled connection (3, 9, 21, 45 s), a repeated SYN is answered by the
//!   SYN/ACK at once and restarts that timer, and neither reduces the threshold, since the cache keeps no
//!   congestion state.
//! - FreeBSD 2.2 has no SYN cache: it leaves a repeated SYN to the timer, and a lost SYN/ACK halves the
//!   threshold of its server as a lost SYN does its client's.
//! - A server that gives up in SYN-RECEIVED sends a reset (FreeBSD 4.x `tcp_drop`).

use super::Endpoint;
use crate::congestion::Opening;
use crate::connection_flags::{ConnectionFlags, ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::hosts::{Ecn, EcnFallback, HostProfile, IdleRestart, RtoAlgorithm};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment, reset};
use crate::sender::ModernSender;
use crate::sequence::SequenceNumber;
use crate::state::State;
use aqmlab_units::{Span, Time};

/// RFC 6298 rule 5.7: after a lost SYN, data start with at least this timeout.
const TIMEOUT_AFTER_LOST_SYN: Span = Span::from_milliseconds(3_000);

impl Endpoint {
    pub(crate) fn begin_active(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.state = State::SynSent;
        self.receiver.begin(context.profile);
        self.sender.begin(now, context);
        self.send_syn(now, context.profile, out);
    }

    /// Whether a SYN or SYN/ACK of ours had to be sent again.
    fn lost_a_syn(&self) -> bool {
        self.statistics.syn_retransmissions > 0
    }

    /// Whether that leaves an initial window of one segment.
    fn opens_with_one_segment(&self, profile: &HostProfile) -> bool {
        profile.syn_loss_reduces_initial_window
            && match self.sender.modern() {
                Some(modern) => modern.opening.reduce_window(modern.echoed_stamp()),
                None => self.lost_a_syn(),
            }
    }

    fn note_opening_segment(&mut self, now: Time) {
        if let Some(modern) = self.sender.modern_mut() {
            modern.opening.note_sent(now);
        }
    }

    fn send_syn(&mut self, now: Time, profile: &HostProfile, out: &mut Outbox) {
        let flags = Flags::SYN.with(self.asking_flags(profile));
        out.segments.push(Segment { sequence: SequenceNumber::INITIAL, ..self.bare_segment(flags) });
        self.note_opening_segment(now);
    }

    /// The SYN/ACK agrees to what the SYN has asked for.
    fn send_syn_ack(&mut self, now: Time, profile: &HostProfile, out: &mut Outbox) {
        let flags = Flags::SYN.with(Flags::ACK).with(self.agreeing_flags(profile));
        out.segments.push(Segment { sequence: SequenceNumber::INITIAL, ..self.bare_segment(flags) });
        self.note_opening_segment(now);
    }

    pub(crate) fn on_listen(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        if segment.flags.contains(Flags::ACK) {
            out.segments.push(reset(segment));
            return;
        }
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        self.receiver.nxt = segment.sequence.plus(1);
        self.note_asked(context.profile, segment.flags);
        self.sender.begin(now, context);
        self.note_syn(self.arrived(segment, ce_marked));
        self.send_syn_ack(now, context.profile, out);
        if context.profile.is_one_way() {
            // The sink has no timer: a lost answer is repeated when the SYN comes again.
            self.sender.stop_timing();
            self.sender.sequence.una = self.sender.sequence.max;
            self.open(now, context, out);
        } else {
            self.state = State::SynReceived;
        }
    }

    pub(crate) fn on_syn_sent(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if !segment.flags.contains(Flags::ACK) || segment.acknowledgement != self.highest_sent() {
            return;
        }
        if segment.flags.contains(Flags::RST) {
            self.on_reset(out);
            return;
        }
        if !segment.flags.contains(Flags::SYN) {
            return;
        }
        self.receiver.nxt = segment.sequence.plus(1);
        self.note_agreed(context.profile, segment.flags);
        self.sender.sample_handshake(now, context, segment.acknowledgement);
        self.sender.sequence.una = segment.acknowledgement;
        self.open(now, context, out);
        if !context.profile.is_one_way() {
            let flags = self.opening_flags(context.profile, self.arrived(segment, ce_marked));
            out.segments.push(self.bare_segment(flags));
        }
        self.output(now, context, out);
        if self.sender.flags.has(SenderFlags::CLOSING) {
            self.finish_if_over(context, out);
        }
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
                if context.profile.is_foutput() {
                    // ns-2 remembers that it owes an answer, and gives it once the connection is open.
                    self.receiver.flags.set(ReceiverFlags::ACK_NOW);
                }
                return;
            }
            self.note_asked_again(context.profile, segment.flags);
            self.note_syn(self.arrived(segment, ce_marked));
            self.send_syn_ack(now, context.profile, out);
            self.sender.start_opening_timer(now, context);
            self.sender.stop_timing();
        } else if segment.flags.contains(Flags::ACK) && segment.acknowledgement == self.highest_sent() {
            if segment.payload == 0 {
                self.note_opened(context.profile, segment.flags);
            }
            self.sender.sample_handshake(now, context, segment.acknowledgement);
            self.sender.sequence.una = segment.acknowledgement;
            self.open(now, context, out);
            // What the segment carries beyond the acknowledgement of our SYN is handled as on any open
            // connection; a close or a write that came early goes out now.
            self.on_segment(now, context, segment, ce_marked, out);
            if self.state.is_synchronized() {
                self.output(now, context, out);
            }
        }
    }

    /// The connection is open.
    pub(crate) fn open(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        self.state = State::Established;
        if self.sender.flags.has(SenderFlags::CLOSING) {
            self.state = self.state.after_close();
        }
        out.established = true;
        let opening = Opening {
            now,
            round_trip: self.sender.modern().and_then(ModernSender::least_round_trip),
            active: self.flags.has(ConnectionFlags::ACTIVE),
            syn_lost: self.lost_a_syn(),
            reduces_window: self.opens_with_one_segment(profile),
            feedback: self.feedback(profile),
        };
        let sender = &mut self.sender;
        sender.retransmission_deadline = Time::MAX;
        let since_data = profile.idle_restart() == Some(IdleRestart::SinceData);
        sender.active_at = if since_data { Time::MAX } else { now };
        sender.on_established(profile, opening);
        let unsampled = match profile.retransmission.algorithm {
            RtoAlgorithm::Rfc6298 => true,
            RtoAlgorithm::Linux => !profile.extensions().timestamps,
            RtoAlgorithm::Bsd { .. } | RtoAlgorithm::Ns2 => false,
        };
        if opening.syn_lost && unsampled {
            sender.round_trip_time.raise_to(&profile.retransmission, &context.clock, TIMEOUT_AFTER_LOST_SYN);
        }
        if let (Some(reporting), Some(modern)) = (self.receiver.reporting_mut(), sender.modern()) {
            let timeout = sender.round_trip_time.timeout(&profile.retransmission, &context.clock);
            reporting.note_path(modern.smoothed(), timeout);
        }
        if profile.is_foutput() {
            return self.open_after_timeout(opening.syn_lost);
        }
        let agreed = self.flags.has(ConnectionFlags::ECN);
        if agreed && profile.ecn == Ecn::Ns2 && opening.active && opening.syn_lost {
            self.take_agreement_for_an_echo();
        }
    }

    /// ns-2's two-way agent takes the timeout of a SYN or SYN/ACK for one of data, and any acknowledgement
    /// for the end of a back-off.
    fn open_after_timeout(&mut self, timed_out: bool) {
        let sender = &mut self.sender;
        sender.round_trip_time.set_backoffs(0);
        if timed_out {
            sender.forget_recovery();
            sender.flags.set(SenderFlags::CWR_PENDING);
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
            self.receiver.flags.set(ReceiverFlags::ACK_NOW);
            self.output(now, context, out);
        } else if context.profile.is_one_way() {
            self.send_syn_ack(now, context.profile, out);
        }
    }

    pub(crate) fn on_opening_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let timer = &context.profile.retransmission;
        let sent_enough =
            timer.maximum_retransmissions.is_some_and(|most| self.sender.round_trip_time.backoffs() >= most);
        if sent_enough || self.sender.gives_up_opening_at(context) <= now {
            return self.give_up(out);
        }
        self.statistics.count_syn_retransmission();
        if let Some(modern) = self.sender.modern_mut() {
            modern.opening.note_timeout();
        }
        self.sender.stop_timing();
        self.sender.round_trip_time.back_off(timer, &context.clock, self.state == State::SynSent);
        self.sender.start_opening_timer(now, context);
        if self.state == State::SynSent {
            self.send_syn(now, context.profile, out);
        } else {
            if context.profile.ecn_fallback == EcnFallback::SynAndSynAck {
                self.flags.clear(ConnectionFlags::ECN);
            }
            self.send_syn_ack(now, context.profile, out);
            // It answers the SYN that ns-2's two-way agent remembers as well.
            self.receiver.flags.clear(ReceiverFlags::ACK_NOW);
        }
    }
}
