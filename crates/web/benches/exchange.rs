//! What a user costs: an exchange with all her decisions and draws, without and with statistics of the
//! traffic, and her start. The network takes no time. `tools/bench/program.rs` says how to run it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark reads a clock and prints")]

#[path = "../tests/driver/mod.rs"]
mod driver;
#[path = "../../../tools/bench/program.rs"]
mod program;

use aqmlab_random::Key;
use aqmlab_units::Span;
use aqmlab_web::{Command, StartRule, Statistics, UncModel, UncParameters, User};
use driver::Browsing;
use program::Case;
use std::hint::black_box;
use std::rc::Rc;

const USERS: u64 = 100;
const PAGE_TIME: Span = Span::from_milliseconds(1_000);

fn start(index: u64, model: &UncModel) -> Browsing {
    let mut commands = Vec::new();
    let mut user = User::new(Key::from_seed(1).named("user").indexed(index), model);
    user.start(model, StartRule::Steady, &mut commands);
    Browsing::new(user, &commands, PAGE_TIME)
}

/// Fetches pages, user by user, until there were so many exchanges. Answers how many.
fn exchanges(model: &UncModel, count: u64, mut see: impl FnMut(&Command)) -> u64 {
    let mut population: Vec<Browsing> = (0..USERS).map(|index| start(index, model)).collect();
    let mut seen = 0;
    let mut next = 0;
    while seen < count {
        population[next].fetch_page(model, &mut |command| {
            seen += u64::from(matches!(command, Command::Request { .. }));
            see(command);
        });
        next = (next + 1) % population.len();
    }
    seen
}

fn starts(model: &UncModel, count: u64) -> u64 {
    (0..count).for_each(|index| drop(black_box(start(index, model))));
    count
}

fn main() {
    let model = Rc::new(driver::model(&UncParameters::default()));
    let (bare, counted, starting) = (Rc::clone(&model), Rc::clone(&model), model);
    program::run(&[
        Case::new("exchange of a UNC user", move |count| exchanges(&bare, count, |_| {})),
        Case::new("exchange of a UNC user, with statistics", move |count| {
            let mut statistics = Statistics::new();
            let seen = exchanges(&counted, count, |command| statistics.record(command));
            black_box(statistics);
            seen
        }),
        Case::new("start of a UNC user", move |count| starts(&starting, count)),
    ]);
}
