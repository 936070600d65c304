//! A transport that knows nothing of this workspace behind a home line: the example
//! `examples/foreign_endpoint`, and what a test of such a transport can find out.
//!
//! The line has 20 Mbit/s and a round trip of 20 ms. A full datagram has 1,228 bytes, which take 0.4912 ms.

#[path = "../examples/foreign_endpoint/home_line.rs"]
mod home_line;
#[path = "../examples/foreign_endpoint/transport.rs"]
mod transport;

use aqmlab_aqm::Scheme;
use aqmlab_aqm::algorithms::{cake, drop_tail, dualpi2, fq_codel};
use aqmlab_link::Path;
use aqmlab_units::{Span, Time};
use home_line::{Datagram, packet};

const PIECES: u64 = 10_000;
const PACKET_S: f64 = 1228.0 * 8.0 / 20e6;

fn drop_tail() -> Scheme {
    Scheme::DropTail(drop_tail::Params { limit_packets: Some(256), ..drop_tail::Params::default() })
}

/// With the buffer that Linux has.
fn dual_pi2() -> Scheme {
    Scheme::DualPi2(dualpi2::Params { limit_packets: Some(10_000), ..dualpi2::Params::default() })
}

/// Numbers of a download, and how long a datagram of another flow would have waited, every 20 ms behind the
/// first second.
struct Seen {
    took_s: f64,
    marked: u64,
    lost: u64,
    waits_s: Vec<f64>,
}

/// A download beside a call: each datagram of the call is followed until it leaves, in a copy of the path.
fn beside_a_call(queue: &Scheme) -> Seen {
    let (mut due, mut waits_s) = (Time::from_seconds(1.0), Vec::new());
    let (took, [down, _]) = home_line::download(queue, PIECES, |now, down| {
        if now >= due {
            due = now + Span::from_milliseconds(20);
            waits_s.push(wait_s(now, down.clone()));
        }
    });
    down.link().port().check_conservation().expect("every packet is somewhere");
    let marked = down.counters().marks().total().packets;
    let lost = down.counters().all_discards().total().packets;
    waits_s.sort_by(f64::total_cmp);
    Seen { took_s: took.seconds(), marked, lost, waits_s }
}

/// How long a datagram of another flow waits that is sent now: 160 bytes of voice.
fn wait_s(sent: Time, mut path: Path<Datagram>) -> f64 {
    path.send(sent, packet(2, vec![0; 160]));
    let mut now = sent;
    loop {
        while let Some(Datagram(facts, _)) = path.poll_packet(now) {
            if facts.flow == 2 {
                return (now - sent).seconds() - 0.010 - 188.0 * 8.0 / 20e6;
            }
        }
        now = path.poll_timeout().expect("the datagram was not dropped");
        path.handle_timeout(now);
    }
}

impl Seen {
    fn wait_ms(&self, share: f64) -> f64 {
        1e3 * self.waits_s[(share * (self.waits_s.len() - 1) as f64) as usize]
    }
}

#[test]
fn the_line_is_full_under_every_queue() {
    let least_s = PIECES as f64 * PACKET_S;
    for queue in [
        drop_tail(),
        Scheme::FqCoDel(fq_codel::Params::default()),
        Scheme::Cake(cake::Params::default()),
        dual_pi2(),
    ] {
        let seen = beside_a_call(&queue);
        let name = queue.name();
        assert!((least_s..1.15 * least_s).contains(&seen.took_s), "{name}: {} s", seen.took_s);
        assert!(seen.waits_s.len() > 150, "{name}");
    }
}

/// The window at a loss is 256 packets that wait and 41 under way (20 ms at 20 Mbit/s); half of it still
/// leaves 107 that wait, which take 53 ms.
#[test]
fn behind_drop_tail_a_call_waits_for_the_download() {
    let seen = beside_a_call(&drop_tail());
    assert!(seen.wait_ms(0.1) > 40.0 && seen.wait_ms(1.0) < 257.0 * 1e3 * PACKET_S, "{:?}", seen.waits_s);
    assert!(seen.lost > 0 && seen.marked == 0, "drop-tail marks nothing");
}

/// A flow that sends little has the next turn: it waits for the packet that is being sent, and for one more
/// where the download's own queue has just begun anew.
#[test]
fn behind_fair_queues_a_call_waits_for_a_packet_or_two() {
    for queue in [Scheme::FqCoDel(fq_codel::Params::default()), Scheme::Cake(cake::Params::default())] {
        let (seen, name) = (beside_a_call(&queue), queue.name());
        assert!(seen.wait_ms(0.5) <= 1e3 * PACKET_S, "{name}: {} ms", seen.wait_ms(0.5));
        assert!(seen.wait_ms(1.0) <= 2.0 * 1e3 * PACKET_S, "{name}: {} ms", seen.wait_ms(1.0));
        assert!(seen.marked > 0, "{name} marks what is capable of ECN");
    }
}

/// A sender of ECT(0) is in the Classic queue, which is held at 15 ms (RFC 9332, appendix A.1).
#[test]
fn behind_dualpi2_a_call_waits_about_as_long_as_its_target() {
    let seen = beside_a_call(&dual_pi2());
    assert!((7.5..30.0).contains(&seen.wait_ms(0.5)), "{} ms", seen.wait_ms(0.5));
    assert!(seen.marked > 0);
}

#[test]
fn two_runs_are_the_same_to_the_nanosecond() {
    let queue = Scheme::FqCoDel(fq_codel::Params::default());
    let run = || {
        let mut instants = Vec::new();
        let (took, ways) = home_line::download(&queue, 2_000, |now, _| instants.push(now));
        (took, instants, ways.map(|way| way.counters().clone()))
    };
    assert_eq!(run(), run());
}
