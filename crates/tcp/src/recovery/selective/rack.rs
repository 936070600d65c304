//! RACK: losses are told by the time of sending.
//!
//! Source: RFC 8985 section 6, as Linux net/ipv4/tcp_recovery.c has it: a segment is lost when another one, sent later, has
//! arrived, and a round trip has passed since, with some time more if reordering was seen.

use super::scoreboard::{Arrived, Delivery};
use crate::recovery::DUPLICATE_THRESHOLD;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// Recoveries after which a window of reordering that duplicates have widened is what it was (`TCP_RACK_RECOVERY_THRESH`).
const RECOVERIES_KEPT: u8 = 16;

/// What RACK remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// Of what has arrived, the segment that was sent last (RACK.segment), and its round trip (RACK.rtt).
    latest: Option<(Arrived, Span)>,
    /// The least round trip of the connection.
    least: Span,
    reordering_seen: bool,
    /// Quarters of the least round trip that reordering may take.
    quarters: u8,
    recoveries_left: u8,
    /// Up to where duplicates of one round are one.
    widened_until: SequenceNumber,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: None,
            least: Span::from_nanoseconds(u64::MAX),
            reordering_seen: false,
            quarters: 1,
            recoveries_left: 0,
            widened_until: SequenceNumber::INITIAL,
        }
    }
}

impl Rack {
    /// The least round trip of the connection, if there was one.
    pub(crate) fn note_round_trip(&mut self, round_trip: Span) {
        self.least = self.least.min(round_trip);
    }

    /// Something has arrived (RFC 8985 section 6.2 steps 1 to 3).
    pub(crate) fn note(&mut self, now: Time, delivery: &Delivery) {
        self.reordering_seen |= delivery.reordered;
        let Some(arrived) = delivery.latest else { return };
        let round_trip = now - arrived.at;
        // A retransmission that is answered sooner than anything else was: the original has arrived.
        if arrived.ambiguous && round_trip < self.least {
            return;
        }
        if self.latest.is_none_or(|(latest, _)| !latest.sent_after(arrived.at, arrived.end)) {
            self.latest = Some((arrived, round_trip));
        }
    }

    /// What filled a hole had only been delayed, or came behind what was sent later.
    pub(crate) const fn note_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// A duplicate was reported of what was sent again in a recovery: that was not needed (step 4). Without reordering it was
    /// not this clock that took the segment for lost (Linux `tcp_dsack_seen`).
    pub(crate) fn note_duplicate(&mut self, una: SequenceNumber, max: SequenceNumber) {
        if self.reordering_seen && !una.before(self.widened_until) {
            self.quarters = self.quarters.saturating_add(1);
            self.recoveries_left = RECOVERIES_KEPT;
            self.widened_until = max;
        }
    }

    /// A recovery is over.
    pub(crate) fn note_recovered(&mut self) {
        self.recoveries_left = self.recoveries_left.saturating_sub(1);
        if self.recoveries_left == 0 {
            self.quarters = 1;
        }
    }

    /// By what others are judged now: what was sent last, its round trip, and the time that reordering may take.
    pub(crate) fn judgement(
        &self,
        sacked: u32,
        in_recovery: bool,
        smoothed: Span,
    ) -> Option<(Arrived, (Span, Span))> {
        let (latest, round_trip) = self.latest?;
        let certain = in_recovery || sacked >= u32::from(DUPLICATE_THRESHOLD);
        let reordering = if !self.reordering_seen && certain {
            Span::ZERO
        } else {
            let quarter = self.least.nanoseconds() / 4;
            Span::from_nanoseconds(quarter.saturating_mul(u64::from(self.quarters))).min(smoothed)
        };
        Some((latest, (round_trip, reordering)))
    }
}
