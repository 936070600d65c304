//! The conformance suite over every registered scheme; and that it finds what is wrong.
//!
//! Schemes are taken from the registry and their parameters drawn from their JSON schemas, so there is no
//! line here about any one of them. The same properties are tried by histories of proptest, which makes them
//! short where they fail, and by the suite as others call it.

use aqmlab_aqm::conformance::{
    self, Operation, Witness, accounts_for_every_packet, is_the_same_in_many_steps, random_scheme,
    repeats_itself,
};
use aqmlab_aqm::{Codepoint, PacketClass, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::Span;
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
