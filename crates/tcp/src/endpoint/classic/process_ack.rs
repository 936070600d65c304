//! What an arriving acknowledgement, or none, means to ns-2's two-way agent.
//!
//! Source: ns-2.35 tcp-full.cc `recv` (from `process_ACK` on), `newack`, `timeout_action`, and `ecn` of
//! tcp.cc. What differs from the order of `acknowledgement.rs`:
//! - The retransmission timer starts afresh with the timeout that was in force before this acknowledgement
//!   was looked at, back-off included (`newack`, which knows no `timerfix_`).
//! - Any new acknowledgement ends the back-off, sample or not, unless it carries an echo and ECN waits at one
//!   segment.
//! - An echo is heeded last, with what recovery has made of `recover`, and on new acknowledgements only.
//! - The window does not grow once a FIN was sent or has come: ns-2 grows it in ESTABLISHED alone.
//! - A timeout with nothing outstanding, which ECN may ask for, does not back off, and starts the timer
//!   again, which runs on until everything that is sent later is acknowledged.
//!
//! Departures and silences: none known.

use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::outbox::Outbox;
use crate::segment::Segment;
use crate::sender::classic::OnNewAcknowledgement;
use aqmlab_units::Time;

impl Endpoint {
    /// Processes an acceptable acknowledgement of `segment`, with an echo or not. Answers whether the output
    /// routine should run.
    pub(crate) fn process_ack(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        echo: bool,
        out: &mut Outbox,
    ) -> bool {
        let number = segment.acknowledgement;
        if !self.sender.sequence.una.before(number) {
            return self.process_old_ack(now, context, segment, out);
        }
        let grows = !self.sender.flags.has(SenderFlags::FIN_SENT) && !self.state.peer_has_closed();
        let bytes = number.distance_from(self.sender.sequence.una);
        self.sender.newack(now, context, number, echo);
        let sequence = self.sender.sequence;
        let Some(classic) = self.sender.classic_mut() else { return false };
        let meaning = classic.on_new_acknowledgement(context.profile, sequence, number);
        self.advance(number, out);
        if meaning != OnNewAcknowledgement::Normal {
            self.retransmit(now, context, number, out);
            return true;
        }
        if echo {
            self.on_congestion_echo(now, context, number);
            if self.sender.window(context.profile) == 0 {
                self.sender.start_timer(now, context);
            }
        } else if grows {
            self.sender.grow_by(now, context.profile, bytes);
        }
        true
    }

    /// One that says nothing new. Without data it is a duplicate while the timer runs; with data it is not
    /// looked at.
    fn process_old_ack(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        if segment.payload > 0 {
            return false;
        }
        let sender = &mut self.sender;
        let current = segment.acknowledgement == sender.sequence.una;
        if !current || sender.retransmission_deadline == Time::MAX {
            if let Some(classic) = sender.classic_mut() {
                classic.recovery.on_old_acknowledgement();
            }
            return true;
        }
        self.on_duplicate(now, context, out)
    }
}
