//! Keys that a run would pass over in silence.
//!
//! What differs from its default and means nothing beside the other keys is refused. Defaults pass, so that a
//! table with everything filled in is as legal as the one that it was made of.

use crate::StartRule;
use serde::Serialize;
use serde_json::Value;

/// A key that means nothing beside the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedKey {
    /// The key, seen from the table of the population: `start`, `model.http`.
    pub key: String,
    /// Why it means nothing.
    pub wrong: String,
    /// What would be legal, in words.
    pub legal: String,
}

impl UnusedKey {
    /// A key of the table of the population.
    pub(crate) fn new(key: &str, wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self { key: key.to_owned(), wrong: wrong.into(), legal: legal.into() }
    }

    /// A parameter of the model.
    pub(crate) fn of_model(key: &str, wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::new(&format!("model.{key}"), wrong, legal)
    }
}

/// What a population says beside its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BesideModel {
    /// How its users begin.
    pub start: StartRule,
    /// Whether the minimum delay of its connections differs from the default.
    pub minimum_delay_is_given: bool,
}

/// The parameter that says how long a page takes of which a user is found at the start.
const PAGE_TIME_AT_START: &str = "steady_start_page_time_seconds";

/// Refuses a page time at the start, where it is not the default and users do not start steadily.
pub(crate) fn page_time_at_start(start: StartRule, given: f64, default: f64) -> Option<UnusedKey> {
    let wrong = match start {
        StartRule::Fresh { .. } => "users of a fresh start begin with a think time, never within a page",
        StartRule::Stationary => "a stationary start simulates page times",
        StartRule::Steady => return None,
    };
    #[expect(clippy::float_cmp, reason = "a value that was not given is the default itself")]
    let differs = given != default;
    differs.then(|| UnusedKey::of_model(PAGE_TIME_AT_START, wrong, "only together with start = \"steady\""))
}

/// Which parameters have no effect where all of these files are given.
pub(crate) type Replaced = (&'static [&'static str], &'static [&'static str]);

/// Refuses parameters that differ from the default where files take their place.
pub(crate) fn replaced_by_files<P: Serialize + Default>(given: &P, replaced: &[Replaced]) -> Vec<UnusedKey> {
    let (given, default) = (tree(given), tree(&P::default()));
    let mut unused = Vec::new();
    for (files, parameters) in
        replaced.iter().filter(|(files, _)| !files.iter().any(|file| given[file].is_null()))
    {
        let files = files.join(" and ");
        for parameter in parameters.iter().filter(|parameter| given[*parameter] != default[*parameter]) {
            let wrong = format!("{files} goes before it");
            unused.push(UnusedKey::of_model(parameter, wrong, format!("{parameter} without {files}")));
        }
    }
    unused
}

fn tree(parameters: &impl Serialize) -> Value {
    serde_json::to_value(parameters).expect("parameters are a table of scalars")
}

/// Refuses what the model of this name does not know because its connections arrive by themselves, at
/// instants that `when` says; `round_trip_times` is whether they have those of the model.
pub(crate) fn of_arrivals(
    model: &str,
    when: &str,
    round_trip_times: bool,
    beside: &BesideModel,
) -> Vec<UnusedKey> {
    let mut unused = Vec::new();
    if beside.start != StartRule::Steady {
        let wrong = format!("connections of model = \"{model}\" arrive {when}");
        unused.push(UnusedKey::new("start", wrong, "\"steady\", or leave the key out"));
    }
    if round_trip_times && beside.minimum_delay_is_given {
        let wrong = format!("connections of model = \"{model}\" have round-trip times of the model");
        let legal = "minimum_delay_ms together with model.round_trip_times = false";
        unused.push(UnusedKey::new("minimum_delay_ms", wrong, legal));
    }
    unused
}
