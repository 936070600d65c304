//! What flows sent and lost in an interval: a table by the flow's hash, emptied at once at its end.

/// Bytes of one flow in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowBytes {
    /// The flow's hash.
    pub flow_hash: u32,
    /// Bytes that arrived.
    pub arrived: u64,
    /// Bytes that the scheme behind a filter signalled, and in how many packets.
    pub lost: u64,
    /// Packets among these.
    pub packets_lost: u32,
    /// Bytes that the filter itself discarded.
    pub filtered: u64,
}

/// An open table with linear probing, at most half full. The hashes of flows are uniform, so they are places
/// as they are.
#[derive(Clone, Debug)]
pub struct FlowByteTable {
    /// Each with the interval that it belongs to; one of an earlier interval is free.
    slots: Vec<(u64, FlowBytes)>,
    interval: u64,
    flows: usize,
}

impl FlowByteTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self { slots: vec![(0, FlowBytes::default()); 256], interval: 1, flows: 0 }
    }

    /// What is known of a flow; nothing yet if it is new. The table grows when it is half full, and never
    /// shrinks.
    pub fn of(&mut self, flow_hash: u32) -> &mut FlowBytes {
        if 2 * (self.flows + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.place(flow_hash);
        let (interval, bytes) = &mut self.slots[place];
        if *interval != self.interval {
            (*interval, *bytes) = (self.interval, FlowBytes { flow_hash, ..FlowBytes::default() });
            self.flows += 1;
        }
        bytes
    }

    /// The flows of this interval, in no order that means anything.
    pub fn flows(&self) -> impl Iterator<Item = &FlowBytes> {
        self.slots.iter().filter(|slot| slot.0 == self.interval).map(|slot| &slot.1)
    }

    /// Forgets all flows.
    pub fn clear(&mut self) {
        self.interval += 1;
        self.flows = 0;
    }

    /// Where the flow is, or would be.
    fn place(&self, flow_hash: u32) -> usize {
        let last = self.slots.len() - 1;
        let mut place = flow_hash as usize & last;
        while self.slots[place].0 == self.interval && self.slots[place].1.flow_hash != flow_hash {
            place = (place + 1) & last;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(0, FlowBytes::default()); 2 * self.slots.len()];
        let before = std::mem::replace(&mut self.slots, larger);
        for slot in before.into_iter().filter(|slot| slot.0 == self.interval) {
            let place = self.place(slot.1.flow_hash);
            self.slots[place] = slot;
        }
    }
}

impl Default for FlowByteTable {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_whose_places_meet_are_kept_apart_also_when_the_table_grows() {
        let mut table = FlowByteTable::new();
        let flows: Vec<u32> = (0..1000).map(|flow| flow * 128).collect();
        for round in 1..=2 {
            flows.iter().for_each(|&flow| table.of(flow).arrived += u64::from(flow) + round);
        }
        let mut found: Vec<(u32, u64)> = table.flows().map(|flow| (flow.flow_hash, flow.arrived)).collect();
        found.sort_unstable();
        let expected: Vec<(u32, u64)> = flows.iter().map(|&flow| (flow, 2 * u64::from(flow) + 3)).collect();
        assert_eq!(found, expected);
        table.clear();
        assert_eq!(table.flows().count(), 0);
        assert_eq!(table.of(128), &FlowBytes { flow_hash: 128, ..FlowBytes::default() });
    }
}
