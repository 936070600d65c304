//! A scheme from outside the workspace: registered by name, parsed from a scenario, checked by its own
//! schema, refused where it is wrong, described, and run at a port and in each queue of a fair queue.

use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{
    Aqm, Discipline, PacketFacts, ParameterError, Parameters, PortFacts, QueueView, Reason,
    RegistrationError, Scheme, Verdict, register,
};
use aqmlab_random::Stream;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use aqmlab_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Threshold: signals to every arrival that finds too many packets waiting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Threshold {
    /// Packets that may wait.
    limit_packets: Option<u32>,
    /// Waiting packets from which on arrivals are signalled.
    threshold_packets: u32,
    /// Whether ECN-capable packets are marked instead of dropped.
    ecn: bool,
}

impl Default for Threshold {
    fn default() -> Self {
        Self { limit_packets: None, threshold_packets: 20, ecn: false }
    }
}

impl Parameters for Threshold {
    fn validate(&self) -> Result<(), ParameterError> {
        if self.threshold_packets >= 1 {
            return Ok(());
        }
        let value = Some(self.threshold_packets.to_string());
        Err(ParameterError { key: "threshold_packets".into(), value, legal: "at least 1".to_owned() })
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit_packets, bytes: None, rule: LimitRule::HoldLimit }
    }

    fn ecn(&self) -> bool {
        self.ecn
    }

    fn build(&self, _: &PortFacts) -> Discipline {
        Discipline::fifo(AtThreshold(self.threshold_packets))
    }
}

#[derive(Clone)]
struct AtThreshold(u32);

impl Aqm for AtThreshold {
    fn on_arrival(&mut self, _: Time, _: &PacketFacts, queue: &QueueView<'_>, _: &mut Stream) -> Verdict {
        if queue.packets() >= self.0 { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
    }

    fn watches_departures(&self) -> bool {
        false
    }
}

const NAME: &str = "outside-threshold";

/// Once per process, whichever test comes first.
fn registered() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| register::<Threshold>(NAME).expect("a new name"));
}

fn scenario(queue: &str) -> Result<Scenario, String> {
    let text = include_str!("golden/flows.toml");
    let overrides =
        ["topology.links.0.queue", "topology.links.1.queue"].map(|key| (key.to_owned(), queue.to_owned()));
    Scenario::from_toml(text, "outside", &overrides).map_err(|error| error.to_string())
}

fn outcome(queue: &str) -> Output {
    let scenario = scenario(queue).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 5, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn discarded(output: &Output, reason: &str) -> u64 {
    output.summary.links.iter().map(|link| link.counters.discarded[reason].packets).sum()
}

#[test]
fn it_is_parsed_from_a_scenario_and_run() {
    registered();
    let queue = format!("{{ scheme = \"{NAME}\", limit_packets = 30, threshold_packets = 10 }}");
    let output = outcome(&queue);
    assert!(discarded(&output, "early") > 0);
    assert_eq!(discarded(&output, "overflow"), 0, "a threshold of 10 leaves 30 out of reach");
    let written = scenario(&queue).expect("as above").to_json();
    assert!(
        written.contains(&format!("{{\"scheme\":\"{NAME}\",\"ecn\":false,\"limit_packets\":30")),
        "{written}"
    );
    assert_eq!(Scenario::from_json(&written).map(|again| again.to_json()), Ok(written));
}

#[test]
fn the_schema_follows_a_registration() {
    let queue = "{ scheme = \"outside-late\", limit_packets = 30 }";
    let unknown = scenario(queue).expect_err("nobody has registered it");
    assert!(unknown.contains("unknown scheme \"outside-late\"") && unknown.contains("\"red\""), "{unknown}");
    register::<Threshold>("outside-late").expect("a new name");
    assert!(scenario(queue).is_ok());
}

#[test]
fn it_works_in_each_queue_of_a_fair_queue() {
    registered();
    let output =
        outcome(&format!("{{ scheme = \"fq\", inner = {{ scheme = \"{NAME}\", threshold_packets = 4 }} }}"));
    assert!(discarded(&output, "early") > 0);
}

#[test]
fn what_is_wrong_with_it_is_refused_by_name() {
    registered();
    let refusal =
        |queue: &str| scenario(&format!("{{ scheme = \"{NAME}\", {queue} }}")).expect_err("a mistake");
    let legal = "legal keys: ecn, limit_packets, scheme, threshold_packets";
    let misspelt = refusal("limit_packets = 30, treshold_packets = 3");
    assert!(misspelt.contains("unknown key \"treshold_packets\"") && misspelt.contains(legal), "{misspelt}");
    let kind = refusal("limit_packets = 30, threshold_packets = \"ten\"");
    assert!(kind.contains("threshold_packets: expected a whole number, found"), "{kind}");
    let range = refusal("limit_packets = 30, threshold_packets = 0");
    assert!(range.contains("threshold_packets: 0 is not legal") && range.contains("at least 1"), "{range}");
    let limit = refusal("threshold_packets = 3");
    assert!(limit.contains("limit_packets: not given"), "{limit}");
}

#[test]
fn it_is_listed_and_described() {
    registered();
    assert!(Scheme::names().contains(&NAME));
    let text = Scheme::describe(NAME).expect("a registered name");
    assert!(text.starts_with("outside-threshold\n\nThreshold: signals to every arrival"), "{text}");
    assert!(
        text.contains("  threshold_packets: integer, default 20\n      Waiting packets from which on"),
        "{text}"
    );
}

#[test]
fn a_name_is_registered_once_and_spelt_as_names_are() {
    registered();
    assert_eq!(register::<Threshold>(NAME), Err(RegistrationError::Taken(NAME.to_owned())));
    assert_eq!(register::<Threshold>("red"), Err(RegistrationError::Taken("red".to_owned())));
    assert_eq!(register::<Threshold>("My Queue"), Err(RegistrationError::Name("My Queue".to_owned())));
    let lenient = register::<Lenient>("lenient").expect_err("keys that nobody knows would pass");
    assert!(
        lenient.to_string().ends_with("a struct with #[serde(deny_unknown_fields, default)]"),
        "{lenient}"
    );
}

/// Takes whatever keys it is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Lenient {
    /// Packets that may wait.
    limit_packets: u32,
}

impl Parameters for Lenient {
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit::of_packets(self.limit_packets)
    }

    fn ecn(&self) -> bool {
        false
    }

    fn build(&self, _: &PortFacts) -> Discipline {
        Discipline::fifo(AtThreshold(1))
    }
}
