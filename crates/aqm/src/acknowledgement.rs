//! What a filter of acknowledgements reads of a TCP segment, where a port has one.

/// The most blocks that fit into the options of a segment (RFC 2018).
const MOST_BLOCKS: usize = 4;

/// Acknowledgement number, flags and options of a TCP segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The next byte that is expected (RFC 9293 section 3.1).
    pub number: u32,
    /// The flags ECE and CWR, as they stand there: 0x40 and 0x80.
    pub ecn_flags: u8,
    /// Whether it is nothing but an acknowledgement, so that a later one may take its place: without data,
    /// with no flag beside ACK, ECE and CWR, and with no option beside selective acknowledgements and
    /// timestamps.
    pub is_bare: bool,
    /// Value and echo of the timestamps (RFC 7323), if it has them.
    pub timestamps: Option<[u32; 2]>,
    blocks: [[u32; 2]; MOST_BLOCKS],
    block_count: u8,
}

/// TCP's flags by their bits (RFC 9293 section 3.1), and the third bit of Accurate ECN as
/// `aqmlab-wire` has it, in the place of URG.
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const ECN: u8 = 0x40 | 0x80;

impl Acknowledgement {
    /// What a segment with these flags, this number and these timestamps says, `with_more` than that where it
    /// has data or other options; none without ACK or with SYN.
    #[must_use]
    pub fn of_segment(flags: u8, number: u32, timestamps: Option<[u32; 2]>, with_more: bool) -> Option<Self> {
        let ecn_flags = flags & ECN;
        let is_bare = flags & !ECN == ACK && !with_more;
        let said = Self { number, ecn_flags, is_bare, timestamps, ..Self::default() };
        (flags & (ACK | SYN) == ACK).then_some(said)
    }

    /// The same with a further block of data beyond a hole: its first byte, and the one behind it. Those that
    /// no option has room for are left out.
    #[must_use]
    pub fn with_block(mut self, block: [u32; 2]) -> Self {
        if let Some(place) = self.blocks.get_mut(usize::from(self.block_count)) {
            *place = block;
            self.block_count += 1;
        }
        self
    }

    /// What it reports beyond holes.
    #[must_use]
    pub fn blocks(&self) -> &[[u32; 2]] {
        &self.blocks[..usize::from(self.block_count)]
    }
}

/// Whether a number is behind another one, on the circle of 32 bits.
pub(crate) const fn is_after(one: u32, other: u32) -> bool {
    (other.wrapping_sub(one) as i32) < 0
}
