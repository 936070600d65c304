//! Bytes on monitored links in the measured window, by the user who caused them: the table `users`.

use super::network::Network;
use crate::identifiers::MonitoredId;
use aqmlab_driver::TableNames;
use aqmlab_record::{ColumnValues, MeasuredWindow, Table};
use aqmlab_scenario::{Scenario, ThroughputLayer};
use aqmlab_session::Owner;
use aqmlab_units::Time;
#[derive(Clone)]

pub(crate) struct UserBytes {
    window: MeasuredWindow,
    layer: ThroughputLayer,
    links: usize,
    /// Per population: row per user, column per link.
    counts: Vec<Vec<u64>>,
}

impl UserBytes {
    /// None where nobody asks for the table.
    pub(crate) fn new(scenario: &Scenario, network: &Network, window: MeasuredWindow) -> Option<Self> {
        let links = network.monitored_links().count();
        let populations = scenario.populations.iter();
        scenario.record.users.then(|| Self {
            window,
            layer: scenario.record.throughput_layer,
            links,
            counts: populations.map(|population| vec![0; population.users as usize * links]).collect(),
        })
    }

    /// A packet of these bytes, as a frame and without framing, has left a link.
    pub(crate) fn count(
        &mut self,
        now: Time,
        link: MonitoredId,
        owner: Owner,
        (frame_bytes, ip_bytes): (u32, u16),
    ) {
        let Owner::User { population, user, .. } = owner else { return };
        if self.window.contains(now) {
            let bytes = match self.layer {
                ThroughputLayer::Frame => frame_bytes,
                ThroughputLayer::Ip => u32::from(ip_bytes),
            };
            let column = user as usize * self.links + link.place();
            self.counts[population.place()][column] += u64::from(bytes);
        }
    }

    /// For each user and monitored link the bytes, at the layer that the scenario counts, that her
    /// connections put on it.
    pub(crate) fn into_table(self, names: &TableNames) -> Table {
        let (mut population, mut user, mut link) = (Vec::new(), Vec::new(), Vec::new());
        for (place, counts) in (0..).zip(&self.counts) {
            for (number, _) in (0..).zip(counts.chunks(self.links)) {
                population.extend(std::iter::repeat_n(Some(place), self.links));
                user.extend(std::iter::repeat_n(number, self.links));
                link.extend((0..).take(self.links));
            }
        }
        let columns = vec![
            ("population", names.of_populations(population.into_iter())),
            ("user", ColumnValues::U32(user)),
            ("link", names.of_links(&link)),
            ("bytes", ColumnValues::U64(self.counts.concat())),
        ];
        Table::new("users", columns)
    }
}
