//! How a run is scheduled: before everybody else, as far as the machine allows it.

use nix::sys::prctl::set_timerslack;
use nix::unistd::{gettid, setsid};
use std::fs;
use std::process::{Command, Stdio};

/// Priorities among real-time threads, both of which sleep whenever nothing is due: the router's, and the applications'.
pub(crate) const ROUTER: &str = "10";
pub(crate) const APPLICATIONS: &str = "5";

/// Puts the process before others; answers with what was had.
pub(crate) fn of_process() -> &'static str {
    // A session has one share of the machine, whatever its threads' niceness (sched(7), "The autogroup feature").
    let _ = setsid();
    match fs::write("/proc/self/autogroup", "-20") {
        Ok(()) => "session at nice -20, ",
        Err(_) => "",
    }
}

/// Puts the calling thread before others, and has it woken when it asked to be; answers with what was had.
pub(crate) fn hurry_thread(priority: &str) -> String {
    let slack = if set_timerslack(1).is_ok() { "timer slack 1 ns, " } else { "" };
    let thread = gettid().to_string();
    let chrt = Command::new("chrt")
        .args(["--fifo", "--pid", priority, &thread])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let class = if chrt.is_ok_and(|status| status.success()) { "SCHED_FIFO" } else { "no real-time class" };
    format!("{slack}{class}")
}
