//! One end of a TCP connection.
//!
//! Source: RFC 9293 section 3.10 for the order in which an arriving segment is processed; the profile says which
//! stack's rules fill it in. This file holds the state and the entry points; what they do lives beside it:
//!
//! | file | idea |
//! | --- | --- |
//! | `handshake.rs` | SYN, SYN/ACK, their timers, giving up |
//! | `acknowledgement.rs` | what an arriving acknowledgement means to a sender |
//! | `congestion/` | window growth, fast retransmit, reaction to a timeout: one file per stack |
//! | `ecn.rs` | marks, echoes and reactions |
//! | `receiver.rs` | data in and out of order, delayed acknowledgements, the peer's FIN |
//! | `output.rs` | what may be sent now, and putting it into a segment |
//!
//! Departures and silences:
//! - TIME-WAIT is not kept: an endpoint that is closed both ways is finished, and a stray FIN is answered by
//!   [`crate::respond_to_stray`] without state.
//! - There is no persist timer: the peer's window is constant and never zero.
//! - Simultaneous open is not modelled: one side is a client, the other a server.
//! - FreeBSD 4.x repeats its FIN on every acknowledgement sent in FIN-WAIT-1; here such an acknowledgement is
//!   a plain one.

use crate::clock::HostClock;
use crate::congestion;
use crate::marks::Marks;
use crate::outbox::Outbox;
use crate::profile::{Handshake, HostProfile, IdleRestart};
use crate::reassembly::Reassembly;
use crate::round_trip_time::RoundTripTime;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;
use crate::statistics::Statistics;
use aqmlab_units::Time;

/// What an endpoint needs from the host it runs on, lent for each call.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The host's TCP.
    pub profile: &'a HostProfile,
    /// The host's clock, from [`HostProfile::clock`].
    pub clock: HostClock,
}

/// Where the connection stands. Closing is told by [`Marks`], since each direction closes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A client before `connect`.
    #[default]
    Closed,
    /// A server waiting for a SYN.
    Listening,
    /// A client waiting for the SYN/ACK.
    SynSent,
    /// A server waiting for the acknowledgement of its SYN/ACK.
    SynReceived,
    /// Open, in at least one direction.
    Synchronized,
    /// Over.
    Finished,
}

/// The last reason for which the congestion window was reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Never reduced, or fast recovery is over.
    #[default]
    None,
    /// Fast retransmit.
    Duplicates,
    /// Expiry of the retransmission timer.
    Timeout,
    /// An ECN-Echo.
    Echo,
}

/// One end of a TCP connection: a state machine without I/O.
///
/// A driver calls it with what happens (a segment arrives, the application writes or closes, the deadline is
/// reached) and sends what it finds in the [`Outbox`]. It needs one timer per endpoint: arm it for
/// [`Endpoint::deadline`] when none is pending or the deadline is earlier than the pending one; when it fires,
/// call [`Endpoint::on_timer`] if the deadline has been reached and otherwise arm it again. A deadline that
/// moves later needs no action.
///
/// Where an arrival and a deadline fall on the same instant, deliver the arrival first.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Endpoint {
    // What every segment touches.
    /// Oldest number sent but not acknowledged.
    pub(crate) unacknowledged: SequenceNumber,
    /// Next number to send; behind `highest` while going back after a timeout.
    pub(crate) next: SequenceNumber,
    /// One past the highest number ever sent.
    pub(crate) highest: SequenceNumber,
    /// One past the highest number sent when the window was last reduced.
    pub(crate) recover: SequenceNumber,
    /// Bytes written by the application and never sent.
    pub(crate) unsent: u64,
    /// Congestion window in bytes; in segments under `Congestion::Ns2NewReno`.
    pub(crate) window: f64,
    /// Slow-start threshold, in the same unit.
    pub(crate) threshold: u32,
    /// Next number expected from the peer.
    pub(crate) expected: SequenceNumber,
    /// When the retransmission timer fires; `Time::MAX` if it is stopped.
    pub(crate) retransmission_deadline: Time,
    /// While opening: when the attempt is abandoned. Afterwards: when a delayed acknowledgement is due.
    pub(crate) secondary_deadline: Time,
    /// When the segment being timed was sent; `Time::MAX` if none is.
    pub(crate) timed_since: Time,
    /// The number whose acknowledgement ends the measurement.
    pub(crate) timed_number: SequenceNumber,
    /// Consecutive duplicate acknowledgements.
    pub(crate) duplicates: u16,
    /// Segments by which duplicates inflate the window (ns-2 `dupwnd_`).
    pub(crate) inflation: u16,
    pub(crate) marks: Marks,
    pub(crate) phase: Phase,
    pub(crate) reduction: Reduction,
    /// Segments in order that no acknowledgement has covered yet; bytes of them where the profile counts bytes.
    pub(crate) owed: u16,
    // What a round trip, a loss or a pause touches.
    /// The last event that `IdleRestart` counts from.
    pub(crate) active_at: Time,
    pub(crate) round_trip_time: RoundTripTime,
    pub(crate) reassembly: Reassembly,
    pub(crate) statistics: Statistics,
}

impl Endpoint {
    /// A client that has not connected yet.
    #[must_use]
    pub fn active() -> Self {
        let mut endpoint = Self { phase: Phase::Closed, ..Self::idle() };
        endpoint.marks.set(Marks::ACTIVE);
        endpoint
    }

    /// A server's end in LISTEN, which the next SYN opens.
    #[must_use]
    pub fn passive() -> Self {
        Self { phase: Phase::Listening, ..Self::idle() }
    }

    fn idle() -> Self {
        Self {
            retransmission_deadline: Time::MAX,
            secondary_deadline: Time::MAX,
            timed_since: Time::MAX,
            ..Self::default()
        }
    }

    /// Opens the connection: sends a SYN.
    ///
    /// # Panics
    /// If called twice, or on a server's end.
    pub fn connect(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        assert!(
            self.phase == Phase::Closed && self.marks.has(Marks::ACTIVE),
            "connect() on an endpoint that is {:?}",
            self.phase
        );
        self.begin_active(now, context, out);
    }

    /// A segment arrives. `ce_marked` says whether a queue on the way marked it (congestion experienced).
    pub fn on_segment(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        match self.phase {
            Phase::Synchronized => self.on_synchronized(now, context, segment, ce_marked, out),
            Phase::Closed => {}
            Phase::Listening => self.on_listening(now, context, segment, out),
            Phase::SynSent => self.on_syn_sent(now, context, segment, out),
            Phase::SynReceived => self.on_syn_received(now, context, segment, ce_marked, out),
            Phase::Finished => self.on_finished(segment, out),
        }
    }

    /// The application writes `bytes`; what the window allows is sent. The send buffer is unlimited: a real
    /// writer would block, which changes nothing while the buffer holds a window. Before the connection is
    /// open the bytes wait.
    ///
    /// # Panics
    /// If the application has closed.
    pub fn write(&mut self, now: Time, context: &Context<'_>, bytes: u64, out: &mut Outbox) {
        assert!(!self.marks.has(Marks::CLOSING), "write of {bytes} bytes after close");
        let opened = self.phase == Phase::Synchronized;
        match context.profile.write_cluster_bytes {
            Some(cluster) if opened && context.profile.write_announces_more => {
                self.write_in_clusters(now, context, bytes, u64::from(cluster), out);
            }
            Some(cluster) if opened => self.write_in_mbufs(now, context, bytes, u64::from(cluster), out),
            _ => {
                self.unsent = self.unsent.saturating_add(bytes);
                if opened {
                    self.output(now, context, out);
                }
            }
        }
    }

    /// The application has data without end: 2⁶³ bytes, three centuries at a gigabyte per second.
    ///
    /// # Panics
    /// If the application has closed.
    pub fn write_unlimited(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        self.write(now, context, 1 << 63, out);
    }

    /// The application closes: a FIN follows everything written. Receiving goes on until the peer closes too.
    /// A client that has not connected, or a server without a connection, is finished at once.
    ///
    /// Closing twice is the same as closing once.
    pub fn close(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        if self.marks.has(Marks::CLOSING) {
            return;
        }
        self.marks.set(Marks::CLOSING);
        match self.phase {
            Phase::Synchronized => {
                self.output(now, context, out);
                self.finish_if_closed(context, out);
            }
            Phase::Closed | Phase::Listening => self.finish(out),
            Phase::SynSent | Phase::SynReceived | Phase::Finished => {}
        }
    }

    /// The earliest instant at which [`Endpoint::on_timer`] has something to do; `Time::MAX` if there is none.
    #[must_use]
    #[inline]
    pub fn deadline(&self) -> Time {
        self.retransmission_deadline.min(self.secondary_deadline)
    }

    /// Runs what is due: call it at [`Endpoint::deadline`] or later. Early calls do nothing.
    pub fn on_timer(&mut self, now: Time, context: &Context<'_>, out: &mut Outbox) {
        match self.phase {
            Phase::SynSent | Phase::SynReceived => self.on_opening_timer(now, context, out),
            Phase::Synchronized => {
                if self.retransmission_deadline <= now {
                    self.on_retransmission_timer(now, context, out);
                }
                // A retransmission carries the acknowledgement, and then it is no longer due.
                if self.secondary_deadline <= now {
                    self.secondary_deadline = Time::MAX;
                    self.marks.set(Marks::ACK_NOW);
                    self.output(now, context, out);
                }
            }
            Phase::Closed | Phase::Listening | Phase::Finished => {}
        }
    }

    /// What this endpoint has counted.
    #[must_use]
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Congestion window in bytes, without the inflation of fast recovery in ns-2.
    #[must_use]
    pub fn congestion_window_bytes(&self, profile: &HostProfile) -> f64 {
        congestion::window_bytes(self, profile)
    }

    /// Slow-start threshold in bytes.
    #[must_use]
    pub fn slow_start_threshold_bytes(&self, profile: &HostProfile) -> f64 {
        congestion::threshold_bytes(self, profile)
    }

    /// One past the highest number ever sent.
    #[must_use]
    pub const fn highest_sent(&self) -> SequenceNumber {
        self.highest
    }

    /// Bytes (and SYN or FIN) sent and not acknowledged.
    #[must_use]
    pub const fn outstanding(&self) -> u32 {
        self.highest.distance_from(self.unacknowledged)
    }

    fn on_synchronized(
        &mut self,
        now: Time,
        context: &Context<'_>,
        segment: &Segment,
        ce_marked: bool,
        out: &mut Outbox,
    ) {
        if segment.flags.intersects(Flags::SYN.with(Flags::RST)) {
            if segment.flags.contains(Flags::RST) {
                self.on_reset(out);
            } else {
                self.on_repeated_syn(now, context, segment, out);
            }
            return;
        }
        if context.profile.idle_restart == IdleRestart::SinceReceived {
            self.active_at = now;
        }
        self.note_congestion_mark(context, segment, ce_marked);
        let advanced = self.on_acknowledgement(now, context, segment, out);
        if segment.payload > 0 || segment.flags.contains(Flags::FIN) {
            self.on_data(now, context, segment, out);
        }
        if advanced || self.marks.has(Marks::ACK_NOW) {
            self.output(now, context, out);
        }
        if self.marks.has(Marks::CLOSING) {
            self.finish_if_closed(context, out);
        }
    }

    /// The connection is over once both directions are closed. A one-way connection has no FIN: it is over when
    /// everything written has been acknowledged.
    pub(crate) fn finish_if_closed(&mut self, context: &Context<'_>, out: &mut Outbox) {
        let closed = match context.profile.handshake {
            Handshake::ThreeWay => {
                self.marks.has(Marks::FIN_ACKNOWLEDGED) && self.marks.has(Marks::PEER_CLOSED)
            }
            Handshake::OneWay => self.unsent == 0 && self.outstanding() == 0,
        };
        if closed && self.phase != Phase::Finished {
            self.finish(out);
        }
    }

    pub(crate) fn finish(&mut self, out: &mut Outbox) {
        self.phase = Phase::Finished;
        self.retransmission_deadline = Time::MAX;
        self.secondary_deadline = Time::MAX;
        out.finished = true;
    }

    /// A reset ends the connection. Between closed ends it stands for a lost acknowledgement of our FIN.
    pub(crate) fn on_reset(&mut self, out: &mut Outbox) {
        let closed_anyway = self.marks.has(Marks::FIN_SENT) && self.marks.has(Marks::PEER_CLOSED);
        if !closed_anyway {
            self.marks.set(Marks::ABORTED);
            out.reset = true;
        }
        self.finish(out);
    }

    /// Nothing came back for too long. A peer that knows of the connection is told (FreeBSD 4.x `tcp_drop`).
    pub(crate) fn give_up(&mut self, out: &mut Outbox) {
        if self.phase != Phase::SynSent {
            out.segments.push(self.bare_segment(Flags::RST.with(Flags::ACK)));
        }
        self.marks.set(Marks::ABORTED);
        out.gave_up = true;
        self.finish(out);
    }

    /// What a finished endpoint still answers: as from TIME-WAIT, or a reset after an abort.
    fn on_finished(&mut self, segment: &Segment, out: &mut Outbox) {
        if segment.flags.contains(Flags::RST) || segment.sequence_length() == 0 {
            return;
        }
        if self.marks.has(Marks::ABORTED) {
            out.segments.extend(crate::segment::respond_to_stray(segment));
        } else {
            out.segments.push(self.bare_segment(Flags::ACK));
        }
    }

    /// A segment without data at the highest number sent.
    pub(crate) fn bare_segment(&self, flags: Flags) -> Segment {
        Segment { sequence: self.highest, acknowledgement: self.expected, payload: 0, flags, ect: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_fits_in_two_cache_lines() {
        assert_eq!((size_of::<Endpoint>(), align_of::<Endpoint>()), (128, 64));
        assert_eq!(size_of::<Option<Endpoint>>(), 128);
    }
}
