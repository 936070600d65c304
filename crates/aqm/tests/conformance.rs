//! What every registered scheme owes, whatever its parameters and whatever happens to it.
//!
//! Schemes are taken from the registry and their parameters drawn from their JSON schemas, so there is no
//! line here about any one of them.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/packet.rs"]
mod packet;
#[path = "support/parameters.rs"]
mod parameters;

use aqmlab_aqm::parts::LimitRule;
use aqmlab_aqm::{Codepoint, PacketClass, Port, PortFacts, Reason, Scheme};
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};
use packet::TestPacket;
use parameters::{extreme_scheme, random_scheme};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Operation {
    Arrive { flow: u64, bytes: u32, codepoint: Codepoint, class: PacketClass },
    Depart,
    Wait,
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

/// What became of a packet.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Sent(TestPacket),
    Lost(TestPacket, Reason),
}

/// A port with what has left it, and all that it may never do.
struct Witness {
    scheme: Scheme,
    port: Port<TestPacket>,
    now: Time,
    came: Vec<TestPacket>,
    fates: Vec<Fate>,
}

impl Witness {
    fn new(scheme: &Scheme, seed: u64) -> Self {
        let mut random = Key::from_seed(seed).named("port").stream();
        let rate = Rate::from_bits_per_second(100_000 * (1 + random.below(1_000)));
        let facts = PortFacts::new(rate).with_timer_phase(random.uniform());
        let facts = if scheme.validate_at(&facts).is_ok() { facts } else { fitting_link(scheme) };
        Self::at(scheme, facts, seed)
    }

    fn at(scheme: &Scheme, facts: PortFacts, seed: u64) -> Self {
        let port = Port::new(scheme, facts, Key::from_seed(seed).named("coins").stream());
        Self { scheme: scheme.clone(), port, now: Time::ZERO, came: Vec::new(), fates: Vec::new() }
    }

    fn run(&mut self, operations: &[(Span, Operation)]) -> Result<(), TestCaseError> {
        for (gap, operation) in operations {
            self.now += *gap;
            self.happen(operation);
            self.check()?;
        }
        self.check_fates()
    }

    fn happen(&mut self, operation: &Operation) {
        let marks = |port: &Port<TestPacket>| port.counters().marks().total();
        let before = (self.fates.len(), marks(&self.port));
        self.carry_out(operation);
        if self.port.decides_about_waiting() {
            return;
        }
        // Only the packet that arrives has anything to fear.
        let arriving = match operation {
            Operation::Arrive { .. } => Some(self.came.len() as u64 - 1),
            Operation::Depart | Operation::Wait => None,
        };
        let lost = |fate: &Fate| matches!(fate, Fate::Lost(packet, _) if Some(packet.id) != arriving);
        let safe = arriving.is_some() || marks(&self.port) == before.1;
        assert!(
            safe && !self.fates[before.0..].iter().any(lost),
            "{operation:?} met a waiting packet: {:?}",
            self.scheme
        );
    }

    fn carry_out(&mut self, operation: &Operation) {
        let fates = &mut self.fates;
        let mut discarded = |packet, reason| fates.push(Fate::Lost(packet, reason));
        match *operation {
            Operation::Arrive { flow, bytes, codepoint, class } => {
                let mut packet = TestPacket::data(self.came.len() as u64, bytes, codepoint);
                packet.facts.flow = flow;
                packet.facts.class = class;
                self.came.push(packet);
                self.port.arrive(self.now, packet, &mut discarded);
            }
            Operation::Depart => {
                let sent = self.port.depart(self.now, &mut discarded);
                fates.extend(sent.map(Fate::Sent));
            }
            Operation::Wait => self.port.advance(self.now),
        }
    }

    /// After every operation: the balance closes, the limits hold, the probability is one.
    fn check(&self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.port.check_conservation(), Ok(()));
        prop_assert_eq!(self.came.len(), self.fates.len() + self.port.packets() as usize);
        let limit = self.scheme.limit();
        let (most_withheld, overshoot) = match limit.rule {
            LimitRule::HoldLimit => (0, 0),
            LimitRule::HoldLimitMinusOne => (1, 0),
            LimitRule::RefuseWhenFull => (0, 1499),
        };
        prop_assert!(limit.packets.is_none_or(|most| self.port.packets() <= most - most_withheld));
        prop_assert!(
            limit.bytes.is_none_or(|most| self.port.bytes() <= most - u64::from(most_withheld) + overshoot)
        );
        prop_assert!((0.0..=1.0).contains(&self.port.signal_probability().value()));
        Ok(())
    }

    /// In the end: nobody left twice, those sent left in order (of several queues, those of one flow and
    /// codepoint, which nothing sorts apart), and only capable
    /// packets changed, if any.
    fn check_fates(&self) -> Result<(), TestCaseError> {
        let mut gone = BTreeSet::new();
        let mut last_of_queue = BTreeMap::new();
        for fate in &self.fates {
            let (packet, reason) = match *fate {
                Fate::Sent(packet) => (packet, None),
                Fate::Lost(packet, reason) => (packet, Some(reason)),
            };
            prop_assert!(gone.insert(packet.id), "{} left twice", packet.id);
            if reason.is_none() {
                let came = self.came[packet.id as usize].facts;
                let queue = if self.scheme.is_one_queue() { None } else { Some((came.flow, came.codepoint)) };
                let last_sent = last_of_queue.insert(queue, packet.id);
                prop_assert!(last_sent < Some(packet.id), "{} overtook {last_sent:?}", packet.id);
            }
            let before = self.came[packet.id as usize].facts;
            let mut expected = before;
            if self.scheme.ecn()
                && before.codepoint.can_be_marked()
                && packet.facts.codepoint == Codepoint::Ce
            {
                expected.codepoint = Codepoint::Ce;
            }
            prop_assert_eq!(packet.facts, expected);
        }
        Ok(())
    }

    fn state(&self) -> Vec<(&'static str, u64)> {
        let mut state = vec![("signal_probability", self.port.signal_probability().value().to_bits())];
        self.port.observe(&mut |name, value| {
            assert!(value.is_finite(), "{name} is {value}");
            state.push((name, value.to_bits()));
        });
        state
    }
}

/// A link at which the scheme's parameters are valid: the slower the link, the higher a design's sampling
/// rate.
fn fitting_link(scheme: &Scheme) -> PortFacts {
    let rates = (0..60).map(|doublings| Rate::from_bits_per_second(1_000_000 << (doublings / 2)));
    let mut links = rates.map(PortFacts::new);
    links.find(|facts| scheme.validate_at(facts).is_ok()).unwrap_or_else(|| panic!("no link for {scheme:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_scheme_accounts_for_every_packet(seed in any::<u64>(), operations in operations()) {
        for name in Scheme::names() {
            let scheme = random_scheme(name, &mut Key::from_seed(seed).named(name).stream());
            let outcome = Witness::new(&scheme, seed).run(&operations);
            prop_assert!(outcome.is_ok(), "{scheme:?}: {outcome:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_verdicts(seed in any::<u64>(), operations in operations()) {
        for name in Scheme::names() {
            let scheme = random_scheme(name, &mut Key::from_seed(seed).named(name).stream());
            let [mut first, mut second] = [0, 1].map(|_| Witness::new(&scheme, seed));
            first.run(&operations)?;
            second.run(&operations)?;
            prop_assert_eq!(&first.fates, &second.fates);
            prop_assert_eq!(first.state(), second.state());
        }
    }

    #[test]
    fn a_second_of_silence_is_the_same_in_one_step_and_in_many(
        seed in any::<u64>(),
        operations in operations(),
        steps in prop::collection::vec(0..1_000_000_000_u64, 1..200),
    ) {
        for name in Scheme::names() {
            let scheme = random_scheme(name, &mut Key::from_seed(seed).named(name).stream());
            let [mut at_once, mut stepped] = [0, 1].map(|_| Witness::new(&scheme, seed));
            at_once.run(&operations)?;
            stepped.run(&operations)?;
            let mut instants = steps.clone();
            instants.sort_unstable();
            for nanoseconds in instants {
                stepped.port.advance(stepped.now + Span::from_nanoseconds(nanoseconds));
            }
            for witness in [&mut at_once, &mut stepped] {
                witness.port.advance(witness.now + Span::from_milliseconds(1_000));
            }
            prop_assert_eq!(at_once.state(), stepped.state());
        }
    }
}

/// Whatever parameters a scheme accepts at whatever link: it builds, and thousands of packets later everything it
/// reports is a number in its range.
#[test]
fn every_legal_scheme_works_at_every_legal_link() {
    let key = Key::from_seed(7);
    for name in Scheme::names() {
        let mut at_home = 0;
        for case in 0..150 {
            let mut random = key.named(name).indexed(case).stream();
            let scheme = extreme_scheme(name, &mut random);
            // 0.001 to 1,000,000 Mbit/s, as in a scenario.
            let rate = libm::pow(10.0, 3.0 + 9.0 * random.uniform());
            let facts = PortFacts::new(Rate::from_bits_per_second(rate as u64));
            let facts = facts.with_timer_phase(random.uniform());
            if scheme.validate_at(&facts).is_err() {
                continue;
            }
            at_home += 1;
            let mut witness = Witness::at(&scheme, facts, case);
            for _ in 0..2_000 {
                witness.now += Span::from_nanoseconds(random.below(20_000));
                let bytes = 1 + random.below(1_500) as u32;
                let codepoint = Codepoint::ALL[random.below(Codepoint::COUNT as u64) as usize];
                let arrival = Operation::Arrive { flow: 1, bytes, codepoint, class: PacketClass::Data };
                witness.happen(if random.uniform() < 0.7 { &arrival } else { &Operation::Depart });
                let probability = witness.port.signal_probability().value();
                assert!((0.0..=1.0).contains(&probability), "{scheme:?} at {rate}: {probability}");
            }
            // Asserts that every value is finite.
            let _ = witness.state();
            assert_eq!(witness.port.check_conservation(), Ok(()), "{scheme:?} at {rate}");
        }
        assert!(at_home > 40, "{name}: {at_home} cases");
    }
}

/// The properties above would hold of schemes that never do anything. Some hundreds of histories show more: a scheme
/// that drops above a probability drawn at random marks rarely.
#[test]
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
            let scheme = random_scheme(name, &mut Key::from_seed(seed).named(name).stream());
            let mut witness = Witness::new(&scheme, seed);
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
            (0..500).map(|_| format!("{:?}", random_scheme(name, &mut random))).collect();
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
