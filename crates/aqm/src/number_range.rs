//! The numbers that a JSON schema allows, in words and as a check.

use serde_json::Value;

/// The numbers that a schema allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberRange {
    least: Bound,
    most: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    None,
    Included(f64),
    Excluded(f64),
    /// What 64 bits hold: checked, and too much to be worth a word.
    Width,
}

impl NumberRange {
    /// Of a JSON schema.
    #[must_use]
    pub fn of(part: &Value) -> Self {
        let number = |keyword: &str| part.get(keyword).and_then(Value::as_f64);
        let bound = |included: &str, excluded: &str| match (number(included), number(excluded)) {
            (_, Some(bound)) => Bound::Excluded(bound),
            (Some(bound), None) => Bound::Included(bound),
            (None, None) => Bound::None,
        };
        let most = match bound("maximum", "exclusiveMaximum") {
            Bound::None => largest_of_format(part),
            given => given,
        };
        Self { least: bound("minimum", "exclusiveMinimum"), most }
    }

    /// Of a JSON schema that declares one: the width of an integer is none.
    #[must_use]
    pub fn declared(part: &Value) -> Option<Self> {
        let range = Self::of(part);
        let width = Self { least: Bound::Included(0.0), most: largest_of_format(part) };
        let any = Self { least: Bound::None, most: Bound::None };
        let is_integer = width.most != Bound::None;
        (range != any && !(is_integer && range == width)).then_some(range)
    }

    /// Whether a number is legal.
    #[must_use]
    pub fn contains(self, number: f64) -> bool {
        let above = match self.least {
            Bound::None | Bound::Width => true,
            Bound::Included(least) => number >= least,
            Bound::Excluded(least) => number > least,
        };
        let below = match self.most {
            Bound::None => true,
            Bound::Included(most) => number <= most,
            Bound::Excluded(most) => number < most,
            Bound::Width => number < u64::MAX as f64,
        };
        above && below
    }
}

/// An integer's own width bounds it where no range is given.
fn largest_of_format(part: &Value) -> Bound {
    match part.get("format").and_then(Value::as_str) {
        Some("uint8") => Bound::Included(f64::from(u8::MAX)),
        Some("uint16") => Bound::Included(f64::from(u16::MAX)),
        Some("uint32") => Bound::Included(f64::from(u32::MAX)),
        Some("uint64" | "uint") => Bound::Width,
        _ => Bound::None,
    }
}

impl std::fmt::Display for NumberRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.least, self.most) {
            (least, Bound::Width) => write_least(f, least),
            (Bound::Included(least), Bound::Included(most)) => write!(f, "{least} to {most}"),
            (Bound::None, Bound::None) => f.write_str("a number"),
            (Bound::None, most) => write_most(f, most),
            (least, Bound::None) => write_least(f, least),
            (least, most) => {
                write_least(f, least)?;
                f.write_str(" and ")?;
                write_most(f, most)
            }
        }
    }
}

fn write_least(f: &mut std::fmt::Formatter<'_>, least: Bound) -> std::fmt::Result {
    match least {
        Bound::None | Bound::Width => Ok(()),
        Bound::Included(least) => write!(f, "at least {least}"),
        Bound::Excluded(least) => write!(f, "above {least}"),
    }
}

fn write_most(f: &mut std::fmt::Formatter<'_>, most: Bound) -> std::fmt::Result {
    match most {
        Bound::None | Bound::Width => Ok(()),
        Bound::Included(most) => write!(f, "at most {most}"),
        Bound::Excluded(most) => write!(f, "below {most}"),
    }
}
