//! A program of the user's own behind the bottleneck, and a server of theirs on the other side of it.
//!
//! Each runs in the namespace of its half, and in a process namespace of its own, so that all that it starts
//! ends with it: when the run does, when this process dies, whatever it dies of.

use crate::clock::{Clock, timeout};
use crate::error::LiveError;
use crate::router::guest::Crossings;
use crate::router::paths::guest_ends;
use aqmlab_driver::{Control, measured_window};
use aqmlab_scenario::{Routes, Scenario};
use aqmlab_units::{Span, Time};
use nix::poll::ppoll;
use serde::Serialize;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// What stands before a command: whoever starts it kills it when it ends, and it takes with it what it
/// started.
const WRAPPED: [&str; 8] =
    ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
/// The round trip of a program whose user says none, unless the links alone take longer.
const USUAL_ROUND_TRIP: Span = Span::from_milliseconds(40);
/// How often it is looked at.
const LOOK: Span = Span::from_milliseconds(5);

/// A program to be run behind the bottleneck, from the begin of the measured window to its own end or that of
/// the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// A command for the other side, which runs from before the start; none if empty.
    pub server: Vec<String>,
    /// The round trip of its packets without queues and transmissions; none for 40 ms, or that of the links
    /// if it is longer.
    pub round_trip: Option<Span>,
}

impl Program {
    /// What the router adds to the round trip of the links.
    ///
    /// # Errors
    /// [`LiveError::Unsupported`]: the links alone take longer than the round trip that was asked for, or the
    /// scenario has nobody in whose place a program could stand.
    pub(crate) fn added_delay(&self, scenario: &Scenario) -> Result<Span, LiveError> {
        let own = links_take(scenario)?;
        let asked = self.round_trip.unwrap_or_else(|| USUAL_ROUND_TRIP.max(own));
        asked.nanoseconds().checked_sub(own.nanoseconds()).map(Span::from_nanoseconds).ok_or_else(|| {
            let [asked, own] = [asked, own].map(|span| span.seconds() * 1e3);
            LiveError::Unsupported(format!("a round trip of {asked} ms: the links alone take {own} ms"))
        })
    }
}

/// The round trip over the links between the ends in whose place programs stand.
fn links_take(scenario: &Scenario) -> Result<Span, LiveError> {
    let nowhere =
        || LiveError::Unsupported("a program replaces a user or flow; the scenario has none".to_owned());
    let [active, passive] = guest_ends(scenario).ok_or_else(nowhere)?;
    let routes = Routes::new(&scenario.network);
    let mut sum = Span::ZERO;
    for [from, to] in [[active, passive], [passive, active]] {
        for link in routes.path(from, to).ok_or_else(nowhere)? {
            sum += scenario.network.link(link).delay;
        }
    }
    Ok(sum)
}

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ran {
    /// Command and arguments.
    pub command: Vec<String>,
    /// Those of its server; empty without one.
    pub server: Vec<String>,
    /// Round trip of its packets without queues and transmissions, in milliseconds.
    pub round_trip_ms: f64,
    /// When it was started, in seconds.
    pub started_s: f64,
    /// When it had ended.
    pub ended_s: f64,
    /// Its exit code, 128 more than the number of a signal that ended it; none if it was still running when
    /// the run ended.
    pub exit_code: Option<i32>,
    /// The exit code of a server that ended before the run did.
    pub server_exit_code: Option<i32>,
    /// Its packets: those that it sent, and those that came back.
    pub packets: Crossings,
}

/// A command that runs, in the namespace of the thread that started it and no longer than that thread.
pub(crate) struct Running(Child);

impl Running {
    /// Starts a command; none if there is none.
    pub(crate) fn start(command: &[String], input: Stdio) -> Result<Option<Self>, LiveError> {
        if command.is_empty() {
            return Ok(None);
        }
        let started = Command::new(WRAPPED[0]).args(&WRAPPED[1..]).args(command).stdin(input).spawn();
        let missing = |_| LiveError::Missing("the command setpriv of util-linux is missing".to_owned());
        Ok(Some(Self(started.map_err(missing)?)))
    }

    /// Its exit code, once it has ended.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.0.try_wait().ok().flatten().map(code)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// As shells say it.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// Runs the program from the begin of the measured window: when it was started and had ended, and its exit
/// code.
pub(crate) fn run(
    program: &Program,
    scenario: &Scenario,
    clock: Clock,
    control: &Control,
) -> Result<Ran, LiveError> {
    let (start, end) = (measured_window(scenario).from, Time::ZERO + scenario.duration);
    while clock.now() < start {
        pause(control)?;
    }
    let mut running = Running::start(&program.command, Stdio::inherit())?;
    let started = clock.now();
    let exit_code = loop {
        let found = running.as_mut().and_then(Running::exit_code);
        if found.is_some() || clock.now() >= end {
            break found;
        }
        pause(control)?;
    };
    let round_trip = links_take(scenario)? + program.added_delay(scenario)?;
    Ok(Ran {
        command: program.command.clone(),
        server: program.server.clone(),
        round_trip_ms: round_trip.seconds() * 1e3,
        started_s: started.seconds(),
        ended_s: clock.now().min(end).seconds(),
        exit_code,
        ..Ran::default()
    })
}

fn pause(control: &Control) -> Result<(), LiveError> {
    control.check().map_err(|_| LiveError::Cancelled)?;
    let _ = ppoll(&mut [], Some(timeout(LOOK)), None);
    Ok(())
}
