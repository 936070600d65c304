//! How a run is scheduled: before everybody else, as far as the machine allows it.
//!
//! The router goes before the applications, and probes, which the applications send, are no better off than
//! they. Both threads sleep whenever nothing is due, so the kernel's limit for real-time threads (95 % of a
//! second, sched(7)) is not met. Where there are two cores, the router has one to itself as far as the run is
//! concerned: whoever else is there waits for it.
//!
//! An idle processor falls asleep, and takes its time to wake, a virtual one as much as its hypervisor likes:
//! on an idle machine packets are later than on a busy one. The kernel keeps processors awake for whoever
//! holds `/dev/cpu_dma_latency` open and has asked for no latency (Documentation/power/pm_qos_interface), as
//! measurements of its latency do; with the process the wish is gone.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::prctl::set_timerslack;
use nix::unistd::{Pid, gettid, setsid};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};

/// A thread of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Router,
    Applications,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Self::Router => "router",
            Self::Applications => "applications",
        }
    }

    /// Priority among real-time threads.
    const fn priority(self) -> &'static str {
        match self {
            Self::Router => "10",
            Self::Applications => "5",
        }
    }
}

/// How a process is scheduled, for as long as this is there.
pub(crate) struct Hurry {
    /// What was had, in the words of the audit.
    pub(crate) had: String,
    /// The wish lasts as long as the file is open.
    _awake: Option<File>,
}

/// Puts the process before others, what it has in memory beyond the reach of those who want memory, and
/// processors beyond that of sleep.
pub(crate) fn of_process() -> Hurry {
    // A session has one share of the machine, whatever its threads' niceness (sched(7), "The autogroup
    // feature").
    let _ = setsid();
    let session = fs::write("/proc/self/autogroup", "-20").map_or("", |()| "session at nice -20; ");
    // Not what is to come: others in this process reserve far more than they use.
    let memory = mlockall(MlockAllFlags::MCL_CURRENT).map_or("", |()| "memory locked; ");
    let awake = keep_processors_awake().ok();
    let processors = if awake.is_some() { "processors kept awake; " } else { "" };
    Hurry { had: format!("{session}{memory}{processors}"), _awake: awake }
}

/// Until the file is closed.
fn keep_processors_awake() -> std::io::Result<File> {
    let mut file = OpenOptions::new().write(true).open("/dev/cpu_dma_latency")?;
    file.write_all(&0_i32.to_ne_bytes())?; // microseconds
    Ok(file)
}

/// Puts the calling thread before others, and has it woken when it asked to be; answers with what was had.
pub(crate) fn hurry_thread(role: Role) -> String {
    let slack = set_timerslack(1).map_or("", |()| ", timer slack 1 ns");
    let thread = gettid().to_string();
    let chrt = Command::new("chrt")
        .args(["--fifo", "--reset-on-fork", "--pid", role.priority(), &thread])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let class = match chrt {
        Ok(status) if status.success() => format!("SCHED_FIFO {}", role.priority()),
        _ => "no real-time class".to_owned(),
    };
    let cores = pin(role).map(|cores| format!(", {cores}")).unwrap_or_default();
    format!("{}: {class}{slack}{cores}", role.name())
}

/// Gives the router the last core that the process may have, and the applications the others; none with one
/// core.
fn pin(role: Role) -> Option<String> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let cores: Vec<usize> = (0..CpuSet::count()).filter(|&core| allowed.is_set(core) == Ok(true)).collect();
    let (last, others) = cores.split_last().filter(|(_, others)| !others.is_empty())?;
    let own = if role == Role::Router { std::slice::from_ref(last) } else { others };
    let mut set = CpuSet::new();
    for &core in own {
        set.set(core).ok()?;
    }
    sched_setaffinity(Pid::from_raw(0), &set).ok()?;
    let named: Vec<String> = own.iter().map(ToString::to_string).collect();
    Some(format!("core {}", named.join(", ")))
}
