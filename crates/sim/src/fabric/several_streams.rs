//! Several streams over a transport that is not TCP: a test of the seam below applications, none of which has
//! more than one yet.

#[path = "../../tests/frames/mod.rs"]
mod frames;

use super::{CapturedPorts, Departures, Events, Fabric, Settings, Timer, Transports};
use crate::engine::EventKind;
use crate::identifiers::{ConnectionIdentity, EndpointId};
use aqmlab_driver::measured_window;
use aqmlab_random::Key;
use aqmlab_scenario::Scenario;
use aqmlab_session::{ConnectionEvent, ConnectionEventKind, FlowId, Opening, Owner, Side, StreamId};
use aqmlab_units::Time;
use aqmlab_web::MinimumDelay;
use frames::FrameEnd;

/// One flow over a link that loses the second packet of every connection.
const TEXT: &str = r#"
name = "streams"
duration_s = 10.0
[topology]
nodes = [{ name = "a", kind = "host" }, { name = "r", kind = "router" }, { name = "b", kind = "host" }]
links = [
  { from = "a", to = "r", rate_mbps = 10.0, drop = [2], both_ways = false },
  { from = "r", to = "a", rate_mbps = 10.0, both_ways = false },
  { from = "r", to = "b", rate_mbps = 1.0, delay_ms = 10.0, queue = { scheme = "drop-tail", limit_packets = 50 } },
]
[[flows]]
name = "frames"
count = 1
senders = "a"
receivers = "b"
base_rtt_ms = 0.0
"#;

/// Everything that is pending, until nothing is for minutes; answers with what happened.
fn run(fabric: &mut Fabric, events: &mut Events) -> Vec<ConnectionEvent> {
    let mut happened = Vec::new();
    loop {
        let (instant, kind) = events.next();
        if instant > Time::from_seconds(100.0) {
            return happened;
        }
        events.advance(instant);
        match kind {
            EventKind::Transmission => fabric.end_transmission(events),
            EventKind::Packet | EventKind::PacketSoon => {
                fabric.arrive(events.take_packet(kind), events);
            }
            EventKind::Timer => match events.take_timer() {
                Timer::Connection { connection, generation } => {
                    fabric.fire(ConnectionIdentity { place: connection, generation }, events);
                }
                timer => panic!("{timer:?}"),
            },
            EventKind::Sample => panic!("nothing is sampled"),
        }
        happened.extend(std::iter::from_fn(|| fabric.poll()));
    }
}

#[test]
fn a_stream_goes_on_while_another_waits_for_what_was_lost() {
    let scenario = Scenario::from_toml(TEXT, "streams", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut transports = Transports::default();
    transports.set(&scenario, "frames", Box::new(FrameEnd::pair)).unwrap();
    let (window, captured) = (measured_window(&scenario), CapturedPorts::default());
    let settings = Settings { captured: &captured, transports, departures: Departures::Predicted };
    let mut fabric = Fabric::new(&scenario, window, Key::from_seed(1), settings);
    let mut events = fabric.event_queue();
    let owner = Owner::Flow { flow: FlowId::of(0) };
    let delay = MinimumDelay::Drawn(0.0);
    let opening = Opening { owner, machine: 0, server: 0, delay, opener: Side::Active };
    let connection = fabric.open(&opening, &mut events).connection;
    assert!(fabric.endpoints.connections.at(connection.number()).ends.iter().all(|end| end.tcp().is_none()));
    let opened = run(&mut fabric, &mut events);
    let established = |event: &ConnectionEvent| event.kind == ConnectionEventKind::Established;
    assert!(opened.len() == 2 && opened.iter().all(established), "{opened:?}");

    let [one, other] = [0, 7].map(StreamId::from_number);
    for (stream, bytes) in [(one, 1_000), (other, 2_500)] {
        let end = EndpointId { connection, side: Side::Active };
        fabric.write(end, stream, bytes, &mut events);
    }
    let arrived = |event: ConnectionEvent| match event.kind {
        ConnectionEventKind::Delivered { bytes } => (event.side, event.stream, bytes),
        kind => panic!("{kind:?}"),
    };
    let delivered: Vec<_> = run(&mut fabric, &mut events).into_iter().map(arrived).collect();
    let [of_one, of_other] = [one, other].map(|stream| move |bytes| (Side::Passive, stream, bytes));
    assert_eq!(delivered, [of_other(1_200), of_other(1_200), of_other(100), of_one(1_000)]);

    for side in [Side::Active, Side::Passive] {
        fabric.close(EndpointId { connection, side }, &mut events);
    }
    let closed = run(&mut fabric, &mut events);
    let count = |kind| closed.iter().filter(|event| event.kind == kind).count();
    assert_eq!((count(ConnectionEventKind::PeerClosed), count(ConnectionEventKind::Ended)), (2, 2));
    assert_eq!(fabric.endpoints.options.kept_payloads(), 0, "no payload outlives its packet");
}
