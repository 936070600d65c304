//! Headers of packets.

use crate::Mistake;

/// Bytes of the headers of IPv4 and UDP: what a datagram has at least.
pub const HEADER_BYTES: u16 = 28;

/// With those of RTP (RFC 3550) behind them.
pub(crate) const RTP_HEADER_BYTES: u16 = HEADER_BYTES + 12;

/// Whether packets have room for more than so many bytes of headers.
pub(crate) fn check_room(packet_bytes: u16, header_bytes: u16) -> Option<Mistake> {
    let wrong = format!("{packet_bytes} leaves no room for a frame after the headers");
    let legal = format!("{} to 65535 with such frames", header_bytes + 1);
    (packet_bytes <= header_bytes).then(|| Mistake::of_group("packet_bytes", wrong, legal))
}
