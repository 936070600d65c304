//! An acknowledgement arrives, or none does: whether it is acceptable, and which kind of sender it means
//! something to.
//!
//! Source: RFC 9293 section 3.10.7.4.

use super::Endpoint;
use crate::connection_flags::ConnectionFlags;
use crate::context::Context;
use crate::hosts::{OutputRoutine, Stack};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// Whether a segment acknowledges what was never sent: nothing of it is taken, and the peer is told where
    /// we are (RFC 9293 section 3.10.7.4).
    #[inline]
    pub(crate) fn is_beyond_what_was_sent(&self, segment: &Segment) -> bool {
        segment.flags.contains(Flags::ACK) && self.sender.sequence.max.before(segment.acknowledgement)
    }

    /// Processes the acknowledgement of `segment`. Answers whether the output routine should run.
    #[inline]
    pub(crate) fn on_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        if !segment.flags.contains(Flags::ACK) {
            return false;
        }
        let echo = segment.flags.contains(Flags::ECE) && self.flags.has(ConnectionFlags::ECN);
        match &context.profile.stack {
            Stack::Classic(classic) if classic.output_routine != OutputRoutine::Foutput => {
                self.on_classic_acknowledgement(now, context, segment, echo, out)
            }
            _ => self.on_acknowledgement_otherwise(now, context, segment, echo, out),
        }
    }

    /// The same in the order of ns-2's two-way agent, or by a scoreboard.
    #[inline(never)]
    fn on_acknowledgement_otherwise(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        echo: bool,
        out: &mut Outbox,
    ) -> bool {
        if context.profile.has_options() {
            self.on_modern_acknowledgement(now, context, segment, out);
            return true;
        }
        self.process_ack(now, context, segment, echo, out)
    }

    /// Everything before `number` has arrived at the peer, our FIN perhaps, which is no data.
    #[inline(always)]
    pub(crate) fn advance(&mut self, number: SequenceNumber, out: &mut Outbox) {
        out.acknowledged += self.sender.sequence.advance(number);
        if self.sender.fin_is_acknowledged() {
            out.acknowledged -= 1;
            self.state = self.state.after_fin_acknowledged();
        }
    }

    /// The first of the sender's timers has fired.
    pub(crate) fn on_retransmission_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if context.profile.has_options() {
            self.on_modern_timer(now, context, out);
        } else {
            self.on_classic_timer(now, context, out);
        }
    }

    /// Whether the segment has been sent again as often as it may be.
    pub(super) fn was_retransmitted_enough(&self, context: &Context<'_>) -> bool {
        let most = context.profile.retransmission.maximum_retransmissions;
        most.is_some_and(|most| self.sender.round_trip_time.backoffs() >= most)
    }
}
