//! PackMime's round trips beyond those of the network: a part on the clients' side, a part on the servers'.

use super::curve::Curve;
use aqmlab_random::normal_cumulative;

const CURVES: &str = include_str!("../../../data/packmime_rtt_inverse_cdf.csv");

/// The measured curves of both sides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeasuredRoundTrips {
    client: Curve,
    server: Curve,
}

impl MeasuredRoundTrips {
    /// The curves that are shipped.
    pub(crate) fn new() -> Self {
        Self { client: Curve::of_rows(CURVES, "client"), server: Curve::of_rows(CURVES, "server") }
    }

    /// Milliseconds on the clients' side, below which the share of a standard normal number lies.
    pub(crate) fn client_ms(&self, z: f64) -> f64 {
        let root = self.client.at(rarity(z));
        root * root * root * root * root
    }

    /// The same on the servers' side.
    pub(crate) fn server_ms(&self, z: f64) -> f64 {
        let root = self.server.at(rarity(z));
        root * root * root
    }
}

/// The place on a curve: of P that the variable is below, P = Φ(z), -log₁₀(1 - P).
fn rarity(z: f64) -> f64 {
    -libm::log10(normal_cumulative(-z).clamp(1e-300, 1.0))
}
