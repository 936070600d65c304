//! What ns-2's two-way agent may send now.
//!
//! Source: ns-2.35 tcp-full.cc `foutput`, `send_much`, `idle_restart`, with the defaults of ns-default.tcl.
//! The rules are those of BSD's routine (`output.rs`) with these of its own:
//! - Whether nothing is outstanding is asked for each segment, not for each call: a short last segment waits
//!   for the acknowledgement of those before it, also where they were sent by the same call (with Nagle).
//! - The FIN leaves when nothing is outstanding: with the last segment if that had to wait until then or was
//!   alone, else by itself (`sendmsg` with `MSG_EOF`, hence `close_on_empty_`).
//! - A pause longer than the timeout, without its minimum and its back-off, since the last segment with data
//!   takes the window back to the initial one, and is announced with CWR as any reduction is.
//! - In fast recovery, from the first partial acknowledgement on, a call sends two segments at most
//!   (`recov_maxburst_`).
//! - Until its FIN is acknowledged it is repeated on every acknowledgement.
//!
//! Departures and silences:
//! - ns-2 leaves a last segment of exactly one byte until something else makes it send (`send_allowed` counts
//!   one byte short); here it goes.
//! - ns-2 acknowledges a SYN/ACK twice where the client has nothing to write; here once, because its
//!   applications write when they learn that the connection is open.

use crate::connection_flags::{ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::hosts::HostProfile;
use crate::outbox::Outbox;
use aqmlab_units::Time;

/// Most segments of a call in fast recovery after a partial acknowledgement (`recov_maxburst_`).
const SEGMENTS_IN_RECOVERY: u16 = 2;

impl Endpoint {
    /// Sends what may be sent, `most` segments at the most, and the acknowledgement if one is due at once.
    pub(crate) fn foutput(&mut self, now: Time, context: &Context<'_>, most: u16, out: &mut Outbox) {
        let profile = context.profile;
        let mut left_of_burst = self.burst_of_foutput(profile).min(most);
        while left_of_burst > 0 && self.foutput_next(now, context, out) {
            left_of_burst -= 1;
        }
        if self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
            if self.sender.flags.has(SenderFlags::FIN_SENT) && self.outstanding() > 0 {
                return self.repeat_fin(now, context, out);
            }
            self.acknowledge(context, out);
        }
    }

    /// Until its FIN is acknowledged, ns-2 repeats it on every acknowledgement.
    fn repeat_fin(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let resume_at = self.sender.sequence.nxt;
        self.sender.sequence.nxt = self.sender.sequence.max.plus(u32::MAX);
        self.emit_apart(now, context, 0, true, out);
        self.sender.sequence.nxt = resume_at;
    }

    fn burst_of_foutput(&self, profile: &HostProfile) -> u16 {
        let in_recovery =
            self.sender.classic().is_some_and(|classic| classic.recovery.episode().partial_seen);
        if in_recovery { SEGMENTS_IN_RECOVERY } else { profile.maximum_burst_segments.unwrap_or(u16::MAX) }
    }

    /// Sends the next segment if there is one that may leave.
    fn foutput_next(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) -> bool {
        let profile = context.profile;
        let mss = profile.segment_bytes();
        let quiet = self.outstanding() == 0;
        let sender = &mut self.sender;
        let whole_window = profile.window_segments() * mss;
        let window = sender.window(profile).min(whole_window);
        let data_left = sender.data_left();
        let length = u64::from(sender.admitted(window)).min(data_left).min(u64::from(mss)) as u32;
        if quiet && length > 0 {
            sender.restart_after_idle(now, context);
        }
        let again = sender.sequence.nxt.before(sender.sequence.max);
        let last = u64::from(length) == data_left;
        let closing = sender.flags.has(SenderFlags::CLOSING);
        let closed = sender.flags.has(SenderFlags::FIN_SENT);
        let fin = last && closing && if closed { again } else { quiet };
        let worth_a_segment = length == mss
            || last && (quiet || !profile.nagle)
            || again
            || length >= whole_window / 2
            || self.receiver.flags.has(ReceiverFlags::ACK_NOW);
        let leaves = fin || length > 0 && worth_a_segment;
        if !leaves || length > 0 && self.sender.is_held_back(now) {
            return false;
        }
        self.emit_apart(now, context, length, fin, out);
        true
    }
}
