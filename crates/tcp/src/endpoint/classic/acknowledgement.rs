//! What an arriving acknowledgement, or none, means to a classic sender.
//!
//! Source: RFC 9293 section 3.10.7.4 (when acknowledgements update the window), RFC 5681 section 2 (what a
//! duplicate is: by its condition (e) nothing that changes the window). Under `sender/classic/`, `recovery/`
//! says what was lost and is sent again, `window/` what that does to the window; here it is carried out.
//! ns-2's two-way agent goes about it in another order, in `process_ack.rs`.

use crate::connection_flags::{ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::hosts::{Ecn, IdleRestart, OutputRoutine, Stack};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sender::SendSequence;
use crate::sender::classic::{AnnounceReduction, FastRetransmit, OnDuplicate, OnNewAcknowledgement};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// Header prediction of a sender: an acknowledgement of something new, which says nothing else, while
    /// nothing is being repaired. What tells most segments apart is asked first, the rest at once.
    #[inline(always)]
    pub(crate) fn predicts_acknowledgement(&self, context: &Context<'_>, segment: &Segment) -> bool {
        let SendSequence { una, max, .. } = self.sender.sequence;
        let number = segment.acknowledgement;
        if segment.payload > 0 || segment.flags != Flags::ACK || !una.before(number) {
            return false;
        }
        let Stack::Classic(stack) = &context.profile.stack else { return false };
        let Some(classic) = self.sender.classic() else { return false };
        !max.before(number)
            & self.state.is_synchronized()
            & classic.recovery.episode().is_over()
            & !self.receiver.flags.has(ReceiverFlags::ACK_NOW)
            & matches!(stack.output_routine, OutputRoutine::TcpOutput | OutputRoutine::SendMuch)
    }

    /// What remains of the processing of such a segment.
    #[inline(always)]
    pub(crate) fn on_predicted_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        let sender = &mut self.sender;
        if context.profile.idle_restart() == Some(IdleRestart::SinceReceived) {
            sender.active_at = now;
        }
        sender.peer_unread = segment.unread;
        if context.profile.ecn == Ecn::Ns2 {
            sender.flags.clear(SenderFlags::ECN_WAIT);
        }
        sender.grow(now, context, segment.acknowledgement, false);
        self.advance(segment.acknowledgement, out);
        self.sender.restart_timer(now, context);
        self.output_at_once(now, context, out);
        if self.sender.flags.has(SenderFlags::CLOSING) {
            self.finish_if_over(context, out);
        }
    }

    /// Processes an acceptable acknowledgement. Answers whether the output routine should run.
    #[inline]
    pub(crate) fn on_classic_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        echo: bool,
        out: &mut Outbox,
    ) -> bool {
        let number = segment.acknowledgement;
        if echo {
            self.on_congestion_echo(now, context, number);
        }
        if self.sender.sequence.una.before(number) {
            self.sender.peer_unread = segment.unread;
            self.on_new_acknowledgement(now, context, number, echo, out);
            return true;
        }
        self.on_old_acknowledgement(now, context, segment, out)
    }

    #[inline]
    fn on_new_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        number: SequenceNumber,
        echo: bool,
        out: &mut Outbox,
    ) {
        let sender = &mut self.sender;
        let sequence = sender.sequence;
        let Some(classic) = sender.classic_mut() else { return };
        let meaning = if classic.recovery.episode().is_over() {
            OnNewAcknowledgement::Normal
        } else {
            classic.on_new_acknowledgement(context.profile, sequence, number)
        };
        if let OnNewAcknowledgement::Partial { restarts_timer } = meaning {
            return self.on_partial_acknowledgement(now, context, number, restarts_timer, out);
        }
        if !echo && context.profile.ecn == Ecn::Ns2 {
            sender.flags.clear(SenderFlags::ECN_WAIT);
        }
        if meaning == OnNewAcknowledgement::Normal {
            sender.grow(now, context, number, echo);
        } else {
            sender.take_sample(now, context, number, echo);
        }
        self.advance(number, out);
        self.sender.restart_timer(now, context);
    }

    fn on_partial_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        number: SequenceNumber,
        restarts_timer: bool,
        out: &mut Outbox,
    ) {
        let sender = &mut self.sender;
        if restarts_timer {
            sender.start_timer(now, context);
        }
        sender.stop_timing_at_partial(context, number);
        self.advance(number, out);
        self.retransmit(now, context, number, out);
    }

    fn on_old_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        let sender = &mut self.sender;
        let current = segment.acknowledgement == sender.sequence.una;
        let bare = segment.payload == 0 && !segment.flags.contains(Flags::FIN);
        let same_window = segment.unread == sender.peer_unread;
        let outstanding = sender.sequence.outstanding();
        let Some(classic) = sender.classic_mut() else { return false };
        let pending = outstanding > 0 || classic.recovery.counts_when_quiet();
        if !(current && bare && pending && same_window) {
            classic.recovery.on_old_acknowledgement();
            let opens = current && segment.unread < sender.peer_unread;
            if opens {
                sender.peer_unread = segment.unread;
            }
            return opens;
        }
        self.on_duplicate(now, context, out)
    }

    /// One more acknowledgement says that something is missing.
    pub(crate) fn on_duplicate(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) -> bool {
        let sequence = self.sender.sequence;
        let Some(classic) = self.sender.classic_mut() else { return false };
        match classic.on_duplicate(context.profile, sequence) {
            OnDuplicate::Nothing => false,
            OnDuplicate::Output => true,
            OnDuplicate::OneSegment => {
                self.output_one(now, context, out);
                false
            }
            OnDuplicate::FastRetransmit(lost) => {
                self.fast_retransmit(now, context, lost, out);
                lost.then_output
            }
        }
    }

    fn fast_retransmit(&mut self, now: Time, context: &Context<'_>, lost: FastRetransmit, out: &mut Outbox) {
        self.statistics.count_fast_recovery();
        self.sender.stop_timing();
        if lost.announce == AnnounceReduction::AtOnce {
            self.sender.flags.set(SenderFlags::CWR_PENDING);
        }
        self.retransmit(now, context, lost.from, out);
        self.sender.start_timer(now, context);
        if lost.announce == AnnounceReduction::Afterwards {
            self.sender.flags.set(SenderFlags::CWR_PENDING);
        }
    }

    /// The retransmission timer has expired.
    pub(crate) fn on_classic_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.sender.sequence.outstanding() == 0 {
            return self.on_quiet_timer(now, context, out);
        }
        if self.was_retransmitted_enough(context) {
            return self.give_up(out);
        }
        self.statistics.count_timeout();
        self.sender.go_back(context);
        self.output(now, context, out);
    }

    /// The timer expired with nothing outstanding, so nothing was lost: a sender whose window ECN closed may
    /// send its next packet, one whose peer closed it finds it open, and one of ns-2 has paused.
    fn on_quiet_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let sender = &mut self.sender;
        sender.retransmission_deadline = Time::MAX;
        match context.profile.idle_restart() {
            Some(IdleRestart::SinceAcknowledged) => sender.restart_after_silence(context.profile),
            Some(IdleRestart::SinceData) => sender.time_out_quietly(now, context),
            _ => {
                sender.flags.clear(SenderFlags::ECN_WAIT);
                sender.peer_unread = 0;
            }
        }
        self.output(now, context, out);
    }
}
