//! What one exchange costs, all of a user's decisions and draws included, and what a model costs to prepare.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads the clock and prints")]

#[path = "../tests/driver/mod.rs"]
mod driver;

use aqmlab_random::Key;
use aqmlab_units::Span;
use aqmlab_web::{Command, StartRule, Statistics, UncModel, UncParameters, User};
use driver::Browsing;
use std::time::Instant;

fn main() {
    let begin = Instant::now();
    let model = driver::model(&UncParameters::default());
    println!("preparing a model: {:.2} ms", begin.elapsed().as_secs_f64() * 1e3);
    for users in [1_000_u64, 10_000, 100_000] {
        let mut commands = Vec::new();
        let begin = Instant::now();
        let mut population: Vec<Browsing> = (0..users)
            .map(|index| {
                commands.clear();
                let mut user = User::new(Key::from_seed(1).named("user").indexed(index), &model);
                user.start(&model, StartRule::Steady, &mut commands);
                Browsing::new(user, &commands, Span::from_milliseconds(1000))
            })
            .collect();
        let starting = begin.elapsed().as_secs_f64() * 1e9 / users as f64;
        let pages = 2_000_000 / (5 * users) + 1;
        let alone = nanoseconds_per_exchange(&mut population, &model, pages, &mut |_| {});
        let mut statistics = Statistics::new();
        let counted = nanoseconds_per_exchange(&mut population, &model, pages, &mut |command| {
            statistics.record(command);
        });
        println!(
            "{users} users: {starting:.0} ns to start one; per exchange {alone:.0} ns, with statistics {counted:.0} ns"
        );
    }
}

/// The time of `pages` pages of every user, over the exchanges that they have on average.
fn nanoseconds_per_exchange(
    population: &mut [Browsing],
    model: &UncModel,
    pages: u64,
    see: &mut impl FnMut(&Command),
) -> f64 {
    let begin = Instant::now();
    for _ in 0..pages {
        for user in population.iter_mut() {
            user.fetch_page(model, see);
        }
    }
    let exchanges = model.mean_objects_per_page() * (pages * population.len() as u64) as f64;
    begin.elapsed().as_secs_f64() * 1e9 / exchanges
}
