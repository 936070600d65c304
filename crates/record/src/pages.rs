//! Page loads: what a person waits for. Histograms always, rows where asked.
//!
//! Two populations of pages are counted, because neither alone is the truth. *Completed* pages ended in the
//! measured window: what papers report, and blind to the pages that take longest. *Followed* pages began in
//! the window and are followed to the end of the run; those that are still under way then are *unfinished*:
//! of them it is only known that they take longer than they were seen to (right-censored). A page of which
//! nothing came has *failed*: it was never loaded, and is in neither population of loaded pages.

use crate::responses::Kept;
use crate::{ColumnValues, LogHistogram, MeasuredWindow, Rows, Table};
use aqmlab_units::{Span, Time};

/// A page, loaded or given up by the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLoad {
    /// When the user asked for it.
    pub began: Time,
    /// When the last of its objects was there or had failed; for an unfinished page the end of the run.
    pub seen_until: Time,
    /// Whether it ended.
    pub ended: bool,
    /// Which population of users, by its place.
    pub population: u16,
    /// Which user of that population.
    pub user: u32,
    /// Which of her pages, counted from 0 over the run.
    pub page: u32,
    /// Objects that arrived, the page itself included.
    pub objects: u32,
    /// Objects that never came, because their connection gave up.
    pub failed_objects: u32,
    /// Bytes of the responses that arrived.
    pub response_bytes: u64,
}

impl PageLoad {
    /// Whether something of it came: a page whose objects all failed is over, and was never loaded.
    #[must_use]
    pub const fn loaded(&self) -> bool {
        self.ended && self.objects > 0
    }

    /// From the wish for the page to its end; of an unfinished page how long it was waited for.
    #[must_use]
    pub fn time(&self) -> Span {
        self.seen_until - self.began
    }
}

/// What a histogram counts, in the order of the codes.
const COUNTED: [&str; 4] = ["completed", "followed", "unfinished", "failed"];
const COMPLETED: usize = 0;
const FOLLOWED: usize = 1;
const UNFINISHED: usize = 2;
const FAILED: usize = 3;

/// Recorder of page loads.
#[derive(Clone, Debug)]
pub struct Pages {
    window: MeasuredWindow,
    /// Of each population those of [`COUNTED`].
    histograms: Vec<LogHistogram>,
    kept: Kept<PageLoad>,
}

impl Pages {
    /// A recorder for this many populations.
    #[must_use]
    pub fn new(populations: usize, window: MeasuredWindow, rows: Rows) -> Self {
        Self {
            window,
            histograms: vec![LogHistogram::new(); populations * COUNTED.len()],
            kept: Kept::new(rows),
        }
    }

    /// Counts one page, which has ended or will be followed no longer. Pages that were not under way at any
    /// instant of the measured window are left out.
    pub fn record(&mut self, load: &PageLoad) {
        let began_in_window = self.window.contains(load.began);
        let mut count = |what: usize| {
            let place = usize::from(load.population) * COUNTED.len() + what;
            self.histograms[place].record(load.time().nanoseconds());
        };
        if load.loaded() && self.window.contains(load.seen_until) {
            count(COMPLETED);
        }
        if began_in_window {
            count(match (load.loaded(), load.ended) {
                (true, _) => FOLLOWED,
                (false, true) => FAILED,
                (false, false) => UNFINISHED,
            });
        }
        if load.began < self.window.until && load.seen_until >= self.window.from {
            self.kept.keep(load);
        }
    }

    /// The tables `page_histogram` and, if rows were kept, `pages`; the populations have these names.
    ///
    /// # Panics
    /// If there are fewer names than populations.
    #[must_use]
    pub fn into_tables(self, populations: &[String]) -> Vec<Table> {
        let mut tables = vec![self.histogram_table(populations)];
        tables.extend(self.kept.rows().map(|rows| rows_table(rows, populations)));
        tables
    }

    fn histogram_table(&self, populations: &[String]) -> Table {
        let (mut population, mut counted) = (Vec::new(), Vec::new());
        let (mut lower, mut upper, mut count) = (Vec::new(), Vec::new(), Vec::new());
        for (place, histogram) in self.histograms.iter().enumerate() {
            for bin in histogram.bins() {
                population.push((place / COUNTED.len()) as u32);
                counted.push((place % COUNTED.len()) as u32);
                lower.push(Span::from_nanoseconds(bin.lower).seconds());
                upper.push(Span::from_nanoseconds(bin.upper).seconds());
                count.push(bin.count);
            }
        }
        Table::new(
            "page_histogram",
            vec![
                ("population", ColumnValues::names(population, populations)),
                ("counted", ColumnValues::names(counted, COUNTED)),
                ("lower_s", ColumnValues::F64(lower)),
                ("upper_s", ColumnValues::F64(upper)),
                ("count", ColumnValues::U64(count)),
            ],
        )
    }
}

fn rows_table(rows: &[PageLoad], populations: &[String]) -> Table {
    let seconds = |of: &dyn Fn(&PageLoad) -> f64| ColumnValues::F64(rows.iter().map(of).collect());
    let whole = |of: &dyn Fn(&PageLoad) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
    let population = rows.iter().map(|row| u32::from(row.population)).collect();
    Table::new(
        "pages",
        vec![
            ("population", ColumnValues::names(population, populations)),
            ("user", whole(&|row| row.user)),
            ("page", whole(&|row| row.page)),
            ("began_s", seconds(&|row| row.began.seconds())),
            ("page_load_time_s", seconds(&|row| row.time().seconds())),
            ("ended", ColumnValues::U8(rows.iter().map(|row| u8::from(row.ended)).collect())),
            ("objects", whole(&|row| row.objects)),
            ("failed_objects", whole(&|row| row.failed_objects)),
            ("response_bytes", ColumnValues::U64(rows.iter().map(|row| row.response_bytes).collect())),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(1_000 * seconds)
    }

    /// A page under way from one second to another, of a run that is measured from 10 to 20 s.
    fn page(began: u64, seen_until: u64, ended: bool) -> PageLoad {
        PageLoad {
            began: at(began),
            seen_until: at(seen_until),
            ended,
            population: 0,
            user: 3,
            page: 1,
            objects: 4,
            failed_objects: 0,
            response_bytes: 9_000,
        }
    }

    fn counted(loads: &[PageLoad]) -> ([u64; 4], usize) {
        let window = MeasuredWindow { from: at(10), until: at(20) };
        let mut pages = Pages::new(1, window, Rows::All);
        loads.iter().for_each(|load| pages.record(load));
        let totals = [COMPLETED, FOLLOWED, UNFINISHED, FAILED].map(|what| pages.histograms[what].total());
        let tables = pages.into_tables(&["people".to_owned()]);
        (totals, tables.iter().find(|table| table.name == "pages").map_or(0, Table::rows))
    }

    #[test]
    fn a_page_is_counted_where_it_ended_and_where_it_began() {
        for (load, expected) in [
            // (began, seen until, ended), [completed, followed, unfinished, failed], rows
            (page(12, 15, true), ([1, 1, 0, 0], 1)),
            (page(5, 15, true), ([1, 0, 0, 0], 1)),
            (page(15, 25, true), ([0, 1, 0, 0], 1)),
            (page(15, 30, false), ([0, 0, 1, 0], 1)),
            // Under way all the time: in no histogram, but not forgotten.
            (page(5, 30, false), ([0, 0, 0, 0], 1)),
            (page(5, 25, true), ([0, 0, 0, 0], 1)),
            // The window has its beginning and not its end.
            (page(10, 20, true), ([0, 1, 0, 0], 1)),
            (page(5, 10, true), ([1, 0, 0, 0], 1)),
            (page(2, 9, true), ([0, 0, 0, 0], 0)),
            (page(20, 22, true), ([0, 0, 0, 0], 0)),
            // Nothing of it came: it is over, and was never loaded.
            (PageLoad { objects: 0, failed_objects: 1, ..page(12, 15, true) }, ([0, 0, 0, 1], 1)),
            (PageLoad { objects: 0, failed_objects: 1, ..page(5, 15, true) }, ([0, 0, 0, 0], 1)),
            // Some of it came, as a person sees it.
            (PageLoad { objects: 1, failed_objects: 3, ..page(12, 15, true) }, ([1, 1, 0, 0], 1)),
        ] {
            assert_eq!(counted(&[load]), expected, "{load:?}");
        }
    }

    #[test]
    fn rows_beyond_the_limit_are_given_up_but_still_counted() {
        let window = MeasuredWindow { from: at(10), until: at(20) };
        let mut pages = Pages::new(1, window, Rows::UpTo(1));
        for _ in 0..2 {
            pages.record(&page(12, 15, true));
        }
        assert_eq!(pages.histograms[COMPLETED].total(), 2);
        let names: Vec<_> =
            pages.into_tables(&["people".to_owned()]).iter().map(|table| table.name).collect();
        assert_eq!(names, ["page_histogram"]);
    }
}
