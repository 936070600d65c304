//! One end of a TCP connection.
//!
//! Source: RFC 9293 section 3.10 for the order in which an arriving segment is processed; the profile says
//! which stack's rules fill it in. This file holds the entry points; what they do lives beside it, and what
//! each half of an end keeps and decides by itself stands below:
//!
//! | file | idea |
//! | --- | --- |
//! | `handshake.rs` | SYN, SYN/ACK, their timers, giving up |
//! | `ecn_negotiation.rs` | what they agree on about marks |
//! | `resume.rs` | an end in the middle of a connection |
//! | `options.rs` | what segments say in their options |
//! | `ecn.rs` | marks, echoes and reactions |
//! | `acknowledgement.rs`, `classic/`, `modern/` | an acknowledgement arrives, or none does |
//! | `output.rs` | what may be sent now, and putting it into a segment |
//! | `../sender/` | the sending half: sequence space, buffer, timer, round trips |
//! | `../sender/classic/` | losses and windows of stacks that know the cumulative acknowledgement alone |
//! | `../sender/modern/` | losses by a scoreboard, with a congestion controller |
//! | `../congestion/` | how large the window of a modern sender is: one file per controller |
//! | `../receiver.rs` | the receiving half: data in and out of order, delayed acknowledgements, the peer's FIN |
//! | `../state.rs` | LISTEN, SYN-SENT, …: where a connection stands |
//!
//! Departures and silences:
//! - TIME-WAIT is not kept: an endpoint that is closed both ways is finished, and a stray FIN is answered by
//!   [`crate::respond_to_stray`] without state.
//! - Simultaneous open is not modelled: one side is a client, the other a server.
//! - FreeBSD 4.x repeats its FIN on every acknowledgement sent in FIN-WAIT-1; here such an acknowledgement is
//!   a plain one.

mod acknowledgement;
mod classic;
mod ecn;
mod ecn_negotiation;
mod handshake;
mod modern;
mod options;
mod output;
mod resume;

pub use resume::Past;

use crate::connection_flags::{ConnectionFlags, ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::hosts::{Ecn, HostProfile, IdleRestart};
use crate::outbox::Outbox;
use crate::receiver::Receiver;
use crate::segment::{Flags, Segment, respond_to_stray};
use crate::sender::{ModernSender, Sender};
use crate::sequence::SequenceNumber;
use crate::state::State;
use crate::statistics::Statistics;
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};

/// One end of a TCP connection: a state machine without I/O.
///
/// A driver calls it with what happens (a segment arrives, the application writes or closes, the deadline is
/// reached) and sends what it finds in the [`Outbox`]. It needs one timer per endpoint: arm it for
/// [`Endpoint::deadline`] when none is pending or the deadline is earlier than the pending one; when it
/// fires, call [`Endpoint::on_timer`] if the deadline has been reached and otherwise arm it again. A deadline
/// that moves later needs no action.
///
/// Where an arrival and a deadline fall on the same instant, deliver the arrival first.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Endpoint {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) state: State,
    pub(crate) flags: ConnectionFlags,
    pub(crate) statistics: Statistics,
}

impl Endpoint {
    /// A client that has not connected yet.
    #[must_use]
    pub fn active() -> Self {
        let mut endpoint = Self::default();
        endpoint.flags.set(ConnectionFlags::ACTIVE);
        endpoint
    }

    /// A server's end in LISTEN, which the next SYN opens.
    #[must_use]
    pub fn passive() -> Self {
        Self { state: State::Listen, ..Self::default() }
    }

    /// The random numbers of this end have this address: for a congestion controller that draws some. It is
    /// told when the connection is open; without it all ends draw the same. The address is asked for where
    /// there is such a controller.
    pub fn draw_from(&mut self, key: impl FnOnce() -> Key) {
        if let Some(modern) = self.sender.modern_mut() {
            modern.draw_from(key());
        }
    }

    /// Opens the connection: sends a SYN.
    ///
    /// # Panics
    /// If called twice, or on a server's end.
    pub fn connect(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let has_begun = self.highest_sent() != SequenceNumber::INITIAL;
        assert!(
            self.flags.has(ConnectionFlags::ACTIVE) && !has_begun,
            "connect() on an endpoint that is {:?}",
            self.state
        );
        self.begin_active(now, context, out);
    }

    /// A segment arrives. `ce_marked` says whether a queue on the way marked it (congestion experienced).
    #[inline(always)]
    pub fn on_segment(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.payload > 0 && self.predicts(segment) {
            return self.on_predicted(now, context, segment, out);
        }
        self.process(now, context, segment, ce_marked, out);
    }

    /// Processes a segment in whatever state the connection is.
    #[inline(never)]
    pub(crate) fn process(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if self.predicts_acknowledgement(context, segment) {
            return self.on_predicted_acknowledgement(now, context, segment, out);
        }
        match self.state {
            state if state.is_synchronized() => self.on_synchronized(now, context, segment, ce_marked, out),
            State::Listen => self.on_listen(now, context, segment, ce_marked, out),
            State::SynSent => self.on_syn_sent(now, context, segment, ce_marked, out),
            State::SynReceived => self.on_syn_received(now, context, segment, ce_marked, out),
            State::TimeWait => self.on_time_wait(segment, out),
            _ => out.segments.extend(respond_to_stray(segment)),
        }
    }

    /// Header prediction: the next segment in order arrives at an end that has nothing under way itself.
    /// Every condition is asked at once, because one answer can be predicted better than many.
    #[inline(always)]
    pub(crate) fn predicts(&self, segment: &Segment) -> bool {
        (self.state == State::Established)
            & self.receiver.is_next(segment)
            & self.sender.is_quiet_at(segment.acknowledgement)
            & !self.flags.has(ConnectionFlags::ECN)
    }

    /// What remains of the processing of such a segment.
    #[inline(always)]
    pub(crate) fn on_predicted(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        if context.profile.idle_restart() == Some(IdleRestart::SinceReceived) {
            self.sender.active_at = now;
        }
        self.sender.peer_unread = segment.unread;
        out.delivered += self.receiver.on_next(now, context, segment);
        if self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
            self.acknowledge_at_once(context, out);
        }
        self.let_application_read(context, out);
    }

    /// The application writes `bytes`; what the window allows is sent. The send buffer is unlimited: a real
    /// writer would block, which changes nothing while the buffer holds a window. Before the connection is
    /// open the bytes wait.
    ///
    /// # Panics
    /// If the application has closed.
    pub fn write(&mut self, now: Time, context: &Context<'_>, bytes: u64, out: &mut Outbox) {
        assert!(!self.sender.flags.has(SenderFlags::CLOSING), "write of {bytes} bytes after close");
        let opened = self.state.is_synchronized();
        match context.profile.write_cluster_bytes {
            Some(cluster) if opened && context.profile.write_announces_more => {
                self.write_in_clusters(now, context, bytes, u64::from(cluster), out);
            }
            Some(cluster) if opened => self.write_in_mbufs(now, context, bytes, u64::from(cluster), out),
            _ => {
                if opened && context.profile.has_options() && self.outstanding() == 0 {
                    self.sender.restart_after_idle(now, context);
                }
                self.sender.note_write();
                self.sender.unsent = self.sender.unsent.saturating_add(bytes);
                if opened {
                    self.sender.note_writing(true);
                    self.output(now, context, out);
                    self.sender.note_writing(false);
                }
            }
        }
    }

    /// The application writes its last `bytes` and closes, in one call: what ns-2's `sendmsg` with `MSG_EOF`
    /// does, after which the FIN may leave with the data. Elsewhere it is a write and then a close.
    ///
    /// # Panics
    /// If the application has closed.
    pub fn write_and_close(&mut self, now: Time, context: &Context<'_>, bytes: u64, out: &mut Outbox) {
        if context.profile.closes_with_last_write() {
            assert!(!self.sender.flags.has(SenderFlags::CLOSING), "write of {bytes} bytes after close");
            self.sender.unsent = self.sender.unsent.saturating_add(bytes);
        } else {
            self.write(now, context, bytes, out);
        }
        self.close(now, context, out);
    }

    /// The application has data without end: 2⁶³ bytes, three centuries at a gigabyte per second.
    ///
    /// # Panics
    /// If the application has closed.
    pub fn write_unlimited(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.write(now, context, 1 << 63, out);
    }

    /// The application closes: a FIN follows everything written. Receiving goes on until the peer closes too.
    /// A client that has not connected, or a server without a connection, is finished at once.
    ///
    /// Closing twice is the same as closing once.
    pub fn close(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.sender.flags.has(SenderFlags::CLOSING) {
            return;
        }
        self.sender.flags.set(SenderFlags::CLOSING);
        self.state = self.state.after_close();
        if self.state.is_synchronized() {
            self.output(now, context, out);
            self.finish_if_over(context, out);
        } else if self.state == State::Closed {
            self.finish(State::Closed, out);
        }
    }

    /// The application takes back what it wrote and was never sent, and closes: the FIN follows what is under
    /// way, which still arrives. What ns-2's FTP does at its stop, whose agent has nothing new to send from
    /// then on.
    pub fn withdraw_and_close(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.sender.unsent = 0;
        if !self.sender.flags.has(SenderFlags::CLOSING) {
            self.close(now, context, out);
        } else if self.state.is_synchronized() {
            self.output(now, context, out);
            self.finish_if_over(context, out);
        }
    }

    /// The earliest instant at which [`Endpoint::on_timer`] has something to do; `Time::MAX` if there is
    /// none.
    #[must_use]
    #[inline]
    pub fn deadline(&self) -> Time {
        let timers = self.sender.retransmission_deadline.min(self.receiver.delayed_ack_deadline());
        timers.min(self.sender.pacing_deadline())
    }

    /// How fast data arrived at the peer by the last acknowledgement that tells it, in bits of IP packets:
    /// none before the first, and of a classic stack.
    #[must_use]
    pub fn delivery_rate(&self, profile: &HostProfile) -> Option<Rate> {
        self.sender.modern()?.delivery_rate(profile)
    }

    /// Whether this end's controller is scalable: its ECN-capable packets are ECT(1), and ECT(0) otherwise
    /// (RFC 9331 section 4.3).
    #[must_use]
    pub fn is_scalable(&self) -> bool {
        self.sender.is_scalable()
    }

    /// Runs what is due: call it at [`Endpoint::deadline`] or later. Early calls do nothing.
    pub fn on_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.sender.retransmission_deadline <= now {
            if self.state.is_synchronized() {
                self.on_retransmission_timer(now, context, out);
            } else {
                self.on_opening_timer(now, context, out);
            }
        }
        // A retransmission carries the acknowledgement, and then it is no longer due.
        if self.receiver.delayed_ack_deadline() <= now {
            self.receiver.note_delayed();
            self.receiver.stop();
            self.receiver.flags.set(ReceiverFlags::ACK_NOW);
            self.output(now, context, out);
        }
        if self.sender.pacing_deadline() <= now {
            // What waited may not be wanted any more, and then nothing asks the pacer again.
            self.sender.stop_pacing();
            self.send_lost(now, context, out);
            self.output(now, context, out);
        }
    }

    /// What this endpoint has counted.
    #[must_use]
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether its sender, with `classic_ecn_fallback`, ever took its queue for one that marks as RFC 3168
    /// has it.
    #[must_use]
    pub fn has_fallen_back(&self) -> bool {
        self.sender.modern().is_some_and(ModernSender::has_fallen_back)
    }

    /// Bytes written by the application and never sent.
    #[must_use]
    pub const fn unsent_bytes(&self) -> u64 {
        self.sender.unsent
    }

    /// Congestion window in bytes, without the inflation of fast recovery in ns-2.
    #[must_use]
    pub fn congestion_window_bytes(&self, profile: &HostProfile) -> f64 {
        self.sender.congestion_window(profile)
    }

    /// Sets the congestion window, in segments, of a host with `congestion = "agent"`; answers whether it is
    /// one. What a larger window admits leaves with the next acknowledgement.
    pub fn set_congestion_window(&mut self, segments: u32) -> bool {
        self.sender.modern_mut().is_some_and(|modern| modern.set_window(segments))
    }

    /// Slow-start threshold in bytes.
    #[must_use]
    pub fn slow_start_threshold_bytes(&self, profile: &HostProfile) -> f64 {
        f64::from(self.sender.slow_start_threshold(profile))
    }

    /// The smoothed round-trip time of its sender, as its host reckons it; none while there is no estimate.
    #[must_use]
    pub fn smoothed_round_trip(&self, context: &Context<'_>) -> Option<Span> {
        match self.sender.modern() {
            Some(modern) => Some(modern.smoothed()).filter(|&smoothed| smoothed > Span::ZERO),
            None => self.sender.round_trip_time.smoothed(&context.profile.retransmission, &context.clock),
        }
    }

    /// The retransmission timeout of its sender, back-off included.
    #[must_use]
    pub fn retransmission_timeout(&self, context: &Context<'_>) -> Span {
        self.sender.round_trip_time.timeout(&context.profile.retransmission, &context.clock)
    }

    /// One past the highest number ever sent.
    #[must_use]
    pub const fn highest_sent(&self) -> SequenceNumber {
        self.sender.sequence.max
    }

    /// Bytes (and SYN or FIN) sent and not acknowledged.
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.sender.sequence.outstanding()
    }

    fn on_synchronized(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.flags.intersects(Flags::SYN.with(Flags::RST).with(Flags::FIN)) {
            if segment.flags.contains(Flags::RST) {
                return self.on_reset(out);
            }
            if segment.flags.contains(Flags::SYN) {
                return self.on_repeated_syn(now, context, segment, out);
            }
            if self.state == State::LastAck && context.profile.is_foutput() {
                // The peer's FIN comes again, and ns-2 looks at nothing else in it (tcp-full.cc `recv`).
                return;
            }
        }
        if self.is_beyond_what_was_sent(segment) {
            self.receiver.flags.set(ReceiverFlags::ACK_NOW);
            return self.output_at_once(now, context, out);
        }
        if context.profile.idle_restart() == Some(IdleRestart::SinceReceived) {
            self.sender.active_at = now;
        }
        if self.flags.has(ConnectionFlags::ECN) {
            let rule = self.ecn_rule(context.profile);
            let arrived = self.arrived(segment, ce_marked);
            if context.profile.extensions().exact_echo && rule == Ecn::Rfc3168 {
                self.echo_exactly(context, segment, ce_marked, out);
            } else {
                self.receiver.note_congestion_mark(rule, segment, arrived);
            }
        }
        let advanced = self.on_acknowledgement(now, context, segment, out);
        if segment.payload > 0 || segment.flags.contains(Flags::FIN) {
            let received = self.receiver.on_data(now, context, segment);
            out.delivered += received.delivered;
            if received.peer_closed {
                self.state = self.state.after_peer_fin();
                out.peer_closed = true;
            }
        } else if context.profile.has_options() && segment.sequence.plus(1) == { self.receiver.nxt } {
            // A probe of the window lies before what is expected, and is answered (RFC 9293 section
            // 3.10.7.4).
            self.receiver.flags.set(ReceiverFlags::ACK_NOW);
        }
        if advanced || self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
            self.output_at_once(now, context, out);
        }
        if out.delivered > 0 && !self.sender.flags.has(SenderFlags::CLOSING) {
            self.let_application_read(context, out);
        }
        if self.sender.flags.has(SenderFlags::CLOSING) {
            self.finish_if_over(context, out);
        }
    }

    /// The connection is over once both directions are closed. A one-way connection has no FIN: it is over
    /// when everything written has been acknowledged.
    pub(crate) fn finish_if_over(&mut self, context: &Context<'_>, out: &mut Outbox) {
        let one_way = context.profile.is_one_way();
        if self.state == State::TimeWait || one_way && self.sender.is_acknowledged() {
            self.finish(State::TimeWait, out);
        }
    }

    fn finish(&mut self, state: State, out: &mut Outbox) {
        self.state = state;
        self.sender.stop();
        self.receiver.stop();
        out.finished = true;
    }

    /// A reset ends the connection. Between closed ends it stands for a lost acknowledgement of our FIN.
    pub(crate) fn on_reset(&mut self, out: &mut Outbox) {
        if self.sender.flags.has(SenderFlags::FIN_SENT) && self.state.peer_has_closed() {
            return self.finish(State::TimeWait, out);
        }
        out.reset = true;
        self.finish(State::Closed, out);
    }

    /// Nothing came back for too long. A peer that knows of the connection is told (FreeBSD 4.x `tcp_drop`).
    pub(crate) fn give_up(&mut self, out: &mut Outbox) {
        if self.state != State::SynSent {
            out.segments.push(self.bare_segment(Flags::RST.with(Flags::ACK)));
        }
        out.gave_up = true;
        self.finish(State::Closed, out);
    }

    /// What TIME-WAIT answers, if a driver keeps the endpoint for it.
    fn on_time_wait(&self, segment: &Segment, out: &mut Outbox) {
        if !segment.flags.contains(Flags::RST) && segment.sequence_length() > 0 {
            out.segments.push(self.bare_segment(Flags::ACK));
        }
    }

    /// A segment without data at the highest number sent.
    #[inline]
    pub(crate) fn bare_segment(&self, flags: Flags) -> Segment {
        Segment {
            sequence: self.sender.sequence.max,
            acknowledgement: self.receiver.nxt,
            payload: 0,
            flags,
            ect: false,
            unread: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_fits_in_two_cache_lines() {
        assert_eq!((size_of::<Endpoint>(), align_of::<Endpoint>()), (128, 64));
        assert_eq!(size_of::<Option<Endpoint>>(), 128);
    }
}
