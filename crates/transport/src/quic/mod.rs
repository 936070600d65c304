//! QUIC version 1 (RFC 9000, RFC 9002), as the state machines of quinn-proto have it, and on it what HTTP/3
//! (RFC 9114) makes of a connection: an exchange on a stream of its own.
//!
//! | file | idea |
//! | --- | --- |
//! | `end.rs` | an end: payloads and writes in, packets out |
//! | `sending.rs` | what waits on which stream, and whose turn it is |
//! | `configuration.rs` | how an endpoint is set up, with nothing drawn but from the connection's key |
//! | `handshake.rs` | TLS 1.3 by its lengths |

mod configuration;
mod end;
mod handshake;
mod sending;

use crate::{Connecting, MakeEnds, Settings, TransportEnd};
use end::QuicEnd;

/// What a scenario decides of a connection.
#[derive(Clone, Copy, Debug)]
struct QuicSettings {
    congestion: &'static str,
    /// Whether packets leave with ECT(0).
    ecn: bool,
}

/// Both ends of each connection of a group.
pub(crate) fn make_ends(settings: Settings) -> Box<dyn MakeEnds> {
    let settings = QuicSettings { congestion: settings.congestion, ecn: settings.ecn };
    Box::new(move |connecting: &Connecting| {
        [false, true].map(|is_server| -> Box<dyn TransportEnd> {
            let key = connecting.key.indexed(u64::from(is_server));
            Box::new(QuicEnd::new(key, settings, is_server))
        })
    })
}
