//! What a classic sender does about an ECN-Echo: see the table in `ecn.rs`.

use crate::connection_flags::SenderFlags;
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::hosts::Ecn;
use crate::sender::classic::{EchoReaction, ReducedBy};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// An acknowledgement up to `number` carries an ECN-Echo.
    pub(super) fn on_congestion_echo(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        let sequence = self.sender.sequence;
        let Some(classic) = self.sender.classic_mut() else { return };
        let episode = classic.recovery.episode();
        let recover = episode.recover;
        let asks = match context.profile.ecn {
            Ecn::Off | Ecn::Accurate => false,
            Ecn::Rfc3168 => recover.before(number),
            Ecn::Kame => !sequence.una.before(recover),
            Ecn::Ns2 | Ecn::Ns2Full => recover.before(number) || episode.reduced_by == ReducedBy::Timeout,
        };
        if !asks {
            return;
        }
        let reaction = classic.window.on_echo(context.profile);
        if reaction == EchoReaction::None {
            return;
        }
        classic.recovery.on_echo(sequence.max);
        self.sender.flags.set(SenderFlags::CWR_PENDING);
        self.statistics.count_ecn_reduction();
        self.wait_after_echo(now, context, reaction == EchoReaction::ReducedAtOneSegment);
    }

    /// At one segment, only the retransmission timer may release the next one.
    fn wait_after_echo(&mut self, now: Time, context: &Context<'_>, at_one_segment: bool) {
        let sender = &mut self.sender;
        match context.profile.ecn {
            Ecn::Rfc3168 if at_one_segment => {
                sender.flags.set(SenderFlags::ECN_WAIT);
                sender.start_timer(now, context);
            }
            Ecn::Ns2 | Ecn::Ns2Full if !at_one_segment => sender.flags.clear(SenderFlags::ECN_WAIT),
            Ecn::Ns2 | Ecn::Ns2Full if sender.flags.has(SenderFlags::ECN_WAIT) => {
                sender.round_trip_time.back_off(&context.profile.retransmission, &context.clock, false);
            }
            Ecn::Ns2 | Ecn::Ns2Full => sender.flags.set(SenderFlags::ECN_WAIT),
            Ecn::Off | Ecn::Rfc3168 | Ecn::Kame | Ecn::Accurate => {}
        }
    }

    /// ns-2's SYN had to be sent again. The acknowledgement that agrees to ECN carries the flag of an echo,
    /// and after a timeout ns-2 takes it for one.
    pub(crate) fn take_agreement_for_an_echo(&mut self) {
        let max = self.sender.sequence.max;
        if let Some(classic) = self.sender.classic_mut() {
            classic.recovery.on_echo(max);
        }
        self.sender.flags.set(SenderFlags::CWR_PENDING);
        self.sender.flags.set(SenderFlags::ECN_WAIT);
    }
}
