//! Explicit congestion notification: declaring, marking, echoing, reacting.
//!
//! Source: RFC 3168 sections 6.1.1 to 6.1.6; the KAME/ALTQ lineage as in OpenBSD tcp_input.c and tcp_output.c;
//! ns-2.35 tcp.cc, tcp-newreno.cc and tcp-sink.cc (one way), tcp-full.cc (two-way).
//!
//! | | RFC 3168 | KAME | ns-2 one way | ns-2 two-way |
//! | --- | --- | --- | --- | --- |
//! | ECN-capable (ECT) | new data | new data | all data, retransmissions too | all data, retransmissions too |
//! | CWR on | the next new data | the next segment of any kind | the next data | the next segment of any kind |
//! | a packet with both CWR and a mark | echo goes on | echo stops | echo goes on | echo goes on |
//! | a mark whose acknowledgement is delayed until a packet with CWR | echo stops | echo stops | echo goes on | echo stops |
//! | react to an echo when | it acknowledges beyond the last reduction | all before it was acknowledged beyond the last reduction | as RFC 3168, or after a timeout | the same, on new acknowledgements, partial ones excepted |
//! | reaction | half: window at least one segment, threshold at least two | whole segments, only if the window is two or more | real half, at least two segments of threshold | the same |
//! | window of one segment | wait for the retransmission timer | nothing | window below one, so wait; a second echo backs the timer off | the same |
//! | growth on an acknowledgement with an echo | none | as usual | none | none |
//!
//! SYN, SYN/ACK, pure acknowledgements and resets are never ECT. CWR follows any reduction of the window, by
//! loss too (RFC 3168 section 6.1.2). The receiver's part is in `receiver.rs`, the window's in `congestion/`.
//!
//! Departures and silences: which of these lines the ECN code of the 2003 testbed shared with KAME is not known.

use crate::accurate_ecn;
use crate::congestion::{CongestionControl, EchoReaction};
use crate::connection_flags::{ConnectionFlags, SenderFlags};
use crate::context::Context;
use crate::endpoint::Endpoint;
use crate::profile::{Ecn, HostProfile};
use crate::recovery::ReducedBy;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// The sender's part on a segment about to leave: ECT and CWR. `is_new` says that no byte of it was sent
    /// before.
    #[inline]
    pub(crate) fn declare_congestion(&mut self, profile: &HostProfile, segment: &mut Segment, is_new: bool) {
        if !self.flags.has(ConnectionFlags::ECN) {
            return;
        }
        let data = segment.payload > 0;
        let (ect, may_tell) = match profile.ecn {
            Ecn::Off => (false, false),
            Ecn::Rfc3168 => (data && is_new, data && is_new),
            Ecn::Kame => (data && is_new, true),
            Ecn::Ns2 => (data, data),
            Ecn::Ns2Full => (data, true),
            Ecn::Accurate => return self.declare_marks(segment),
        };
        segment.ect = ect;
        if may_tell && self.sender.flags.take(SenderFlags::CWR_PENDING) {
            segment.flags = segment.flags.with(Flags::CWR);
        }
    }

    /// Accurate ECN: every segment counts the marks that came, and all data are ECT (RFC 9768 section 3.2.2).
    fn declare_marks(&self, segment: &mut Segment) {
        segment.ect = segment.payload > 0;
        if let Some(reporting) = self.receiver.reporting() {
            segment.flags = segment.flags.with(accurate_ecn::field(reporting.marked_packets));
        }
    }

    /// An acknowledgement up to `number` carries an ECN-Echo.
    pub(crate) fn on_congestion_echo(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        let sender = &mut self.sender;
        let episode = sender.recovery.episode();
        let recover = episode.recover;
        let asks = match context.profile.ecn {
            Ecn::Off => false,
            Ecn::Rfc3168 => recover.before(number),
            Ecn::Kame => !sender.sequence.una.before(recover),
            Ecn::Accurate => false,
            Ecn::Ns2 | Ecn::Ns2Full => recover.before(number) || episode.reduced_by == ReducedBy::Timeout,
        };
        if !asks {
            return;
        }
        let reaction = sender.congestion.on_echo(context.profile);
        if reaction == EchoReaction::None {
            return;
        }
        sender.recovery.on_echo(sender.sequence.max);
        sender.flags.set(SenderFlags::CWR_PENDING);
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

    /// ns-2's SYN had to be sent again. The acknowledgement that agrees to ECN carries the flag of an echo, and after a
    /// timeout ns-2 takes it for one.
    pub(crate) fn take_agreement_for_an_echo(&mut self) {
        self.sender.recovery.on_echo(self.sender.sequence.max);
        self.sender.flags.set(SenderFlags::CWR_PENDING);
        self.sender.flags.set(SenderFlags::ECN_WAIT);
    }
}
