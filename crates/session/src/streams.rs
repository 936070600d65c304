//! Several exchanges at once on one connection, and the handshake before the first of them.
//!
//! TCP carries bytes in order and knows nothing else; what the bytes are is kept here. The browser writes its
//! part of the handshake, and then requests one behind the other. The server answers a flight of the
//! handshake when all of it has arrived, and a request likewise. Of the responses that it has begun it sends
//! as much of each: when another one begins, what has not been handed to the network yet is shared anew
//! between those that are left (as with frames that are infinitely short, and a socket that holds no more
//! than it can send; RFC 9113 section 5.3 leaves the order to the server). So a small response overtakes a
//! large one, and what is on the wire stays as it is.
//!
//! Where each response will end in the stream of bytes is known as soon as that is settled: arriving bytes
//! are counted, and compared with one number.

use aqmlab_units::{Span, Time};
use aqmlab_web::{Exchange, Handshake, ObjectKind};
use std::collections::VecDeque;

/// An exchange on a connection that may carry several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) object: u32,
    pub(crate) kind: ObjectKind,
    pub(crate) request_bytes: u32,
    pub(crate) response_bytes: u64,
    /// The opening of the connection for its first exchange, the request's write for later ones.
    pub(crate) began: Time,
    /// How long it had lasted when the run began, if it was in progress then; it began at the run's beginning
    /// for the rest.
    pub(crate) lasted_before: Span,
    pub(crate) first_on_connection: bool,
}

impl Stream {
    /// An exchange that is asked for in the run, or in the past before it.
    pub(crate) const fn of(exchange: &Exchange, began: Time, first_on_connection: bool) -> Self {
        let Exchange { object, kind, request_bytes, response_bytes, .. } = *exchange;
        let lasted_before = Span::ZERO;
        Self { object, kind, request_bytes, response_bytes, began, lasted_before, first_on_connection }
    }
}

/// An exchange under way, and where its request or response ends in the bytes of that direction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct UnderWay {
    stream: Stream,
    ends_at: u64,
    /// Of its response, beyond the point from which responses share what follows.
    remaining: u64,
}

/// What the browser has to do when bytes have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrowserStep {
    /// Nothing yet, or no more.
    None,
    /// Write the next flight of the handshake, of so many bytes.
    Write(u32),
    /// The handshake is over: the user may ask.
    Secured,
    /// This response is complete.
    Complete(Stream),
}

/// The exchanges of a connection, and how far its handshake is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Streams {
    flights: &'static [u32],
    before_first_request: u32,
    /// Flights of the handshake that were written.
    flights_written: usize,
    secured: bool,
    /// Bytes that the browser has written, and of these those that are at the server.
    asked: u64,
    at_server: u64,
    /// Bytes that the server has written, and of these those that are at the browser.
    answered: u64,
    at_browser: u64,
    /// Requests that are not wholly at the server, in the order in which they were written.
    requests: VecDeque<UnderWay>,
    /// Responses that are not wholly at the browser, by what remains of them; so they end in this order.
    responses: VecDeque<UnderWay>,
    /// From here on the responses share the server's bytes.
    shared_from: u64,
}

impl Streams {
    /// A connection that begins to open.
    pub(crate) fn begin(&mut self, handshake: Handshake) {
        let Handshake { flights, before_first_request } = handshake;
        let (mut requests, mut responses) =
            (std::mem::take(&mut self.requests), std::mem::take(&mut self.responses));
        requests.clear();
        responses.clear();
        *self = Self { flights, before_first_request, requests, responses, ..Self::default() };
    }

    /// Exchanges whose request was written and whose response is not complete.
    pub(crate) fn under_way(&self) -> usize {
        self.requests.len() + self.responses.len()
    }

    /// The browser has given up. Answers with how many exchanges were under way.
    pub(crate) fn give_up(&mut self) -> usize {
        let lost = self.under_way();
        self.requests.clear();
        self.responses.clear();
        lost
    }

    /// The connection is open.
    pub(crate) fn on_established(&mut self) -> BrowserStep {
        self.next_flight_of_browser()
    }

    /// The browser asks. Answers with how many bytes it writes.
    pub(crate) fn ask(&mut self, stream: Stream) -> u64 {
        let in_front = std::mem::take(&mut self.before_first_request);
        let bytes = u64::from(in_front) + u64::from(stream.request_bytes);
        self.asked += bytes;
        self.requests.push_back(UnderWay { stream, ends_at: self.asked, remaining: stream.response_bytes });
        bytes
    }

    /// Bytes of the browser have arrived at the server. Answers with how many it writes. `unsent` is asked
    /// for the bytes that the server has written and that were never sent.
    pub(crate) fn on_server_bytes(&mut self, bytes: u32, unsent: impl FnOnce() -> u64) -> u64 {
        self.at_server += u64::from(bytes);
        assert!(self.at_server <= self.asked, "{} B arrived of {} B", self.at_server, self.asked);
        if !self.secured && self.flights_written < self.flights.len() {
            return self.next_flight_of_server();
        }
        if self.requests.front().is_none_or(|request| request.ends_at > self.at_server) {
            return 0;
        }
        // Of what was on the wires when the run began the network has heard nothing: it stays with whom it
        // was given to.
        let sent = (self.answered - unsent()).max(self.shared_from);
        self.share_until(sent);
        let mut written = 0;
        while let Some(request) = self.requests.front().filter(|request| request.ends_at <= self.at_server) {
            let place = self.responses.partition_point(|response| response.remaining <= request.remaining);
            written += request.remaining;
            self.responses.insert(place, *request);
            self.requests.pop_front();
        }
        self.answered += written;
        self.settle_ends();
        written
    }

    /// Bytes of the server have arrived at the browser; [`Streams::next_step`] says what follows.
    #[inline]
    pub(crate) fn on_browser_bytes(&mut self, bytes: u32) {
        self.at_browser += u64::from(bytes);
        assert!(self.at_browser <= self.answered, "{} B arrived of {} B", self.at_browser, self.answered);
    }

    /// What the browser has to do next; to be asked until there is nothing.
    pub(crate) fn next_step(&mut self) -> BrowserStep {
        if !self.secured {
            let all_there = self.flights_written > 0 && self.flights_written % 2 == 0;
            let arrived = all_there && self.at_browser == self.answered;
            return if arrived { self.next_flight_of_browser() } else { BrowserStep::None };
        }
        match self.responses.front() {
            Some(&first) if first.ends_at <= self.at_browser => {
                let complete = BrowserStep::Complete(first.stream);
                // What the others had until then is accounted for while it is known who shared.
                self.share_until(first.ends_at.max(self.shared_from));
                self.responses.pop_front();
                complete
            }
            _ => BrowserStep::None,
        }
    }

    /// Bytes of the server, counted from the first, with which something follows at the browser; none if
    /// nothing is awaited.
    pub(crate) fn awaited(&self) -> Option<u64> {
        if self.secured {
            return self.responses.front().map(|response| response.ends_at);
        }
        (self.at_browser < self.answered).then_some(self.answered)
    }

    /// Bytes of the browser that are not at the server, and bytes of the server that are not at the browser.
    pub(crate) const fn on_the_wires(&self) -> [u64; 2] {
        [self.asked - self.at_server, self.answered - self.at_browser]
    }

    /// The run begins: everything so far lies before it.
    pub(crate) fn hand_over(&mut self, now: Time) {
        for exchange in self.requests.iter_mut().chain(&mut self.responses) {
            exchange.stream.lasted_before = now - exchange.stream.began;
            exchange.stream.began = Time::ZERO;
        }
    }

    fn next_flight_of_browser(&mut self) -> BrowserStep {
        let Some(&bytes) = self.flights.get(self.flights_written) else {
            self.secured = true;
            return BrowserStep::Secured;
        };
        self.flights_written += 1;
        self.asked += u64::from(bytes);
        BrowserStep::Write(bytes)
    }

    fn next_flight_of_server(&mut self) -> u64 {
        if self.flights_written % 2 == 0 || self.at_server < self.asked {
            return 0;
        }
        let bytes = u64::from(self.flights[self.flights_written]);
        self.flights_written += 1;
        self.answered += bytes;
        self.shared_from = self.answered;
        bytes
    }
}

// Responses that share what the network lets through.
impl Streams {
    /// Gives every response its part of the bytes up to `sent`: as much to each until it ends. What cannot be
    /// divided goes to the first ones, which have the least left.
    fn share_until(&mut self, sent: u64) {
        let mut left = sent - self.shared_from;
        self.shared_from = sent;
        let begins = self.responses.partition_point(|response| response.remaining == 0);
        let mut active = (self.responses.len() - begins) as u64;
        let mut each = 0;
        for response in self.responses.range_mut(begins..) {
            let more = response.remaining - each;
            if more * active > left {
                break;
            }
            left -= more * active;
            (each, response.remaining) = (response.remaining, 0);
            active -= 1;
        }
        if active == 0 {
            return;
        }
        let (each, indivisible) = (each + left / active, left % active);
        let begins = self.responses.len() - usize::try_from(active).unwrap_or(0);
        for (number, response) in (0..).zip(self.responses.range_mut(begins..)) {
            response.remaining -= each + u64::from(number < indivisible);
            if response.remaining == 0 {
                response.ends_at = sent;
            }
        }
    }

    /// Settles where each response ends if none follows: with the k-th there have been those before it, and
    /// as much of each behind it.
    fn settle_ends(&mut self) {
        let begins = self.responses.partition_point(|response| response.remaining == 0);
        let mut active = (self.responses.len() - begins) as u64;
        let mut before = self.shared_from;
        for response in self.responses.range_mut(begins..) {
            response.ends_at = before + active * response.remaining;
            before += response.remaining;
            active -= 1;
        }
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)] // a few bytes
mod tests {
    use super::*;
    use aqmlab_web::Tls;
    use proptest::prelude::*;

    fn stream(object: u32, response_bytes: u64) -> Stream {
        let kind = ObjectKind::Embedded;
        Stream {
            object,
            kind,
            request_bytes: 100,
            response_bytes,
            began: Time::ZERO,
            lasted_before: Span::ZERO,
            first_on_connection: false,
        }
    }

    /// A connection without a handshake, open.
    fn open() -> Streams {
        let mut streams = Streams::default();
        streams.begin(Tls::None.handshake());
        assert_eq!(streams.on_established(), BrowserStep::Secured);
        streams
    }

    /// Asks for objects of these sizes at once; all requests arrive together when so many bytes are unsent.
    fn ask(streams: &mut Streams, objects: &[(u32, u64)], unsent: u64) -> u64 {
        for &(object, bytes) in objects {
            assert_eq!(streams.ask(stream(object, bytes)), 100);
        }
        streams.on_server_bytes(100 * objects.len() as u32, || unsent)
    }

    /// The objects that are complete once so many more bytes have arrived.
    fn complete(streams: &mut Streams, bytes: u32) -> Vec<u32> {
        streams.on_browser_bytes(bytes);
        let steps = std::iter::from_fn(|| match streams.next_step() {
            BrowserStep::Complete(stream) => Some(stream.object),
            BrowserStep::None => None,
            other => panic!("{other:?}"),
        });
        steps.collect()
    }

    #[test]
    fn tls_1_3_takes_one_flight_each_way_and_goes_in_front_of_the_first_request() {
        let mut streams = Streams::default();
        streams.begin(Tls::V1_3.handshake());
        assert_eq!(streams.on_established(), BrowserStep::Write(517));
        assert_eq!(streams.on_server_bytes(500, || panic!("no response yet")), 0);
        assert_eq!(streams.on_server_bytes(17, || panic!("no response yet")), 3_000);
        streams.on_browser_bytes(2_999);
        assert_eq!(streams.next_step(), BrowserStep::None);
        streams.on_browser_bytes(1);
        assert_eq!(streams.next_step(), BrowserStep::Secured);
        assert_eq!(streams.next_step(), BrowserStep::None);
        assert_eq!(streams.ask(stream(0, 50)), 164);
        assert_eq!(streams.ask(stream(1, 60)), 100);
        assert_eq!(streams.on_server_bytes(163, || 0), 0);
        assert_eq!(streams.on_server_bytes(1, || 0), 50);
        assert_eq!(streams.on_server_bytes(100, || 20), 60);
        assert_eq!(streams.under_way(), 2);
        // 20 bytes of the first are left, and share with the 60 of the second: 40 later it is there.
        assert_eq!(complete(&mut streams, 69), NOTHING);
        assert_eq!(complete(&mut streams, 1), [0]);
        assert_eq!(complete(&mut streams, 40), [1]);
    }

    const NOTHING: [u32; 0] = [];

    #[test]
    fn tls_1_2_takes_two_flights_each_way() {
        let mut streams = Streams::default();
        streams.begin(Tls::V1_2.handshake());
        assert_eq!(streams.on_established(), BrowserStep::Write(517));
        assert_eq!(streams.on_server_bytes(517, || 0), 3_000);
        streams.on_browser_bytes(3_000);
        assert_eq!(streams.next_step(), BrowserStep::Write(126));
        assert_eq!(streams.on_server_bytes(126, || 0), 51);
        streams.on_browser_bytes(51);
        assert_eq!(streams.next_step(), BrowserStep::Secured);
    }

    #[test]
    fn a_small_response_overtakes_a_large_one_by_sharing_with_it() {
        let mut streams = open();
        assert_eq!(ask(&mut streams, &[(0, 10_000)], 0), 10_000);
        // 4,000 bytes have left; 6,000 and 1,000 share: the small one is there after 2,000 more, the large
        // one at the end.
        assert_eq!(ask(&mut streams, &[(1, 1_000)], 6_000), 1_000);
        assert_eq!(complete(&mut streams, 5_999), NOTHING);
        assert_eq!(complete(&mut streams, 1), [1]);
        assert_eq!(complete(&mut streams, 4_999), NOTHING);
        assert_eq!(complete(&mut streams, 1), [0]);
    }

    #[test]
    fn what_has_left_is_not_shared_any_more() {
        let mut streams = open();
        ask(&mut streams, &[(0, 3_000)], 0);
        // All of it is on the wire when the second request arrives.
        ask(&mut streams, &[(1, 10)], 0);
        assert_eq!(complete(&mut streams, 2_999), NOTHING);
        assert_eq!(complete(&mut streams, 1), [0]);
        assert_eq!(complete(&mut streams, 10), [1]);
    }

    #[test]
    fn equal_responses_end_together_and_three_share_by_thirds() {
        let mut streams = open();
        ask(&mut streams, &[(0, 300), (1, 900), (2, 300)], 0);
        assert_eq!(complete(&mut streams, 899), NOTHING);
        assert_eq!(complete(&mut streams, 1), [0, 2]);
        assert_eq!(complete(&mut streams, 600), [1]);
    }

    #[test]
    fn a_connection_that_is_used_again_knows_nothing_of_the_one_before() {
        let mut streams = open();
        ask(&mut streams, &[(0, 300)], 0);
        streams.begin(Tls::None.handshake());
        assert_eq!(streams.under_way(), 0);
        assert_eq!(streams.on_established(), BrowserStep::Secured);
        assert_eq!(ask(&mut streams, &[(7, 5)], 0), 5);
        assert_eq!(complete(&mut streams, 5), [7]);
    }

    proptest! {
        /// Whatever is asked for when: no byte is lost or made, the last response ends with the last byte,
        /// and none ends before as many bytes have come since its request as it has.
        #[test]
        fn every_byte_belongs_to_one_response(
            asked in proptest::collection::vec((1_u64..5_000, 0_u64..100, 0_u64..100), 1..40),
        ) {
            let mut streams = open();
            let (mut sent, mut arrived, mut written) = (0, 0, 0);
            let mut begun = Vec::new();
            let mut complete_at = std::collections::BTreeMap::new();
            for (number, &(bytes, sends, arrives)) in (0_u32..).zip(&asked) {
                sent += (written - sent) * sends / 100;
                let more = (sent - arrived) * arrives / 100;
                arrived += more;
                for object in complete(&mut streams, more as u32) {
                    complete_at.insert(object, arrived);
                }
                prop_assert_eq!(ask(&mut streams, &[(number, bytes)], written - sent), bytes);
                begun.push(sent);
                written += bytes;
                let remaining: u64 = streams.responses.iter().map(|response| response.remaining).sum();
                prop_assert_eq!(remaining, written - sent);
                prop_assert!(streams.responses.iter().is_sorted_by_key(|response| response.ends_at));
                prop_assert_eq!(streams.responses.back().map(|response| response.ends_at), Some(written));
            }
            while arrived < written {
                arrived += 1;
                for object in complete(&mut streams, 1) {
                    complete_at.insert(object, arrived);
                }
            }
            prop_assert_eq!(streams.under_way(), 0);
            for (number, &(bytes, ..)) in (0_u32..).zip(&asked) {
                prop_assert!(complete_at[&number] >= begun[number as usize] + bytes);
            }
        }
    }
}
