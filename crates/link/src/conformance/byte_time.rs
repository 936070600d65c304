//! How long bytes take at a constant rate, without an error that grows.

use aqmlab_units::{Rate, Span};

/// The time of a byte in units of 2⁻³² ns, to the nearest.
pub(super) fn byte_q32(rate: Rate) -> u128 {
    let bits = u128::from(rate.bits_per_second());
    ((8_000_000_000 << 32) + bits / 2) / bits
}

/// How long bytes take at so many units of 2⁻³² ns each, behind those that were sent.
pub(super) fn took(byte: u128, sent: &mut u128, bytes: u32) -> Span {
    let before = (byte * *sent) >> 32;
    *sent += u128::from(bytes);
    let took = ((byte * *sent) >> 32) - before;
    Span::from_nanoseconds(u64::try_from(took).unwrap_or(u64::MAX))
}
