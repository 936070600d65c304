//! Explicit congestion notification: declaring, marking, echoing, reacting.
//!
//! Source: RFC 3168 sections 6.1.1 to 6.1.6; the KAME/ALTQ lineage as in OpenBSD tcp_input.c and tcp_output.c;
//! ns-2.35 tcp.cc, tcp-newreno.cc and tcp-sink.cc.
//!
//! | | RFC 3168 | KAME | ns-2 |
//! | --- | --- | --- | --- |
//! | ECN-capable (ECT) | new data | new data | all data, retransmissions too |
//! | CWR on | the next new data | the next segment of any kind | the next data |
//! | a packet with both CWR and a mark | echo goes on | echo stops | echo goes on |
//! | a mark whose acknowledgement is delayed until a packet with CWR | echo stops | echo stops | echo goes on |
//! | react to an echo when | it acknowledges beyond the last reduction | all before it was acknowledged beyond the last reduction | as RFC 3168, or after a timeout |
//! | reaction | half: window at least one segment, threshold at least two | whole segments, only if the window is two or more | real half, at least two segments of threshold |
//! | window of one segment | wait for the retransmission timer | nothing | window below one, so wait; a second echo backs the timer off |
//! | growth on an acknowledgement with an echo | none | as usual | none |
//!
//! SYN, SYN/ACK, pure acknowledgements and resets are never ECT. CWR follows any reduction of the window, by
//! loss too (RFC 3168 section 6.1.2).
//!
//! Departures and silences: which of these lines the ECN code of the 2003 testbed shared with KAME is not known.

use crate::congestion::{self, ns2_newreno};
use crate::endpoint::{Context, Endpoint};
use crate::marks::Marks;
use crate::profile::{Ecn, HostProfile};
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;

impl Endpoint {
    /// Flags of every segment on an open connection.
    #[inline]
    pub(crate) fn acknowledging_flags(&self) -> Flags {
        if self.marks.has(Marks::ECHO) { Flags::ACK.with(Flags::ECE) } else { Flags::ACK }
    }

    /// The receiver's part: remembers a mark until the sender says that it has reacted.
    #[inline]
    pub(crate) fn note_congestion_mark(&mut self, context: &Context<'_>, segment: &Segment, ce_marked: bool) {
        if !self.marks.has(Marks::ECN) {
            return;
        }
        if segment.flags.contains(Flags::CWR) {
            if !self.marks.has(Marks::ECHO_OWED) {
                self.marks.clear(Marks::ECHO);
            }
            if context.profile.ecn == Ecn::Kame {
                return;
            }
        }
        if ce_marked && segment.payload > 0 {
            self.marks.set(Marks::ECHO);
            if context.profile.ecn == Ecn::Ns2 {
                self.marks.set(Marks::ECHO_OWED);
            }
        }
    }

    /// The sender's part on a segment about to leave: ECT and CWR. `is_new` says that no byte of it was sent
    /// before.
    #[inline]
    pub(crate) fn declare_congestion(&mut self, profile: &HostProfile, segment: &mut Segment, is_new: bool) {
        if !self.marks.has(Marks::ECN) {
            return;
        }
        let data = segment.payload > 0;
        let (ect, may_tell) = match profile.ecn {
            Ecn::Off => (false, false),
            Ecn::Rfc3168 => (data && is_new, data && is_new),
            Ecn::Kame => (data && is_new, true),
            Ecn::Ns2 => (data, data),
        };
        segment.ect = ect;
        if may_tell && self.marks.take(Marks::REDUCED) {
            segment.flags = segment.flags.with(Flags::CWR);
        }
    }

    /// An acknowledgement up to `number` carries an ECN-Echo.
    pub(crate) fn on_congestion_echo(&mut self, now: Time, context: &Context<'_>, number: SequenceNumber) {
        match context.profile.ecn {
            Ecn::Off => {}
            Ecn::Rfc3168 => {
                if self.recover.before(number) {
                    congestion::reduce_on_echo(self, now, context);
                }
            }
            Ecn::Kame => {
                if !self.unacknowledged.before(self.recover) {
                    congestion::reduce_on_echo(self, now, context);
                }
            }
            Ecn::Ns2 => ns2_newreno::on_congestion_echo(self, context, number),
        }
    }
}
