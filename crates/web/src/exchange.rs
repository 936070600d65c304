//! What a user tells her driver to do.

use aqmlab_units::{Span, Time};
use std::fmt;

/// Which connection of a server visit: 0 for the first one that the visit opens, and so on.
///
/// Numbers begin again with every visit. All connections of a visit are closed by the browser before the next
/// visit opens one, so among the open connections of a user the number alone is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionOrdinal(u32);

impl ConnectionOrdinal {
    /// The connection with this number, counted from 0.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number, counted from 0.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ConnectionOrdinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connection {}", self.0)
    }
}

/// The part an object plays in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// The object that names the others (an HTML file), fetched alone and first.
    TopLevel,
    /// Any other object of the page (an image, a script).
    Embedded,
}

/// One request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Which object of the server visit, counted from 0 through all of its pages.
    pub object: u32,
    /// Which page of the server visit, counted from 0.
    pub page: u32,
    /// The part that the object plays in its page.
    pub kind: ObjectKind,
    /// Whether the connection that carries the exchange was chosen to be persistent.
    pub on_persistent_connection: bool,
    /// Length of the request message in bytes, at least 1.
    pub request_bytes: u32,
    /// Length of the response in bytes, at least 1.
    pub response_bytes: u64,
    /// From the arrival of the whole request to the write of the response.
    pub server_time: Span,
    /// Whether the server closes the connection behind this response, in a model whose servers do not do so
    /// anyway.
    pub server_closes: bool,
}

/// What delays the packets of a connection, besides what the network takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MinimumDelay {
    /// The driver's law at this number, uniform in `[0, 1)`, which is the same for this connection in every
    /// run with the same key.
    Drawn(f64),
    /// This much for the packets of either direction.
    EachWay(Span),
}

/// An order from a user to her driver, to be carried out at the instant at which it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Open a connection, then report `on_connected` (or `on_failed`).
    Open {
        /// The connection within the visit.
        connection: ConnectionOrdinal,
        /// Which server visit of the user, counted from 0: (user, visit, connection) names a connection for
        /// ever, whatever the queue did.
        visit: u32,
        /// The server: uniform below the number of servers of the model's parameters.
        server: u32,
        /// Which of the machines of the population it begins at, counted round: a cloud's connections take
        /// them in turn. None where that is the user's own.
        machine: Option<u32>,
        /// Its minimum delay.
        delay: MinimumDelay,
        /// Whether the connection was chosen to be persistent.
        persistent: bool,
        /// Whether this connection was open before and was lost: same numbers, another attempt.
        reopened: bool,
    },
    /// Write a request on an established connection, then report `on_response` (or `on_failed`).
    Request {
        /// The connection within the visit.
        connection: ConnectionOrdinal,
        /// What to ask for.
        exchange: Exchange,
    },
    /// Close the browser's side of a connection. The user has forgotten it: report nothing more about it.
    Close {
        /// The connection within the visit.
        connection: ConnectionOrdinal,
    },
    /// Call `on_wake` at this instant. Nothing is in progress until then.
    Think {
        /// The instant at which the next page begins.
        until: Time,
    },
    /// Call `on_wake` at this instant, whatever is in progress, and once for each such command.
    Wait {
        /// The instant.
        until: Time,
    },
}
