//! What an arriving acknowledgement means to a sender.
//!
//! Source: RFC 9293 section 3.10.7.4 (which acknowledgements are acceptable), RFC 5681 section 2 (what a duplicate
//! is), RFC 6298 rules 5.2 and 5.3 (the timer), Karn's rule (RFC 6298 section 3). What follows from it for the
//! congestion window is in `congestion/`.

use crate::congestion;
use crate::endpoint::{Context, Endpoint};
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::Congestion;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
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
        let number = segment.acknowledgement;
        if self.highest.before(number) {
            // It acknowledges what was never sent: say where we are (RFC 9293 section 3.10.7.4).
            self.marks.set(Marks::ACK_NOW);
            return true;
        }
        let echo = segment.flags.contains(Flags::ECE) && self.marks.has(Marks::ECN);
        if echo {
            self.on_congestion_echo(now, context, number);
        }
        if self.unacknowledged.before(number) {
            congestion::on_new_acknowledgement(self, now, context, number, echo, out);
            return true;
        }
        self.on_old_acknowledgement(now, context, segment, out)
    }

    fn on_old_acknowledgement(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        let congestion = context.profile.congestion;
        let current = segment.acknowledgement == self.unacknowledged;
        let bare = segment.payload == 0 && !segment.flags.contains(Flags::FIN);
        // ns-2 counts duplicates without asking whether anything is outstanding.
        let pending = self.outstanding() > 0 || congestion == Congestion::Ns2NewReno;
        if current && bare && pending {
            self.duplicates = self.duplicates.saturating_add(1);
            return congestion::on_duplicate(self, now, context, out);
        }
        if matches!(congestion, Congestion::BsdReno | Congestion::BsdNewReno) {
            self.duplicates = 0;
        }
        false
    }

    /// Everything before `number` has arrived at the peer.
    #[inline]
    pub(crate) fn advance(&mut self, number: SequenceNumber, out: &mut Outbox) {
        let mut bytes = number.distance_from(self.unacknowledged);
        if self.marks.has(Marks::FIN_SENT) && number == self.highest {
            self.marks.set(Marks::FIN_ACKNOWLEDGED);
            bytes -= 1;
        }
        out.acknowledged += bytes;
        self.unacknowledged = number;
        self.next = self.next.later_of(number);
    }

    /// Takes a round-trip sample if `number` acknowledges the segment being timed.
    #[inline]
    pub(crate) fn take_sample(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        if self.timed_since != Time::MAX && self.timed_number.before(number) {
            let timer = &context.profile.retransmission;
            self.round_trip_time.sample(timer, &context.clock, self.timed_since, now);
            self.timed_since = Time::MAX;
        }
    }

    /// Starts the retransmission timer afresh.
    #[inline]
    pub(crate) fn start_timer(&mut self, now: Time, context: &Context<'_>) {
        let timer = &context.profile.retransmission;
        self.retransmission_deadline = self.round_trip_time.deadline(timer, &context.clock, now);
    }

    /// Stops the timer when nothing is outstanding, otherwise starts it afresh (RFC 6298 rules 5.2 and 5.3). It runs on
    /// when it must release a sender that ECN makes wait (RFC 3168 section 6.1.2).
    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time, context: &Context<'_>) {
        if self.outstanding() == 0 && !self.marks.has(Marks::ECN_WAIT) {
            self.retransmission_deadline = Time::MAX;
        } else {
            self.start_timer(now, context);
        }
    }

    pub(crate) fn on_retransmission_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        let timer = &context.profile.retransmission;
        if self.outstanding() == 0 {
            // Nothing was lost: a sender whose window ECN closed may send its next packet.
            self.retransmission_deadline = Time::MAX;
            congestion::on_quiet_timeout(self, now, context, out);
            return;
        }
        if timer.maximum_retransmissions.is_some_and(|most| self.round_trip_time.backoffs() >= most) {
            self.give_up(out);
            return;
        }
        self.statistics.count_timeout();
        self.timed_since = Time::MAX;
        self.retransmission_deadline = Time::MAX;
        congestion::on_timeout(self, now, context, out);
    }
}
