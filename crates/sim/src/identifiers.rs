//! The numbers by which a run tells things apart.
//!
//! Each is as narrow as the records that carry it need, and each is made by a checked conversion: a number
//! that does not fit ends the run with a message instead of becoming another one's. `aqmlab_scenario::limits`
//! says what fits, and the scenario check refuses the rest, so no legal scenario comes that far. Lints refuse
//! unchecked conversions in this crate.

use aqmlab_session::{ConnectionId, Side};
use aqmlab_units::identifier;

identifier! {
    /// A host profile: one for each population and each group of flows.
    pub(crate) struct ProfileId(u16);
}
identifier! {
    /// The clock of a machine under a profile.
    pub(crate) struct ClockId(u32);
}
identifier! {
    /// The clock of a machine that releases delayed packets, counted among these: a machine has one at most.
    pub(crate) struct DelayClockId(u16);
}
identifier! {
    /// A monitored link, by its place in `links` of the summary: its code in the tables.
    pub(crate) struct MonitoredId(u16);
}
identifier! {
    /// A link with a queue, counted among these.
    pub(crate) struct QueuedId(u16);
}
identifier! {
    /// A channel that several links share.
    pub(crate) struct ChannelId(u16);
}
identifier! {
    /// A place where a packet's next egress is looked up: see `fabric/route_table.rs`.
    pub(crate) struct Hop(u16);
}
identifier! {
    /// Destinations that are reached alike: see `fabric/route_table.rs`.
    pub(crate) struct Column(u16);
}
identifier! {
    /// What a packet does next: it takes a link that takes time, or has arrived. Links with a queue come
    /// first, in their own order, the others follow.
    pub(crate) struct Egress(u32);
}

impl Hop {
    /// Of a machine that was reached: packets end here.
    pub(crate) const ARRIVED: Self = Self::from_number(0);
}

impl Egress {
    /// Nothing but ideal wires lies between here and the destination.
    pub(crate) const DELIVERY: Self = Self::from_number(u32::MAX);
}

/// A connection as packets and timers name it. Places are reused: a connection that takes the place of
/// another is of the next generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConnectionIdentity {
    /// Its place among the connections of the run.
    pub(crate) place: u32,
    pub(crate) generation: u16,
}

/// One of the two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndpointId {
    pub(crate) connection: ConnectionId,
    pub(crate) side: Side,
}
