//! What may be sent now.
//!
//! Source: FreeBSD 4.x tcp_output.c, which RFC 9293 section 3.8.6.2.1 (silly window avoidance) and RFC 896 (Nagle)
//! describe in part. With `cwnd` the congestion window and `wnd` the peer's, one segment of
//! `min(MSS, min(cwnd, wnd) - outstanding, data left)` bytes is sent if
//! - it is full, or
//! - it empties the buffer, and nothing was outstanding when the routine was called or Nagle is off, and no more
//!   is announced, or
//! - it is half the peer's window or more, or
//! - it is a retransmission, or
//! - an acknowledgement is due at once, or
//! - it carries the FIN for the first time (so a server that closes right after writing never waits for Nagle);
//!
//! and this repeats while more than a segment was sendable, up to the burst limit.
//!
//! ns-2's one-way sender has its own loop in `congestion/ns2_newreno.rs`.

use crate::congestion::{self, ns2_newreno};
use crate::endpoint::{Context, Endpoint};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Congestion, Handshake, IdleRestart};
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
    #[inline]
    pub(crate) fn output(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.has_nothing_to_send() {
            if self.marks.has(Marks::ACK_NOW) {
                self.emit_acknowledgement(context, out);
            }
        } else if context.profile.congestion == Congestion::Ns2NewReno {
            ns2_newreno::output(self, now, context, out);
        } else {
            self.output_bytes(now, context, Hint::Whole, u16::MAX, out);
        }
    }

    /// Whether everything written has been sent, and nothing is to be sent again or closed. Most calls of a pure
    /// receiver end here. Whether it has paused, and must restart its window, can wait until it has data: the pause
    /// will not be shorter then.
    #[inline]
    fn has_nothing_to_send(&self) -> bool {
        self.unsent == 0 && self.next == self.highest && !self.marks.has(Marks::CLOSING)
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
        while left > cluster && self.sendable(context) >= context.profile.segment_bytes() {
            self.unsent = self.unsent.saturating_add(cluster);
            left -= cluster;
            self.output_bytes(now, context, Hint::MoreToCome, u16::MAX, out);
        }
        self.unsent = self.unsent.saturating_add(left);
        self.output(now, context, out);
    }

    /// Hands `bytes` to the output routine piece by piece as the socket layer of FreeBSD 2.2 does, which does not say
    /// that more follows: each piece is judged as if it were all there is.
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
            self.unsent = self.unsent.saturating_add(piece);
            left -= piece;
            self.output(now, context, out);
        }
    }

    /// Whether what is sent does not depend on how the rest of a write is handed over: the window has no room for a piece
    /// or a full segment, or no room for a full segment and more waits than it admits.
    fn pieces_change_nothing(&self, context: &Context<'_>, least_room: u64) -> bool {
        let room = u64::from(self.sendable(context));
        let segment = u64::from(context.profile.segment_bytes());
        room < least_room || (room < segment && room < self.data_left())
    }

    /// Bytes that both windows still admit.
    #[inline]
    fn sendable(&self, context: &Context<'_>) -> u32 {
        let window = congestion::sending_window(self, context.profile);
        window.saturating_sub(self.next.distance_from(self.unacknowledged))
    }

    /// Bytes written but not sent, counted from `next`.
    #[inline]
    pub(crate) fn data_left(&self) -> u64 {
        let behind = self.highest.distance_from(self.next);
        let fin = u32::from(self.marks.has(Marks::FIN_SENT));
        self.unsent + u64::from(behind.saturating_sub(fin))
    }

    /// Sends one segment, if one may be sent.
    pub(crate) fn output_one(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.output_bytes(now, context, Hint::Whole, 1, out);
    }

    fn output_bytes(&mut self, now: Time, context: &Context<'_>, hint: Hint, most: u16, out: &mut Outbox) {
        let profile = context.profile;
        let mss = profile.segment_bytes();
        let idle = self.outstanding() == 0;
        if idle {
            self.restart_after_idle(now, context);
        }
        let may_send_partial = hint == Hint::Whole && (idle || !profile.nagle);
        let mut left_of_burst = profile.maximum_burst_segments.unwrap_or(u16::MAX).min(most);
        loop {
            let data_left = self.data_left();
            let sendable = u64::from(self.sendable(context)).min(data_left);
            let length = sendable.min(u64::from(mss)) as u32;
            let last = u64::from(length) == data_left;
            let fin = last && self.closes_with_fin(context) && self.fin_is_due();
            let worth_a_segment = length == mss
                || last && may_send_partial
                || length >= profile.window_bytes / 2
                || self.next.before(self.highest)
                || self.marks.has(Marks::ACK_NOW);
            if !(fin || length > 0 && worth_a_segment) {
                break;
            }
            self.emit(now, context, length, fin, out);
            left_of_burst = left_of_burst.saturating_sub(1);
            if sendable <= u64::from(mss) || left_of_burst == 0 {
                break;
            }
        }
        if self.marks.has(Marks::ACK_NOW) {
            self.emit_acknowledgement(context, out);
        }
    }

    /// Whether a FIN follows the data: the application has closed, and the connection has FINs at all.
    #[inline]
    fn closes_with_fin(&self, context: &Context<'_>) -> bool {
        self.marks.has(Marks::CLOSING) && context.profile.handshake == Handshake::ThreeWay
    }

    /// Whether a segment that ends the data should carry the FIN: when it has never been sent, or when we went back and
    /// reached it again.
    fn fin_is_due(&self) -> bool {
        !self.marks.has(Marks::FIN_SENT) || self.next.before(self.highest)
    }

    /// Sends the oldest outstanding segment again, and it alone. `next` keeps its place.
    pub(crate) fn retransmit_first(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let resume_at = self.next;
        self.next = self.unacknowledged;
        let data_left = self.data_left();
        let length = data_left.min(u64::from(context.profile.segment_bytes())) as u32;
        let last = u64::from(length) == data_left;
        let fin = last && self.closes_with_fin(context);
        if length > 0 || fin {
            self.emit(now, context, length, fin, out);
        }
        self.next = self.next.later_of(resume_at);
    }

    /// Puts `length` bytes from `next` on, and the FIN if asked, into a segment. It carries the acknowledgement
    /// that may be owed.
    #[inline]
    pub(crate) fn emit(
        &mut self,
        now: Time,
        context: &Context<'_>,
        length: u32,
        fin: bool,
        out: &mut Outbox,
    ) {
        let start = self.next;
        let is_new = start == self.highest;
        let end = start.plus(length + u32::from(fin));
        let mut segment = self.bare_segment(self.acknowledging_flags());
        segment.sequence = start;
        segment.payload = length as u16;
        if fin {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        self.declare_congestion(context.profile, &mut segment, is_new);
        out.segments.push(segment);
        self.no_acknowledgement_owed();
        if self.outstanding() == 0 || self.retransmission_deadline == Time::MAX {
            self.start_timer(now, context);
        }
        if self.highest.before(end) {
            self.send_first_time(now, start, end, fin);
        }
        if !is_new {
            self.statistics.count_retransmission();
        }
        if context.profile.idle_restart == IdleRestart::SinceSent {
            self.active_at = now;
        }
        self.next = end;
    }

    /// Numbers up to `end` are sent for the first time: they leave the buffer, and one segment is timed.
    #[inline]
    fn send_first_time(&mut self, now: Time, start: SequenceNumber, end: SequenceNumber, fin: bool) {
        let had_fin = self.marks.has(Marks::FIN_SENT);
        let new_numbers = end.distance_from(self.highest);
        self.unsent -= u64::from(new_numbers - u32::from(fin && !had_fin));
        if fin {
            self.marks.set(Marks::FIN_SENT);
        }
        self.highest = end;
        if self.timed_since == Time::MAX {
            self.timed_since = now;
            self.timed_number = start;
        }
    }

    /// Sends an acknowledgement that carries nothing else.
    pub(crate) fn emit_acknowledgement(&mut self, context: &Context<'_>, out: &mut Outbox) {
        let mut segment = self.bare_segment(self.acknowledging_flags());
        self.declare_congestion(context.profile, &mut segment, false);
        out.segments.push(segment);
        self.no_acknowledgement_owed();
    }

    #[inline]
    fn no_acknowledgement_owed(&mut self) {
        self.marks.clear(Marks::OWED);
        self.secondary_deadline = Time::MAX;
        self.owed = 0;
    }

    /// A pause has made the congestion window worthless as an estimate of what the path holds.
    fn restart_after_idle(&mut self, now: Time, context: &Context<'_>) {
        let profile = context.profile;
        let timer = &profile.retransmission;
        let paused = match profile.idle_restart {
            IdleRestart::Never | IdleRestart::SinceAcknowledged => false,
            IdleRestart::SinceReceived => {
                let ticks = context.clock.ticks_between(self.active_at, now);
                context.clock.tick() * ticks >= self.round_trip_time.timeout(timer, &context.clock)
            }
            IdleRestart::SinceSent => {
                now - self.active_at > self.round_trip_time.timeout(timer, &context.clock)
            }
        };
        if paused {
            congestion::restart(self, profile);
        }
    }
}
