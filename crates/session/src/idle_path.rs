//! What a connection does where nobody is in its way: when it is open, and when the bytes of a response
//! arrive.
//!
//! A response comes in rounds: the sender's window at once, then nothing until its acknowledgements are back.
//! The first rounds of a connection are listed, those behind them repeat one another. A driver finds them
//! once for each kind of path and hands them over; nothing here knows why a window grows.

use aqmlab_units::Span;

/// Bytes that arrive together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// When the first of them arrive, counted from the write of the request.
    pub begins: Span,
    /// When the last of them have.
    pub ends: Span,
    /// How many bytes have arrived then, those of earlier rounds included.
    pub bytes: u64,
}

/// An idle path, as the connections over it see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdlePath {
    /// Whether a connection opens at all. Over a path that is too long for the patience of its host it never
    /// does, and then everything below but `time_to_open` has no meaning.
    pub opens: bool,
    /// From the order to open until the connection is open, or until it is given up.
    pub time_to_open: Span,
    /// The first rounds of a response without end, on a connection that was just opened: at least one.
    pub rounds: Vec<Round>,
    /// How far apart later rounds are.
    pub period: Span,
    /// Bytes of each later round, at least one.
    pub bytes_per_period: u64,
    /// Whether a pause leaves the window as it is.
    pub keeps_window: bool,
}

/// How far a response is that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Bytes that have arrived.
    pub(crate) arrived: u64,
    /// How long it is until more do.
    pub(crate) more_in: Span,
}

impl IdlePath {
    /// A path over which an attempt to open a connection is given up after this span.
    #[must_use]
    pub fn in_vain(given_up_after: Span) -> Self {
        let never = Round { begins: Span::ZERO, ends: Span::ZERO, bytes: 1 };
        Self {
            opens: false,
            time_to_open: given_up_after,
            rounds: vec![never],
            period: Span::from_nanoseconds(1),
            bytes_per_period: 1,
            keeps_window: false,
        }
    }

    /// How long a response of `bytes` takes from the write of its request to its last byte, on a connection
    /// that has brought `carried` bytes without a pause before.
    #[must_use]
    pub fn response_time(&self, carried: u64, bytes: u64) -> Span {
        let first = self.round_of(carried);
        let last_byte = self.bytes_before(first) + bytes.max(1) - 1;
        let last = self.round_of(last_byte);
        let within = last_byte - self.bytes_before(last);
        let round = self.round(last);
        let length = (round.ends - round.begins).nanoseconds();
        let share = within as f64 / self.bytes_of(last) as f64;
        let arrives = round.begins + Span::from_nanoseconds(whole(length as f64 * share));
        self.rounds[0].begins + (arrives - self.round(first).begins)
    }

    /// How far a response is `elapsed` after the write of its request, were it without end.
    pub(crate) fn progress(&self, carried: u64, elapsed: Span) -> Progress {
        let Some(since_first) = elapsed.nanoseconds().checked_sub(self.rounds[0].begins.nanoseconds()) else {
            return Progress { arrived: 0, more_in: self.rounds[0].begins - elapsed };
        };
        let first = self.round_of(carried);
        let instant = self.round(first).begins + Span::from_nanoseconds(since_first);
        let present = self.round_at(instant);
        let round = self.round(present);
        let before = self.bytes_before(first);
        if instant >= round.ends {
            return Progress {
                arrived: round.bytes - before,
                more_in: self.round(present + 1).begins - instant,
            };
        }
        let share =
            (instant - round.begins).nanoseconds() as f64 / (round.ends - round.begins).nanoseconds() as f64;
        let of_round = whole(self.bytes_of(present) as f64 * share);
        Progress { arrived: self.bytes_before(present) + of_round - before, more_in: Span::ZERO }
    }

    /// A round, counted from 0.
    fn round(&self, number: u64) -> Round {
        let last = self.rounds.len() - 1;
        let listed = usize::try_from(number).unwrap_or(usize::MAX).min(last);
        let Round { begins, ends, bytes } = self.rounds[listed];
        let later = number - listed as u64;
        let span = Span::from_nanoseconds(later * self.period.nanoseconds());
        Round { begins: begins + span, ends: ends + span, bytes: bytes + later * self.bytes_per_period }
    }

    /// Which round brings the byte with this number, counted from 0.
    fn round_of(&self, byte: u64) -> u64 {
        let listed = self.rounds.iter().position(|round| byte < round.bytes);
        if let Some(place) = listed {
            return place as u64;
        }
        let beyond = byte - self.rounds[self.rounds.len() - 1].bytes;
        self.rounds.len() as u64 + beyond / self.bytes_per_period
    }

    /// The last round that has begun at an instant, which is not before the first.
    fn round_at(&self, instant: Span) -> u64 {
        let last = self.rounds.len() - 1;
        let begun = self.rounds.iter().rposition(|round| round.begins <= instant).unwrap_or(0);
        if begun < last || self.period == Span::ZERO {
            return begun as u64;
        }
        last as u64 + (instant - self.rounds[last].begins).div_floor(self.period)
    }

    fn bytes_before(&self, round: u64) -> u64 {
        round.checked_sub(1).map_or(0, |before| self.round(before).bytes)
    }

    fn bytes_of(&self, round: u64) -> u64 {
        self.round(round).bytes - self.bytes_before(round)
    }
}

/// Rounded down; what is cut is part of a byte or of a nanosecond.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
const fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    /// 100 ms to the first byte; rounds of 1,000, 2,000 and 4,000 bytes in no time, 1, and 2 ms, then 4,000
    /// every 101 ms.
    fn path() -> IdlePath {
        let round = |begins, ends, bytes| Round { begins: ms(begins), ends: ms(ends), bytes };
        IdlePath {
            opens: true,
            time_to_open: ms(100),
            rounds: vec![round(100, 100, 1_000), round(200, 201, 3_000), round(300, 302, 7_000)],
            period: ms(101),
            bytes_per_period: 4_000,
            keeps_window: false,
        }
    }

    #[test]
    fn a_response_ends_in_the_round_of_its_last_byte() {
        let path = path();
        let time = |bytes| path.response_time(0, bytes);
        assert_eq!([time(1), time(1_000)], [ms(100); 2]);
        assert_eq!(time(1_001), ms(200));
        // 2,000 of the third round's 4,000 bytes are before byte 5,000, counted from 0.
        assert_eq!(time(5_001), ms(301));
        // The fourth round begins at 401 ms, the thirteenth nine periods later.
        assert_eq!(time(7_001), ms(401));
        assert_eq!(time(7_000 + 9 * 4_000 + 1), ms(401 + 909));
    }

    #[test]
    fn a_connection_that_has_carried_something_goes_on_with_its_window() {
        let path = path();
        // After 1,000 bytes the window is 2,000, and so it is after 1,500: rounds begin with a response.
        for carried in [1_000, 1_500] {
            assert_eq!(path.response_time(carried, 1), ms(100));
            assert!(path.response_time(carried, 2_000) < ms(102));
            assert_eq!(path.response_time(carried, 2_001), ms(200));
        }
        assert_eq!(path.response_time(1_000_000, 4_001), ms(201));
    }

    #[test]
    fn progress_is_what_has_arrived_and_how_long_the_next_bytes_take() {
        let path = path();
        let at = |milliseconds| path.progress(0, ms(milliseconds));
        assert_eq!(at(30), Progress { arrived: 0, more_in: ms(70) });
        assert_eq!(at(100), Progress { arrived: 1_000, more_in: ms(100) });
        assert_eq!(at(150), Progress { arrived: 1_000, more_in: ms(50) });
        assert_eq!(at(301), Progress { arrived: 5_000, more_in: Span::ZERO });
        assert_eq!(at(350), Progress { arrived: 7_000, more_in: ms(51) });
        assert_eq!(at(401 + 5 * 101 + 50), Progress { arrived: 31_000, more_in: ms(51) });
        // With a window of 4,000 bytes the first round brings as many.
        assert_eq!(path.progress(3_000, ms(150)), Progress { arrived: 4_000, more_in: ms(51) });
    }

    #[test]
    fn what_has_arrived_grows_to_the_whole_response_at_its_end() {
        let path = path();
        for (carried, bytes) in [(0, 1), (0, 2_999), (1_000, 5_000), (2_000, 123_456), (50_000, 4_000)] {
            let time = path.response_time(carried, bytes);
            let arrived = |span| path.progress(carried, span).arrived;
            // Bytes within a round are spread evenly: the last of them has arrived a moment behind its
            // instant.
            assert!(arrived(time + ms(1)) >= bytes, "{carried} {bytes}");
            assert!(arrived(time.saturating_sub(ms(2))) < bytes, "{carried} {bytes}");
        }
    }
}
