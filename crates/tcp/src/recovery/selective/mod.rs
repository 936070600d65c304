//! Recovery with a scoreboard: what Linux does about losses, in parts that can be switched.
//!
//! | file | what it decides |
//! | --- | --- |
//! | `scoreboard.rs` | what is in the network, what has arrived, what three duplicates tell (RFC 6675) |
//! | `rack.rs` | what the time of sending tells (RFC 8985) |
//! | `rate_reduction.rs` | how the window shrinks (RFC 6937) |
//! | `round_trip.rs` | the round trip, and the timeout that follows |
//! | `opening.rs` | which first window a lost SYN leaves |
//! | `timers.rs` | which of the timers fires next: reordering, probe, timeout |
//! | `undoing.rs` | what shows that a reduction was a mistake (RFC 5682, RFC 3522, RFC 2883), and takes it back |
//!
//! Acknowledgements are processed in `selective_acknowledgement.rs`, which asks these; the phases are those of Linux
//! (`tcp_ca_state`), of which *disorder* needs no name.

mod opening;
mod rack;
mod rate_reduction;
mod round_trip;
mod scoreboard;
mod timers;
mod undoing;

pub(crate) use rate_reduction::RateReduction;
pub(crate) use scoreboard::{Delivery, Sent};
pub(crate) use timers::{Due, Timers};
pub(crate) use undoing::{Prior, Undo, was_delayed};

use super::loss_recovery::{Episode, LossRecovery, OnDuplicate, OnNewAcknowledgement, Sending};
use crate::accurate_ecn::MarkedPackets;
use crate::congestion::CongestionController;
use crate::context::Context;
use crate::options::{SegmentOptions, stamp};
use crate::profile::HostProfile;
use crate::sequence::SequenceNumber;
use aqmlab_units::{Span, Time};
use opening::OpeningSegments;
use rack::Rack;
use round_trip::RoundTripEstimate;
use scoreboard::Scoreboard;
use std::fmt;

/// What the sender is doing about congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing.
    #[default]
    Open,
    /// An echo asked for a smaller window, and nothing was lost.
    Reducing,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

/// How far the window was used, by which it may grow (Linux `tcp_cwnd_validate`).
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    limited: bool,
    most_segments: u32,
    until: SequenceNumber,
}

/// What a sender with a scoreboard remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectiveState {
    episode: Episode,
    pub(crate) phase: Phase,
    pub(crate) opening: OpeningSegments,
    pub(crate) board: Scoreboard,
    pub(crate) reduction: RateReduction,
    pub(crate) rack: Rack,
    pub(crate) estimate: RoundTripEstimate,
    pub(crate) timers: Timers,
    /// What may be restored; it outlives the episode, until the next reduction.
    pub(crate) undo: Option<Undo>,
    /// The timestamp of the first retransmission of those that are outstanding, or of this episode (Linux `retrans_stamp`).
    pub(crate) first_retransmission: Option<u32>,
    /// Whether the retransmission timer has expired since SND.UNA last moved (Linux `icsk_retransmits`).
    pub(crate) timed_out: bool,
    /// Whether a timeout may still turn out to be spurious.
    pub(crate) forward: bool,
    /// Whether new data leave before anything is sent again, to find that out.
    pub(crate) new_first: bool,
    /// Whether a recovery has begun whose first retransmission leaves whatever the window (RFC 6675 section 5, step 4.3).
    pub(crate) at_once: bool,
    pub(crate) marked: MarkedPackets,
    usage: Usage,
    /// What was sent when the present round of data began.
    round_until: SequenceNumber,
    /// What the options of the acknowledgement say that is being processed.
    options: SegmentOptions,
}

impl SelectiveState {
    /// The options of the segment that is about to be processed.
    pub(crate) fn take_in(&mut self, options: &SegmentOptions) {
        self.options = *options;
    }

    /// The number up to which the present phase lasts.
    pub(crate) fn recover(&self) -> SequenceNumber {
        self.episode.recover
    }

    pub(crate) fn set_recover(&mut self, number: SequenceNumber) {
        self.episode.recover = number;
    }

    /// Takes in what an acknowledgement of everything before `number` says has arrived. Answers with that, and whether it
    /// reports a duplicate (RFC 2883 section 4), by its end.
    pub(crate) fn deliver(&mut self, number: SequenceNumber) -> (Delivery, Option<SequenceNumber>) {
        let mut delivery = Delivery { recover: self.episode.recover, ..Delivery::default() };
        let blocks = std::mem::take(&mut self.options.blocks);
        let blocks = blocks.as_slice();
        let duplicate = match *blocks {
            [(start, end), ..] if start.before(number) => Some(end),
            [(start, end), (from, to), ..] if !start.before(from) && !to.before(end) => Some(end),
            _ => None,
        };
        self.board.acknowledge_selectively(&blocks[usize::from(duplicate.is_some())..], &mut delivery);
        self.board.acknowledge(number, &mut delivery);
        (delivery, duplicate)
    }

    /// Whether an acknowledgement of everything before `number` ends a round, where everything before `max` was sent.
    pub(crate) fn begins_round(&mut self, number: SequenceNumber, max: SequenceNumber) -> bool {
        let over = self.round_until.before(number);
        if over {
            self.round_until = max;
        }
        over
    }

    /// The timestamp that the acknowledgement echoes, in milliseconds.
    pub(crate) fn echoed_stamp(&self) -> Option<u32> {
        self.options.timestamps.map(|stamps| stamps.echo).filter(|&echo| echo > 0)
    }

    /// Whether the window shrinks in proportion to what arrives.
    pub(crate) fn is_shrinking(&self) -> bool {
        matches!(self.phase, Phase::Reducing | Phase::Recovery)
    }

    /// The smoothed round trip.
    pub(crate) fn smoothed(&self) -> Span {
        Span::from_microseconds(self.estimate.smoothed())
    }

    /// Takes what is overdue for lost. Answers how many segments that are.
    pub(crate) fn detect(&mut self, now: Time, context: &Context<'_>) -> u32 {
        if !context.profile.extensions.rack {
            return self.board.detect_by_duplicates();
        }
        self.timers.reordering = Time::MAX;
        let in_recovery = matches!(self.phase, Phase::Recovery | Phase::Loss);
        let smoothed = self.smoothed();
        let Some((latest, times)) = self.rack.judgement(self.board.sacked(), in_recovery, smoothed) else {
            return 0;
        };
        let (lost, left) = self.board.detect_by_time(now, &latest, times);
        if let Some(left) = left {
            self.timers.wait_for_reordering(now, context, left);
        }
        lost
    }

    /// A segment leaves, of new data or again.
    pub(crate) fn note_sent(
        &mut self,
        now: Time,
        (start, end): (SequenceNumber, SequenceNumber),
        is_new: bool,
    ) {
        if is_new {
            self.board.push(now, start, end);
        } else {
            self.note_sent_again(now, start);
        }
        if self.is_shrinking() {
            self.reduction.sent += 1;
        }
    }

    /// A segment leaves again. A probe is none of a recovery's retransmissions (Linux `tcp_send_loss_probe` does without
    /// `tcp_retransmit_skb`, which counts them).
    fn note_sent_again(&mut self, now: Time, start: SequenceNumber) {
        let was_lost = self.board.send_again(now, start);
        if was_lost {
            self.first_retransmission.get_or_insert(stamp(now));
            if let Some(undo) = &mut self.undo {
                undo.note_retransmission();
            }
        }
    }

    /// No retransmission is outstanding any more: the next one is the first (Linux `tcp_retrans_stamp_cleanup`).
    pub(crate) fn forget_retransmissions_that_arrived(&mut self) {
        if !self.board.any_sent_again() {
            self.first_retransmission = None;
        }
    }

    /// A reduction begins that may turn out to be a mistake, with `una` acknowledged; `prior` is restored then.
    pub(crate) fn begin_undo(&mut self, una: SequenceNumber, prior: Option<Prior>) {
        let probes = u32::from(matches!(self.timers.probed, Some((_, true))));
        self.undo = Some(Undo::new(una, prior, self.board.sent_again() + probes));
    }

    /// Whether what this acknowledgement covers had only been delayed (RFC 3522).
    pub(crate) fn was_delayed(&self, profile: &HostProfile) -> bool {
        let echoed = self.echoed_stamp().filter(|_| profile.extensions.timestamps);
        was_delayed(self.first_retransmission, echoed)
    }

    /// Whether each retransmission was reported as a duplicate (RFC 3708).
    pub(crate) fn all_answered(&self) -> bool {
        self.undo.as_ref().is_some_and(Undo::all_answered)
    }

    /// How far a window of so many segments is used (Linux `tcp_cwnd_validate`).
    pub(crate) fn note_usage(&mut self, window: u32, una: SequenceNumber, max: SequenceNumber) {
        let limited = self.board.in_flight() >= window;
        let outstanding = self.board.outstanding();
        let more = !self.usage.limited && outstanding > self.usage.most_segments;
        if limited || more || !una.before(self.usage.until) {
            self.usage = Usage { limited, most_segments: outstanding, until: max };
        }
    }

    /// Whether the window, and not the application, has limited what was sent (Linux `tcp_is_cwnd_limited`).
    pub(crate) fn used_its_window(&self, window: u32, in_slow_start: bool) -> bool {
        self.usage.limited || in_slow_start && window < 2 * self.usage.most_segments
    }

    /// How many bytes more than its window a sender may have outstanding, or less: the window bounds what is in the network,
    /// counted in whole segments.
    pub(super) fn beyond_window(&self, profile: &HostProfile, outstanding: u32) -> i32 {
        let in_flight = self.board.in_flight() * profile.segment_bytes();
        outstanding as i32 - in_flight as i32
    }
}

/// The scoreboard of a connection, boxed: the others pay nothing for it.
#[derive(Default)]
#[repr(Rust, packed)]
pub(crate) struct Selective(Box<SelectiveState>);

#[allow(
    clippy::explicit_auto_deref,
    reason = "nothing may refer to the pointer itself, which is not aligned"
)]
impl Selective {
    pub(super) fn state(&self) -> &SelectiveState {
        &*self.0
    }

    pub(super) fn state_mut(&mut self) -> &mut SelectiveState {
        &mut *self.0
    }
}

impl Clone for Selective {
    fn clone(&self) -> Self {
        Self(Box::new((*self.0).clone()))
    }
}

impl fmt::Debug for Selective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl LossRecovery for Selective {
    fn episode(&self) -> &Episode {
        &self.state().episode
    }

    fn episode_mut(&mut self) -> &mut Episode {
        &mut self.state_mut().episode
    }

    fn on_established(&mut self, max: SequenceNumber) {
        self.state_mut().episode.recover = max;
    }

    /// Its acknowledgements say more than that: `selective_acknowledgement.rs` looks at them.
    fn on_duplicate(
        &mut self,
        _sending: &Sending<'_>,
        _congestion: &mut CongestionController,
    ) -> OnDuplicate {
        OnDuplicate::Nothing
    }

    fn on_new_acknowledgement(
        &mut self,
        _sending: &Sending<'_>,
        _number: SequenceNumber,
        _congestion: &mut CongestionController,
    ) -> OnNewAcknowledgement {
        OnNewAcknowledgement::Normal
    }
}
