//! What the flags of a handshake agree on.
//!
//! Source: RFC 3168 section 6.1.1; RFC 9768 sections 3.1.1 and 3.1.2 (tables 2 and 3), 3.1.3 (a combination
//! that nobody uses yet asks for accurate ECN), 3.1.4 (what is sent again), 3.2.2.1 and 3.2.2.3 (a field of
//! the handshake says with which codepoint the packet before it came, and none is ECN-capable).
//!
//! | AE, CWR, ECE | of a SYN | of a SYN/ACK | of the acknowledgement that opens |
//! | --- | --- | --- | --- |
//! | 000 | no ECN | no ECN | the field was cleared on the way |
//! | 001 | accurate | RFC 3168 | |
//! | 010 | accurate | accurate | the SYN/ACK came as it was sent |
//! | 011 | RFC 3168 | accurate: the SYN came as ECT(1) | the SYN/ACK came as ECT(1) |
//! | 100 | accurate | accurate: the SYN came as ECT(0) | the SYN/ACK came as ECT(0) |
//! | 101 | accurate | accurate | |
//! | 110 | accurate | accurate: the SYN came with a mark | the SYN/ACK came with a mark |
//! | 111 | accurate | no ECN: it only reflects | |
//!
//! A SYN that got lost is sent once more with 111, and then with 000; a SYN/ACK with 010, and then with 000.
//! An end that knows that its packets do not arrive with the codepoint with which they left, or that its peer
//! may not have asked, sends none that are ECN-capable, and still counts the marks of its peer. What data
//! show of that is in `ecn_path.rs`.
//!
//! An end says with the fields of the handshake with which codepoint the SYN or SYN/ACK came. A marked
//! SYN/ACK is counted besides, once (section 3.2.2.2).
//!
//! Departures and silences: the first acknowledgement of data is not tested for a field that was cleared,
//! which section 3.2.2.4 permits. An end that sends nothing ECN-capable heeds no marks, whatever the reason;
//! section 3.2.2.3 advises to heed them unless they go on.

use super::Endpoint;
use crate::accurate_ecn;
use crate::congestion::Feedback;
use crate::connection_flags::ConnectionFlags;
use crate::hosts::{Ecn, EcnFallback, HostProfile};
use crate::reporting::Arrived;
use crate::segment::{Flags, Segment};

/// How often what opens a connection is sent without success before accurate ECN is given up.
const ATTEMPTS: u16 = 2;

/// What a SYN asks of a host with accurate ECN.
const fn asked_by(syn: Flags) -> Feedback {
    match accurate_ecn::count_of(syn) {
        0 => Feedback::None,
        3 => Feedback::Classic,
        _ => Feedback::Accurate,
    }
}

/// To what a SYN/ACK agrees, where a SYN has asked for accurate ECN.
const fn agreed_by(syn_ack: Flags) -> Feedback {
    match accurate_ecn::count_of(syn_ack) {
        0 | 7 => Feedback::None,
        1 => Feedback::Classic,
        _ => Feedback::Accurate,
    }
}

/// The field of a handshake that says with which codepoint the packet before it came (tables 2 and 3).
const fn reflected(arrived: Arrived) -> u32 {
    match arrived {
        Arrived::NotCapable => 2,
        Arrived::Ect1 => 3,
        Arrived::Ect0 => 4,
        Arrived::Marked => 6,
    }
}

/// Whether a field of the handshake says that the packet before it came with another codepoint than it left
/// with: none is ECN-capable.
const fn is_changed(field: Flags) -> bool {
    matches!(accurate_ecn::count_of(field), 3 | 4 | 6)
}

impl Endpoint {
    /// The codepoint with which a segment arrived. Both ends have the same profile, and so the same of the
    /// two that are ECN-capable.
    pub(crate) fn arrived(&self, segment: &Segment, ce_marked: bool) -> Arrived {
        match (ce_marked, segment.ect) {
            (true, _) => Arrived::Marked,
            (false, false) => Arrived::NotCapable,
            (false, true) if self.is_scalable() => Arrived::Ect1,
            (false, true) => Arrived::Ect0,
        }
    }

    /// What acknowledgements tell of marks, as both ends have agreed.
    pub(crate) fn agreement(&self, profile: &HostProfile) -> Feedback {
        match self.ecn_rule(profile) {
            _ if !self.flags.has(ConnectionFlags::ECN) => Feedback::None,
            Ecn::Accurate => Feedback::Accurate,
            _ => Feedback::Classic,
        }
    }

    /// What its sender learns of marks: nothing where nothing of it may be marked.
    pub(crate) fn feedback(&self, profile: &HostProfile) -> Feedback {
        if self.flags.has(ConnectionFlags::NOT_CAPABLE) { Feedback::None } else { self.agreement(profile) }
    }

    /// The rules of the connection: a host with accurate ECN has those of RFC 3168 with a peer that does not.
    pub(crate) fn ecn_rule(&self, profile: &HostProfile) -> Ecn {
        if self.flags.has(ConnectionFlags::CLASSIC_FEEDBACK) { Ecn::Rfc3168 } else { profile.ecn }
    }

    fn agree(&mut self, feedback: Feedback) {
        if feedback != Feedback::None {
            self.flags.set(ConnectionFlags::ECN);
        }
        if feedback == Feedback::Classic {
            self.flags.set(ConnectionFlags::CLASSIC_FEEDBACK);
        }
    }

    fn has_given_up_ecn(&self, profile: &HostProfile) -> bool {
        let attempts = if profile.ecn == Ecn::Accurate { ATTEMPTS } else { 1 };
        profile.ecn_fallback != EcnFallback::Never && self.statistics.syn_retransmissions >= attempts
    }

    /// The flags with which a SYN asks for ECN.
    pub(crate) fn asking_flags(&self, profile: &HostProfile) -> Flags {
        match profile.ecn {
            _ if self.has_given_up_ecn(profile) => Flags::NONE,
            Ecn::Off => Flags::NONE,
            Ecn::Accurate => Flags::AE.with(Flags::CWR).with(Flags::ECE),
            _ => Flags::ECE.with(Flags::CWR),
        }
    }

    /// The flags with which a SYN/ACK agrees to what the SYN has asked for.
    pub(crate) fn agreeing_flags(&mut self, profile: &HostProfile) -> Flags {
        match self.agreement(profile) {
            Feedback::None => Flags::NONE,
            Feedback::Classic => Flags::ECE,
            Feedback::Accurate if self.has_given_up_ecn(profile) => {
                self.flags.set(ConnectionFlags::NOT_CAPABLE);
                Flags::NONE
            }
            Feedback::Accurate => accurate_ecn::field(reflected(self.syn_arrived())),
        }
    }

    /// A SYN has come, with this codepoint; of several the last counts (section 3.1.5).
    pub(crate) fn note_syn(&mut self, arrived: Arrived) {
        self.flags.clear(ConnectionFlags::SYN_CAPABLE);
        self.flags.clear(ConnectionFlags::SYN_MARKED);
        match arrived {
            Arrived::NotCapable => {}
            Arrived::Ect0 | Arrived::Ect1 => self.flags.set(ConnectionFlags::SYN_CAPABLE),
            Arrived::Marked => self.flags.set(ConnectionFlags::SYN_MARKED),
        }
    }

    fn syn_arrived(&self) -> Arrived {
        if self.flags.has(ConnectionFlags::SYN_MARKED) {
            Arrived::Marked
        } else if !self.flags.has(ConnectionFlags::SYN_CAPABLE) {
            Arrived::NotCapable
        } else if self.is_scalable() {
            Arrived::Ect1
        } else {
            Arrived::Ect0
        }
    }

    /// A SYN has arrived at an end that waits for one.
    pub(crate) fn note_asked(&mut self, profile: &HostProfile, syn: Flags) {
        match profile.ecn {
            Ecn::Off => {}
            Ecn::Accurate => self.agree(asked_by(syn)),
            _ if syn.contains(Flags::ECE.with(Flags::CWR)) => self.flags.set(ConnectionFlags::ECN),
            _ => {}
        }
    }

    /// A SYN has come again: one that asks for nothing any more may tell that ECN does not pass.
    pub(crate) fn note_asked_again(&mut self, profile: &HostProfile, syn: Flags) {
        if self.agreement(profile) == Feedback::Accurate && asked_by(syn) == Feedback::None {
            self.flags.set(ConnectionFlags::NOT_CAPABLE);
        }
    }

    /// The answer to a SYN has arrived.
    pub(crate) fn note_agreed(&mut self, profile: &HostProfile, syn_ack: Flags) {
        if profile.ecn != Ecn::Accurate {
            if syn_ack.contains(Flags::ECE) && !syn_ack.contains(Flags::CWR) {
                self.flags.set(ConnectionFlags::ECN);
            }
            return;
        }
        self.agree(agreed_by(syn_ack));
        if agreed_by(syn_ack) == Feedback::Accurate && is_changed(syn_ack) {
            self.flags.set(ConnectionFlags::NOT_CAPABLE);
        }
    }

    /// The flags of the acknowledgement that opens a connection, of a SYN/ACK that came with a codepoint.
    pub(crate) fn opening_flags(&mut self, profile: &HostProfile, arrived: Arrived) -> Flags {
        if self.agreement(profile) != Feedback::Accurate {
            return Flags::ACK;
        }
        if let Some(reporting) = self.receiver.reporting_mut().filter(|_| arrived == Arrived::Marked) {
            reporting.count_mark();
        }
        Flags::ACK.with(accurate_ecn::field(reflected(arrived)))
    }

    /// The acknowledgement that opens a connection has arrived, without data: with them it is no field of the
    /// handshake.
    pub(crate) fn note_opened(&mut self, profile: &HostProfile, acknowledgement: Flags) {
        let is_cleared = accurate_ecn::count_of(acknowledgement) == 0;
        let accurate = self.agreement(profile) == Feedback::Accurate;
        if accurate && (is_cleared || is_changed(acknowledgement)) {
            self.flags.set(ConnectionFlags::NOT_CAPABLE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9768 table 2, the rows in which host B has accurate ECN, and section 3.1.3.
    #[test]
    fn a_syn_asks_for_what_table_2_says() {
        use Feedback::{Accurate, Classic, None};
        let asked = [0, 1, 2, 3, 4, 5, 6, 7].map(|count| asked_by(accurate_ecn::field(count)));
        assert_eq!(asked, [None, Accurate, Accurate, Classic, Accurate, Accurate, Accurate, Accurate]);
    }

    /// RFC 9768 table 2, the rows in which host A has asked with 111.
    #[test]
    fn a_syn_ack_agrees_to_what_table_2_says() {
        use Feedback::{Accurate, Classic, None};
        let agreed = [0, 1, 2, 3, 4, 5, 6, 7].map(|count| agreed_by(accurate_ecn::field(count)));
        assert_eq!(agreed, [None, Classic, Accurate, Accurate, Accurate, Accurate, Accurate, None]);
    }

    /// RFC 9768 tables 2 and 3: 010 for a packet that is not ECN-capable, 011 ECT(1), 100 ECT(0), 110 a mark.
    #[test]
    fn a_field_of_the_handshake_reflects_the_codepoint() {
        use Arrived::{Ect0, Ect1, Marked, NotCapable};
        assert_eq!([NotCapable, Ect1, Ect0, Marked].map(reflected), [0b010, 0b011, 0b100, 0b110]);
    }

    /// RFC 9768 table 3: 010 is "not ECN-capable", 011 ECT(1), 100 ECT(0), 110 a mark.
    #[test]
    fn a_field_of_the_handshake_tells_of_another_codepoint() {
        let changed = [0, 1, 2, 3, 4, 5, 6, 7].map(|count| is_changed(accurate_ecn::field(count)));
        assert_eq!(changed, [false, false, false, true, true, false, true, false]);
    }
}
