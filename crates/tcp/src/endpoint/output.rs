//! What may be sent now.
//!
//! Source: FreeBSD 4.x tcp_output.c, which RFC 9293 section 3.8.6.2.1 (silly window avoidance) and RFC 896
//! (Nagle) describe in part. With `cwnd` the congestion window and `wnd` the peer's, one segment of `min(MSS,
//! min(cwnd, wnd) - outstanding, data left)` bytes is sent if
//! - it is full, or
//! - it empties the buffer, and nothing was outstanding when the routine was called or Nagle is off, and no
//!   more is announced, or
//! - it is half the peer's window or more, or
//! - it is a retransmission, or
//! - an acknowledgement is due at once, or
//! - it carries the FIN for the first time (so a server that closes right after writing never waits for
//!   Nagle);
//!
//! and this repeats while more than a segment was sendable, up to the burst limit. Where segments are paced,
//! what carries data waits until the segment before it would have been sent at that rate.
//!
//! `tcp_output` also runs when the application has read, and then sends a *window update* if the window can
//! move by two segments or by half of the receive buffer: which reads are modelled says
//! [`crate::WindowUpdates`].
//!
//! Departures and silences: data that leave with an acknowledgement advertise the whole buffer, as if what
//! came with the acknowledgement had been read; where nothing is outstanding and the window admits nothing,
//! the persist timer of a classic stack sends what is there after its least interval, instead of probing with
//! a byte.
//!
//! ns-2's one-way sender has its own loop in `classic/send_much.rs`, its two-way agent in
//! `classic/foutput.rs`.

use super::Endpoint;
use crate::connection_flags::{ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::hosts::{IdleRestart, OutputRoutine, WindowUpdates};
use crate::outbox::Outbox;
use crate::segment::Flags;
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

/// What the socket layer says about the data it hands over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    /// This is all there is.
    Whole,
    /// More follows at once: partial segments wait for it.
    MoreToCome,
}

impl Endpoint {
    /// Sends what may be sent, and the acknowledgement if one is due at once.
    #[inline(never)]
    pub(crate) fn output(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.output_at_once(now, context, out);
    }

    /// The same, compiled into what every segment goes through.
    #[inline(always)]
    pub(crate) fn output_at_once(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.sender.has_nothing_to_send() {
            if self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
                self.acknowledge(context, out);
            }
            return;
        }
        match context.profile.output_routine() {
            Some(OutputRoutine::TcpOutput) | None => {
                self.output_bytes(now, context, Hint::Whole, u16::MAX, out);
            }
            Some(OutputRoutine::SendMuch) => self.send_much(now, context, out),
            Some(OutputRoutine::Foutput) => self.foutput(now, context, u16::MAX, out),
        }
    }

    /// Hands `bytes` to the output routine in pieces of `cluster`, as the socket layer of FreeBSD 4.x does.
    pub(crate) fn write_in_clusters(
        &mut self,
        now: Time,
        context: &Context<'_>,
        bytes: u64,
        cluster: u64,
        out: &mut Outbox,
    ) {
        let mut left = bytes;
        // Once the window has no room for a full segment, all but the last piece change nothing.
        while left > cluster && self.sender.sendable(context.profile) >= context.profile.segment_bytes() {
            self.sender.unsent = self.sender.unsent.saturating_add(cluster);
            left -= cluster;
            self.output_bytes(now, context, Hint::MoreToCome, u16::MAX, out);
        }
        self.sender.unsent = self.sender.unsent.saturating_add(left);
        self.output(now, context, out);
    }

    /// Hands `bytes` to the output routine piece by piece as the socket layer of FreeBSD 2.2 does, which does
    /// not say that more follows: each piece is judged as if it were all there is.
    pub(crate) fn write_in_mbufs(
        &mut self,
        now: Time,
        context: &Context<'_>,
        bytes: u64,
        cluster: u64,
        out: &mut Outbox,
    ) {
        let mut left = bytes;
        let least_room = u64::from(context.profile.segment_bytes()).min(cluster);
        while left > 0 {
            let piece = match context.profile.small_write {
                Some(small) if left < u64::from(small.cluster_from_bytes) => {
                    left.min(u64::from(small.piece_bytes))
                }
                _ if self.outstanding() > 0 && self.pieces_change_nothing(context, least_room) => left,
                _ => left.min(cluster),
            };
            self.sender.unsent = self.sender.unsent.saturating_add(piece);
            left -= piece;
            self.output(now, context, out);
        }
    }

    /// Whether what is sent does not depend on how the rest of a write is handed over: the window has no room
    /// for a piece or a full segment, or no room for a full segment and more waits than it admits.
    fn pieces_change_nothing(&self, context: &Context<'_>, least_room: u64) -> bool {
        let room = u64::from(self.sender.sendable(context.profile));
        let segment = u64::from(context.profile.segment_bytes());
        room < least_room || (room < segment && room < self.sender.data_left())
    }

    /// Sends one segment, if one may be sent.
    pub(crate) fn output_one(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        match context.profile.output_routine() {
            Some(OutputRoutine::TcpOutput) | None => {
                self.output_bytes(now, context, Hint::Whole, 1, out);
            }
            Some(OutputRoutine::SendMuch) => self.send_one(now, context, out),
            Some(OutputRoutine::Foutput) => self.foutput(now, context, 1, out),
        }
    }

    #[inline(never)]
    fn output_bytes(&mut self, now: Time, context: &Context<'_>, hint: Hint, most: u16, out: &mut Outbox) {
        let profile = context.profile;
        let mss = profile.segment_bytes();
        let idle = self.outstanding() == 0;
        // Linux asks when the application writes (`tcp_skb_entail`), not where a window opens.
        if idle && !profile.has_options() {
            self.sender.restart_after_idle(now, context);
        }
        let may_send_partial = hint == Hint::Whole && (idle || !profile.nagle);
        let mut left_of_burst = profile.maximum_burst_segments.unwrap_or(u16::MAX).min(most);
        // Nothing that is sent here moves the window.
        let window = self.sender.usable_window(profile);
        let before = out.segments.len();
        loop {
            let data_left = self.sender.data_left();
            let sendable = u64::from(self.sender.admitted(window)).min(data_left);
            let length = sendable.min(u64::from(mss)) as u32;
            let last = u64::from(length) == data_left;
            let fin = last && self.closes_with_fin(context) && self.fin_is_due();
            let worth_a_segment = length == mss
                || last && may_send_partial
                || length >= profile.window_bytes / 2
                || self.sender.sequence.nxt.before(self.sender.sequence.max)
                || self.receiver.flags.has(ReceiverFlags::ACK_NOW);
            if !(fin || length > 0 && worth_a_segment) || length > 0 && self.sender.is_held_back(now) {
                break;
            }
            self.emit(now, context, length, fin, out);
            left_of_burst = left_of_burst.saturating_sub(1);
            if sendable <= u64::from(mss) || left_of_burst == 0 {
                break;
            }
        }
        if out.segments.len() > before {
            self.sender.end_burst(now, context);
        } else {
            self.sender.note_held();
        }
        if self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
            self.acknowledge(context, out);
        }
        if self.sender.waits_for_the_window() {
            self.sender.start_persist_timer(now, context);
        }
    }

    /// Whether a FIN follows the data: the application has closed, and the connection has FINs at all.
    #[inline]
    fn closes_with_fin(&self, context: &Context<'_>) -> bool {
        self.sender.flags.has(SenderFlags::CLOSING) && !context.profile.is_one_way()
    }

    /// Whether a segment that ends the data should carry the FIN: when it has never been sent, or when we
    /// went back and reached it again.
    fn fin_is_due(&self) -> bool {
        !self.sender.flags.has(SenderFlags::FIN_SENT)
            || self.sender.sequence.nxt.before(self.sender.sequence.max)
    }

    /// Sends the outstanding segment that begins at `from` again, and it alone. SND.NXT keeps its place.
    pub(crate) fn retransmit(
        &mut self,
        now: Time,
        context: &Context<'_>,
        from: SequenceNumber,
        out: &mut Outbox,
    ) {
        let resume_at = self.sender.sequence.nxt;
        self.sender.sequence.nxt = from;
        let data_left = self.sender.data_left();
        let length = data_left.min(u64::from(context.profile.segment_bytes())) as u32;
        let last = u64::from(length) == data_left;
        // ns-2's two-way agent sends its FIN when nothing is outstanding, and what was sent again a second
        // time where it had gone back to it.
        let foutput = context.profile.is_foutput();
        let may_close = !foutput || self.sender.flags.has(SenderFlags::FIN_SENT);
        let fin = last && may_close && self.closes_with_fin(context);
        if length > 0 || fin {
            self.emit_apart(now, context, length, fin, out);
        }
        self.sender.sequence.nxt =
            if foutput { resume_at } else { self.sender.sequence.nxt.later_of(resume_at) };
    }

    /// As [`Endpoint::emit`], out of the way of what is sent every day.
    #[inline(never)]
    pub(crate) fn emit_apart(
        &mut self,
        now: Time,
        context: &Context<'_>,
        length: u32,
        fin: bool,
        out: &mut Outbox,
    ) {
        self.emit(now, context, length, fin, out);
    }

    /// Puts `length` bytes from SND.NXT on, and the FIN if asked, into a segment. It carries the
    /// acknowledgement that may be owed. A burst of them [ends](crate::sender::Sender::end_burst).
    #[inline(always)]
    pub(crate) fn emit(
        &mut self,
        now: Time,
        context: &Context<'_>,
        length: u32,
        fin: bool,
        out: &mut Outbox,
    ) {
        let start = self.sender.sequence.nxt;
        let is_new = start == self.sender.sequence.max;
        let end = start.plus(length + u32::from(fin));
        let mut segment = self.bare_segment(self.receiver.acknowledging_flags());
        segment.sequence = start;
        segment.payload = length as u16;
        if fin {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        self.declare_congestion(context.profile, &mut segment, is_new);
        if length > 0 {
            self.sender.pace(now, context.profile, &segment);
        }
        out.segments.push(segment);
        self.receiver.note_acknowledged(0);
        let sender = &mut self.sender;
        let idle_restart = context.profile.idle_restart();
        // With nothing outstanding a timer that runs waits for something else; ns-2's two-way agent does not
        // ask. A modern sender has its own timers.
        let idle = sender.sequence.outstanding() == 0;
        let asks = idle_restart != Some(IdleRestart::SinceData);
        if (sender.retransmission_deadline == Time::MAX || idle && asks) && idle_restart.is_some() {
            sender.start_stopped_timer(now, context);
        }
        if !is_new {
            self.statistics.count_retransmission();
        }
        if is_new || sender.sequence.max.before(end) {
            sender.send_first_time(now, start, end, fin);
        }
        match idle_restart {
            Some(IdleRestart::SinceSent) => sender.active_at = now,
            Some(IdleRestart::SinceData) if length > 0 => sender.active_at = now,
            None => sender.note_sent(now, (start, end), is_new),
            _ => {}
        }
        sender.sequence.nxt = end;
    }

    /// Sends an acknowledgement that carries nothing else. What this call has delivered may be unread.
    #[inline(never)]
    pub(crate) fn acknowledge(&mut self, context: &Context<'_>, out: &mut Outbox) {
        self.acknowledge_at_once(context, out);
    }

    /// The same, compiled into what every segment in order goes through.
    #[inline(always)]
    pub(crate) fn acknowledge_at_once(&mut self, context: &Context<'_>, out: &mut Outbox) {
        let unread = self.receiver.unread(context.profile, out.delivered);
        self.emit_acknowledgement(context, unread, out);
    }

    /// The application reads what a segment has brought; if that moves the window far enough, the peer is
    /// told.
    #[inline(always)]
    pub(crate) fn let_application_read(&mut self, context: &Context<'_>, out: &mut Outbox) {
        if context.profile.window_updates != WindowUpdates::Never && self.receiver.read(context.profile) {
            self.update_window(context, out);
        }
    }

    /// Tells the peer that everything has been read.
    #[inline(never)]
    fn update_window(&mut self, context: &Context<'_>, out: &mut Outbox) {
        self.emit_acknowledgement(context, 0, out);
    }

    #[inline(always)]
    fn emit_acknowledgement(&mut self, context: &Context<'_>, unread: u16, out: &mut Outbox) {
        let mut segment = self.bare_segment(self.receiver.acknowledging_flags());
        segment.unread = unread;
        self.declare_congestion(context.profile, &mut segment, false);
        out.segments.push(segment);
        self.receiver.note_acknowledged(unread);
    }
}
