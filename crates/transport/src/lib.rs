//! Transports that are not TCP: what the two ends of a connection are to whoever carries their packets.
//!
//! A transport has two [ends](TransportEnd): state machines without I/O or clock, which are handed payloads
//! and answer with payloads. A driver (`aqmlab-sim`) asks [`MakeEnds`] for both when a connection is opened,
//! carries their packets and wakes them. Applications cannot tell the difference to TCP, except that a
//! connection may have several [streams](StreamId).
//!
//! | file | idea |
//! | --- | --- |
//! | `end.rs` | one end, and what it answers |
//! | `making.rs` | both ends of a new connection |
//! | `registry.rs` | the list: what scenarios can name |
//! | `quic/` | QUIC, if the feature `quic` is on |
//! | `stream.rs` | streams, and which goes before which |
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod end;
mod making;
#[cfg(feature = "quic")]
mod quic;
mod registry;
mod stream;

pub use end::{Answer, OutgoingPacket, TransportEnd};
pub use making::{Connecting, MakeEnds, Settings};
pub use registry::{OtherTransport, Transport};
pub use stream::{StreamId, Urgency};
