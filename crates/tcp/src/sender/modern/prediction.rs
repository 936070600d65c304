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
use crate::sequence::SequenceNumber;

impl ModernSender {
    /// Whether an acknowledgement of everything before `number`, which is new, brings nothing but itself.
    #[inline]
    pub(crate) fn predicts(&self, number: SequenceNumber) -> bool {
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
    pub(crate) fn answer_predicted(&mut self, lent: &mut Lent<'_>, number: SequenceNumber) -> bool {
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
