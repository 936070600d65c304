//! How slow start ends before a loss: HyStart, and HyStart++.
//!
//! Source: Ha and Rhee, "Taming the elephants: new TCP slow start", Computer Networks 55 (2011), with the
//! constants of Linux net/ipv4/tcp_cubic.c `hystart_update`; RFC 9406 section 4.
//!
//! | | HyStart of Linux | HyStart++ |
//! | --- | --- | --- |
//! | looks from a window of | 16 segments | any |
//! | samples of a round | 8 | 8 |
//! | the least round trip exceeds | that of the connection by more than an eighth, 4 to 16 ms | that of the last round by an eighth, 4 to 16 ms, or more |
//! | acknowledgements no more than 2 ms apart | for more than half of the least round trip | |
//! | then | slow start is over | the window grows by a quarter for five rounds, the present one among them; if the round trip falls below what ended slow start, that goes on |
//!
//! Departures and silences: the limit of RFC 9406 on growth per acknowledgement (L) is that of the
//! acknowledgements, as for a paced sender.

use super::facts::Acknowledged;
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LEAST_WINDOW: u32 = 16;
const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_milliseconds(4);
const GREATEST_RISE: Span = Span::from_milliseconds(16);
const TRAIN_GAP: Span = Span::from_milliseconds(2);
/// RFC 9406: `CSS_GROWTH_DIVISOR`, `CSS_ROUNDS`.
const CONSERVATIVE_DIVISOR: u32 = 4;
const CONSERVATIVE_ROUNDS: u8 = 5;

/// How slow start ends before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HyStart {
    /// It does not.
    Off,
    /// When the least round trip of a round exceeds that of the connection by an eighth, or acknowledgements
    /// have come without a pause for half of it (Ha and Rhee, "Taming the elephants", 2011, as Linux has it).
    Linux,
    /// When the least round trip of a round exceeds that of the round before by an eighth: then it grows by a
    /// quarter for five rounds, or goes back where that was a mistake (RFC 9406).
    PlusPlus,
}

/// Conservative slow start of HyStart++.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The round trip that was too long.
    baseline: Span,
    /// Rounds that are complete, the one in which it began among them.
    rounds: u8,
    /// Segments that do not make a whole one yet.
    rest: u32,
}

/// What it remembers of a slow start.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlowStartEnd {
    rule: HyStart,
    round_began: Time,
    acknowledged_at: Time,
    samples: u32,
    /// The least round trips of this round and of the one before.
    least: Option<Span>,
    least_before: Option<Span>,
    conservative: Option<Conservative>,
}

/// By how much a round trip may exceed another one.
fn rise(from: Span) -> Span {
    Span::from_nanoseconds(from.nanoseconds() / 8).max(LEAST_RISE).min(GREATEST_RISE)
}

impl SlowStartEnd {
    /// That of a connection under such a rule.
    pub(super) const fn new(rule: HyStart) -> Self {
        Self {
            rule,
            round_began: Time::ZERO,
            acknowledged_at: Time::ZERO,
            samples: 0,
            least: None,
            least_before: None,
            conservative: None,
        }
    }

    /// Another slow start begins.
    pub(super) fn begin(&mut self) {
        *self = Self::new(self.rule);
    }

    /// Whether slow start is over with this acknowledgement, of a window of so many segments, on a path with
    /// this least round trip.
    pub(super) fn ends(&mut self, acknowledged: &Acknowledged, window: u32, path: Option<Span>) -> bool {
        if self.rule == HyStart::Off {
            return false;
        }
        let now = acknowledged.now;
        let mut over = false;
        if acknowledged.round_begins {
            over = self.begin_round(now);
        }
        if let Some(sample) = acknowledged.round_trip {
            self.samples += 1;
            self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
        }
        match self.rule {
            HyStart::Off => false,
            HyStart::Linux => {
                let train = self.is_train(now, path);
                window >= LEAST_WINDOW && (train || self.samples > SAMPLES && self.rises_above(path))
            }
            HyStart::PlusPlus => {
                self.watch_conservatively();
                over
            }
        }
    }

    /// Of so many segments that were acknowledged, those by which the window grows.
    pub(super) fn share(&mut self, segments: u32) -> u32 {
        let Some(conservative) = &mut self.conservative else { return segments };
        conservative.rest += segments;
        let whole = conservative.rest / CONSERVATIVE_DIVISOR;
        conservative.rest %= CONSERVATIVE_DIVISOR;
        whole
    }

    /// A round begins. Answers whether conservative slow start has lasted long enough.
    fn begin_round(&mut self, now: Time) -> bool {
        (self.round_began, self.acknowledged_at, self.samples) = (now, now, 0);
        self.least_before = self.least.take();
        let Some(conservative) = &mut self.conservative else { return false };
        conservative.rounds += 1;
        conservative.rounds >= CONSERVATIVE_ROUNDS
    }

    fn rises_above(&self, other: Option<Span>) -> bool {
        let (Some(least), Some(other)) = (self.least, other) else { return false };
        let bound = other + rise(other);
        least > bound || self.rule == HyStart::PlusPlus && least == bound
    }

    /// Whether acknowledgements have come without a pause for so long that the pipe must be full.
    fn is_train(&mut self, now: Time, path: Option<Span>) -> bool {
        if self.acknowledged_at + TRAIN_GAP < now {
            return false;
        }
        self.acknowledged_at = now;
        let half = path.map(|least| Span::from_nanoseconds(least.nanoseconds() / 2));
        half.is_some_and(|half| now - self.round_began > half)
    }

    /// Conservative slow start begins where a round trip rises, and ends where that was a mistake (RFC 9406
    /// section 4.2).
    fn watch_conservatively(&mut self) {
        if self.samples < SAMPLES {
            return;
        }
        match (self.conservative, self.least) {
            (None, Some(baseline)) if self.rises_above(self.least_before) => {
                self.conservative = Some(Conservative { baseline, rounds: 0, rest: 0 });
            }
            (Some(conservative), Some(least)) if least < conservative.baseline => self.conservative = None,
            _ => {}
        }
    }
}
