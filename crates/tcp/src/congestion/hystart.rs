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
//! | acknowledgements no more than 2 ms apart | for more than half of the least round trip and 1 ms; for all of it where segments are paced | |
//! | then | slow start is over | the window grows by a quarter for five rounds, the present one among them; if the round trip falls below what ended slow start, that goes on |
//!
//! Departures and silences: the limit of RFC 9406 on growth per acknowledgement (L) is that of the
//! acknowledgements, as for a paced sender.

use super::facts::{Acknowledged, Measured};
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LEAST_WINDOW: u32 = 16;
const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_milliseconds(4);
const GREATEST_RISE: Span = Span::from_milliseconds(16);
const TRAIN_GAP: Span = Span::from_milliseconds(2);
/// What is added to the least round trip for segments that are put together (`hystart_ack_delay`): this much
/// below 2 Gbit/s.
const TRAIN_DELAY: Span = Span::from_milliseconds(1);
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
    paced: bool,
    /// HyStart of Linux has ended it.
    found: bool,
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
    pub(super) const fn new(rule: HyStart, paced: bool) -> Self {
        Self {
            rule,
            paced,
            found: false,
            round_began: Time::ZERO,
            acknowledged_at: Time::ZERO,
            samples: 0,
            least: None,
            least_before: None,
            conservative: None,
        }
    }

    /// Another slow start begins.
    pub(super) fn begin(&mut self, now: Time) {
        let begun = Self::new(self.rule, self.paced);
        *self = Self { round_began: now, acknowledged_at: now, ..begun };
    }

    /// Whether slow start is over by HyStart of Linux with this round trip, of a window of so many segments,
    /// on a path with this least round trip.
    pub(super) fn ends_by_round_trip(&mut self, measured: &Measured, window: u32, path: Span) -> bool {
        if self.rule != HyStart::Linux || self.found {
            return false;
        }
        if measured.round_begins {
            self.begin_round(measured.now);
        }
        if window < LEAST_WINDOW {
            return false;
        }
        let train = self.is_train(measured.now, path);
        self.take(measured.round_trip);
        self.found = train || self.samples > SAMPLES && self.rises_above(Some(path));
        self.found
    }

    /// Whether it is over by HyStart++ with this acknowledgement.
    pub(super) fn ends(&mut self, acknowledged: &Acknowledged) -> bool {
        if self.rule != HyStart::PlusPlus {
            return false;
        }
        let over = acknowledged.round_begins && self.begin_round(acknowledged.now);
        if let Some(sample) = acknowledged.round_trip {
            self.take(sample);
        }
        self.watch_conservatively();
        over
    }

    fn take(&mut self, sample: Span) {
        self.samples += 1;
        self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
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
    fn is_train(&mut self, now: Time, path: Span) -> bool {
        if self.acknowledged_at + TRAIN_GAP < now {
            return false;
        }
        self.acknowledged_at = now;
        let whole = (path + TRAIN_DELAY).nanoseconds();
        now - self.round_began > Span::from_nanoseconds(if self.paced { whole } else { whole / 2 })
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
