//! The resolved scenario as text: complete, one text per scenario, read back unchanged; and its twin.

use aqmlab_scenario::document::{
    BaseRoundTripTime, BoxLoss, BoxLossRange, BoxRate, BoxRateRange, DelayBoxTable, DelayOn, DelayOrder,
    DelayOwner, Direction, Document, MinimumDelayRange, NamedRoundTripLaw, RoundTripLawName,
    RoundTripTimeRange, Start, TransferBytes, TransferSizeLaw,
};
use aqmlab_scenario::limits::DURATION_S;
use aqmlab_scenario::{Responses, Scenario, Scheme};
use proptest::prelude::*;

const TEXT: &str = r#"
name = "pi-24-90"
description = "for \"us\""
duration_s = 1200
[dumbbell]
rate_mbps = 100
queue = { scheme = "pi", q_ref_packets = 24, limit_packets = 4800, ecn = true }
[users]
per_side = 8568
[[flows]]
count = 3
direction = "left-to-right"
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "le.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn json(scenario: &Scenario) -> serde_json::Value {
    serde_json::from_str(&scenario.to_json()).unwrap()
}

#[test]
fn every_default_is_written_out() {
    let json = json(&read(TEXT));
    let at = |pointer: &str| json.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing"));
    assert_eq!(at("/warm_up_s"), 0.0);
    assert_eq!(at("/dumbbell/interface_rate_mbps"), 100.0);
    assert_eq!(at("/dumbbell/uncongested_queue/limit_packets"), 2400);
    assert_eq!(at("/dumbbell/queue/sampling_hz"), 160.0);
    assert_eq!([at("/users/left"), at("/users/right")], [8568, 8568]);
    assert_eq!(at("/users/model/server_count"), 8);
    assert_eq!(
        at("/users/minimum_delay_ms"),
        &serde_json::json!({"low": 10, "high": 150, "per": "connection", "power": 1.0, "clock_hz": 0})
    );
    assert_eq!(at("/flows/0/name"), "flows-0");
    assert_eq!(at("/flows/0/profile"), "bsd45");
    assert_eq!(at("/record/responses"), "auto");
}

#[test]
fn scenarios_that_say_the_same_in_other_words_have_one_text() {
    let other_words = r#"
description = "for \"us\""
duration_s = 1.2e3
name = 'pi-24-90'
warm_up_s = -0.0
flows = [{ direction = "left-to-right", count = 3, base_rtt_ms = 0, start_spread_s = 1.0 }]
users.right = 8568
users.left = 8_568
users.start = "steady"
[dumbbell]
queue_right_to_left = { limit_packets = 4800, scheme = "pi", q_ref_packets = 24, ecn = true, sampling_hz = 160 }
layer2_gap_bytes = 20
rate_mbps = 100.0
[dumbbell.queue]
ecn = true
scheme = "pi"
limit_packets = 4800
q_ref_packets = 24.0
"#;
    assert_eq!(read(TEXT).to_json(), read(other_words).to_json());
    assert_eq!(read(TEXT), read(other_words));
}

#[test]
fn a_difference_in_meaning_is_a_difference_in_text() {
    for (from, to) in
        [("= 24", "= 25"), ("8568", "8569"), ("ecn = true", "ecn = false"), ("count = 3", "count = 4")]
    {
        assert_ne!(read(TEXT).to_json(), read(&TEXT.replace(from, to)).to_json(), "{to}");
    }
}

#[test]
fn overrides_of_a_resolved_scenario_are_overrides_of_its_text() {
    let set = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let overrides = set(&[
        ("dumbbell.queue.q_ref_packets", "240"),
        ("dumbbell.server_machines_per_side", "4"),
        ("users.right", "17"),
    ]);
    let at_once = Scenario::from_toml(TEXT, "le.toml", &overrides).unwrap();
    let afterwards = Scenario::from_json(&read(TEXT).to_json()).unwrap().with_overrides(&overrides).unwrap();
    assert_eq!(at_once, afterwards);
    assert_eq!(
        at_once.network.links[1].queue, at_once.network.links[0].queue,
        "one queue for both directions"
    );
    let users: Vec<u32> = at_once.populations.iter().map(|population| population.users).collect();
    assert_eq!(users, [8568, 17]);
    let per_side = afterwards.with_overrides(&set(&[("users.per_side", "5")])).unwrap();
    assert!(per_side.populations.iter().all(|population| population.users == 5));
}

#[test]
fn a_resolved_scenario_that_was_tampered_with_is_refused() {
    let text = read(TEXT).to_json();
    let error = Scenario::from_json(&text.replace("\"count\":3", "\"count\":0")).unwrap_err();
    assert_eq!(error.to_string(), "resolved scenario: flows.0.count: 0 is out of range; legal: 1 to 1000000");
    assert!(Scenario::from_json(&text[1..]).unwrap_err().to_string().contains("not JSON"));
    assert!(Scenario::from_json("[]").unwrap_err().to_string().contains("expected a table, found an array"));
    assert!(Scenario::from_json("null").is_err());
}

#[test]
fn the_twin_has_the_same_users_on_a_link_that_is_fast_enough() {
    let back = "[dumbbell]\nqueue_right_to_left = { scheme = \"red\", limit_packets = 99 }";
    let scenario = read(&TEXT.replace("[dumbbell]", back));
    let twin = scenario.uncongested_twin().unwrap();
    for link in &twin.network.links[..2] {
        assert_eq!(link.rate.unwrap().bits_per_second(), 1_000_000_000);
        assert_eq!(link.queue.as_ref().map(Scheme::name), Some("drop-tail"));
    }
    assert_eq!(twin.populations, scenario.populations);
    assert_eq!(twin.flows, scenario.flows);
    assert_eq!(twin.network.links[2..], scenario.network.links[2..]);
    assert_eq!(twin.uncongested_twin().unwrap(), twin);
}

#[test]
fn the_twin_of_a_link_as_fast_as_the_uncongested_one_is_ten_times_as_fast() {
    for (rate_mbps, back, twin_mbps) in [
        ("999", "", 1_000),
        ("1000", "", 10_000),
        ("2000", "", 20_000),
        ("100", "rate_right_to_left_mbps = 2e3\n", 20_000),
    ] {
        let text = TEXT.replace("rate_mbps = 100\n", &format!("rate_mbps = {rate_mbps}\n{back}"));
        let twin = read(&text).uncongested_twin().unwrap();
        for link in &twin.network.links[..2] {
            assert_eq!(link.rate.unwrap().bits_per_second(), twin_mbps * 1_000_000, "{rate_mbps}");
        }
        assert_eq!(twin.uncongested_twin().unwrap(), twin, "{rate_mbps}");
    }
    let star = |rate: &str| {
        read(&format!(
            "name = \"star\"\nduration_s = 9\n[star]\nhomes = 2\nrate_mbps = {rate}\n\
             queue = {{ scheme = \"drop-tail\", limit_packets = 9 }}\n[[flows]]\ncount = 1\nsenders = \"homes\"\n\
             receivers = \"servers\"\n"
        ))
    };
    let fast = star("5000").uncongested_twin().unwrap();
    assert_eq!(fast.network.links[0].rate.unwrap().bits_per_second(), 50_000_000_000);
}

#[test]
fn scenarios_that_differ_in_their_queue_share_a_twin() {
    let pi = read(TEXT);
    let queue = [("name".into(), "other".into()), ("dumbbell.queue.q_ref_packets".into(), "240".into())];
    let other = pi.with_overrides(&queue).unwrap();
    assert_ne!(pi.to_json(), other.to_json());
    assert_eq!(pi.uncongested_twin().unwrap().to_json(), other.uncongested_twin().unwrap().to_json());
}

prop_compose! {
    fn times()(duration in 0.001..DURATION_S, warm_up in 0.0..0.49_f64, cool_down in 0.0..0.49_f64)
        -> (f64, f64, f64) {
        (duration, duration * warm_up, duration * cool_down)
    }
}

prop_compose! {
    fn delays()(
        low in 0..=100_000_u32,
        high in 0..=100_000_u32,
        pairs in any::<bool>(),
        power in 0.01..=100.0_f64,
        clock_hz in 0..=1_000_000_u32,
    ) -> MinimumDelayRange {
        let per = if pairs { DelayOwner::MachinePair } else { DelayOwner::Connection };
        MinimumDelayRange { low: low.min(high), high: low.max(high), per, power, clock_hz }
    }
}

fn base_rtt() -> impl Strategy<Value = BaseRoundTripTime> {
    prop_oneof![
        (0.0..1e5_f64).prop_map(BaseRoundTripTime::Same),
        (0.0..1e5_f64, 0.0..1e5_f64, any::<bool>()).prop_map(|(first, last, drawn)| {
            let order = if drawn { DelayOrder::Drawn } else { DelayOrder::Ascending };
            BaseRoundTripTime::Spaced(RoundTripTimeRange { first, last, order })
        }),
        Just(BaseRoundTripTime::Law(NamedRoundTripLaw { law: RoundTripLawName::PackMime })),
    ]
}

fn delay_box() -> impl Strategy<Value = Option<DelayBoxTable>> {
    let rate = prop_oneof![
        (0.001..1e6_f64).prop_map(BoxRate::Same),
        (0.001..1e3_f64, 1e3..1e6_f64).prop_map(|(low, high)| BoxRate::Drawn(BoxRateRange { low, high })),
    ];
    let loss = prop_oneof![
        (0.0..=1.0_f64).prop_map(BoxLoss::Same),
        (0.0..0.5_f64, 0.5..=1.0_f64).prop_map(|(low, high)| BoxLoss::Drawn(BoxLossRange { low, high })),
    ];
    let of = |(rate, loss_probability)| DelayBoxTable { rate_mbps: Some(rate), loss_probability };
    proptest::option::of((rate, proptest::option::of(loss)).prop_map(of))
}

fn transfer_bytes() -> impl Strategy<Value = TransferBytes> {
    prop_oneof![
        (1..1_000_000_000_u64).prop_map(TransferBytes::Same),
        (1.0..1e3_f64, 0.01..10.0_f64, 1e3..1e15_f64).prop_map(|(median_bytes, sigma, maximum_bytes)| {
            TransferBytes::Drawn(TransferSizeLaw::Lognormal { median_bytes, sigma, maximum_bytes })
        }),
        (1.0..1e3_f64, 1.01..10.0_f64, 1e3..1e15_f64).prop_map(|(mean_bytes, shape, maximum_bytes)| {
            TransferBytes::Drawn(TransferSizeLaw::Pareto { mean_bytes, shape, maximum_bytes })
        }),
        (1.0..1e12_f64)
            .prop_map(|mean_bytes| { TransferBytes::Drawn(TransferSizeLaw::Exponential { mean_bytes }) }),
    ]
}

fn delay_on() -> impl Strategy<Value = DelayOn> {
    prop_oneof![Just(DelayOn::Both), Just(DelayOn::Sender), Just(DelayOn::Receiver)]
}

prop_compose! {
    /// Any legal document with users and flows on a dumbbell.
    fn documents()(
        name in "[^\\p{Cc}]*[a-z]",
        description in "[^\\p{Cc}]*",
        times in times(),
        rate in 0.001..1e6_f64,
        delay in 0.0..1e5_f64,
        machines in (1..20_u32, 1..20_u32),
        layer2 in (0..=10_000_u32, 0..=10_000_u32, 0..=10_000_u32),
        limits in (1..10_000_u32, 1..10_000_u32),
        users in (0..=10_000_000_u32, 0..=10_000_000_u32),
        fresh in proptest::option::of(0.0..1e7_f64),
        minimum_delay_ms in delays(),
        flow in (1..300_u32, base_rtt(), delay_on(), proptest::option::of(transfer_bytes())),
        writes in proptest::option::of((0.001..1e6_f64, 0.1..1e5_f64)),
        own_box in delay_box(),
        intervals in (0.001..1e7_f64, 0.001..1e7_f64),
        flags in any::<[bool; 3]>(),
    ) -> Document {
        let mut document = read(TEXT).document().clone();
        (document.name, document.description) = (name, description);
        (document.duration_s, document.warm_up_s, document.cool_down_s) = times;
        let scheme = |limit: u32| -> Scheme {
            serde_json::from_value(serde_json::json!({"scheme": "drop-tail", "limit_packets": limit})).unwrap()
        };
        let dumbbell = document.dumbbell.as_mut().unwrap();
        (dumbbell.rate_mbps, dumbbell.delay_ms) = (rate, delay);
        (dumbbell.browser_machines_per_side, dumbbell.server_machines_per_side) = machines;
        (dumbbell.layer2_overhead_bytes, dumbbell.layer2_minimum_frame_bytes, dumbbell.layer2_gap_bytes) = layer2;
        (dumbbell.queue, dumbbell.queue_right_to_left) = (scheme(limits.0), Some(scheme(limits.1)));
        let table = document.users.as_mut().unwrap();
        (table.left, table.right) = (Some(users.0), Some(users.1));
        table.minimum_delay_ms = minimum_delay_ms;
        if let Some(spread_s) = fresh {
            (table.start, table.start_spread_s) = (Start::Fresh, Some(spread_s));
        }
        let flows = &mut document.flows[0];
        (flows.count, flows.base_rtt_ms, flows.delay_on, flows.bytes) = flow;
        flows.delay_box = own_box;
        (flows.application_mbps, flows.application_write_ms) = writes.unzip();
        (flows.direction, flows.start_spread_s) = (Some(Direction::RightToLeft), document.duration_s / 2.0);
        (document.record.queue_interval_ms, document.record.link_interval_ms) = intervals;
        [document.record.arrivals, document.record.flows, document.record.users] = flags;
        document.record.responses = if flags[0] { Responses::Rows } else { Responses::None };
        document
    }
}

/// Every way in which flows may start.
const STARTS: [&str; 4] = [
    "start_spread_s = 2.5",
    "starts_s = [1.0, 2.0, 3.0]",
    "arrivals_hz = 1.5\nstart_s = 4.0",
    "phases = { each_s = 30.0, flows = [1, 3, 1] }",
];

#[test]
fn flows_that_start_in_any_way_are_read_back_and_may_be_set_on() {
    for starts in STARTS {
        let scenario = read(&format!("{TEXT}{starts}\n"));
        let text = scenario.to_json();
        let again = Scenario::from_json(&text).unwrap_or_else(|error| panic!("{starts}: {error}"));
        assert_eq!((&again, again.to_json()), (&scenario, text), "{starts}");
        let toml = toml::to_string(scenario.document()).unwrap();
        assert_eq!(read(&toml), scenario, "{starts}");
    }
    let set = |key: &str, value: &str| read(TEXT).with_overrides(&[(key.to_owned(), value.to_owned())]);
    assert_eq!(set("flows.0.arrivals_hz", "1.5").unwrap(), read(&format!("{TEXT}arrivals_hz = 1.5\n")));
    let both = read_error(&format!("{TEXT}arrivals_hz = 1.5\nstart_spread_s = 2.0\n"));
    assert!(both.contains("flows.0.start_spread_s: arrivals_hz already sets when flows start"), "{both}");
}

fn read_error(text: &str) -> String {
    Scenario::from_toml(text, "le.toml", &[]).unwrap_err().to_string()
}

/// Every scenario that comes with the laboratory: its examples, presets and experiments.
#[test]
fn every_scenario_of_ours_is_read_back_unchanged() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let in_folder = |folder: &str| {
        let files = std::fs::read_dir(root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        files.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let mut files = [in_folder("examples"), in_folder("python/aqmlab/presets")].concat();
    files.extend(
        in_folder("python/aqmlab/experiments").into_iter().map(|folder| folder.join("scenario.toml")),
    );
    files.retain(|file| file.is_file() && file.extension().is_some_and(|ending| ending == "toml"));
    for file in &files {
        let (text, name) = (std::fs::read_to_string(file).unwrap(), file.display().to_string());
        if text.contains("\n[grid]") {
            continue; // a sweep, which names its scenario
        }
        let scenario = Scenario::from_toml_in(file.parent().unwrap(), &text, &name, &[])
            .unwrap_or_else(|error| panic!("{error}"));
        let written = scenario.to_json();
        let again = Scenario::from_json(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((again.to_json(), &again), (written, &scenario), "{name}");
        let toml = toml::to_string(scenario.document()).unwrap();
        assert_eq!(read(&toml), scenario, "{name}");
    }
    assert!(files.len() > 10, "{files:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back_unchanged(document in documents()) {
        let scenario = Scenario::from_document(&document).unwrap();
        let text = scenario.to_json();
        let again = Scenario::from_json(&text).unwrap();
        prop_assert_eq!(&again, &scenario);
        prop_assert_eq!(again.to_json(), text);
    }

    #[test]
    fn a_document_written_as_toml_is_the_same_scenario(document in documents()) {
        let scenario = Scenario::from_document(&document).unwrap();
        let text = toml::to_string(scenario.document()).unwrap();
        prop_assert_eq!(Scenario::from_toml(&text, "written.toml", &[]).unwrap(), scenario);
    }

    #[test]
    fn numbers_become_quantities_to_the_nearest_unit(document in documents()) {
        let scenario = Scenario::from_document(&document).unwrap();
        let close = |span: aqmlab_units::Span, seconds: f64| (span.seconds() - seconds).abs() <= 1e-9 + seconds * 1e-15;
        prop_assert!(close(scenario.duration, document.duration_s));
        prop_assert!(scenario.warm_up + scenario.cool_down < scenario.duration);
        let dumbbell = document.dumbbell.as_ref().unwrap();
        let bottleneck = &scenario.network.links[0];
        prop_assert!(close(bottleneck.delay, dumbbell.delay_ms / 1e3));
        let bits = bottleneck.rate.unwrap().bits_per_second() as f64;
        prop_assert!((bits - dumbbell.rate_mbps * 1e6).abs() <= 0.5 + bits * 1e-15);
    }

    /// Whatever the text, the answer is a scenario or mistakes with a place: never a panic.
    #[test]
    fn no_text_makes_the_reader_fail(
        line in proptest::sample::select(TEXT.lines().collect::<Vec<_>>()),
        from in 0..60_usize,
        length in 0..20_usize,
        new in "[-a-z0-9_\"= .{}\\[\\],\n]{0,12}",
    ) {
        let start = line.char_indices().map(|(at, _)| at).nth(from).unwrap_or(line.len());
        let changed = format!("{}{new}{}", &line[..start], line.get(start + length..).unwrap_or(""));
        if let Err(error) = Scenario::from_toml(&TEXT.replace(line, &changed), "le.toml", &[]) {
            prop_assert!(!error.mistakes().is_empty());
            prop_assert!(error.to_string().lines().count() >= error.mistakes().len());
        }
    }
}
