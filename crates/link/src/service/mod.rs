//! How a link serves what it takes: when a transmission ends, and how many packets it carries.

mod rate_trace;

pub use rate_trace::RateTrace;

use aqmlab_units::{Rate, Time};
use rate_trace::TraceClock;

/// Packets that travel in one transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// How many, at least one.
    pub packets: u32,
    /// Their frames with preambles and gaps.
    pub wire_bytes: u32,
}

/// A link whose transmissions take another time than their bytes at a constant rate, or carry several
/// packets.
pub trait Service: Send {
    /// Whether one more packet travels in the transmission that begins now, beside these. Asked while packets
    /// wait.
    fn takes_another(&self, load: Load) -> bool {
        let _ = load;
        false
    }

    /// A transmission begins; returns when it ends, `now` or later. `now` never decreases, and never lies
    /// before the end of the transmission before.
    fn transmit(&mut self, now: Time, load: Load) -> Time;
}

/// How a link serves, as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServiceModel {
    /// One packet after the other, each for the time of its bytes at the link's rate.
    #[default]
    Constant,
    /// One packet after the other, at the instants of a trace, of which the link's rate is the mean.
    Trace(RateTrace),
}

impl ServiceModel {
    /// Whether a transmission takes the time of its bytes at the link's rate.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant)
    }

    /// The service of a link with this rate, where that is not constant.
    pub(crate) fn varying(&self, _rate: Rate) -> Option<Box<dyn Service>> {
        match self {
            Self::Constant => None,
            Self::Trace(trace) => Some(Box::new(TraceClock::new(trace.clone()))),
        }
    }
}
