//! What happens at a port, at random.

use crate::packet::{Codepoint, PacketClass};
use aqmlab_random::Stream;
use aqmlab_units::Span;

/// Something that happens at a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A packet arrives.
    Arrive {
        /// Its flow.
        flow: u64,
        /// Its length.
        bytes: u32,
        /// Its ECN bits.
        codepoint: Codepoint,
        /// What it is to its transport.
        class: PacketClass,
    },
    /// The link asks for a packet.
    Depart,
    /// Somebody looks.
    Wait,
}

/// Largest length of an IP packet.
const LARGEST_BYTES: u64 = 65_535;

/// Up to 300 operations, each with the time before it, of ordinary packets: mostly packet times apart,
/// sometimes at one instant, sometimes seconds later.
pub fn random_history(random: &mut Stream) -> Vec<(Span, Operation)> {
    let bytes = |random: &mut Stream| match random.below(3) {
        0 => 40,
        1 => 1500,
        _ => 1 + random.below(1500) as u32,
    };
    (0..=random.below(300)).map(|_| (gap(random), operation(bytes, random))).collect()
}

/// As [`random_history`], of packets from 1 byte to 64 KiB, with silences of up to 20 seconds, which
/// outlast whatever a scheme remembers and which fast timers live through.
pub fn extreme_history(random: &mut Stream) -> Vec<(Span, Operation)> {
    let bytes = |random: &mut Stream| match random.below(4) {
        0 => 1,
        1 => LARGEST_BYTES as u32,
        2 => 1 + random.below(LARGEST_BYTES) as u32,
        _ => 1500,
    };
    let gap = |random: &mut Stream| match random.below(60) {
        0 => Span::from_milliseconds(random.below(20_000)),
        _ => gap(random),
    };
    (0..=random.below(300)).map(|_| (gap(random), operation(bytes, random))).collect()
}

fn gap(random: &mut Stream) -> Span {
    match random.below(59) {
        0..4 => Span::ZERO,
        4..54 => Span::from_microseconds(random.below(2_000)),
        54..58 => Span::from_milliseconds(random.below(50)),
        _ => Span::from_milliseconds(random.below(3_000)),
    }
}

fn operation(bytes: impl Fn(&mut Stream) -> u32, random: &mut Stream) -> Operation {
    match random.below(20) {
        0..12 => Operation::Arrive {
            flow: random.below(4),
            bytes: bytes(random),
            codepoint: Codepoint::ALL[random.below(Codepoint::COUNT as u64) as usize],
            class: PacketClass::ALL[random.below(PacketClass::COUNT as u64) as usize],
        },
        12..19 => Operation::Depart,
        _ => Operation::Wait,
    }
}
