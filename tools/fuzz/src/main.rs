//! `aqmlab-fuzz networks`: random legal networks, run and judged; see `docs/how-to/fuzzing.md`.
#![allow(clippy::disallowed_methods)] // a campaign has a deadline

use aqmlab_fuzz::{Campaign, CaseNumber, Report, Trial, serve, smaller};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Processor time of a case; one that takes more hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Cases when nobody says how many, nor for how long.
const CASES: u64 = 3_000;

const USAGE: &str = "\
aqmlab-fuzz networks [--cases N] [--hours H] [--seed S] [--first N] [--workers N]
                                 random legal networks; 3000 cases of seed 1 unless said otherwise
aqmlab-fuzz replay SEED:CASE     the case again: its scenario, what is wrong, and a smaller scenario
aqmlab-fuzz show SEED:CASE       its scenario alone";

fn main() -> ExitCode {
    command().unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::from(2)
    })
}

fn command() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", seed, first, until, step] => {
            serve(seed.parse()?, first.parse()?, until.parse()?, step.parse()?)?;
            Ok(ExitCode::SUCCESS)
        }
        [] | ["help"] | [.., "--help" | "-h"] => {
            writeln!(io::stdout(), "{USAGE}")?;
            Ok(ExitCode::SUCCESS)
        }
        ["networks", options @ ..] => networks(options),
        ["replay", number] => replay(number.parse()?),
        ["show", number] => {
            write!(io::stdout(), "{}", Trial::text_of(number.parse()?))?;
            Ok(ExitCode::SUCCESS)
        }
        [word, ..] => Err(format!("{word}: no command, or not so many words behind it\n{USAGE}").into()),
    }
}

/// Options of a campaign, as they were given.
#[derive(Default)]
struct Options {
    cases: Option<u64>,
    hours: Option<f64>,
    seed: Option<u64>,
    first: Option<u64>,
    workers: Option<u64>,
}

impl Options {
    fn read(words: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self::default();
        for pair in words.chunks(2) {
            let &[name, value] = pair else {
                return Err(format!("{}: its value is missing", pair[0]).into());
            };
            let wrong = |what: &str| format!("{name}: {value:?} is no {what}");
            let whole = || value.parse::<u64>().map_err(|_| wrong("whole number"));
            match name {
                "--cases" => options.cases = Some(whole()?),
                "--seed" => options.seed = Some(whole()?),
                "--first" => options.first = Some(whole()?),
                "--workers" => options.workers = Some(whole()?),
                "--hours" => {
                    let hours = value.parse().ok().filter(|hours| (0.0..=1e6).contains(hours));
                    options.hours = Some(hours.ok_or_else(|| wrong("number of hours from 0 to 1e6"))?);
                }
                _ => return Err(format!("{name}: no option of networks\n{USAGE}").into()),
            }
        }
        Ok(options)
    }
}

/// The campaign that the options ask for.
fn networks(words: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::read(words)?;
    let first = options.first.unwrap_or(0);
    let cases = options.cases.unwrap_or(if options.hours.is_some() { u64::MAX / 2 } else { CASES });
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let campaign = Campaign {
        program: std::env::current_exe()?,
        seed: options.seed.unwrap_or(1),
        first,
        until: first.saturating_add(cases),
        workers: options.workers.unwrap_or(cores).max(1),
        deadline: options.hours.map(|hours| Instant::now() + Duration::from_secs_f64(hours * 3600.0)),
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
