//! Every registered scheme under pressure: 100,000 flows, one flow, flows that meet on purpose, intervals of
//! no length, idle hours, packets of 1 byte and of 64 KiB. Nothing panics, every byte is accounted for, and
//! memory does not grow with the flows that come by.

use aqmlab_aqm::conformance::{CROWD, Pressure, Stress, TestPacket, usual_scheme};
use aqmlab_aqm::parts::{FlowHashing, FlowTable};
use aqmlab_aqm::{Codepoint, FiveTuple, HeaderFields, Port, Scheme};
use aqmlab_random::Key;
use aqmlab_units::Time;
use serde::Deserialize as _;
use serde_json::{Value, json};

#[path = "support/heap.rs"]
mod heap;

fn usual(name: &str) -> Scheme {
    let mut random = Key::from_seed(1).named(name).stream();
    usual_scheme(name, &mut random).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn press(stress: &mut Stress, name: &str, pressure: Pressure, arrivals: u64) {
    stress.press(pressure, arrivals).unwrap_or_else(|wrong| panic!("{name}, {pressure:?}: {wrong}"));
}

#[test]
fn memory_does_not_grow_with_the_flows_that_come_by() {
    let mut grown: Vec<(&str, i64, i64)> = Vec::with_capacity(Scheme::names().len());
    for name in Scheme::names() {
        let scheme = usual(name);
        let before = heap::bytes();
        let mut stress = Stress::new(&scheme, 1);
        press(&mut stress, name, Pressure::Crowd, CROWD);
        press(&mut stress, name, Pressure::Crowd, CROWD);
        let first = heap::bytes() - before;
        press(&mut stress, name, Pressure::Crowd, CROWD);
        grown.push((name, first, heap::bytes() - before - first));
    }
    // Something for each flow that came by would be a byte of each at least. Queues grow to the longest that
    // they held, most of them before the third crowd, and RED-PD's first interval, of 10.1 s, ends with the
    // first.
    assert!(grown.iter().all(|&(_, _, then)| 2 * then < CROWD as i64), "{grown:?}");
    // RED-PD knows the flows of its present interval, others none beyond those in their queues.
    let most = |name| if name == "red-pd" { 16_000_000 } else { 1_000_000 };
    assert!(grown.iter().all(|&(name, first, _)| first < most(name)), "{grown:?}");
}

#[test]
fn every_pressure_finds_every_byte_accounted_for() {
    for name in Scheme::names() {
        for (seed, pressure) in (0..).zip(Pressure::ALL) {
            let arrivals = if pressure == Pressure::IdleHours { 500 } else { 10_000 };
            press(&mut Stress::new(&usual(name), seed), name, pressure, arrivals);
        }
    }
}

/// All pressures one after the other at one port, so that each finds what the others have left.
#[test]
fn pressures_follow_one_another() {
    for name in Scheme::names() {
        let mut stress = Stress::new(&usual(name), 3);
        for pressure in Pressure::ALL.into_iter().chain(Pressure::ALL) {
            press(&mut stress, name, pressure, 300);
        }
    }
}

/// The parameters of a scheme with one of them set; none where that is refused.
fn with(name: &str, key: &str, value: &Value) -> Result<Scheme, String> {
    let mut table = json!({ "scheme": name, "limit_packets": 1000 });
    table[key] = value.clone();
    let scheme = Scheme::deserialize(table).map_err(|error| error.to_string())?;
    scheme.validate_at(&Stress::LINK).map_err(|error| error.to_string())?;
    Ok(scheme)
}

#[test]
fn times_of_no_length_are_refused_by_name_or_do_no_harm() {
    let (mut refused, mut taken) = (0, 0);
    for name in Scheme::names() {
        let schema = Scheme::parameter_schema(name).expect("registered");
        let keys = schema.get("properties").and_then(Value::as_object).expect("parameters");
        let is_time = |key: &&String| ["_ms", "_us", "_s"].iter().any(|unit| key.ends_with(unit));
        for key in keys.keys().filter(is_time) {
            match with(name, key, &json!(0.0)) {
                Err(wrong) => {
                    assert!(wrong.contains(key.as_str()), "{name}: {wrong}");
                    refused += 1;
                }
                Ok(scheme) => {
                    press(&mut Stress::new(&scheme, 5), name, Pressure::Bursts, 1_000);
                    taken += 1;
                }
            }
            // The shortest that a clock of a nanosecond tells: a million intervals in a second.
            if let Ok(scheme) = with(name, key, &json!(0.001)) {
                press(&mut Stress::new(&scheme, 5), name, Pressure::Bursts, 1_000);
            }
        }
    }
    assert!(refused >= 10 && taken >= 5, "{refused} refused, {taken} taken");
}

/// The hash of flows is keyed: who chooses flows that meet without knowing the key chooses at random.
#[test]
fn flows_that_were_chosen_to_meet_under_one_key_spread_under_another() {
    const QUEUES: usize = 1024;
    let flow = |port: u16, host: u32| FiveTuple {
        source: host,
        destination: 1,
        source_port: port,
        destination_port: 80,
        protocol: 6,
    };
    let (known, ours) = (Key::from_seed(1), Key::from_seed(2));
    // Flows of 40 hosts that all have queue 7 under the key that the attacker knows.
    let mut table = FlowTable::new(QUEUES, FlowHashing::Plain, Stress::LINK.flow_salt);
    let all = (0..40).flat_map(|host| (49_152..65_535).map(move |port| flow(port, host)));
    let meet = all.filter(|flow| table.queue_of(flow.hash(known), |_| false) == 7);
    let chosen: Vec<FiveTuple> = meet.take(500).collect();
    assert_eq!(chosen.len(), 500);
    let queues_under = |key: Key| {
        let scheme = with("fq-codel", "flows", &json!(QUEUES)).expect("legal");
        let mut port: Port<TestPacket> = Port::new(&scheme, Stress::LINK, key.named("coins").stream());
        for (id, flow) in (0..).zip(&chosen) {
            let header = HeaderFields { flow_hash: flow.hash(key), ..HeaderFields::default() };
            let packet = TestPacket::data(id, 1000, Codepoint::NotEct);
            port.arrive_with(Time::ZERO, packet, |_: &TestPacket| header, &mut |_, reason| {
                panic!("{reason:?}")
            });
        }
        (0..QUEUES).filter(|&queue| port.queue(queue).is_some_and(|one| one.packets > 0)).count()
    };
    // 500 at random in 1024 queues fill 1024·(1 − (1 − 1/1024)^500) = 395.6, with a standard deviation of
    // 8.0.
    let spread = queues_under(ours);
    assert!((364..=427).contains(&spread), "{spread}");
    assert_eq!(queues_under(known), 1);
}
