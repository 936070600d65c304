//! What a random number costs: bare, from a key derived for it, and through the laws that web users draw
//! from. `tools/bench/program.rs` says how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_random::{EmpiricalTable, Equilibrium, Interpolation, Key, Law, LognormalPareto};
use program::Case;
use std::hint::black_box;

/// Knots of the measured table: as many as a published CDF file has, roughly.
const KNOTS: u32 = 500;

/// A case that draws numbers 0, 1, 2, … and adds the values up, so that none is left out.
fn case(name: &str, draw: impl Fn(u64) -> f64 + 'static) -> Case {
    Case::new(name, move |count| {
        black_box((0..count).map(|n| draw(black_box(n))).sum::<f64>());
        count
    })
}

/// Response sizes of the UNC model.
fn sizes() -> LognormalPareto {
    LognormalPareto::new(1_000.0, 1.8348, 1.2673, 1e9)
}

fn table() -> EmpiricalTable {
    let knot = |n: u32| (f64::from(n * n), f64::from(n) / f64::from(KNOTS));
    let knots: Vec<(f64, f64)> = (1..=KNOTS).map(knot).collect();
    EmpiricalTable::new(&knots, Interpolation::Linear).expect("an increasing table")
}

fn main() {
    let key = Key::from_seed(1).named("user");
    let laws = [
        ("exponential law", Law::Exponential { mean: 30.0 }),
        ("geometric law", Law::Geometric { mean: 5.0 }),
        ("size quantile, lognormal and Pareto", Law::LognormalPareto(sizes())),
        ("measured table of 500 knots", Law::Empirical(table())),
    ];
    let mut cases = vec![
        case("uniform number", move |n| key.uniform(n)),
        case("uniform number of a derived key", move |n| key.indexed(n).named("think").uniform(0)),
    ];
    cases.extend(laws.map(|(name, law)| case(name, move |n| law.draw(key, n))));
    let residual = Equilibrium::new(Law::LognormalPareto(sizes()));
    cases.push(case("residual life of the size law", move |n| residual.draw(key, n)));
    program::run(&cases);
}
