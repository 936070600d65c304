//! Browsing users: `[users]` and `[[populations]]`.

use super::delay_box;
use super::host::{self, Host};
use super::law_files;
use super::quantity::seconds;
use super::traffic::machines;
use crate::StartRule;
use crate::document::{
    BROWSERS_LEFT, BROWSERS_RIGHT, Document, Habits, MinimumDelayRange, PopulationTable, SERVERS_LEFT,
    SERVERS_RIGHT, Start, UsersTable,
};
use crate::files::loader;
use crate::mistakes::{Mistakes, joined};
use crate::network::{Network, NodeIndex};
use crate::scenario::{DelayBox, MinimumDelay, Population};
use aqmlab_random::Key;
use aqmlab_units::Span;
use aqmlab_web::{BesideModel, ModelError, ParameterError};
use std::collections::{BTreeMap, BTreeSet};

/// The populations of `[users]`.
const LEFT: &str = "left";
const RIGHT: &str = "right";

/// The two populations of a dumbbell or a parking lot, each browsing the servers of the other side.
pub(super) fn of_dumbbell(
    document: &Document,
    users: &UsersTable,
    network: &Network,
    mistakes: &mut Mistakes<'_>,
) -> Vec<Population> {
    if !document.has_sides() {
        mistakes.sentence(
            "users",
            "[users] are the users of a dumbbell or a parking lot; elsewhere they are [[populations]]",
        );
        return Vec::new();
    }
    check_sides(users, mistakes);
    check_server_count("users", &network.machines(SERVERS_LEFT), mistakes);
    let Some(browsing) = browsing("users", &users.habits(), &document.files, mistakes) else {
        return Vec::new();
    };
    let side = |name: &str, count: Option<u32>, browsers: &str, servers: &str| Population {
        name: name.to_owned(),
        users: count.unwrap_or(0),
        browsers: network.machines(browsers),
        servers: network.machines(servers),
        ..browsing.clone()
    };
    vec![
        side(LEFT, users.left, BROWSERS_LEFT, SERVERS_RIGHT),
        side(RIGHT, users.right, BROWSERS_RIGHT, SERVERS_LEFT),
    ]
}

/// One form or the other, and all of it.
fn check_sides(users: &UsersTable, mistakes: &mut Mistakes<'_>) {
    const COUNT: &str = "0 to 10000000; or per_side for both sides";
    match (users.per_side, users.left, users.right) {
        (None, None, None) => {
            mistakes.sentence("users", "the number of users is missing: give per_side, or left and right");
        }
        (None, None, Some(_)) => mistakes.missing_key("users", "left", COUNT),
        (None, Some(_), None) => mistakes.missing_key("users", "right", COUNT),
        (None, Some(_), Some(_)) => {}
        (Some(_), _, _) => {
            let wrong = "given together with left or right";
            mistakes.value("users.per_side", wrong, "per_side alone, or left and right");
        }
    }
}

/// Populations between named machine groups. Their names address their random numbers, so none is that of one
/// of the sides of `[users]`.
pub(super) fn of_groups(
    document: &Document,
    network: &Network,
    mistakes: &mut Mistakes<'_>,
) -> Vec<Population> {
    let sides: &[&str] = if document.users.is_some() { &[LEFT, RIGHT] } else { &[] };
    let mut names: BTreeSet<&str> = sides.iter().copied().collect();
    let mut clocks = BTreeMap::new();
    if let Some(users) = &document.users {
        let hz = users.minimum_delay_ms.clock_hz;
        clocks.extend([(BROWSERS_LEFT, hz), (BROWSERS_RIGHT, hz)].into_iter().filter(|_| hz > 0));
    }
    let populations = document.populations.iter().enumerate().filter_map(|(index, table)| {
        let path = format!("populations.{index}");
        check_clock(&mut clocks, table, &path, mistakes);
        if !names.insert(table.name.as_str()) {
            let wrong = format!("a second population named \"{}\"", table.name);
            mistakes.value(&joined(&path, "name"), wrong, "a name of its own");
        }
        of_group(table, &path, network, &document.files, mistakes)
    });
    populations.collect()
}

/// A machine has one kernel clock, whoever sits at it. `clocks` has the ticks per second of the groups so
/// far.
fn check_clock<'a>(
    clocks: &mut BTreeMap<&'a str, u32>,
    table: &'a PopulationTable,
    path: &str,
    mistakes: &mut Mistakes<'_>,
) {
    let hz = table.minimum_delay_ms.clock_hz;
    if hz == 0 {
        return;
    }
    let known = *clocks.entry(&table.browsers).or_insert(hz);
    if known != hz {
        let wrong = format!("the clocks of {} tick at {known} Hz already", table.browsers);
        mistakes.value(&joined(path, "minimum_delay_ms.clock_hz"), wrong, format!("0 or {known}"));
    }
}

fn of_group(
    table: &PopulationTable,
    path: &str,
    network: &Network,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Population> {
    let browsers = machines(network, &table.browsers, &joined(path, "browsers"), mistakes);
    let servers_key = joined(path, "servers");
    let servers = machines(network, &table.servers, &servers_key, mistakes);
    if table.browsers == table.servers {
        mistakes.value(&servers_key, "the browsers' own machines", "another machine group");
    } else {
        check_server_count(path, &servers, mistakes);
    }
    let browsing = browsing(path, &table.habits(), files, mistakes)?;
    Some(Population { name: table.name.clone(), users: table.count, browsers, servers, ..browsing })
}

/// A population without name, users and machines: how it browses.
fn browsing(
    path: &str,
    habits: &Habits<'_>,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Population> {
    let start = start_rule(habits);
    check_model(path, habits, start, files, mistakes);
    let MinimumDelayRange { low, high, per, power, clock_hz } = habits.minimum_delay_ms;
    let clock_tick = (clock_hz > 0).then(|| Span::from_nanoseconds(1_000_000_000 / u64::from(clock_hz)));
    if low > high {
        let wrong = format!("low = {low} is above high = {high}");
        mistakes.value(&joined(path, "minimum_delay_ms.low"), wrong, format!("0 to {high}"));
    }
    check_spread(path, habits, mistakes);
    let Host { profile, transport } = host::of_users(path, habits, mistakes)?;
    Some(Population {
        name: String::new(),
        users: 0,
        browsers: Vec::new(),
        servers: Vec::new(),
        model: habits.model.clone(),
        start,
        minimum_delay: MinimumDelay { low_ms: low, high_ms: high, per, power, clock_tick },
        delay_box: box_of(path, habits, mistakes),
        dscp: habits.dscp,
        profile,
        transport,
    })
}

/// Neither what machines release at ticks of their clocks nor what was under way before the run meets a box.
fn box_of(path: &str, habits: &Habits<'_>, mistakes: &mut Mistakes<'_>) -> Option<DelayBox> {
    let found = delay_box::resolve(habits.delay_box, path, mistakes)?;
    let key = joined(path, "delay_box");
    if habits.minimum_delay_ms.clock_hz > 0 {
        let wrong = "a kernel clock does not support a delay box";
        mistakes.value(&key, wrong, "delay_box together with minimum_delay_ms.clock_hz = 0");
    }
    if habits.start == Start::Stationary {
        let wrong = "a stationary start does not support a delay box";
        mistakes.value(&key, wrong, "delay_box together with start = \"steady\" or \"fresh\"");
    }
    Some(found)
}

fn check_model(
    path: &str,
    habits: &Habits<'_>,
    start: StartRule,
    files: &BTreeMap<String, String>,
    mistakes: &mut Mistakes<'_>,
) {
    let model_path = joined(path, "model");
    let minimum_delay_is_given = habits.minimum_delay_ms != MinimumDelayRange::default();
    let parameters = habits.model.parameters();
    for unused in parameters.unused(&BesideModel { start, minimum_delay_is_given }) {
        mistakes.value(&joined(path, &unused.key), unused.wrong, unused.legal);
    }
    // A file that could not be read is a mistake already.
    if mistakes.concern(&model_path) {
        return;
    }
    // Users are made of the laws that a run will draw from: with nobody it is found out what is wrong with
    // them.
    match parameters.build(0, Key::from_seed(0), &loader(files)) {
        Ok(_) => {}
        Err(ModelError::Parameter(ParameterError { key, value, legal })) => {
            mistakes.value(&joined(&model_path, key), format!("{value} is not legal"), legal);
        }
        Err(ModelError::File(error)) => law_files::refuse(&model_path, &error, files, mistakes),
        Err(ModelError::Own { key, wrong, legal }) => {
            mistakes.value(&joined(&model_path, &key), wrong, legal);
        }
    }
}

/// A number of servers other than the network's would be passed over in silence.
fn check_server_count(path: &str, servers: &[NodeIndex], mistakes: &mut Mistakes<'_>) {
    let key = joined(path, "model.server_count");
    let Some(given) = mistakes.written_number(&key) else { return };
    if given != servers.len() as i128 {
        let wrong = format!("{given} is not the number of server machines of the network");
        mistakes.value(&key, wrong, format!("{}, or leave the key out", servers.len()));
    }
}

fn start_rule(habits: &Habits<'_>) -> StartRule {
    match habits.start {
        Start::Fresh => StartRule::Fresh { spread: seconds(habits.start_spread_s.unwrap_or(0.0)) },
        Start::Stationary => StartRule::Stationary,
        Start::Steady => StartRule::Steady,
    }
}

fn check_spread(path: &str, habits: &Habits<'_>, mistakes: &mut Mistakes<'_>) {
    if habits.start != Start::Fresh && habits.start_spread_s.is_some() {
        let wrong = "only users of a fresh start have a spread";
        mistakes.value(&joined(path, "start_spread_s"), wrong, "only together with start = \"fresh\"");
    }
}
