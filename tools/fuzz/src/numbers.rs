//! Random numbers for a key: ordinary ones, and the ends of what is legal.

use crate::dice::Dice;
use serde_json::{Value as Json, json};

/// What the schema says of a number.
pub(crate) struct NumberRange {
    pub(crate) whole: bool,
    pub(crate) least: Option<f64>,
    pub(crate) most: Option<f64>,
    pub(crate) default: Option<f64>,
}

/// Ordinary values of keys that have no default, or one from which nothing can be told.
const ORDINARY: &[(&str, f64, f64)] = &[
    ("rate_mbps", 0.1, 1000.0),
    ("uncongested_rate_mbps", 0.1, 1000.0),
    ("delay_ms", 0.01, 50.0),
    ("base_rtt_ms", 0.1, 200.0),
    ("first", 0.1, 200.0),
    ("last", 0.1, 200.0),
    ("limit_bytes", 500.0, 1e6),
    ("window_bytes", 1000.0, 1e6),
    ("maximum_segment_bytes", 100.0, 9000.0),
    ("header_bytes", 40.0, 120.0),
    ("syn_header_bytes", 40.0, 120.0),
    ("initial_rto_ms", 100.0, 6000.0),
    ("minimum_rto_ms", 1.0, 1000.0),
    ("maximum_rto_ms", 1000.0, 100_000.0),
    ("bytes", 1.0, 1e7),
    ("drop", 1.0, 100.0),
    ("loss_probability", 0.001, 0.2),
    ("loss_probability_right_to_left", 0.001, 0.2),
    ("transmit_ring_packets", 1.0, 200.0),
    ("start_spread_s", 0.001, 2.0),
    ("queue_summary_interval_ms", 1.0, 500.0),
    ("scheme_state_interval_ms", 1.0, 500.0),
    ("queue_summary_sample_ms", 0.1, 10.0),
];

/// Where nothing at all is known.
const UNKNOWN: (f64, f64) = (1.0, 500.0);
/// TOML's integers end here.
const LARGEST_WHOLE: f64 = 9.2e18;

impl NumberRange {
    /// A number for `key`. It need not be legal: where the schema has no range, the check may refuse it.
    pub(crate) fn draw(&self, key: &str, dice: &mut Dice) -> Json {
        let number = if dice.is_wild() { self.extreme(dice) } else { self.ordinary(key, dice) };
        self.written(number)
    }

    /// A number as TOML takes it, within the range.
    pub(crate) fn written(&self, number: f64) -> Json {
        let least = self.least.unwrap_or(f64::MIN);
        let most = self.most.unwrap_or(f64::MAX);
        let number = number.clamp(least, most);
        if self.whole { json!(number.round().clamp(0.0, LARGEST_WHOLE) as u64) } else { json!(number) }
    }

    fn extreme(&self, dice: &mut Dice) -> f64 {
        let (least, most) = (self.least.unwrap_or(0.0), self.most.unwrap_or(1e10));
        match dice.between(0, 5) {
            0 | 1 => least,
            2 => most,
            3 => *dice.choose(&[0.0, 1.0, 2.0, 1e-9]),
            _ => dice.logarithmic(least.max(1e-6), most.max(1e-5)),
        }
    }

    fn ordinary(&self, key: &str, dice: &mut Dice) -> f64 {
        let known = ORDINARY.iter().find(|(known, ..)| *known == key).map(|&(_, least, most)| (least, most));
        match (known, self.default) {
            (_, Some(default)) if dice.chance(0.3) => default,
            (Some((least, most)), _) => dice.logarithmic(least, most),
            (None, Some(default)) if default > 0.0 => dice.logarithmic(default / 5.0, default * 5.0),
            (None, _) => dice.logarithmic(UNKNOWN.0, UNKNOWN.1),
        }
    }
}
