//! What a packet of a program in the router is: a ping, or the response to one.

use aqmlab_units::Time;

/// A ping or its response, on its way.
#[derive(Clone, Copy)]
pub(super) struct Ping {
    pub(super) pinger: u32,
    pub(super) number: u32,
    /// When the ping was sent.
    pub(super) sent: Time,
    pub(super) is_response: bool,
}
