//! The rate that losses allow (draft-ietf-rmcat-gcc-02, section 6), once a second.
//!
//! ```text
//! lost       more than 10 %     A <- A (1 - 0.5 lost)
//!            less than 2 %      A <- 1.08 A in libwebrtc, 1.05 A in the draft
//!            between            A stays
//! ```
//!
//! The rate is never above the one that the delay allows, so that it need not fall for long when losses come.

use super::RateLimits;
use super::edition::Constants;
use aqmlab_units::{Span, Time};

const INTERVAL: Span = Span::from_milliseconds(1000);
const MANY: f64 = 0.1;
const FEW: f64 = 0.02;

/// The part of the controller that goes by losses.
#[derive(Clone, Debug)]
pub(super) struct LossControl {
    limits: RateLimits,
    growth: f64,
    rate_bps: f64,
    /// Since when packets are counted, those lost and all.
    since: Time,
    lost: usize,
    counted: usize,
}

impl LossControl {
    pub(super) const fn new(start_bps: f64, limits: RateLimits, constants: &Constants) -> Self {
        let growth = constants.growth_without_losses;
        Self { limits, growth, rate_bps: start_bps, since: Time::ZERO, lost: 0, counted: 0 }
    }

    pub(super) const fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// The rate is lowered to a share of it.
    pub(super) fn lower(&mut self, share: f64) {
        self.rate_bps = self.limits.clamp(self.rate_bps * share);
    }

    /// A report has come, of so many packets; and the rate that the delay allows.
    pub(super) fn update(&mut self, now: Time, lost: usize, counted: usize, most_bps: f64) {
        self.lost += lost;
        self.counted += counted;
        if now >= self.since + INTERVAL && self.counted > 0 {
            let share = self.lost as f64 / self.counted as f64;
            let factor = match share {
                share if share > MANY => 1.0 - 0.5 * share,
                share if share < FEW => self.growth,
                _ => 1.0,
            };
            self.rate_bps *= factor;
            (self.since, self.lost, self.counted) = (now, 0, 0);
        }
        self.rate_bps = self.limits.clamp(self.rate_bps.min(most_bps));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google_congestion_control::GccEdition;

    const LIMITS: RateLimits = RateLimits { least_bps: 1e5, greatest_bps: 1e7 };

    /// The rate after a second of reports with so many packets lost in a thousand.
    fn after(edition: GccEdition, lost: usize) -> f64 {
        let mut control = LossControl::new(1e6, LIMITS, &edition.constants());
        control.update(Time::from_seconds(0.5), lost, 400, 2e6);
        assert_eq!(control.rate_bps(), 1e6);
        control.update(Time::from_seconds(1.0), 0, 600, 2e6);
        control.rate_bps()
    }

    #[test]
    fn the_shares_are_those_of_the_draft_and_the_growth_is_of_the_edition() {
        for (edition, grown_bps) in [(GccEdition::Libwebrtc, 1.08e6), (GccEdition::Draft02, 1.05e6)] {
            let rates = [0, 19, 20, 100, 200, 400].map(|lost| after(edition, lost));
            assert_eq!(rates, [grown_bps, grown_bps, 1e6, 1e6, 0.9e6, 0.8e6]);
        }
    }

    #[test]
    fn the_delay_may_allow_less() {
        let mut control = LossControl::new(1e6, LIMITS, &GccEdition::Libwebrtc.constants());
        control.update(Time::from_seconds(2.0), 0, 10, 0.7e6);
        assert_eq!(control.rate_bps(), 0.7e6);
    }
}
