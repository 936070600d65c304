//! The two namespaces of a run, one for those who open connections and one for those who answer.
//!
//! Each is made by the thread that will live in it, has no name, and dies with the process. Nothing outside
//! of it is touched: devices, addresses, routes and settings belong to it alone.

use crate::addresses::{ANSWERER, GUEST, Half};
use crate::devices::{Backend, Device};
use crate::error::LiveError;
use crate::hosts::HostSettings;
use crate::privileges::no_network;
use nix::sched::{CloneFlags, unshare};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

impl Half {
    /// Addresses of this half.
    const fn network(self) -> &'static str {
        match self {
            Self::Active => "10.0.0.0/9",
            Self::Passive => "10.128.0.0/9",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Active => Self::Passive,
            Self::Passive => Self::Active,
        }
    }
}

/// Moves the calling thread into a new network namespace, sets it up, and answers with the device at which
/// the router takes its packets.
pub(crate) fn enter(
    half: Half,
    settings: HostSettings,
    ecn: bool,
    backend: Backend,
) -> Result<Device, LiveError> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(no_network)?;
    write("ipv6/conf/all/disable_ipv6", "1").ok();
    let making = backend.making();
    if !making.is_empty() {
        ip(&making)?;
    }
    let device = backend.open()?;
    for (file, value) in settings.sysctls() {
        write_checked(file, value)?;
    }
    write_checked("tcp_ecn", if ecn { "1" } else { "0" })?;
    write("core/somaxconn", "65535").map_err(LiveError::setup("net.core.somaxconn"))?;
    // A kernel may allow it for single sockets alone, which are told as well.
    write("ipv4/tcp_congestion_control", settings.congestion_control()).ok();
    // Where a socket that is bound to no address sends from. A device has it, because programs that look
    // names up with AI_ADDRCONFIG (getaddrinfo(3)), netperf among them, find no IPv4 without.
    let source = if half == Half::Active { GUEST } else { ANSWERER };
    ip(&format!(
        "link set lo up\naddress add {source}/32 dev lo\n{raising}route add local {own} dev lo\nroute add {other} {way} src {source}{attributes}\n",
        raising = backend.raising(),
        way = backend.way(),
        own = half.network(),
        other = half.other().network(),
        attributes = settings.route_attributes(),
    ))?;
    Ok(device)
}

/// Packets that the devices of this thread's namespace have dropped because nobody took them in time.
pub(crate) fn device_drops(backend: Backend) -> u64 {
    let table = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    let of_device = |device: &&str| -> Option<u64> {
        let row = table.lines().find_map(|line| line.trim().strip_prefix(*device)?.strip_prefix(':'))?;
        // Eight columns of what was received, then bytes, packets, errors and drops of what was to be sent.
        row.split_whitespace().nth(11)?.parse().ok()
    };
    backend.dropping().iter().filter_map(of_device).sum()
}

/// A counter of this thread's namespace, such as `TcpExt` `TCPTimeouts`.
pub(crate) fn counter(group: &str, name: &str) -> u64 {
    let read = |file: &str| fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default();
    let text = read("snmp") + &read("netstat");
    let mut rows = text.lines().filter_map(|line| line.strip_prefix(group)?.strip_prefix(": "));
    let (Some(names), Some(values)) = (rows.next(), rows.next()) else { return 0 };
    let mut pairs = names.split_whitespace().zip(values.split_whitespace());
    pairs.find(|(found, _)| *found == name).and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
}

fn write(file: &str, value: &str) -> std::io::Result<()> {
    fs::write(format!("/proc/sys/net/{file}"), value)
}

/// Writes a setting and sees whether it was taken.
fn write_checked(file: &str, value: &str) -> Result<(), LiveError> {
    let name = format!("net.ipv4.{}", file.replace('/', "."));
    write(&format!("ipv4/{file}"), value).map_err(LiveError::setup(name.clone()))?;
    let found = fs::read_to_string(format!("/proc/sys/net/ipv4/{file}")).unwrap_or_default();
    if found.trim() == value {
        return Ok(());
    }
    Err(LiveError::Unsupported(format!("{name}: the kernel made {} of {value}", found.trim())))
}

/// Has `ip` carry out commands, one a line.
pub(crate) fn ip(commands: &str) -> Result<(), LiveError> {
    command("ip", commands)
}

/// Has a program of iproute2 carry out commands, one a line.
pub(crate) fn command(program: &str, commands: &str) -> Result<(), LiveError> {
    let started = Command::new(program)
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let missing = |_| LiveError::Missing(format!("the command {program} of iproute2 is missing"));
    let mut child = started.map_err(missing)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(commands.as_bytes()).map_err(LiveError::setup(program))?;
    }
    let output = child.wait_with_output().map_err(LiveError::setup(program))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let what = if program == "ip" { "a device or a route" } else { "a queue discipline" };
    Err(LiveError::Unsupported(format!("{program} refused {what}: {said}")))
}
