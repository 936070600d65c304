//! Whether packets arrive with the codepoint with which they left, as far as acknowledgements of data tell.
//!
//! Source: RFC 9768 section 3.2.2.3 (what is always marked tells nothing: three or four rounds of it from the
//! first on), section 3.2.3 (the counts of bytes that arrived with each codepoint), RFC 3168 section 18 (a
//! packet that was ECN-capable and is no longer has been mangled). What the handshake shows is in
//! `ecn_negotiation.rs`.
//!
//! | what acknowledgements tell | so |
//! | --- | --- |
//! | data that were sent behind an acknowledgement with counts have arrived, and no count has grown since | the field is cleared on the way |
//! | everything that arrived in the first four rounds was marked | everything is marked on the way; only where the host looks for it |
//! | anything else | the path is never asked again |
//!
//! A sender that knows either sends nothing ECN-capable any more and heeds no marks.
//!
//! Departures and silences: the RFC leaves open how a sender finds that its field is cleared, and what it
//! does later in a connection. Without the option nothing tells of a field that is cleared: the three bits of
//! the header count marks alone, and the packets of the handshake are not ECN-capable here. A queue that
//! marks everything for four rounds is taken for such a path.

use crate::options::ByteCounts;
use crate::sequence::SequenceNumber;

/// Rounds in which everything was marked that are enough (RFC 9768 section 3.2.2.3).
const MARKED_ROUNDS: u8 = 4;

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Everything before it has arrived.
    pub(crate) number: SequenceNumber,
    /// One past the highest number ever sent.
    pub(crate) highest_sent: SequenceNumber,
    /// Segments that it brings, and how many of them were marked.
    pub(crate) delivered: u32,
    pub(crate) marked: u32,
    /// Whether it ends a round trip of data, or begins the first.
    pub(crate) round_begins: bool,
    pub(crate) counts: Option<ByteCounts>,
}

/// What is known of bytes that arrived ECN-capable.
#[derive(Clone, Copy, Debug, Default)]
enum Counted {
    /// No acknowledgement has had counts yet.
    #[default]
    Nothing,
    /// The first that had them, when data up to a number had been sent.
    Since { total: u32, sent: SequenceNumber },
    /// They have grown.
    Grown,
}

/// What a sender with accurate ECN finds out about its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcnPath {
    counted: Counted,
    /// Rounds that have begun in which everything was marked; none once something was not, or where the host
    /// does not look for it.
    marked_rounds: Option<u8>,
}

impl EcnPath {
    /// That of a connection that opens.
    pub(crate) fn new(looks_for_marks: bool) -> Self {
        Self { counted: Counted::Nothing, marked_rounds: looks_for_marks.then_some(0) }
    }

    /// Whether an acknowledgement shows that the path changes codepoints.
    pub(crate) fn is_mangled(&mut self, told: &Told) -> bool {
        self.clears(told) | self.marks_all(told)
    }

    /// No count has grown, though data have arrived that were sent after the first counts had come.
    fn clears(&mut self, told: &Told) -> bool {
        let Some(counts) = told.counts else { return false };
        let total = counts.ect0.wrapping_add(counts.marked).wrapping_add(counts.ect1);
        match self.counted {
            Counted::Nothing => self.counted = Counted::Since { total, sent: told.highest_sent },
            Counted::Since { total: before, .. } if before != total => self.counted = Counted::Grown,
            Counted::Since { sent, .. } => return sent.before(told.number),
            Counted::Grown => {}
        }
        false
    }

    fn marks_all(&mut self, told: &Told) -> bool {
        let Some(rounds) = &mut self.marked_rounds else { return false };
        if told.delivered > told.marked {
            self.marked_rounds = None;
            return false;
        }
        *rounds += u8::from(told.round_begins);
        *rounds > MARKED_ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: ByteCounts = ByteCounts { ect0: 1, marked: 0, ect1: 1 };

    /// Of segments of 1,000 bytes: what has arrived, what was sent, and the counts.
    fn of_data(arrived: u32, sent: u32, counts: Option<ByteCounts>) -> Told {
        let [number, highest_sent] =
            [arrived, sent].map(|segments| SequenceNumber::new(1 + 1_000 * segments));
        Told { number, highest_sent, delivered: 1, marked: 0, round_begins: false, counts }
    }

    /// Ten segments are out when the first counts come: what of them arrives tells nothing, because the
    /// counts may have had it. The eleventh was sent later.
    #[test]
    fn a_field_is_cleared_where_what_was_sent_behind_the_first_counts_is_not_counted() {
        let mut path = EcnPath::new(false);
        for arrived in 1..=10 {
            assert!(!path.is_mangled(&of_data(arrived, 9 + arrived, Some(FIRST))), "{arrived}");
        }
        assert!(!path.is_mangled(&of_data(11, 20, None)), "it has none");
        assert!(path.is_mangled(&of_data(11, 20, Some(FIRST))));
    }

    #[test]
    fn a_field_is_kept_where_any_count_has_grown() {
        let grown = [
            ByteCounts { ect0: 1_001, ..FIRST },
            ByteCounts { ect1: 1_001, ..FIRST },
            ByteCounts { marked: 1_000, ..FIRST },
        ];
        for counts in grown {
            let mut path = EcnPath::new(false);
            assert!(!path.is_mangled(&of_data(1, 10, Some(FIRST))));
            assert!(!path.is_mangled(&of_data(2, 11, Some(counts))));
            assert!(!path.is_mangled(&of_data(40, 50, Some(counts))), "it is not asked again");
        }
    }

    /// Two acknowledgements a round, each of two segments.
    fn marked_rounds(path: &mut EcnPath, rounds: u32, marked: u32) -> bool {
        let told = |round_begins| Told { delivered: 2, marked, round_begins, ..of_data(1, 10, None) };
        (0..rounds).any(|_| path.is_mangled(&told(true)) || path.is_mangled(&told(false)))
    }

    #[test]
    fn a_path_marks_all_after_four_whole_rounds_of_marks() {
        let mut path = EcnPath::new(true);
        assert!(!marked_rounds(&mut path, 4, 2));
        assert!(marked_rounds(&mut path, 1, 2));
        assert!(!marked_rounds(&mut EcnPath::new(false), 9, 2), "the host does not look for it");
    }

    #[test]
    fn one_packet_without_a_mark_is_enough() {
        let mut path = EcnPath::new(true);
        assert!(!marked_rounds(&mut path, 4, 2) && !marked_rounds(&mut path, 1, 1));
        assert!(!marked_rounds(&mut path, 9, 2));
    }
}
