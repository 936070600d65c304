//! Header prediction at a modern sender: a plain acknowledgement of new data while nothing is being repaired.
//!
//! Source: the fast path of Linux net/ipv4/tcp_input.c (`tcp_rcv_established`), which asks the same; and
//! `acknowledgement.rs`, whose order of steps this is for the case that most of them have nothing to do.
//!
//! Nearly every acknowledgement of a transfer is of this kind: no block, no echo, everything outstanding sent
//! once, nothing known to have arrived out of turn. Then nothing can be lost by it, no phase can end, and no
//! reduction was a mistake. What is left is what arrived, the round trip, the rate of delivery, the
//! controller, and the timers. A test holds both ways against each other on random conversations.

use super::acknowledgement::News;
use super::timers::Due;
use super::{Lent, ModernSender};
use crate::congestion::Phase;
use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::options::SegmentOptions;
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// Whether a segment is such an acknowledgement. What tells most segments apart is asked first.
    #[inline]
    pub(crate) fn predicts_modern_acknowledgement(
        &self,
        context: &Context<'_>,
        segment: &Segment,
        options: &SegmentOptions,
    ) -> bool {
        let (sequence, number) = (self.sender.sequence, segment.acknowledgement);
        if segment.payload > 0 || segment.flags != Flags::ACK || !sequence.una.before(number) {
            return false;
        }
        !sequence.max.before(number)
            && self.state.is_synchronized()
            && !self.counts_marks(context)
            && options.blocks.is_empty()
            && self.sender.modern().is_some_and(|modern| modern.predicts(number))
    }

    /// What remains of the processing of such a segment.
    pub(crate) fn on_predicted_modern_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        let number = segment.acknowledgement;
        self.sender.peer_unread = segment.unread;
        let waits =
            self.sender.with_modern(now, context, |modern, lent| modern.answer_predicted(lent, number));
        self.advance(number, out);
        let highest = self.sender.sequence.max;
        self.output_at_once(now, context, out);
        if waits == Some(true) && self.sender.sequence.max == highest {
            self.sender.with_modern(now, context, |modern, lent| modern.restart_timer(lent));
        }
        if self.sender.flags.has(SenderFlags::CLOSING) {
            self.finish_if_over(context, out);
        }
    }
}

impl ModernSender {
    /// Whether an acknowledgement of everything before `number`, which is new, brings nothing but itself.
    #[inline]
    fn predicts(&self, number: SequenceNumber) -> bool {
        let undisturbed = self.phase == Phase::Open
            && !self.disordered
            && self.timers.probed.is_none()
            && self.board.is_undisturbed();
        let predicts = undisturbed && self.board.first().is_some_and(|first| !number.before(first.end));
        debug_assert!(!predicts || self.waits_for_nothing_else(), "{self:?}");
        predicts
    }

    /// What is so in the open phase whenever the scoreboard is undisturbed: the acknowledgement before has
    /// settled it.
    fn waits_for_nothing_else(&self) -> bool {
        let retransmits = self.new_first || self.first_retransmission.is_some();
        let judges = self.timers.due() == Some(Due::Reordering);
        !(retransmits || judges || self.timed_out || self.all_answered())
    }

    /// What follows from it. Answers whether the timer is still to be restarted, unless something leaves now:
    /// that sets the probe anew.
    fn answer_predicted(&mut self, lent: &mut Lent<'_>, number: SequenceNumber) -> bool {
        let delivery = self.board.acknowledge_undisturbed(lent.now, number);
        self.rack.note(&delivery);
        let round_begins = self.begins_round(number, lent.sequence.max);
        lent.sequence.advance(number);
        let latest = delivery.latest;
        let mut news = News::of_new_data(delivery, round_begins);
        self.sample(lent, &mut news);
        self.note_delivered(lent.now, &mut news);
        if let Some(latest) = latest {
            self.rack.widen(lent.now, latest.at);
        }
        self.rack.skip_judgement();
        let waits = lent.context.profile.extensions().tail_loss_probe && self.board.first().is_some();
        if !waits {
            self.restart_timer(lent);
        }
        self.tell(lent.now, &news, 0);
        waits
    }
}

#[cfg(test)]
#[path = "prediction_beside_the_whole.rs"]
mod beside_the_whole;
