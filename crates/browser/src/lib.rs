//! The simulator as a WebAssembly module: a scenario in, the summary and the tables of its run out.
//!
//! The numbers are those of the native run of the same scenario and seed, bit for bit.
//!
//! | file | idea |
//! | --- | --- |
//! | `answer.rs` | what a run leaves behind, as text and as columns in memory |
//! | `module.rs` | the functions of the module, and how a host calls them |
//!
//! **Reading.** The host reads scenarios that were written by this package: [`run`] takes a document whose
//! shape is known to be right ([`Scenario::from_shaped_json`]) and needs neither the schema nor a reader of
//! TOML, which would be a third of the module.
#![deny(missing_docs)]

mod answer;
#[cfg(target_family = "wasm")]
pub mod module;

pub use answer::Answer;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, RunError};

/// Runs a scenario from its start to its end.
///
/// # Errors
/// What is wrong with the scenario, or why its run gave no result.
pub fn run(scenario: &str, seed: u64, control: &Control) -> Result<Answer, Refusal> {
    let scenario = read(scenario)?;
    let output = aqmlab_sim::run(&scenario, seed, control).map_err(|error| match error {
        RunError::Cancelled => Refusal::Cancelled,
        other => Refusal::Run(other.to_string()),
    })?;
    Ok(Answer::of(output))
}

/// The scenario with every default filled in, as JSON.
///
/// # Errors
/// What is wrong with the scenario.
pub fn resolved(scenario: &str) -> Result<String, Refusal> {
    read(scenario).map(|scenario| scenario.to_json())
}

fn read(scenario: &str) -> Result<Scenario, Refusal> {
    Scenario::from_shaped_json(scenario).map_err(|error| Refusal::Scenario(error.to_string()))
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The scenario is wrong: the places and what is legal there.
    Scenario(String),
    /// The host asked for it.
    Cancelled,
    /// The run failed: the scenario is larger than the simulator can hold, or a law does not hold.
    Run(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOWS: &str = r#"{"name": "two", "duration_s": 5.0, "warm_up_s": 1.0,
        "dumbbell": {"rate_mbps": 5.0, "queue": {"scheme": "drop-tail", "limit_packets": 50}},
        "flows": [{"name": "flow", "count": 2, "direction": "left-to-right"}]}"#;

    #[test]
    fn the_answer_is_that_of_the_checked_scenario() {
        let control = Control::default();
        let answer = run(FLOWS, 3, &control).unwrap();
        let checked = Scenario::from_json(FLOWS).unwrap();
        let output = aqmlab_sim::run(&checked, 3, &control).unwrap();
        assert_eq!(answer.summary, output.summary.to_json());
        assert_eq!(answer.tables, output.tables);
    }

    #[test]
    fn what_contradicts_itself_is_refused_without_the_schema() {
        let wrong = FLOWS.replace("\"warm_up_s\": 1.0", "\"warm_up_s\": 9.0");
        let Err(Refusal::Scenario(why)) = run(&wrong, 3, &Control::default()) else { panic!("not refused") };
        assert!(why.contains("warm_up_s"), "{why}");
        let unknown = FLOWS.replace("drop-tail", "no-such");
        let Err(Refusal::Scenario(why)) = run(&unknown, 3, &Control::default()) else {
            panic!("not refused")
        };
        assert!(why.contains("no-such"), "{why}");
    }

    #[test]
    fn a_run_is_cancelled() {
        let control = Control::interruptible(|| true);
        assert_eq!(run(FLOWS, 3, &control).unwrap_err(), Refusal::Cancelled);
    }
}
