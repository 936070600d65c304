//! Transfers of a number of bytes: when each began, how long it took, and how long it would take alone.
//!
//! Alone, on an idle path, a transfer of B bytes takes 1.5 R + 8 B / C: a round trip R of propagation for the
//! handshake and half of one for the data, which go at C, the lowest rate of a link, a shaper or their
//! class on their way (its mean where it varies), without headers, slow start or delay boxes. No TCP could
//! need less. It is what a slowdown divides by: time over time on an unloaded network (Alizadeh and others,
//! pFabric, SIGCOMM 2013; Montazeri and others, Homa, SIGCOMM 2018), with the handshake that these transfers
//! have.

use crate::telling::table_names::TableNames;
use aqmlab_aqm::TrafficClasses;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::{Flow, LinkIndex, Routes, Scenario};
use aqmlab_session::Session;
use aqmlab_units::{Span, Time};
use std::collections::BTreeMap;

/// A row for each transfer that began until `end`, of all groups of flows with a number of bytes; none
/// without such a group.
#[must_use]
pub fn table(scenario: &Scenario, session: &Session, end: Time, names: &TableNames) -> Option<Table> {
    scenario.flows.iter().find(|group| group.bytes.is_some())?;
    let (mut groups, mut flows, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let [mut started, mut completed, mut taken] = [const { Vec::new() }; 3];
    let mut all = session.transfers();
    for (group, flow_group) in (0..).zip(&scenario.flows) {
        for (flow, (transfer, done)) in (0..).zip(all.by_ref().take(flow_group.flows.len())) {
            let Some(own) = transfer.bytes.filter(|_| transfer.begins_until(end)) else { continue };
            groups.push(Some(group));
            flows.push(flow);
            bytes.push(own);
            started.push(transfer.starts.seconds());
            completed.push(done.map_or(f64::NAN, Time::seconds));
            taken.push(done.map_or(f64::NAN, |done| (done - transfer.starts).seconds()));
        }
    }
    let columns = vec![
        ("flow_group", names.of_flow_groups(groups.into_iter())),
        ("flow", ColumnValues::U32(flows)),
        ("bytes", ColumnValues::U64(bytes)),
        ("started_s", ColumnValues::F64(started)),
        ("completed_s", ColumnValues::F64(completed)),
        ("transfer_time_s", ColumnValues::F64(taken)),
    ];
    Some(Table::new("transfers", columns))
}

/// Of each group of flows how long each would take alone, in seconds; none of groups without a size.
pub(crate) fn alone_s(scenario: &Scenario, session: &Session) -> Vec<Vec<f64>> {
    let routes = Routes::new(&scenario.network);
    let classes = scenario.traffic_classes();
    let mut idle_paths = BTreeMap::new();
    let mut all = session.transfers();
    let groups = scenario.flows.iter().map(|group| {
        let own = all.by_ref().take(group.flows.len()).zip(&group.flows);
        let timed = own.filter_map(|((transfer, _), flow)| {
            let bytes = transfer.bytes?;
            let path = idle_paths.entry((flow.sender, flow.receiver, group.dscp));
            let of_flow = || IdlePath::of(scenario, (&routes, &classes), flow, group.dscp);
            Some(path.or_insert_with(of_flow).seconds(flow, bytes))
        });
        timed.collect()
    });
    groups.collect()
}

/// The way between two machines and back where nobody else sends.
struct IdlePath {
    /// Propagation there and back.
    round_trip: Span,
    /// Seconds that a bit takes at the lowest rate on the way there; 0 of ideal wires.
    seconds_per_bit: f64,
}

impl IdlePath {
    fn of(
        scenario: &Scenario,
        (routes, classes): (&Routes<'_>, &BTreeMap<LinkIndex, TrafficClasses>),
        flow: &Flow,
        dscp: u8,
    ) -> Self {
        let [there, back] = [(flow.sender, flow.receiver), (flow.receiver, flow.sender)]
            .map(|(from, to)| routes.path(from, to).unwrap_or_default());
        let link = |&index: &LinkIndex| scenario.network.link(index);
        let of_queue = |index: &LinkIndex| {
            let class = classes.get(index).map(|own| own.class_of(dscp, flow.sender.0, flow.receiver.0));
            let has_packets = |place| class.is_none_or(|class| class == place);
            Some(link(index).queue.as_ref()?.own_shaping(&has_packets)?.rate)
        };
        let rates =
            there.iter().flat_map(|index| link(index).queue_rate().into_iter().chain(of_queue(index)));
        let seconds_per_bit = rates.map(|rate| 1.0 / rate.bits_per_second() as f64).fold(0.0, f64::max);
        let delays = there.iter().chain(&back).map(|index| link(index).delay);
        Self { round_trip: delays.fold(Span::ZERO, |sum, delay| sum + delay), seconds_per_bit }
    }

    fn seconds(&self, flow: &Flow, bytes: u64) -> f64 {
        let round_trip = self.round_trip + flow.delay_from_sender + flow.delay_from_receiver;
        1.5 * round_trip.seconds() + 8.0 * bytes as f64 * self.seconds_per_bit
    }
}
