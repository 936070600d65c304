//! What a player has, and when it plays.

use aqmlab_units::{Span, Time};

/// The buffer of a player, as it was at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaybackBuffer {
    level: Span,
    as_of: Time,
    plays: bool,
}

impl PlaybackBuffer {
    pub(super) const fn empty() -> Self {
        Self { level: Span::ZERO, as_of: Time::ZERO, plays: false }
    }

    /// Lets playback go on until `now`; an empty buffer stops it.
    pub(super) fn play_until(&mut self, now: Time) {
        let passed = now - self.as_of;
        self.as_of = now;
        if !self.plays {
            return;
        }
        if passed < self.level {
            self.level = self.level - passed;
        } else {
            (self.level, self.plays) = (Span::ZERO, false);
        }
    }

    /// A segment has arrived; playback begins if there is as much as it begins at.
    pub(super) fn add(&mut self, segment: Span, begins_at: Span) {
        self.level += segment;
        self.plays |= self.level >= begins_at;
    }

    /// Seconds that are there and not yet played.
    pub(super) const fn level(&self) -> Span {
        self.level
    }

    /// How long until no more than this is there, while nothing arrives.
    pub(super) fn until_down_to(&self, level: Span) -> Span {
        if self.level > level { self.level - level } else { Span::ZERO }
    }
}
