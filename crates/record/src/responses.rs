//! Completed exchanges: histograms always, rows where asked.

use crate::{ColumnValues, LogHistogram, Table};
use aqmlab_units::{Span, Time};

/// Upper edges (included) of the response-size classes in bytes: one segment, the 90 % quantile of the 2003
/// study, a hundred kilobytes, everything above.
pub const SIZE_CLASS_UPPER_BYTES: [u64; 4] = [1_460, 10_500, 100_000, u64::MAX];

// The scatter of size against time keeps eight bins per octave of size and sixteen of time.
const SCATTER_SIZE_BINS_PER_OCTAVE: u32 = 8;
const SCATTER_TIME_BINS_PER_OCTAVE: u32 = 16;
const SCATTER_TIME_UNIT: Span = Span::from_microseconds(100);

/// One request and its response, complete.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// When the last byte of the response arrived (or the connection was closed, where a study says so).
    pub completed_at: Time,
    /// From `connect()` or the request's write to completion.
    pub response_time: Span,
    /// Bytes of the request.
    pub request_bytes: u32,
    /// Bytes of the response.
    pub response_bytes: u64,
    /// Number of the connection within the run: see the column `connection`.
    pub connection: u32,
    /// Which population of users, by its place.
    pub population: u16,
    /// Which user of that population.
    pub user: u32,
    /// Which of her pages it belongs to, counted from 0 over the run.
    pub page: u32,
    /// Whether this is an embedded object of a page (otherwise the page itself).
    pub embedded: bool,
    /// Whether this is the first exchange of its connection (its time includes the handshake).
    pub first_on_connection: bool,
}

/// Whether single exchanges are kept beside the histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All of them.
    All,
    /// All of them as long as there are at most this many; beyond, none.
    UpTo(usize),
    /// None.
    None,
}

/// Rows that are kept as long as their number is within the limit.
#[derive(Clone, Debug)]
pub(crate) struct Kept<T> {
    rows: Rows,
    kept: Vec<T>,
}

impl<T: Copy> Kept<T> {
    pub(crate) const fn new(rows: Rows) -> Self {
        Self { rows, kept: Vec::new() }
    }

    pub(crate) fn keep(&mut self, row: &T) {
        match self.rows {
            Rows::None => {}
            Rows::UpTo(limit) if self.kept.len() >= limit => {
                self.rows = Rows::None;
                self.kept = Vec::new();
            }
            Rows::All | Rows::UpTo(_) => self.kept.push(*row),
        }
    }

    /// The rows, if they are kept.
    pub(crate) fn rows(&self) -> Option<&[T]> {
        (self.rows != Rows::None).then_some(&self.kept)
    }
}

/// Recorder of completed exchanges.
#[derive(Clone, Debug)]
pub struct Responses {
    histograms: Vec<LogHistogram>,
    scatter: Vec<u64>,
    kept: Kept<Completion>,
    /// What has not reached the histograms yet.
    recent: Vec<Completion>,
    total: u64,
}

/// Exchanges are counted in batches: a histogram is larger than the nearest caches, and the waits for its
/// bins then overlap.
const BATCH: usize = 128;

const SCATTER_SIZE_BINS: usize = 32 * SCATTER_SIZE_BINS_PER_OCTAVE as usize;
const SCATTER_TIME_BINS: usize = 32 * SCATTER_TIME_BINS_PER_OCTAVE as usize;

impl Responses {
    /// A recorder for this many populations.
    #[must_use]
    pub fn new(populations: usize, rows: Rows) -> Self {
        Self {
            histograms: vec![LogHistogram::new(); populations * SIZE_CLASS_UPPER_BYTES.len()],
            scatter: vec![0; SCATTER_SIZE_BINS * SCATTER_TIME_BINS],
            kept: Kept::new(rows),
            recent: Vec::with_capacity(BATCH),
            total: 0,
        }
    }

    /// Counts one exchange.
    #[inline]
    pub fn record(&mut self, completion: &Completion) {
        self.recent.push(*completion);
        self.total += 1;
        if self.recent.len() == BATCH {
            self.count_recent();
        }
    }

    #[inline(never)]
    fn count_recent(&mut self) {
        for completion in &self.recent {
            let class = SIZE_CLASS_UPPER_BYTES.partition_point(|&upper| upper < completion.response_bytes);
            let histogram = usize::from(completion.population) * SIZE_CLASS_UPPER_BYTES.len() + class;
            self.histograms[histogram].record(completion.response_time.nanoseconds());
            self.scatter[scatter_position(completion)] += 1;
        }
        let mut recent = std::mem::take(&mut self.recent);
        recent.iter().for_each(|completion| self.kept.keep(completion));
        recent.clear();
        self.recent = recent;
    }

    /// How many exchanges were counted.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The tables `response_histogram`, `response_scatter` and, if rows were kept, `responses`; the
    /// populations have these names.
    ///
    /// # Panics
    /// If there are fewer names than populations.
    #[must_use]
    pub fn into_tables(mut self, populations: &[String]) -> Vec<Table> {
        self.count_recent();
        let mut tables = vec![self.histogram_table(populations), self.scatter_table()];
        tables.extend(self.kept.rows().map(|rows| rows_table(rows, populations)));
        tables
    }

    fn histogram_table(&self, populations: &[String]) -> Table {
        let (mut population, mut size_class) = (Vec::new(), Vec::new());
        let (mut lower, mut upper, mut count) = (Vec::new(), Vec::new(), Vec::new());
        for (index, histogram) in self.histograms.iter().enumerate() {
            for bin in histogram.bins() {
                population.push((index / SIZE_CLASS_UPPER_BYTES.len()) as u32);
                size_class.push((index % SIZE_CLASS_UPPER_BYTES.len()) as u8);
                lower.push(Span::from_nanoseconds(bin.lower).seconds());
                upper.push(Span::from_nanoseconds(bin.upper).seconds());
                count.push(bin.count);
            }
        }
        Table::new(
            "response_histogram",
            vec![
                ("population", ColumnValues::names(population, populations)),
                ("size_class", ColumnValues::U8(size_class)),
                ("lower_s", ColumnValues::F64(lower)),
                ("upper_s", ColumnValues::F64(upper)),
                ("count", ColumnValues::U64(count)),
            ],
        )
    }

    fn scatter_table(&self) -> Table {
        let mut columns: [Vec<f64>; 4] = Default::default();
        let mut count = Vec::new();
        for (position, &cell) in self.scatter.iter().enumerate().filter(|(_, cell)| **cell > 0) {
            let (size, time) = (position / SCATTER_TIME_BINS, position % SCATTER_TIME_BINS);
            columns[0].push(octave_edge(size, SCATTER_SIZE_BINS_PER_OCTAVE));
            columns[1].push(octave_edge(size + 1, SCATTER_SIZE_BINS_PER_OCTAVE));
            columns[2].push(octave_edge(time, SCATTER_TIME_BINS_PER_OCTAVE) * SCATTER_TIME_UNIT.seconds());
            columns[3]
                .push(octave_edge(time + 1, SCATTER_TIME_BINS_PER_OCTAVE) * SCATTER_TIME_UNIT.seconds());
            count.push(cell);
        }
        let [bytes_lower, bytes_upper, time_lower, time_upper] = columns;
        Table::new(
            "response_scatter",
            vec![
                ("bytes_lower", ColumnValues::F64(bytes_lower)),
                ("bytes_upper", ColumnValues::F64(bytes_upper)),
                ("time_lower_s", ColumnValues::F64(time_lower)),
                ("time_upper_s", ColumnValues::F64(time_upper)),
                ("count", ColumnValues::U64(count)),
            ],
        )
    }
}

fn scatter_position(completion: &Completion) -> usize {
    let size = octave_bin(completion.response_bytes, SCATTER_SIZE_BINS_PER_OCTAVE).min(SCATTER_SIZE_BINS - 1);
    let units = completion.response_time.div_floor(SCATTER_TIME_UNIT);
    let time = octave_bin(units, SCATTER_TIME_BINS_PER_OCTAVE).min(SCATTER_TIME_BINS - 1);
    size * SCATTER_TIME_BINS + time
}

/// Bin of a whole number: each octave in `per_octave` equal (not geometric) parts, so that edges are exact.
fn octave_bin(value: u64, per_octave: u32) -> usize {
    let value = value.max(1);
    let octave = value.ilog2();
    let part = (u128::from(value - (1 << octave)) * u128::from(per_octave)) >> octave;
    (octave * per_octave) as usize + part as usize
}

fn octave_edge(bin: usize, per_octave: u32) -> f64 {
    let octave = bin as u32 / per_octave;
    let part = f64::from(bin as u32 % per_octave) / f64::from(per_octave);
    (1_u64 << octave) as f64 * (1.0 + part)
}

/// What a request asked for, in the order of the codes.
const OBJECTS: [&str; 2] = ["page", "embedded"];

fn rows_table(rows: &[Completion], populations: &[String]) -> Table {
    let seconds = |of: &dyn Fn(&Completion) -> f64| ColumnValues::F64(rows.iter().map(of).collect());
    let whole = |of: &dyn Fn(&Completion) -> u32| ColumnValues::U32(rows.iter().map(of).collect());
    let codes = |of: &dyn Fn(&Completion) -> u32| rows.iter().map(of).collect();
    let yes = |of: &dyn Fn(&Completion) -> bool| {
        ColumnValues::U8(rows.iter().map(|row| u8::from(of(row))).collect())
    };
    Table::new(
        "responses",
        vec![
            ("completed_at_s", seconds(&|row| row.completed_at.seconds())),
            ("response_time_s", seconds(&|row| row.response_time.seconds())),
            ("request_bytes", whole(&|row| row.request_bytes)),
            ("response_bytes", ColumnValues::U64(rows.iter().map(|row| row.response_bytes).collect())),
            ("connection", whole(&|row| row.connection)),
            ("population", ColumnValues::names(codes(&|row| u32::from(row.population)), populations)),
            ("user", whole(&|row| row.user)),
            ("page", whole(&|row| row.page)),
            ("object", ColumnValues::names(codes(&|row| u32::from(row.embedded)), OBJECTS)),
            ("first_on_connection", yes(&|row| row.first_on_connection)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(milliseconds: u64, bytes: u64) -> Completion {
        Completion {
            completed_at: Time::from_seconds(9.0),
            response_time: Span::from_milliseconds(milliseconds),
            request_bytes: 300,
            response_bytes: bytes,
            connection: 4,
            population: 0,
            user: 7,
            page: 2,
            embedded: false,
            first_on_connection: true,
        }
    }

    fn names(tables: &[Table]) -> Vec<&'static str> {
        tables.iter().map(|table| table.name).collect()
    }

    #[test]
    fn rows_beyond_the_limit_are_given_up_but_still_counted() {
        let mut responses = Responses::new(1, Rows::UpTo(2));
        for milliseconds in [10, 20, 30] {
            responses.record(&exchange(milliseconds, 1000));
        }
        assert_eq!(responses.total(), 3);
        assert_eq!(
            names(&responses.into_tables(&["people".to_owned()])),
            ["response_histogram", "response_scatter"]
        );
    }

    #[test]
    fn every_exchange_is_in_one_class_and_one_cell() {
        let mut responses = Responses::new(1, Rows::All);
        for bytes in [1, 1460, 1461, 10_500, 10_501, 100_001, 1_000_000_000] {
            responses.record(&exchange(25, bytes));
        }
        for table in
            responses.into_tables(&["people".to_owned()]).iter().filter(|table| table.name != "responses")
        {
            let ColumnValues::U64(counts) = &table.columns.last().unwrap().values else { panic!("counts") };
            assert_eq!(counts.iter().sum::<u64>(), 7, "{}", table.name);
        }
    }

    #[test]
    fn scatter_bins_hold_their_values() {
        for value in [1_u64, 2, 3, 9, 1000, 35_510, 999_999_999] {
            let bin = octave_bin(value, 8);
            assert!(
                octave_edge(bin, 8) <= value as f64 && (value as f64) < octave_edge(bin + 1, 8),
                "{value}"
            );
        }
    }
}
