//! How packets travel from one end of a connection to the other.

use crate::engine::{DELAYED, Rank};
use crate::identifiers::{Column, DelayClockId, Egress, Hop};
use aqmlab_units::Span;

/// How packets travel from one end of a connection to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Delay of the connection's own, in nanoseconds.
    pub(crate) delay_ns: u64,
    /// The first egress: see [`super::network::Network::egress`].
    pub(crate) egress: Egress,
    /// Where a packet arrives next after its delay.
    pub(crate) at: Hop,
    /// Where it leaves the network.
    pub(crate) destination: Column,
    /// Among which packets it travels until then; [`Path::AT_ONCE`] if it is there at once.
    pub(crate) rank: Rank,
    /// Where a packet spends its delay.
    pub(crate) delayed: Delayed,
}

/// Where a packet spends the delay of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delayed {
    /// Behind the interface that is the first egress.
    BehindInterface,
    /// At its own node, in front of any other link.
    AtNode,
    /// At its own node, until a clock has counted it.
    ByClock(DelayClockId),
    /// Behind the box of its connection, which stands behind the interface that is the first egress.
    BehindBoxBehindInterface,
    /// Behind the box of its connection, which stands at its own node.
    BehindBoxAtNode,
}

impl Path {
    /// The rank of packets that have neither an interface nor a delay of their own.
    pub(crate) const AT_ONCE: Rank = Rank::FIRST;

    /// The same path with a box of the connection on it.
    ///
    /// # Panics
    /// If a clock releases its packets: the scenario check refuses that.
    pub(crate) fn with_box(self) -> Self {
        let delayed = match self.delayed {
            Delayed::BehindInterface => Delayed::BehindBoxBehindInterface,
            Delayed::AtNode => Delayed::BehindBoxAtNode,
            other => unreachable!("no box stands at a path {other:?}"),
        };
        Self { delayed, rank: DELAYED, ..self }
    }
}

/// How packets from one end reach the network beyond its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddedDelay {
    /// With the other packets of the interface.
    None,
    /// After a delay of their own, through the wheel.
    Own(Span),
    /// After a delay of their own that a tick of a clock ends, in front of the interface: what is released
    /// together leaves one behind the other.
    Ticks(DelayClockId, Span),
    /// After a delay of their own, through a pipe that only they use.
    Pipe(Rank, Span),
}
