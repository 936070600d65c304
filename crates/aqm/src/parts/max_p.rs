//! Adaptive RED's control of `max_p`.

use crate::parameter_error::{ParameterError, require, require_not_negative, require_share};
use crate::parts::RedCurve;
use aqmlab_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of `max_p` below which adaptation takes no further step down: a number, or the word
/// "from_link_rate".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "bottom: expected a number from 0 to 1, or \"from_link_rate\"")]
pub enum Bottom {
    /// The value itself.
    Fixed(f64),
    /// 80 000 bit/s over the link rate, at most 0.01: one signal per window of 1000-byte packets and 100 ms
    /// (ns-2 since June 2004).
    FromLinkRate(Word),
}

/// The one word that may stand for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Derived from the rate of the link.
    FromLinkRate,
}

impl Bottom {
    /// The value at a link of this rate.
    #[must_use]
    pub fn value(&self, link_rate: Rate) -> f64 {
        match *self {
            Self::Fixed(bottom) => bottom,
            Self::FromLinkRate(Word::FromLinkRate) => {
                (80_000.0 / link_rate.bits_per_second() as f64).min(0.01)
            }
        }
    }
}

/// The steps of `max_p`: additive up, multiplicative down, towards an average in the middle fifth between the
/// thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptMaxP {
    /// Largest step up.
    pub alpha: f64,
    /// Factor of a step down.
    pub beta: f64,
    /// No step up from here on.
    pub top: f64,
    /// No step down from here on.
    pub bottom: f64,
}

impl AdaptMaxP {
    /// `max_p` after a step, or none when the average is where it shall be or `max_p` is at its bound. Only
    /// the value before the step is compared with the bounds, so the last step may pass them.
    #[must_use]
    pub fn step(&self, average: f64, curve: &RedCurve) -> Option<f64> {
        let (min_th, max_th, max_p) = (curve.min_th(), curve.max_th(), curve.max_p());
        let margin = 0.4 * (max_th - min_th);
        if average < min_th + margin && max_p > self.bottom {
            Some(max_p * self.beta)
        } else if average > max_th - margin && max_p < self.top {
            Some(max_p + self.alpha.min(max_p / 4.0))
        } else {
            None
        }
    }

    /// Checks the settings, with the bottom as the scenario gives it.
    pub(crate) fn validate(&self, bottom: Bottom) -> Result<(), ParameterError> {
        require_not_negative("alpha", self.alpha)?;
        require_share("beta", self.beta)?;
        // Beyond top a step may add a quarter: max_p has to stay a probability.
        require(
            self.top > 0.0 && self.top + self.alpha.min(self.top / 4.0) <= 1.0,
            "top",
            self.top,
            "above 0, and at most 1 after one more step of alpha",
        )?;
        if let Bottom::Fixed(bottom) = bottom {
            require(
                (0.0..self.top).contains(&bottom),
                "bottom",
                bottom,
                format!("0 or above, and below top ({})", self.top),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: AdaptMaxP = AdaptMaxP { alpha: 0.01, beta: 0.9, top: 0.5, bottom: 0.01 };

    /// `max_p` after each step at a constant average, until no step is taken.
    fn walk(start: f64, average: f64) -> Vec<f64> {
        let mut curve = RedCurve::new(5.0, 15.0, start);
        std::iter::from_fn(|| {
            let max_p = PAPER.step(average, &curve)?;
            curve.set_max_p(max_p);
            Some(max_p)
        })
        .collect()
    }

    #[test]
    fn five_steps_from_one_in_ten() {
        assert!((walk(0.1, 14.0)[4] - 0.15).abs() < 1e-12);
        assert!((walk(0.1, 6.0)[4] - 0.059049).abs() < 1e-12);
    }

    #[test]
    fn the_whole_way_up_takes_53_steps_and_down_38() {
        let up = walk(0.01, 14.0);
        assert_eq!(up.len(), 53);
        assert!(up[51] < 0.5 && up[52] >= 0.5);
        let down = walk(0.5, 6.0);
        assert_eq!(down.len(), 38);
        assert!(down[36] > 0.01 && down[37] <= 0.01);
    }

    #[test]
    fn at_either_bound_no_step_is_taken_towards_it() {
        // As in its authors' ns-2 code: up below top alone, down above bottom alone.
        assert_eq!(PAPER.step(14.0, &RedCurve::new(5.0, 15.0, 0.5)), None);
        assert_eq!(PAPER.step(6.0, &RedCurve::new(5.0, 15.0, 0.01)), None);
        assert_eq!(PAPER.step(6.0, &RedCurve::new(5.0, 15.0, 0.5)), Some(0.45));
    }

    #[test]
    fn the_target_is_the_middle_fifth() {
        // 5 + 0.4·10 = 9 to 15 − 0.4·10 = 11.
        let curve = RedCurve::new(5.0, 15.0, 0.1);
        assert!(PAPER.step(8.999, &curve) < Some(0.1) && PAPER.step(11.001, &curve) > Some(0.1));
        for average in [9.0, 10.0, 11.0] {
            assert_eq!(PAPER.step(average, &curve), None);
        }
    }

    #[test]
    fn the_automatic_bottom_is_one_signal_per_window() {
        let automatic = Bottom::FromLinkRate(Word::FromLinkRate);
        assert_eq!(automatic.value(Rate::from_megabits_per_second(100.0)), 8e-4);
        assert_eq!(automatic.value(Rate::from_megabits_per_second(1.0)), 0.01);
    }
}
