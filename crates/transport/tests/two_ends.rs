//! Two ends of QUIC joined by a wire that takes 50 ms and loses what it is told to: no network, no
//! simulator.

use aqmlab_aqm::Codepoint;
use aqmlab_random::Key;
use aqmlab_transport::{
    Answer, Connecting, OtherTransport, OutgoingPacket, Settings, StreamId, Transport, TransportEnd, Urgency,
};
use aqmlab_units::{Span, Time};

const DELAY: Span = Span::from_milliseconds(50);
const CLIENT: usize = 0;
const SERVER: usize = 1;

/// What an end has said of its connection, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Established,
    Delivered(u32, u32),
    PeerClosed,
    Finished,
    GaveUp,
}

struct Wire {
    ends: [Box<dyn TransportEnd>; 2],
    now: Time,
    /// Packets under way: when they arrive, where, and what they are.
    under_way: Vec<(Time, usize, OutgoingPacket)>,
    /// How many each end has sent, and which of the server's are lost.
    sent: [usize; 2],
    lost: Vec<usize>,
    said: Vec<(Time, usize, Said)>,
    bytes: [u64; 2],
}

impl Wire {
    fn new(seed: u64, settings: Settings, lost: &[usize]) -> Self {
        let transport = Transport::named("quic").expect("known");
        let connecting = Connecting { key: Key::from_seed(seed) };
        Self {
            ends: OtherTransport { transport, settings }.make_ends().make(&connecting),
            now: Time::ZERO,
            under_way: Vec::new(),
            sent: [0; 2],
            lost: lost.to_vec(),
            said: Vec::new(),
            bytes: [0; 2],
        }
    }

    fn act(&mut self, end: usize, action: impl FnOnce(&mut dyn TransportEnd, Time, &mut Answer)) {
        let mut answer = Answer::default();
        action(self.ends[end].as_mut(), self.now, &mut answer);
        for packet in answer.packets {
            self.sent[end] += 1;
            self.bytes[end] += u64::from(packet.ip_bytes);
            assert!(packet.ip_bytes <= 1_480 && usize::from(packet.ip_bytes) == packet.payload.len() + 28);
            if end == CLIENT || !self.lost.contains(&self.sent[end]) {
                self.under_way.push((self.now + DELAY, 1 - end, packet));
            }
        }
        let mut say = |what| self.said.push((self.now, end, what));
        answer.delivered.iter().for_each(|(stream, bytes)| say(Said::Delivered(stream.number(), *bytes)));
        let news = [
            (answer.peer_closed, Said::PeerClosed),
            (answer.established, Said::Established),
            (answer.gave_up, Said::GaveUp),
            (answer.finished, Said::Finished),
        ];
        news.into_iter().filter(|(is_so, _)| *is_so).for_each(|(_, what)| say(what));
    }

    /// Goes on until nothing is pending, or to this time.
    fn run(&mut self, until: Time) {
        loop {
            let deadlines = self.ends.each_ref().map(|end| end.deadline());
            let arrival = self.under_way.iter().map(|(at, ..)| *at).min().unwrap_or(Time::MAX);
            let next = arrival.min(deadlines[0]).min(deadlines[1]).max(self.now);
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if arrival == next {
                let place = self.under_way.iter().position(|(at, ..)| *at == next).expect("the first");
                let (_, end, packet) = self.under_way.remove(place);
                self.act(end, |end, now, answer| {
                    end.on_packet(now, &packet.payload, packet.codepoint, answer);
                });
            } else {
                let end = usize::from(deadlines[0] > next);
                self.act(end, |end, now, answer| end.on_timer(now, answer));
            }
        }
    }

    fn connect(&mut self) {
        self.act(CLIENT, |end, now, answer| end.connect(now, answer));
    }

    fn write(&mut self, end: usize, stream: u32, bytes: u64) {
        let stream = StreamId::from_number(stream);
        self.act(end, |end, now, answer| {
            end.write(now, stream, bytes, answer);
            end.finish(now, stream, answer);
        });
    }

    /// When an end first said this.
    fn when(&self, end: usize, what: Said) -> Option<Time> {
        self.said.iter().find(|(_, own, said)| (*own, *said) == (end, what)).map(|(at, ..)| *at)
    }

    /// How many bytes of a stream an end has been told of, and when of the last.
    fn delivered(&self, end: usize, stream: u32) -> (u64, Time) {
        let of_stream = self.said.iter().filter_map(|&(at, own, said)| match said {
            Said::Delivered(number, bytes) if own == end && number == stream => Some((u64::from(bytes), at)),
            _ => None,
        });
        of_stream.fold((0, Time::ZERO), |(sum, _), (bytes, at)| (sum + bytes, at))
    }
}

const CUBIC: Settings = Settings { congestion: "cubic", ecn: false };

fn seconds(seconds: f64) -> Time {
    Time::from_seconds(seconds)
}

/// A client that asks for so many responses of these bytes at once, of a server that answers.
fn answered(seed: u64, lost: &[usize], responses: &[u64]) -> Wire {
    let mut wire = Wire::new(seed, CUBIC, lost);
    wire.connect();
    wire.run(seconds(0.5));
    let streams = || (0..).zip(responses);
    for (stream, _) in streams() {
        wire.write(CLIENT, stream, 100);
    }
    wire.run(seconds(0.5) + DELAY);
    for (stream, bytes) in streams() {
        assert_eq!(wire.delivered(SERVER, stream), (100, seconds(0.55)));
        wire.write(SERVER, stream, *bytes);
    }
    wire.run(seconds(20.0));
    wire
}

#[test]
fn a_connection_opens_in_one_round_trip_with_the_bytes_of_tls() {
    let mut wire = Wire::new(1, CUBIC, &[]);
    wire.connect();
    wire.run(seconds(0.2));
    assert_eq!(wire.when(CLIENT, Said::Established), Some(seconds(0.1)));
    assert_eq!(wire.when(SERVER, Said::Established), Some(seconds(0.15)));
    // A client's first packet is filled up (RFC 9000 section 14.1), a server's flight is 3,000 bytes and
    // headers, and no more than three times what has come (section 8.1).
    assert!(wire.bytes[CLIENT] >= 1_228 && wire.bytes[SERVER] > 3_000, "{:?}", wire.bytes);
    assert!(wire.bytes[SERVER] < 3 * 1_452 + 1_000, "{:?}", wire.bytes);
}

#[test]
fn what_is_written_is_delivered_on_its_stream_and_both_ends_close() {
    let mut wire = answered(1, &[], &[5_000, 70_000, 1]);
    for (stream, bytes) in [(0, 5_000), (1, 70_000), (2, 1)] {
        assert_eq!(wire.delivered(CLIENT, stream).0, bytes);
    }
    wire.act(CLIENT, |end, now, answer| end.close(now, answer));
    wire.run(wire.now + DELAY * 2);
    assert!(wire.when(SERVER, Said::PeerClosed).is_some() && wire.when(CLIENT, Said::PeerClosed).is_none());
    wire.act(SERVER, |end, now, answer| end.close(now, answer));
    wire.run(seconds(100.0));
    for end in [CLIENT, SERVER] {
        let count = |what| wire.said.iter().filter(|(_, own, said)| (*own, *said) == (end, what)).count();
        let [closed, finished, gave_up] = [Said::PeerClosed, Said::Finished, Said::GaveUp].map(count);
        assert_eq!((closed, finished, gave_up), (1, 1, 0), "end {end}");
        assert_eq!(wire.ends[end].deadline(), Time::MAX);
    }
    assert!(wire.under_way.is_empty());
}

/// The server's packets of the handshake are the first few; then come those of three responses in turn, all
/// in the first window. A packet with the end of one may have the beginning of the next.
#[test]
fn a_lost_packet_keeps_one_stream_waiting() {
    let responses = [3_500, 3_500, 3_500];
    let usual = answered(1, &[], &responses);
    let mut alone = 0;
    for lost in 4..18 {
        let wire = answered(1, &[lost], &responses);
        let late = (0..3).filter(|&stream| {
            let ((bytes, now), (_, before)) =
                (wire.delivered(CLIENT, stream), usual.delivered(CLIENT, stream));
            assert_eq!(bytes, 3_500);
            now > before + Span::from_milliseconds(40)
        });
        let late = late.count();
        assert!(late <= 2, "{late} streams wait for packet {lost}");
        alone += usize::from(late == 1);
    }
    assert!(alone >= 4, "{alone}");
}

#[test]
fn the_more_urgent_stream_goes_first() {
    let mut wire = Wire::new(1, CUBIC, &[]);
    wire.connect();
    wire.run(seconds(0.5));
    for stream in 0..2 {
        wire.write(CLIENT, stream, 100);
    }
    wire.run(seconds(0.5) + DELAY);
    wire.ends[SERVER].prioritize(StreamId::from_number(1), Urgency::DOCUMENT);
    for stream in 0..2 {
        wire.write(SERVER, stream, 200_000);
    }
    wire.run(seconds(20.0));
    let [usual, urgent] = [0, 1].map(|stream| wire.delivered(CLIENT, stream));
    assert_eq!([usual.0, urgent.0], [200_000; 2]);
    assert!(urgent.1 + Span::from_milliseconds(50) <= usual.1, "{urgent:?} {usual:?}");
}

#[test]
fn what_was_not_sent_is_withdrawn() {
    let mut wire = Wire::new(1, CUBIC, &[]);
    wire.connect();
    wire.run(seconds(0.5));
    wire.act(CLIENT, |end, now, answer| end.write(now, StreamId::FIRST, 1 << 63, answer));
    assert!(wire.ends[CLIENT].unsent_bytes() > 1 << 62);
    wire.run(seconds(0.7));
    wire.act(CLIENT, |end, now, answer| end.withdraw_and_close(now, answer));
    assert_eq!(wire.ends[CLIENT].unsent_bytes(), 0);
    wire.run(seconds(5.0));
    assert!(wire.when(SERVER, Said::PeerClosed).is_some());
    let (bytes, _) = wire.delivered(SERVER, 0);
    assert!((12_000..1_000_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_client_whom_nobody_answers_gives_up() {
    let mut wire = Wire::new(1, CUBIC, &(1..1_000).collect::<Vec<_>>());
    wire.connect();
    wire.run(seconds(200.0));
    let gave_up = wire.when(CLIENT, Said::GaveUp).expect("it gives up");
    assert!((29.0..61.0).contains(&gave_up.seconds()), "{gave_up}");
    assert_eq!(wire.when(CLIENT, Said::Finished), Some(gave_up));
}

#[test]
fn equal_keys_draw_equal_packets() {
    let of_seed = |seed| {
        let wire = answered(seed, &[12], &[50_000, 80_000]);
        (wire.said, wire.bytes, wire.sent)
    };
    assert_eq!(of_seed(3), of_seed(3));
}

#[test]
fn packets_are_capable_of_ecn_where_the_settings_say_so() {
    for (ecn, codepoint) in [(false, Codepoint::NotEct), (true, Codepoint::Ect0)] {
        let mut wire = Wire::new(1, Settings { ecn, ..CUBIC }, &[]);
        wire.connect();
        let codepoints: Vec<Codepoint> = wire.under_way.iter().map(|(.., packet)| packet.codepoint).collect();
        assert_eq!(codepoints, [codepoint]);
    }
}

#[test]
fn what_scenarios_can_name_is_listed() {
    assert_eq!(Transport::names().collect::<Vec<_>>(), ["tcp", "quic"]);
    assert!(Transport::named("quic").is_some_and(Transport::is_built));
    assert!(Transport::named("tcp").is_none() && Transport::named("sctp").is_none());
}
