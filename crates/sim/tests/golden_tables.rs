//! Golden tables: every table of small runs without a record of packets, each as a digest of its own.
//!
//! Beside `golden_traces.rs`, whose runs all record packets: a run without that record takes other paths. The
//! cases cover every scheme where it acts, with ECN off and on; every host profile; the users of both studies
//! with either end of a response; minimum delays of either kind and none; rings in the driver; today's pages
//! over either kind of connection; links whose rate varies; flows with and without end over two bottlenecks;
//! datagrams under schemes that see their codepoint, and under those that sort them. Each case says what its
//! queues must have done, so that none can come to exercise nothing.
//!
//! A digest may change only together with a model or the layout of its table; then
//! `AQMLAB_UPDATE_GOLDEN_TRACES=1 cargo test -p aqmlab-sim --test golden_tables` writes the new ones, and the
//! commit says what changed, and why.

mod golden;

use aqmlab_aqm::Scheme;
use aqmlab_random::Key;
use aqmlab_record::{LinkSummary, Table};
use aqmlab_scenario::{HostProfile, Link, Scenario};
use aqmlab_sim::{Action, Control, Output, Simulation, run};
use aqmlab_units::Time;
use golden::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const USERS: &str = include_str!("golden/users.toml");
const FLOWS: &str = include_str!("golden/flows.toml");
const MIXED: &str = include_str!("golden/mixed.toml");
const DATAGRAMS: &str = include_str!("golden/datagrams.toml");

/// What the queues of a run must have done at least once.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Overflow,
    DropEarly,
    Mark,
}

/// One run.
struct Case {
    name: String,
    /// Cases of one network differ in what is recorded alone: their packets are the same, and no other case's
    /// are.
    network: String,
    scenario: &'static str,
    overrides: Vec<(String, String)>,
    acts: Vec<Act>,
}

impl Case {
    fn new(name: &str, scenario: &'static str, acts: &[Act]) -> Self {
        let name = name.replace(' ', "-");
        Self { network: name.clone(), name, scenario, overrides: Vec::new(), acts: acts.to_vec() }
    }

    fn of_network(mut self, network: &str) -> Self {
        network.clone_into(&mut self.network);
        self
    }

    fn with(mut self, key: &str, value: &str) -> Self {
        self.overrides.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The scheme at every bottleneck of the scenario.
    fn queue(self, queue: &str) -> Self {
        match self.scenario {
            USERS => self.with("dumbbell.queue", queue),
            FLOWS => self.with("topology.links.0.queue", queue).with("topology.links.1.queue", queue),
            _ => self.with("topology.links.2.queue", queue),
        }
    }

    fn host(self, key: &str, value: &str) -> Self {
        match self.scenario {
            USERS => self.with(&format!("users.{key}"), value),
            _ => self.with(&format!("flows.0.{key}"), value).with(&format!("flows.1.{key}"), value),
        }
    }

    fn scenario(&self) -> Scenario {
        let read = Scenario::from_toml(self.scenario, "golden", &self.overrides);
        read.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn run(&self) -> Output {
        let name = &self.name;
        run(&self.scenario(), 17, &Control::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The same run in steps: observed at random instants, where the schemes of the queues are given the
    /// values that they have.
    fn run_in_steps(&self) -> Output {
        let (name, control) = (&self.name, Control::default());
        let scenario = self.scenario();
        let steps = Key::from_seed(1).named(name);
        let mut simulation =
            Simulation::new(&scenario, 17, &control).unwrap_or_else(|error| panic!("{error}"));
        let mut stops: Vec<f64> =
            (0..9).map(|step| steps.uniform(step) * scenario.duration.seconds()).collect();
        // Samples and ticks of timers fall on the first.
        stops[0] = stops[0].trunc();
        stops.sort_by(f64::total_cmp);
        for stop in stops {
            let advanced = simulation.advance_until(Time::from_seconds(stop), &control);
            advanced.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(simulation.observe().now, Time::from_seconds(stop));
            for link in scenario.network.links.iter().filter(|link| link.monitored) {
                let acted = simulation.act(&link.name, &unchanged(link));
                acted.unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        simulation.finish(&control).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Fails if the run says nothing: an act that did not happen, users who completed nothing, a table
    /// without rows.
    fn check(&self, output: &Output) {
        let name = &self.name;
        for &act in &self.acts {
            let times: u64 = output.summary.links.iter().map(|link| times_of(act, link)).sum();
            assert!(times > 0, "{name}: nothing of {act:?} happened");
        }
        for population in &output.summary.populations {
            assert!(population.completed > 0, "{name}: {} completed nothing", population.name);
        }
        for table in &output.tables {
            assert!(table.rows() > 0, "{name}: {} is empty", table.name);
            assert_ne!(table.name, "packets", "{name}: packets are recorded in the other file");
        }
    }
}

/// An action that gives the scheme of a link the values that it has.
fn unchanged(link: &Link) -> Action {
    let scheme = link.queue.as_ref().unwrap();
    let adjustable = scheme.adjustable();
    let mut parameters = serde_json::to_value(scheme).unwrap().as_object().unwrap().clone();
    parameters.retain(|key, _| adjustable.contains(&key.as_str()));
    Action { rate_mbps: None, parameters }
}

fn times_of(act: Act, link: &LinkSummary) -> u64 {
    let discarded = |reason: &str| link.counters.discarded[reason].packets;
    match act {
        Act::Overflow => discarded("overflow"),
        Act::DropEarly => discarded("early"),
        Act::Mark => link.counters.marked.packets,
    }
}

/// The settings with which a scheme acts in seconds at a few Mbit/s, as its page has them, a `key = value`
/// each.
fn slow_link_settings(scheme: &str) -> Vec<String> {
    let path = format!("{}/../../docs/reference/schemes/{scheme}.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let section = page.split("## On a slow link").nth(1).and_then(|rest| rest.split("```toml\n").nth(1));
    let block = section.and_then(|rest| rest.split("```").next());
    let block = block.unwrap_or_else(|| panic!("{path} does not say under which settings {scheme} acts"));
    block.lines().map(str::to_owned).collect()
}

/// Whether a setting turns ECN off, be it in a scheme or in the scheme of each of its queues.
fn turns_ecn_off(setting: &str) -> bool {
    setting == "ecn = false" || setting.ends_with(".ecn = false")
}

fn has_ecn(scheme: &str) -> bool {
    slow_link_settings(scheme).iter().any(|setting| turns_ecn_off(setting))
}

/// A scheme set so that it acts in seconds at a few Mbit/s, and what it then does.
fn acting(scheme: &str, ecn: bool) -> (String, Act) {
    let mut settings = slow_link_settings(scheme);
    let act = match (has_ecn(scheme), ecn) {
        (false, _) => Act::Overflow,
        (true, false) => Act::DropEarly,
        (true, true) => Act::Mark,
    };
    if ecn {
        settings.iter_mut().filter(|setting| turns_ecn_off(setting)).for_each(|setting| {
            *setting = setting.replace("false", "true");
        });
    }
    (format!("{{ {} }}", settings.join(", ")), act)
}

fn schemes() -> Vec<Case> {
    let mut cases = Vec::new();
    for (demand, scenario) in [("users", USERS), ("flows", FLOWS), ("mixed", MIXED)] {
        for scheme in Scheme::names() {
            let (queue, act) = acting(scheme, false);
            cases.push(Case::new(&format!("{demand} {scheme}"), scenario, &[act]).queue(&queue));
            if has_ecn(scheme) {
                let (queue, act) = acting(scheme, true);
                let case = Case::new(&format!("{demand} {scheme} ecn"), scenario, &[act]).queue(&queue);
                // In the mixed scenario some hosts have it and some have not.
                cases.push(if scenario == MIXED { case } else { case.host("host.ecn", "on") });
            }
        }
    }
    cases
}

fn hosts() -> Vec<Case> {
    let mut cases = Vec::new();
    for (demand, scenario) in [("users", USERS), ("flows", FLOWS)] {
        // Users ask and are answered, and connections of ns2-oneway carry data one way; bsd45 is the default.
        let able = |profile: &&str| *profile != "bsd45" && (scenario == FLOWS || *profile != "ns2-oneway");
        for profile in HostProfile::NAMES.into_iter().filter(able) {
            for ecn in ["off", "on"] {
                let (queue, act) = acting("red", ecn == "on");
                let case = Case::new(&format!("{demand} {profile} ecn {ecn}"), scenario, &[act]);
                let case = case.queue(&queue).host("profile", profile).host("host.ecn", ecn);
                // Without marks DCTCP is Reno (RFC 8257 sections 3.4 and 3.5).
                let is_reno = profile == "linux6-dctcp" && ecn == "off";
                let reno = format!("{demand}-linux6-reno-ecn-off");
                cases.push(if is_reno { case.of_network(&reno) } else { case });
            }
        }
    }
    cases
}

fn browsing() -> Vec<Case> {
    let mut cases = Vec::new();
    let (red, _) = acting("red", false);
    let users = |name: String| Case::new(&name, USERS, &[Act::DropEarly]).queue(&red);
    for (delay, law) in [
        ("no delay", "{ low = 0, high = 0 }"),
        ("delay of connections", "{ low = 20, high = 40 }"),
        ("delay of machine pairs", "{ low = 7, high = 137, per = \"machine-pair\", power = 0.806 }"),
    ] {
        for ring in ["0", "4"] {
            let case = users(format!("users {delay} ring {ring}"));
            cases.push(case.with("users.minimum_delay_ms", law).with("dumbbell.transmit_ring_packets", ring));
        }
    }
    for profile in ["bsd228", "bsd45", "rfc5681"] {
        for end in ["last_byte", "connection_closed"] {
            let case = users(format!("mah {profile} {end}")).host("profile", profile);
            let case = case.with("users.model", "{ model = \"mah\" }").with("record.response_end", end);
            let case = case.with("users.left", "700").with("users.right", "750");
            cases.push(case.of_network(&format!("mah {profile}")));
        }
    }
    for start in ["steady", "fresh"] {
        for responses in ["histogram", "none"] {
            let case = users(format!("users {start} responses {responses}"));
            let case = case.with("users.start", start).with("record.responses", responses);
            cases.push(case.of_network(if start == "steady" { "users-red" } else { "users fresh" }));
        }
    }
    cases
}

/// Today's pages over both kinds of connections and every handshake, in the middle of everything or not.
fn todays_pages() -> Vec<Case> {
    let (red, _) = acting("red", false);
    let kinds = [
        ("1.1", "none", "stationary"),
        ("1.1", "1.2", "steady"),
        ("2", "1.3", "stationary"),
        ("2", "1.2", "fresh"),
    ];
    let cases = kinds.into_iter().map(|(http, tls, start)| {
        let lighter =
            "page_bytes_median = 100000, objects_per_page_median = 20, think_time_median_seconds = 3";
        let model = format!("{{ model = \"pages\", http = \"{http}\", tls = \"{tls}\", {lighter} }}");
        let case = Case::new(&format!("pages {http} {tls} {start}"), USERS, &[Act::DropEarly]).queue(&red);
        let case = case.with("users.model", &model).with("users.start", &format!("\"{start}\""));
        case.with("users.left", "20").with("users.right", "25")
    });
    cases.collect()
}

/// A link whose rate varies, under a scheme that counts time and under one that does not.
fn rate_traces() -> Vec<Case> {
    let cases = ["drop-tail", "pie"].into_iter().map(|scheme| {
        let (queue, act) = acting(scheme, false);
        let case = Case::new(&format!("users {scheme} trace"), USERS, &[act]).queue(&queue);
        // 2.3 Mbit/s, in bursts with pauses between them.
        let case = case.with("files", "{ \"own.trace\" = \"0\\n0\\n1\\n9\\n10\\n30\\n30\\n31\\n48\\n\" }");
        case.with("dumbbell.rate_trace_file", "\"own.trace\"").with("dumbbell.rate_mbps", "2.256")
    });
    cases.collect()
}

/// Settings under which a scheme takes other paths than its defaults do.
fn settings() -> Vec<Case> {
    let red = "scheme = \"red\", limit_packets = 30, min_th_packets = 5.0, max_th_packets = 15.0, w_q = 0.02";
    let ared = red.replace("\"red\"", "\"ared\"");
    let spares = "spare_nearly_empty = true, spare_first_in_region = true";
    let pi = "scheme = \"pi\", limit_packets = 60, q_ref_packets = 5.0";
    let rem = "scheme = \"rem\", limit_packets = 30, q_ref_packets = 10.0, gamma = 0.05, ecn = true";
    let settings = [
        ("red ns2", Act::DropEarly, format!("{red}, spacing = \"ns2_wait\", idle = \"ns2\", {spares}")),
        (
            "red altq",
            Act::DropEarly,
            format!("{red}, spacing = \"altq\", idle = \"altq\", gentle = false, {spares}"),
        ),
        ("red mark_p", Act::Mark, format!("{red}, ecn = true, ecn_rule = \"mark_p\"")),
        ("red bytes", Act::DropEarly, format!("{red}, measure = \"bytes\", scale_probability = \"mean\"")),
        ("ared ns2", Act::DropEarly, format!("{ared}, adapt_on = \"arrivals\", gentle_frozen = true")),
        ("ared bottom", Act::DropEarly, format!("{ared}, bottom = \"from_link_rate\", interval_ms = 50.0")),
        (
            "pi designed",
            Act::DropEarly,
            format!("{pi}, gains = {{ designed = {{ flows = 6.0, rtt_ms = 150.0 }} }}"),
        ),
        ("rem ns2", Act::Mark, format!("{rem}, point = \"dequeue\", not_ect = \"pass\"")),
    ];
    let cases = settings.into_iter().map(|(name, act, queue)| {
        let case = Case::new(&format!("mixed {name}"), MIXED, &[act]).queue(&format!("{{ {queue} }}"));
        case.with("topology.links.2.transmit_ring_packets", "0")
    });
    cases.collect()
}

/// Datagrams beside flows, under a scheme of each kind.
fn datagrams() -> Vec<Case> {
    let schemes = [("drop-tail", false), ("red", true), ("codel", false), ("fq", true), ("fq-codel", true)];
    let cases = schemes.into_iter().map(|(scheme, ecn)| {
        let (queue, act) = acting(scheme, ecn);
        Case::new(&format!("datagrams {scheme}"), DATAGRAMS, &[act]).queue(&queue)
    });
    cases.collect()
}

fn cases() -> Vec<Case> {
    let mut cases = schemes();
    cases.extend(settings());
    cases.extend(hosts());
    cases.extend(browsing());
    cases.extend(todays_pages());
    cases.extend(rate_traces());
    cases.extend(datagrams());
    cases
}

#[test]
fn every_table_is_what_it_was() {
    let mut found = String::new();
    let mut networks: BTreeMap<u64, String> = BTreeMap::new();
    for case in cases() {
        let output = case.run();
        case.check(&output);
        for table in &output.tables {
            let digest = digest_of(table);
            let _ = writeln!(found, "{} {} {digest:016x}", case.name, table.name);
            if table.name == "queue" {
                let network = networks.entry(digest).or_insert_with(|| case.network.clone());
                assert_eq!(*network, case.network, "{}: the same queue in another network", case.name);
            }
        }
    }
    golden::hold_against("golden_tables.txt", &found);
}

#[test]
fn every_table_is_the_same_whatever_the_steps() {
    let committed = include_str!("golden_tables.txt");
    let committed: BTreeSet<&str> = committed.lines().collect();
    // Every scheme, kind of traffic and setting; the tables of more hosts say nothing else about steps.
    let cases =
        cases().into_iter().filter(|case| !case.overrides.iter().any(|(key, _)| key.ends_with("profile")));
    for case in cases {
        for table in &case.run_in_steps().tables {
            let line = format!("{} {} {:016x}", case.name, table.name, digest_of(table));
            assert!(committed.contains(&*line), "not so at once: {line}");
        }
    }
}

fn digest_of(table: &Table) -> u64 {
    let mut digest = Digest::EMPTY;
    digest.add_table(table);
    digest.value()
}

#[test]
fn fair_queueing_over_codel_is_fq_codel() {
    let codel = "target_ms = 2.0, interval_ms = 20.0, ecn = true";
    let [whole, composed] = [
        format!("{{ scheme = \"fq-codel\", limit_packets = 60, {codel} }}"),
        format!("{{ scheme = \"fq\", limit_packets = 60, inner = {{ scheme = \"codel\", {codel} }} }}"),
    ]
    .map(|queue| recorded(Case::new("mixed", MIXED, &[Act::Mark]).queue(&queue), &[("packets", "true")]));
    assert_eq!(whole, composed);
}

/// Digests of the tables of a run with these switches of its record, by the names of the tables.
fn recorded(case: Case, switches: &[(&str, &str)]) -> BTreeMap<&'static str, u64> {
    let case = switches.iter().fold(case, |case, (key, value)| case.with(&format!("record.{key}"), value));
    case.run().tables.iter().map(|table| (table.name, digest_of(table))).collect()
}

#[test]
fn what_is_recorded_changes_nothing_that_is_recorded_beside_it() {
    let (red, act) = acting("red", false);
    for (name, scenario) in [("users", USERS), ("flows", FLOWS), ("mixed", MIXED)] {
        let case = || Case::new(name, scenario, &[act]).queue(&red);
        let all = recorded(case(), &[("packets", "true")]);
        for off in ["packets", "arrivals", "flows", "users"] {
            let some = recorded(case(), &[("packets", "true"), (off, "false")]);
            assert!(!some.contains_key(off), "{name} without {off}");
            for (table, digest) in &some {
                assert_eq!(all[table], *digest, "{name}: recording {off} changes {table}");
            }
        }
    }
}
