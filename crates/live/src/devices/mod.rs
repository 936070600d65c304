//! The ways to the packets of a namespace: a TUN device, or a pair of veth devices with a packet socket at
//! one end.
//!
//! | file | idea |
//! | --- | --- |
//! | `packet_socket.rs` | a packet socket (AF_PACKET), and what its frames are |
//! | `offloads.rs` | has a veth device send what a wire would carry |

mod offloads;
mod packet_socket;

use crate::error::LiveError;
use crate::packet::headers::{MTU, Refusal};
use nix::poll::{PollFd, PollFlags};
pub(crate) use packet_socket::{ETHERNET_BYTES, PacketSocket, packet_of_frame};
use std::fs::OpenOptions;
use std::os::fd::AsFd;
use tappers::{Interface, Tun};

/// What the device of the hosts is called, in either namespace.
pub(crate) const HOSTS: &str = "aqmlab0";
/// What the router's end of a pair is called.
const ROUTER: &str = "aqmlab1";
/// Addresses of both ends, and that of a gateway that nobody has: what is sent to it is the router's alone,
/// because the kernel behind the router's end takes nothing that is addressed to others.
const HOSTS_ETHERNET: [u8; 6] = [2, 0, 0, 0, 0, 1];
const ROUTER_ETHERNET: [u8; 6] = [2, 0, 0, 0, 0, 2];
const GATEWAY_ETHERNET: [u8; 6] = [2, 0, 0, 0, 0, 3];
const GATEWAY: &str = "169.254.0.1";
/// Packets that the kernel holds for the router while it is late.
const TUN_QUEUE: u32 = 20_000;
/// Room for a frame of a byte too many, so that it is seen to be too long.
pub(crate) const ROOM: usize = ETHERNET_BYTES + MTU + 1;

/// How packets come to the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A TUN device, which needs a `/dev/net/tun` that may be opened.
    Tun,
    /// A packet socket at the end of a pair of veth devices, which needs nothing but the namespace.
    AfPacket,
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Tun, Self::AfPacket];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tun => "tun",
            Self::AfPacket => "af-packet",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|backend| backend.name() == name)
    }

    /// TUN devices, where this process may open them, and packet sockets elsewhere.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let opened = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
        if opened.is_ok() { Self::Tun } else { Self::AfPacket }
    }

    /// What iproute2 is told before the device is opened.
    pub(crate) fn making(self) -> String {
        match self {
            Self::Tun => String::new(),
            Self::AfPacket => format!(
                "link add {HOSTS} address {} type veth peer name {ROUTER} address {}\n",
                ethernet(HOSTS_ETHERNET),
                ethernet(ROUTER_ETHERNET),
            ),
        }
    }

    /// What iproute2 is told once it is there, up to the routes; the queue of a pair is the socket's.
    pub(crate) fn raising(self) -> String {
        match self {
            Self::Tun => format!("link set {HOSTS} mtu {MTU} txqueuelen {TUN_QUEUE} up\n"),
            Self::AfPacket => format!(
                "link set {ROUTER} mtu {MTU} up\nlink set {HOSTS} mtu {MTU} up\n\
                 neigh add {GATEWAY} lladdr {} dev {HOSTS} nud permanent\n",
                ethernet(GATEWAY_ETHERNET)
            ),
        }
    }

    /// Where a route through the device leads.
    pub(crate) fn way(self) -> String {
        match self {
            Self::Tun => format!("dev {HOSTS}"),
            // One neighbour for all addresses: a table of neighbours is far smaller than a network.
            Self::AfPacket => format!("via {GATEWAY} dev {HOSTS} onlink"),
        }
    }

    /// Opens the device of this thread's namespace, which was made where that is the kernel's to do.
    pub(crate) fn open(self) -> Result<Device, LiveError> {
        match self {
            Self::Tun => {
                let name = Interface::new(HOSTS).map_err(LiveError::setup("a name of a device"))?;
                let mut tun = Tun::new_named(name)
                    .map_err(|error| LiveError::Missing(format!("no TUN device: {error}")))?;
                tun.set_nonblocking(true).map_err(LiveError::setup("the device"))?;
                Ok(Device::Tun(tun))
            }
            Self::AfPacket => {
                offloads::switch_off(HOSTS)?;
                let socket = PacketSocket::at(ROUTER, (ROUTER_ETHERNET, HOSTS_ETHERNET))
                    .map_err(|error| LiveError::Missing(format!("no packet socket: {error}")))?;
                Ok(Device::Socket(socket))
            }
        }
    }

    /// The devices of a namespace that count what they drop because nobody took it in time.
    pub(crate) const fn dropping(self) -> &'static [&'static str] {
        match self {
            Self::Tun => &[HOSTS],
            Self::AfPacket => &[HOSTS, ROUTER],
        }
    }
}

fn ethernet(address: [u8; 6]) -> String {
    address.map(|byte| format!("{byte:02x}")).join(":")
}

/// Where the router takes the packets of a namespace and hands packets to it.
pub(crate) enum Device {
    Tun(Tun),
    Socket(PacketSocket),
}

impl Device {
    /// The next packet that waits, if one does; or why what waited is none.
    pub(crate) fn take<'a>(&mut self, bytes: &'a mut [u8; ROOM]) -> Option<Result<&'a [u8], Refusal>> {
        match self {
            Self::Tun(tun) => {
                let length = tun.recv(&mut bytes[..]).ok()?;
                Some(Ok(&bytes[..length]))
            }
            Self::Socket(socket) => {
                let length = socket.take(bytes)?;
                Some(packet_of_frame(&bytes[..length]))
            }
        }
    }

    /// Whether a packet could be handed over.
    pub(crate) fn hand_over(&self, packet: &[u8]) -> bool {
        match self {
            Self::Tun(tun) => tun.send(packet).is_ok(),
            Self::Socket(socket) => socket.hand_over(packet),
        }
    }

    /// Packets that waited for the router and had no room.
    pub(crate) fn overflows(&self) -> u64 {
        match self {
            // The device counts them.
            Self::Tun(_) => 0,
            Self::Socket(socket) => socket.overflows(),
        }
    }

    pub(crate) fn readable(&self) -> PollFd<'_> {
        match self {
            Self::Tun(tun) => PollFd::new(tun.as_fd(), PollFlags::POLLIN),
            Self::Socket(socket) => PollFd::new(socket.as_fd(), PollFlags::POLLIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_have_the_names_by_which_they_are_found() {
        for backend in Backend::ALL {
            assert_eq!(Backend::named(backend.name()), Some(backend));
        }
        assert_eq!(Backend::named("xdp"), None);
    }
}
