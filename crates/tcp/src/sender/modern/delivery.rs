//! What one acknowledgement has brought, read segment by segment.
//!
//! Source: Linux net/ipv4/tcp_input.c `tcp_sacktag_one` and `tcp_clean_rtx_queue`, tcp_recovery.c
//! `tcp_rack_advance`: which round trips it tells, what came late, and by what RACK judges the rest.

use super::sent::{Departed, Sent};
use crate::options::stamp;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};

/// A segment that has arrived, as far as others are judged by it: when it was sent, and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) at: Time,
    pub(crate) end: SequenceNumber,
    pub(crate) ambiguous: bool,
}

impl Arrived {
    /// Whether that was sent after `other` (RFC 8985 section 6.2, `RACK_sent_after`).
    pub(crate) fn sent_after(&self, at: Time, end: SequenceNumber) -> bool {
        self.at > at || self.at == at && end.before(self.end)
    }
}

/// What one acknowledgement has brought, in segments, and by what that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    /// When it arrived.
    pub(crate) now: Time,
    /// The number up to which the present phase lasts.
    pub(crate) recover: SequenceNumber,
    /// The least round trip of the connection before it.
    pub(crate) least: Span,
    /// The timestamp that it echoes, in milliseconds.
    pub(crate) echo: Option<u32>,
    /// The highest number that had arrived beyond a hole before it.
    pub(crate) highest_before: Option<SequenceNumber>,
    /// Segments that are known to have arrived since.
    pub(crate) delivered: u32,
    /// Of these, those that were selectively acknowledged.
    pub(crate) sacked: u32,
    /// Whether something before the end of the phase arrived that was never sent again.
    pub(crate) original: bool,
    /// When the first and the last of the segments were sent that SND.UNA has passed, that no block had
    /// reported and that never were sent again.
    pub(crate) passed: Option<(Time, Time)>,
    /// Whether SND.UNA has passed a segment that was sent again at some time.
    pub(crate) passed_ambiguous: bool,
    /// The same of those that a block reports now.
    pub(crate) reported: Option<(Time, Time)>,
    /// Of all that arrived, what was sent last.
    pub(crate) latest: Option<Arrived>,
    /// What was so when that left.
    pub(super) departed: Departed,
    /// The same without what cannot be an answer to its last transmission; and the last such segment in the
    /// order of numbers, blocks first, with its round trip (RACK.segment, RACK.rtt).
    pub(crate) judge: Option<(Arrived, Arrived, Span)>,
    /// Where the lowest segment begins, never sent again, that a block reports below what had been reported.
    pub(crate) reported_late: Option<SequenceNumber>,
    /// Where the lowest segment begins, never sent again and never reported, that SND.UNA has passed.
    pub(crate) lowest_passed: Option<SequenceNumber>,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            now: Time::ZERO,
            recover: SequenceNumber::default(),
            least: Span::ZERO,
            echo: None,
            highest_before: None,
            delivered: 0,
            sacked: 0,
            original: false,
            passed: None,
            passed_ambiguous: false,
            reported: None,
            latest: None,
            departed: Departed::default(),
            judge: None,
            reported_late: None,
            lowest_passed: None,
        }
    }
}

/// A span of times that begins at the first of them and ends with the last.
pub(super) fn extended(times: Option<(Time, Time)>, at: Time) -> Option<(Time, Time)> {
    Some((times.map_or(at, |(first, _)| first), at))
}

/// The lower of two numbers, of which one may be missing.
pub(super) fn lower(known: Option<SequenceNumber>, new: SequenceNumber) -> Option<SequenceNumber> {
    Some(known.filter(|known| known.before(new)).unwrap_or(new))
}

impl Delivery {
    /// A block reports a segment, with this number the highest that had arrived beyond a hole.
    pub(super) fn note_reported(&mut self, segment: &Sent, highest: Option<SequenceNumber>) {
        self.sacked += 1;
        if !segment.ambiguous {
            self.original |= !self.recover.before(segment.end);
            self.reported = extended(self.reported, segment.at);
            if highest.is_some_and(|number| segment.start.before(number)) {
                self.reported_late = lower(self.reported_late, segment.start);
            }
        }
        self.note(segment, false);
    }

    /// SND.UNA passes a segment that no block has reported.
    #[inline]
    pub(super) fn note_passed(&mut self, segment: &Sent) {
        if !segment.ambiguous {
            self.original |= !self.recover.before(segment.end);
            self.passed = extended(self.passed, segment.at);
            self.lowest_passed = lower(self.lowest_passed, segment.start);
        }
        // The echo is older than the retransmission: what arrived is the original (Linux
        // `tcp_skb_spurious_retrans`).
        let spurious = segment.ambiguous
            && self.echo.is_some_and(|echo| (echo.wrapping_sub(stamp(segment.at)) as i32) < 0);
        self.note(segment, spurious);
    }

    /// A segment has arrived. A retransmission that is answered sooner than anything else was judges nothing:
    /// the original has arrived (RFC 8985 section 6.2 step 2).
    #[inline]
    fn note(&mut self, segment: &Sent, spurious: bool) {
        let Sent { at, end, ambiguous, departed, .. } = *segment;
        let arrived = Arrived { at, end, ambiguous };
        self.delivered += 1;
        if self.latest.is_none_or(|latest| !latest.sent_after(at, end)) {
            (self.latest, self.departed) = (Some(arrived), departed);
        }
        let round_trip = self.now - at;
        if spurious || ambiguous && round_trip < self.least {
            return;
        }
        let judge = self.judge.map(|(judge, ..)| judge).filter(|judge| judge.sent_after(at, end));
        self.judge = Some((judge.unwrap_or(arrived), arrived, round_trip));
    }
}
