//! What a process needs for a live run, and how it gets it without being root.

use crate::error::LiveError;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{getgid, getppid, getuid};
use std::fs;

/// Network namespaces are refused.
pub(crate) fn no_network(error: nix::Error) -> LiveError {
    LiveError::Missing(format!("no network namespace: {error}"))
}

/// Makes this process one for live runs: it dies with its parent, has as many descriptors as it may, and may
/// make network namespaces: where root may, as root, and elsewhere as the root of a user namespace of its
/// own. Its own network is an empty one from then on. To be called before the process has a second thread.
///
/// # Errors
/// [`LiveError::Missing`]: the system allows neither; [`LiveError::Cancelled`]: the parent, which has this
/// number, is gone.
pub fn prepare(parent: u32) -> Result<(), LiveError> {
    set_pdeathsig(Signal::SIGKILL).map_err(LiveError::setup("a signal at the parent's death"))?;
    if u32::try_from(getppid().as_raw()) != Ok(parent) {
        // It died before it could be heard of.
        return Err(LiveError::Cancelled);
    }
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
    // Root of a container may not, as a rule.
    if unshare(CloneFlags::CLONE_NEWNET).is_ok() {
        return Ok(());
    }
    let (user, group) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| match error {
        nix::Error::EINVAL => LiveError::Run("the process has a second thread already (a bug)".to_owned()),
        _ => LiveError::Missing(format!("no user namespace: {error}")),
    })?;
    let write = |file: &str, text: String| {
        let what = format!("no user namespace: {file}");
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| LiveError::Missing(format!("{what}: {error}")))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("0 {user} 1"))?;
    write("gid_map", format!("0 {group} 1"))?;
    unshare(CloneFlags::CLONE_NEWNET).map_err(no_network)
}
