//! What losses do to single windows of data.

use aqmlab_aqm::PacketClass;
use aqmlab_session::Side;
use aqmlab_tcp::SequenceNumber;

/// Losses in the current window of one direction of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowLosses {
    /// End of the data that had been sent when the episode began.
    until: SequenceNumber,
    dropped: u8,
    /// Whether its first drop fell into the measured window.
    measured: bool,
}

impl WindowLosses {
    pub(crate) const NONE: Self = Self { until: SequenceNumber::new(0), dropped: 0, measured: false };
}

/// Counts over all connections.
///
/// A *loss episode* begins with the first drop of a data segment and lasts for the data that had been sent by
/// then: further drops before that point fall into the same window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LossCounts {
    pub(crate) episodes: u64,
    pub(crate) episodes_multiple: u64,
    pub(crate) data_segments: u64,
    pub(crate) handshake_segments: u64,
}

impl LossCounts {
    pub(crate) const NONE: Self =
        Self { episodes: 0, episodes_multiple: 0, data_segments: 0, handshake_segments: 0 };

    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            episodes: self.episodes + other.episodes,
            episodes_multiple: self.episodes_multiple + other.episodes_multiple,
            data_segments: self.data_segments + other.data_segments,
            handshake_segments: self.handshake_segments + other.handshake_segments,
        }
    }

    pub(crate) const fn minus(self, earlier: Self) -> Self {
        Self {
            episodes: self.episodes - earlier.episodes,
            episodes_multiple: self.episodes_multiple - earlier.episodes_multiple,
            data_segments: self.data_segments - earlier.data_segments,
            handshake_segments: self.handshake_segments - earlier.handshake_segments,
        }
    }

    /// What the loss of a packet of this class adds, if it is one of a handshake.
    pub(crate) fn of_handshake(class: PacketClass) -> Self {
        let handshake = matches!(class, PacketClass::Syn | PacketClass::SynAck);
        Self { handshake_segments: u64::from(handshake), ..Self::NONE }
    }

    /// A data segment that begins at `sequence` was dropped while its sender had sent up to `highest_sent`,
    /// in the measured window or not.
    pub(crate) fn data(
        &mut self,
        window: &mut WindowLosses,
        sequence: SequenceNumber,
        highest_sent: SequenceNumber,
        measured: bool,
    ) {
        self.data_segments += 1;
        if window.dropped > 0 && sequence.before(window.until) {
            self.episodes_multiple += u64::from(window.dropped == 1);
            window.dropped = 2;
        } else {
            self.episodes += 1;
            *window = WindowLosses { until: highest_sent, dropped: 1, measured };
        }
    }
}

/// Losses of one connection: its current window in each direction, and all there were.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLosses {
    windows: [WindowLosses; 2],
    pub(crate) total: LossCounts,
}

impl ConnectionLosses {
    pub(crate) const NONE: Self = Self { windows: [WindowLosses::NONE; 2], total: LossCounts::NONE };

    /// A data segment of `sender` was dropped, in the measured window or not; answers with what that adds to
    /// the counts of the run. An episode counts there where it begins: otherwise a measured window could have
    /// more episodes of several drops than episodes.
    pub(crate) fn data(
        &mut self,
        sender: Side,
        sequence: SequenceNumber,
        highest_sent: SequenceNumber,
        measured: bool,
    ) -> LossCounts {
        let (before, window) = (self.total, &mut self.windows[sender as usize]);
        self.total.data(window, sequence, highest_sent, measured);
        let mut added = self.total.minus(before);
        if !window.measured {
            added.episodes_multiple = 0;
        }
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_one_window_are_one_episode() {
        let (mut counts, mut window) = (LossCounts::default(), WindowLosses::NONE);
        let mut drop = |sequence, sent| {
            counts.data(&mut window, SequenceNumber::new(sequence), SequenceNumber::new(sent), true);
            (counts.episodes, counts.episodes_multiple)
        };
        assert_eq!(drop(1000, 5000), (1, 0), "the first drop begins an episode");
        assert_eq!(drop(3000, 5000), (1, 1), "a second one in the window makes it multiple");
        assert_eq!(drop(4000, 6000), (1, 1), "which is counted once");
        assert_eq!(drop(5000, 9000), (2, 1), "data sent later begins another window");
    }

    #[test]
    fn the_first_drop_begins_an_episode_wherever_the_numbers_are() {
        let mut losses = ConnectionLosses::NONE;
        let (sequence, sent) = (SequenceNumber::new(3_000_000_000), SequenceNumber::new(3_000_005_000));
        let added = losses.data(Side::Active, sequence, sent, true);
        assert_eq!((added.episodes, added.episodes_multiple), (1, 0));
    }

    #[test]
    fn an_episode_is_counted_where_it_begins() {
        let mut losses = ConnectionLosses::NONE;
        let mut drop = |sequence, measured| {
            let added = losses.data(
                Side::Passive,
                SequenceNumber::new(sequence),
                SequenceNumber::new(5000),
                measured,
            );
            (added.episodes, added.episodes_multiple)
        };
        assert_eq!(drop(1000, false), (1, 0));
        assert_eq!(drop(2000, true), (0, 0), "of several drops, but it began before the window");
        assert_eq!(
            (losses.total.episodes, losses.total.episodes_multiple),
            (1, 1),
            "the connection has both"
        );
    }
}
