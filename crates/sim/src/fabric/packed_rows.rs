//! A table with many empty places, packed: rows lie across one another, each moved so far that none of its
//! entries falls on another's (row displacement, as parsers pack their tables: Tarjan and Yao, CACM 22 (11),
//! 1979).
//!
//! A dense table takes as much as its rows times its columns. Here a row takes about what it holds, where
//! rows are short or alike in shape, and never more than the columns that it spans. Looking up costs one load
//! more, and only what was put in may be looked up: elsewhere stands what is another row's.

use crate::identifiers::{Column, Egress};
#[derive(Clone)]

pub(super) struct PackedRows {
    /// By row, where its column 0 lies in `egresses`.
    bases: Vec<u32>,
    egresses: Vec<Egress>,
}

impl PackedRows {
    /// Packs rows of entries, each with its column, in ascending order of these.
    pub(super) fn pack(rows: &[Vec<(Column, Egress)>]) -> Self {
        let mut packed = Self { bases: vec![0; rows.len()], egresses: Vec::new() };
        let mut longest_first: Vec<usize> = (0..rows.len()).filter(|&row| !rows[row].is_empty()).collect();
        longest_first.sort_by_key(|&row| std::cmp::Reverse(rows[row].len()));
        let mut taken: Vec<bool> = Vec::new();
        let mut base = 0;
        for row in longest_first {
            let is_free = |base: usize, (column, _): &(Column, Egress)| {
                !taken.get(base + column.place()).copied().unwrap_or(false)
            };
            // Only forward: a search from the beginning for each row would take the square of their number.
            while !rows[row].iter().all(|entry| is_free(base, entry)) {
                base += 1;
            }
            for &(column, egress) in &rows[row] {
                let place = base + column.place();
                if place >= taken.len() {
                    taken.resize(place + 1, false);
                    packed.egresses.resize(place + 1, Egress::DELIVERY);
                }
                (taken[place], packed.egresses[place]) = (true, egress);
            }
            packed.bases[row] = u32::try_from(base).expect("fewer entries than 32 bits can count");
        }
        packed.egresses.shrink_to_fit();
        packed
    }

    /// The entry of a row in a column, which must be one that was put in; none beyond the rows.
    #[inline(always)]
    pub(super) fn get(&self, row: usize, column: Column) -> Option<Egress> {
        let base = *self.bases.get(row)? as usize;
        Some(self.egresses[base + column.place()])
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.bases.len()
    }

    /// How many places all of them take.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.egresses.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_entry_is_found_and_no_row_takes_more_than_it_spans(
            rows in prop::collection::vec(prop::collection::btree_map(0..60_usize, 0..9_u32, 0..20), 0..40)
        ) {
            let rows: Vec<Vec<(Column, Egress)>> = rows
                .into_iter()
                .map(|row| row.into_iter().map(|(at, egress)| (Column::of(at), Egress::from_number(egress))).collect())
                .collect();
            let packed = PackedRows::pack(&rows);
            for (number, row) in rows.iter().enumerate() {
                for &(column, egress) in row {
                    prop_assert_eq!(packed.get(number, column), Some(egress));
                }
            }
            prop_assert_eq!(packed.get(rows.len(), Column::of(0)), None);
            prop_assert!(packed.places() <= 60 * (rows.len() + 1));
        }
    }

    #[test]
    fn a_hub_and_a_thousand_spokes_take_four_places_a_spoke_at_most() {
        // Each spoke knows its own machine and the servers; the hub knows all.
        let spokes = 1000;
        let servers = (Column::of(spokes), Egress::from_number(1));
        let mut rows: Vec<Vec<(Column, Egress)>> =
            (0..spokes).map(|own| vec![(Column::of(own), Egress::from_number(0)), servers]).collect();
        rows.push((0..=spokes).map(|to| (Column::of(to), Egress::from_number(2))).collect());
        // The hub's row; a base for each spoke; one more for each base at which an earlier spoke's place is
        // in the way; and the way from the last base to the column of the servers.
        assert!(PackedRows::pack(&rows).places() <= 4 * (spokes + 1));
    }
}
