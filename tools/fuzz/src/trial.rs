//! One case: drawn, mended, cut, run twice, the second time in steps, and judged.

use crate::case_number::CaseNumber;
use crate::cost::affordable_seconds;
use crate::deep_queue::deep_queue;
use crate::dice::Dice;
use crate::document::{draft, set_duration};
use crate::known::is_known;
use crate::laws;
use crate::mend::{checked, mended};
use crate::schema::Schema;
use crate::steps::run_in_steps;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, RunError, run};
use serde_json::Value as Json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// Share of the cases that are uploads in a deep queue.
const DEEP_QUEUES: f64 = 0.2;

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran, at once and in steps with the same bytes, and broke no law.
    Passed {
        /// Whether the draft was legal at once, without mending.
        at_once: bool,
        /// Events that the simulator served.
        events: u64,
    },
    /// The check refused what could not be mended: what it said.
    Refused(String),
    /// Its shortest run would cost too much.
    TooCostly,
    /// What went wrong.
    Failed(String),
}

/// A case as it ran.
pub struct Trial {
    /// The scenario as TOML; empty where none was found.
    pub text: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// Where the latest panic was and what it said. A panic hook has nowhere else to leave it.
static LATEST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Lets panics be told by [`Trial`] and not by the standard error stream.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place =
            panic.location().map_or(String::new(), |place| format!("{}:{}", place.file(), place.line()));
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let message =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        if let Ok(mut latest) = LATEST_PANIC.lock() {
            *latest = format!("panic at {place}: {message}");
        }
    }));
}

impl Trial {
    /// Runs the case with this number.
    #[must_use]
    pub fn of(number: CaseNumber) -> Self {
        let schema = Schema::new();
        let mut dice = Dice::new(number.key());
        let mut text = String::new();
        let outcome = caught(|| Ok(drawn_and_run(&schema, &mut dice, &mut text, number.case)))
            .unwrap_or_else(Outcome::Failed);
        Self { text, outcome }
    }

    /// Draws the scenario of a case without running it.
    #[must_use]
    pub fn text_of(number: CaseNumber) -> String {
        let schema = Schema::new();
        let mut dice = Dice::new(number.key());
        match legal(&schema, &mut dice) {
            Ok((_, text, _)) => text,
            Err(_) => String::new(),
        }
    }
}

/// A scenario, its text, and whether it needed no mending; or the outcome of a case without one.
fn legal(schema: &Schema, dice: &mut Dice) -> Result<(Scenario, String, bool), Outcome> {
    if dice.chance(DEEP_QUEUES) {
        let deep = mended(&mut deep_queue(dice), schema, dice).map_err(Outcome::Refused)?;
        return Ok((deep.scenario, deep.text, deep.at_once));
    }
    let mut document = draft(schema, dice);
    let first = mended(&mut document, schema, dice).map_err(Outcome::Refused)?;
    let seconds = affordable_seconds(&first.scenario, &document).ok_or(Outcome::TooCostly)?;
    set_duration(&mut document, seconds, dice);
    let last = mended(&mut document, schema, dice).map_err(Outcome::Refused)?;
    Ok((last.scenario, last.text, first.at_once))
}

fn drawn_and_run(schema: &Schema, dice: &mut Dice, text: &mut String, seed: u64) -> Outcome {
    let (scenario, at_once) = match legal(schema, dice) {
        Ok((scenario, written, at_once)) => {
            *text = written;
            (scenario, at_once)
        }
        Err(outcome) => return outcome,
    };
    match caught(|| judged(&scenario, seed)) {
        Ok(events) => Outcome::Passed { at_once, events },
        Err(wrong) => Outcome::Failed(wrong),
    }
}

/// What is wrong with the run of a document, if it is legal and anything is.
pub(crate) fn wrong_with(document: &Json, seed: u64) -> Option<String> {
    let scenario = checked(&toml::to_string(document).ok()?).ok()?;
    caught(|| judged(&scenario, seed)).err()
}

fn caught<T>(what: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let told = || LATEST_PANIC.lock().map_or(String::new(), |latest| latest.clone());
    catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|_| Err(told()))
}

/// What a scenario is written as is read back, and is the same scenario and the same bytes.
fn read_back(scenario: &Scenario) -> Result<(), String> {
    let written = scenario.to_json();
    let again = Scenario::from_json(&written).map_err(|error| format!("its own text is refused: {error}"))?;
    let toml = toml::to_string(scenario.document()).map_err(|error| format!("it is not TOML: {error}"))?;
    let from_toml = checked(&toml).map_err(|error| format!("its own TOML is refused: {error}"))?;
    if again.to_json() == written && again == *scenario && from_toml == *scenario {
        Ok(())
    } else {
        Err("read back from its own text it is another scenario".to_owned())
    }
}

/// What has ended in its cool-down has measured what it has with all of it, which is what steps have.
fn ended_alike(scenario: &Scenario, seed: u64, ended: &Output, in_steps: &Output) -> Result<(), String> {
    let mut whole = scenario.clone();
    whole.record.cool_down = true;
    let whole = run(&whole, seed, &Control::default()).map_err(|error| format!("to its end: {error}"))?;
    if laws::digest(&whole) != laws::digest(in_steps) {
        return Err("the same scenario and seed gave other bytes in steps".to_owned());
    }
    let alike = laws::measured_alike(ended, &whole);
    alike
        .then_some(())
        .ok_or_else(|| "the end of the run in its cool-down changes what is measured".to_owned())
}

/// Runs a scenario twice, the second time in steps; the events of a run without fault.
fn judged(scenario: &Scenario, seed: u64) -> Result<u64, String> {
    read_back(scenario)?;
    let once = match run(scenario, seed, &Control::default()) {
        Ok(output) => output,
        Err(RunError::TooLarge(what)) => return Err(format!("accepted and then found too large: {what}")),
        Err(error) => return Err(error.to_string()),
    };
    let mut broken = laws::broken_by(&once, scenario);
    // What is known must not hide what is new.
    broken.sort_by_key(|law| is_known(law));
    if let Some(law) = broken.into_iter().next() {
        return Err(law);
    }
    let in_steps = run_in_steps(scenario, seed).map_err(|error| format!("in steps: {error}"))?;
    if once.summary.ended_s.is_some() {
        return ended_alike(scenario, seed, &once, &in_steps).map(|()| once.events);
    }
    if laws::digest(&once) == laws::digest(&in_steps) {
        return Ok(once.events);
    }
    let again =
        run(scenario, seed, &Control::default()).map_err(|error| format!("the second time: {error}"))?;
    let how = if laws::digest(&once) == laws::digest(&again) { "in steps" } else { "the second time" };
    Err(format!("the same scenario and seed gave other bytes {how}"))
}
