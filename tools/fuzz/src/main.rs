//! `aqmlab-fuzz networks`: random legal networks, run and judged. `docs/fuzzing.md` says how it is used.
//!
//! ```text
//! aqmlab-fuzz networks [--cases N] [--hours H] [--seed S] [--first N] [--workers N]
//! aqmlab-fuzz replay SEED:CASE     the case again: its scenario, what is wrong, and a smaller scenario
//! aqmlab-fuzz show SEED:CASE       its scenario alone
//! ```
#![allow(clippy::disallowed_methods)] // a campaign has a deadline

use aqmlab_fuzz::{Campaign, CaseNumber, Report, Trial, serve, smaller};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A case that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Cases when nobody says how many, nor for how long.
const CASES: u64 = 3_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", seed, first, until, step] => {
            serve(seed.parse()?, first.parse()?, until.parse()?, step.parse()?)?;
            Ok(ExitCode::SUCCESS)
        }
        ["networks", options @ ..] => networks(options),
        ["replay", number] => replay(number.parse()?),
        ["show", number] => {
            write!(io::stdout(), "{}", Trial::text_of(number.parse()?))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err("say networks, replay SEED:CASE or show SEED:CASE".into()),
    }
}

/// The campaign that the options ask for.
fn networks(options: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    let option = |name: &str| {
        let at = options.iter().position(|word| *word == name)?;
        options.get(at + 1).copied()
    };
    let whole = |name: &str, default: u64| option(name).map_or(Ok(default), str::parse);
    let hours: Option<f64> = option("--hours").map(str::parse).transpose()?;
    let first = whole("--first", 0)?;
    let cases = whole("--cases", if hours.is_some() { u64::MAX / 2 } else { CASES })?;
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let campaign = Campaign {
        program: std::env::current_exe()?,
        seed: whole("--seed", 1)?,
        first,
        until: first.saturating_add(cases),
        workers: whole("--workers", workers)?,
        deadline: hours.map(|hours| Instant::now() + Duration::from_secs_f64(hours * 3600.0)),
        patience: PATIENCE,
    };
    let begun = Instant::now();
    let report = campaign.run()?;
    tell(&report, begun.elapsed())?;
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(report: &Report, taken: Duration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} random networks in {:.0} s: {} passed ({} legal at once, {} events), {} failed, {} known to fail, {} refused, {} too costly; \
         {:.1} % accepted",
        report.cases(),
        taken.as_secs_f64(),
        report.passed,
        report.at_once,
        report.events,
        report.failed.len(),
        report.known.len(),
        report.refused,
        report.too_costly,
        100.0 * report.accepted_share(),
    )?;
    if let Some((milliseconds, number)) = report.slowest {
        writeln!(out, "slowest: {number} with {milliseconds} ms")?;
    }
    for (wrong, count, first) in report.categories() {
        writeln!(out, "{count:5}  {first}  {wrong}")?;
    }
    for (number, wrong) in report.failed.iter().take(20) {
        writeln!(out, "failed {number}: {wrong}\n       again: make fuzz-networks CASE={number}")?;
    }
    Ok(())
}

/// Runs one case in a child, so that its death is told too, and prints its scenario.
fn replay(number: CaseNumber) -> Result<ExitCode, Box<dyn Error>> {
    let text = Trial::text_of(number);
    let campaign = Campaign {
        program: std::env::current_exe()?,
        seed: number.seed,
        first: number.case,
        until: number.case + 1,
        workers: 1,
        deadline: None,
        patience: PATIENCE,
    };
    let report = campaign.run()?;
    let mut out = io::stdout().lock();
    writeln!(out, "# case {number}, seed {} of the run\n{text}", number.case)?;
    let Some(wrong) = report.failed.get(&number).or(report.known.get(&number)) else {
        writeln!(out, "# nothing is wrong")?;
        return Ok(ExitCode::SUCCESS);
    };
    writeln!(out, "# {wrong}")?;
    out.flush()?;
    // What kills the process cannot be made smaller within it.
    let survives = !wrong.starts_with("the process died") && !wrong.starts_with("no end after");
    if survives {
        writeln!(out, "\n# the same in a smaller scenario\n{}", smaller(&text, number.case))?;
    }
    Ok(ExitCode::FAILURE)
}
