//! CAKE's tins: sets of queues for classes of traffic, which the differentiated services codepoint tells
//! apart.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018, section III-C, as Linux `sch_cake.c` (6.1) has it, where the codepoints
//! of each tin, its share and its weight are from. Linux's names of the tins are those of tc-cake(8).

use super::HostFairness;
use super::queue_range::QueueRange;
use crate::aqm::Load;
use crate::header::HeaderFields;
use crate::packet::PacketFacts;
use crate::scheduler::{Backlogs, End, Scheduler, Turn, Victim};
use aqmlab_units::{Rate, Time, TransmissionClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How codepoints are sorted into tins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tins {
    /// One tin for everything.
    #[default]
    Besteffort,
    /// Best effort; bulk (1/16 of the rate); voice (1/4). Linux's default.
    Diffserv3,
    /// Best effort; bulk (1/16 of the rate); video (1/2); voice (1/4).
    Diffserv4,
    /// Eight tins, from least effort to network control; each has 7/8 of the share of the one before.
    Diffserv8,
    /// Eight tins by the upper three bits (RFC 791); each has 7/8 of the share of the one before.
    Precedence,
}

/// What a tin is told: the rate up to which it has priority, and the bytes that it may send in a turn where
/// nothing shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinShare {
    /// Bytes per second.
    pub bytes_per_second: u64,
    /// Bytes.
    pub quantum_bytes: u32,
}

impl TinShare {
    /// The rate; some, however small the share.
    #[must_use]
    pub fn rate(&self) -> Rate {
        const LEAST_BYTES_PER_SECOND: u64 = 64;
        Rate::from_bits_per_second(8 * self.bytes_per_second.max(LEAST_BYTES_PER_SECOND))
    }
}

/// More tins there never are.
const MOST_TINS: usize = 8;

impl Tins {
    /// How many there are.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::Besteffort => 1,
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Diffserv8 | Self::Precedence => MOST_TINS,
        }
    }

    /// The tin of packets with this codepoint.
    #[must_use]
    pub const fn tin_of(self, dscp: u8) -> usize {
        match self {
            Self::Besteffort => 0,
            Self::Diffserv3 => match dscp {
                1 | 8 => 1,
                4 | 44 | 46 | 48 | 56 => 2,
                _ => 0,
            },
            Self::Diffserv4 => match dscp {
                1 | 8 => 1,
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                _ => 0,
            },
            Self::Diffserv8 => match dscp {
                1 => 0,
                2 | 8 | 10 | 12 | 14 => 1,
                24 | 26 | 28 | 30 | 34 | 36 | 38 => 3,
                4 | 18 | 20 | 22 => 4,
                16 => 5,
                32 | 40 | 44 | 46 => 6,
                48 | 56 => 7,
                _ => 2,
            },
            Self::Precedence => (dscp >> 3) as usize,
        }
    }

    /// The shares of the tins in a rate.
    #[must_use]
    pub fn shares(self, bytes_per_second: u64) -> Vec<TinShare> {
        const LONG_QUANTUM: u32 = 1024;
        let part = |shift: u32| TinShare {
            bytes_per_second: bytes_per_second >> shift,
            quantum_bytes: LONG_QUANTUM >> shift,
        };
        match self {
            Self::Besteffort => vec![part(0)],
            Self::Diffserv3 => [0, 4, 2].map(part).to_vec(),
            Self::Diffserv4 => [0, 4, 1, 2].map(part).to_vec(),
            Self::Diffserv8 | Self::Precedence => {
                let first = TinShare { bytes_per_second, quantum_bytes: LONG_QUANTUM >> 2 };
                let smaller = |share: &TinShare| {
                    let TinShare { bytes_per_second, quantum_bytes } = *share;
                    let bytes_per_second = ((u128::from(bytes_per_second) * 7) >> 3) as u64;
                    Some(TinShare { bytes_per_second, quantum_bytes: (quantum_bytes * 7) >> 3 })
                };
                std::iter::successors(Some(first), smaller).take(MOST_TINS).collect()
            }
        }
    }
}

/// The state of each tin, as it is observed: what came, what left, and bytes of it.
const STATE: [[&str; 3]; MOST_TINS] = [
    ["tin_0_arrived_packets", "tin_0_sent_packets", "tin_0_sent_bytes"],
    ["tin_1_arrived_packets", "tin_1_sent_packets", "tin_1_sent_bytes"],
    ["tin_2_arrived_packets", "tin_2_sent_packets", "tin_2_sent_bytes"],
    ["tin_3_arrived_packets", "tin_3_sent_packets", "tin_3_sent_bytes"],
    ["tin_4_arrived_packets", "tin_4_sent_packets", "tin_4_sent_bytes"],
    ["tin_5_arrived_packets", "tin_5_sent_packets", "tin_5_sent_bytes"],
    ["tin_6_arrived_packets", "tin_6_sent_packets", "tin_6_sent_bytes"],
    ["tin_7_arrived_packets", "tin_7_sent_packets", "tin_7_sent_bytes"],
];

/// A tin: fairness among its own flows, and what it has had of the link.
#[derive(Clone, Debug)]
struct Tin {
    fairness: HostFairness,
    /// Behind a shaper: the clock at the tin's rate. Within it the tin has priority.
    clock: Option<TransmissionClock>,
    opens: Time,
    quantum_bytes: i64,
    deficit: i64,
    arrived_packets: u64,
    sent: (u64, u64),
}

impl Tin {
    /// A packet of so many bytes was sent. The clock of a tin behind its rate goes on from where it was, that
    /// of one ahead stays within the time of a packet.
    fn charge(&mut self, now: Time, bytes: u32) {
        let Some(clock) = &mut self.clock else { return };
        let takes = clock.transmit(bytes);
        if self.opens < now {
            self.opens += takes;
        } else {
            self.opens = self.opens.max(now + takes);
        }
    }
}

/// The scheduler of several tins. Behind a shaper the last tin that is within its rate goes first, and
/// without any the one that comes back within it first; without a shaper tins have turns by their weights.
#[derive(Clone, Debug)]
pub struct TinPriority {
    tins: Tins,
    queues_of_tin: usize,
    row: Vec<Tin>,
    /// The tin whose turn it is.
    current: usize,
    /// Whether it goes on with its turn: a packet of it was discarded, and counted.
    goes_on: bool,
    last_arrival: usize,
    last_sent: usize,
}

impl TinPriority {
    /// A scheduler of these tins, each with its own fairness between so many queues; behind a shaper with the
    /// clocks of their shares.
    ///
    /// # Panics
    /// If there is not a share and a fairness for each tin.
    #[must_use]
    pub fn new(
        tins: Tins,
        queues_of_tin: usize,
        shares: &[TinShare],
        fairness: Vec<HostFairness>,
        is_shaped: bool,
    ) -> Self {
        assert!(shares.len() == tins.count() && fairness.len() == tins.count(), "{tins:?}");
        let tin = |(share, fairness): (&TinShare, HostFairness)| Tin {
            fairness,
            clock: is_shaped.then(|| TransmissionClock::new(share.rate())),
            opens: Time::ZERO,
            quantum_bytes: share.quantum_bytes.into(),
            deficit: 0,
            arrived_packets: 0,
            sent: (0, 0),
        };
        let row = shares.iter().zip(fairness).map(tin).collect();
        Self { tins, queues_of_tin, row, current: 0, goes_on: false, last_arrival: 0, last_sent: 0 }
    }

    const fn of_tin<'a>(&self, tin: usize, queues: &'a dyn Backlogs) -> QueueRange<'a> {
        QueueRange { queues, first: tin * self.queues_of_tin, count: self.queues_of_tin, class: None }
    }

    /// The tin of a queue, and the queue's number there.
    const fn place_of(&self, queue: usize) -> (usize, usize) {
        (queue / self.queues_of_tin, queue % self.queues_of_tin)
    }

    /// Behind a shaper: the tin to serve, if any has a flow that takes part.
    fn by_clocks(&self, now: Time) -> Option<usize> {
        let mut best = None;
        for (place, tin) in self.row.iter().enumerate().filter(|(_, tin)| tin.fairness.is_active()) {
            let is_better = |&(_, opens): &(usize, Time)| tin.opens <= now || tin.opens <= opens;
            if best.as_ref().is_none_or(is_better) {
                best = Some((place, tin.opens));
            }
        }
        best.map(|(place, _)| place)
    }

    /// Without a shaper: the tin whose turn it is, or goes on.
    fn by_weights(&mut self) -> Option<usize> {
        if !self.row.iter().any(|tin| tin.fairness.is_active()) {
            return None;
        }
        loop {
            let tin = &mut self.row[self.current];
            if tin.deficit >= 0 && tin.fairness.is_active() {
                return Some(self.current);
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.quantum_bytes;
            }
            self.current = (self.current + 1) % self.row.len();
        }
    }
}

impl Scheduler for TinPriority {
    fn classify(
        &mut self,
        now: Time,
        packet: &PacketFacts,
        header: &HeaderFields,
        queues: &dyn Backlogs,
    ) -> usize {
        let place = self.tins.tin_of(header.dscp);
        let of_tin = self.of_tin(place, queues);
        let tin = &mut self.row[place];
        tin.arrived_packets += 1;
        if !tin.fairness.holds_packets(&of_tin) {
            tin.opens = tin.opens.max(now);
        }
        self.last_arrival = of_tin.first + tin.fairness.classify(now, packet, header, &of_tin);
        self.last_arrival
    }

    fn on_queued(&mut self, now: Time, queue: usize, packet: &PacketFacts, queues: &dyn Backlogs) {
        let (tin, queue) = self.place_of(queue);
        let of_tin = self.of_tin(tin, queues);
        self.row[tin].fairness.on_queued(now, queue, packet, &of_tin);
    }

    fn next(&mut self, now: Time, queues: &dyn Backlogs) -> Turn {
        let tin = match (std::mem::take(&mut self.goes_on), &self.row[0].clock) {
            (true, _) => Some(self.current),
            (false, Some(_)) => self.by_clocks(now),
            (false, None) => self.by_weights(),
        };
        let Some(tin) = tin else { return Turn::Nobody };
        self.current = tin;
        let of_tin = self.of_tin(tin, queues);
        match self.row[tin].fairness.next(now, &of_tin) {
            Turn::Queue(queue) => Turn::Queue(of_tin.first + queue),
            other => other,
        }
    }

    fn on_sent(&mut self, now: Time, queue: usize, bytes: u32) {
        let (place, queue) = self.place_of(queue);
        let tin = &mut self.row[place];
        tin.charge(now, bytes);
        tin.deficit -= i64::from(bytes);
        tin.sent = (tin.sent.0 + 1, tin.sent.1 + u64::from(bytes));
        tin.fairness.on_sent(now, queue, bytes);
        self.last_sent = place;
    }

    fn on_empty(&mut self, now: Time, queue: usize) {
        let (tin, queue) = self.place_of(queue);
        self.row[tin].fairness.on_empty(now, queue);
    }

    /// One packet from the head of the queue with the most bytes, in whichever tin, the first of these.
    fn victim(&mut self, now: Time, queues: &dyn Backlogs) -> Victim {
        let mut most = Victim { queue: 0, end: End::Head, most_packets: 1, enough_bytes: u64::MAX };
        for tin in 0..self.row.len() {
            let of_tin = self.of_tin(tin, queues);
            let victim = self.row[tin].fairness.victim(now, &of_tin);
            let queue = of_tin.first + victim.queue;
            if queues.bytes(queue) > queues.bytes(most.queue) {
                most = Victim { queue, ..victim };
            }
        }
        most
    }

    fn on_discarded(&mut self, now: Time, queue: usize, bytes: u32, had_turn: bool) {
        let (place, queue) = self.place_of(queue);
        let tin = &mut self.row[place];
        tin.charge(now, bytes);
        if had_turn {
            tin.deficit -= i64::from(bytes);
            self.goes_on = true;
        }
        tin.fairness.on_discarded(now, queue, bytes, had_turn);
    }

    fn asks_again_after_discard(&self) -> bool {
        self.row[0].fairness.asks_again_after_discard()
    }

    fn counts_discards(&self) -> bool {
        self.row[0].fairness.counts_discards()
    }

    fn tells_load(&self) -> bool {
        self.row[0].fairness.tells_load()
    }

    fn load(&self, queue: usize) -> Load {
        let (tin, queue) = self.place_of(queue);
        self.row[tin].fairness.load(queue)
    }

    fn on_rate(&mut self, rate: Rate) {
        let shares = self.tins.shares(rate.bits_per_second() / 8);
        for (tin, share) in self.row.iter_mut().zip(shares) {
            let rate = share.rate();
            tin.clock = tin.clock.as_ref().map(|_| TransmissionClock::new(rate));
            tin.fairness.on_rate(rate);
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let of_last = &self.row[self.last_sent].fairness;
        of_last.observe(&mut |name, value| match name {
            HostFairness::LAST_ARRIVAL => sink(name, self.last_arrival as f64),
            _ => sink(name, value),
        });
        for (tin, [arrived, sent, bytes]) in self.row.iter().zip(STATE) {
            sink(arrived, tin.arrived_packets as f64);
            sink(sent, tin.sent.0 as f64);
            sink(bytes, tin.sent.1 as f64);
        }
    }
}
