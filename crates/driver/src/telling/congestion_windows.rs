//! The congestion windows, round-trip times and timeouts of long-lived flows over time, for those who ask
//! (`record.congestion_window_interval_ms`).

use crate::telling::flow_groups::FlowGroups;
use crate::telling::sampling_clock::SamplingClock;
use crate::telling::table_names::TableNames;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::FlowId;
use aqmlab_units::{Span, Time};

/// What TCP knows of a connection at the end that sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderSample {
    /// The congestion window.
    pub congestion_window_bytes: f64,
    /// The slow-start threshold; infinite where there is none.
    pub slow_start_threshold_bytes: f64,
    /// Bytes sent and not acknowledged.
    pub outstanding_bytes: u32,
    /// The smoothed round-trip time; none before the first measurement.
    pub smoothed_round_trip: Option<Span>,
    /// The retransmission timeout.
    pub retransmission_timeout: Span,
}

/// Samples of every flow that has a connection open at the instant.
#[derive(Clone)]
pub struct CongestionWindows {
    clock: SamplingClock,
    groups: FlowGroups,
    rows: Rows,
}

#[derive(Clone, Default)]
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
    /// As the scenario asks.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let clock = scenario.record.congestion_window_interval.map(SamplingClock::every);
        Self {
            clock: clock.unwrap_or(SamplingClock::STOPPED),
            groups: FlowGroups::of(scenario),
            rows: Rows::default(),
        }
    }

    /// The next instant at which they are sampled.
    #[must_use]
    pub const fn next(&self) -> Time {
        self.clock.next
    }

    /// Whether they are sampled at `now`.
    pub fn strikes(&mut self, now: Time) -> bool {
        self.clock.strikes(now)
    }

    /// What the sending end of a flow is like at `now`.
    pub fn sample(&mut self, now: Time, flow: FlowId, sender: &SenderSample) {
        let (group, place) = self.groups.place(flow);
        self.rows.time_s.push(now.seconds());
        self.rows.flow_group.push(group);
        self.rows.flow.push(place.number());
        self.rows.congestion_window_bytes.push(sender.congestion_window_bytes);
        self.rows.slow_start_threshold_bytes.push(sender.slow_start_threshold_bytes);
        self.rows.outstanding_bytes.push(sender.outstanding_bytes);
        self.rows.smoothed_round_trip_s.push(sender.smoothed_round_trip.map_or(f64::NAN, Span::seconds));
        self.rows.retransmission_timeout_s.push(sender.retransmission_timeout.seconds());
    }

    /// The table `congestion_windows`, where it is wanted.
    #[must_use]
    pub fn into_table(self, names: &TableNames) -> Option<Table> {
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
