//! From a scenario to the applications of a run.

use crate::control::RunError;
use aqmlab_random::Key;
use aqmlab_record::{MeasuredWindow, Pages, Responses, Rows};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{FlowGroup, Scenario, UserModel};
use aqmlab_session::{BrowsingPopulation, BrowsingSettings, Session, Transfer};
use aqmlab_units::Time;
use aqmlab_web::Population;

/// Beyond this many exchanges or pages, `responses = "auto"` keeps histograms of them alone.
const AUTOMATIC_ROWS: usize = 5_000_000;

/// All applications, none of which has started.
pub(crate) fn session(scenario: &Scenario, window: MeasuredWindow, key: Key) -> Result<Session, RunError> {
    let populations = scenario.populations.iter().map(|population| {
        let users = users(scenario, population, key.named("user").named(&population.name))?;
        Ok(BrowsingPopulation::new(users, population.start))
    });
    let settings = BrowsingSettings {
        window,
        response_end: scenario.record.response_end,
        responses: Responses::new(scenario.populations.len(), rows(scenario)),
        pages: Pages::new(scenario.populations.len(), window, rows(scenario)),
    };
    let transfers = scenario.flows.iter().flat_map(|group| transfers(group, key));
    Ok(Session::new(populations.collect::<Result<_, _>>()?, settings, transfers.collect()))
}

fn transfers(group: &FlowGroup, key: Key) -> impl Iterator<Item = Transfer> {
    let key = key.named("flow").named(&group.name);
    (0..).zip(&group.flows).map(move |(index, _)| Transfer {
        starts: Time::from_seconds(group.start_spread.seconds() * key.indexed(index).uniform(0)),
        bytes: group.bytes,
    })
}

/// The users of a population under their model. Whatever files this names, the scenario holds their texts.
fn users(scenario: &Scenario, population: &scenario::Population, key: Key) -> Result<Population, RunError> {
    let texts = &scenario.document().files;
    let read = |name: &str| texts.get(name).cloned().ok_or_else(|| "its text is not there".to_owned());
    let users = match &population.model {
        UserModel::Unc(parameters) => Population::unc(parameters, population.users, key, &read),
        UserModel::Mah(parameters) => Population::mah(parameters, population.users, key, &read),
    };
    users.map_err(|error| RunError::Model(error.to_string()))
}

fn rows(scenario: &Scenario) -> Rows {
    match scenario.record.responses {
        scenario::Responses::Auto => Rows::UpTo(AUTOMATIC_ROWS),
        scenario::Responses::Rows => Rows::All,
        scenario::Responses::Histogram | scenario::Responses::None => Rows::None,
    }
}
