//! Sockets as they are made here, and where servers listen.

use crate::error::LiveError;
use crate::hosts::HostSettings;
use crate::router::connections::PROBE_PORT;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrIn, bind, listen, setsockopt, socket, sockopt,
};
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Where servers listen, as in the simulator.
pub(crate) const SERVER_PORT: u16 = 80;

/// The sockets of the servers' namespace.
pub(crate) struct ServerSockets {
    pub(crate) listener: TcpListener,
    /// Answers probes.
    pub(crate) echo: OwnedFd,
    /// Takes datagrams.
    pub(crate) sink: OwnedFd,
}

impl ServerSockets {
    /// Opens them in the namespace of this thread.
    pub(crate) fn open(settings: HostSettings) -> Result<Self, LiveError> {
        let any = Ipv4Addr::UNSPECIFIED;
        let setup = |what: &str| LiveError::setup::<nix::Error>(what.to_owned());
        let listener = bound(SockType::Stream, (any, SERVER_PORT)).map_err(setup("a socket for servers"))?;
        set_congestion_control(&listener, settings)?;
        listen(&listener, Backlog::MAXALLOWABLE).map_err(setup("a socket for servers"))?;
        let echo = bound(SockType::Datagram, (any, PROBE_PORT)).map_err(setup("a socket for probes"))?;
        let sink = bound(SockType::Datagram, (any, SERVER_PORT)).map_err(setup("a socket for datagrams"))?;
        setsockopt(&sink, sockopt::IpRecvTos, &true).map_err(setup("a socket that hears of marks"))?;
        Ok(Self { listener: TcpListener::from(listener), echo, sink })
    }
}

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
