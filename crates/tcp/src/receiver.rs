//! Data from the peer: in order, out of order, and its end.
//!
//! Source: RFC 9293 section 3.10.7.4 (segment text, FIN); RFC 5681 section 4.2 (which acknowledgements may wait):
//! data that arrive out of order, or that fill a hole, are acknowledged at once; FreeBSD 4.x tcp_input.c
//! `DELAY_ACK` and tcp_timer.c `tcp_timer_delack`: the first segment in order starts a 100 ms timer, the second
//! is acknowledged at once whatever its size, a FIN at once; FreeBSD 2.2 tcp_output.c and `tcp_fasttimo`: two segments'
//! worth of bytes at once, less at the next tick of a 200 ms clock of the whole machine; ns-2.35 tcp-sink.cc: every segment at
//! once (TCPSink), or in order as FreeBSD 4.x does, and so the newest segment when it comes again (TCPSink/DelAck).

use crate::endpoint::{Context, Endpoint};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{AckCounting, AckTimer, Handshake};
use crate::segment::{Flags, Segment};
use aqmlab_units::Time;

impl Endpoint {
    /// A segment with data or FIN arrives on an open connection.
    #[inline]
    pub(crate) fn on_data(&mut self, now: Time, context: &Context<'_>, segment: &Segment, out: &mut Outbox) {
        let in_order = segment.sequence == self.expected && self.reassembly.is_empty();
        if in_order && !segment.flags.contains(Flags::FIN) && !self.marks.has(Marks::PEER_FIN_SEEN) {
            let bytes = u32::from(segment.payload);
            self.expected = self.expected.plus(bytes);
            out.delivered += bytes;
            self.owe_acknowledgement(now, context, bytes);
        } else {
            self.on_unusual_data(now, context, segment, out);
        }
    }

    /// Data in order: acknowledge every n-th segment (or n segments' worth of bytes) now, the others within the delay.
    #[inline(always)]
    fn owe_acknowledgement(&mut self, now: Time, context: &Context<'_>, payload: u32) {
        let rule = context.profile.delayed_ack;
        let (received, enough) = match rule.counting {
            AckCounting::Segments => (1, u32::from(rule.every_segments)),
            AckCounting::Bytes => (payload, u32::from(rule.every_segments) * context.profile.segment_bytes()),
        };
        self.owed = self.owed.saturating_add(received as u16);
        if u32::from(self.owed) >= enough {
            self.marks.set(Marks::ACK_NOW);
        } else if self.secondary_deadline == Time::MAX {
            self.secondary_deadline = if rule.timer == AckTimer::MachineTick {
                context.clock.next_tick_of(rule.delay, now)
            } else if context.profile.timers_fire_on_ticks() {
                context.clock.callout(context.clock.whole_ticks(rule.delay), now)
            } else {
                now + rule.delay
            };
        }
    }

    /// Out of order, filling a hole, repeated, or with a FIN: acknowledged at once.
    #[cold]
    #[inline(never)]
    fn on_unusual_data(&mut self, now: Time, context: &Context<'_>, segment: &Segment, out: &mut Outbox) {
        let newest = segment.sequence.plus(u32::from(segment.payload)) == self.expected;
        if newest && self.reassembly.is_empty() && context.profile.handshake == Handshake::OneWay {
            // ns-2's delaying sink takes the newest packet, sent again, for one in order.
            return self.owe_acknowledgement(now, context, u32::from(segment.payload));
        }
        self.marks.set(Marks::ACK_NOW);
        let mut end = segment.sequence.plus(u32::from(segment.payload));
        if segment.flags.contains(Flags::FIN) {
            self.marks.set(Marks::PEER_FIN_SEEN);
            end = end.plus(1);
        }
        if !self.expected.before(end) {
            return;
        }
        if self.expected.before(segment.sequence) {
            self.reassembly.insert(segment.sequence, end);
            return;
        }
        let before = self.expected;
        self.expected = self.reassembly.take_contiguous(end);
        let numbers = self.expected.distance_from(before);
        // A FIN is the last number the peer ever sends: once it was seen, nothing waiting means it is reached.
        let closed = self.marks.has(Marks::PEER_FIN_SEEN) && self.reassembly.is_empty();
        out.delivered += numbers - u32::from(closed);
        if closed {
            self.marks.set(Marks::PEER_CLOSED);
            out.peer_closed = true;
        }
    }
}
