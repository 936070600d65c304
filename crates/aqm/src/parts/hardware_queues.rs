//! Hardware queues of an interface, each with a scheduler of its own, which share one shaper's rate: all that
//! were active of late get the same part of it.
//!
//! Source: Linux 7.0, `sch_cake.c` (`cake_mq`: Koeppeler and Hoeiland-Joergensen 2026, "share shaper state
//! across sub-instances").
//!
//! ```text
//! on each arrival    queue ← hash of the flow, scaled to their number
//! before a queue is asked, if it last looked 200 us ago or longer
//!                    active ← 1 + other queues in which packets wait, or which sent since it last looked
//!                    its rate ← rate/active: of the packets to come, in all its tins
//! ```

use super::classes::{ClassOrder, ClassTurn};
use crate::header::HeaderFields;
use crate::place_set::PlaceSet;
use aqmlab_units::{Rate, Span, Time};

/// How old the number of active queues may become.
const SYNC_INTERVAL: Span = Span::from_microseconds(200);

/// What a queue knows of the others.
#[derive(Clone, Debug, Default)]
struct State {
    looked: Option<Time>,
    sent: Option<Time>,
    active: u32,
}

/// What a queue sends in a turn: a full packet, so that short ones take no more of the line than long ones.
const TURN_BYTES: u32 = 1_514;

/// Hardware queues in turns.
#[derive(Clone, Debug)]
pub(crate) struct HardwareQueues {
    queues: Vec<State>,
    /// What they share; none where the link alone holds them back.
    rate: Option<Rate>,
    /// Whose turn is first, and what it has sent in it.
    turn: usize,
    sent_bytes: u32,
    /// The queue that was asked last.
    asked: usize,
}

impl HardwareQueues {
    /// So many queues that share a rate, if there is one.
    pub(crate) fn new(count: usize, rate: Option<Rate>) -> Self {
        Self { queues: vec![State::default(); count], rate, turn: 0, sent_bytes: 0, asked: 0 }
    }
}

impl ClassOrder for HardwareQueues {
    fn class_of(&self, header: &HeaderFields) -> usize {
        // The upper bits choose here, the lower ones a queue behind.
        ((u64::from(header.flow_hash) * self.queues.len() as u64) >> 32) as usize
    }

    fn next(&mut self, _now: Time, ready: &PlaceSet) -> ClassTurn {
        let later = ready.iter().find(|&queue| queue >= self.turn);
        later.or_else(|| ready.iter().next()).map_or(ClassTurn::Nobody, ClassTurn::Class)
    }

    fn new_rate(&mut self, now: Time, class: usize, waits: &dyn Fn(usize) -> bool) -> Option<Rate> {
        let rate = self.rate?;
        let looked = self.queues[class].looked;
        if looked.is_some_and(|looked| now.since(looked) < SYNC_INTERVAL) {
            return None;
        }
        let is_active = |other: usize| waits(other) || self.queues[other].sent > looked;
        let others = (0..self.queues.len()).filter(|&other| other != class && is_active(other)).count();
        let active = others as u32 + 1;
        let own = &mut self.queues[class];
        own.looked = Some(now);
        self.asked = class;
        let is_new = std::mem::replace(&mut own.active, active) != active;
        is_new.then(|| Rate::from_bits_per_second((rate.bits_per_second() / u64::from(active)).max(1)))
    }

    fn on_sent(&mut self, now: Time, class: usize, bytes: u32, has_emptied: bool) {
        self.queues[class].sent = Some(now);
        let before = if class == self.turn { self.sent_bytes } else { 0 };
        (self.turn, self.sent_bytes) = (class, before + bytes);
        if has_emptied || self.sent_bytes >= TURN_BYTES {
            (self.turn, self.sent_bytes) = (class + 1, 0);
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("active_hardware_queues", self.queues[self.asked].active.into());
    }
}
