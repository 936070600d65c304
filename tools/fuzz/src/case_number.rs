//! The number of a case: all that is needed to have it again.

use aqmlab_random::Key;
use std::fmt;
use std::str::FromStr;

/// A case by its campaign's seed and its place there; as text `seed:case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseNumber {
    /// Seed of the campaign.
    pub seed: u64,
    /// Number of the case, from 0.
    pub case: u64,
}

impl CaseNumber {
    /// Where the random numbers of the case come from.
    pub(crate) fn key(self) -> Key {
        Key::from_seed(self.seed).named("random network").indexed(self.case)
    }
}

impl fmt::Display for CaseNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seed, self.case)
    }
}

impl FromStr for CaseNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is no case: write seed:case, such as 1:2718");
        let (seed, case) = text.split_once(':').ok_or_else(wrong)?;
        let number = |text: &str| text.parse().map_err(|_| wrong());
        Ok(Self { seed: number(seed)?, case: number(case)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_as_it_is_written() {
        let number = CaseNumber { seed: 1, case: 2718 };
        assert_eq!(number.to_string().parse(), Ok(number));
        assert!("17".parse::<CaseNumber>().unwrap_err().contains("seed:case"));
    }
}
