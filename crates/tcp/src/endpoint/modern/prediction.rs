//! Header prediction of a modern sender: a plain acknowledgement of new data while nothing is being repaired.
//!
//! What makes it one, and what it tells, is in `sender/modern/prediction.rs`.

use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::options::SegmentOptions;
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
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
