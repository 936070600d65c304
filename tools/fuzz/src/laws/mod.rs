//! What no run may break, whatever the scenario.
//!
//! Conservation at every port is checked by the simulator itself, which refuses to answer if it does not
//! hold; here stands what a reader of the results relies on.

mod columns;
mod cool_down;
mod datagrams;
mod overload;
mod sending;
mod summary;
mod tables;
mod video_calls;

use aqmlab_scenario::Scenario;
use aqmlab_sim::Output;
pub(crate) use columns::digest;
pub(crate) use cool_down::measured_alike;

/// Laws that a run has broken, in words.
pub(crate) struct Broken {
    found: Vec<String>,
}

/// More than that say nothing new.
const MOST: usize = 20;

impl Broken {
    /// Notes a law that does not hold.
    pub(crate) fn unless(&mut self, holds: bool, law: impl FnOnce() -> String) {
        if !holds && self.found.len() < MOST {
            self.found.push(law());
        }
    }
}

/// The laws that a run of this scenario has broken.
pub(crate) fn broken_by(output: &Output, scenario: &Scenario) -> Vec<String> {
    let mut broken = Broken { found: Vec::new() };
    summary::check(&output.summary, scenario, &mut broken);
    sending::check(&output.summary, scenario, &mut broken);
    overload::check(&output.summary, scenario, &mut broken);
    for table in &output.tables {
        tables::check(table, scenario, &mut broken);
    }
    tables::check_totals(output, scenario, &mut broken);
    broken.found
}
