//! An end of a connection over QUIC.
//!
//! Stream n of the application is bidirectional stream n of the end that opened the connection: its requests
//! go one way, their responses the other. A server that writes where nothing was asked for opens a stream of
//! its own. An end that closes finishes its streams, and says on a unidirectional stream how many they are;
//! when both have said so and all of it is acknowledged, the first to know closes the connection.

use super::QuicSettings;
use super::configuration::{STREAM_WINDOW, UDP_PAYLOAD, endpoint};
use super::sending::{Blocked, Sending, Written};
use crate::{Answer, OutgoingPacket, StreamId, TransportEnd, Urgency};
use aqmlab_aqm::Codepoint;
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use bytes::{Bytes, BytesMut};
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    Event, StreamEvent, VarInt,
};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Bytes of the headers of IPv4 and UDP.
const HEADER_BYTES: u16 = 28;
/// The beginning of every run in the terms of quinn, which only ever takes differences to it.
#[expect(clippy::disallowed_methods, reason = "an Instant comes from nowhere else")]
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Addresses in the terms of quinn: an end has one peer.
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 443);
/// What is handed over at a time; nobody reads it.
static ZEROS: [u8; UDP_PAYLOAD as usize] = [0; UDP_PAYLOAD as usize];
/// What is handed over beyond the window, so that a packet is never short of data: packets.
const SPARE_PACKETS: u64 = 4;
/// The number of streams that an end has written on, when it closes.
const COUNT_BYTES: usize = 8;

/// One end.
pub(super) struct QuicEnd {
    settings: QuicSettings,
    endpoint: Endpoint,
    client: ClientConfig,
    connection: Option<(ConnectionHandle, Connection)>,
    sending: Sending,
    /// Streams that this end has opened, and streams of the peer.
    opened: u64,
    accepted: u64,
    /// Streams whose end this end has read.
    ended: u64,
    /// What the peer has said of how many it has written on.
    count: Vec<u8>,
    /// Streams on which data or an end are not acknowledged.
    unacknowledged: BTreeSet<quinn_proto::StreamId>,
    is_closing: bool,
    /// The stream on which it says how many streams it has written on, and how much of that is said.
    closing_stream: Option<quinn_proto::StreamId>,
    said: usize,
    peer_closed: bool,
    is_over: bool,
    deadline: Time,
    buffer: Vec<u8>,
}

impl QuicEnd {
    pub(super) fn new(key: Key, settings: QuicSettings, is_server: bool) -> Self {
        let (endpoint, client) = endpoint(key, settings, is_server);
        Self {
            settings,
            endpoint,
            client,
            connection: None,
            sending: Sending::default(),
            opened: 0,
            accepted: 0,
            ended: 0,
            count: Vec::new(),
            unacknowledged: BTreeSet::new(),
            is_closing: false,
            closing_stream: None,
            said: 0,
            peer_closed: false,
            is_over: false,
            deadline: Time::MAX,
            buffer: Vec::new(),
        }
    }

    /// Everything that follows from a call: events, data, packets, the next deadline.
    fn go_on(&mut self, now: Time, answer: &mut Answer) {
        loop {
            let news = self.take_events(answer);
            self.hand_over();
            self.say_count();
            self.close_if_all_is_said(now);
            let sent = self.send(now, answer);
            if !news && !sent {
                break;
            }
        }
        let Some((_, connection)) = &mut self.connection else { return };
        self.deadline = connection.poll_timeout().map_or(Time::MAX, time);
        if connection.is_drained() && !self.is_over {
            (self.is_over, answer.finished) = (true, true);
        }
        if self.is_over {
            self.deadline = Time::MAX;
        }
    }

    /// What the connection has to tell the endpoint and the application; answers whether there was anything.
    fn take_events(&mut self, answer: &mut Answer) -> bool {
        let mut any = false;
        while let Some((handle, connection)) = &mut self.connection {
            if let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            } else if let Some(event) = connection.poll() {
                self.take(event, answer);
            } else {
                break;
            }
            any = true;
        }
        any
    }

    fn take(&mut self, event: Event, answer: &mut Answer) {
        match event {
            Event::Connected => answer.established = true,
            Event::ConnectionLost { reason } => self.lose(&reason, answer),
            Event::Stream(StreamEvent::Opened { dir }) => self.accept(dir, answer),
            Event::Stream(StreamEvent::Readable { id }) => self.read(id, answer),
            Event::Stream(StreamEvent::Finished { id }) => {
                self.unacknowledged.remove(&id);
            }
            Event::Stream(
                StreamEvent::Writable { .. } | StreamEvent::Available { .. } | StreamEvent::Stopped { .. },
            )
            | Event::HandshakeDataReady
            | Event::DatagramReceived
            | Event::DatagramsUnblocked => {}
        }
    }

    /// The connection is over before this end has ended it.
    fn lose(&mut self, reason: &ConnectionError, answer: &mut Answer) {
        if self.is_over {
            return;
        }
        let was_closed = matches!(reason, ConnectionError::ApplicationClosed(_));
        let had_said_all = self.is_closing && self.peer_closed;
        answer.gave_up = !was_closed && !had_said_all;
        if was_closed && !self.peer_closed {
            (self.peer_closed, answer.peer_closed) = (true, true);
        }
        (self.is_over, answer.finished) = (true, true);
    }

    /// The peer has opened streams.
    fn accept(&mut self, dir: Dir, answer: &mut Answer) {
        while let Some((_, connection)) = &mut self.connection {
            let Some(id) = connection.streams().accept(dir) else { return };
            if dir == Dir::Bi {
                self.accepted = self.accepted.max(id.index() + 1);
            }
            self.read(id, answer);
        }
    }

    /// Reads all that there is on a stream.
    fn read(&mut self, id: quinn_proto::StreamId, answer: &mut Answer) {
        let Some((_, connection)) = &mut self.connection else { return };
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        let mut bytes: u64 = 0;
        let mut has_ended = false;
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    bytes += chunk.bytes.len() as u64;
                    if id.dir() == Dir::Uni {
                        self.count.extend(&chunk.bytes);
                    }
                }
                Ok(None) => {
                    has_ended = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
        if id.dir() == Dir::Bi {
            if bytes > 0 {
                let bytes = u32::try_from(bytes).expect("no more than the connection's window");
                answer.delivered.push((StreamId::of(place(id)), bytes));
            }
            self.ended += u64::from(has_ended);
        }
        self.look_whether_peer_has_closed(answer);
    }

    /// The peer has closed when it has said how many streams it has written on, and all of them have ended.
    fn look_whether_peer_has_closed(&mut self, answer: &mut Answer) {
        let Ok(count) = <[u8; COUNT_BYTES]>::try_from(self.count.as_slice()) else { return };
        if !self.peer_closed && self.ended >= u64::from_be_bytes(count) {
            (self.peer_closed, answer.peer_closed) = (true, true);
        }
    }

    /// Hands over what has been written, as much as the window has room for.
    fn hand_over(&mut self) {
        let Self { connection, sending, .. } = self;
        let Some((_, connection)) = connection else { return };
        if connection.is_handshaking() || connection.is_closed() {
            return;
        }
        let spare = SPARE_PACKETS * u64::from(UDP_PAYLOAD);
        let window = connection.congestion_state().window();
        connection.set_send_window(window + spare);
        let mut blocked = Blocked::default();
        while let Some((stream, written)) = sending.next(&blocked) {
            let Some(id) = opened(connection, stream, (&mut self.opened, self.accepted)) else {
                blocked.from = Some(stream);
                continue;
            };
            let (bytes, has_ended) = hand_over_of(connection, id, written);
            if bytes > 0 || has_ended {
                self.unacknowledged.insert(id);
                sending.handed_over(stream, bytes, has_ended);
            } else if written.handed_over < u64::from(STREAM_WINDOW) {
                // It is the connection that has no room, for nobody.
                break;
            } else {
                blocked.streams.push(stream);
            }
        }
    }

    const fn has_said_count(&self) -> bool {
        self.said == COUNT_BYTES
    }

    /// A closing end says how many streams it has written on.
    fn say_count(&mut self) {
        if !self.is_closing || self.has_said_count() || !self.sending.have_all_ended() {
            return;
        }
        let Some((_, connection)) = &mut self.connection else { return };
        if connection.is_handshaking() || connection.is_closed() {
            return;
        }
        let opened = self.closing_stream.or_else(|| connection.streams().open(Dir::Uni));
        self.closing_stream = opened;
        let Some(id) = opened else { return };
        let count = self.sending.count().to_be_bytes();
        let mut stream = connection.send_stream(id);
        // Where the window has no room the next call goes on.
        self.said += stream.write(&count[self.said..]).unwrap_or(0);
        if self.said == COUNT_BYTES {
            let _ = stream.finish();
            self.unacknowledged.insert(id);
        }
    }

    /// Both ends have closed, and everything of this one is acknowledged.
    fn close_if_all_is_said(&mut self, now: Time) {
        let all_is_said = self.has_said_count() && self.peer_closed && self.unacknowledged.is_empty();
        let Some((_, connection)) = self.connection.as_mut().filter(|_| all_is_said) else { return };
        if !connection.is_closed() {
            connection.close(instant(now), VarInt::from_u32(0), Bytes::new());
        }
    }

    /// Sends what may leave now; answers whether anything did.
    fn send(&mut self, now: Time, answer: &mut Answer) -> bool {
        let mut any = false;
        loop {
            self.buffer.clear();
            let Some((_, connection)) = &mut self.connection else { return any };
            let Some(transmit) = connection.poll_transmit(instant(now), 1, &mut self.buffer) else {
                return any;
            };
            self.push(transmit.ecn, transmit.size, answer);
            self.hand_over();
            any = true;
        }
    }

    fn push(&self, ecn: Option<EcnCodepoint>, bytes: usize, answer: &mut Answer) {
        let codepoint = match ecn.filter(|_| self.settings.ecn) {
            None => Codepoint::NotEct,
            Some(EcnCodepoint::Ect0) => Codepoint::Ect0,
            Some(EcnCodepoint::Ect1) => Codepoint::Ect1,
            Some(EcnCodepoint::Ce) => Codepoint::Ce,
        };
        let length = u16::try_from(bytes).expect("a packet of no more than its maximum");
        let payload = self.buffer[..bytes].into();
        answer.packets.push(OutgoingPacket { payload, ip_bytes: HEADER_BYTES + length, codepoint });
    }
}

/// The stream in the terms of quinn, opened where it is new; none while the peer allows no more. Of the
/// streams of this end so many are open, and so many of the peer's.
fn opened(
    connection: &mut Connection,
    stream: StreamId,
    (opened, accepted): (&mut u64, u64),
) -> Option<quinn_proto::StreamId> {
    let index = u64::from(stream.number());
    let peer = !connection.side();
    // A server answers on the stream of the request.
    let initiator = if connection.side().is_server() && index < accepted { peer } else { connection.side() };
    while initiator == connection.side() && *opened <= index {
        connection.streams().open(Dir::Bi)?;
        *opened += 1;
    }
    Some(quinn_proto::StreamId::new(initiator, Dir::Bi, index))
}

/// Hands over a part of what has been written on a stream; answers with how many bytes, and whether its end.
fn hand_over_of(connection: &mut Connection, id: quinn_proto::StreamId, written: Written) -> (u64, bool) {
    let mut sending = connection.send_stream(id);
    let _ = sending.set_priority(-i32::from(written.urgency.number()));
    let wanted = written.waiting.min(ZEROS.len() as u64);
    let mut bytes = 0;
    if wanted > 0 {
        let zeros = &ZEROS[..usize::try_from(wanted).expect("as many as there are zeros")];
        bytes = sending.write_chunks(&mut [Bytes::from_static(zeros)]).map_or(0, |done| done.bytes as u64);
    }
    let has_ended = bytes == written.waiting && written.is_finished && sending.finish().is_ok();
    (bytes, has_ended)
}

impl TransportEnd for QuicEnd {
    fn connect(&mut self, now: Time, answer: &mut Answer) {
        let opened = self.endpoint.connect(instant(now), self.client.clone(), ADDRESS, "server");
        self.connection = Some(opened.expect("an address and a version that are legal"));
        self.go_on(now, answer);
    }

    fn write(&mut self, now: Time, stream: StreamId, bytes: u64, answer: &mut Answer) {
        self.sending.write(stream, bytes);
        self.go_on(now, answer);
    }

    fn finish(&mut self, now: Time, stream: StreamId, answer: &mut Answer) {
        self.sending.finish(stream);
        self.go_on(now, answer);
    }

    fn prioritize(&mut self, stream: StreamId, urgency: Urgency) {
        self.sending.prioritize(stream, urgency);
    }

    fn unsent_bytes(&self) -> u64 {
        self.sending.waiting()
    }

    fn close(&mut self, now: Time, answer: &mut Answer) {
        self.is_closing = true;
        self.sending.finish_all();
        self.go_on(now, answer);
    }

    fn withdraw_and_close(&mut self, now: Time, answer: &mut Answer) {
        self.sending.withdraw();
        self.close(now, answer);
    }

    fn on_packet(&mut self, now: Time, payload: &[u8], codepoint: Codepoint, answer: &mut Answer) {
        let ecn = match codepoint {
            Codepoint::NotEct => None,
            Codepoint::Ect0 => Some(EcnCodepoint::Ect0),
            Codepoint::Ect1 => Some(EcnCodepoint::Ect1),
            Codepoint::Ce => Some(EcnCodepoint::Ce),
        };
        // Where ECN is off, what a box on the way has written into the field is for nobody.
        let ecn = ecn.filter(|_| self.settings.ecn);
        let mut response = Vec::new();
        let data = BytesMut::from(payload);
        match self.endpoint.handle(instant(now), ADDRESS, None, ecn, data, &mut response) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self.endpoint.accept(incoming, instant(now), &mut response, None);
                self.connection = Some(accepted.expect("the client's first packet is in order"));
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            // Nobody waits for what is answered to a packet that belongs to no connection.
            Some(DatagramEvent::Response(_)) | None => {}
        }
        self.go_on(now, answer);
    }

    fn on_timer(&mut self, now: Time, answer: &mut Answer) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(instant(now));
        }
        self.go_on(now, answer);
    }

    fn deadline(&self) -> Time {
        self.deadline
    }
}

impl Clone for QuicEnd {
    fn clone(&self) -> Self {
        panic!("a connection over quic cannot be copied")
    }
}

/// The number of a stream.
fn place(id: quinn_proto::StreamId) -> usize {
    usize::try_from(id.index()).expect("as many streams as have numbers")
}

fn instant(time: Time) -> Instant {
    *BEGINNING + Duration::from_nanos(time.nanoseconds())
}

fn time(instant: Instant) -> Time {
    let since = instant.saturating_duration_since(*BEGINNING);
    Time::ZERO + Span::from_nanoseconds(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
