//! When what our endpoint sent is what the kernel sent: the same segments in the same order, each at its
//! instant.
//!
//! Timers of a kernel fire in slots whose length grows with the wait (an eighth of it), and a recorder hears
//! of them with some delay, so an instant has room: 45 ms, or 13 % of the silence before it if that is more.
//! An acknowledgement waits for 40 ms at the least, so a receiver's have room for 10 ms.

use aqmlab_units::{Span, Time};
use std::fmt;

/// How far from the kernel's instant ours may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// At the least.
    pub(crate) least: Span,
    /// Of the silence before it.
    pub(crate) percent_of_silence: u64,
}

impl Room {
    /// For a recorded sender's segments.
    pub(crate) const SENDER: Self = Self { least: Span::from_milliseconds(45), percent_of_silence: 13 };
    /// For a recorded receiver's acknowledgements.
    pub(crate) const RECEIVER: Self = Self { least: Span::from_milliseconds(10), percent_of_silence: 0 };

    fn at(self, at: Time, before: Option<Time>) -> Span {
        let silence = before.map_or(Span::ZERO, |before| at.since(before.min(at)));
        self.least.max(Span::from_nanoseconds(silence.nanoseconds() * self.percent_of_silence / 100))
    }
}

/// Something that an end sent, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) what: String,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:.4} s", self.what, self.at.seconds())
    }
}

/// The first difference, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Identical,
    /// The same, before or after its instant: the kernel's and ours.
    Untimely(Sent, Sent),
    /// Something else in its place: the kernel's and ours.
    Other(Sent, Sent),
    /// The kernel sent this, and we sent nothing any more.
    Missing(Sent),
    /// We sent this, and the kernel nothing any more.
    Extra(Sent),
}

impl Verdict {
    pub(crate) fn is_identical(&self) -> bool {
        *self == Self::Identical
    }

    /// When the two came to differ.
    pub(crate) fn at(&self) -> Option<Time> {
        match self {
            Self::Identical => None,
            Self::Untimely(kernel, ours) | Self::Other(kernel, ours) => Some(kernel.at.min(ours.at)),
            Self::Missing(sent) | Self::Extra(sent) => Some(sent.at),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical => f.write_str("identical"),
            Self::Untimely(kernel, ours) if ours.at > kernel.at => {
                write!(f, "late: kernel {kernel}, ours {ours}")
            }
            Self::Untimely(kernel, ours) => write!(f, "early: kernel {kernel}, ours {ours}"),
            Self::Other(kernel, ours) => write!(f, "other: kernel {kernel}, ours {ours}"),
            Self::Missing(kernel) => write!(f, "missing: kernel {kernel}, ours nothing"),
            Self::Extra(ours) => write!(f, "extra: kernel nothing, ours {ours}"),
        }
    }
}

/// Compares what both sent until `end`.
///
/// What is ours and later than `end` less its room is no difference: the kernel was not watched for as long
/// as it may take.
pub(crate) fn judge(kernel: &[Sent], ours: &[Sent], end: Time, room: Room) -> Verdict {
    let mut before = None;
    for (place, theirs) in kernel.iter().enumerate() {
        let allowed = room.at(theirs.at, before);
        before = Some(theirs.at);
        match ours.get(place) {
            None => return Verdict::Missing(theirs.clone()),
            Some(own) if own.what != theirs.what => return Verdict::Other(theirs.clone(), own.clone()),
            Some(own) if apart(own.at, theirs.at) > allowed => {
                return Verdict::Untimely(theirs.clone(), own.clone());
            }
            Some(_) => {}
        }
    }
    match ours.get(kernel.len()) {
        Some(own) if own.at + room.at(own.at, before) < end => Verdict::Extra(own.clone()),
        _ => Verdict::Identical,
    }
}

fn apart(one: Time, other: Time) -> Span {
    one.max(other).since(one.min(other))
}
