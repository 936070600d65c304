//! The linear controller of delay behind PI2 and DualPI2, and coins that fall in turn instead of at random.
//!
//! Source: De Schepper, Briscoe, White, *Dual-Queue Coupled Active Queue Management (AQM) for Low Latency,
//! Low Loss, and Scalable Throughput (L4S)*, RFC 9332 (2023), sections 2.4 and 2.5 and appendix A.1.

/// The base probability p', which moves with the delay's deviation from a target and with its change. Times
/// are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pi2Controller {
    target_s: f64,
    alpha_hz: f64,
    beta_hz: f64,
    /// What p' may become.
    highest: f64,
    base: f64,
    delay_old_s: f64,
}

impl Pi2Controller {
    /// A controller at a base probability of 0, which never exceeds `highest`.
    #[must_use]
    pub const fn new(target_s: f64, alpha_hz: f64, beta_hz: f64, highest: f64) -> Self {
        Self { target_s, alpha_hz, beta_hz, highest, base: 0.0, delay_old_s: 0.0 }
    }

    /// The state of another controller under the settings of this one.
    #[must_use]
    pub const fn continued_from(self, before: &Self) -> Self {
        Self { base: before.base, delay_old_s: before.delay_old_s, ..self }
    }

    /// One update, at which the delay is `delay_s`.
    pub fn update(&mut self, delay_s: f64) {
        let step = self.alpha_hz * (delay_s - self.target_s) + self.beta_hz * (delay_s - self.delay_old_s);
        self.base = (self.base + step).clamp(0.0, self.highest);
        self.delay_old_s = delay_s;
    }

    /// p'.
    #[must_use]
    pub const fn base(&self) -> f64 {
        self.base
    }

    /// The probability for Classic traffic, whose rate falls with the root of it: p'².
    #[must_use]
    pub fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// The probability for scalable traffic, whose rate falls with it: k·p', which may be more than 1.
    #[must_use]
    pub fn coupled(&self, coupling: f64) -> f64 {
        coupling * self.base
    }
}

/// Selects with a likelihood by adding likelihoods up: at random for whoever knows nothing of the sum, and
/// evenly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recurrence {
    sum: f64,
}

impl Recurrence {
    /// Nothing added up yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { sum: 0.0 }
    }

    /// Whether this packet is selected.
    pub fn recurs(&mut self, likelihood: f64) -> bool {
        self.sum += likelihood;
        if self.sum > 1.0 {
            self.sum -= 1.0;
            return true;
        }
        false
    }

    /// The likelihoods since the last selection.
    #[must_use]
    pub const fn sum(&self) -> f64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_update_by_hand() {
        // 0.1 + 0.16·(25 − 15) ms + 3.2·(25 − 20) ms = 0.1176.
        let mut controller = Pi2Controller::new(0.015, 0.16, 3.2, 1.0);
        (controller.base, controller.delay_old_s) = (0.1, 0.020);
        assert!((controller.classic() - 0.01).abs() < 1e-15 && (controller.coupled(2.0) - 0.2).abs() < 1e-15);
        controller.update(0.025);
        assert!((controller.base - 0.1176).abs() < 1e-12, "{}", controller.base);
        (0..10).for_each(|_| controller.update(10.0));
        assert_eq!(controller.base, 1.0);
        (0..100).for_each(|_| controller.update(0.0));
        assert_eq!(controller.base, 0.0);
    }

    #[test]
    fn a_likelihood_of_a_quarter_selects_every_fourth_packet() {
        let mut recurrence = Recurrence::default();
        let selected: Vec<u32> = (1..=16).filter(|_| recurrence.recurs(0.25)).collect();
        // Sums of exactly 1 wait for the next packet.
        assert_eq!(selected, [5, 9, 13]);
    }
}
