//! Schemes in files belong to the scenarios that name them.

use aqmlab_aqm::algorithms::drop_tail::DropTail;
use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{Declaration, Discipline, OutsideParameters, ParameterError, Parameters, PortFacts, Scheme};
use aqmlab_scenario::{InFile, Scenario, set_scheme_loader};
use aqmlab_units::Rate;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, Weak};

/// Own: a scheme in a file.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Params {
    /// Packets that may wait.
    limit_packets: Option<u32>,
    /// Packets from which on something happens.
    threshold_packets: u32,
}

impl Parameters for Params {
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: None, rule: LimitRule::HoldLimit }
    }

    fn ecn(&self) -> bool {
        false
    }

    fn build(&self, _: &PortFacts) -> Discipline {
        Discipline::fifo(DropTail)
    }
}

struct Own;

impl Declaration for Own {
    fn schema(&self) -> Schema {
        schemars::schema_for!(Params)
    }

    fn is_one_queue(&self) -> bool {
        true
    }

    fn parse(&self, table: serde_json::Value) -> Result<Arc<dyn OutsideParameters>, serde_json::Error> {
        Ok(Arc::new(serde_json::from_value::<Params>(table)?))
    }
}

/// Everything that was loaded, with the text of its file.
static LOADED: Mutex<Vec<(String, Weak<dyn Declaration>)>> = Mutex::new(Vec::new());

fn load(file: &InFile<'_>) -> Result<Arc<dyn Declaration>, String> {
    let declaration: Arc<dyn Declaration> = Arc::new(Own);
    LOADED.lock().unwrap().push((file.text.to_owned(), Arc::downgrade(&declaration)));
    Ok(declaration)
}

/// Of each time that a file with this text was loaded: how many own what it declares.
fn owners(text: &str) -> Vec<usize> {
    let loaded = LOADED.lock().unwrap();
    loaded.iter().filter(|(own, _)| own == text).map(|(_, declaration)| declaration.strong_count()).collect()
}

fn read(text: &str, queue: &str) -> Result<Scenario, String> {
    set_scheme_loader(load);
    let scenario = format!(
        "name = \"own\"\nduration_s = 2.0\n[files]\n\"own.py\" = \"{text}\"\n[dumbbell]\nrate_mbps = 1.0\n\
         queue = {{ {queue} }}\n[[flows]]\ncount = 1\ndirection = \"left-to-right\"\n"
    );
    Scenario::from_toml(&scenario, "own.toml", &[]).map_err(|error| error.to_string())
}

const QUEUE: &str = "scheme = \"own.py:Own\", limit_packets = 9, threshold_packets = 3";

#[test]
fn a_scheme_in_a_file_lives_as_long_as_the_scenarios_that_name_it() {
    let names = Scheme::names();
    let one = read("lives", QUEUE).unwrap();
    let other = Scenario::from_json(&one.to_json()).unwrap();
    let adjusted =
        one.with_overrides(&[("dumbbell.queue.limit_packets".to_owned(), "8".to_owned())]).unwrap();
    assert!(owners("lives")[0] > 0);
    assert_eq!(owners("lives").len(), 1, "loaded once for all three");
    assert!(one == other && one != adjusted);
    assert_eq!(one.network.links[0].queue.as_ref().map(Scheme::name), Some("own.py:Own"));
    drop((one, other));
    assert!(owners("lives")[0] > 0, "the third one has it");
    drop(adjusted);
    assert_eq!(owners("lives"), [0]);
    drop(read("lives", QUEUE).unwrap());
    assert_eq!(owners("lives"), [0, 0], "and is loaded again for a new one");
    assert_eq!(Scheme::names(), names, "no scenario makes it known to others");
}

#[test]
fn scenarios_that_name_different_texts_do_not_meet() {
    let (one, other) = (read("first", QUEUE).unwrap(), read("second", QUEUE).unwrap());
    drop(other);
    assert!(owners("first")[0] > 0);
    assert_eq!(owners("second"), [0]);
    drop(one);
}

#[test]
fn the_limit_of_several_queues_with_a_scheme_in_a_file_can_be_adjusted() {
    let within = format!("scheme = \"fq\", limit_packets = 9, inner = {{ {QUEUE} }}");
    let scenario = read("adjusted", &within).unwrap();
    let scheme = scenario.network.links[0].queue.as_ref().unwrap();
    let facts = PortFacts::new(Rate::from_megabits_per_second(1.0));
    let table = serde_json::json!({ "limit_packets": 8 });
    let adjusted = scheme.adjusted(table.as_object().unwrap(), &facts).unwrap().into_scheme();
    assert_eq!((scheme.limit().packets, adjusted.limit().packets), (Some(9), Some(8)));
    assert_eq!(adjusted.names_within().collect::<Vec<_>>(), ["fq", "own.py:Own"]);
}

#[test]
fn its_keys_are_checked_at_a_port_and_in_each_queue_of_several() {
    let within = format!("scheme = \"fq\", limit_packets = 9, inner = {{ {QUEUE} }}");
    assert!(read("within", &within).is_ok());
    let refused =
        read("keys", "scheme = \"own.py:Own\", limit_packets = 9, treshold_packets = 3").unwrap_err();
    assert!(refused.starts_with("own.toml:7: dumbbell.queue: unknown key \"treshold_packets\""), "{refused}");
    assert!(refused.ends_with("did you mean \"threshold_packets\"?"), "{refused}");
    let refused = read("type", "scheme = \"own.py:Own\", limit_packets = \"many\"").unwrap_err();
    assert!(refused.contains("dumbbell.queue.limit_packets: expected a whole number"), "{refused}");
    assert_eq!((owners("keys"), owners("type")), (vec![0], vec![0]), "what was refused keeps nothing");
}
