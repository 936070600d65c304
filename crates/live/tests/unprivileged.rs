//! A live run of a process that may do nothing on this machine but have a user namespace of its own.
//!
//! Not a test of the usual harness, which has threads: a process enters a user namespace before its second
//! one. As root it becomes nobody first, for good.

mod machine;

use aqmlab_live::{Backend, LiveError, prepare};
use nix::sys::prctl::set_dumpable;
use nix::unistd::{Gid, Uid, getppid, getuid, setgid, setgroups, setuid};

const NOBODY: u32 = 65_534;

#[allow(clippy::print_stdout)] // as the usual harness does
fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    if getuid().is_root() {
        become_nobody().unwrap_or_else(|error| panic!("root cannot become nobody: {error}"));
    }
    assert!(!getuid().is_root());
    match prepare(getppid().as_raw().unsigned_abs()) {
        Ok(()) => {}
        Err(LiveError::Missing(what)) => return machine::skip(&what),
        Err(error) => panic!("{error}"),
    }
    // It is root in its own namespace alone.
    assert!(getuid().is_root());
    let mapped = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    assert_eq!(mapped.split_whitespace().nth(2), Some("1"), "one user is all that there is: {mapped}");
    machine::fill_the_link(Backend::of_this_machine());
    println!("an unprivileged run: ok");
}

fn become_nobody() -> nix::Result<()> {
    setgroups(&[])?;
    setgid(Gid::from_raw(NOBODY))?;
    setuid(Uid::from_raw(NOBODY))?;
    // A process that has changed its user is nobody's to look at, not even its own.
    set_dumpable(true)
}
