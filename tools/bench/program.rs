//! What the counting benchmarks have in common: named cases, each of which does so many steps.
//!
//! `cargo bench -p <crate> -- --list` names the cases of a program, `-- CASE STEPS` runs one and prints one
//! line of JSON, and without a case each runs in turn. Wall clock informs; what compares one version with the
//! next is the number of instructions under `valgrind --tool=callgrind`, as the difference of two numbers of
//! steps: `make bench` and `make bench-check` do that.

use std::time::Instant;

/// Steps of a case when nobody says how many.
const STEPS: u64 = 1_000_000;

/// One thing that is counted.
pub(crate) struct Case {
    name: String,
    run: Box<dyn Fn(u64) -> u64>,
}

impl Case {
    /// A case: `run` does about so many steps and answers how many it did.
    pub(crate) fn new(name: impl Into<String>, run: impl Fn(u64) -> u64 + 'static) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    fn report(&self, steps: u64) {
        let begun = Instant::now();
        let count = (self.run)(steps);
        let nanoseconds = begun.elapsed().as_nanos() as f64 / count as f64;
        println!("{{\"case\":\"{}\",\"count\":{count},\"ns_per_step\":{nanoseconds:.1}}}", self.name);
    }
}

/// Does what the command line asks for.
///
/// # Panics
/// If there is no such case.
pub(crate) fn run(cases: &[Case]) {
    if std::env::args().any(|argument| argument == "--list") {
        return cases.iter().for_each(|case| println!("{}", case.name));
    }
    // Cargo adds options of its own.
    let words: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(wanted) = words.first() else {
        return cases.iter().for_each(|case| case.report(STEPS));
    };
    let steps = words.get(1).map_or(STEPS, |steps| steps.parse().expect("a number of steps"));
    let case = cases.iter().find(|case| case.name == *wanted);
    case.unwrap_or_else(|| panic!("no case `{wanted}`; --list names them")).report(steps);
}
