//! The options of a segment: timestamps and selective acknowledgements.
//!
//! Source: RFC 7323 section 3 (timestamps), RFC 2018 sections 3 and 4 (which blocks an acknowledgement
//! reports), RFC 2883 section 4 (a duplicate as the first block).
//!
//! They do not travel in a [`Segment`], which is copied for every packet of every host: an end that has
//! options says them when it is asked ([`Endpoint::options`]), the driver carries them beside the segment,
//! and hands both to the peer ([`Endpoint::on_segment_with_options`]).
//!
//! Departures and silences:
//! - Both ends have the same profile, so that nothing is negotiated.
//! - Data carry no blocks: an end with something to report sends an acknowledgement of its own beside them,
//!   where Linux shortens the data.
//! - Timestamps are milliseconds since the run began, the same clock at both ends (Linux adds an offset to
//!   each); they have not wrapped when a run ends, and protect against no old data (no PAWS).

use crate::hosts::HostProfile;
use crate::segment::Segment;
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;
use std::fmt;

/// Most blocks that fit beside timestamps (RFC 2018 section 3).
pub(crate) const BLOCKS_BESIDE_TIMESTAMPS: usize = 3;
/// Most blocks that fit into a header.
pub(crate) const MOST_BLOCKS: usize = 4;
/// A timestamp counts milliseconds.
const NANOSECONDS_PER_STAMP: u64 = 1_000_000;

/// Numbers from the first up to but excluding the second.
pub type Block = (SequenceNumber, SequenceNumber);

/// When a segment was sent, and what it echoes (RFC 7323 section 3.2), in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the timestamp of the segment that is acknowledged; 0 in a SYN.
    pub echo: u32,
}

/// The blocks of a selective acknowledgement, at most four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    count: u8,
    blocks: [Block; MOST_BLOCKS],
}

impl Blocks {
    /// Adds a block if there is room.
    pub fn push(&mut self, block: Block) {
        let count = usize::from(self.count);
        if count < MOST_BLOCKS {
            self.blocks[count] = block;
            self.count += 1;
        }
    }

    /// Those that are reported, in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[Block] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Bytes of the option in a header of whole words (RFC 2018 section 3); none without a block.
    #[must_use]
    pub const fn header_bytes(&self) -> u16 {
        if self.count == 0 { 0 } else { 4 + 8 * self.count as u16 }
    }
}

/// What the options of a segment say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentOptions {
    /// Timestamps, where the host has them.
    pub timestamps: Option<Timestamps>,
    /// What has arrived beyond a hole, most recent first; a duplicate before that.
    pub blocks: Blocks,
}

impl SegmentOptions {
    /// Length of the IP packet of `segment` with these options, in bytes. The room for timestamps is the
    /// profile's.
    #[must_use]
    pub const fn ip_bytes(&self, segment: &Segment, profile: &HostProfile) -> u16 {
        segment.ip_bytes(profile) + self.blocks.header_bytes()
    }
}

/// As in a packet trace, empty without any: ` sack 2001:3001 5001:6001 ts 120 echo 20`.
impl fmt::Display for SegmentOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.blocks.count > 0 {
            f.write_str(" sack")?;
        }
        for (start, end) in self.blocks.as_slice() {
            write!(f, " {}:{}", start.value(), end.value())?;
        }
        match self.timestamps {
            Some(Timestamps { value, echo }) => write!(f, " ts {value} echo {echo}"),
            None => Ok(()),
        }
    }
}

/// The clock of timestamps.
pub(crate) fn stamp(now: Time) -> u32 {
    (now.nanoseconds() / NANOSECONDS_PER_STAMP) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_whole_words_and_are_four_at_most() {
        let at = SequenceNumber::new;
        let mut blocks = Blocks::default();
        assert_eq!(blocks.header_bytes(), 0);
        for start in [10, 30, 50, 70, 90] {
            blocks.push((at(start), at(start + 10)));
        }
        // RFC 2018 section 3: 8n + 2 bytes, padded to whole words; four at most.
        assert_eq!((blocks.as_slice().len(), blocks.header_bytes()), (4, 36));
        let options = SegmentOptions { blocks, timestamps: None };
        assert_eq!(options.to_string(), " sack 10:20 30:40 50:60 70:80");
    }
}
