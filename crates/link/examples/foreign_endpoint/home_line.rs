//! The transport of [`super::transport`] behind a home line: what a test of yours would have, with your
//! endpoints in place of these.

use super::transport::Endpoint;
use aqmlab_aqm::{Codepoint, PacketClass, PacketFacts, Queued, Scheme};
use aqmlab_link::Path;
use aqmlab_random::Key;
use aqmlab_units::{Rate, Span, Time};

/// IPv4 and UDP.
const HEADER_BYTES: u32 = 28;

/// Your datagram, and what a queue may know of it.
#[derive(Clone)]
pub(crate) struct Datagram(pub(crate) PacketFacts, pub(crate) Vec<u8>);

impl Queued for Datagram {
    fn facts(&self) -> PacketFacts {
        self.0
    }
    fn mark(&mut self) {
        self.0.codepoint = Codepoint::Ce;
    }
}

/// The packet of a flow, capable of ECN.
pub(crate) fn packet(flow: u64, payload: Vec<u8>) -> Datagram {
    let (bytes, codepoint) = (payload.len() as u32 + HEADER_BYTES, Codepoint::Ect0);
    Datagram(PacketFacts { flow, bytes, codepoint, class: PacketClass::Datagram }, payload)
}

/// One way of the line: 10 ms behind this queue.
pub(crate) fn way(queue: &Scheme, mbps: f64, name: &str) -> Path<Datagram> {
    let rate = Rate::from_megabits_per_second(mbps);
    Path::new(queue, rate, Span::from_milliseconds(10), Key::from_seed(1).named(name))
}

/// Downloads so many pieces of 1,200 bytes over 20/5 Mbit/s under a queue. Calls `each` with every instant
/// and the way down, before time goes on; returns when the last piece was acknowledged, and both ways.
pub(crate) fn download(
    queue: &Scheme,
    pieces: u64,
    mut each: impl FnMut(Time, &mut Path<Datagram>),
) -> (Time, [Path<Datagram>; 2]) {
    let (mut server, mut client) = (Endpoint::new(pieces), Endpoint::new(0));
    let (mut down, mut up) = (way(queue, 20.0, "down"), way(queue, 5.0, "up"));
    let mut now = Time::ZERO;
    while !server.is_done() {
        let ns = now.nanoseconds();
        while let Some(payload) = server.poll_transmit(ns) {
            down.send(now, packet(1, payload));
        }
        while let Some(payload) = client.poll_transmit(ns) {
            up.send(now, packet(1, payload));
        }
        each(now, &mut down);
        let probe = server.poll_timeout().map(Time::from_nanoseconds);
        let next = [down.poll_timeout(), up.poll_timeout(), probe].into_iter().flatten().min();
        now = next.expect("something is under way");
        down.handle_timeout(now);
        up.handle_timeout(now);
        while let Some(Datagram(facts, payload)) = down.poll_packet(now) {
            client.handle_datagram(now.nanoseconds(), &payload, facts.codepoint == Codepoint::Ce);
        }
        while let Some(Datagram(facts, payload)) = up.poll_packet(now) {
            server.handle_datagram(now.nanoseconds(), &payload, facts.codepoint == Codepoint::Ce);
        }
        server.handle_timeout(now.nanoseconds());
    }
    assert_eq!(client.received() as u64, pieces);
    (now, [down, up])
}
