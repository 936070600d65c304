//! Packets as they stand on a wire: headers of IPv4, TCP and UDP, read and written by `etherparse`, and
//! captures of them as pcapng files.
//!
//! - [`Flags`]: the flags of TCP, once for all crates;
//! - [`WirePacket`]: a packet that is described, and its bytes;
//! - [`ReceivedPacket`]: bytes that were received, and what their headers say;
//! - [`Capture`]: packets that passed a port; [`PcapNg`]: as a file that Wireshark reads.
#![deny(missing_docs)]

mod capture;
mod flags;
mod packet;
mod pcapng;
mod received;

pub use capture::{Capture, PassedPacket};
pub use flags::Flags;
pub use packet::{WireAddress, WireOptions, WirePacket, WirePayload, WireTcp};
pub use pcapng::PcapNg;
pub use received::{
    AcknowledgementFields, Protocol, ReceivedPacket, TcpFields, Unreadable, header_checksum, mark, wash,
};
