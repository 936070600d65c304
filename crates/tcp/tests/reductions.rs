//! Laws of reductions, for senders with a scoreboard behind a bottleneck that keeps the order of packets and
//! loses some.
//!
//! Where nothing is reordered, delayed beyond its turn or doubled, every loss is one. So
//!
//! - a threshold that changes is at most β times the most that was outstanding since it last changed (RFC
//!   5681 equation 4 with one half, RFC 9438 section 4.6 with 0.7; DCTCP answers a loss as Reno does, RFC
//!   8257 section 3.5), or two segments: a reduction that is taken back makes it three quarters of the window
//!   at the least, and breaks this;
//! - without timeouts and probes nothing is sent again but what was lost, which bounds the retransmissions of
//!   every recovery;
//! - what each acknowledgement of a recovery lets out is bounded by what has arrived (RFC 9937 section 6, see
//!   `sending_rate.rs`).

mod network;
mod sending_rate;

use aqmlab_tcp::{HostOverrides, HostProfile, HyStart};
use aqmlab_units::{Span, Time};
use network::{Close, Exchange, Fate, Sent, Side, World, is_data, is_syn};
use proptest::prelude::*;
use sending_rate::SendingRate;

const ROUND_TRIP: Span = Span::from_milliseconds(40);
/// A packet's time on the link: 60 packets of it are less than 200 ms, so that no timeout is spurious (RFC
/// 6298 rule 2.4 with Linux's minimum).
const PACKET_TIME: Span = Span::from_milliseconds(3);

/// More than any of these connections can send: the window alone limits it.
const WITHOUT_END: u64 = 1_000_000_000;

/// Data wait for their turn, as many as the queue has places for; of every hundred, so many are lost besides.
fn bottleneck(places: u64, lost: u8, dice: Vec<u8>) -> impl FnMut(&Sent) -> Fate {
    let (mut free, mut number) = (Time::ZERO, 0);
    move |sent| {
        if sent.from == Side::Client || !is_data(&sent.segment) || is_syn(&sent.segment) {
            return Fate::Pass;
        }
        number += 1;
        let waits = free.checked_since(sent.at).unwrap_or(Span::ZERO);
        let full = waits.nanoseconds() > places * PACKET_TIME.nanoseconds();
        if full || dice[number % dice.len()] < lost {
            return Fate::Drop;
        }
        free = sent.at + waits + PACKET_TIME;
        Fate::Late(free - sent.at)
    }
}

fn profile(name: &str, (rack, reduction): (bool, bool)) -> HostProfile {
    let overrides = HostOverrides {
        rack: Some(rack),
        proportional_rate_reduction: Some(reduction),
        tail_loss_probe: Some(false),
        hystart: (name == "linux6-cubic").then_some(HyStart::Off),
        ..HostOverrides::default()
    };
    HostProfile::named(name).unwrap().with(&overrides).unwrap()
}

/// The threshold of the server, and the most that was outstanding since it changed.
struct Threshold {
    bytes: f64,
    most_outstanding: f64,
}

impl Threshold {
    fn observe(&mut self, world: &World<'_>, beta: f64) -> Result<(), TestCaseError> {
        let server = &world.server;
        let now = server.endpoint.slow_start_threshold_bytes(&server.profile);
        let least = 2.0 * f64::from(server.profile.maximum_segment_bytes);
        if now != self.bytes {
            let most = (beta * self.most_outstanding).max(least);
            prop_assert!(now <= most, "at {} the threshold becomes {now}, above {most}", world.now);
            self.most_outstanding = 0.0;
        }
        self.bytes = now;
        self.most_outstanding = self.most_outstanding.max(f64::from(server.endpoint.outstanding()));
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_loss_reduces_the_window_for_good_and_is_all_that_is_sent_again(
        (name, beta) in controllers(),
        switches: (bool, bool),
        places in 4_u64..60,
        lost in 0_u8..25,
        dice in prop::collection::vec(0_u8..100, 1..300),
        seconds in 1.0_f64..30.0,
    ) {
        let profile = profile(name, switches);
        let mut world = World::new(&profile, ROUND_TRIP, &[Exchange::of(100, WITHOUT_END)], Close::Never)
            .with_law(bottleneck(places, lost, dice));
        let mut threshold = Threshold { bytes: f64::from(u32::MAX), most_outstanding: 0.0 };
        world.connect();
        while world.step() && world.now < Time::from_seconds(seconds) {
            threshold.observe(&world, beta)?;
        }
        let statistics = world.server.endpoint.statistics();
        if statistics.timeouts == 0 {
            let dropped = world.trace.iter().filter(|sent| sent.fate == Fate::Drop).count();
            prop_assert!(statistics.retransmitted_segments as usize <= dropped, "{statistics:?}: {dropped} lost");
        }
    }

    #[test]
    fn what_a_recovery_sends_is_bounded_by_what_arrives(
        (name, beta) in controllers(),
        rack: bool,
        places in 4_u64..60,
        lost in 0_u8..25,
        dice in prop::collection::vec(0_u8..100, 1..300),
        seconds in 1.0_f64..30.0,
    ) {
        let judged = sending_rate(&profile(name, (rack, true)), beta, bottleneck(places, lost, dice), seconds);
        prop_assert!(judged.is_ok(), "{}", judged.unwrap_err());
    }
}

/// Senders that reduce on a loss, and their β.
fn controllers() -> impl Strategy<Value = (&'static str, f64)> {
    prop::sample::select(vec![("linux6-reno", 0.5), ("linux6-cubic", 717.0 / 1024.0), ("linux6-dctcp", 0.5)])
}

/// Judges the recoveries of a connection up to its first timeout, each of which would leave another window.
/// Answers how many acknowledgements of recoveries were judged.
fn sending_rate(
    profile: &HostProfile,
    beta: f64,
    law: impl FnMut(&Sent) -> Fate,
    seconds: f64,
) -> Result<u32, String> {
    let mut world =
        World::new(profile, ROUND_TRIP, &[Exchange::of(100, WITHOUT_END)], Close::Never).with_law(law);
    let mut rate = SendingRate::new(beta, ROUND_TRIP);
    world.connect();
    while world.step() && world.now < Time::from_seconds(seconds) {
        if world.server.endpoint.statistics().timeouts > 0 {
            break;
        }
        rate.observe(&world.trace, world.now)?;
    }
    Ok(rate.judged)
}

#[test]
fn the_bound_tells_a_rate_reduction_from_a_window_that_falls_at_once() {
    let judged = |reduction| {
        sending_rate(&profile("linux6-reno", (true, reduction)), 0.5, bottleneck(20, 0, vec![0]), 20.0)
    };
    assert!(judged(true).unwrap() > 20, "{:?}", judged(true));
    assert!(judged(false).is_err(), "{:?}", judged(false));
}
