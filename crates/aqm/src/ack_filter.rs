//! A filter of acknowledgements: one that arrives takes the place of an older one that waits and says no
//! more.
//!
//! Source: Hoeiland-Joergensen, Taht, Morton, *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018, section III-D, as Linux `sch_cake.c` (6.1) has it, whose tests these
//! are. Option MD5, which Linux passes over, keeps an acknowledgement here.

use crate::acknowledgement::{Acknowledgement, is_after};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Which acknowledgements are filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AckFiltering {
    /// None.
    #[default]
    None,
    /// The older one of two that a third makes redundant.
    Conservative,
    /// Also a single one right in front of that which makes it redundant.
    Aggressive,
}

/// What is kept of a packet that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    flow: u64,
    acknowledgement: Acknowledgement,
}

/// The acknowledgements that wait in the queues of a port, packet by packet.
///
/// Its queues lose packets at their heads alone, or to the filter: so it learns what has left from how many
/// wait, and costs nothing when a packet leaves.
#[derive(Clone, Debug)]
pub struct AckFilter {
    is_aggressive: bool,
    queues: Vec<VecDeque<Option<Waiting>>>,
}

impl AckFilter {
    /// A filter for so many queues; none where nothing is filtered.
    #[must_use]
    pub fn new(filtering: AckFiltering, queues: usize) -> Option<Self> {
        let is_aggressive = match filtering {
            AckFiltering::None => return None,
            AckFiltering::Conservative => false,
            AckFiltering::Aggressive => true,
        };
        Some(Self { is_aggressive, queues: vec![VecDeque::new(); queues] })
    }

    /// A packet of a flow has been queued, behind `packets - 1` others. Returns the position of the one that
    /// it makes redundant, which the filter takes for discarded.
    pub fn on_queued(
        &mut self,
        queue: usize,
        packets: u32,
        flow: u64,
        acknowledgement: Option<Acknowledgement>,
    ) -> Option<u32> {
        let waiting = &mut self.queues[queue];
        let left = (waiting.len() + 1).saturating_sub(packets as usize);
        waiting.drain(..left);
        let redundant = acknowledgement.and_then(|new| self.redundant(queue, flow, &new));
        let waiting = &mut self.queues[queue];
        if let Some(position) = redundant {
            waiting.remove(position);
        }
        waiting.push_back(acknowledgement.map(|acknowledgement| Waiting { flow, acknowledgement }));
        redundant.map(|position| position as u32)
    }

    /// The first acknowledgement of the flow that a new segment makes redundant, if there are two of them, or
    /// where a single one is enough.
    fn redundant(&self, queue: usize, flow: u64, new: &Acknowledgement) -> Option<usize> {
        let waiting = &self.queues[queue];
        let mut first: Option<(usize, u8)> = None;
        for (position, older) in waiting.iter().enumerate() {
            let Some(older) = older.as_ref().filter(|older| older.flow == flow) else { continue };
            let older = &older.acknowledgement;
            // What ECN says has changed since: the one before keeps that.
            first = first.filter(|&(_, ecn_flags)| ecn_flags == older.ecn_flags);
            if !is_made_redundant(older, new) {
                continue;
            }
            match first {
                Some((position, _)) => return Some(position),
                None => first = Some((position, older.ecn_flags)),
            }
        }
        let (position, ecn_flags) = first.filter(|_| self.is_aggressive)?;
        let is_next = position + 1 == waiting.len() && ecn_flags == new.ecn_flags;
        is_next.then_some(position)
    }
}

/// Whether an older acknowledgement says nothing that a new segment does not say.
fn is_made_redundant(older: &Acknowledgement, new: &Acknowledgement) -> bool {
    if !older.is_bare || is_after(older.number, new.number) {
        return false;
    }
    if let Some([value, echo]) = older.timestamps {
        let [new_value, new_echo] = new.timestamps.unwrap_or_default();
        if is_after(value, new_value) || is_after(echo, new_echo) {
            return false;
        }
    }
    match compare_blocks(older, new) {
        Ordering::Less => false,
        // The same again is a duplicate, which counts.
        Ordering::Equal => older.number != new.number,
        Ordering::Greater => true,
    }
}

/// Whether the new segment reports more beyond holes than an older one (greater), the same, or not all of it
/// (less). A duplicate that the older one reports counts as what the new one does not.
fn compare_blocks(older: &Acknowledgement, new: &Acknowledgement) -> Ordering {
    match (older.blocks().is_empty(), new.blocks().is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let covered = |&[start, end]: &[u32; 2]| {
        !is_after(older.number, start)
            && new.blocks().iter().any(|&[from, to]| !is_after(from, start) && !is_after(end, to))
    };
    if !older.blocks().iter().all(covered) {
        return Ordering::Less;
    }
    let bytes = |blocks: &[[u32; 2]]| {
        blocks.iter().fold(0_u32, |sum, [start, end]| sum.wrapping_add(end.wrapping_sub(*start)))
    };
    if bytes(new.blocks()) > bytes(older.blocks()) { Ordering::Greater } else { Ordering::Equal }
}
