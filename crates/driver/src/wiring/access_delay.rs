//! The minimum delay of a user's connection.

use aqmlab_random::Key;
use aqmlab_scenario::{DelayOwner, MinimumDelay, Population};
use aqmlab_units::Span;

/// The minimum delays of a population, ready to be looked up.
#[derive(Clone)]
pub(crate) enum AccessDelay {
    /// Drawn by each connection.
    Connection(MinimumDelay),
    /// Fixed for each pair of machines; row per browser machine.
    MachinePair {
        /// Row by row.
        delays: Vec<Span>,
        /// Machines of servers: the length of a row.
        servers: usize,
    },
}

impl AccessDelay {
    /// The delays of a population under the key of its run.
    pub(crate) fn new(population: &Population, key: Key) -> Self {
        let law = population.minimum_delay;
        match law.per {
            DelayOwner::Connection => Self::Connection(law),
            DelayOwner::MachinePair => {
                let servers = population.servers.len();
                let key = key.named("delays of machine pairs").named(&population.name);
                Self::MachinePair { delays: dealt(law, population.browsers.len() * servers, key), servers }
            }
        }
    }

    /// The delay between a browser machine and a server machine, by their places in the population's lists;
    /// `draw` is the connection's own uniform number.
    #[inline]
    pub(crate) fn of(&self, browser: usize, server: usize, draw: f64) -> Span {
        match self {
            Self::Connection(law) => drawn(*law, draw),
            Self::MachinePair { delays, servers } => delays[browser * servers + server],
        }
    }
}

/// A whole number of milliseconds, both ends included; uniform where the power is 1.
#[inline]
fn drawn(law: MinimumDelay, draw: f64) -> Span {
    let choices = f64::from(law.high_ms - law.low_ms) + 1.0;
    let share = if law.power == 1.0 { draw } else { libm::pow(draw, law.power) };
    Span::from_milliseconds(u64::from(law.low_ms) + whole(share * choices))
}

/// The evenly spaced quantiles of the law from its least to its greatest value, in an order drawn at `key`.
fn dealt(law: MinimumDelay, pairs: usize, key: Key) -> Vec<Span> {
    let range = f64::from(law.high_ms - law.low_ms);
    let last = (pairs - 1).max(1) as f64;
    let quantile = |place: usize| f64::from(law.low_ms) + range * libm::pow(place as f64 / last, law.power);
    let mut delays: Vec<Span> =
        (0..pairs).map(|place| Span::from_milliseconds(whole(quantile(place) + 0.5))).collect();
    for place in (1..pairs).rev() {
        let number = place as u64;
        let other = usize::try_from(key.below(number, number + 1)).expect("a place is below another");
        delays.swap(place, other);
    }
    delays
}

/// Rounded down. Delays are at most 100,000 ms.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // what is cut is meant to be
const fn whole(milliseconds: f64) -> u64 {
    milliseconds as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const CAMPUS: MinimumDelay = MinimumDelay {
        low_ms: 7,
        high_ms: 137,
        per: DelayOwner::MachinePair,
        power: 0.806,
        clock_tick: None,
    };

    #[test]
    fn pairs_have_the_least_the_greatest_and_the_mean_of_the_law_whatever_the_seed() {
        let mut first_orders = Vec::new();
        for seed in 0..5 {
            let delays = dealt(CAMPUS, 56, Key::from_seed(seed));
            let milliseconds: Vec<f64> = delays.iter().map(|delay| delay.seconds() * 1e3).collect();
            let mean = milliseconds.iter().sum::<f64>() / 56.0;
            let least = milliseconds.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = milliseconds.iter().copied().fold(0.0, f64::max);
            // 7 + 130/1.806 = 78.98.
            assert!((mean - 79.0).abs() < 0.5, "{mean}");
            assert_eq!((least.round(), greatest.round()), (7.0, 137.0));
            first_orders.push(delays[..8].to_vec());
        }
        first_orders.dedup();
        assert_eq!(first_orders.len(), 5, "each seed deals in its own order");
    }

    #[test]
    fn every_pair_of_machines_has_a_place_of_its_own() {
        let delays: Vec<Span> = (0..6).map(Span::from_milliseconds).collect();
        let table = AccessDelay::MachinePair { delays: delays.clone(), servers: 3 };
        let found: Vec<Span> = (0..2)
            .flat_map(|browser| (0..3).map(move |server| (browser, server)))
            .map(|(b, s)| table.of(b, s, 0.5))
            .collect();
        assert_eq!(found, delays, "a row for each machine of browsers");
    }

    #[test]
    fn a_single_pair_has_the_least_delay() {
        assert_eq!(dealt(CAMPUS, 1, Key::from_seed(1)), [Span::from_milliseconds(7)]);
    }

    #[test]
    fn every_order_can_be_dealt() {
        let law = MinimumDelay {
            low_ms: 1,
            high_ms: 3,
            per: DelayOwner::MachinePair,
            power: 1.0,
            clock_tick: None,
        };
        let orders: BTreeSet<Vec<Span>> = (0..100).map(|seed| dealt(law, 3, Key::from_seed(seed))).collect();
        // Three delays have six orders; that one of them is not among a hundred has a probability of 7e-8.
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn connections_draw_whole_milliseconds_both_ends_included() {
        let law = MinimumDelay {
            low_ms: 10,
            high_ms: 12,
            per: DelayOwner::Connection,
            power: 1.0,
            clock_tick: None,
        };
        let delays = [0.0, 0.34, 0.5, 0.67, 0.999].map(|draw| drawn(law, draw));
        assert_eq!(delays, [10, 11, 11, 12, 12].map(Span::from_milliseconds));
    }

    #[test]
    fn a_power_below_one_draws_more_long_delays() {
        let law = MinimumDelay {
            low_ms: 0,
            high_ms: 99,
            per: DelayOwner::Connection,
            power: 0.5,
            clock_tick: None,
        };
        // The square root of 0.25 is 0.5 of a hundred choices.
        assert_eq!(drawn(law, 0.25), Span::from_milliseconds(50));
    }
}
