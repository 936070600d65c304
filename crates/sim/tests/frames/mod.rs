//! A transport of another kind than TCP, as small as it can be and still be one: numbered frames, each
//! acknowledged by itself and sent again when its timer expires, on any number of streams, ten at a time.

use aqmlab_aqm::Codepoint;
use aqmlab_sim::{Answer, Connecting, OutgoingPacket, StreamId, TransportEnd};
use aqmlab_units::{Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// IPv4 and UDP, and number, kind, stream, offset and length of a frame.
const OVERHEAD_BYTES: u16 = 28 + 23;
const MOST_DATA_BYTES: u16 = 1_200;
const WINDOW: usize = 10;
const TIMEOUT: Span = Span::from_milliseconds(300);
/// Expired in a row of one frame.
const MOST_TIMEOUTS: u32 = 30;
/// How long a closed end still acknowledges.
const LINGERS: Span = Span::from_milliseconds(2_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Hello = 0,
    Data = 1,
    /// Its offset is the sum of all that was written.
    Close = 2,
    Acknowledgement = 3,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    number: u64,
    stream: StreamId,
    offset: u64,
    bytes: u16,
}

impl Frame {
    fn packet(&self) -> OutgoingPacket {
        let mut payload = self.number.to_be_bytes().to_vec();
        payload.push(self.kind as u8);
        payload.extend(self.stream.number().to_be_bytes());
        payload.extend(self.offset.to_be_bytes());
        payload.extend(self.bytes.to_be_bytes());
        // Data themselves are not carried: nobody reads them.
        let ip_bytes = OVERHEAD_BYTES + self.bytes;
        OutgoingPacket { payload: payload.into(), ip_bytes, codepoint: Codepoint::Ect0 }
    }

    fn read(payload: &[u8]) -> Self {
        let word = |at: usize| u64::from_be_bytes(payload[at..at + 8].try_into().expect("eight bytes"));
        let stream = u32::from_be_bytes(payload[9..13].try_into().expect("four bytes"));
        let kinds = [Kind::Hello, Kind::Data, Kind::Close, Kind::Acknowledgement];
        Self {
            kind: kinds[usize::from(payload[8])],
            number: word(0),
            stream: StreamId::from_number(stream),
            offset: word(13),
            bytes: u16::from_be_bytes([payload[21], payload[22]]),
        }
    }
}

/// A frame that nobody has acknowledged.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    frame: Frame,
    expires: Time,
    timeouts: u32,
}

/// What has arrived of a stream: all before `next`, and beyond it by offset.
#[derive(Clone, Debug, Default)]
struct Arrived {
    next: u64,
    beyond: BTreeMap<u64, u16>,
}

/// One end.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameEnd {
    is_open: bool,
    next_number: u64,
    /// What was written and not sent, in the order of the writes.
    unsent: VecDeque<(StreamId, u64)>,
    /// By stream, where the next data stand.
    offsets: BTreeMap<StreamId, u64>,
    in_flight: BTreeMap<u64, InFlight>,
    arrived: BTreeMap<StreamId, Arrived>,
    written: u64,
    delivered: u64,
    is_closing: bool,
    close_was_sent: bool,
    /// How much the other end has written, if it has closed.
    peer_wrote: Option<u64>,
    peer_was_reported: bool,
    lingers_until: Option<Time>,
    is_over: bool,
}

impl FrameEnd {
    /// Both ends of a connection.
    pub(crate) fn pair(_: &Connecting) -> [Box<dyn TransportEnd>; 2] {
        [Box::<Self>::default(), Box::<Self>::default()]
    }

    fn send(&mut self, now: Time, mut frame: Frame, answer: &mut Answer) {
        frame.number = self.next_number;
        self.next_number += 1;
        answer.packets.push(frame.packet());
        self.in_flight.insert(frame.number, InFlight { frame, expires: now + TIMEOUT, timeouts: 0 });
    }

    /// Sends what the window has room for, and looks whether everything is over.
    fn go_on(&mut self, now: Time, answer: &mut Answer) {
        while self.is_open && self.in_flight.len() < WINDOW {
            let Some((stream, left)) = self.unsent.front_mut() else { break };
            let bytes = u16::try_from(*left).unwrap_or(u16::MAX).min(MOST_DATA_BYTES);
            *left -= u64::from(bytes);
            let (stream, is_used_up) = (*stream, *left == 0);
            if is_used_up {
                self.unsent.pop_front();
            }
            let at = self.offsets.entry(stream).or_default();
            let offset = std::mem::replace(at, *at + u64::from(bytes));
            self.send(now, Frame { kind: Kind::Data, number: 0, stream, offset, bytes }, answer);
        }
        let has_sent_all = self.is_open && self.unsent.is_empty();
        if self.is_closing && has_sent_all && !self.close_was_sent {
            self.close_was_sent = true;
            let (stream, offset) = (StreamId::FIRST, self.written);
            self.send(now, Frame { kind: Kind::Close, number: 0, stream, offset, bytes: 0 }, answer);
        }
        if self.peer_wrote == Some(self.delivered) && !self.peer_was_reported {
            self.peer_was_reported = true;
            answer.peer_closed = true;
        }
        let is_done = self.close_was_sent && self.in_flight.is_empty() && self.peer_was_reported;
        if is_done && self.lingers_until.is_none() {
            self.lingers_until = Some(now + LINGERS);
        }
    }

    fn take(&mut self, Frame { stream, offset, bytes, .. }: Frame, answer: &mut Answer) {
        let arrived = self.arrived.entry(stream).or_default();
        if offset < arrived.next {
            return;
        }
        arrived.beyond.insert(offset, bytes);
        let before = arrived.next;
        while let Some(bytes) = arrived.beyond.remove(&arrived.next) {
            arrived.next += u64::from(bytes);
        }
        let news = arrived.next - before;
        if news > 0 {
            self.delivered += news;
            answer.delivered.push((stream, u32::try_from(news).expect("a window of bytes")));
        }
    }
}

impl TransportEnd for FrameEnd {
    fn connect(&mut self, now: Time, answer: &mut Answer) {
        let stream = StreamId::FIRST;
        self.send(now, Frame { kind: Kind::Hello, number: 0, stream, offset: 0, bytes: 0 }, answer);
    }

    fn write(&mut self, now: Time, stream: StreamId, bytes: u64, answer: &mut Answer) {
        self.written += bytes;
        self.unsent.push_back((stream, bytes));
        self.go_on(now, answer);
    }

    fn unsent_bytes(&self) -> u64 {
        self.unsent.iter().map(|(_, bytes)| bytes).sum()
    }

    fn close(&mut self, now: Time, answer: &mut Answer) {
        self.is_closing = true;
        self.go_on(now, answer);
    }

    fn withdraw_and_close(&mut self, now: Time, answer: &mut Answer) {
        self.written -= self.unsent_bytes();
        self.unsent.clear();
        self.close(now, answer);
    }

    fn on_packet(&mut self, now: Time, payload: &[u8], _: Codepoint, answer: &mut Answer) {
        let frame = Frame::read(payload);
        if frame.kind == Kind::Acknowledgement {
            let acknowledged = self.in_flight.remove(&frame.number);
            if acknowledged.is_some_and(|known| known.frame.kind == Kind::Hello) {
                self.is_open = true;
                answer.established = true;
            }
            return self.go_on(now, answer);
        }
        if frame.kind == Kind::Hello && !self.is_open {
            self.is_open = true;
            answer.established = true;
        }
        // What overtakes the greeting is as good as lost.
        if !self.is_open {
            return;
        }
        answer.packets.push(Frame { kind: Kind::Acknowledgement, bytes: 0, ..frame }.packet());
        match frame.kind {
            Kind::Data => self.take(frame, answer),
            Kind::Close => self.peer_wrote = Some(frame.offset),
            Kind::Hello | Kind::Acknowledgement => {}
        }
        self.go_on(now, answer);
    }

    fn on_timer(&mut self, now: Time, answer: &mut Answer) {
        if self.lingers_until.is_some_and(|until| until <= now) {
            self.is_over = true;
            answer.finished = true;
            return;
        }
        for flying in self.in_flight.values_mut().filter(|flying| flying.expires <= now) {
            flying.expires = now + TIMEOUT;
            flying.timeouts += 1;
            if flying.timeouts > MOST_TIMEOUTS {
                self.is_over = true;
                (answer.gave_up, answer.finished) = (true, true);
                return;
            }
            answer.packets.push(flying.frame.packet());
        }
    }

    fn deadline(&self) -> Time {
        if self.is_over {
            return Time::MAX;
        }
        let timers = self.in_flight.values().map(|flying| flying.expires).min();
        self.lingers_until.into_iter().chain(timers).min().unwrap_or(Time::MAX)
    }
}
