//! Sockets as they are made here, and where servers listen.

use crate::error::LiveError;
use crate::hosts::HostSettings;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, bind, setsockopt, socket, sockopt};
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Where servers listen, as in the simulator.
pub(crate) const SERVER_PORT: u16 = 80;

/// Has a socket use the congestion control of these settings.
pub(crate) fn set_congestion_control(socket: &impl AsFd, settings: HostSettings) -> Result<(), LiveError> {
    let name = OsString::from(settings.congestion_control());
    let what = format!("congestion control {}", settings.congestion_control());
    setsockopt(socket, sockopt::TcpCongestion, &name).map_err(LiveError::setup(what))
}

/// A socket at an address and port, which never blocks.
pub(crate) fn bound(kind: SockType, (at, port): (Ipv4Addr, u16)) -> nix::Result<OwnedFd> {
    let socket = socket(AddressFamily::Inet, kind, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    bind(socket.as_raw_fd(), &address(at, port))?;
    Ok(socket)
}

pub(crate) fn address(at: Ipv4Addr, port: u16) -> SockaddrIn {
    SockaddrIn::from(SocketAddrV4::new(at, port))
}

pub(crate) fn no_address() -> LiveError {
    LiveError::Unsupported("a machine has opened more connections than it has addresses and ports".to_owned())
}
