//! Which queue a flow has, where there are fewer queues than there may be flows.

use super::flow_bins::FlowHashes;
use aqmlab_random::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How flows are sorted into queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowHashing {
    /// Only by their hash: flows with the same hash share a queue (RFC 8290, Linux fq_codel).
    #[default]
    Plain,
    /// By their hash into sets of eight queues: a flow has its own queue as long as one of the eight in its
    /// set is free (Linux cake, ns-3).
    SetAssociative,
}

/// Queues in a set of [`FlowHashing::SetAssociative`].
pub(crate) const WAYS: usize = 8;

/// The queues of flows.
#[derive(Clone, Debug)]
pub struct FlowTable {
    hashing: FlowHashing,
    hash: FlowHashes,
    /// The flow that each queue was last given to.
    owners: Vec<Option<u32>>,
}

impl FlowTable {
    /// A table of so many queues, sorted under this salt.
    ///
    /// # Panics
    /// If there is no queue, or if sets of eight do not fill the table that is to consist of them.
    #[must_use]
    pub fn new(queues: usize, hashing: FlowHashing, salt: u64) -> Self {
        let whole = hashing == FlowHashing::Plain || queues % WAYS == 0;
        assert!(queues > 0 && whole, "{queues} queues, {hashing:?}");
        let hash = FlowHashes::new(vec![Key::from_seed(salt)], queues);
        Self { hashing, hash, owners: vec![None; queues] }
    }

    /// The queue of the flow with this hash. `is_active` says of a queue whether it is in use.
    pub fn queue_of(&mut self, flow_hash: u32, is_active: impl Fn(usize) -> bool) -> usize {
        let first = self.hash.places(flow_hash)[0] as usize;
        let queue = match self.hashing {
            FlowHashing::Plain => first,
            FlowHashing::SetAssociative => self.in_set(first, flow_hash, is_active),
        };
        self.owners[queue] = Some(flow_hash);
        queue
    }

    /// Within the set of `first`, and from there on: the queue that was last this flow's, else a free one,
    /// else `first`, which the flow then shares.
    fn in_set(&self, first: usize, flow_hash: u32, is_active: impl Fn(usize) -> bool) -> usize {
        let set = first - first % WAYS;
        let places = || (0..WAYS).map(|way| set + (first + way) % WAYS);
        let own = places().find(|&place| self.owners[place] == Some(flow_hash));
        own.or_else(|| places().find(|&place| !is_active(place))).unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of these flows in a table of one set, all of them active.
    fn places(hashing: FlowHashing, flows: impl IntoIterator<Item = u32>) -> Vec<usize> {
        let mut table = FlowTable::new(WAYS, hashing, 1);
        let mut active = [false; WAYS];
        let place = |flow: u32| {
            let place = table.queue_of(flow, |queue| active[queue]);
            active[place] = true;
            place
        };
        flows.into_iter().map(place).collect()
    }

    #[test]
    fn eight_flows_of_a_set_have_a_queue_each_and_keep_it() {
        let mut places_of_eight = places(FlowHashing::SetAssociative, 0..8);
        let twice = places(FlowHashing::SetAssociative, (0..8).chain(0..8));
        assert_eq!(twice[..8], places_of_eight);
        assert_eq!(twice[8..], places_of_eight);
        places_of_eight.sort_unstable();
        assert_eq!(places_of_eight, [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_ninth_flow_shares_the_queue_of_its_hash() {
        for ninth in 8..40 {
            let flows = (0..8).chain([ninth]);
            let plain = places(FlowHashing::Plain, [ninth]);
            assert_eq!(places(FlowHashing::SetAssociative, flows)[8..], plain);
        }
    }

    #[test]
    fn plain_hashing_lets_flows_meet_although_queues_are_free() {
        let mut met = places(FlowHashing::Plain, 0..8);
        met.sort_unstable();
        met.dedup();
        assert!(met.len() < 8, "{met:?}");
    }
}
