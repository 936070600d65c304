//! The receiving half of a connection: data in and out of order, their acknowledgement, the peer's FIN,
//! marks.
//!
//! Source: RFC 9293 section 3.10.7.4 (segment text, FIN); RFC 5681 section 4.2 (which acknowledgements may
//! wait): data that arrive out of order, or that fill a hole, are acknowledged at once; FreeBSD 4.x
//! tcp_input.c `DELAY_ACK` and tcp_timer.c `tcp_timer_delack`: the first segment in order starts a 100 ms
//! timer, the second is acknowledged at once whatever its size, a FIN at once; FreeBSD 2.2 tcp_output.c and
//! `tcp_fasttimo`: two segments' worth of bytes at once, less at the next tick of a 200 ms clock of the whole
//! machine; both tell the peer when reading has moved the window by two segments or half of the buffer
//! (tcp_output.c, called for `PRU_RCVD`); ns-2.35 tcp-sink.cc: every segment at once (TCPSink), or in order
//! as FreeBSD 4.x does, and so the newest segment when it comes again (TCPSink/DelAck); ns-2.35 tcp-full.cc
//! `need_send` and `timeout`: a segment's worth of bytes at once, less at the next multiple of 100 ms since
//! the run began.

use crate::connection_flags::ReceiverFlags;
use crate::context::Context;
use crate::hosts::{AckCounting, AckTimer, Ecn, HostProfile, WindowUpdates};
use crate::reassembly::Reassembly;
use crate::reporting::{Arrived, Reporting};
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use std::fmt;

/// What a segment with data or FIN has brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// Bytes that are in order now.
    pub(crate) delivered: u32,
    /// Whether the peer's FIN is in order now.
    pub(crate) peer_closed: bool,
}

/// The receiving half. Packed, because padding would push an endpoint beyond two cache lines.
#[repr(Rust, packed(2))]
pub(crate) struct Receiver {
    /// RCV.NXT: the next number expected from the peer.
    pub(crate) nxt: SequenceNumber,
    /// Bytes by which the right edge of the window could move once the application has read everything: those
    /// in order that no acknowledgement has covered yet, and those that were unread when the last one left.
    /// It stops at the greatest value.
    window_lag: u16,
    /// Segments in order that no acknowledgement has covered yet; it stops likewise.
    unacknowledged_segments: u8,
    pub(crate) flags: ReceiverFlags,
    /// When a delayed acknowledgement is due; `Time::MAX` if none waits.
    delayed_ack_deadline: Time,
    reassembly: Reassembly,
}

impl Default for Receiver {
    fn default() -> Self {
        Self {
            nxt: SequenceNumber::default(),
            window_lag: 0,
            unacknowledged_segments: 0,
            flags: ReceiverFlags::default(),
            delayed_ack_deadline: Time::MAX,
            reassembly: Reassembly::default(),
        }
    }
}

impl Clone for Receiver {
    fn clone(&self) -> Self {
        Self { reassembly: self.reassembly.clone(), ..*self }
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("nxt", &{ self.nxt })
            .field("window_lag", &{ self.window_lag })
            .field("unacknowledged_segments", &self.unacknowledged_segments)
            .field("flags", &self.flags)
            .field("delayed_ack_deadline", &{ self.delayed_ack_deadline })
            .field("reassembly", &self.reassembly)
            .finish()
    }
}

impl Receiver {
    /// What is kept of the peer's segments where it is reported to the peer, or adapted to.
    #[inline(always)]
    pub(crate) fn begin(&mut self, profile: &HostProfile) {
        if profile.has_options() && self.reporting().is_none() {
            self.reassembly = Reassembly::reported(profile);
        }
    }

    /// What is kept of the peer's segments by a receiver that reports them.
    #[inline]
    pub(crate) fn reporting(&self) -> Option<&Reporting> {
        self.reassembly.reporting()
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn reporting_mut(&mut self) -> Option<&mut Reporting> {
        self.reassembly.reporting_mut()
    }

    /// When a delayed acknowledgement is due; `Time::MAX` if none waits.
    #[inline]
    pub(crate) const fn delayed_ack_deadline(&self) -> Time {
        self.delayed_ack_deadline
    }

    /// Nothing is acknowledged any more.
    pub(crate) fn stop(&mut self) {
        self.delayed_ack_deadline = Time::MAX;
    }

    /// Whether something in order waits for its acknowledgement.
    pub(crate) const fn owes_acknowledgement(&self) -> bool {
        self.unacknowledged_segments > 0
    }

    /// Flags of every segment on an open connection.
    #[inline]
    pub(crate) fn acknowledging_flags(&self) -> Flags {
        if self.flags.has(ReceiverFlags::ECHO) { Flags::ACK.with(Flags::ECE) } else { Flags::ACK }
    }

    /// A segment leaves that acknowledges everything in order, of which so many bytes are unread.
    #[inline]
    pub(crate) fn note_acknowledged(&mut self, unread: u16) {
        self.flags.clear_acknowledged();
        self.window_lag = unread;
        if self.unacknowledged_segments > 0 {
            self.delayed_ack_deadline = Time::MAX;
            self.unacknowledged_segments = 0;
        }
    }

    /// Bytes that the application has not read when an acknowledgement leaves in the call that has delivered
    /// so many.
    #[inline]
    pub(crate) fn unread(&self, profile: &HostProfile, delivered: u32) -> u16 {
        if delivered == 0 || self.flags.has(ReceiverFlags::READ) {
            return 0;
        }
        match profile.window_updates {
            WindowUpdates::Never => 0,
            WindowUpdates::EachSegment => saturated(delivered),
            WindowUpdates::EachAcknowledgement => self.window_lag,
        }
    }

    /// The application has its turn, and reads if it is due. Answers whether the window can move by two
    /// segments or by half of the buffer then, of which the peer is told.
    #[inline]
    pub(crate) fn read(&mut self, profile: &HostProfile) -> bool {
        let lag = u32::from(self.window_lag);
        if profile.window_updates == WindowUpdates::EachAcknowledgement {
            if self.unacknowledged_segments > 0 {
                return false;
            }
            self.window_lag = 0;
        }
        lag >= 2 * profile.segment_bytes() || 2 * lag >= profile.window_bytes
    }

    /// Whether `segment`, which has data, is the next one in order of a peer that goes on sending, and
    /// nothing else is to be heeded.
    #[inline(always)]
    pub(crate) fn is_next(&self, segment: &Segment) -> bool {
        const UNUSUAL: ReceiverFlags = ReceiverFlags::ACK_NOW.with(ReceiverFlags::FIN_SEEN);
        (segment.flags == Flags::ACK)
            & (segment.sequence.distance_from(self.nxt) == 0)
            & self.reassembly.is_empty()
            & !self.flags.has(UNUSUAL)
    }

    /// Takes such a segment in. Answers with the bytes delivered.
    #[inline(always)]
    pub(crate) fn on_next(&mut self, now: Time, context: &Context<'_>, segment: &Segment) -> u32 {
        self.nxt = self.nxt.plus(u32::from(segment.payload));
        self.owe_acknowledgement(now, context, segment.payload);
        u32::from(segment.payload)
    }

    /// Remembers a congestion mark on an ECN connection until the sender says that it has reacted.
    #[inline]
    pub(crate) fn note_congestion_mark(&mut self, rule: Ecn, segment: &Segment, arrived: Arrived) {
        let ce_marked = arrived == Arrived::Marked;
        if rule == Ecn::Accurate {
            return self.count_mark(segment, arrived);
        }
        if segment.flags.contains(Flags::CWR) {
            if !self.flags.has(ReceiverFlags::ECHO_UNCOVERED) {
                self.flags.clear(ReceiverFlags::ECHO);
            }
            if rule == Ecn::Kame {
                return;
            }
        }
        if ce_marked && segment.payload > 0 {
            self.flags.set(ReceiverFlags::ECHO);
            if rule == Ecn::Ns2 {
                self.flags.set(ReceiverFlags::ECHO_UNCOVERED);
            }
        }
    }

    /// Counts a marked packet, which is acknowledged at once; of pure acknowledgements every third alone, or
    /// two ends would answer each other's for ever where all are marked (RFC 9768 section 3.2.2.5.1).
    fn count_mark(&mut self, segment: &Segment, arrived: Arrived) {
        const PURE_ACKNOWLEDGEMENTS: u32 = 3;
        let Some(reporting) = self.reporting_mut() else { return };
        reporting.count_bytes(segment.payload, arrived);
        if arrived == Arrived::Marked {
            reporting.count_mark();
            let is_answered = segment.payload > 0
                || segment.flags.contains(Flags::FIN)
                || reporting.marked_packets.is_multiple_of(PURE_ACKNOWLEDGEMENTS);
            if is_answered {
                self.flags.set(ReceiverFlags::ACK_NOW);
            }
        }
    }

    /// A segment with data or FIN arrives on an open connection.
    #[inline]
    pub(crate) fn on_data(&mut self, now: Time, context: &Context<'_>, segment: &Segment) -> Received {
        let in_order = segment.sequence.distance_from(self.nxt) == 0 && self.reassembly.is_empty();
        if in_order && !segment.flags.contains(Flags::FIN) && !self.flags.has(ReceiverFlags::FIN_SEEN) {
            Received { delivered: self.on_next(now, context, segment), peer_closed: false }
        } else {
            self.on_unusual_data(now, context, segment)
        }
    }

    /// Data in order: acknowledge every n-th segment (or n segments' worth of bytes) now, the others within
    /// the delay.
    #[inline(always)]
    fn owe_acknowledgement(&mut self, now: Time, context: &Context<'_>, payload: u16) {
        let rule = context.profile.delayed_ack;
        self.window_lag = self.window_lag.saturating_add(payload);
        self.unacknowledged_segments = self.unacknowledged_segments.saturating_add(1);
        let enough = match rule.counting {
            AckCounting::Segments => self.unacknowledged_segments >= rule.every_segments,
            AckCounting::Bytes => {
                let bytes = u32::from(rule.every_segments) * context.profile.segment_bytes();
                u32::from(self.window_lag) >= bytes
            }
            AckCounting::Adaptive => self.adapts_to_acknowledge_now(now, context.profile, payload),
        };
        if enough {
            self.flags.set(ReceiverFlags::ACK_NOW);
            if rule.counting == AckCounting::Bytes {
                // The reader makes this acknowledgement, not the arrival.
                self.flags.set(ReceiverFlags::READ);
            }
        } else if self.delayed_ack_deadline() == Time::MAX {
            self.delayed_ack_deadline = match rule.timer {
                AckTimer::MachineTick => context.clock.next_tick_of(rule.delay, now),
                AckTimer::RunTick => next_multiple_of(rule.delay, now),
                AckTimer::OwnTimer if context.profile.timers_fire_on_ticks() => {
                    context.clock.callout(context.clock.whole_ticks(rule.delay), now)
                }
                AckTimer::OwnTimer => now + rule.delay,
                AckTimer::Adaptive => {
                    context.timer(now, self.reporting().map_or(rule.delay, Reporting::delay))
                }
            };
        }
    }

    /// Whether data in order are acknowledged at once: every segment for a while, and then what exceeds all
    /// segments but one of those that are acknowledged together.
    fn adapts_to_acknowledge_now(&mut self, now: Time, profile: &HostProfile, payload: u16) -> bool {
        let others = u32::from(profile.delayed_ack.every_segments) - 1;
        let bytes = u32::from(self.window_lag);
        self.reporting_mut().is_none_or(|reporting| {
            reporting.note_data(now, profile.window_segments());
            bytes > others * reporting.measure(u32::from(payload)) || reporting.is_quick()
        })
    }

    /// What lies beyond a hole is reported at once, or with what follows (see `reporting.rs`).
    fn owe_report(&mut self, now: Time) {
        let (next, bytes) = (self.nxt, u32::from(self.window_lag));
        match self.reporting_mut().and_then(|reporting| reporting.compress(next, bytes)) {
            None => self.flags.set(ReceiverFlags::ACK_NOW),
            Some(wait) => {
                self.unacknowledged_segments = self.unacknowledged_segments.max(1);
                if self.delayed_ack_deadline() == Time::MAX {
                    self.delayed_ack_deadline = now + wait;
                }
            }
        }
    }

    /// The timer of a delayed acknowledgement has fired.
    pub(crate) fn note_delayed(&mut self) {
        if let Some(reporting) = self.reporting_mut() {
            reporting.note_delayed();
        }
    }

    /// Whether everything up to the peer's FIN has come: it is the last number that the peer ever sends, so
    /// that once it was seen nothing waiting means it is reached.
    fn peer_has_closed(&self) -> bool {
        self.flags.has(ReceiverFlags::FIN_SEEN) && self.reassembly.is_empty()
    }

    /// Out of order, filling a hole, repeated, or with a FIN: acknowledged at once, or what lies beyond a
    /// hole with what follows. What lies behind the peer's FIN is ignored.
    #[cold]
    #[inline(never)]
    fn on_unusual_data(&mut self, now: Time, context: &Context<'_>, segment: &Segment) -> Received {
        let before = self.nxt;
        let end_of_text = segment.sequence.plus(u32::from(segment.payload));
        if end_of_text == before && self.reassembly.is_empty() && context.profile.is_one_way() {
            // ns-2's delaying sink takes the newest packet, sent again, for one in order.
            self.owe_acknowledgement(now, context, segment.payload);
            return Received::default();
        }
        let has_fin = segment.flags.contains(Flags::FIN);
        let end = end_of_text.plus(u32::from(has_fin));
        if before.before(end) && self.peer_has_closed() {
            return Received::default();
        }
        if has_fin {
            self.flags.set(ReceiverFlags::FIN_SEEN);
        }
        let is_repeated = segment.sequence.before(before);
        if is_repeated && let Some(reporting) = self.reporting_mut() {
            let known = if end.before(before) { end } else { before };
            reporting.note_duplicate(segment.sequence, known, context.profile.window_segments());
        }
        let mut received = Received::default();
        if before.before(segment.sequence) {
            self.reassembly.insert(segment.sequence, end);
        } else if before.before(end) {
            self.nxt = self.reassembly.take_contiguous(end);
            let numbers = self.nxt.distance_from(before);
            let peer_closed = self.peer_has_closed();
            let delivered = numbers - u32::from(peer_closed);
            self.window_lag = self.window_lag.saturating_add(saturated(delivered));
            received = Received { delivered, peer_closed };
        }
        if has_fin || is_repeated || self.reassembly.is_empty() {
            self.flags.set(ReceiverFlags::ACK_NOW);
        } else {
            self.owe_report(now);
        }
        received
    }
}

/// The first whole multiple of a period after an instant.
fn next_multiple_of(period: Span, now: Time) -> Time {
    now + (period - Span::from_nanoseconds(now.nanoseconds() % period.nanoseconds()))
}

/// A number of bytes in 16 bits, which stop at their greatest value.
fn saturated(bytes: u32) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_takes_what_a_sender_leaves_of_two_cache_lines() {
        assert_eq!(size_of::<Receiver>(), 26);
    }

    const BYTE: Segment = Segment {
        sequence: SequenceNumber::INITIAL,
        acknowledgement: SequenceNumber::INITIAL,
        payload: 1,
        flags: Flags::ACK,
        ect: false,
        unread: 0,
    };

    /// A second clock of 200 ms, two segments of 1,460 bytes: 256 bytes in as many segments are delayed.
    #[test]
    fn the_count_of_small_segments_stops_before_it_is_zero_again() {
        let profile = HostProfile::named("bsd228").unwrap();
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        let mut receiver = Receiver::default();
        for number in 0..256 {
            let segment = Segment { sequence: BYTE.sequence.plus(number), ..BYTE };
            assert!(receiver.is_next(&segment));
            assert_eq!(receiver.on_next(Time::ZERO, &context, &segment), 1);
        }
        assert_eq!(receiver.delayed_ack_deadline(), Time::from_seconds(0.2));
        receiver.note_acknowledged(0);
        assert_eq!(receiver.delayed_ack_deadline(), Time::MAX);
    }

    /// A segment tells of 65,535 unread bytes at the most: 45 segments of 1,460 bytes are more.
    #[test]
    fn what_is_unread_stops_at_the_greatest_value() {
        let mut profile = HostProfile::named("bsd45").unwrap();
        profile.delayed_ack.every_segments = 100;
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        let segment =
            |number: u32| Segment { sequence: BYTE.sequence.plus(number * 1_460), payload: 1_460, ..BYTE };
        let mut in_order = Receiver::default();
        for number in 0..44 {
            in_order.on_data(Time::ZERO, &context, &segment(number));
        }
        assert_eq!(in_order.unread(&profile, 1_460), 64_240);
        in_order.on_data(Time::ZERO, &context, &segment(44));
        assert_eq!(in_order.unread(&profile, 1_460), u16::MAX);
        // The first is in order, and the last fills a hole below 44 others.
        let mut behind_a_hole = Receiver::default();
        for number in [0].into_iter().chain(2..46).chain([1]) {
            behind_a_hole.on_data(Time::ZERO, &context, &segment(number));
        }
        assert_eq!({ behind_a_hole.nxt }, BYTE.sequence.plus(46 * 1_460));
        assert_eq!(behind_a_hole.unread(&profile, 45 * 1_460), u16::MAX);
    }

    #[test]
    fn a_copy_keeps_what_waits() {
        let profile = HostProfile::named("bsd45").unwrap();
        let context = Context { profile: &profile, clock: profile.clock(Span::ZERO) };
        let mut receiver = Receiver::default();
        receiver.on_data(Time::ZERO, &context, &BYTE);
        receiver.on_data(Time::ZERO, &context, &Segment { sequence: BYTE.sequence.plus(2), ..BYTE });
        let mut copy = receiver.clone();
        let missing = Segment { sequence: BYTE.sequence.plus(1), ..BYTE };
        assert_eq!(copy.on_data(Time::ZERO, &context, &missing).delivered, 2);
        assert_eq!(({ copy.nxt }, { receiver.nxt }), (BYTE.sequence.plus(3), BYTE.sequence.plus(1)));
    }
}
