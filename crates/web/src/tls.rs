//! The handshake of TLS: what has to cross the network between the opening of a connection and its first
//! request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The handshake after a connection opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Tls {
    /// No handshake: the first request is written as soon as the connection is open.
    #[serde(rename = "none")]
    None,
    /// TLS 1.2 (RFC 5246): two round trips.
    #[serde(rename = "1.2")]
    V1_2,
    /// TLS 1.3 (RFC 8446): one round trip.
    #[default]
    #[serde(rename = "1.3")]
    V1_3,
}

/// Lengths of the flights of a handshake, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// The browser's and the server's in turn, the browser's first; a flight is written when the one before
    /// it is there.
    pub flights: &'static [u32],
    /// What the browser writes in front of its first request.
    pub before_first_request: u32,
}

/// ClientHello: browsers fill it up to 517 bytes with their records' headers (RFC 7685).
const CLIENT_HELLO: u32 = 517;
/// ServerHello, a chain of two certificates, the signature, Finished: a measured handshake has 66 + 2,540 +
/// 338 bytes (D. Wong, *How big are TLS records during a handshake?*, 2017), and the rest is small.
const SERVER_FLIGHT: u32 = 3_000;
/// ClientKeyExchange (75 bytes, same source), ChangeCipherSpec and Finished with their headers.
const CLIENT_KEY_EXCHANGE: u32 = 126;
/// ChangeCipherSpec and Finished with their headers.
const FINISHED: u32 = 51;
/// The same in TLS 1.3: 6 + 58.
const FINISHED_1_3: u32 = 64;

impl Tls {
    /// Its flights.
    #[must_use]
    pub const fn handshake(self) -> Handshake {
        let (flights, before_first_request): (&[u32], u32) = match self {
            Self::None => (&[], 0),
            Self::V1_2 => (&[CLIENT_HELLO, SERVER_FLIGHT, CLIENT_KEY_EXCHANGE, FINISHED], 0),
            Self::V1_3 => (&[CLIENT_HELLO, SERVER_FLIGHT], FINISHED_1_3),
        };
        Handshake { flights, before_first_request }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_its_round_trips() {
        let round_trips = |tls: Tls| tls.handshake().flights.len() / 2;
        assert_eq!([Tls::None, Tls::V1_3, Tls::V1_2].map(round_trips), [0, 1, 2]);
    }
}
