//! Transfers of a number of bytes: when each began, and how long it took.

use crate::table_names::TableNames;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_scenario::Scenario;
use aqmlab_session::Session;
use aqmlab_units::Time;

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
