//! From a scenario to the applications of a run.

use crate::control::RunError;
use crate::wiring::datagram_sources::first_places;
use aqmlab_applications::Setup;
use aqmlab_random::{Key, Law};
use aqmlab_record::{MeasuredWindow, Pages, Responses, Rows};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{DatagramGroup, FlowGroup, FlowStarts, Role, Scenario};
use aqmlab_session::{
    BrowsingPopulation, BrowsingSettings, DatagramSource, DatagramsOf, Next, Session, Transfer,
};
use aqmlab_units::{Span, Time};
use aqmlab_web::Population;

/// Beyond this many exchanges or pages, `responses = "auto"` keeps histograms of them alone.
const AUTOMATIC_ROWS: usize = 5_000_000;

/// All applications, none of which has started.
///
/// # Errors
/// [`RunError::Model`]: a traffic model cannot be made from its parameters.
pub fn session(scenario: &Scenario, window: MeasuredWindow, key: Key) -> Result<Session, RunError> {
    let populations = scenario.populations.iter().map(|population| {
        let users = users(scenario, population, key.named("user").named(&population.name))?;
        let group = BrowsingPopulation::new(users, population.start);
        let group = if population.sends_one_way() { group.over_one_way_connections() } else { group };
        Ok(if population.transport.is_some() { group.over_streams() } else { group })
    });
    let settings = BrowsingSettings {
        window,
        response_end: scenario.record.response_end,
        responses: Responses::new(scenario.populations.len(), rows(scenario)),
        pages: Pages::new(scenario.populations.len(), window, rows(scenario)),
    };
    let end = Time::ZERO + scenario.duration;
    let transfers = scenario.flows.iter().flat_map(|group| transfers(group, end, key));
    let datagrams = datagram_sources(scenario, key);
    Ok(Session::new(populations.collect::<Result<_, _>>()?, settings, transfers.collect(), datagrams))
}

fn datagram_sources(scenario: &Scenario, key: Key) -> Vec<DatagramSource> {
    let first_places = first_places(scenario);
    let answered = |group: &DatagramGroup| group.answers.map_or(0, |answered| first_places[answered]);
    scenario.datagrams.iter().flat_map(|group| datagrams(group, answered(group), key)).collect()
}

fn transfers(group: &FlowGroup, end: Time, key: Key) -> impl Iterator<Item = Transfer> {
    let key = key.named("flow").named(&group.name);
    let never = end + Span::from_nanoseconds(1);
    let spread_over =
        |spread: Span, index: u64| Time::from_seconds(spread.seconds() * key.indexed(index).uniform(0));
    let starts: Vec<Time> = match &group.starts {
        FlowStarts::Listed(instants) => instants.iter().map(|&instant| Time::ZERO + instant).collect(),
        &FlowStarts::Spread { first, spread } => {
            (0..group.flows.len() as u64).map(|index| spread_over(spread, index) + first).collect()
        }
        FlowStarts::Phases { lives, spread } => {
            (0..).zip(lives).map(|(index, life)| spread_over(*spread, index) + life.from).collect()
        }
        // Who thinks begins the others when it has thought.
        &FlowStarts::Thinking { first, spread, users, .. } => (0..group.flows.len() as u64)
            .map(|index| {
                let is_first = index < u64::from(users);
                if is_first { spread_over(spread, index) + first } else { Time::MAX }
            })
            .collect(),
        &FlowStarts::Poisson { first, mean_interval_s } => {
            let (interval, mut at_s) = (Law::Exponential { mean: mean_interval_s }, first.seconds());
            (0..group.flows.len() as u64)
                .map(|index| {
                    at_s += interval.draw(key.indexed(index), 0);
                    // What lies behind the end may lie beyond what time can count.
                    Time::from_seconds(at_s.min(never.seconds()))
                })
                .collect()
        }
    };
    let stop_of = |index: usize| match &group.starts {
        FlowStarts::Phases { lives, .. } => Some(lives[index].until),
        _ => group.stop,
    };
    let stops = move |index| stop_of(index).map_or(Time::MAX, |stop| Time::ZERO + stop);
    let bytes = move |index| {
        let key = key.indexed(index as u64).named("bytes");
        group.bytes.as_ref().map(|law| law.draw(key))
    };
    let flows = group.flows.len();
    let next = move |index: usize| match &group.starts {
        FlowStarts::Thinking { users, think, .. } if index + (*users as usize) < flows => {
            let pause_s = think.draw(key.indexed(index as u64).named("think"), 0);
            Some(Next { further: *users as usize, after: Span::from_seconds(pause_s) })
        }
        _ => None,
    };
    let of_flow = move |(index, starts)| Transfer {
        starts,
        stops: stops(index),
        bytes: bytes(index),
        writes: group.writes,
        next: next(index),
    };
    starts.into_iter().enumerate().map(of_flow)
}

/// The sources of a group; `first_answered` is the place of the first source of the group that it answers.
fn datagrams(group: &DatagramGroup, first_answered: usize, key: Key) -> impl Iterator<Item = DatagramSource> {
    let key = key.named("datagrams").named(&group.name);
    let start = Time::ZERO + group.start;
    let stops = group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
    (0..).zip(&group.sources).map(move |(index, _)| {
        let key = key.indexed(index);
        let drawn = |spread: Span| start + Span::from_seconds(spread.seconds() * key.uniform(0));
        match group.role {
            Role::Sender => {
                let starts = drawn(group.start_spread);
                let setup = Setup { packet_bytes: group.packet_bytes, starts, stops, key };
                DatagramSource { starts, stops, sends: DatagramsOf::Sender(group.application.build(setup)) }
            }
            Role::Receiver(interval) => {
                let sender = first_answered + usize::try_from(index).expect("a place in a list");
                DatagramSource { starts: drawn(interval), stops, sends: DatagramsOf::Receiver { sender } }
            }
            Role::Echo => DatagramSource { starts: start, stops, sends: DatagramsOf::Echo },
        }
    })
}

/// The users of a population under their model. Whatever files this names, the scenario holds their texts.
fn users(scenario: &Scenario, population: &scenario::Population, key: Key) -> Result<Population, RunError> {
    let users = population.model.parameters().build(population.users, key, &scenario.file_texts());
    users.map_err(|error| RunError::Model(error.to_string()))
}

fn rows(scenario: &Scenario) -> Rows {
    match scenario.record.responses {
        scenario::Responses::Auto => Rows::UpTo(AUTOMATIC_ROWS),
        scenario::Responses::Rows => Rows::All,
        scenario::Responses::Histogram | scenario::Responses::None => Rows::None,
    }
}
