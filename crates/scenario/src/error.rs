//! What is wrong with a scenario, in words for the person who wrote it.

use std::fmt;

/// A scenario that was refused: every mistake that was found, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    mistakes: Vec<Mistake>,
}

/// One mistake: where, what, what would be legal, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file or other source, as the caller named it.
    pub source_name: String,
    /// Where in the source.
    pub place: Place,
    /// The key path, such as `dumbbell.queue`; empty for the whole scenario.
    pub key: String,
    /// What was wrong.
    pub wrong: String,
    /// What would be legal, where that can be said.
    pub legal: Option<String>,
    /// The legal name most like the one that was given, where one is like it.
    pub nearest: Option<String>,
}

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Nowhere in particular: the whole source.
    Whole,
    /// A line of the source, counted from 1.
    Line(usize),
    /// A line and a column of the source, both counted from 1.
    Column(usize, usize),
    /// An override, as it was given: `key=value`.
    Override(String),
}

impl ScenarioError {
    /// An error of these mistakes, which are put into the order of the text.
    ///
    /// # Panics
    /// If there is no mistake: then there is no error.
    pub(crate) fn new(mut mistakes: Vec<Mistake>) -> Self {
        assert!(!mistakes.is_empty(), "an error without a mistake");
        mistakes.sort_by(|a, b| a.place.cmp(&b.place));
        Self { mistakes }
    }

    /// The mistakes, at least one.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }
}

impl fmt::Display for ScenarioError {
    /// One line per mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            mistake.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for Mistake {
    /// `file:line: key path: what is wrong; legal: ...; did you mean "..."?`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => write!(f, "{}: ", self.source_name)?,
            Place::Line(line) => write!(f, "{}:{line}: ", self.source_name)?,
            Place::Column(line, column) => write!(f, "{}:{line}:{column}: ", self.source_name)?,
            Place::Override(given) => write!(f, "in --set {given}: ")?,
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.wrong)?;
        if let Some(legal) = &self.legal {
            write!(f, "; {legal}")?;
        }
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean \"{nearest}\"?")?;
        }
        Ok(())
    }
}
