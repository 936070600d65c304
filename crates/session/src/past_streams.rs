//! A connection of the past that carries several exchanges at once, on a path where nobody is in its way.
//!
//! What its bytes are is kept by the same [`Streams`] as in a run; here is only when they arrive. What the
//! server writes while it still has something to send goes on with the rounds of the path ([`IdlePath`]);
//! what it writes after that begins new ones, with the window that it has by then.

use crate::idle_path::IdlePath;
use crate::streams::{BrowserStep, Stream, Streams};
use aqmlab_units::{Span, Time};
use aqmlab_web::Handshake;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes that the server sends without a pause.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// When the request was written that it would answer, were it the only one.
    began: Time,
    /// Bytes that the connection had brought before it.
    carried: u64,
    bytes: u64,
}

/// The connection, open or being opened.
#[derive(Debug)]
pub(crate) struct PastStreams {
    streams: Streams,
    path: Arc<IdlePath>,
    open: bool,
    /// When what the browser wrote is at the server, in order.
    to_server: VecDeque<(Time, u32)>,
    /// Of what is not at the browser yet, in order.
    to_browser: VecDeque<Stretch>,
    /// Bytes that the server has written, and bytes that have arrived.
    written: u64,
    arrived: u64,
}

/// What is seen of it when the run begins.
pub(crate) struct SeenStreams {
    pub(crate) streams: Streams,
    /// When that must be sent which would have arrived next, none if nothing is under way.
    pub(crate) more_in: Option<Span>,
    /// Bytes that it has brought.
    pub(crate) carried: u64,
}

impl PastStreams {
    pub(crate) fn new(handshake: Handshake, path: Arc<IdlePath>) -> Self {
        let mut streams = Streams::default();
        streams.begin(handshake);
        let (to_server, to_browser) = (VecDeque::new(), VecDeque::new());
        Self { streams, path, open: false, to_server, to_browser, written: 0, arrived: 0 }
    }

    pub(crate) const fn is_open(&self) -> bool {
        self.open
    }

    /// What was expected next has come; answers with what the browser does first.
    pub(crate) fn come(&mut self, now: Time) -> BrowserStep {
        if !self.open {
            self.open = true;
            return self.streams.on_established();
        }
        match self.to_server.front() {
            Some(&(instant, bytes)) if instant <= now => {
                self.to_server.pop_front();
                self.serve(now, bytes);
                BrowserStep::None
            }
            _ => {
                if let Some(until) = self.streams.awaited() {
                    self.arrive(until);
                }
                self.streams.next_step()
            }
        }
    }

    /// What the browser does next; to be asked until there is nothing.
    pub(crate) fn next_step(&mut self) -> BrowserStep {
        self.streams.next_step()
    }

    /// The browser writes a flight of the handshake.
    pub(crate) fn write(&mut self, now: Time, bytes: u64) {
        let bytes = u32::try_from(bytes).expect("requests are 32-bit numbers of bytes");
        self.to_server.push_back((now + self.one_way(), bytes));
    }

    /// The browser asks.
    pub(crate) fn ask(&mut self, now: Time, stream: Stream) {
        let bytes = self.streams.ask(stream);
        self.write(now, bytes);
    }

    /// When something happens next, if nothing else does before.
    pub(crate) fn due(&self) -> Time {
        let at_server = self.to_server.front().map_or(Time::MAX, |&(instant, _)| instant);
        let at_browser = self.streams.awaited().map_or(Time::MAX, |until| self.arrival_of(until));
        at_server.min(at_browser)
    }

    /// What is seen of it at an instant at which nothing is due.
    pub(crate) fn at(mut self, now: Time) -> SeenStreams {
        let awaited = self.streams.awaited().unwrap_or(self.written);
        let (mut arrived, mut more_in) = (self.written, None);
        let mut before = self.written - self.to_browser.iter().map(|stretch| stretch.bytes).sum::<u64>();
        for stretch in &self.to_browser {
            let progress = self.path.progress(stretch.carried, since(stretch.began, now));
            if progress.arrived < stretch.bytes {
                (arrived, more_in) = (before + progress.arrived, Some(progress.more_in));
                break;
            }
            before += stretch.bytes;
        }
        // What is awaited arrives when it is due, and not before; then it is what comes next.
        if awaited > self.arrived && arrived >= awaited {
            (arrived, more_in) = (awaited - 1, Some(since(now, self.arrival_of(awaited))));
        }
        self.arrive(arrived.max(self.arrived));
        let asked_in = self.to_server.front().map(|&(instant, _)| since(now, instant));
        // Sent again from the other end.
        let one_way = self.one_way();
        let sent_in =
            [more_in, asked_in].into_iter().flatten().min().map(|span| span.saturating_sub(one_way));
        self.streams.hand_over(now);
        SeenStreams { streams: self.streams, more_in: sent_in, carried: self.arrived }
    }

    /// From one end to the other.
    fn one_way(&self) -> Span {
        Span::from_nanoseconds(self.path.rounds[0].begins.nanoseconds() / 2)
    }

    fn serve(&mut self, now: Time, bytes: u32) {
        // What is sent now will be at the browser then.
        let seen = now + self.one_way();
        let unsent = self.to_browser.back().map_or(0, |last| {
            let sent = self.path.progress(last.carried, since(last.began, seen)).arrived;
            last.bytes.saturating_sub(sent)
        });
        let more = self.streams.on_server_bytes(bytes, || unsent);
        if more == 0 {
            return;
        }
        match self.to_browser.back_mut().filter(|_| unsent > 0) {
            Some(last) => last.bytes += more,
            None => {
                let began = Time::ZERO + (now - Time::ZERO).saturating_sub(self.one_way());
                self.to_browser.push_back(Stretch { began, carried: self.written, bytes: more });
            }
        }
        self.written += more;
    }

    /// Bytes up to this one are there.
    fn arrive(&mut self, until: u64) {
        let mut left = until - self.arrived;
        self.arrived = until;
        while left > 0 {
            let bytes = u32::try_from(left).unwrap_or(u32::MAX);
            self.streams.on_browser_bytes(bytes);
            left -= u64::from(bytes);
        }
        while self.to_browser.front().is_some_and(|first| first.carried + first.bytes <= self.arrived) {
            self.to_browser.pop_front();
        }
    }

    /// When the byte with this number, counted from 1, is there.
    fn arrival_of(&self, byte: u64) -> Time {
        let carries = |stretch: &&Stretch| byte <= stretch.carried + stretch.bytes;
        let Some(stretch) = self.to_browser.iter().find(carries) else { return Time::MAX };
        stretch.began + self.path.response_time(stretch.carried, byte - stretch.carried)
    }
}

fn since(earlier: Time, later: Time) -> Span {
    later.checked_since(earlier).unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idle_path::Round;
    use aqmlab_web::{Exchange, ObjectKind, Tls};

    const fn ms(milliseconds: u64) -> Span {
        Span::from_milliseconds(milliseconds)
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + ms(milliseconds)
    }

    /// 100 ms there and back; rounds of 4,000, 8,000, 16,000 bytes in no time, then 16,000 every 100 ms.
    fn path() -> Arc<IdlePath> {
        let round = |begins, bytes| Round { begins: ms(begins), ends: ms(begins), bytes };
        Arc::new(IdlePath {
            opens: true,
            time_to_open: ms(100),
            rounds: vec![round(100, 4_000), round(200, 12_000), round(300, 28_000)],
            period: ms(100),
            bytes_per_period: 16_000,
            keeps_window: false,
        })
    }

    fn stream(object: u32, response_bytes: u64, began: Time) -> Stream {
        let kind = ObjectKind::Embedded;
        let (page, on_persistent_connection, request_bytes) = (0, true, 500);
        let exchange = Exchange {
            object,
            page,
            kind,
            on_persistent_connection,
            request_bytes,
            response_bytes,
            server_time: Span::ZERO,
            server_closes: false,
        };
        Stream::of(&exchange, began, object == 0)
    }

    /// Lets it live until nothing is due before `end`; answers with what was complete when.
    fn live(streams: &mut PastStreams, mut due: Time, end: Time) -> Vec<(Time, Option<u32>)> {
        let mut seen = Vec::new();
        while due < end {
            let mut step = streams.come(due);
            loop {
                match step {
                    BrowserStep::None => break,
                    BrowserStep::Write(bytes) => streams.write(due, u64::from(bytes)),
                    BrowserStep::Secured => seen.push((due, None)),
                    BrowserStep::Complete(stream) => seen.push((due, Some(stream.object))),
                }
                step = streams.next_step();
            }
            due = streams.due();
        }
        seen
    }

    #[test]
    fn each_version_of_tls_takes_its_round_trips_behind_the_opening() {
        for (tls, secured) in [(Tls::None, 100), (Tls::V1_3, 200), (Tls::V1_2, 300)] {
            let mut streams = PastStreams::new(tls.handshake(), path());
            assert_eq!(live(&mut streams, at(100), Time::MAX), [(at(secured), None)], "{tls:?}");
        }
    }

    #[test]
    fn two_responses_share_the_rounds_of_the_path() {
        let mut streams = PastStreams::new(Tls::None.handshake(), path());
        live(&mut streams, at(100), Time::MAX);
        streams.ask(at(100), stream(0, 10_000, at(0)));
        streams.ask(at(100), stream(1, 10_000, at(100)));
        // 20,000 bytes in turn, 10,001 of which are there with the second round at 300 ms, all with the
        // third.
        let due = streams.due();
        assert_eq!(due, at(150), "the requests reach the server");
        assert_eq!(live(&mut streams, due, Time::MAX), [(at(400), Some(0)), (at(400), Some(1))]);
        // 250 ms later it has a window of 16,000 bytes.
        streams.ask(at(650), stream(2, 16_000, at(650)));
        let due = streams.due();
        assert_eq!(live(&mut streams, due, Time::MAX), [(at(750), Some(2))]);
    }

    #[test]
    fn what_is_seen_of_it_is_what_has_arrived_and_nothing_is_lost() {
        let mut streams = PastStreams::new(Tls::None.handshake(), path());
        live(&mut streams, at(100), Time::MAX);
        streams.ask(at(100), stream(0, 20_000, at(0)));
        let due = streams.due();
        live(&mut streams, due, at(340));
        // The second round was there at 300 ms; the third, at 400 ms, is sent again 50 ms before.
        let seen = streams.at(at(340));
        assert_eq!((seen.carried, seen.more_in), (12_000, Some(ms(10))));
        assert_eq!(seen.streams.on_the_wires(), [0, 8_000]);
        assert_eq!(seen.streams.under_way(), 1);
    }

    #[test]
    fn requests_on_their_way_are_sent_again_at_once() {
        let mut streams = PastStreams::new(Tls::V1_3.handshake(), path());
        live(&mut streams, at(100), at(110));
        let seen = streams.at(at(110));
        assert_eq!((seen.carried, seen.more_in), (0, Some(Span::ZERO)));
        assert_eq!(seen.streams.on_the_wires(), [517, 0]);
    }
}
