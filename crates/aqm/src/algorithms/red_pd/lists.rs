//! RED-PD's history: who lost packets in each of the last intervals, and how long intervals are.

use crate::parts::FlowByteTable;
use aqmlab_units::Span;
use std::collections::{BTreeMap, VecDeque};

/// Rules of the lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListSettings {
    pub(super) lists: usize,
    pub(super) appearances: usize,
    pub(super) flows_per_list: usize,
    pub(super) rtt_s: f64,
    pub(super) least_hold_s: f64,
}

/// The last lists, each of flows with the bytes that they lost, and the last intervals.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    settings: ListSettings,
    lists: VecDeque<Vec<(u32, u64)>>,
    /// The latest last; those before the first are none.
    intervals_s: VecDeque<f64>,
}

impl Lists {
    pub(super) fn new(settings: ListSettings) -> Self {
        let intervals_s = std::iter::repeat_n(0.0, settings.lists).collect();
        Self { settings, lists: VecDeque::new(), intervals_s }
    }

    /// The interval that ends: who lost a packet in it, those with most bytes if there are too many.
    pub(super) fn note(&mut self, flows: &FlowByteTable) {
        let lost = flows.flows().filter(|flow| flow.packets_lost > 0);
        let mut list: Vec<(u32, u64)> = lost.map(|flow| (flow.flow_hash, flow.lost)).collect();
        list.sort_unstable_by_key(|&(flow, bytes)| (std::cmp::Reverse(bytes), flow));
        list.truncate(self.settings.flows_per_list);
        self.lists.push_back(list);
        if self.lists.len() > self.settings.lists {
            self.lists.pop_front();
        }
    }

    /// Who stands in enough of the lists, with the bytes lost in all of them.
    pub(super) fn regular(&self) -> Vec<(u32, u64)> {
        let mut all: BTreeMap<u32, (usize, u64)> = BTreeMap::new();
        for &(flow, bytes) in self.lists.iter().flatten() {
            let (lists, lost) = all.entry(flow).or_default();
            *lists += 1;
            *lost += bytes;
        }
        let enough = all.into_iter().filter(|(_, (lists, _))| *lists >= self.settings.appearances);
        enough.map(|(flow, (_, lost))| (flow, lost)).collect()
    }

    /// Whether the flow stands in none of the lists.
    pub(super) fn know_nothing_of(&self, flow: u32) -> bool {
        !self.lists.iter().flatten().any(|listed| listed.0 == flow)
    }

    /// The length of the next interval at an average drop rate: the time in which a TCP flow over the target
    /// round trip loses X/M of a packet, from 2 to 10 round trips. That of a rate of zero does not stand
    /// among the last ones.
    pub(super) fn next_interval(&mut self, average_drop_rate: f64) -> Span {
        let ListSettings { lists, appearances, rtt_s, .. } = self.settings;
        if average_drop_rate == 0.0 {
            return Span::from_seconds(10.0 * rtt_s);
        }
        let share = appearances as f64 / lists as f64;
        let interval_s = share * rtt_s / libm::sqrt(1.5 * average_drop_rate);
        let interval_s = interval_s.clamp(2.0 * rtt_s, 10.0 * rtt_s);
        self.intervals_s.pop_front();
        self.intervals_s.push_back(interval_s);
        Span::from_seconds(interval_s)
    }

    /// How long a flow's probability has to stand before it may change: so many of the last intervals.
    pub(super) fn hold_s(&self, intervals: usize) -> f64 {
        let sum: f64 = self.intervals_s.iter().rev().take(intervals).sum();
        sum.max(self.settings.least_hold_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> Lists {
        Lists::new(ListSettings {
            lists: 5,
            appearances: 3,
            flows_per_list: 2,
            rtt_s: 0.1,
            least_hold_s: 0.4,
        })
    }

    #[test]
    fn intervals_follow_the_drop_rate_within_2_and_10_round_trips() {
        let mut lists = lists();
        for (rate, interval_s) in [(0.01, 0.489_898), (0.001, 1.0), (0.1, 0.2), (0.0, 1.0)] {
            let found = lists.next_interval(rate).seconds();
            assert!((found - interval_s).abs() < 1e-6, "{rate}: {found}");
        }
        // Of the last four intervals that count: 0.4899, 1 and 0.2.
        assert!((lists.hold_s(4) - 1.689_898).abs() < 1e-6);
        assert!((lists.hold_s(1) - 0.4).abs() < 1e-12, "at least so long");
    }

    #[test]
    fn who_stands_in_three_of_five_lists_is_regular() {
        let mut lists = lists();
        let mut note = |lost: &[(u32, u64)]| {
            let mut table = FlowByteTable::new();
            for &(flow, bytes) in lost {
                (table.of(flow).lost, table.of(flow).packets_lost) = (bytes, 1);
            }
            table.of(99).arrived = 5_000;
            lists.note(&table);
        };
        note(&[(1, 1000), (2, 500)]);
        note(&[(1, 1000)]);
        note(&[(2, 400), (3, 700), (4, 800)]);
        note(&[(1, 3000), (2, 10), (5, 5)]);
        // Flow 2 was dropped from the third list, as that with least bytes.
        assert_eq!(lists.regular(), [(1, 5000)]);
        let mut lists = lists.clone();
        (0..2).for_each(|_| lists.note(&FlowByteTable::new()));
        assert_eq!(lists.regular(), [], "the first list is forgotten");
        assert!(!lists.know_nothing_of(1) && lists.know_nothing_of(5) && lists.know_nothing_of(99));
    }
}
