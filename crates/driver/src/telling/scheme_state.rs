//! What schemes tell of themselves over time: the table `scheme_state`.

use crate::telling::sampling_clock::SamplingClock;
use crate::telling::table_names::TableNames;
use aqmlab_link::MonitoredLink;
use aqmlab_record::{ColumnValues, Table};
use aqmlab_units::{Span, Time};

/// Quantities of the schemes of all monitored links, at each instant of an interval.
#[derive(Clone)]
pub(crate) struct SchemeStates {
    clock: SamplingClock,
    /// Places among the links with a queue, in the order of the codes.
    positions: Vec<usize>,
    /// In the order in which they were seen first.
    quantities: Vec<&'static str>,
    rows: Rows,
}

#[derive(Clone, Default)]
struct Rows {
    time_s: Vec<f64>,
    link: Vec<u16>,
    quantity: Vec<u32>,
    value: Vec<f64>,
}

impl SchemeStates {
    pub(crate) fn new(interval: Span, positions: impl Iterator<Item = usize>) -> Self {
        Self {
            clock: SamplingClock::every(interval),
            positions: positions.collect(),
            quantities: Vec::new(),
            rows: Rows::default(),
        }
    }

    pub(crate) const fn next(&self) -> Time {
        self.clock.next
    }

    pub(crate) fn sample(&mut self, now: Time, links: &mut [impl MonitoredLink]) {
        if !self.clock.strikes(now) {
            return;
        }
        let Self { positions, quantities, rows, .. } = self;
        for (code, &position) in (0..).zip(positions.iter()) {
            let link = &mut links[position];
            link.queue_mut().advance(now);
            link.queue().observe(&mut |name, value| {
                let quantity = number_of(quantities, name);
                rows.time_s.push(now.seconds());
                rows.link.push(code);
                rows.quantity.push(quantity);
                rows.value.push(value);
            });
        }
    }

    pub(crate) fn into_table(self, names: &TableNames) -> Table {
        let Self { quantities, rows, .. } = self;
        let quantities: Vec<String> = quantities.into_iter().map(str::to_owned).collect();
        Table::new(
            "scheme_state",
            vec![
                ("time_s", ColumnValues::F64(rows.time_s)),
                ("link", names.of_links(&rows.link)),
                ("quantity", ColumnValues::names(rows.quantity, &quantities)),
                ("value", ColumnValues::F64(rows.value)),
            ],
        )
    }
}

/// The number of a name among those that are known, to which it is added where it is new.
fn number_of(known: &mut Vec<&'static str>, name: &'static str) -> u32 {
    let mut new = 0;
    for (number, &other) in (0..).zip(known.iter()) {
        if other == name {
            return number;
        }
        new = number + 1;
    }
    known.push(name);
    new
}
