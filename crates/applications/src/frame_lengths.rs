//! Lengths of frames.

use aqmlab_random::Law;

/// Longer frames are drawn again; none of a legal mean comes near.
const LONGEST_FRAME_BYTES: f64 = 1e12;

/// Lengths of a mean and a coefficient of variation c, lognormal: sigma² = ln(1 + c²), median m
/// exp(-sigma²/2).
pub(crate) fn varying(mean: f64, variation: f64) -> Law {
    if variation == 0.0 {
        return Law::Constant(mean);
    }
    let sigma_squared = libm::log1p(variation * variation);
    let median = mean * libm::exp(-sigma_squared / 2.0);
    Law::Lognormal { median, sigma: libm::sqrt(sigma_squared), maximum: LONGEST_FRAME_BYTES }
}

/// At least a byte; a frame is far below what 64 bits hold.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn whole_bytes(bytes: f64) -> u64 {
    (bytes + 0.5).max(1.0) as u64
}
