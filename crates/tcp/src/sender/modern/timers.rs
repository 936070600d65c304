//! Which timer of a sender with a scoreboard runs: one at a time, as in Linux (`icsk_pending`).
//!
//! Source: RFC 6298 rules 5.1 to 5.3 (the retransmission timer), RFC 8985 section 6.3 (the timer of
//! reordering) and section 7.2 (the probe timeout), as Linux `tcp_schedule_loss_probe`, `tcp_rearm_rto` and
//! `tcp_rack_mark_lost` have them:
//!
//! | timer | set | for |
//! | --- | --- | --- |
//! | reordering | by an acknowledgement that leaves overtaken segments which are not overdue | what is left of their time, and 2 ms |
//! | probe | by new data, and where SND.UNA moves, while nothing is being repaired | two smoothed round trips, and with a single segment under way 200 ms more, for which its acknowledgement may be delayed, otherwise 2 ms; never later than the timeout |
//! | timeout | in the same places where there is no probe, and by a retransmission of the first segment | the timeout from now on; from the last departure of the first segment on where it takes the place of one of the others |
//! | window | by an acknowledgement that leaves data which the peer's window does not admit, with nothing under way | the timeout, doubled with each probe (RFC 9293 section 3.8.6.1) |

use super::Lent;
use super::ModernSender;
use crate::congestion::Phase;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// What is added for an acknowledgement that may be delayed, and without one (`TCP_RTO_MIN`,
/// `TCP_TIMEOUT_MIN`).
const FOR_DELAYED: Span = Span::from_milliseconds(200);
const FOR_OTHERS: Span = Span::from_milliseconds(2);

/// A closed window is probed after this at the least (`TCP_RTO_MIN`), and this is doubled up to 2¹⁶ times as
/// much.
const LEAST_WAIT: Span = Span::from_milliseconds(200);
const MOST_DOUBLINGS: u8 = 16;

/// What is left of a timeout at the least, when it takes the place of another timer (`tcp_rearm_rto`).
const LEAST_LEFT: Span = Span::from_microseconds(1);

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// What is overtaken has had the time that reordering may take.
    Reordering,
    /// Nothing came back for two round trips.
    Probe,
    /// The retransmission timeout.
    Timeout,
    /// The peer's window may have opened.
    Window,
}

/// The timer, and what it waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    due: Option<Due>,
    /// `Time::MAX` if none runs.
    at: Time,
    /// Whether it was set because something is overtaken, since that was last made false.
    pub(crate) armed: bool,
    /// While a probe is unanswered: what was sent by then, and whether it was sent again.
    pub(crate) probed: Option<(SequenceNumber, bool)>,
}

impl Default for Timers {
    fn default() -> Self {
        Self { due: None, at: Time::MAX, armed: false, probed: None }
    }
}

impl Timers {
    /// When it fires.
    #[inline]
    pub(crate) const fn deadline(&self) -> Time {
        self.at
    }

    /// What it waits for.
    #[inline]
    pub(crate) const fn due(&self) -> Option<Due> {
        self.due
    }

    /// It waits for this, in the place of what it waited for before.
    #[inline]
    pub(crate) const fn set(&mut self, due: Due, at: Time) {
        (self.due, self.at) = (Some(due), at);
    }

    /// Whether none runs, and no probe is unanswered.
    #[inline]
    pub(crate) fn are_stopped(&self) -> bool {
        self.due.is_none() && self.probed.is_none()
    }

    /// Nothing is waited for.
    #[inline]
    pub(crate) const fn stop(&mut self) {
        (self.due, self.at) = (None, Time::MAX);
    }
}

impl ModernSender {
    /// Something was acknowledged: a probe if nothing comes back, or the timeout (`tcp_set_xmit_timer`).
    #[inline]
    pub(crate) fn restart_timer(&mut self, lent: &Lent<'_>) {
        if !self.schedule_probe(lent, true) {
            self.rearm_timeout(lent);
        }
    }

    /// The retransmission timeout; where it takes the place of another timer from the last departure of the
    /// first segment on.
    pub(super) fn rearm_timeout(&mut self, lent: &Lent<'_>) {
        let Some(first) = self.board.first() else { return self.timers.stop() };
        let timeout = lent.timeout.timeout(&lent.context.profile.retransmission, &lent.context.clock);
        let left = match self.timers.due {
            Some(Due::Reordering | Due::Probe) => {
                (first.at + timeout).checked_since(lent.now).unwrap_or(Span::ZERO).max(LEAST_LEFT)
            }
            _ => timeout,
        };
        self.timers.set(Due::Timeout, lent.context.timer(lent.now, left));
    }

    /// The whole timeout from now on.
    pub(crate) fn start_timeout(&mut self, lent: &Lent<'_>) {
        self.timers.stop();
        self.rearm_timeout(lent);
    }

    /// The first segment was sent again: its answer is waited for, unless that was noticed because something
    /// overtook others, whose time still runs (`tcp_xmit_retransmit_queue`).
    pub(crate) fn wait_for_the_first(&mut self, lent: &Lent<'_>) {
        if self.timers.due != Some(Due::Reordering) {
            self.start_timeout(lent);
        }
    }

    /// The timer of reordering has fired, and what was overdue is sent again (`tcp_rack_reo_timeout`).
    pub(crate) fn end_waiting(&mut self, lent: &Lent<'_>) {
        if self.timers.due != Some(Due::Timeout) {
            self.rearm_timeout(lent);
        }
    }

    /// A probe was due; one is sent unless another is unanswered (`tcp_send_loss_probe`).
    pub(crate) fn note_probed(&mut self, lent: &Lent<'_>, sent: bool) {
        if sent {
            if matches!(self.timers.probed, Some((_, false))) {
                self.note_usage(lent.sequence);
            }
            self.timers.stop();
        }
        self.rearm_timeout(lent);
    }

    /// A probe is sent if nothing comes back; none while something is being repaired. Answers whether.
    #[inline]
    pub(super) fn schedule_probe(&mut self, lent: &Lent<'_>, starts_timeout: bool) -> bool {
        let calm = self.phase == Phase::Open && !self.disordered || self.phase == Phase::Reducing;
        let Some(first) = self.board.first().filter(|_| calm) else { return false };
        let profile = lent.context.profile;
        if !profile.extensions().tail_loss_probe {
            return false;
        }
        let timeout = lent.timeout.timeout(&profile.retransmission, &lent.context.clock);
        let more = if self.board.outstanding() == 1 { FOR_DELAYED } else { FOR_OTHERS };
        let smoothed = self.smoothed();
        let wait = if smoothed > Span::ZERO { smoothed * 2 + more } else { profile.retransmission.initial };
        let left = if starts_timeout { Some(timeout) } else { (first.at + timeout).checked_since(lent.now) };
        let wait = left.filter(|&left| left > Span::ZERO).map_or(wait, |left| left.min(wait));
        self.timers.set(Due::Probe, lent.context.timer(lent.now, wait));
        true
    }

    /// Data wait for the peer's window, with nothing under way: it is probed after the timeout, doubled with
    /// each probe (`tcp_probe0_when`).
    pub(crate) fn wait_for_the_window(&mut self, lent: &Lent<'_>) {
        let timer = &lent.context.profile.retransmission;
        let timeout = lent.timeout.timeout(timer, &lent.context.clock).max(LEAST_WAIT);
        let doubled = timeout * (1_u64 << self.window_probes.min(MOST_DOUBLINGS));
        self.timers.set(Due::Window, lent.context.timer(lent.now, doubled.min(timer.maximum)));
    }

    /// The window was probed with a segment that carries nothing.
    pub(crate) fn note_window_probe(&mut self, lent: &Lent<'_>) {
        self.window_probes = self.window_probes.saturating_add(1);
        self.unanswered_probes = self.unanswered_probes.saturating_add(1);
        self.wait_for_the_window(lent);
    }

    /// What is overtaken is lost from then on.
    pub(super) fn wait_for_reordering(&mut self, lent: &Lent<'_>, left: Span) {
        let timeout = lent.timeout.timeout(&lent.context.profile.retransmission, &lent.context.clock);
        self.timers.armed = true;
        self.timers.set(Due::Reordering, lent.context.timer(lent.now, (left + FOR_OTHERS).min(timeout)));
    }
}
