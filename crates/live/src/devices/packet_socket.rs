//! A packet socket: reads the frames that come to a device and writes such as leave it (packet(7)).

use crate::packet::headers::Refusal;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockProtocol, SockType, bind, recvmsg, sendmsg,
    setsockopt, socket, sockopt,
};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Two addresses and a type (IEEE 802.3).
pub(crate) const ETHERNET_BYTES: usize = 14;
const IPV4: [u8; 2] = [0x08, 0x00];
/// What the kernel holds for the router while it is late, in bytes; an unprivileged process gets less.
const WAITING_BYTES: usize = 1 << 26;

/// A packet socket at a device.
pub(crate) struct PacketSocket {
    socket: OwnedFd,
    /// What stands before each packet that is written.
    header: [u8; ETHERNET_BYTES],
    /// Room for what the kernel says beside a frame.
    beside: Vec<u8>,
    /// Frames that had no room, as the kernel counted them until the last frame came.
    overflows: u32,
}

impl PacketSocket {
    /// A socket at a device of this thread's namespace that writes frames from one address to another.
    pub(crate) fn at(device: &str, (from, to): ([u8; 6], [u8; 6])) -> nix::Result<Self> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll)?;
        let mut devices = getifaddrs()?.filter(|found| found.interface_name == device);
        let address =
            devices.find_map(|found| found.address?.as_link_addr().copied()).ok_or(Errno::ENODEV)?;
        bind(socket.as_raw_fd(), &address)?;
        setsockopt(&socket, sockopt::RxqOvfl, &1)?;
        if setsockopt(&socket, sockopt::RcvBufForce, &WAITING_BYTES).is_err() {
            setsockopt(&socket, sockopt::RcvBuf, &WAITING_BYTES)?;
        }
        let mut header = [0; ETHERNET_BYTES];
        header[..6].copy_from_slice(&to);
        header[6..12].copy_from_slice(&from);
        header[12..].copy_from_slice(&IPV4);
        Ok(Self { socket, header, beside: cmsg_space!(u32), overflows: 0 })
    }

    /// The length of the next frame that waits, if one does; what is longer than there is room for is cut
    /// off.
    pub(crate) fn take(&mut self, bytes: &mut [u8]) -> Option<usize> {
        let mut parts = [IoSliceMut::new(bytes)];
        let beside = Some(&mut self.beside[..]);
        let frame =
            recvmsg::<()>(self.socket.as_raw_fd(), &mut parts, beside, MsgFlags::MSG_DONTWAIT).ok()?;
        for said in frame.cmsgs().into_iter().flatten() {
            if let ControlMessageOwned::RxqOvfl(count) = said {
                self.overflows = count;
            }
        }
        Some(frame.bytes)
    }

    /// Whether a packet could be written.
    pub(crate) fn hand_over(&self, packet: &[u8]) -> bool {
        let parts = [IoSlice::new(&self.header), IoSlice::new(packet)];
        sendmsg::<()>(self.socket.as_raw_fd(), &parts, &[], MsgFlags::MSG_DONTWAIT, None).is_ok()
    }

    /// Writes a frame of this header and this packet.
    ///
    /// # Errors
    /// What the kernel says: `ENOBUFS` where a queue discipline has thrown the frame away.
    pub(crate) fn send_frame(&self, header: &[u8; ETHERNET_BYTES], packet: &[u8]) -> nix::Result<()> {
        let parts = [IoSlice::new(header), IoSlice::new(packet)];
        sendmsg::<()>(self.socket.as_raw_fd(), &parts, &[], MsgFlags::MSG_DONTWAIT, None).map(|_| ())
    }

    /// Has the kernel hold as much of what was written as a queue discipline may, where it may: what waits
    /// there counts as written and not yet sent.
    pub(crate) fn hold_all_that_waits(&mut self) -> nix::Result<()> {
        if setsockopt(&self.socket, sockopt::SndBufForce, &WAITING_BYTES).is_err() {
            setsockopt(&self.socket, sockopt::SndBuf, &WAITING_BYTES)?;
        }
        Ok(())
    }

    pub(crate) fn overflows(&self) -> u64 {
        u64::from(self.overflows)
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The packet in a frame. What follows it, such as the padding of a short frame, is none of it: its own
/// header says how long it is.
pub(crate) fn packet_of_frame(frame: &[u8]) -> Result<&[u8], Refusal> {
    let (header, packet) = frame.split_at_checked(ETHERNET_BYTES).ok_or(Refusal::Truncated)?;
    if header[12..] == IPV4 { Ok(packet) } else { Err(Refusal::NotIpv4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_of_a_frame_follows_its_type() {
        let mut frame = vec![7; ETHERNET_BYTES];
        frame[12..].copy_from_slice(&IPV4);
        frame.extend([1, 2, 3]);
        assert_eq!(packet_of_frame(&frame), Ok(&[1, 2, 3][..]));
        assert_eq!(packet_of_frame(&frame[..ETHERNET_BYTES]), Ok(&[][..]));
        assert_eq!(packet_of_frame(&frame[..ETHERNET_BYTES - 1]), Err(Refusal::Truncated));
        // IPv6, ARP, a frame of 802.3 with its length, 802.1Q.
        for kind in [[0x86, 0xdd], [0x08, 0x06], [0x00, 0x2e], [0x81, 0x00]] {
            frame[12..14].copy_from_slice(&kind);
            assert_eq!(packet_of_frame(&frame), Err(Refusal::NotIpv4));
        }
    }
}
