//! Counters at an edge of the measured window.

use crate::connection::TcpTotals;
use crate::impairments::ImpairedCounts;
use crate::links::Sent;
use crate::losses::LossCounts;
use aqmlab_aqm::Counters;

#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Per monitored link.
    pub(crate) links: Vec<(Counters, Sent)>,
    /// Per impaired link.
    pub(crate) impaired: Vec<ImpairedCounts>,
    pub(crate) tcp: TcpTotals,
    pub(crate) opened: u64,
    pub(crate) gave_up: u64,
    pub(crate) losses: LossCounts,
    /// Bytes delivered so far per long-lived flow.
    pub(crate) flows: Vec<u64>,
}
