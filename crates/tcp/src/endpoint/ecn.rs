//! Explicit congestion notification: declaring, marking, echoing, reacting.
//!
//! Source: RFC 3168 sections 6.1.1 to 6.1.6; the KAME/ALTQ lineage as in OpenBSD tcp_input.c and
//! tcp_output.c; ns-2.35 tcp.cc, tcp-newreno.cc and tcp-sink.cc (one way), tcp-full.cc (two-way). What the
//! handshake agrees on is in `ecn_negotiation.rs`.
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
//! loss too (RFC 3168 section 6.1.2). The receiver's part is in `receiver.rs`, the window's in
//! `sender/classic/window/`; what a modern sender does about marks is in `sender/modern/acknowledgement.rs`.
//!
//! Departures and silences: which of these lines the ECN code of the 2003 testbed shared with KAME is not
//! known.

use super::Endpoint;
use crate::accurate_ecn;
use crate::connection_flags::{ConnectionFlags, ReceiverFlags, SenderFlags};
use crate::context::Context;
use crate::hosts::{Ecn, HostProfile};
use crate::outbox::Outbox;
use crate::segment::{Flags, Segment};

impl Endpoint {
    /// The sender's part on a segment about to leave: ECT and CWR. `is_new` says that no byte of it was sent
    /// before.
    #[inline]
    pub(crate) fn declare_congestion(&mut self, profile: &HostProfile, segment: &mut Segment, is_new: bool) {
        if !self.flags.has(ConnectionFlags::ECN) {
            return;
        }
        let data = segment.payload > 0;
        let (ect, may_tell) = match self.ecn_rule(profile) {
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

    /// The receiver of DCTCP (RFC 8257 section 3.2): the echo says of each segment whether it was marked.
    /// Where that changes, what is not acknowledged yet is so with the echo that it had, and the segment
    /// itself at once.
    pub(crate) fn echo_exactly(
        &mut self,
        context: &Context<'_>,
        segment: &Segment,
        is_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.payload == 0 || is_marked == self.receiver.flags.has(ReceiverFlags::ECHO) {
            return;
        }
        if self.receiver.owes_acknowledgement() {
            self.acknowledge(context, out);
        }
        if is_marked {
            self.receiver.flags.set(ReceiverFlags::ECHO);
        } else {
            self.receiver.flags.clear(ReceiverFlags::ECHO);
        }
        self.receiver.flags.set(ReceiverFlags::ACK_NOW);
    }

    /// Accurate ECN: every segment counts the marks that came, and all data are ECT (RFC 9768 section 3.2.2).
    fn declare_marks(&self, segment: &mut Segment) {
        segment.ect = segment.payload > 0 && !self.flags.has(ConnectionFlags::NOT_CAPABLE);
        if let Some(reporting) = self.receiver.reporting() {
            segment.flags = segment.flags.with(accurate_ecn::field(reporting.marked_packets));
        }
    }
}
