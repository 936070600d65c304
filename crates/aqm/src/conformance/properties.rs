//! The properties, each of one scheme and one history.

use super::history::Operation;
use super::witness::Witness;
use crate::algorithms::Scheme;
use crate::packet::{Codepoint, PacketClass};
use crate::port_facts::PortFacts;
use aqmlab_random::Stream;
use aqmlab_units::Span;

/// Every packet is accounted for, the limits hold, packets keep their order, and only what may be marked is.
///
/// # Errors
/// In words, what does not hold.
pub fn accounts_for_every_packet(
    scheme: &Scheme,
    seed: u64,
    operations: &[(Span, Operation)],
) -> Result<(), String> {
    let mut witness = Witness::new(scheme, seed)?;
    witness.run(operations)?;
    witness.state().map(|_| ())
}

/// The same seed gives the same verdicts and the same state.
///
/// # Errors
/// In words, what differs.
pub fn repeats_itself(scheme: &Scheme, seed: u64, operations: &[(Span, Operation)]) -> Result<(), String> {
    let (mut first, mut second) = (Witness::new(scheme, seed)?, Witness::new(scheme, seed)?);
    first.run(operations)?;
    second.run(operations)?;
    if first.fates != second.fates {
        return Err("the same seed gave other verdicts: randomness that is not from the stream?".to_owned());
    }
    same_state(&first, &second, "the second time")
}

/// A second of silence is the same in one step and in many: somebody who looks changes nothing.
///
/// # Errors
/// In words, what differs.
pub fn is_the_same_in_many_steps(
    scheme: &Scheme,
    seed: u64,
    operations: &[(Span, Operation)],
    steps: &[Span],
) -> Result<(), String> {
    let (mut at_once, mut stepped) = (Witness::new(scheme, seed)?, Witness::new(scheme, seed)?);
    at_once.run(operations)?;
    stepped.run(operations)?;
    let mut steps = steps.to_vec();
    steps.sort_unstable();
    for step in steps {
        stepped.port.advance(stepped.now + step);
    }
    for witness in [&mut at_once, &mut stepped] {
        witness.port.advance(witness.now + Span::from_milliseconds(1_000));
    }
    same_state(&at_once, &stepped, "in many steps")
}

/// A link that asks whenever it may, and again at the instants until which it is held back, empties the port.
///
/// # Errors
/// In words, what still waits.
pub fn lets_everything_go(
    scheme: &Scheme,
    seed: u64,
    operations: &[(Span, Operation)],
) -> Result<(), String> {
    const MOST_ASKED: u32 = 20_000;
    let mut witness = Witness::new(scheme, seed)?;
    witness.run(operations)?;
    for _ in 0..MOST_ASKED {
        witness.happen(&Operation::Depart)?;
        if witness.port.packets() == 0 {
            return Ok(());
        }
        witness.now = witness.port.opens().map_or(witness.now, |opens| witness.now.max(opens));
    }
    let waiting = witness.port.packets();
    Err(format!("{waiting} packets wait after {MOST_ASKED} questions at the instants that it named"))
}

/// A scheme that does not ask for the instants of arrivals decides alike if it is given them.
///
/// # Errors
/// In words, that it does not.
pub fn asks_for_what_it_reads(
    scheme: &Scheme,
    seed: u64,
    operations: &[(Span, Operation)],
) -> Result<(), String> {
    if repeats_itself(scheme, seed, operations).is_err() {
        // Another property reports that, and the instants may have nothing to do with it.
        return Ok(());
    }
    let (mut without, mut with) = (Witness::new(scheme, seed)?, Witness::new(scheme, seed)?);
    with.port.keep_arrival_instants();
    without.run(operations)?;
    with.run(operations)?;
    if without.fates == with.fates && same_state(&without, &with, "").is_ok() {
        return Ok(());
    }
    Err("it reads when packets were queued without asking for it: set needs_arrival_instants of a class, or the flag \
         AQMLAB_NEEDS_ARRIVAL_INSTANTS of a library"
        .to_owned())
}

fn same_state(one: &Witness, other: &Witness, how: &str) -> Result<(), String> {
    for (one, other) in one.state()?.iter().zip(&other.state()?) {
        if one != other {
            let (name, one, other) = (one.0, f64::from_bits(one.1), f64::from_bits(other.1));
            return Err(format!("{name} is {one}, and {other} {how}"));
        }
    }
    Ok(())
}

/// Thousands of packets at a link: everything that is reported is a number in its range.
///
/// # Errors
/// In words, what is not.
pub fn works_at(scheme: &Scheme, facts: PortFacts, random: &mut Stream) -> Result<(), String> {
    let mut witness = Witness::at(scheme, facts, random.below(u64::MAX));
    for _ in 0..2_000 {
        witness.now += Span::from_nanoseconds(random.below(20_000));
        let bytes = 1 + random.below(1_500) as u32;
        let codepoint = Codepoint::ALL[random.below(Codepoint::COUNT as u64) as usize];
        let arrival = Operation::Arrive { flow: 1, bytes, codepoint, class: PacketClass::Data };
        witness.happen(if random.uniform() < 0.7 { &arrival } else { &Operation::Depart })?;
        let probability = witness.port.signal_probability().value();
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("a signal probability of {probability}"));
        }
    }
    witness.state()?;
    witness.port.check_conservation().map_err(|error| error.to_string())
}
