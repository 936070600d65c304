//! Accurate ECN feedback: the ACE field.
//!
//! Source: RFC 9768 sections 3.2.2 (the field of three bits, AE, CWR and ECE of the
//! header, counts the packets that arrived with a mark, from 5 on), appendix A.2 (what a difference modulo 8
//! means).
//!
//! Departures and silences: the option that counts bytes (section 3.2.3) stands on acknowledgements without
//! data, from the first mark on, or the first data that come not ECN-capable, and where blocks leave it room;
//! SYN, SYN/ACK and acknowledgements are never ECT.

use crate::options::ByteCounts;
use crate::segment::Flags;

/// The count of a connection that opens (RFC 9768 section 3.2.1).
const FIRST: u32 = 5;
/// The field counts modulo this.
const MODULUS: u32 = 8;

/// The flags that say a count.
pub(crate) const fn field(count: u32) -> Flags {
    let mut flags = Flags::NONE;
    if count & 4 != 0 {
        flags = flags.with(Flags::AE);
    }
    if count & 2 != 0 {
        flags = flags.with(Flags::CWR);
    }
    if count & 1 != 0 { flags.with(Flags::ECE) } else { flags }
}

/// The count that flags say.
pub(crate) const fn count_of(flags: Flags) -> u32 {
    (flags.contains(Flags::AE) as u32) << 2
        | (flags.contains(Flags::CWR) as u32) << 1
        | flags.contains(Flags::ECE) as u32
}

/// What the sender of data knows of the packets that arrived with a mark: s.cep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkedPackets {
    count: u32,
    /// Bytes that arrived with a mark, as far as an option has told them: s.ceb.
    bytes: u64,
}

impl Default for MarkedPackets {
    fn default() -> Self {
        Self { count: FIRST, bytes: 0 }
    }
}

impl MarkedPackets {
    /// How many more were marked, by an acknowledgement that brings so many segments. The field tells less
    /// than eight, and may have gone round: of the numbers that agree with it, the greatest is taken that is
    /// no more than what arrived (appendix A.2, the safest likely case). More than arrived cannot have been
    /// marked. Where the field has not moved none was: a mark is acknowledged at once, and of eight marks all
    /// acknowledgements would have been lost.
    pub(crate) fn news(&mut self, flags: Flags, delivered: u32) -> u32 {
        if delivered == 0 {
            // An acknowledgement that overtook another would seem to have gone round.
            return 0;
        }
        let difference = (count_of(flags) + MODULUS - self.count % MODULUS) % MODULUS;
        let news = match delivered.checked_sub(difference).filter(|_| difference > 0) {
            Some(unmarked) => delivered - unmarked % MODULUS,
            None => delivered.min(difference),
        };
        self.count += news;
        news
    }

    /// The same with an option that counts the marked bytes: in segments of so many at most they were that
    /// many packets at least, and of the numbers from there on the first one that agrees with the field is
    /// taken (appendix A.2.1). An acknowledgement that brings nothing tells nothing.
    pub(crate) fn news_by_bytes(
        &mut self,
        flags: Flags,
        delivered: u32,
        counts: ByteCounts,
        segment_bytes: u32,
    ) -> u32 {
        let told = counts.marked.wrapping_sub(self.bytes as u32) & ByteCounts::MASK;
        if delivered == 0 || told > ByteCounts::MASK / 2 {
            return 0;
        }
        self.bytes += u64::from(told);
        let least = FIRST + self.bytes.div_ceil(u64::from(segment_bytes)) as u32;
        let from = least.max(self.count);
        let count = from + (count_of(flags) + MODULUS - from % MODULUS) % MODULUS;
        let news = (count - self.count).min(delivered);
        self.count += news;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_says_its_count_modulo_eight() {
        for count in 0..20 {
            assert_eq!(count_of(field(count)), count % 8);
        }
        // RFC 9768 table 3: AE is the highest bit.
        assert_eq!(field(5), Flags::AE.with(Flags::ECE));
    }

    #[test]
    fn what_the_field_has_moved_by_was_marked() {
        let mut marked = MarkedPackets::default();
        assert_eq!(marked.news(field(5), 2), 0);
        assert_eq!(marked.news(field(7), 2), 2);
        assert_eq!(marked.news(field(9), 2), 2);
        assert_eq!(marked.news(field(9), 2), 0);
        assert_eq!(marked.news(field(8), 0), 0, "an old one");
    }

    /// RFC 9768 appendix A.2: of 20 segments that one acknowledgement brings, with a field that moved by 4,
    /// 4, 12 or 20 were marked: 20 is the safest. Of seven it is 4, of eleven 4, of twelve 12. A field that
    /// stands tells of no mark.
    #[test]
    fn an_acknowledgement_of_many_takes_the_safest_likely_case() {
        let cases = [(20, 4, 20), (7, 4, 4), (11, 4, 4), (12, 4, 12), (20, 2, 18), (9, 0, 0)];
        for (delivered, moved, expected) in cases {
            let mut marked = MarkedPackets::default();
            assert_eq!(marked.news(field(5 + moved), delivered), expected, "{moved} of {delivered}");
            assert_eq!(marked.news(field(5 + moved), 1), 0);
        }
        let mut marked = MarkedPackets::default();
        assert_eq!(marked.news(field(5 + 20), 20), 20);
        assert_eq!(marked.news(field(5 + 20 + 18), 20), 18);
    }

    /// RFC 9768 appendix A.2.1: 20 segments arrive with a field that moved by 4. 4,000 marked bytes in
    /// segments of 1,000 are four of them, 12,000 are twelve, and 4,100 are more than four: twelve.
    #[test]
    fn marked_bytes_say_how_often_the_field_has_gone_round() {
        for (bytes, expected) in [(4_000, 4), (12_000, 12), (4_100, 12), (20_000, 20)] {
            let mut marked = MarkedPackets::default();
            let counts = ByteCounts { marked: bytes, ..ByteCounts::default() };
            assert_eq!(marked.news_by_bytes(field(5 + 4), 20, counts, 1_000), expected, "{bytes}");
            assert_eq!(marked.news_by_bytes(field(5 + 4), 20, counts, 1_000), 0);
        }
        // The count of bytes goes round at 2^24: 16,777 segments of 1,000 bytes, and then two more.
        let mut marked = MarkedPackets { count: 5 + 16_776, bytes: 16_776_000 };
        let counts = ByteCounts { marked: 16_778_000 - (1 << 24), ..ByteCounts::default() };
        assert_eq!(marked.news_by_bytes(field(5 + 16_778), 2, counts, 1_000), 2);
    }

    /// What moved the field further than what arrived was marked among what arrives later.
    #[test]
    fn no_more_were_marked_than_arrived() {
        let mut marked = MarkedPackets::default();
        assert_eq!(marked.news(field(5 + 3), 2), 2);
        assert_eq!(marked.news(field(5 + 3), 2), 1);
    }
}
