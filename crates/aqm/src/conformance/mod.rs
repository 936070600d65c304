//! What every scheme owes, whatever its parameters and whatever happens to it: the conformance suite.
//!
//! ```
//! use aqmlab_aqm::conformance;
//! assert_eq!(conformance::check("red", conformance::CASES), []);
//! ```
//!
//! A scheme is taken from the registry by its name, its parameters are drawn from its JSON schema, and
//! histories of arrivals and departures at random; so there is no line here about any one scheme, and one
//! from outside is tried as those of this crate are. Everything follows from the number of the case: a
//! finding can be had again.

mod history;
mod overload;
mod parameters;
mod properties;
mod stress;
mod witness;

pub use history::{Operation, extreme_history, random_history};
pub use overload::{Offered, keeps_the_link_busy, share_sent};
pub use parameters::{extreme_scheme, random_scheme};
pub use properties::{
    accounts_for_every_packet, asks_for_what_it_reads, is_the_same_in_many_steps, lets_everything_go,
    repeats_itself, works_at,
};
pub use stress::{CROWD, Pressure, Stress, usual_scheme};
pub use witness::{Fate, TestPacket, Witness};

use crate::algorithms::Scheme;
use crate::port_facts::PortFacts;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Span};
use serde_json::Value;

/// How many cases of each property find most mistakes, in seconds.
pub const CASES: u64 = 64;

/// Something that a scheme owes and does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which [property](PROPERTIES).
    pub property: &'static str,
    /// The number of the case.
    pub case: u64,
    /// What is wrong, with the parameters under which it is.
    pub wrong: String,
}

/// One case of a property, of the scheme with this name.
type Property = fn(&str, &mut Stream) -> Result<(), String>;

/// Everything that a scheme owes, as what it passes or fails.
pub const PROPERTIES: [(&str, Property); 9] = [
    ("accounting for every packet, limits, order, marks", ordinary),
    ("packets from 1 byte to 64 KiB, long silences", of_all_sizes),
    ("stress traffic (many flows, one flood, hash collisions, bursts, silence)", under_stress),
    ("same verdicts from the same seed", deterministic),
    ("same state after silence in one step and in many", silent),
    ("draining its queue at the instants it names", drained),
    ("declaring the arrival instants it reads", informed),
    ("keeping an overloaded link busy, and serving again after a burst", offered),
    ("every link, every legal parameter, finite numbers", everywhere),
];

/// Tries so many cases of each property; answers with the first finding of each that fails.
#[must_use]
pub fn check(name: &str, cases: u64) -> Vec<Finding> {
    check_with(name, cases, |case| case())
}

/// As [`check`], where `attempt` carries out a case: it may turn what a scheme does beyond answering into
/// words.
#[must_use]
pub fn check_with(
    name: &str,
    cases: u64,
    attempt: impl Fn(&dyn Fn() -> Result<(), String>) -> Result<(), String>,
) -> Vec<Finding> {
    let finding = |(property, holds): &(&'static str, Property)| {
        let one = |case: u64| {
            let key = Key::from_seed(case).named(property);
            let wrong = attempt(&|| holds(name, &mut key.stream())).err()?;
            Some(Finding { property, case, wrong })
        };
        (0..cases).find_map(one)
    };
    PROPERTIES.iter().filter_map(finding).collect()
}

/// A random scheme that some link takes.
fn at_home(name: &str, random: &mut Stream) -> Result<Scheme, String> {
    const DRAWS: u32 = 1_000;
    for _ in 0..DRAWS {
        let scheme = random_scheme(name, random)?;
        if Witness::new(&scheme, 0).is_ok() {
            return Ok(scheme);
        }
    }
    Err(format!("each of {DRAWS} draws of its legal parameters is refused at every link"))
}

fn ordinary(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = random_history(random);
    of(&scheme, accounts_for_every_packet(&scheme, random.below(u64::MAX), &history))
}

fn of_all_sizes(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = extreme_history(random);
    of(&scheme, accounts_for_every_packet(&scheme, random.below(u64::MAX), &history))
}

fn under_stress(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = usual_scheme(name, random)?;
    let pressure = Pressure::ALL[random.below(Pressure::ALL.len() as u64) as usize];
    let arrivals = 1 + random.below(400);
    let outcome = if scheme.validate_at(&Stress::LINK).is_ok() {
        Stress::new(&scheme, random.below(u64::MAX)).press(pressure, arrivals)
    } else {
        Ok(())
    };
    of(&scheme, outcome.map_err(|wrong| format!("{pressure:?}: {wrong}")))
}

fn deterministic(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = random_history(random);
    of(&scheme, repeats_itself(&scheme, random.below(u64::MAX), &history))
}

fn silent(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = random_history(random);
    let steps = (0..random.below(200)).map(|_| Span::from_nanoseconds(random.below(1_000_000_000)));
    let steps: Vec<Span> = steps.collect();
    of(&scheme, is_the_same_in_many_steps(&scheme, random.below(u64::MAX), &history, &steps))
}

fn drained(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = random_history(random);
    of(&scheme, lets_everything_go(&scheme, random.below(u64::MAX), &history))
}

fn informed(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = at_home(name, random)?;
    let history = random_history(random);
    of(&scheme, asks_for_what_it_reads(&scheme, random.below(u64::MAX), &history))
}

fn offered(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme =
        if random.uniform() < 0.5 { usual_scheme(name, random)? } else { random_scheme(name, random)? };
    let facts = PortFacts::new(Rate::from_bits_per_second([1_000_000, 10_000_000][random.below(2) as usize]));
    let (facts, load) = (facts.with_timer_phase(random.uniform()), Offered::random(random));
    if scheme.validate_at(&facts).is_err() {
        return Ok(());
    }
    of(&scheme, keeps_the_link_busy(&scheme, facts, load, random.below(u64::MAX)))
}

/// Whatever parameters are accepted at whatever link.
fn everywhere(name: &str, random: &mut Stream) -> Result<(), String> {
    let scheme = extreme_scheme(name, random)?;
    // 0.001 to 1,000,000 Mbit/s, as in a scenario.
    let rate = libm::pow(10.0, 3.0 + 9.0 * random.uniform());
    let facts = PortFacts::new(Rate::from_bits_per_second(rate as u64)).with_timer_phase(random.uniform());
    if scheme.validate_at(&facts).is_err() {
        return Ok(());
    }
    of(&scheme, works_at(&scheme, facts, random))
}

/// A failure with the parameters under which it came about.
fn of(scheme: &Scheme, outcome: Result<(), String>) -> Result<(), String> {
    outcome.map_err(|wrong| format!("{wrong}; under {}", shown(scheme)))
}

fn shown(scheme: &Scheme) -> Value {
    let mut table = serde_json::to_value(scheme).unwrap_or_default();
    if let Value::Object(keys) = &mut table {
        keys.retain(|key, value| key != "scheme" && !value.is_null());
    }
    table
}
