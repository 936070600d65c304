//! What is wrong with a scenario, in words for the person who wrote it.

use std::fmt::{self, Write as _};

/// So many mistakes are told at once.
const MOST_TOLD: usize = 20;

/// A part of a mistake, such as a name that somebody gave, is told up to so many characters.
const LONGEST_TOLD: usize = 1000;

/// An override, which may set a whole table, is told up to so many characters: each of its mistakes repeats
/// it.
const LONGEST_OVERRIDE: usize = 200;

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
    /// The key path, such as `dumbbell.queue`; empty for the whole scenario. Of a key that is missing, or
    /// unknown, its table.
    pub key: String,
    /// The key that the table lacks, where that is the mistake.
    pub missing: Option<String>,
    /// The value or name that was given, where it is a single one.
    pub value: Option<serde_json::Value>,
    /// What was wrong.
    pub wrong: String,
    /// What would be legal, where that can be said.
    pub legal: Option<Legal>,
    /// The legal name most like the one that was given, where one is like it.
    pub nearest: Option<String>,
}

/// What would be legal, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Legal {
    /// The values: a range, or names separated by commas.
    Values(String),
    /// The keys of the table.
    Keys(String),
    /// What to do about it.
    Remedy(String),
}

impl Legal {
    /// The words alone.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Values(words) | Self::Keys(words) | Self::Remedy(words) => words,
        }
    }
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(words) => write!(f, "legal: {words}"),
            Self::Keys(words) => write!(f, "legal keys: {words}"),
            Self::Remedy(words) => f.write_str(words),
        }
    }
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

    /// The mistakes that the message tells, a line each: a slip that stands in every element of a list is
    /// soon told.
    #[must_use]
    pub fn told(&self) -> &[Mistake] {
        &self.mistakes[..self.mistakes.len().min(MOST_TOLD)]
    }

    /// The last line of the message, where there are more mistakes than it tells.
    #[must_use]
    pub fn untold(&self) -> Option<String> {
        let more = self.mistakes.len() - self.told().len();
        (more > 0).then(|| format!("and {more} more mistakes"))
    }
}

impl fmt::Display for ScenarioError {
    /// One line per mistake, for the first of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.told().iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            mistake.fmt(f)?;
        }
        self.untold().map_or(Ok(()), |untold| write!(f, "\n{untold}"))
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for Mistake {
    /// `file:line: key path: what is wrong; legal: ...; did you mean "..."?` An override stands in place of
    /// file and line as it was given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => write_plainly(f, &format!("{}: ", self.source_name))?,
            Place::Line(line) => write_plainly(f, &format!("{}:{line}: ", self.source_name))?,
            Place::Column(line, column) => {
                write_plainly(f, &format!("{}:{line}:{column}: ", self.source_name))?;
            }
            Place::Override(given) => {
                write_up_to(f, given, LONGEST_OVERRIDE)?;
                f.write_str(": ")?;
            }
        }
        write!(f, "{}", self.sentence())
    }
}

impl Mistake {
    /// What is wrong, without the place in the source: `key path: what is wrong; legal: ...; did you mean
    /// "..."?`
    #[must_use]
    pub const fn sentence(&self) -> impl fmt::Display + '_ {
        Sentence(self)
    }
}

struct Sentence<'a>(&'a Mistake);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mistake { key, wrong, legal, nearest, .. } = self.0;
        if !key.is_empty() {
            write_plainly(f, &format!("{key}: "))?;
        }
        write_plainly(f, wrong)?;
        if let Some(legal) = legal {
            write_plainly(f, &format!("; {legal}"))?;
        }
        if let Some(nearest) = nearest {
            write_plainly(f, &format!("; did you mean \"{nearest}\"?"))?;
        }
        Ok(())
    }
}

/// Writes text that may quote what a person wrote: what would steer a terminal is written out, what is
/// endless cut.
fn write_plainly(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write_up_to(f, text, LONGEST_TOLD)
}

/// The same, cut behind so many characters.
fn write_up_to(f: &mut fmt::Formatter<'_>, text: &str, longest: usize) -> fmt::Result {
    let mut characters = text.chars();
    characters.by_ref().take(longest).try_for_each(|one| {
        if one.is_control() && one != '\n' {
            write!(f, "{}", one.escape_unicode())
        } else {
            f.write_char(one)
        }
    })?;
    if characters.next().is_some() { f.write_str("...") } else { Ok(()) }
}
