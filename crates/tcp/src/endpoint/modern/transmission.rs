//! What a modern sender lets leave: retransmissions, probes, and what its timers ask for.
//!
//! Source: Linux net/ipv4/tcp_output.c `tcp_xmit_retransmit_queue`, `tcp_send_loss_probe`,
//! `tcp_retransmit_timer`, `tcp_send_probe0`; RFC 8985 section 7.3 (what a tail loss probe sends), RFC 5682
//! section 3.1 step 2 (new data first).
//!
//! Departures and silences: a retransmission is as long as the segment was.

use crate::congestion::Feedback;
use crate::connection_flags::{ConnectionFlags, SenderFlags};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::outbox::Outbox;
use crate::segment::Segment;
use crate::sender::modern::{Due, ModernSender, Reductions, Sent};
use aqmlab_units::Time;

impl Endpoint {
    /// Processes an acceptable acknowledgement, and sends again what is lost.
    pub(crate) fn on_modern_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        let number = segment.acknowledgement;
        if number.before(self.sender.sequence.una) {
            let answered =
                self.sender.with_modern(now, context, |modern, lent| modern.answer_old(lent, segment));
            return self.follow(now, context, answered, out);
        }
        self.sender.peer_unread = segment.unread;
        let advanced = self.sender.sequence.una.before(number);
        let counts_marks = self.counts_marks(context);
        let mut is_mangled = false;
        let answered = self.sender.with_modern(now, context, |modern, lent| {
            let mut news = modern.take_in(lent, segment, counts_marks);
            lent.sequence.advance(number);
            is_mangled = news.is_mangled;
            if is_mangled {
                modern.on_feedback_lost();
                news.marked = 0;
            }
            modern.answer(lent, &mut news)
        });
        if is_mangled {
            self.flags.set(ConnectionFlags::NOT_CAPABLE);
        }
        if advanced {
            self.advance(number, out);
        }
        self.follow(now, context, answered, out);
    }

    /// What follows from what an acknowledgement has told.
    fn follow(&mut self, now: Time, context: &Context<'_>, answered: Option<Reductions>, out: &mut Outbox) {
        let Some(reductions) = answered else { return };
        self.statistics.ecn_reductions = self.statistics.ecn_reductions.saturating_add(reductions.echoes);
        if reductions.recovery {
            self.statistics.count_fast_recovery();
        }
        if reductions.resends {
            self.send_lost(now, context, out);
        }
    }

    /// Whether acknowledgements on this connection count the packets that arrived with a mark (RFC 9768).
    pub(super) fn counts_marks(&self, context: &Context<'_>) -> bool {
        self.feedback(context.profile) == Feedback::Accurate
    }

    /// Sends again what is taken for lost, as the window allows; or, where new data may show that nothing was
    /// lost, these.
    pub(crate) fn send_lost(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let new_first = |modern: &mut ModernSender| std::mem::take(&mut modern.new_first);
        if self.sender.modern_mut().is_some_and(new_first) {
            let before = self.sender.sequence.max;
            self.output(now, context, out);
            if before != self.sender.sequence.max {
                return;
            }
            if let Some(modern) = self.sender.modern_mut() {
                modern.forward = false;
            }
        }
        let mut repeats_first = false;
        while let Some(lost) = self.sender.modern_mut().and_then(ModernSender::next_lost) {
            if self.sender.is_held_back(now) {
                break;
            }
            repeats_first |= lost.start == self.sender.sequence.una;
            self.resend(now, context, &lost, out);
            if let Some(modern) = self.sender.modern_mut() {
                modern.at_once = false;
            }
        }
        if repeats_first {
            self.sender.with_modern(now, context, |modern, lent| modern.wait_for_the_first(lent));
        }
    }

    /// Sends a segment again, as it was.
    fn resend(&mut self, now: Time, context: &Context<'_>, sent: &Sent, out: &mut Outbox) {
        let sequence = &mut self.sender.sequence;
        let fin = self.sender.flags.has(SenderFlags::FIN_SENT) && sent.end == sequence.max;
        sequence.nxt = sent.start;
        self.emit_apart(now, context, sent.end.distance_from(sent.start) - u32::from(fin), fin, out);
        self.sender.sequence.nxt = self.sender.sequence.max;
    }

    /// One of the timers has fired.
    pub(crate) fn on_modern_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let Some(modern) = self.sender.modern_mut() else { return };
        match modern.timers.due() {
            Some(Due::Reordering) => {
                let begins = self.sender.with_modern(now, context, ModernSender::lose_what_is_overdue);
                if begins == Some(true) {
                    self.statistics.count_fast_recovery();
                }
                self.send_lost(now, context, out);
                self.sender.with_modern(now, context, |modern, lent| modern.end_waiting(lent));
            }
            Some(Due::Probe) => self.probe(now, context, out),
            Some(Due::Window) => self.probe_window(now, context, out),
            _ => self.time_out(now, context, out),
        }
    }

    /// A tail loss probe: new data if there are any, else the last segment again.
    fn probe(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let profile = context.profile;
        let outstanding = self.sender.sequence.outstanding();
        let length = self.sender.data_left().min(u64::from(profile.segment_bytes())) as u32;
        let Some(modern) = self.sender.modern_mut() else { return };
        let last = modern.board.last().copied();
        let sends = modern.timers.probed.is_none();
        if sends {
            let admitted = outstanding + length <= profile.window_bytes;
            let is_new = length > 0 && admitted;
            if is_new {
                self.emit_apart(now, context, length, false, out);
            } else if let Some(last) = last {
                self.resend(now, context, &last, out);
            }
            let max = self.sender.sequence.max;
            if let Some(modern) = self.sender.modern_mut() {
                modern.timers.probed = Some((max, !is_new));
            }
        }
        self.sender.with_modern(now, context, |modern, lent| modern.note_probed(lent, sends));
    }

    /// The peer's window may have opened, and its update may be lost: it is asked with as much as the window
    /// admits, or with a segment before SND.UNA that carries nothing, which it must answer (RFC 9293 section
    /// 3.8.6.1; Linux `tcp_probe_timer`, `tcp_write_wakeup`).
    fn probe_window(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let most = context.profile.retransmission.maximum_retransmissions;
        let unanswered = self.sender.modern().map_or(0, |modern| modern.unanswered_probes);
        if most.is_some_and(|most| unanswered >= most) {
            return self.give_up(out);
        }
        let admitted = self.sender.sendable(context.profile).min(context.profile.segment_bytes());
        let length = u64::from(admitted).min(self.sender.data_left()) as u32;
        if length > 0 {
            self.sender.with_modern(now, context, |modern, _| modern.timers.stop());
            self.emit(now, context, length, false, out);
            return self.sender.end_burst(now, context);
        }
        let mut probe = self.bare_segment(self.receiver.acknowledging_flags());
        probe.sequence = self.sender.sequence.una.plus(u32::MAX);
        out.segments.push(probe);
        self.sender.with_modern(now, context, |modern, lent| modern.note_window_probe(lent));
    }

    /// The retransmission timeout: everything that has not arrived is taken for lost.
    fn time_out(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.sender.sequence.outstanding() == 0 {
            self.sender.stop();
            return self.output(now, context, out);
        }
        if self.was_retransmitted_enough(context) {
            return self.give_up(out);
        }
        self.statistics.count_timeout();
        self.sender.with_modern(now, context, ModernSender::lose_everything);
        self.send_lost(now, context, out);
        self.sender.with_modern(now, context, |modern, lent| modern.start_timeout(lent));
    }
}
