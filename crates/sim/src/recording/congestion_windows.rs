//! The congestion windows, round-trip times and timeouts of long-lived flows over time, for those who ask
//! (`record.congestion_window_interval_ms`).

use super::flow_groups::FlowGroups;
use crate::fabric::Fabric;
use aqmlab_driver::SamplingClock;
use aqmlab_driver::TableNames;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::Owner;
use aqmlab_units::{Span, Time};

/// Samples of every flow that has a connection open at the instant.
pub(crate) struct CongestionWindows {
    clock: SamplingClock,
    groups: FlowGroups,
    rows: Rows,
}

#[derive(Default)]
struct Rows {
    time_s: Vec<f64>,
    flow_group: Vec<u16>,
    /// Within the group.
    flow: Vec<u32>,
    congestion_window_bytes: Vec<f64>,
    slow_start_threshold_bytes: Vec<f64>,
    outstanding_bytes: Vec<u32>,
    /// Not a number while there is no estimate.
    smoothed_round_trip_s: Vec<f64>,
    retransmission_timeout_s: Vec<f64>,
}

impl CongestionWindows {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let clock = scenario.record.congestion_window_interval.map(SamplingClock::every);
        Self {
            clock: clock.unwrap_or(SamplingClock::STOPPED),
            groups: FlowGroups::of(scenario),
            rows: Rows::default(),
        }
    }

    /// The next instant at which they are sampled.
    pub(crate) const fn next(&self) -> Time {
        self.clock.next
    }

    /// Samples if that is due at `now`. The end that opened the connection is the one that sends.
    pub(crate) fn sample(&mut self, now: Time, fabric: &Fabric) {
        if !self.clock.strikes(now) {
            return;
        }
        for (_, connection) in fabric.open_connections() {
            let Owner::Flow { flow } = connection.owner else { continue };
            let (group, place) = self.groups.place(flow);
            let Some(sender) = connection.ends[0].tcp() else { continue };
            let context = fabric.context_of_sender(connection);
            let profile = context.profile;
            self.rows.time_s.push(now.seconds());
            self.rows.flow_group.push(group.number());
            self.rows.flow.push(place.number());
            self.rows.congestion_window_bytes.push(sender.congestion_window_bytes(profile));
            self.rows.slow_start_threshold_bytes.push(sender.slow_start_threshold_bytes(profile));
            self.rows.outstanding_bytes.push(sender.outstanding());
            let smoothed = sender.smoothed_round_trip(&context).map_or(f64::NAN, Span::seconds);
            self.rows.smoothed_round_trip_s.push(smoothed);
            self.rows.retransmission_timeout_s.push(sender.retransmission_timeout(&context).seconds());
        }
    }

    pub(crate) fn into_table(self, names: &TableNames) -> Option<Table> {
        let Self { clock, rows, .. } = self;
        let columns = || {
            vec![
                ("time_s", ColumnValues::F64(rows.time_s)),
                ("flow_group", names.of_flow_groups(rows.flow_group.into_iter().map(Some))),
                ("flow", ColumnValues::U32(rows.flow)),
                ("congestion_window_bytes", ColumnValues::F64(rows.congestion_window_bytes)),
                ("slow_start_threshold_bytes", ColumnValues::F64(rows.slow_start_threshold_bytes)),
                ("outstanding_bytes", ColumnValues::U32(rows.outstanding_bytes)),
                ("smoothed_round_trip_s", ColumnValues::F64(rows.smoothed_round_trip_s)),
                ("retransmission_timeout_s", ColumnValues::F64(rows.retransmission_timeout_s)),
            ]
        };
        (clock.next != Time::MAX).then(|| Table::new("congestion_windows", columns()))
    }
}
