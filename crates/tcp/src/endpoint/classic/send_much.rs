//! ns-2's output routine: whole segments while the window has room for one.
//!
//! Source: ns-2.35 tcp.cc `send_much` and `send_one`, tcp-newreno.cc `recv`, with `maxburst_` 0 and
//! `singledup_` true.
//!
//! Departures and silences: the idle timer that ns-2 lets run is evaluated when the application writes again.

use crate::connection_flags::ReceiverFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::outbox::Outbox;
use crate::sender::classic::DUPLICATE_THRESHOLD;
use aqmlab_units::Time;

/// Most segments sent on one duplicate acknowledgement in fast recovery (tcp-newreno.cc `recv`).
const SEGMENTS_PER_DUPLICATE: u16 = 2;

impl Endpoint {
    /// tcp.cc `send_much`.
    #[inline(never)]
    pub(crate) fn send_much(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        let timer = &profile.retransmission;
        let paused = self.outstanding() == 0 && self.sender.retransmission_deadline == Time::MAX;
        if paused {
            let timeout = self.sender.round_trip_time.timeout(timer, &context.clock);
            if now >= self.sender.active_at + timeout {
                self.sender.restart_after_silence(profile);
            }
        }
        let Some(classic) = self.sender.classic() else { return };
        let limit = if classic.recovery.episode().duplicates >= DUPLICATE_THRESHOLD {
            Some(SEGMENTS_PER_DUPLICATE)
        } else {
            profile.maximum_burst_segments
        };
        let whole_window = profile.window_segments() * profile.segment_bytes();
        let admitted = classic.window.window(profile).min(whole_window);
        let mut sent = 0;
        while limit.is_none_or(|most| sent < most)
            && self.sender.sequence.nxt.distance_from(self.sender.sequence.una) < admitted
            && !self.sender.is_held_back(now)
            && self.send_next(now, context, out)
        {
            sent = sent.saturating_add(1);
        }
        let stuck = self.sender.unsent > 0 && self.outstanding() == 0;
        if stuck && self.sender.retransmission_deadline == Time::MAX {
            // The timer that ran on through the pause.
            self.sender.start_timer(self.sender.active_at, context);
        }
        if self.receiver.flags.has(ReceiverFlags::ACK_NOW) {
            self.acknowledge(context, out);
        }
    }

    /// tcp.cc `send_one`: limited transmit, which counts whole segments and without what duplicates inflate.
    pub(crate) fn send_one(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        let mss = profile.segment_bytes();
        let sequence = self.sender.sequence;
        let outstanding = sequence.nxt.distance_from(sequence.una).div_ceil(mss);
        let Some(classic) = self.sender.classic() else { return };
        let beyond = u32::from(classic.recovery.episode().duplicates);
        let needed = f64::from((outstanding + 1).saturating_sub(beyond) * mss);
        let admitted = needed <= classic.window.congestion_window(profile);
        if outstanding < profile.window_segments() && admitted && !self.sender.is_held_back(now) {
            let length = self.next_length(context);
            if length > 0 {
                self.emit_apart(now, context, length, false, out);
            }
        }
    }

    /// Bytes of the next segment.
    #[inline(always)]
    fn next_length(&self, context: &Context<'_>) -> u32 {
        self.sender.data_left().min(u64::from(context.profile.segment_bytes())) as u32
    }

    #[inline(always)]
    fn send_next(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) -> bool {
        let length = self.next_length(context);
        if length > 0 {
            self.emit(now, context, length, false, out);
        }
        length > 0
    }
}
