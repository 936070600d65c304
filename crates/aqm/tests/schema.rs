//! Schemes as data: parsing, refusals, descriptions.

#[path = "support/keys.rs"]
mod keys;

use aqmlab_aqm::algorithms::{ared, drop_tail, pi, red, rem};
use aqmlab_aqm::parts::{Bottom, Measure, TimeConstant, Weight, Word};
use aqmlab_aqm::{ParameterError, PortFacts, Scheme};
use aqmlab_units::Rate;
use keys::parse;
use schemars::{Schema, json_schema};
use std::collections::BTreeSet;

fn refusal(table: &Schema) -> String {
    parse(table).expect_err("a table that is not a scheme")
}

fn illegal(table: &Schema) -> ParameterError {
    let scheme = parse(table).unwrap_or_else(|error| panic!("{error}"));
    scheme.validate().expect_err("a parameter that is not legal")
}

#[test]
fn the_schemes_are_listed_once_each() {
    let distinct: BTreeSet<_> = Scheme::names().iter().collect();
    assert_eq!(distinct.len(), Scheme::names().len(), "{:?}", Scheme::names());
    for name in Scheme::names() {
        let scheme =
            parse(&json_schema!({ "scheme": name, "limit_packets": 50 })).expect("the limit suffices");
        assert_eq!(scheme.name(), *name);
        assert_eq!(scheme.validate(), Ok(()));
        assert_eq!(scheme.limit().packets, Some(50));
        // RFC 8290 recommends ECN, RFC 9332 is about it; nothing else signals to a sender that was not told
        // to expect it.
        assert_eq!(scheme.ecn(), ["fq-codel", "dualpi2", "cake"].contains(name), "{name}");
    }
}

#[test]
fn keys_that_are_not_given_have_their_defaults() {
    let bare = |name: &str| parse(&json_schema!({ "scheme": name })).expect("every key has a default");
    assert_eq!(bare("drop-tail"), Scheme::DropTail(drop_tail::Params::default()));
    assert_eq!(bare("red"), Scheme::Red(red::Params::default()));
    assert_eq!(bare("ared"), Scheme::Ared(ared::Params::default()));
    assert_eq!(bare("pi"), Scheme::Pi(pi::Params::default()));
    assert_eq!(bare("rem"), Scheme::Rem(rem::Params::default()));
}

#[test]
fn given_keys_arrive_where_they_belong() {
    let scheme = parse(&json_schema!({
        "scheme": "ared", "limit_bytes": 500_000, "w_q": { "time_constant_s": 2.5 },
        "bottom": "from_link_rate", "measure": "bytes", "max_p": 1, "ecn": true,
    }));
    let expected = ared::Params {
        limit_bytes: Some(500_000),
        w_q: Weight::FromLinkRate(TimeConstant { time_constant_s: 2.5 }),
        bottom: Bottom::FromLinkRate(Word::FromLinkRate),
        measure: Measure::Bytes,
        max_p: 1.0,
        ecn: true,
        ..ared::Params::default()
    };
    assert_eq!(scheme, Ok(Scheme::Ared(expected)));
    let scheme =
        parse(&json_schema!({ "scheme": "pi", "gains": { "designed": { "flows": 60, "rtt_ms": 246 } } }));
    let expected =
        pi::Params { gains: pi::Gains::Designed { flows: 60.0, rtt_ms: 246.0 }, ..pi::Params::default() };
    assert_eq!(scheme, Ok(Scheme::Pi(expected)));
}

#[test]
fn a_misspelt_key_is_refused_with_its_name_and_the_legal_ones() {
    for name in Scheme::names() {
        let message = refusal(&json_schema!({ "scheme": name, "limit_packet": 50 }));
        assert!(message.starts_with("unknown field `limit_packet`"), "{message}");
        let schema = Scheme::parameter_schema(name).expect("a registered name");
        for key in schema.get("properties").and_then(|keys| keys.as_object()).expect("properties").keys() {
            assert!(message.contains(&format!("`{key}`")), "{message} does not name {key}");
        }
    }
}

#[test]
fn misspelt_nested_keys_and_words_are_refused_with_the_legal_ones() {
    for (table, message) in [
        (json_schema!({ "limit_packets": 5 }), "missing field `scheme`"),
        (
            json_schema!({ "scheme": "red", "spacing": "clasic" }),
            "unknown variant `clasic`, expected one of `geometric`, `classic`, `altq`, `ns2_wait`",
        ),
        (
            json_schema!({ "scheme": "red", "w_q": { "time_constant": 1 } }),
            "w_q: expected a number above 0 and at most 1, or { time_constant_s = SECONDS }",
        ),
        (
            json_schema!({ "scheme": "red", "w_q": "auto" }),
            "w_q: expected a number above 0 and at most 1, or { time_constant_s = SECONDS }",
        ),
        (
            json_schema!({ "scheme": "ared", "bottom": "auto" }),
            "bottom: expected a number from 0 to 1, or \"from_link_rate\"",
        ),
        (
            json_schema!({ "scheme": "pi", "gains": { "fixed": { "a": 0.1, "b": 0.05, "c": 0 } } }),
            "unknown field `c`, expected `a` or `b`",
        ),
        (
            json_schema!({ "scheme": "pi", "gains": { "paper": {} } }),
            "unknown variant `paper`, expected `fixed` or `designed`",
        ),
        (json_schema!({ "scheme": "pi", "gains": { "fixed": { "a": 0.1 } } }), "missing field `b`"),
    ] {
        assert_eq!(refusal(&table), message);
    }
    let names = Scheme::names().join("`, `");
    let message = format!("unknown variant `rde`, expected one of `{names}`");
    assert_eq!(refusal(&json_schema!({ "scheme": "rde" })), message);
}

#[test]
fn values_of_the_wrong_type_are_refused() {
    for table in [
        json_schema!({ "scheme": "red", "limit_packets": -1 }),
        json_schema!({ "scheme": "red", "limit_packets": 2.5 }),
        json_schema!({ "scheme": "red", "ecn": "yes" }),
        json_schema!({ "scheme": "red", "max_p": "0.1" }),
        json_schema!({ "scheme": "red", "max_p": null }),
    ] {
        assert!(refusal(&table).starts_with("invalid "), "{}", refusal(&table));
    }
}

#[test]
fn parameters_can_be_parsed_without_the_tag() {
    let tagged = parse(&json_schema!({ "scheme": "pi", "limit_packets": 9, "q_ref_packets": 4 }));
    let table = json_schema!({ "limit_packets": 9, "q_ref_packets": 4 });
    let parsed = |name: &str| Scheme::deserialize_parameters(name, table.clone().to_value());
    assert_eq!(parsed("pi").ok(), tagged.ok());
    let message = parsed("pi-e").expect_err("no such scheme").to_string();
    assert!(message.starts_with("unknown variant `pi-e`, expected one of `drop-tail`"), "{message}");
    let message = parsed("red").expect_err("a key of another scheme").to_string();
    assert!(message.starts_with("unknown field `q_ref_packets`"), "{message}");
}

#[test]
fn illegal_values_are_refused_with_key_value_and_legal_range() {
    let fixed = |a: f64, b: f64| json_schema!({ "fixed": { "a": a, "b": b } }).to_value();
    let designed = |flows: f64, rtt_ms: f64| {
        json_schema!({ "designed": { "flows": flows, "rtt_ms": rtt_ms } }).to_value()
    };
    let number = |value: f64| json_schema!({ "v": value }).get("v").cloned().expect("inserted above");
    let word = |value: &str| json_schema!({ "v": value }).get("v").cloned().expect("inserted above");
    let inner = |table: Schema| table.to_value();
    let whole = |value: u32| json_schema!({ "v": value }).get("v").cloned().expect("inserted above");
    let weight = |tau: f64| json_schema!({ "time_constant_s": tau }).to_value();
    let cases = [
        ("red", "min_th_packets", number(0.0), "min_th_packets"),
        ("red", "min_th_packets", number(-5.0), "min_th_packets"),
        ("red", "max_th_packets", number(15.0), "max_th_packets"),
        ("red", "target_delay_ms", number(0.0), "target_delay_ms"),
        ("red", "w_q", number(0.0), "w_q"),
        ("red", "w_q", number(1.001), "w_q"),
        ("red", "w_q", weight(0.0), "w_q"),
        ("red", "max_p", number(0.0), "max_p"),
        ("red", "max_p", number(1.01), "max_p"),
        ("red", "mark_p", number(1.01), "mark_p"),
        ("ared", "alpha", number(-0.01), "alpha"),
        ("ared", "beta", number(1.1), "beta"),
        ("ared", "beta", number(0.0), "beta"),
        ("ared", "top", number(0.995), "top"),
        ("ared", "top", number(0.0), "top"),
        ("ared", "bottom", number(0.5), "bottom"),
        ("ared", "interval_ms", number(0.0), "interval_ms"),
        ("pi", "q_ref_packets", number(-1.0), "q_ref_packets"),
        ("pi", "sampling_hz", number(0.0), "sampling_hz"),
        ("pi", "gains", fixed(0.0, 0.0), "gains.fixed.a"),
        ("pi", "gains", fixed(0.1, 0.2), "gains.fixed.b"),
        ("pi", "gains", fixed(0.1, -0.1), "gains.fixed.b"),
        ("pi", "gains", designed(0.0, 100.0), "gains.designed.flows"),
        ("pi", "gains", designed(10.0, 0.0), "gains.designed.rtt_ms"),
        ("codel", "target_ms", number(0.0), "target_ms"),
        ("codel", "target_ms", number(101.0), "interval_ms"),
        ("pie", "alpha_hz", number(0.0), "alpha_hz"),
        ("pie", "activation_share", number(0.0), "activation_share"),
        ("pie", "mark_ecn_threshold", number(1.1), "mark_ecn_threshold"),
        ("pie", "max_burst_ms", number(-1.0), "max_burst_ms"),
        ("pie", "fixed_probability", number(1.1), "fixed_probability"),
        ("fq-codel", "flows", whole(0), "flows"),
        ("fq-codel", "flows", whole(65_537), "flows"),
        ("fq-codel", "quantum_bytes", whole(255), "quantum_bytes"),
        ("fq-codel", "drop_batch_packets", whole(0), "drop_batch_packets"),
        ("fq-codel", "target_ms", number(101.0), "interval_ms"),
        ("fq", "inner", inner(json_schema!({ "scheme": "fq-codel" })), "inner.scheme"),
        ("fq", "inner", inner(json_schema!({ "scheme": "codel", "target_ms": 0 })), "inner.target_ms"),
        ("fq", "inner", inner(json_schema!({ "scheme": "red", "limit_bytes": 0 })), "inner.limit_bytes"),
        ("rem", "gamma", number(0.0), "gamma"),
        ("rem", "alpha", number(-0.1), "alpha"),
        ("rem", "phi", number(1.0), "phi"),
        ("rem", "update_interval_ms", number(0.0), "update_interval_ms"),
        ("rem", "rate_filter_weight", number(0.0), "rate_filter_weight"),
        ("rem", "not_ect", word("pass"), "not_ect"),
    ];
    for (scheme, key, value, refused) in cases {
        let mut table = json_schema!({ "scheme": scheme, "limit_packets": 50 });
        table.insert(key.to_owned(), value);
        assert_eq!(illegal(&table).key, refused, "{:?}", table.as_value());
    }
}

#[test]
fn sets_of_queues_are_whole() {
    let mut odd = json_schema!({ "scheme": "fq", "hash": "set_associative", "flows": 1020 });
    assert_eq!(illegal(&odd).key, "flows");
    odd.insert("flows".to_owned(), 1016.into());
    assert_eq!(parse(&odd).map(|scheme| scheme.validate()), Ok(Ok(())));
}

#[test]
fn limits_and_packet_lengths_of_zero_are_refused_by_every_scheme() {
    for scheme in Scheme::names() {
        let schema = Scheme::parameter_schema(scheme).expect("a registered name");
        if schema.pointer("/properties/limit_packets/default").is_some_and(|default| default.is_null()) {
            assert_eq!(illegal(&json_schema!({ "scheme": scheme })).key, "limit_packets");
        }
        for limit in ["limit_packets", "limit_bytes", "memory_limit_bytes"] {
            if schema.pointer(&format!("/properties/{limit}")).is_some() {
                let mut table = json_schema!({ "scheme": scheme });
                table.insert(limit.to_owned(), 0.into());
                assert_eq!(illegal(&table).key, limit);
            }
        }
        for key in ["mean_packet_bytes", "max_packet_bytes", "mtu_bytes"] {
            if schema.pointer(&format!("/properties/{key}")).is_some() {
                let mut table = json_schema!({ "scheme": scheme, "limit_packets": 5 });
                table.insert(key.to_owned(), 0.into());
                assert_eq!(illegal(&table).key, key);
            }
        }
    }
}

#[test]
fn bounds_between_two_parameters_hold_to_the_last_value() {
    let red = |min_th: f64, max_th: f64| {
        parse(&json_schema!({
            "scheme": "red", "limit_packets": 50, "min_th_packets": min_th, "max_th_packets": max_th
        }))
        .unwrap()
        .validate()
    };
    assert!(red(14.9, 15.0).is_ok());
    assert_eq!(red(15.0, 15.0).unwrap_err().key, "min_th_packets");
    // A step takes at most a quarter: from 0.8 to 1 and no further, whatever alpha.
    let ared = |top: f64| {
        parse(&json_schema!({ "scheme": "ared", "limit_packets": 50, "alpha": 1.0, "top": top }))
            .unwrap()
            .validate()
    };
    assert!(ared(0.8).is_ok());
    assert_eq!(ared(0.801).unwrap_err().key, "top");
}

#[test]
fn a_refusal_reads_as_a_sentence() {
    let table =
        json_schema!({ "scheme": "red", "limit_packets": 50, "min_th_packets": 90, "max_th_packets": 30 });
    assert_eq!(illegal(&table).to_string(), "`min_th_packets` is 90: it must be below max_th_packets (30)");
    let table = json_schema!({ "scheme": "red" });
    assert_eq!(
        illegal(&table).to_string(),
        "`limit_packets` is not given: it must be a number of packets, or limit_bytes, or both"
    );
}

#[test]
fn a_design_outside_its_domain_is_refused() {
    // 10 Mbit/s of 1000-byte packets and 20 ms: a path of 25 packets, with a margin for fewer than
    // 0.430167·25 flows. For 10 flows w_g = 2·10/(0.02²·1250) = 40 rad/s: above 20 Hz both gains are
    // positive.
    let design = |flows: f64, sampling_hz: f64| {
        let table = json_schema!({
            "scheme": "pi", "limit_packets": 50, "mean_packet_bytes": 1000, "sampling_hz": sampling_hz,
            "gains": { "designed": { "flows": flows, "rtt_ms": 20 } },
        });
        let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
        parse(&table).expect("known keys").validate_at(&facts).map_err(|error| error.key.into_owned())
    };
    assert_eq!(design(10.0, 19.9), Err("sampling_hz".to_owned()));
    assert_eq!(design(10.0, 20.1), Ok(()));
    assert_eq!(design(10.75, 160.0), Ok(()));
    assert_eq!(design(10.76, 160.0), Err("gains.designed.flows".to_owned()));
    assert_eq!(design(200.0, 1e6), Err("gains.designed.flows".to_owned()));
}

#[test]
#[should_panic(expected = "red: `limit_packets` is not given")]
fn building_from_illegal_parameters_is_a_bug_of_the_caller() {
    let facts = PortFacts::new(Rate::from_megabits_per_second(10.0));
    let _ = Scheme::Red(red::Params::default()).build(&facts);
}

#[test]
fn a_description_names_every_parameter_with_its_default_and_meaning() {
    for name in Scheme::names() {
        let text = Scheme::describe(name).expect("a registered name");
        assert!(text.starts_with(&format!("{name}\n")), "{text}");
        let schema = Scheme::parameter_schema(name).expect("a registered name");
        for (key, property) in schema.get("properties").and_then(|keys| keys.as_object()).expect("properties")
        {
            assert!(text.contains(&format!("\n  {key}: ")), "{name}: {key} is missing");
            assert!(property.get("description").is_some(), "{name}: {key} has no meaning");
            assert!(property.get("default").is_some(), "{name}: {key} has no default");
        }
    }
    let red = Scheme::describe("red").expect("a registered name");
    assert!(red.contains("  max_p: number, default 0.1\n      Base probability at max_th.\n"), "{red}");
    assert!(red.contains("  limit_packets: integer, unset unless given\n"), "{red}");
    assert!(red.contains("        \"ns2_wait\": 0 while c p < 1"), "{red}");
    assert!(red.contains("        { time_constant_s = number }: "), "{red}");
    let pi = Scheme::describe("pi").expect("a registered name");
    assert!(pi.contains("        { designed = { flows = number, rtt_ms = number } }: Designed"), "{pi}");
    let ared = Scheme::describe("ared").expect("a registered name");
    assert!(ared.contains("        \"from_link_rate\": 80 000 bit/s"), "{ared}");
    let htb = Scheme::describe("htb").expect("a registered name");
    assert!(
        htb.contains("        ceil_mbps: number, unset unless given\n          What it gets at most"),
        "{htb}"
    );
    assert!(htb.contains("        prio: integer, 0 to 7, default 0\n"), "{htb}");
    assert!(htb.contains("        queue: table"), "{htb}");
    let error = Scheme::describe("bleu").expect_err("no such scheme").to_string();
    let names = Scheme::names().join(", ");
    assert_eq!(error, format!("there is no scheme `bleu`: the schemes are {names}"));
}
