//! Conditions of a line over time: rates, round trip and loss, as a measurement has them.
//!
//! A text of comma-separated values: the names of the columns, then a row for each instant from which its
//! values hold. The last row holds as long as the one before it; then the rows begin again, or the last one
//! holds for good. Empty lines and those that begin with `#` count for nothing.

use crate::steps::Steps;
use aqmlab_units::{Rate, Span};
use std::sync::Arc;

/// The columns beside `t_s`, with the largest value of each.
const COLUMNS: [(&str, f64); 4] =
    [("down_mbps", 1e6), ("up_mbps", 1e6), ("rtt_ms", 200_000.0), ("loss_percent", 100.0)];
const TIME: &str = "t_s";
const LATEST_S: f64 = 1e7;
/// So many names of columns are told of a text whose columns are wrong.
const MOST_SHOWN: usize = 8;

/// One of the two ways of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Towards the home.
    Down,
    /// Away from it.
    Up,
}

/// Conditions of a line over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    from: Arc<[Span]>,
    round: Span,
    columns: [Option<Arc<[f64]>>; 4],
}

/// What is wrong with a text of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionsError {
    /// The line at fault, counted from 1, where one is.
    pub line: Option<usize>,
    /// Its column, where one is.
    pub column: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl ConditionsError {
    fn new(line: Option<usize>, column: Option<&str>, reason: impl Into<String>) -> Self {
        Self { line, column: column.map(ToOwned::to_owned), reason: reason.into() }
    }
}

impl Conditions {
    /// Reads a text.
    ///
    /// # Errors
    /// The first line and column that are not legal.
    pub fn parse(text: &str) -> Result<Self, ConditionsError> {
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let mut lines = lines.map(|(index, line)| (index + 1, line.trim()));
        let mut lines = lines.by_ref().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some((number, header)) = lines.next() else {
            return Err(ConditionsError::new(None, None, "there is no line with the names of the columns"));
        };
        let places = places_of(number, header)?;
        let width = header.split(',').count();
        let mut from: Vec<Span> = Vec::new();
        let mut columns: [Vec<f64>; 4] = Default::default();
        for (number, line) in lines {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != width {
                let reason = format!("{} values under {width} columns", cells.len());
                return Err(ConditionsError::new(Some(number), None, reason));
            }
            let t_s = value(number, TIME, cells[places[0].unwrap_or_default()], LATEST_S)?;
            from.push(instant(number, t_s, from.last())?);
            for (column, (name, most)) in COLUMNS.into_iter().enumerate() {
                if let Some(place) = places[column + 1] {
                    columns[column].push(value(number, name, cells[place], most)?);
                }
            }
        }
        let Some(&last) = from.last() else {
            return Err(ConditionsError::new(None, None, "there is no row below the names of the columns"));
        };
        let before = from.len().checked_sub(2).map_or(Span::ZERO, |place| from[place]);
        let step = if from.len() > 1 { last - before } else { Span::from_seconds(1.0) };
        let columns = columns.map(|values| (!values.is_empty()).then(|| values.into()));
        Ok(Self { from: from.into(), round: last + step, columns })
    }

    fn steps(&self, column: usize, repeats: bool) -> Option<Steps<f64>> {
        let values = self.columns[column].clone()?;
        Some(Steps::new(self.from.clone(), values, self.round, repeats))
    }

    /// The rates of one way in bits per second, where there is a column of them; 0 while nothing passes.
    #[must_use]
    pub fn rates(&self, way: Way, repeats: bool) -> Option<Steps<u64>> {
        let steps = self.steps(way as usize, repeats)?;
        Some(steps.map(|mbps| if mbps > 0.0 { (mbps * 1e6).round().max(1.0) as u64 } else { 0 }))
    }

    /// Half of the round trip, where there is a column of it: the delay of each way.
    #[must_use]
    pub fn delays(&self, repeats: bool) -> Option<Steps<Span>> {
        Some(self.steps(2, repeats)?.map(|ms| Span::from_seconds(ms / 2e3)))
    }

    /// Probabilities of loss, each way alike, where there is a column of them.
    #[must_use]
    pub fn losses(&self, repeats: bool) -> Option<Steps<f64>> {
        Some(self.steps(3, repeats)?.map(|percent| percent / 100.0))
    }
}

/// The mean of rates that vary in steps; none where nothing ever passes.
#[must_use]
pub fn mean_rate(rates: &Steps<u64>) -> Option<Rate> {
    let bits = rates.mean(|own| own as f64).round();
    (bits >= 1.0).then(|| Rate::from_bits_per_second(bits as u64))
}

/// Where the instants and each of [`COLUMNS`] stand in a row.
fn places_of(number: usize, header: &str) -> Result<[Option<usize>; 5], ConditionsError> {
    let refuse = |what: &str| {
        let reason = format!("{what}; found: {}", names_in(header));
        Err(ConditionsError::new(Some(number), None, reason))
    };
    for (separator, called) in [(';', "semicolons"), ('\t', "tabs")] {
        if header.contains(separator) {
            return refuse(&format!("the columns are separated by {called}, not by commas"));
        }
    }
    let mut places = [None; 5];
    for (place, name) in header.split(',').map(str::trim).enumerate() {
        let known = COLUMNS.iter().position(|(own, _)| *own == name).map(|column| column + 1);
        let Some(column) = known.or_else(|| (name == TIME).then_some(0)) else {
            return refuse(&format!("no column is called \"{}\"", beginning(name)));
        };
        if places[column].replace(place).is_some() {
            let reason = "the column stands there twice".to_owned();
            return Err(ConditionsError::new(Some(number), Some(name), reason));
        }
    }
    if places[0].is_none() {
        return refuse(&format!("there is no column {TIME}"));
    }
    if places[1..].iter().all(Option::is_none) {
        return refuse(&format!("there is no column beside {TIME}"));
    }
    Ok(places)
}

/// The names of the columns that a text has.
fn names_in(header: &str) -> String {
    let names: Vec<String> = header.split([',', ';', '\t']).map(|name| beginning(name.trim())).collect();
    match names.len().checked_sub(MOST_SHOWN) {
        Some(more @ 1..) => format!("{} and {more} more", names[..MOST_SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

/// As much of a cell as a message has room for.
fn beginning(cell: &str) -> String {
    cell.chars().take(20).collect()
}

fn value(number: usize, column: &str, cell: &str, most: f64) -> Result<f64, ConditionsError> {
    let refuse = |reason| ConditionsError::new(Some(number), Some(column), reason);
    let shown = beginning(cell);
    let value: f64 = cell.parse().map_err(|_| refuse(format!("expected a number, found \"{shown}\"")))?;
    if !(0.0..=most).contains(&value) {
        return Err(refuse(format!("{shown} is not from 0 to {most}")));
    }
    Ok(value)
}

fn instant(number: usize, t_s: f64, last: Option<&Span>) -> Result<Span, ConditionsError> {
    let refuse = |reason| Err(ConditionsError::new(Some(number), Some(TIME), reason));
    let instant = Span::from_seconds(t_s);
    match last {
        None if instant > Span::ZERO => refuse(format!("the first row begins at {t_s}, and not at 0")),
        Some(&last) if instant <= last => refuse(format!("{t_s} behind {}", last.seconds())),
        _ => Ok(instant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_until_the_next_and_the_last_as_long_as_the_one_before() {
        let text = "t_s, down_mbps, rtt_ms, loss_percent\n# measured on a Sunday\n0, 10, 40, 0\n2, 4, 60, 5\r\n\n3.5,0,80,1\n";
        let conditions = Conditions::parse(text).unwrap();
        let rates = conditions.rates(Way::Down, true).unwrap();
        assert_eq!(rates.values(), [10_000_000, 4_000_000, 0]);
        // 2 s of 10, 1.5 s of 4 and 1.5 s of nothing: 26 Mbit in 5 s.
        assert_eq!(mean_rate(&rates), Some(Rate::from_bits_per_second(5_200_000)));
        assert_eq!(conditions.rates(Way::Up, true), None);
        assert_eq!(conditions.delays(true).unwrap().values()[1], Span::from_milliseconds(30));
        assert_eq!(conditions.losses(true).unwrap().values(), [0.0, 0.05, 0.01]);
    }

    #[test]
    fn what_is_not_legal_is_refused_with_its_line_and_column() {
        let said = |text| {
            let ConditionsError { line, column, reason } = Conditions::parse(text).unwrap_err();
            (line.unwrap_or(0), column.unwrap_or_default(), reason)
        };
        let expected = |line, column: &str, reason: &str| (line, column.to_owned(), reason.to_owned());
        assert_eq!(said(""), expected(0, "", "there is no line with the names of the columns"));
        for (text, what) in [
            ("t_s,down\n0,1\n", "no column is called \"down\"; found: t_s, down"),
            ("down_mbps\n1\n", "there is no column t_s; found: down_mbps"),
            ("t_s\n0\n", "there is no column beside t_s; found: t_s"),
            (
                "t_s; rtt_ms\n0;4\n",
                "the columns are separated by semicolons, not by commas; found: t_s, rtt_ms",
            ),
            ("t_s\trtt_ms\n0\t4\n", "the columns are separated by tabs, not by commas; found: t_s, rtt_ms"),
            ("a,b,c,d,e,f,g,h,i,j\n", "no column is called \"a\"; found: a, b, c, d, e, f, g, h and 2 more"),
            ("a,b,c,d,e,f,g,h\n", "no column is called \"a\"; found: a, b, c, d, e, f, g, h"),
        ] {
            assert_eq!(said(text), expected(1, "", what));
        }
        assert_eq!(said("t_s,rtt_ms,rtt_ms\n"), expected(1, "rtt_ms", "the column stands there twice"));
        assert_eq!(said("t_s,rtt_ms\n"), expected(0, "", "there is no row below the names of the columns"));
        assert_eq!(said("t_s,rtt_ms\n0,4,1\n"), expected(2, "", "3 values under 2 columns"));
        assert_eq!(said("t_s,rtt_ms\n0,4\n1,x\n"), expected(3, "rtt_ms", "expected a number, found \"x\""));
        assert_eq!(said("t_s,rtt_ms\n0,-4\n"), expected(2, "rtt_ms", "-4 is not from 0 to 200000"));
        assert_eq!(said("t_s,rtt_ms\n0,nan\n"), expected(2, "rtt_ms", "nan is not from 0 to 200000"));
        assert_eq!(
            said("t_s,loss_percent\n0,101\n"),
            expected(2, "loss_percent", "101 is not from 0 to 100")
        );
        assert_eq!(said("t_s,rtt_ms\n1,4\n"), expected(2, "t_s", "the first row begins at 1, and not at 0"));
        assert_eq!(said("t_s,rtt_ms\n0,4\n2,4\n2,5\n"), expected(4, "t_s", "2 behind 2"));
    }
}
