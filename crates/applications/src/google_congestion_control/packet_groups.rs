//! Packets in groups, and how much later than it was sent after the one before it each arrived
//! (draft-ietf-rmcat-gcc-02, sections 5.1 and 5.2).

use super::edition::Constants;
use aqmlab_units::{Span, Time};

/// Packets sent within so long of a group's first are of it.
const SENT_TOGETHER: Span = Span::from_milliseconds(5);
/// Packets that follow so soon, and have caught up, were held up together: they are of it too.
const ARRIVED_TOGETHER: Span = Span::from_milliseconds(5);

/// A group of packets against the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GroupChange {
    /// Milliseconds from the sending of the last packet of the one to that of the other.
    pub(super) sent_after_ms: f64,
    /// Milliseconds by which that of the arrivals is longer.
    pub(super) delay_change_ms: f64,
    /// When the later one had arrived.
    pub(super) arrived: Time,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Time,
    last_sent: Time,
    first_arrived: Time,
    last_arrived: Time,
}

/// The group that is arriving, and the one before it.
#[derive(Clone, Debug)]
pub(super) struct PacketGroups {
    /// A group of packets that were held up together is shorter than this.
    longest: Span,
    present: Option<Group>,
    before: Option<Group>,
}

impl PacketGroups {
    pub(super) const fn new(constants: &Constants) -> Self {
        Self { longest: constants.longest_group, present: None, before: None }
    }

    /// A packet has arrived, later than all that were added before. Answers with what is known of a group if
    /// this packet is the first of the next.
    pub(super) fn add(&mut self, sent: Time, arrived: Time) -> Option<GroupChange> {
        let alone =
            Group { first_sent: sent, last_sent: sent, first_arrived: arrived, last_arrived: arrived };
        let Some(present) = &mut self.present else {
            self.present = Some(alone);
            return None;
        };
        if sent < present.first_sent {
            return None;
        }
        if present.takes(sent, arrived, self.longest) {
            present.last_sent = present.last_sent.max(sent);
            present.last_arrived = arrived;
            return None;
        }
        let complete = *present;
        *present = alone;
        let before = self.before.replace(complete)?;
        Some(complete.after(&before))
    }
}

impl Group {
    fn takes(&self, sent: Time, arrived: Time, longest: Span) -> bool {
        let sent_together = sent - self.first_sent <= SENT_TOGETHER;
        let [sent_after, arrived_after] =
            [milliseconds(self.last_sent, sent), milliseconds(self.last_arrived, arrived)];
        let caught_up = arrived_after < sent_after
            && arrived - self.last_arrived <= ARRIVED_TOGETHER
            && arrived - self.first_arrived < longest;
        sent_together || caught_up
    }

    fn after(&self, before: &Self) -> GroupChange {
        let sent_after_ms = milliseconds(before.last_sent, self.last_sent);
        let arrived_after_ms = milliseconds(before.last_arrived, self.last_arrived);
        GroupChange {
            sent_after_ms,
            delay_change_ms: arrived_after_ms - sent_after_ms,
            arrived: self.last_arrived,
        }
    }
}

/// Milliseconds from one instant to another, which may be earlier.
fn milliseconds(from: Time, to: Time) -> f64 {
    (to.seconds() - from.seconds()) * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google_congestion_control::GccEdition;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanoseconds(milliseconds * 1_000_000)
    }

    /// What packets, each with the milliseconds of its sending and its arrival, say of groups.
    fn changes(packets: &[[u64; 2]]) -> Vec<[f64; 2]> {
        changes_of(GccEdition::Libwebrtc, packets)
    }

    fn changes_of(edition: GccEdition, packets: &[[u64; 2]]) -> Vec<[f64; 2]> {
        let mut groups = PacketGroups::new(&edition.constants());
        let of = |change: GroupChange| [change.sent_after_ms, change.delay_change_ms].map(f64::round);
        packets.iter().filter_map(|&[sent, arrived]| groups.add(at(sent), at(arrived)).map(of)).collect()
    }

    #[test]
    fn groups_are_compared_by_their_last_packets() {
        // Sent at 0 and 4 | 33 and 38 | 66: the second arrives 36 ms after the first, sent 34 ms after it.
        let packets = [[0, 20], [4, 25], [33, 53], [38, 61], [66, 90]];
        assert_eq!(changes(&packets), [[34.0, 2.0]]);
    }

    #[test]
    fn what_catches_up_is_of_the_group_it_waited_with() {
        // 10 ms and 20 ms later sent, 1 ms later arrived each: one group, of which the last was sent at 20.
        let packets = [[0, 100], [10, 101], [20, 102], [60, 160], [90, 190]];
        assert_eq!(changes(&packets), [[40.0, 18.0]]);
    }

    #[test]
    fn a_packet_sent_before_the_group_began_is_passed_over() {
        let packets = [[10, 30], [9, 31], [40, 60], [80, 100]];
        assert_eq!(changes(&packets), [[30.0, 0.0]]);
    }

    #[test]
    fn a_group_was_sent_when_the_last_of_its_packets_was_and_not_the_last_to_arrive() {
        // Sent at 0, 4 and 2: the group's last at 4, its last arrival at 25 (libwebrtc takes the latest of
        // both stamps; section 5.1 has "the last packet" of a group that is in order).
        let packets = [[0, 20], [4, 24], [2, 25], [33, 53], [66, 90]];
        assert_eq!(changes(&packets), [[29.0, -1.0]]);
    }

    #[test]
    fn what_catches_up_is_of_one_group_for_a_hundred_milliseconds_in_libwebrtc() {
        // Sent every 10 ms, arrived every 4: packets 0 to 24 within 96 ms, 25 to 49, and 50 begins the third.
        let packets: Vec<_> = (0..=50).map(|n| [10 * n, 600 + 4 * n]).collect();
        assert_eq!(changes_of(GccEdition::Libwebrtc, &packets), [[250.0, 100.0 - 250.0]]);
        // Section 5.2 of the draft has no bound.
        assert!(changes_of(GccEdition::Draft02, &packets).is_empty());
    }
}
