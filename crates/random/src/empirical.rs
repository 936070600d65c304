//! Measured distributions.

use std::fmt;

/// How a value between two knots of a table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The knot at or above the drawn share: only listed values occur.
    Step,
    /// Linear between the knots.
    Linear,
}

/// A distribution given by knots (value, cumulative share), the share ending at 1.
#[derive(Clone, Debug, PartialEq)]
pub struct EmpiricalTable {
    values: Vec<f64>,
    cumulative: Vec<f64>,
    interpolation: Interpolation,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableError {
    /// There is no knot.
    Empty,
    /// A line is not two numbers (line counted from 1).
    NotTwoNumbers {
        /// Line of the file, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A value is negative, or a share lies outside [0, 1], or one of them decreases.
    NotIncreasing {
        /// Knot, counted from 1.
        knot: usize,
    },
    /// The last cumulative share is not 1.
    DoesNotEndAtOne {
        /// The last share.
        last: f64,
    },
}

impl EmpiricalTable {
    /// A table from knots of (value, cumulative share).
    ///
    /// # Errors
    /// [`TableError`] when there is no knot, a value is negative, a value or share decreases, or the last
    /// share differs from 1 by more than 10⁻⁶.
    pub fn new(knots: &[(f64, f64)], interpolation: Interpolation) -> Result<Self, TableError> {
        let last = knots.last().ok_or(TableError::Empty)?.1;
        let mut previous = (0.0, 0.0);
        for (index, &(value, share)) in knots.iter().enumerate() {
            let ordered = value >= previous.0 && share >= previous.1 && share <= 1.0 + 1e-6;
            if !ordered {
                return Err(TableError::NotIncreasing { knot: index + 1 });
            }
            previous = (value, share);
        }
        if (last - 1.0).abs() > 1e-6 {
            return Err(TableError::DoesNotEndAtOne { last });
        }
        let values = knots.iter().map(|knot| knot.0).collect();
        let cumulative = knots.iter().map(|knot| knot.1).collect();
        Ok(Self { values, cumulative, interpolation })
    }

    /// A table from the text of a file of two columns, value and cumulative share, or of three as ns-2 writes
    /// them, with a count between them that is passed over; separated by blanks or a comma. Empty lines and
    /// lines that begin with `#` are skipped. Values may repeat shares and the reverse.
    ///
    /// # Errors
    /// [`TableError`], naming the line.
    pub fn parse(text: &str, interpolation: Interpolation) -> Result<Self, TableError> {
        Self::new(&knots(text)?, interpolation)
    }

    /// As [`EmpiricalTable::parse`], of a file that says itself how it is meant: where the first share is 0
    /// the values between the knots occur, from the first one on, which as a step never would; else listed
    /// values alone.
    ///
    /// # Errors
    /// [`TableError`], naming the line.
    pub fn parse_as_meant(text: &str) -> Result<Self, TableError> {
        let knots = knots(text)?;
        let linear = knots.first().is_some_and(|&(_, share)| share == 0.0);
        Self::new(&knots, if linear { Interpolation::Linear } else { Interpolation::Step })
    }

    /// The value below which a share `u` lies.
    #[must_use]
    pub fn quantile(&self, u: f64) -> f64 {
        let knot = self.cumulative.partition_point(|&share| share <= u).min(self.values.len() - 1);
        match self.interpolation {
            Interpolation::Step => self.values[knot],
            Interpolation::Linear if knot == 0 => self.values[0],
            Interpolation::Linear => {
                let (low, high) = (self.cumulative[knot - 1], self.cumulative[knot]);
                let part = if high > low { (u - low) / (high - low) } else { 1.0 };
                self.values[knot - 1] + (self.values[knot] - self.values[knot - 1]) * part
            }
        }
    }

    /// Of a table of steps: up to which share its quantiles lie below `value`, beyond 1 if all do and below 0
    /// if none does. None of a table that is interpolated.
    #[must_use]
    pub fn quantiles_below(&self, value: f64) -> Option<f64> {
        if self.interpolation != Interpolation::Step {
            return None;
        }
        let below = self.values.partition_point(|&knot| knot < value);
        Some(match below {
            0 => -1.0,
            all if all == self.values.len() => f64::INFINITY,
            some => self.cumulative[some - 1],
        })
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let mut sum = self.values[0] * self.cumulative[0];
        for knot in 1..self.values.len() {
            let share = self.cumulative[knot] - self.cumulative[knot - 1];
            sum += share
                * match self.interpolation {
                    Interpolation::Step => self.values[knot],
                    Interpolation::Linear => f64::midpoint(self.values[knot - 1], self.values[knot]),
                };
        }
        sum
    }

    /// The share of values at or below `value`.
    #[must_use]
    pub fn share_at_most(&self, value: f64) -> f64 {
        let listed = self.values.partition_point(|&listed| listed <= value);
        let Some(below) = listed.checked_sub(1) else { return 0.0 };
        let share = self.cumulative[below].min(1.0);
        if self.interpolation == Interpolation::Step || listed == self.values.len() {
            return share;
        }
        let part = (value - self.values[below]) / (self.values[listed] - self.values[below]);
        share + (self.cumulative[listed] - self.cumulative[below]) * part
    }

    /// The lowest share `share` of this table as a distribution of its own: what is left when values above
    /// that quantile are drawn again. The knot that the cut goes through keeps the part of its share below
    /// the cut.
    ///
    /// # Panics
    /// If `share` is not above 0 and at most 1.
    #[must_use]
    pub fn lowest(&self, share: f64) -> Self {
        assert!(share > 0.0 && share <= 1.0, "the lowest {share} of a table is nothing");
        let last = self.cumulative.partition_point(|&cumulative| cumulative < share);
        let last = last.min(self.values.len() - 1);
        let mut cumulative: Vec<f64> = self.cumulative[..last].iter().map(|part| part / share).collect();
        cumulative.push(1.0);
        let mut values = self.values[..=last].to_vec();
        if self.interpolation == Interpolation::Linear {
            values[last] = values[last].min(self.quantile(share));
        }
        Self { values, cumulative, interpolation: self.interpolation }
    }

    /// This table with larger values replaced by `most`.
    #[must_use]
    pub fn clipped(&self, most: f64) -> Self {
        let mut clipped = self.clone();
        let at = self.values.partition_point(|&value| value <= most);
        if self.interpolation == Interpolation::Linear && (1..self.values.len()).contains(&at) {
            clipped.values.insert(at, most);
            clipped.cumulative.insert(at, self.share_at_most(most));
        }
        clipped.values.iter_mut().for_each(|value| *value = value.min(most));
        clipped
    }

    /// This table with smaller values replaced by `least`.
    #[must_use]
    pub fn raised(mut self, least: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value = value.max(least));
        self
    }
}

/// The pairs of value and cumulative share in a text.
fn knots(text: &str) -> Result<Vec<(f64, f64)>, TableError> {
    let mut knots = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = line.split([',', ' ', '\t', ';']).filter(|field| !field.is_empty());
        match fields.map(str::parse).collect::<Result<Vec<f64>, _>>().as_deref() {
            Ok(&[value, share] | &[value, _, share]) => knots.push((value, share)),
            _ => return Err(TableError::NotTwoNumbers { line: index + 1, text: line.to_owned() }),
        }
    }
    Ok(knots)
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the table holds no value"),
            Self::NotTwoNumbers { line, text } => {
                write!(f, "line {line}: expected a value and a cumulative share, found \"{text}\"")
            }
            Self::NotIncreasing { knot } => {
                write!(
                    f,
                    "knot {knot}: values and cumulative shares must not decrease, and shares lie in 0..1"
                )
            }
            Self::DoesNotEndAtOne { last } => write!(f, "the last cumulative share is {last}, it must be 1"),
        }
    }
}

impl std::error::Error for TableError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_know_up_to_which_share_they_lie_below_a_value() {
        let knots = [(1.0, 0.25), (1.0, 0.5), (3.4, 0.5), (4.0, 1.0)];
        let table = EmpiricalTable::new(&knots, Interpolation::Step).unwrap();
        for value in [0.5, 1.0, 1.5, 3.4, 3.5, 4.0, 4.5] {
            let below = table.quantiles_below(value).unwrap();
            for share in [0.0, 0.2, 0.25, 0.3, 0.5, 0.75, 0.999] {
                assert_eq!(share < below, table.quantile(share) < value, "{share} and {value}");
            }
        }
        let line = EmpiricalTable::new(&knots, Interpolation::Linear).unwrap();
        assert_eq!(line.quantiles_below(2.0), None);
    }

    #[test]
    fn steps_give_listed_values_only() {
        let table = EmpiricalTable::parse("1 0.25\n2 0.75\n# the tail\n10,1\n", Interpolation::Step).unwrap();
        assert_eq!(
            [0.0, 0.2, 0.25, 0.7, 0.75, 0.99].map(|u| table.quantile(u)),
            [1.0, 1.0, 2.0, 2.0, 10.0, 10.0]
        );
        assert!((table.mean() - (0.25 + 1.0 + 2.5)).abs() < 1e-12);
    }

    #[test]
    fn lines_run_between_the_knots() {
        let table =
            EmpiricalTable::new(&[(0.0, 0.0), (10.0, 0.5), (20.0, 1.0)], Interpolation::Linear).unwrap();
        assert!((table.quantile(0.25) - 5.0).abs() < 1e-12 && (table.mean() - 10.0).abs() < 1e-12);
    }

    /// The first knot of a linear table is where its values begin, and of a table of steps one of them.
    #[test]
    fn a_file_that_begins_with_the_share_0_is_meant_linear() {
        let line = EmpiricalTable::parse_as_meant("0 0\n10 4 0.5\n20 9 1\n").unwrap();
        assert_eq!([0.0, 0.25, 0.5, 0.75].map(|share| line.quantile(share)), [0.0, 5.0, 10.0, 15.0]);
        let steps = EmpiricalTable::parse_as_meant("10 0.5\n20 1\n").unwrap();
        assert_eq!([0.0, 0.25, 0.5, 0.75].map(|share| steps.quantile(share)), [10.0, 10.0, 20.0, 20.0]);
        // A jump: half of the values are 1, the others lie evenly between 1 and 3.
        let jump = EmpiricalTable::parse_as_meant("1 0\n1 0.5\n3 1\n").unwrap();
        assert_eq!([0.1, 0.49, 0.75].map(|share| jump.quantile(share)), [1.0, 1.0, 2.0]);
        assert!((jump.mean() - 1.5).abs() < 1e-12);
    }

    /// Uniform from 0 to 20, by its closed forms.
    #[test]
    fn a_cut_line_is_the_lower_part_alone_or_with_its_excess_at_the_cut() {
        let line = EmpiricalTable::parse_as_meant("0 0\n10 0.5\n20 1\n").unwrap();
        for (value, share) in [(-1.0, 0.0), (0.0, 0.0), (5.0, 0.25), (15.0, 0.75), (20.0, 1.0), (30.0, 1.0)] {
            assert!((line.share_at_most(value) - share).abs() < 1e-12, "{value}");
        }
        // Redrawn above 15: uniform from 0 to 15, of mean 7.5.
        let lowest = line.lowest(0.75);
        assert!((lowest.mean() - 7.5).abs() < 1e-12 && (lowest.quantile(0.5) - 7.5).abs() < 1e-12);
        assert_eq!(line.lowest(1.0), line);
        // A quarter at 15, three quarters uniform below: 0.75 * 7.5 + 0.25 * 15.
        let clipped = line.clipped(15.0);
        assert!((clipped.mean() - 9.375).abs() < 1e-12 && (clipped.quantile(0.9) - 15.0).abs() < 1e-12);
        assert_eq!((line.clipped(20.0), line.clipped(99.0)), (line.clone(), line.clone()));
        assert!((line.raised(1.0).quantile(0.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_cut_table_is_the_lower_part_alone_or_with_its_excess_at_the_cut() {
        let table = EmpiricalTable::parse("1 0.2\n2 0.6\n10 1\n", Interpolation::Step).unwrap();
        assert_eq!([0.5, 1.0, 9.0, 10.0].map(|value| table.share_at_most(value)), [0.0, 0.2, 0.6, 1.0]);
        // A fifth of ones and two of twos, out of three.
        assert!((table.lowest(0.6).mean() - 5.0 / 3.0).abs() < 1e-12);
        // Half of the tens: (0.2 + 0.8 + 2)/0.8.
        assert!((table.lowest(0.8).mean() - 3.75).abs() < 1e-12);
        assert_eq!(table.lowest(1.0), table);
        assert!((table.clipped(4.0).mean() - (0.2 + 0.8 + 1.6)).abs() < 1e-12);
    }

    #[test]
    fn a_wrong_table_says_where() {
        let error = |text| EmpiricalTable::parse(text, Interpolation::Step).unwrap_err().to_string();
        assert_eq!(error(""), "the table holds no value");
        assert_eq!(error("1 0.5\nx 1\n"), "line 2: expected a value and a cumulative share, found \"x 1\"");
        assert!(error("1 0.5\n0.5 1\n").starts_with("knot 2: "));
        assert!(error("1 0.5\n2 0.9\n").contains("0.9, it must be 1"));
    }
}
