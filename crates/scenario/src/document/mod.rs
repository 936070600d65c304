//! The document: a scenario as its author writes it, every key with its unit, default and legal range.
//!
//! These structs are the schema. Their names, types, defaults, ranges and comments make the JSON Schema,
//! which makes the checks, the error messages and the tables of `docs/reference/scenario/`. Beside each key
//! stands what it [decides](Decides), so that comparisons know which differences to accept.

mod conditions;
mod datagrams;
mod decides;
mod delay_box;
mod dumbbell;
mod end_after;
mod flows;
mod framing;
mod line;
mod parking_lot;
mod ports;
mod record;
mod shaper;
mod star;
mod think_time;
mod topology;
mod transfer_bytes;
mod twin;
mod users;

pub use conditions::{ConditionsEnd, ConditionsWay, Reconfigurations, TraceFiles};
pub use datagrams::{DatagramsTable, EcnCodepoint};
pub use decides::Decides;
pub use delay_box::{BoxLoss, BoxLossRange, BoxRate, BoxRateRange, DelayBoxTable};
pub use dumbbell::Dumbbell;
pub(crate) use dumbbell::{BROWSERS_LEFT, BROWSERS_RIGHT, SERVERS_LEFT, SERVERS_RIGHT};
pub use end_after::EndAfterTable;
use flows::default_profile;
pub(crate) use flows::start_spread;
pub use flows::{
    BaseRoundTripTime, DelayOn, DelayOrder, Direction, FlowsTable, NamedRoundTripLaw, PhasesTable,
    RoundTripLawFile, RoundTripLawName, RoundTripTimeRange,
};
pub(crate) use framing::{ethernet_gap, ethernet_minimum_frame, ethernet_overhead};
pub(crate) use line::{AUTORATE, INTERNET, LineWay, RESERVED, SOLD, is_in_router, keys_of};
pub use line::{Connection, DeviceKind, DeviceTable, Line, LineFraming, Technology};
pub use parking_lot::{HopTable, MachinesTable, ParkingLot};
pub(crate) use ports::{MachineGroup, Port, Ports};
pub use record::{RecordTable, Responses, ThroughputLayer};
pub use shaper::ShaperTable;
pub(crate) use star::HOMES;
pub use star::{AccessTable, Star};
pub use think_time::{ThinkTime, ThinkTimeLaw};
pub(crate) use topology::mean_ms;
pub use topology::{LinkTable, NodeTable, Topology};
pub use transfer_bytes::{TransferBytes, TransferSizeLaw};
pub(crate) use users::Habits;
pub use users::{DelayOwner, MinimumDelayRange, PopulationTable, Start, UsersTable};

use crate::limits::DURATION_S;
use aqmlab_transport::Transport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One experiment: a network, the traffic on it, and what to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "aqmlab scenario")]
pub struct Document {
    /// Name of the experiment.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub name: String,

    /// What it is for, in a sentence or more.
    #[serde(default)]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub description: String,

    /// Total simulated time.
    #[schemars(range(min = 0.001, max = DURATION_S))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub duration_s: f64,

    /// Time at the start that is simulated but not measured.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub warm_up_s: f64,

    /// Time at the end that is simulated but not measured.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Measure))]
    pub cool_down_s: f64,

    /// An earlier end: as soon as a number of exchanges is complete; absent: the run ends at `duration_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_after: Option<EndAfterTable>,

    /// Maximum random deviation of each link's rate, in millionths, uniform from the seed. 0: exact rates,
    /// with equal links in step.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub rate_tolerance_ppm: f64,

    /// Maximum random extra delay of each link with a rate and of each flow's added delay, uniform from the
    /// seed. 0: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[schemars(extend("x-decides" = Decides::Network))]
    pub delay_phase_ns: f64,

    /// The network: one bottleneck link between two routers. Give exactly one network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dumbbell: Option<Dumbbell>,

    /// The network: routers in a row, with cross traffic on their hops. Give exactly one network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parking_lot: Option<ParkingLot>,

    /// The network: access links behind one router. Give exactly one network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub star: Option<Star>,

    /// The network: nodes and links. Give exactly one network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,

    /// The network: a line to the Internet, with `[[devices]]` behind it. Give exactly one network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,

    /// Devices in the home behind a `[line]`; a repeated table. Absent: one computer, `computer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub devices: Vec<DeviceTable>,

    /// Browsing users on both sides of a dumbbell, or at both ends of a parking lot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<UsersTable>,

    /// Browsing users between named machine groups; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub populations: Vec<PopulationTable>,

    /// Long-lived flows beside or instead of users; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowsTable>,

    /// Applications over UDP: packets at a rate, videos, calls that adapt and others; a repeated table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub datagrams: Vec<DatagramsTable>,

    /// What a run records.
    #[serde(default)]
    pub record: RecordTable,

    /// Texts of the files that `..._file` keys name, by these names; filled in when the scenario is read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-decides" = Decides::Nothing))]
    pub files: BTreeMap<String, String>,
}

/// Whether a setting stands at its default, and need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Whether a switch is off, and need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Whether packets carry the codepoint of best effort, which need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_best_effort(dscp: &u8) -> bool {
    *dscp == 0
}

impl Document {
    /// Fills in the defaults that depend on other keys, and brings what can be written in two ways into one,
    /// so that equal scenarios are equal documents.
    pub(crate) fn settle(&mut self) {
        if let Some(dumbbell) = &mut self.dumbbell {
            dumbbell.settle(&self.files);
        }
        if let Some(parking_lot) = &mut self.parking_lot {
            parking_lot.settle();
        }
        if let Some(star) = &mut self.star {
            star.settle();
        }
        if let Some(topology) = &mut self.topology {
            topology.settle(&self.files);
        }
        self.settle_line();
        let servers = self.machines_in(SERVERS_LEFT).filter(|_| self.has_sides());
        if let (Some(users), Some(servers)) = (&mut self.users, servers) {
            users.settle();
            users.model.parameters_mut().choose_among(servers);
        }
        let servers: Vec<_> = self.populations.iter().map(|table| self.machines_in(&table.servers)).collect();
        for (population, servers) in self.populations.iter_mut().zip(servers) {
            population.settle();
            if let Some(servers) = servers {
                population.model.parameters_mut().choose_among(servers);
            }
        }
        self.record.settle();
        for (index, flows) in self.flows.iter_mut().enumerate() {
            flows.settle(index);
        }
        for (index, datagrams) in self.datagrams.iter_mut().enumerate() {
            datagrams.settle(index);
        }
    }

    /// Groups with another transport than TCP have no profile unless one is given: the default describes TCP.
    pub(crate) fn forget_profiles(&mut self, is_written: impl Fn(&str) -> bool) {
        let users = self.users.iter_mut();
        let users = users.map(|own| ("users".to_owned(), &own.transport, &mut own.profile));
        let populations = self.populations.iter_mut().zip(0..);
        let populations = populations
            .map(|(own, place)| (format!("populations.{place}"), &own.transport, &mut own.profile));
        let flows = self.flows.iter_mut().zip(0..);
        let flows = flows.map(|(own, place)| (format!("flows.{place}"), &own.transport, &mut own.profile));
        for (group, transport, profile) in users.chain(populations).chain(flows) {
            let is_filled_in = *profile == default_profile() && !is_written(&format!("{group}.profile"));
            if transport != Transport::TCP && is_filled_in {
                profile.clear();
            }
        }
    }

    /// As it is overridden: what follows from other keys of a line or a device is left out, and follows anew.
    pub(crate) fn unsettled(&self) -> Self {
        let devices = self.devices.iter().map(DeviceTable::unsettled).collect();
        let line = self.line.as_ref().map(|line| line.unsettled(line.means(&self.files)));
        Self { line, devices, ..self.clone() }
    }

    /// A home has a device, and what goes up or down a line has ends.
    fn settle_line(&mut self) {
        let Some(line) = &mut self.line else { return };
        line.settle(line.means(&self.files));
        if self.devices.is_empty() {
            self.devices.push(DeviceTable::only("computer"));
        }
        self.devices.iter_mut().for_each(DeviceTable::settle);
        let only = if let [only] = &*self.devices { Some(only.name.clone()) } else { None };
        let flows = self.flows.iter_mut();
        let flows =
            flows.map(|own| (&mut own.direction, &mut own.device, &mut own.senders, &mut own.receivers));
        let datagrams = self.datagrams.iter_mut();
        let datagrams =
            datagrams.map(|own| (&mut own.direction, &mut own.device, &mut own.senders, &mut own.receivers));
        for (direction, device, senders, receivers) in flows.chain(datagrams) {
            let Some(named) = device.clone().or_else(|| only.clone()) else { continue };
            if !self.devices.iter().any(|own| own.name == named) {
                continue;
            }
            let ends = match direction {
                Some(Direction::Down) => [INTERNET.to_owned(), named],
                Some(Direction::Up) => [named, INTERNET.to_owned()],
                _ => continue,
            };
            if senders.is_none() && receivers.is_none() {
                (*direction, *device) = (None, None);
                [*senders, *receivers] = ends.map(Some);
            }
        }
    }

    /// How many machines a group has, if there is such a group.
    fn machines_in(&self, group: &str) -> Option<u32> {
        if let Some(line) = &self.line {
            let of_device = self.devices.iter().any(|device| device.name == group).then_some(1);
            return of_device.or_else(|| (group == INTERNET).then_some(line.server_machines));
        }
        if let Some(dumbbell) = &self.dumbbell {
            return dumbbell.machines_in(group);
        }
        if let Some(parking_lot) = &self.parking_lot {
            let groups = parking_lot.machine_groups();
            return groups.iter().find(|own| own.name == group).map(|own| own.count);
        }
        if let Some(star) = &self.star {
            return star.machines_in(group);
        }
        self.topology.as_ref()?.machines_in(group)
    }

    /// Whether the network has a left and a right, between which `[users]` browse and a `direction` leads.
    pub(crate) const fn has_sides(&self) -> bool {
        self.dumbbell.is_some() || self.parking_lot.is_some()
    }

    /// The networks that are described, by the names of their tables: one, in a legal document.
    pub(crate) fn networks(&self) -> Vec<&'static str> {
        let given = [
            ("dumbbell", self.dumbbell.is_some()),
            ("parking_lot", self.parking_lot.is_some()),
            ("star", self.star.is_some()),
            ("topology", self.topology.is_some()),
            ("line", self.line.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }

    /// The port at a place of the links, of a network that a shorthand with several stands for.
    pub(crate) fn port(&self, place: usize) -> Option<Port<'_>> {
        let lot = self.parking_lot.as_ref().filter(|lot| place < lot.port_count());
        let star = self.star.as_ref().filter(|star| place < star.port_count());
        lot.map(|lot| lot.port(place)).or_else(|| star.map(|star| star.port(place)))
    }
}
