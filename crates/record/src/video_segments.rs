//! Segments of videos, each from the wish for it to its last byte, of the whole run: what a player's buffer
//! holds in the measured window follows from all that came before.

use crate::{ColumnValues, PageLoad, Table};

/// Recorder of the segments that viewers asked for. A segment is waited for as a page of one object is, and
/// is recorded as one: its number stands as that of the page.
#[derive(Clone, Debug, Default)]
pub struct VideoSegments(Vec<PageLoad>);

impl VideoSegments {
    /// A segment that has arrived, or is under way at the end of the run.
    pub fn record(&mut self, segment: PageLoad) {
        self.0.push(segment);
    }

    /// The table `video_segments`; the populations have these names.
    ///
    /// # Panics
    /// If a population has no name.
    #[must_use]
    pub fn into_table(self, populations: &[String]) -> Table {
        let rows = &self.0;
        let seconds = |of: &dyn Fn(&PageLoad) -> f64| ColumnValues::F64(rows.iter().map(of).collect());
        let whole = |of: &dyn Fn(&PageLoad) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
        let population = rows.iter().map(|row| u32::from(row.population)).collect();
        Table::new(
            "video_segments",
            vec![
                ("population", ColumnValues::names(population, populations)),
                ("user", whole(&|row| row.user)),
                ("segment", whole(&|row| row.page)),
                ("requested_at_s", seconds(&|row| row.began.seconds())),
                ("download_time_s", seconds(&|row| row.time().seconds())),
                ("arrived", ColumnValues::U8(rows.iter().map(|row| u8::from(row.ended)).collect())),
                ("failed_requests", whole(&|row| row.failed_objects)),
                ("bytes", ColumnValues::U64(rows.iter().map(|row| row.response_bytes).collect())),
            ],
        )
    }
}
