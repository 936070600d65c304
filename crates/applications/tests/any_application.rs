//! Laws of every application of the list, with parameters drawn at random, over paths that lose packets.

mod path;

use aqmlab_applications::datagrams::PacketKeys;
use aqmlab_applications::{ApplicationModel, End, Facts, Sends, Setup};
use aqmlab_random::{Key, Stream};
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Span, Time};
use path::{Path, Sent};

const SECONDS: f64 = 5.0;

/// One of each application with a table, and packets at a rate with and without periods.
fn drawn(dice: &mut Stream) -> Vec<ApplicationModel> {
    let tables = ApplicationModel::drawn(dice);
    let at_rate = |on_s| PacketKeys { rate_mbps: Some(0.3), on_s, off_s: on_s, periods: None };
    let packets =
        [None, Some(0.2)].map(|on_s| ApplicationModel::named_by(&at_rate(on_s), &Default::default()));
    let named = tables.iter().map(|tables| ApplicationModel::named_by(&PacketKeys::default(), tables));
    packets.into_iter().chain(named).flatten().collect()
}

/// Runs `seconds` of one, a share of whose packets is lost; it stops before the end.
fn run(model: &ApplicationModel, packet_bytes: u16, lost: f64, key: Key) -> (Path, Facts, Time) {
    let facts = model.facts(packet_bytes);
    let stops = Time::from_seconds(SECONDS - 1.0);
    let setup = Setup { packet_bytes, starts: Time::ZERO, stops, key: key.named("own") };
    let mut path = Path::new(model.build(setup), &facts, Span::from_milliseconds(20), stops);
    let mut dice = key.named("losses").stream();
    path.run(Time::from_seconds(SECONDS), |_| dice.uniform() < lost);
    (path, facts, stops)
}

fn hold(packets: &[Sent], sends: &Sends, longest: u16, what: &str) {
    for packet in packets {
        let legal = sends.shortest_bytes.min(longest)..=longest;
        assert!(legal.contains(&packet.ip_bytes), "{what}: {packet:?} of {legal:?}");
    }
    assert!(packets.is_sorted_by_key(|packet| packet.at), "{what}");
    if let Some(burst) = sends.burst_packets {
        let most = sends.packets_per_second * SECONDS + burst;
        assert!(packets.len() as f64 <= most, "{what}: {} packets, at most {most}", packets.len());
    }
}

fn hold_frames(frames: &[VideoCallFrame], facts: &Facts, what: &str) {
    let recorded = facts.frames.unwrap_or_else(|| panic!("{what} records frames that its facts deny"));
    let mut shown = Time::ZERO;
    for (number, frame) in frames.iter().enumerate() {
        let due_s = number as f64 / recorded.hz;
        assert!(
            (frame.captured.seconds() - due_s).abs() < 1e-6,
            "{what}: frame {number} at {}",
            frame.captured
        );
        let [least, greatest] = recorded.rates_bps;
        assert!((least..=greatest).contains(&frame.target_bps), "{what}: {} bit/s", frame.target_bps);
        if let Some(at) = frame.shown {
            assert!(at > frame.captured && at >= shown, "{what}: frame {number} shown at {at} after {shown}");
            shown = at;
        }
    }
}

#[test]
fn every_application_keeps_to_its_facts_and_stops() {
    let mut dice = Key::from_seed(20_261_129).stream();
    for case in 0..40 {
        let packet_bytes = 100 + u16::try_from(dice.below(1400)).unwrap_or(0);
        let lost = if dice.uniform() < 0.5 { 0.0 } else { 0.5 * dice.uniform() };
        for model in drawn(&mut dice) {
            let what = format!("case {case}: {model:?} in packets of {packet_bytes}, {lost} lost");
            assert_eq!(model.check(packet_bytes), [], "{what}");
            let (mut path, facts, stops) = run(&model, packet_bytes, lost, Key::from_seed(case));
            let sender = path.sent_by(End::Sender);
            hold(&sender, &facts.sender, packet_bytes, &what);
            assert!(sender.iter().all(|packet| packet.at < stops), "{what} goes on after it has stopped");
            assert!(path.is_at_rest(), "{what}: somebody is woken for nothing");
            let receiver = path.sent_by(End::Receiver);
            match facts.receiver {
                Some(own) => hold(&receiver, &own.sends, own.packet_bytes, &what),
                None => assert!(receiver.is_empty(), "{what}: its receiver is said to be silent"),
            }
            let frames = path.application.take_frames();
            assert_eq!(frames.is_some(), facts.frames.is_some(), "{what}");
            if let Some(frames) = frames {
                hold_frames(&frames, &facts, &what);
            }
        }
    }
}

#[test]
fn a_copy_goes_on_as_the_application_would() {
    let mut dice = Key::from_seed(7).stream();
    for model in drawn(&mut dice) {
        let facts = model.facts(1000);
        let setup =
            Setup { packet_bytes: 1000, starts: Time::ZERO, stops: Time::MAX, key: Key::from_seed(3) };
        let mut path = Path::new(model.build(setup), &facts, Span::from_milliseconds(20), Time::MAX);
        let loses = |packet: &Sent| packet.number % 10 == 3;
        path.run(Time::from_seconds(1.0), loses);
        let mut copy = path.clone();
        for path in [&mut path, &mut copy] {
            path.run(Time::from_seconds(3.0), loses);
        }
        assert_eq!(path.sent, copy.sent, "{model:?}");
        assert_eq!(path.application.take_frames(), copy.application.take_frames(), "{model:?}");
    }
}

#[test]
fn the_keys_of_the_list_are_those_of_its_applications() {
    let keys: Vec<&str> = ApplicationModel::all().iter().map(ApplicationModel::key).collect();
    assert_eq!(keys, ApplicationModel::KEYS);
    for table in ApplicationModel::drawn(&mut Key::from_seed(1).stream()) {
        let [model] = &ApplicationModel::named_by(&PacketKeys::default(), &table)[..] else {
            panic!("{table:?}")
        };
        let written = serde_json::to_value(&table).expect("a table is data");
        let names: Vec<&String> = written.as_object().expect("a table").keys().collect();
        assert_eq!(names, [model.key()]);
    }
}
