//! A log-linear histogram: each power of two is cut into 1,024 equal bins.
//!
//! The layout is that of Gil Tene's HdrHistogram: constant-time recording, fixed relative precision, counts
//! that can be added. A bin is at most 1/1,024 of its lower edge wide, so a value taken from the middle of
//! its bin is wrong by at most 0.05 %, and no value by more than 0.1 %.

const BINS_PER_OCTAVE_LOG2: u32 = 10;
const BINS_PER_OCTAVE: u64 = 1 << BINS_PER_OCTAVE_LOG2;

/// Counts of whole numbers (nanoseconds, bytes, …) by size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogHistogram {
    /// Of the bins from position `first` on; whole octaves, from that of the smallest value to that of the
    /// greatest.
    counts: Vec<u64>,
    first: usize,
    total: u64,
}

/// A non-empty bin: values from `lower` (included) to `upper` (excluded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Smallest value of the bin.
    pub lower: u64,
    /// Smallest value above the bin.
    pub upper: u64,
    /// How many values fell into the bin.
    pub count: u64,
}

/// Position of the bin that holds `value`: exact up to 2,047, then 1,024 bins per octave.
#[inline]
fn position(value: u64) -> usize {
    let octave =
        (u64::BITS - (value | (2 * BINS_PER_OCTAVE - 1)).leading_zeros()) - (BINS_PER_OCTAVE_LOG2 + 1);
    (u64::from(octave) * BINS_PER_OCTAVE + (value >> octave)) as usize
}

/// Smallest value in the bin at `position`.
fn lower_edge(position: usize) -> u64 {
    let position = position as u64;
    if position < 2 * BINS_PER_OCTAVE {
        return position;
    }
    let octave = position / BINS_PER_OCTAVE - 1;
    (position - octave * BINS_PER_OCTAVE) << octave
}

impl LogHistogram {
    /// An empty histogram.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let position = position(value);
        if position.wrapping_sub(self.first) >= self.counts.len() {
            self.widen(position);
        }
        self.counts[position - self.first] += 1;
        self.total += 1;
    }

    /// Makes room for the octave of the bin at `position`.
    #[cold]
    fn widen(&mut self, position: usize) {
        let octave = BINS_PER_OCTAVE as usize;
        let begin = position / octave * octave;
        if self.counts.is_empty() {
            self.first = begin;
        } else if begin < self.first {
            let added = std::iter::repeat_n(0, self.first - begin);
            self.counts.splice(..0, added);
            self.first = begin;
        }
        let end = (begin + octave - self.first).max(self.counts.len());
        self.counts.resize(end, 0);
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        if other.counts.is_empty() {
            return;
        }
        self.widen(other.first);
        self.widen(other.first + other.counts.len() - 1);
        let shared = &mut self.counts[other.first - self.first..];
        for (ours, theirs) in shared.iter_mut().zip(&other.counts) {
            *ours += theirs;
        }
        self.total += other.total;
    }

    /// How many values were counted.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The non-empty bins, by increasing value.
    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        let bins = (self.first..).zip(&self.counts);
        bins.filter(|(_, count)| **count > 0).map(|(position, &count)| Bin {
            lower: lower_edge(position),
            upper: lower_edge(position + 1),
            count,
        })
    }

    /// The upper edge of the bin below which a share of at least `share` of the values lies; none when empty.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let wanted = (share * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.bins().find_map(|bin| {
            seen += bin.count;
            (seen >= wanted).then_some(bin.upper)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_value_lies_in_its_bin_and_the_bin_is_narrow(value in 0..u64::MAX / 4) {
            let mut histogram = LogHistogram::new();
            histogram.record(value);
            let bin = histogram.bins().next().unwrap();
            prop_assert!(bin.lower <= value && value < bin.upper);
            prop_assert!((bin.upper - bin.lower - 1) * 1024 <= bin.lower);
        }

        #[test]
        fn merging_is_recording_both(left in proptest::collection::vec(0..1u64 << 40, 0..50),
                                     right in proptest::collection::vec(0..1u64 << 40, 0..50)) {
            let record = |values: &[u64]| {
                let mut histogram = LogHistogram::new();
                values.iter().for_each(|&value| histogram.record(value));
                histogram
            };
            let mut merged = record(&left);
            merged.merge(&record(&right));
            let both = record(&[left, right].concat());
            prop_assert!(merged.bins().eq(both.bins()));
        }
    }

    #[test]
    fn bins_adjoin() {
        for position in 0..40_000 {
            assert!(lower_edge(position) < lower_edge(position + 1));
            assert_eq!(super::position(lower_edge(position)), position);
        }
    }
}
