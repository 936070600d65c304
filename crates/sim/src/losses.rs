//! What losses do to single windows of data.

use crate::packet::Side;
use aqmlab_aqm::PacketClass;
use aqmlab_tcp::SequenceNumber;

/// Losses in the current window of one direction of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowLosses {
    /// End of the data that had been sent when the episode began.
    until: SequenceNumber,
    dropped: u8,
}

impl WindowLosses {
    pub(crate) const NONE: Self = Self { until: SequenceNumber::new(0), dropped: 0 };
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

    pub(crate) fn handshake(&mut self, class: PacketClass) {
        self.handshake_segments += u64::from(matches!(class, PacketClass::Syn | PacketClass::SynAck));
    }

    /// A data segment that begins at `sequence` was dropped while its sender had sent up to `highest_sent`.
    pub(crate) fn data(
        &mut self,
        window: &mut WindowLosses,
        sequence: SequenceNumber,
        highest_sent: SequenceNumber,
    ) {
        self.data_segments += 1;
        if window.dropped > 0 && sequence.before(window.until) {
            self.episodes_multiple += u64::from(window.dropped == 1);
            window.dropped = 2;
        } else {
            self.episodes += 1;
            *window = WindowLosses { until: highest_sent, dropped: 1 };
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

    /// A data segment of `sender` was dropped.
    pub(crate) fn data(&mut self, sender: Side, sequence: SequenceNumber, highest_sent: SequenceNumber) {
        self.total.data(&mut self.windows[sender as usize], sequence, highest_sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_one_window_are_one_episode() {
        let (mut counts, mut window) = (LossCounts::default(), WindowLosses::NONE);
        let mut drop = |sequence, sent| {
            counts.data(&mut window, SequenceNumber::new(sequence), SequenceNumber::new(sent));
            (counts.episodes, counts.episodes_multiple)
        };
        assert_eq!(drop(1000, 5000), (1, 0), "the first drop begins an episode");
        assert_eq!(drop(3000, 5000), (1, 1), "a second one in the window makes it multiple");
        assert_eq!(drop(4000, 6000), (1, 1), "which is counted once");
        assert_eq!(drop(5000, 9000), (2, 1), "data sent later begins another window");
    }
}
