//! What a port does in one call instead of two is what it does in two, for every registered scheme.

use aqmlab_aqm::conformance::{Fate, Operation, TestPacket, Witness, random_history, random_scheme};
use aqmlab_aqm::{Queued, Scheme};
use aqmlab_random::Key;

/// A history at two ports whose links take what arrives while nothing waits. One port is told of an arrival
/// and then asked for a departure; the other has both in one, and says of what has to wait how it is queued.
fn compare(scheme: &Scheme, seed: u64) {
    let [mut plain, mut short] = [0, 1].map(|_| Witness::new(scheme, seed).expect("a scheme for the link"));
    let (mut accepted, mut came) = (Vec::new(), 0);
    for (gap, operation) in random_history(&mut Key::from_seed(seed).named("history").stream()) {
        plain.now += gap;
        short.now += gap;
        let mut lost_plain = |packet, reason| plain.fates.push(Fate::Lost(packet, reason));
        let mut lost_short = |packet, reason| short.fates.push(Fate::Lost(packet, reason));
        let idle = plain.port.packets() == 0;
        let mut sent = [None, None];
        match operation {
            Operation::Arrive { flow, bytes, codepoint, class } => {
                let mut packet = TestPacket::data(came, bytes, codepoint);
                (packet.facts.flow, packet.facts.class) = (flow, class);
                came += 1;
                plain.port.arrive(plain.now, packet, &mut lost_plain);
                if idle {
                    sent[0] = plain.port.depart(plain.now, &mut lost_plain);
                    sent[1] = short.port.pass(short.now, packet, Queued::header_fields, &mut lost_short);
                    accepted.extend(sent[1]);
                } else if short.port.classifies() {
                    short.port.arrive(short.now, packet, &mut lost_short);
                } else {
                    accepted.extend(short.port.accept(short.now, packet, &mut lost_short));
                }
            }
            Operation::Depart => {
                sent[0] = plain.port.depart(plain.now, &mut lost_plain);
                sent[1] = short.port.depart(short.now, &mut lost_short);
            }
            Operation::Wait => {
                plain.port.advance(plain.now);
                short.port.advance(short.now);
            }
        }
        plain.fates.extend(sent[0].map(Fate::Sent));
        short.fates.extend(sent[1].map(Fate::Sent));
        assert_eq!(short.state(), plain.state(), "{scheme:?}");
    }
    assert_eq!(short.fates, plain.fates, "{scheme:?}");
    if !short.port.classifies() && !short.port.decides_about_waiting() {
        let sent = |fate: &Fate| if let Fate::Sent(packet) = fate { Some(*packet) } else { None };
        let sent: Vec<TestPacket> = short.fates.iter().filter_map(sent).collect();
        assert_eq!(
            accepted[..sent.len()],
            sent,
            "{scheme:?}: what is accepted leaves as it was queued, in order"
        );
    }
}

#[test]
fn one_call_does_what_two_do() {
    for name in Scheme::names() {
        for seed in 0..100 {
            let mut random = Key::from_seed(seed).named(name).stream();
            compare(&random_scheme(name, &mut random).expect("a legal scheme"), seed);
        }
    }
}
