//! Many cases, in child processes: an abort, a stack that overflows, memory that runs out or a run that never
//! ends is a finding like any other, and the campaign goes on behind it.
//!
//! A child tells each case before and after it runs it, one line each, so that its parent knows which case it
//! was in when it died or fell silent.
#![allow(clippy::disallowed_methods)] // a campaign has a deadline

use crate::case_number::CaseNumber;
use crate::known::is_known;
use crate::patience::UnderWay;
use crate::trial::{Outcome, Trial, catch_panics};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Memory that a child may have, in KiB of address space: a scenario that needs more is a finding.
const MEMORY_KIB: u64 = 6_000_000;
/// How often a silent child is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The program that serves `run SEED FIRST UNTIL STEP` by calling [`serve`].
    pub program: PathBuf,
    /// Seed of the campaign.
    pub seed: u64,
    /// The first case.
    pub first: u64,
    /// The case behind the last one.
    pub until: u64,
    /// Children at a time.
    pub workers: u64,
    /// When no new case is begun any more.
    pub deadline: Option<Instant>,
    /// Processor time of a case; one that takes more, or waits ten times as long, hangs.
    pub patience: Duration,
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases that ran and broke no law.
    pub passed: u64,
    /// Of these, the cases whose draft needed no mending.
    pub at_once: u64,
    /// Events of all cases that passed.
    pub events: u64,
    /// Cases in which no legal scenario was found.
    pub refused: u64,
    /// Cases that were left out because they would cost too much.
    pub too_costly: u64,
    /// What went wrong in a way that is being mended, by case.
    pub known: BTreeMap<CaseNumber, String>,
    /// What went wrong otherwise, by case.
    pub failed: BTreeMap<CaseNumber, String>,
    /// The slowest case and its milliseconds.
    pub slowest: Option<(u64, CaseNumber)>,
}

impl Report {
    /// How many cases there were.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.passed + self.refused + self.too_costly + self.known.len() as u64 + self.failed.len() as u64
    }

    /// Share of the cases that the scenario check accepted and that were run.
    #[must_use]
    pub fn accepted_share(&self) -> f64 {
        (self.cases() - self.refused - self.too_costly) as f64 / (self.cases() as f64).max(1.0)
    }

    /// What went wrong by category, with the number of cases and the first of them, the most frequent one
    /// first.
    #[must_use]
    pub fn categories(&self) -> Vec<(String, usize, CaseNumber)> {
        let mut all: BTreeMap<String, (usize, CaseNumber)> = BTreeMap::new();
        for (&number, wrong) in self.failed.iter().chain(&self.known) {
            all.entry(category(wrong)).or_insert((0, number)).0 += 1;
        }
        let mut all: Vec<_> = all.into_iter().map(|(wrong, (count, first))| (wrong, count, first)).collect();
        all.sort_by_key(|&(_, count, first)| (std::cmp::Reverse(count), first));
        all
    }

    fn add(&mut self, number: CaseNumber, outcome: &str, milliseconds: u64) {
        let (kind, rest) = outcome.split_once(' ').unwrap_or((outcome, ""));
        match kind {
            "passed" | "mended" => {
                self.passed += 1;
                self.at_once += u64::from(kind == "passed");
                self.events += rest.parse::<u64>().unwrap_or(0);
            }
            "refused" => self.refused += 1,
            "costly" => self.too_costly += 1,
            _ if is_known(rest) => _ = self.known.insert(number, rest.to_owned()),
            _ => _ = self.failed.insert(number, rest.to_owned()),
        }
        self.slowest = self.slowest.max(Some((milliseconds, number)));
    }

    fn merge(&mut self, other: Self) {
        self.passed += other.passed;
        self.at_once += other.at_once;
        self.events += other.events;
        self.refused += other.refused;
        self.too_costly += other.too_costly;
        self.known.extend(other.known);
        self.failed.extend(other.failed);
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// What went wrong without the numbers in it: cases of one cause mostly agree in it.
pub(crate) fn category(wrong: &str) -> String {
    let mut category = String::new();
    for letter in wrong.chars().take(160) {
        let letter = if letter.is_ascii_digit() { '#' } else { letter };
        if !(letter == '#' && category.ends_with('#')) {
            category.push(letter);
        }
    }
    category
}

/// The work of a child: every `step`th case from `first`, told line by line.
///
/// # Errors
/// When nobody listens any more.
pub fn serve(seed: u64, first: u64, until: u64, step: u64) -> io::Result<()> {
    catch_panics();
    let mut out = io::stdout().lock();
    for case in (first..until).step_by(step.max(1) as usize) {
        writeln!(out, "begin {case}")?;
        out.flush()?;
        let told = match Trial::of(CaseNumber { seed, case }).outcome {
            Outcome::Passed { at_once: true, events } => format!("passed {events}"),
            Outcome::Passed { at_once: false, events } => format!("mended {events}"),
            Outcome::Refused(why) => format!("refused {}", one_line(&why)),
            Outcome::TooCostly => "costly".to_owned(),
            Outcome::Failed(wrong) => format!("failed {}", one_line(&wrong)),
        };
        writeln!(out, "end {case} {told}")?;
        out.flush()?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Campaign {
    /// Runs the campaign.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn run(&self) -> io::Result<Report> {
        let mut report = Report::default();
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..self.workers).map(|worker| scope.spawn(move || self.work(worker))).collect();
            for worker in workers {
                report.merge(
                    worker.join().map_err(|_| io::Error::other("a worker of the campaign panicked"))??,
                );
            }
            Ok(report)
        })
    }

    /// One worker's share: a child, and another one behind each case in which it died.
    fn work(&self, worker: u64) -> io::Result<Report> {
        let mut report = Report::default();
        let mut next = self.first + worker;
        while next < self.until && !self.is_over() {
            let mut child = self.spawn(next)?;
            let lines = listen(&mut child);
            next = self.watch(next, &lines, &mut child, &mut report);
            _ = child.kill();
            child.wait()?;
        }
        Ok(report)
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A child that begins with a case, with a limit on its memory where the system has a way to set one.
    fn spawn(&self, first: u64) -> io::Result<Child> {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -v {MEMORY_KIB} 2>/dev/null; exec \"$0\" \"$@\"");
        command.args(["-c", &limited]).arg(&self.program).arg("run");
        command.args([self.seed, first, self.until, self.workers].map(|number| number.to_string()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
    }

    /// Reads what a child tells until it ends, dies or falls silent; answers with the next case.
    fn watch(&self, first: u64, lines: &Receiver<String>, child: &mut Child, report: &mut Report) -> u64 {
        let mut under_way = UnderWay::begun(first, child.id());
        loop {
            let wrong = match lines.recv_timeout(self.patience.min(LOOK)) {
                Ok(line) => {
                    if let Some(case) = line.strip_prefix("begin ").and_then(|case| case.parse().ok()) {
                        under_way = UnderWay::begun(case, child.id());
                        continue;
                    }
                    let told = line.strip_prefix("end ").and_then(|told| told.split_once(' '));
                    let outcome = told.map_or("failed unreadable", |(_, outcome)| outcome);
                    report.add(self.number(under_way.case), outcome, under_way.milliseconds());
                    under_way = UnderWay::begun(under_way.case + self.workers, child.id());
                    if self.is_over() {
                        return self.until;
                    }
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => match under_way.endless(self.patience) {
                    Some(wrong) => wrong,
                    None => continue,
                },
                Err(RecvTimeoutError::Disconnected) if under_way.case >= self.until => return self.until,
                Err(RecvTimeoutError::Disconnected) => match child.wait() {
                    Ok(status) => format!("the process died: {status}"),
                    Err(error) => error.to_string(),
                },
            };
            let number = self.number(under_way.case);
            report.add(number, &format!("failed {wrong}"), under_way.milliseconds());
            return under_way.case + self.workers;
        }
    }

    const fn number(&self, case: u64) -> CaseNumber {
        CaseNumber { seed: self.seed, case }
    }
}

/// The lines of a child, read by a thread of their own so that waiting for one can end.
fn listen(child: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receive
}
