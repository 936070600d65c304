//! The conformance suite over every registered scheme; and that it finds what is wrong.
//!
//! Schemes are taken from the registry and their parameters drawn from their JSON schemas, so there is no
//! line here about any one of them. The same properties are tried by histories of proptest, which makes them
//! short where they fail, and by the suite as others call it.

use aqmlab_aqm::conformance::{
    self, Offered, Operation, Witness, accounts_for_every_packet, is_the_same_in_many_steps,
    keeps_the_link_busy, random_scheme, repeats_itself, share_sent,
};
use aqmlab_aqm::{Codepoint, PacketClass, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn scheme_of(name: &str, seed: u64) -> Scheme {
    let mut random = Key::from_seed(seed).named(name).stream();
    random_scheme(name, &mut random).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Time before an operation: mostly packet times, sometimes none, sometimes long enough for many timers.
fn gaps() -> impl Strategy<Value = Span> {
    prop_oneof![
        4 => Just(Span::ZERO),
        50 => (0..2_000_u64).prop_map(Span::from_microseconds),
        4 => (0..50_u64).prop_map(Span::from_milliseconds),
        1 => (0..3_000_u64).prop_map(Span::from_milliseconds),
    ]
}

fn operations() -> impl Strategy<Value = Vec<(Span, Operation)>> {
    let codepoint = (0..Codepoint::COUNT).prop_map(|index| Codepoint::ALL[index]);
    let class = (0..PacketClass::COUNT).prop_map(|index| PacketClass::ALL[index]);
    let arrival = (0..4_u64, prop_oneof![Just(40), Just(1500), 1..1501_u32], codepoint, class)
        .prop_map(|(flow, bytes, codepoint, class)| Operation::Arrive { flow, bytes, codepoint, class });
    let operation = prop_oneof![12 => arrival, 7 => Just(Operation::Depart), 1 => Just(Operation::Wait)];
    prop::collection::vec((gaps(), operation), 1..300)
}

/// So many histories for every property and scheme.
macro_rules! properties_of_schemes {
    ($cases:literal $(, $ignored:meta)?) => {
        use super::*;

        proptest! {
            #![proptest_config(ProptestConfig { cases: $cases, ..ProptestConfig::default() })]

            #[test]
            $(#[$ignored])?
            fn every_scheme_accounts_for_every_packet(seed in any::<u64>(), operations in operations()) {
                for name in Scheme::names() {
                    let scheme = scheme_of(name, seed);
                    let outcome = accounts_for_every_packet(&scheme, seed, &operations);
                    prop_assert_eq!(outcome, Ok(()), "{:?}", scheme);
                }
            }

            #[test]
            $(#[$ignored])?
            fn the_same_seed_gives_the_same_verdicts(seed in any::<u64>(), operations in operations()) {
                for name in Scheme::names() {
                    prop_assert_eq!(repeats_itself(&scheme_of(name, seed), seed, &operations), Ok(()));
                }
            }

            #[test]
            $(#[$ignored])?
            fn a_second_of_silence_is_the_same_in_one_step_and_in_many(
                seed in any::<u64>(),
                operations in operations(),
                steps in prop::collection::vec((0..1_000_000_000_u64).prop_map(Span::from_nanoseconds), 1..200),
            ) {
                for name in Scheme::names() {
                    let scheme = scheme_of(name, seed);
                    prop_assert_eq!(is_the_same_in_many_steps(&scheme, seed, &operations, &steps), Ok(()));
                }
            }
        }

        proptest! {
            // A seed has no smaller form.
            #![proptest_config(ProptestConfig { cases: $cases, max_shrink_iters: 0, ..ProptestConfig::default() })]

            #[test]
            $(#[$ignored])?
            fn an_overloaded_link_is_not_idle_and_one_half_loaded_serves_again(seed in any::<u64>()) {
                for name in Scheme::names() {
                    let (scheme, facts) = (scheme_of(name, seed), PortFacts::new(Rate::from_megabits_per_second(10.0)));
                    if scheme.validate_at(&facts).is_ok() {
                        let offered = Offered::random(&mut Key::from_seed(seed).named("offered").stream());
                        let outcome = keeps_the_link_busy(&scheme, facts, offered, seed);
                        prop_assert_eq!(outcome, Ok(()), "{:?} {:?}", offered, scheme);
                    }
                }
            }
        }
    };
}

mod some_histories {
    properties_of_schemes!(16);
}

mod all_histories {
    properties_of_schemes!(128, ignore = "exhaustive");
}

fn the_suite_finds_nothing_wrong(cases: u64) {
    for name in Scheme::names() {
        assert_eq!(conformance::check(name, cases), [], "{name}");
    }
}

#[test]
fn the_suite_finds_nothing_wrong_with_any_scheme() {
    the_suite_finds_nothing_wrong(5);
}

#[test]
#[ignore = "exhaustive"]
fn the_whole_suite_finds_nothing_wrong_with_any_scheme() {
    the_suite_finds_nothing_wrong(30);
}

#[test]
fn no_scheme_of_that_name_is_a_finding() {
    let findings = conformance::check("nobody", 1);
    assert_eq!(findings.len(), conformance::PROPERTIES.len());
    assert!(findings[0].wrong.starts_with("there is no scheme `nobody`"), "{findings:?}");
}

/// The properties above would hold of schemes that never do anything. Some hundreds of histories show more: a
/// scheme that drops above a probability drawn at random marks rarely.
#[test]
#[ignore = "exhaustive"]
fn the_random_histories_contain_overflows_and_of_schemes_with_ecn_drops_and_marks() {
    for name in Scheme::names() {
        let (mut overflows, mut drops, mut marks) = (0, 0, 0);
        let mut runner = TestRunner::deterministic();
        let schema = Scheme::parameter_schema(name).expect("registered");
        let signals =
            ["ecn", "inner"].iter().any(|key| schema.pointer(&format!("/properties/{key}")).is_some());
        for seed in 0..1024 {
            if overflows >= 25 && (!signals || drops >= 25 && marks >= 25) {
                break;
            }
            let operations =
                operations().new_tree(&mut runner).expect("a strategy without filters").current();
            let scheme = scheme_of(name, seed);
            let mut witness =
                Witness::new(&scheme, seed).unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
            witness.run(&operations).unwrap_or_else(|error| panic!("{scheme:?}: {error}"));
            let counters = witness.port.counters();
            overflows += counters.discards(Reason::Overflow).total().packets;
            marks += counters.marks().total().packets;
            drops += counters.all_discards().total().packets;
            drops -= counters.discards(Reason::Overflow).total().packets;
        }
        assert!(overflows >= 25, "{name}: {overflows} overflows");
        assert!(!signals || drops >= 25 && marks >= 25, "{name}: {drops} drops and {marks} marks");
    }
}

#[test]
fn the_random_parameters_reach_every_word_of_every_scheme() {
    for name in Scheme::names() {
        let mut random = Key::from_seed(1).named(name).stream();
        let drawn: Vec<String> =
            (0..500).map(|_| format!("{:?}", random_scheme(name, &mut random).expect("legal"))).collect();
        let schema = Scheme::parameter_schema(name).expect("a registered name");
        let properties = schema.get("properties").and_then(|properties| properties.as_object());
        for (key, property) in properties.expect("properties") {
            let words = property.get("oneOf").and_then(|forms| forms.as_array()).into_iter().flatten();
            for word in words.filter_map(|form| form.get("const")?.as_str()) {
                let setting = format!(" {key}: {}", word.split('_').map(capitalised).collect::<String>());
                assert!(drawn.iter().any(|scheme| scheme.contains(&setting)), "{name}: never {setting}");
            }
        }
    }
}

fn capitalised(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// The schemes of which the suite does not ask that they keep an overloaded link busy, each by its law: a
/// source at four times 10 Mbit/s, in packets of 1,000 bytes, of which the link sends 1,250 a second.
#[test]
fn those_that_say_so_starve_sources_that_do_not_answer() {
    let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
    let offered = Offered { load: 4.0, burst_load: 4.0, bytes: 1000, flows: 1, phase: 0.3 };
    for (settings, expected, tolerance) in [
        // 5 packets come in each interval of 2 ms above the 2.5 that the link sends, less α·q_ref = 2: the
        // price grows by 0.0055 and halves what is let in with each unit, that is each 0.4 s.
        (r#""rem", "phi": 2.0, "limit_packets": 100"#, 0.0, 0.001),
        // Its bins have a twentieth of the link each.
        (r#""sfg", "switching": "always_on", "limit_packets": 100"#, 0.05, 0.005),
        // p ← p + 1e-4·(5000·(1 − p) − 125) each second: p = 0.975.
        (
            r#""arc", "utilization": 0.1, "gain": { "fixed": { "alpha": 1e-4 } }, "limit_packets": 100"#,
            0.1,
            0.02,
        ),
        // One packet in 15 ms is 0.053 of the link, where the flow is in the box all the time.
        (
            r#""sfb", "increment": 1.0, "decrement": 1e-9, "rehash_ms": 1e9, "limit_packets": 100"#,
            0.053,
            0.01,
        ),
    ] {
        let scheme: Scheme = serde_json::from_str(&format!(r#"{{ "scheme": {settings} }}"#)).expect(settings);
        assert!(scheme.starves_the_unresponsive().is_some(), "{settings}");
        let share = share_sent(&scheme, facts, offered, 1, 40_000);
        assert!((share - expected).abs() <= tolerance, "{settings}: {share}");
    }
    for (name, settings) in
        [("rem", r#""rem", "arrivals": "queue_growth""#), ("arc", r#""arc""#), ("red", r#""red""#)]
    {
        let scheme: Scheme =
            serde_json::from_str(&format!(r#"{{ "scheme": {settings}, "limit_packets": 100 }}"#))
                .expect(name);
        assert_eq!(scheme.starves_the_unresponsive(), None, "{name}");
    }
}
