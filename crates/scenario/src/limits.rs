//! What one run can hold.
//!
//! The simulator gives everything that it tells apart a number of fixed width: a packet is copied a million
//! times a second and must stay small. These limits are what its numbers reach. The scenario check refuses
//! what lies beyond them, with the place; the simulator makes its numbers by checked conversions, so that
//! none is ever cut.

/// Hosts and routers: a packet names its destination in 16 bits, of which one value means nowhere.
pub const NODES: usize = 65_534;

/// One-way links, those of a group counted one by one.
pub const LINKS: usize = 262_144;

/// One-way links with a queue discipline: the end of a transmission and the position of its link share 64
/// bits, 13 of which are the position.
pub const QUEUED_LINKS: usize = 8_192;

/// `[[populations]]`, or the two of `[users]`.
pub const POPULATIONS: usize = 10_000;

/// Users of all populations together.
pub const USERS: u64 = 100_000_000;

/// `[[flows]]`.
pub const FLOW_GROUPS: usize = 10_000;

/// Long-lived flows of all groups together.
pub const FLOWS: u64 = 1_500_000;

/// `[[datagrams]]`.
pub const DATAGRAM_GROUPS: usize = 10_000;

/// Sources of datagrams of all groups together.
pub const DATAGRAM_SOURCES: u64 = 1_000_000;

/// Places where packets keep their order while they are under way (an interface, a link with propagation
/// delay, one direction of a flow with a delay): 22 bits, of which two values mean other things.
pub const PIPES: usize = (1 << 22) - 2;

/// The lowest rate of a link, in Mbit/s.
pub const LOWEST_MBPS: f64 = 0.001;

/// The highest rate of a link, in Mbit/s.
pub const HIGHEST_MBPS: f64 = 1_000_000.0;

/// Seconds of simulated time: 2^51 ns are 2,251,799 s, and the last transmission may end up to
/// [`TRANSMISSION_S`] after the end of the run.
pub const DURATION_S: f64 = 2_000_000.0;

/// Seconds that the longest datagram takes with the longest framing at the lowest rate.
const DATAGRAM_S: f64 = (65_535.0 + 10_000.0 + 10_000.0) * 8.0 / 1_000.0;

/// Seconds that one transmission takes at the most: that datagram behind a second of overhead, on a medium of
/// which others take 99 %. An aggregate of 8 MiB takes less.
pub const TRANSMISSION_S: f64 = (1.0 + DATAGRAM_S) * 100.0;

// Every one-way link may have a pipe of its own, and so may both directions of every flow.
const _: () = assert!(LINKS as u64 + 2 * FLOWS <= PIPES as u64);
const _: () = assert!(1.0 + 8_388_608.0 * 8.0 / 1_000.0 < TRANSMISSION_S);
const _: () = assert!((DURATION_S + TRANSMISSION_S) * 1e9 < (1_u64 << 51) as f64);
