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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// JSON Schema draft 2020-12, section 6.2: bounds, included or not; and what a number type holds.
    #[test]
    fn bounds_are_told_as_they_are_checked() {
        let cases = [
            (json!({}), "a number", vec![-1e300, 0.0, 1e300], vec![]),
            (json!({"minimum": 1, "maximum": 255}), "1 to 255", vec![1.0, 255.0], vec![0.9, 255.1]),
            (
                json!({"exclusiveMinimum": 0, "maximum": 1}),
                "above 0 and at most 1",
                vec![0.1, 1.0],
                vec![0.0, 1.1],
            ),
            (json!({"exclusiveMaximum": 2}), "below 2", vec![-5.0, 1.9], vec![2.0]),
            (json!({"minimum": 3}), "at least 3", vec![3.0, 1e9], vec![2.9]),
            (json!({"format": "uint8", "minimum": 0}), "0 to 255", vec![0.0, 255.0], vec![-1.0, 256.0]),
            (json!({"format": "uint64", "minimum": 2}), "at least 2", vec![2.0, 1e18], vec![1.0, 1e20]),
        ];
        for (schema, words, legal, illegal) in cases {
            let range = NumberRange::of(&schema);
            assert_eq!(range.to_string(), words);
            assert!(legal.iter().all(|&number| range.contains(number)), "{words}: {legal:?}");
            assert!(!illegal.iter().any(|&number| range.contains(number)), "{words}: {illegal:?}");
        }
    }

    #[test]
    fn what_an_integer_holds_by_itself_is_not_declared() {
        let declared = |schema| NumberRange::declared(&schema).map(|range| range.to_string());
        assert_eq!(declared(json!({"format": "uint16", "minimum": 0})), None);
        assert_eq!(declared(json!({})), None);
        assert_eq!(declared(json!({"format": "uint16", "minimum": 1})), Some("1 to 65535".to_owned()));
    }
}
