//! What a packet of a program in the router is: a ping, or the response to one.

use aqmlab_units::Time;

/// A ping or its response, on its way.
#[derive(Clone, Copy)]
pub(crate) struct Ping {
    pub(crate) pinger: u32,
    pub(crate) number: u32,
    /// When the ping was sent.
    pub(crate) sent: Time,
    pub(crate) is_response: bool,
}
