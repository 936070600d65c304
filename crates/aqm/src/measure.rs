//! The length of a queue, in packets or in bytes.

use crate::queue_view::QueueView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit in which a scheme measures the queue. Whether large packets are also more likely to be signalled
/// is another question: see [`crate::parts::ScaleProbability`] (RFC 7141 §1.1 keeps the two apart).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// A packet counts one, whatever its size.
    #[default]
    Packets,
    /// A packet counts its bytes over `mean_packet_bytes`, so that thresholds stay in packets of mean size.
    Bytes,
}

/// A queue's length as a scheme sees it, in packets of mean size.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    /// What is measured.
    pub measure: Measure,
    /// The length of a mean packet.
    pub mean_packet_bytes: u32,
}

impl Gauge {
    /// The length of `queue`, in packets (of mean size).
    #[must_use]
    #[inline]
    pub fn length(&self, queue: &QueueView<'_>) -> f64 {
        self.amount(queue.packets().into(), queue.bytes())
    }

    /// What `packets` with `bytes` in them count together, in packets (of mean size).
    #[must_use]
    #[inline]
    pub fn amount(&self, packets: u64, bytes: u64) -> f64 {
        match self.measure {
            Measure::Packets => packets as f64,
            Measure::Bytes => bytes as f64 / f64::from(self.mean_packet_bytes),
        }
    }

    /// Whether at most one unit of what is measured waits: at most one packet, or, as ns-2 and ns-3 have it,
    /// at most one byte.
    #[must_use]
    #[inline]
    pub fn at_most_one_waits(&self, queue: &QueueView<'_>) -> bool {
        match self.measure {
            Measure::Packets => queue.packets() <= 1,
            Measure::Bytes => queue.bytes() <= 1,
        }
    }
}
