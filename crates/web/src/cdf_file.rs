//! Laws given by a file of two columns: value and cumulative share.

use crate::FileError;
use aqmlab_random::{EmpiricalTable, Law, TableError};

/// How a model reads a file that its parameters name: path to text, or the reason why not, in words.
///
/// Models do no I/O; the driver lends them this.
pub type LoadFile<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// What such a file must hold.
pub(crate) const LEGAL: &str =
    "lines of a value and its cumulative share, both never decreasing, the last share 1";

/// The last share of a file whose shares are percentages.
const PERCENT: f64 = 100.0;

/// A parameter that may name a CDF file, with the values that make sense in it.
pub(crate) struct CdfFile<'a> {
    pub(crate) key: &'static str,
    pub(crate) path: &'a str,
    pub(crate) minimum: f64,
    pub(crate) maximum: f64,
}

impl CdfFile<'_> {
    /// Reads the law: values between the knots where the first share is 0, and else listed values alone, for
    /// interpolation would invent sizes.
    pub(crate) fn read(&self, load_file: &LoadFile<'_>) -> Result<Law, FileError> {
        let text = load_file(self.path).map_err(|reason| self.error(None, reason))?;
        let table = EmpiricalTable::parse_as_meant(&text)
            .map_err(|error| self.error(line_at_fault(&text, &error), reason(&text, &error)))?;
        self.check_values(&text)?;
        Ok(Law::Empirical(table.raised(self.minimum)))
    }

    fn check_values(&self, text: &str) -> Result<(), FileError> {
        for (line, content) in knots(text) {
            let (value, share) = (number(content.split(SEPARATORS)), number(content.rsplit(SEPARATORS)));
            // From there on values occur, and is none itself.
            if share == 0.0 && (0.0..self.minimum).contains(&value) {
                continue;
            }
            if !(self.minimum..=self.maximum).contains(&value) {
                let reason = format!("value {value}, legal are {} to {}", self.minimum, self.maximum);
                return Err(self.error(Some(line), reason));
            }
        }
        Ok(())
    }

    fn error(&self, line: Option<usize>, reason: String) -> FileError {
        FileError { key: self.key, path: self.path.to_owned(), line, reason, legal: LEGAL }
    }
}

const SEPARATORS: [char; 4] = [',', ' ', '\t', ';'];

/// The first number among these.
fn number<'a>(mut fields: impl Iterator<Item = &'a str>) -> f64 {
    fields.find_map(|field| field.parse().ok()).unwrap_or(f64::NAN)
}

/// The lines that hold knots, numbered from 1 as an editor does.
fn knots(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn line_at_fault(text: &str, error: &TableError) -> Option<usize> {
    match error {
        TableError::Empty => None,
        TableError::NotTwoNumbers { line, .. } => Some(*line),
        TableError::NotIncreasing { knot } => knots(text).nth(knot - 1).map(|(line, _)| line),
        TableError::DoesNotEndAtOne { .. } => knots(text).last().map(|(line, _)| line),
    }
}

/// The table's complaint without its own place: the error names the line already.
fn reason(text: &str, error: &TableError) -> String {
    match error {
        TableError::NotIncreasing { .. } | TableError::DoesNotEndAtOne { .. }
            if knots(text).last().is_some_and(|(_, line)| number(line.rsplit(SEPARATORS)) == PERCENT) =>
        {
            "the last share is 100: these are percentages, to be divided by 100".to_owned()
        }
        TableError::NotTwoNumbers { text, .. } => {
            format!("expected a value and a cumulative share, found \"{text}\"")
        }
        TableError::NotIncreasing { .. } => {
            "values and cumulative shares must not decrease, and shares lie in 0 to 1".to_owned()
        }
        TableError::Empty | TableError::DoesNotEndAtOne { .. } => error.to_string(),
    }
}

/// The law in the file that a parameter names, if it names one; its values lie within these bounds.
pub(crate) fn law_from_file(
    (key, path): (&'static str, &Option<String>),
    (minimum, maximum): (f64, f64),
    load_file: &LoadFile<'_>,
) -> Result<Option<Law>, FileError> {
    path.as_ref().map(|path| CdfFile { key, path, minimum, maximum }.read(load_file)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Law, FileError> {
        let file = CdfFile { key: "response_bytes_cdf_file", path: "sizes.cdf", minimum: 0.0, maximum: 1e12 };
        file.read(&|path| {
            assert_eq!(path, "sizes.cdf");
            Ok(text.to_owned())
        })
    }

    #[test]
    fn a_file_is_a_law_of_its_listed_values() {
        let law = read("# bytes share\n100 0.25\n\n200,0.75\n4000\t1\n").unwrap();
        let drawn = [0.0, 0.24, 0.26, 0.74, 0.76].map(|u| law.quantile(u));
        assert_eq!(drawn, [100.0, 100.0, 200.0, 200.0, 4000.0]);
    }

    /// As the CDFs that go with data-centre papers are written: the values between the lines occur.
    #[test]
    fn a_file_whose_first_share_is_0_is_linear_and_begins_at_what_is_legal() {
        for text in ["0 0\n100 0.5\n300 1\n", "0 1 0\n100 1 0.5\n300 1 1\n"] {
            let law = read(text).unwrap();
            assert_eq!([0.0, 0.25, 0.5, 0.75].map(|u| law.quantile(u)), [0.0, 50.0, 100.0, 200.0], "{text}");
        }
        let counts = CdfFile { key: "servers_per_page_cdf_file", path: "x", minimum: 1.0, maximum: 100.0 };
        let law = counts.read(&|_| Ok("0 0\n3 1\n".to_owned())).unwrap();
        assert_eq!([0.0, 0.5].map(|u| law.quantile(u)), [1.0, 2.0]);
        let refused = counts.read(&|_| Ok("0 0.1\n3 1\n".to_owned())).unwrap_err().to_string();
        assert!(refused.ends_with("line 1: value 0, legal are 1 to 100"), "{refused}");
    }

    #[test]
    fn percentages_are_named() {
        for text in ["0 0\n100 50\n300 100\n", "100 1 0.5\n300 1 100\n"] {
            let said = read(text).unwrap_err().to_string();
            assert!(
                said.ends_with("the last share is 100: these are percentages, to be divided by 100"),
                "{said}"
            );
        }
    }

    #[test]
    fn an_error_names_the_key_the_file_and_the_line() {
        let said = |text: &str| read(text).unwrap_err().to_string();
        let place = "`response_bytes_cdf_file` = \"sizes.cdf\"";
        assert_eq!(
            said("bytes,share\n1,1\n"),
            format!("{place}, line 1: expected a value and a cumulative share, found \"bytes,share\"")
        );
        assert_eq!(
            said("# a comment\n\n5 0.5\n4 1\n"),
            format!(
                "{place}, line 4: values and cumulative shares must not decrease, and shares lie in 0 to 1"
            )
        );
        assert_eq!(
            said("5 0.5\n6 0.75\n# end\n"),
            format!("{place}, line 2: the last cumulative share is 0.75, it must be 1")
        );
        assert_eq!(said("# nothing\n"), format!("{place}: the table holds no value"));
        assert_eq!(
            said("5 0.5\n1e13 1\n"),
            format!("{place}, line 2: value 10000000000000, legal are 0 to 1000000000000")
        );
        assert!(said("5 0.5\ninf 1\n").starts_with(&format!("{place}, line 2: value inf")));
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let file =
            CdfFile { key: "think_time_seconds_cdf_file", path: "gone.cdf", minimum: 0.0, maximum: 1e9 };
        let error = file.read(&|_| Err("no such file".to_owned())).unwrap_err();
        assert_eq!(error.to_string(), "`think_time_seconds_cdf_file` = \"gone.cdf\": no such file");
    }
}
