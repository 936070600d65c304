//! The side that answers.

use crate::Exchange;
use aqmlab_units::{Span, Time};

/// One connection as the server sees it: it collects the request, then answers at once.
///
/// Whether it takes time says the exchange; it takes none in the 2003 SIGCOMM study (section 3.1): a server
/// with a large main-memory cache. A server of [`Server::new`] closes a connection only where the exchange
/// says so, else the browser does; one of [`Server::closing`] closes it as soon as it has written the
/// response (HTTP/1.0, as in the 2000 SIGCOMM study).
///
/// In simulation the driver tells the server what the request says ([`Server::expect`]) when the browser
/// writes it; over real sockets the driver reads it from the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Server {
    request_bytes_missing: u32,
    response_bytes: u64,
    server_time: Span,
    /// Always, and behind the present response.
    closes: bool,
    closes_now: bool,
}

/// The whole request has arrived: send this much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Respond {
    /// Length of the response in bytes.
    pub bytes: u64,
    /// Close the connection as soon as the response is written.
    pub then_close: bool,
    /// How long the server takes before it writes.
    pub after: Span,
}

impl Server {
    /// A connection on which nothing was asked yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            request_bytes_missing: 0,
            response_bytes: 0,
            server_time: Span::ZERO,
            closes: false,
            closes_now: false,
        }
    }

    /// The same, of a server that closes after its response.
    #[must_use]
    pub const fn closing() -> Self {
        Self { closes: true, ..Self::new() }
    }

    /// The next request on this connection will be this one.
    ///
    /// # Panics
    /// If the previous request has not arrived completely: browsers of this crate do not pipeline.
    pub fn expect(&mut self, exchange: &Exchange) {
        assert!(
            self.request_bytes_missing == 0,
            "a new request while {} B of the last one are missing",
            self.request_bytes_missing
        );
        assert!(exchange.request_bytes > 0, "a request of object {} without a byte", exchange.object);
        self.request_bytes_missing = exchange.request_bytes;
        self.response_bytes = exchange.response_bytes;
        self.server_time = exchange.server_time;
        self.closes_now = self.closes || exchange.server_closes;
    }

    /// `bytes` of the request arrived in order. Answers with the response once the request is complete.
    ///
    /// # Panics
    /// If more bytes arrive than the expected request has.
    pub fn on_bytes(&mut self, _now: Time, bytes: u32) -> Option<Respond> {
        let missing = self.request_bytes_missing;
        assert!(bytes <= missing, "{bytes} B arrived where {missing} B of a request were missing");
        self.request_bytes_missing = missing - bytes;
        (bytes > 0 && self.request_bytes_missing == 0).then_some(Respond {
            bytes: self.response_bytes,
            then_close: self.closes_now,
            after: self.server_time,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectKind;

    fn exchange(request_bytes: u32, response_bytes: u64) -> Exchange {
        let kind = ObjectKind::Embedded;
        Exchange {
            object: 3,
            page: 1,
            kind,
            on_persistent_connection: true,
            request_bytes,
            response_bytes,
            server_time: Span::ZERO,
            server_closes: false,
        }
    }

    const fn respond(bytes: u64, then_close: bool) -> Respond {
        Respond { bytes, then_close, after: Span::ZERO }
    }

    #[test]
    fn a_server_takes_its_time_and_closes_behind_the_response_that_says_so() {
        let mut server = Server::new();
        let server_time = Span::from_milliseconds(6);
        server.expect(&Exchange { server_time, server_closes: true, ..exchange(2, 50) });
        assert_eq!(
            server.on_bytes(Time::ZERO, 2),
            Some(Respond { bytes: 50, then_close: true, after: server_time })
        );
        server.expect(&exchange(1, 7));
        assert_eq!(server.on_bytes(Time::ZERO, 1), Some(respond(7, false)));
    }

    #[test]
    fn the_answer_comes_with_the_last_byte_of_the_request_and_once() {
        let mut server = Server::new();
        server.expect(&exchange(400, 9_000));
        assert_eq!(server.on_bytes(Time::ZERO, 399), None);
        assert_eq!(server.on_bytes(Time::ZERO, 1), Some(respond(9_000, false)));
        assert_eq!(server.on_bytes(Time::ZERO, 0), None);
        server.expect(&exchange(1, 1));
        assert_eq!(server.on_bytes(Time::ZERO, 1), Some(respond(1, false)));
    }

    #[test]
    fn a_closing_server_says_so_with_its_response() {
        let mut server = Server::closing();
        server.expect(&exchange(1, 7));
        assert_eq!(server.on_bytes(Time::ZERO, 1), Some(respond(7, true)));
    }

    #[test]
    #[should_panic(expected = "a new request while 10 B of the last one are missing")]
    fn pipelining_is_a_bug_of_the_driver() {
        let mut server = Server::new();
        server.expect(&exchange(10, 1));
        server.expect(&exchange(10, 1));
    }

    #[test]
    #[should_panic(expected = "2 B arrived where 1 B of a request were missing")]
    fn bytes_beyond_the_request_are_a_bug_of_the_driver() {
        let mut server = Server::new();
        server.expect(&exchange(1, 1));
        let _ = server.on_bytes(Time::ZERO, 2);
    }
}
