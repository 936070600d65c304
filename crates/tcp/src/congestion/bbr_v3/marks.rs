//! What marks tell: which share of what arrives is marked, and what follows for the bounds.
//!
//! Source: `tcp_bbr2.c` of Google's branch of 2021 and `tcp_bbr.c` of 2023 (`bbr_update_ecn_alpha`,
//! `bbr_check_ecn_too_high_in_startup`, `bbr_is_inflight_too_high`, `bbr_adapt_lower_bounds`); the slides
//! "BBR v2: A Model-based Congestion Control" of IETF 104 and 105.
//!
//! | when | what |
//! | --- | --- |
//! | a round begins | share = 15/16 share + 1/16 of the marked part of what arrived in the last one; 1 at first |
//! | in startup, two rounds in a row with half marked | the pipe is full |
//! | half of what arrived since the newest segment left is marked | as where too much is lost: a search ends, and bounds what is in the network |
//! | a round with a mark ends, outside of searches | the short bound falls by a third of the share |
//!
//! Shares are counted in 1/256 and rounded down, as Linux does: a share that stays below a sixteenth is 0
//! in the end, and a mark then bounds the window to what it is, and cuts nothing.

use super::super::answers_marks::AnswersMarks;
use super::super::facts::Acknowledged;
use super::{Bbr, Edition, NONE, Sample};
use aqmlab_units::Span;
use std::collections::VecDeque;

/// The whole, of which shares are parts.
const WHOLE: u64 = 256;
const GAIN: u64 = WHOLE / 16;
/// How much of the short bound the share takes.
const FACTOR: u64 = WHOLE / 3;
/// From this part on marks are too many.
const TOO_MANY: u64 = WHOLE / 2;
const STARTUP_ROUNDS: u32 = 2;
/// Round trips up to which marks are taken for those of a queue that marks early.
const SHORT: Span = Span::from_milliseconds(5);

/// What a connection that answers marks keeps of them.
#[derive(Clone, Debug)]
pub(super) struct MarkShare {
    rule: AnswersMarks,
    /// Whether the round trip was ever short enough.
    answers: bool,
    share: u64,
    /// Segments that ever were marked, and those that had been when an acknowledgement brought so many.
    ever: u64,
    before: VecDeque<(u64, u64)>,
    /// What had arrived, and was marked of it, when the round began.
    round: (u64, u64),
    /// Whether there was a mark in the round of losses.
    seen: bool,
    startup_rounds: u32,
}

impl MarkShare {
    pub(super) fn new(rule: AnswersMarks) -> Option<Box<Self>> {
        (rule != AnswersMarks::Never).then(|| {
            Box::new(Self {
                rule,
                answers: false,
                share: WHOLE,
                ever: 0,
                before: VecDeque::new(),
                round: (0, 0),
                seen: false,
                startup_rounds: 0,
            })
        })
    }

    #[cfg(test)]
    pub(super) const fn share(&self) -> u64 {
        self.share
    }

    #[cfg(test)]
    pub(super) const fn answers(&self) -> bool {
        self.answers
    }

    #[cfg(test)]
    pub(super) const fn see(&mut self) {
        self.seen = true;
    }

    pub(super) const fn forget(&mut self) {
        self.seen = false;
    }

    /// Segments that were marked of those that have arrived since so many had.
    pub(super) fn since(&mut self, delivered: u64) -> u64 {
        while self.before.get(1).is_some_and(|next| next.0 <= delivered) {
            self.before.pop_front();
        }
        let before = self.before.front().filter(|first| first.0 <= delivered).map_or(0, |first| first.1);
        self.ever - before
    }

    pub(super) fn note(&mut self, delivered: u64, marked: u32) {
        self.ever += u64::from(marked);
        if self.before.back().is_some_and(|last| last.0 == delivered) {
            self.before.pop_back();
        }
        self.before.push_back((delivered, self.ever));
    }

    fn look_at(&mut self, round_trip: Option<Span>) {
        self.answers |= self.rule == AnswersMarks::Always || round_trip.is_some_and(|least| least <= SHORT);
    }

    /// A round is over. Answers the marked part of it.
    pub(super) fn weigh(&mut self, delivered: u64) -> Option<u64> {
        let arrived = delivered - self.round.0;
        if arrived == 0 {
            return None;
        }
        let part = ((self.ever - self.round.1) * WHOLE / arrived).min(WHOLE);
        self.share = (WHOLE - GAIN) * self.share / WHOLE + GAIN * part / WHOLE;
        self.round = (delivered, self.ever);
        Some(part)
    }

    /// What the share leaves of a bound.
    pub(super) fn cut(&self, bound: u32) -> u32 {
        (u64::from(bound) * (WHOLE - self.share * FACTOR / WHOLE) / WHOLE) as u32
    }
}

impl<E: Edition> Bbr<E> {
    /// Takes in the marks that an acknowledgement tells of, and those that its sample is about.
    pub(super) fn take_marks(&mut self, acknowledged: &Acknowledged, sample: &mut Sample) {
        let Some(marks) = &mut self.marks else { return };
        marks.note(self.delivered, acknowledged.marked);
        sample.marked = sample.before.map_or(0, |before| marks.since(before));
        if self.rounds.begins {
            marks.look_at(self.least);
            let part = if E::VERSION_2 || marks.answers { marks.weigh(self.delivered) } else { None };
            if let Some(part) = part
                && marks.answers
                && !self.growth.filled
            {
                marks.startup_rounds = if part >= TOO_MANY { marks.startup_rounds + 1 } else { 0 };
                if marks.startup_rounds >= STARTUP_ROUNDS {
                    self.fill();
                }
            }
        }
        if let Some(marks) = &mut self.marks {
            marks.seen |= marks.answers && acknowledged.marked > 0;
        }
    }

    pub(super) fn are_marks_too_many(&self, sample: &Sample) -> bool {
        let answers = self.marks.as_ref().is_some_and(|marks| marks.answers);
        let most = u64::from(sample.delivered) * TOO_MANY / WHOLE;
        let is_more = sample.marked > most || E::VERSION_2 && sample.marked == most;
        answers && sample.marked > 0 && is_more
    }

    /// What a round with a mark leaves of a short bound.
    pub(super) fn cut_by_marks(&self, short: u32) -> u32 {
        self.marks.as_ref().filter(|marks| marks.seen).map_or(NONE, |marks| marks.cut(short))
    }
}
