//! Counters at an edge of the measured window.

use crate::fabric::{Fabric, ImpairedCounts, LossCounts, TcpTotals};
use aqmlab_link::{LinkSnapshot, MonitoredLink};
use aqmlab_session::Session;
use aqmlab_units::Time;

#[derive(Clone)]
pub(crate) struct Snapshot {
    /// Per monitored link.
    pub(crate) links: Vec<LinkSnapshot>,
    /// Per impaired link.
    pub(crate) impaired: Vec<ImpairedCounts>,
    /// Of the boxes of each population and group of flows.
    pub(crate) boxes: Vec<ImpairedCounts>,
    pub(crate) tcp: TcpTotals,
    pub(crate) opened: u64,
    pub(crate) gave_up: u64,
    pub(crate) losses: LossCounts,
    /// Bytes delivered so far per long-lived flow.
    pub(crate) flows: Vec<u64>,
}

impl Snapshot {
    /// What was counted until `now`.
    pub(crate) fn of(now: Time, fabric: &Fabric, session: &Session) -> Self {
        let network = fabric.network();
        Self {
            links: network.monitored_links().map(|queued| queued.snapshot(now)).collect(),
            impaired: network.impaired.iter().map(|impaired| impaired.counts).collect(),
            boxes: network.delay_boxes.counts().collect(),
            tcp: fabric.tcp_totals(),
            opened: fabric.opened(),
            gave_up: fabric.gave_up(),
            losses: fabric.losses(),
            flows: session.delivered().to_vec(),
        }
    }
}
