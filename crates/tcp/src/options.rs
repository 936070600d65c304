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
///
/// Nearly all segments have none: of these a flag is written, and no room for blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Option<Reported>);

/// Blocks, of which there is one at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reported {
    count: u8,
    blocks: [Block; MOST_BLOCKS],
}

impl Blocks {
    /// Adds a block if there is room.
    pub fn push(&mut self, block: Block) {
        let Some(Reported { count, blocks }) = &mut self.0 else {
            self.0 = Some(Reported {
                count: 1,
                blocks: [block, Block::default(), Block::default(), Block::default()],
            });
            return;
        };
        if let Some(place) = blocks.get_mut(usize::from(*count)) {
            *place = block;
            *count += 1;
        }
    }

    /// Those that are reported, in their order.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Block] {
        self.0.as_ref().map_or(&[], |reported| &reported.blocks[..usize::from(reported.count)])
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Bytes of the option in a header of whole words (RFC 2018 section 3); none without a block.
    #[must_use]
    #[inline]
    pub const fn header_bytes(&self) -> u16 {
        match &self.0 {
            Some(reported) => 4 + 8 * reported.count as u16,
            None => 0,
        }
    }
}

/// Bytes of data that arrived with each codepoint, as an option of accurate ECN counts them: modulo 2²⁴, from
/// 1 on where nothing is marked, so that zeros tell that somebody clears the option (RFC 9768 sections 3.2.3
/// and 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCounts {
    /// EE0B: with ECT(0).
    pub ect0: u32,
    /// ECEB: with a mark.
    pub marked: u32,
    /// EE1B: with ECT(1).
    pub ect1: u32,
}

impl ByteCounts {
    /// Bytes of the option in a header of whole words.
    pub(crate) const HEADER_BYTES: u16 = 12;
    /// A count is one of this many bits less one.
    pub(crate) const MASK: u32 = (1 << 24) - 1;
}

impl Default for ByteCounts {
    fn default() -> Self {
        Self { ect0: 1, marked: 0, ect1: 1 }
    }
}

/// What the options of a segment say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentOptions {
    /// Timestamps, where the host has them.
    pub timestamps: Option<Timestamps>,
    /// What has arrived beyond a hole, most recent first; a duplicate before that.
    pub blocks: Blocks,
    /// What arrived with which codepoint, where the host says so.
    pub counts: Option<ByteCounts>,
}

impl SegmentOptions {
    /// Length of the IP packet of `segment` with these options, in bytes. The room for timestamps is the
    /// profile's.
    #[must_use]
    pub const fn ip_bytes(&self, segment: &Segment, profile: &HostProfile) -> u16 {
        let counts = if self.counts.is_some() { ByteCounts::HEADER_BYTES } else { 0 };
        segment.ip_bytes(profile) + self.blocks.header_bytes() + counts
    }
}

/// As in a packet trace, empty without any: ` sack 2001:3001 5001:6001 ts 120 echo 20`.
impl fmt::Display for SegmentOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.blocks.is_empty() {
            f.write_str(" sack")?;
        }
        for (start, end) in self.blocks.as_slice() {
            write!(f, " {}:{}", start.value(), end.value())?;
        }
        if let Some(Timestamps { value, echo }) = self.timestamps {
            write!(f, " ts {value} echo {echo}")?;
        }
        match self.counts {
            Some(ByteCounts { ect0, marked, ect1 }) => write!(f, " e1b {ect1} ceb {marked} e0b {ect0}"),
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
        let options = SegmentOptions { blocks, ..SegmentOptions::default() };
        assert_eq!(options.to_string(), " sack 10:20 30:40 50:60 70:80");
    }
}
