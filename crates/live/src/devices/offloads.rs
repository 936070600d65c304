//! Has a veth device send packets as a wire would carry them: of at most its MTU, with their checksums.
//!
//! A pair of veth devices is memory, so by default they leave both to a wire that does not come: segments of
//! up to 64 kB with checksums that nobody has computed. What is told here is what `ethtool -K` tells, by
//! netlink: message `ETHTOOL_MSG_FEATURES_SET` of the generic family `ethtool` (Linux,
//! Documentation/networking/ethtool-netlink.rst; headers and attributes as in netlink(7)).

use crate::error::LiveError;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};
use std::os::fd::{AsRawFd, OwnedFd};

/// Features by the names of `ethtool -k`: checksums left to the device, segmentation left to it, and the
/// joining of what comes.
const OFFLOADS: [&str; 5] = [
    "tx-checksum-ip-generic",
    "tx-tcp-segmentation",
    "tx-tcp-ecn-segmentation",
    "tx-udp-segmentation",
    "rx-gro",
];

const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const NESTED: u16 = 1 << 15;
/// A type of message: how another one went.
const ERROR: u16 = 2;
/// The family that knows the numbers of families, and its message and attributes.
const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
/// Of the family `ethtool`.
const FEATURES_SET: u8 = 12;
const FEATURES_HEADER: u16 = 1;
const FEATURES_WANTED: u16 = 3;
const HEADER_DEVICE_NAME: u16 = 2;
const HEADER_FLAGS: u16 = 3;
const OMIT_REPLY: u32 = 2;
const BITSET_BITS: u16 = 3;
const BITS_BIT: u16 = 1;
const BIT_NAME: u16 = 2;
/// Lengths of the headers of netlink and of its generic families.
const HEADER_BYTES: usize = 16;
const GENERIC_BYTES: usize = 4;

/// Switches them off at a device of this thread's namespace.
pub(super) fn switch_off(device: &str) -> Result<(), LiveError> {
    let switched = || -> nix::Result<()> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let socket =
            socket(AddressFamily::Netlink, SockType::Raw, flags, Some(SockProtocol::NetlinkGeneric))?;
        let family = family(&socket, "ethtool")?;
        ask(&socket, &message(family, FEATURES_SET, &features(device)))?;
        Ok(())
    };
    let what =
        "a veth device whose offloads can be switched off by netlink (Linux 5.7, CONFIG_ETHTOOL_NETLINK)";
    switched().map_err(|error| LiveError::Missing(format!("no {what}: {error}")))
}

/// What is asked for: a bit without a value is one that is to be clear; those that are not named stay.
fn features(device: &str) -> Vec<u8> {
    let mut header = attribute(HEADER_DEVICE_NAME, &text(device));
    header.extend(attribute(HEADER_FLAGS, &OMIT_REPLY.to_ne_bytes()));
    let bits = OFFLOADS.iter().flat_map(|name| {
        let bit = attribute(BIT_NAME, &text(name));
        attribute(BITS_BIT | NESTED, &bit)
    });
    let bits: Vec<u8> = bits.collect();
    let mut features = attribute(FEATURES_HEADER | NESTED, &header);
    features.extend(attribute(FEATURES_WANTED | NESTED, &attribute(BITSET_BITS | NESTED, &bits)));
    features
}

/// The number of a generic family.
fn family(socket: &OwnedFd, name: &str) -> nix::Result<u16> {
    let asked = message(CONTROLLER, GET_FAMILY, &attribute(FAMILY_NAME, &text(name)));
    let said = ask(socket, &asked)?;
    let found =
        attributes(said.get(GENERIC_BYTES..).unwrap_or_default()).find(|(kind, _)| *kind == FAMILY_ID);
    found.and_then(|(_, value)| Some(u16::from_ne_bytes(value.try_into().ok()?))).ok_or(Errno::ENOENT)
}

/// Sends a message and waits until the kernel has said how it went; answers with what it said beside that.
fn ask(socket: &OwnedFd, message: &[u8]) -> nix::Result<Vec<u8>> {
    send(socket.as_raw_fd(), message, MsgFlags::empty())?;
    let mut answer = Vec::new();
    let mut bytes = [0; 1 << 13];
    loop {
        let length = recv(socket.as_raw_fd(), &mut bytes, MsgFlags::empty())?;
        let mut rest = &bytes[..length];
        while let Some((kind, content, next)) = first_message(rest) {
            if kind != ERROR {
                answer = content.to_vec();
            } else {
                let error = content.first_chunk().map_or(-1, |&number| i32::from_ne_bytes(number));
                return if error == 0 { Ok(answer) } else { Err(Errno::from_raw(-error)) };
            }
            rest = next;
        }
    }
}

/// The type and content of the first message, and what follows it.
fn first_message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
    let kind = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
    let content = bytes.get(HEADER_BYTES..length)?;
    Some((kind, content, bytes.get(length.next_multiple_of(4)..).unwrap_or_default()))
}

fn message(kind: u16, command: u8, attributes: &[u8]) -> Vec<u8> {
    let length = length(HEADER_BYTES + GENERIC_BYTES + attributes.len());
    let mut message = Vec::new();
    message.extend(u32::from(length).to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend((REQUEST | ACKNOWLEDGE).to_ne_bytes());
    // Number and sender, which nobody needs.
    message.extend([0; 8]);
    message.extend([command, 1, 0, 0]);
    message.extend(attributes);
    message
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let mut attribute = Vec::new();
    attribute.extend(length(4 + value.len()).to_ne_bytes());
    attribute.extend(kind.to_ne_bytes());
    attribute.extend(value);
    attribute.resize(attribute.len().next_multiple_of(4), 0);
    attribute
}

fn length(bytes: usize) -> u16 {
    u16::try_from(bytes).unwrap_or_else(|_| unreachable!("a few names"))
}

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// Types and values.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*bytes.first_chunk()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?);
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind & !NESTED, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_as_they_are_written() {
        let written = [attribute(7, b"abcde"), attribute(9 | NESTED, &[])].concat();
        assert_eq!(written.len(), 12 + 4);
        assert_eq!(attributes(&written).collect::<Vec<_>>(), [(7, &b"abcde"[..]), (9, &[])]);
        // A length that does not add up ends the reading.
        assert_eq!(attributes(&written[..8]).count(), 0);
        assert_eq!(attributes(&[3, 0, 1, 0]).count(), 0);
    }

    #[test]
    fn a_message_is_as_long_as_it_says_and_the_next_one_follows_it() {
        let first = message(CONTROLLER, GET_FAMILY, &attribute(FAMILY_NAME, &text("x")));
        let both = [first.clone(), first.clone()].concat();
        let (kind, content, rest) = first_message(&both).unwrap();
        assert_eq!((kind, content, rest), (CONTROLLER, &first[HEADER_BYTES..], &first[..]));
        assert_eq!(first_message(&first[..10]), None);
    }
}
