//! Counters at an edge of the measured window.

use crate::connection::TcpTotals;
use crate::impairments::ImpairedCounts;
use crate::links::Sent;
use crate::losses::LossCounts;
use aqmlab_aqm::Counters;
use aqmlab_units::Span;

/// Of a link until this instant.
#[derive(Clone)]
pub(crate) struct LinkSnapshot {
    pub(crate) counters: Counters,
    pub(crate) sent: Sent,
    /// How long it has been transmitting.
    pub(crate) transmitting: Span,
}

#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Per monitored link.
    pub(crate) links: Vec<LinkSnapshot>,
    /// Per impaired link.
    pub(crate) impaired: Vec<ImpairedCounts>,
    pub(crate) tcp: TcpTotals,
    pub(crate) opened: u64,
    pub(crate) gave_up: u64,
    pub(crate) losses: LossCounts,
    /// Bytes delivered so far per long-lived flow.
    pub(crate) flows: Vec<u64>,
}
