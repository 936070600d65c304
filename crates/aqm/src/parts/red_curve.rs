//! RED's base probability as a function of the average queue.

/// Where an average lies on the curve, with the base probability there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Below `min_th`: nothing is signalled.
    Below,
    /// From `min_th` to `max_th`, with `p_b` from 0 to `max_p`.
    Between(f64),
    /// From `max_th` to twice `max_th` on a gentle curve, with `p_b` from `max_p` to 1.
    Gentle(f64),
    /// Above: every packet is selected.
    Above,
}

impl Region {
    /// The base probability.
    #[must_use]
    #[inline]
    pub const fn probability(self) -> f64 {
        match self {
            Self::Below => 0.0,
            Self::Between(probability) | Self::Gentle(probability) => probability,
            Self::Above => 1.0,
        }
    }
}

/// The curve: zero, a rise to `max_p`, then a step to one, or (gentle) a second rise to one at twice
/// `max_th`.
#[derive(Clone, Copy, Debug)]
pub struct RedCurve {
    min_th: f64,
    max_th: f64,
    max_p: f64,
    /// Probability per packet of the first rise.
    slope: f64,
    gentle: Option<GentleRise>,
}

/// The second rise, with the probability from which it starts.
#[derive(Clone, Copy, Debug)]
struct GentleRise {
    from: f64,
    slope: f64,
    frozen: bool,
}

impl RedCurve {
    /// A curve with its thresholds in packets, `0 ≤ min_th < max_th`, and `max_p` above 0 and at most 1.
    #[must_use]
    pub fn new(min_th: f64, max_th: f64, max_p: f64) -> Self {
        assert!(0.0 <= min_th && min_th < max_th, "not thresholds: {min_th}, {max_th}");
        let mut curve = Self { min_th, max_th, max_p, slope: 0.0, gentle: None };
        curve.set_max_p(max_p);
        curve
    }

    /// The same curve with a gentle rise. A frozen one keeps starting from the present `max_p` when
    /// [`RedCurve::set_max_p`] changes it, as in ns-2 and ns-3: the curve then jumps at `max_th`.
    #[must_use]
    pub fn gentle(self, frozen: bool) -> Self {
        Self { gentle: Some(self.gentle_rise(frozen)), ..self }
    }

    fn gentle_rise(&self, frozen: bool) -> GentleRise {
        GentleRise { from: self.max_p, slope: (1.0 - self.max_p) / self.max_th, frozen }
    }

    /// Changes `max_p`.
    pub fn set_max_p(&mut self, max_p: f64) {
        self.max_p = max_p;
        self.slope = max_p / (self.max_th - self.min_th);
        if let Some(GentleRise { frozen: false, .. }) = self.gentle {
            self.gentle = Some(self.gentle_rise(false));
        }
    }

    /// The base probability reached at `max_th`.
    #[must_use]
    pub const fn max_p(&self) -> f64 {
        self.max_p
    }

    /// The lower threshold, in packets.
    #[must_use]
    pub const fn min_th(&self) -> f64 {
        self.min_th
    }

    /// The upper threshold, in packets.
    #[must_use]
    pub const fn max_th(&self) -> f64 {
        self.max_th
    }

    /// Where `average` lies.
    #[must_use]
    #[inline]
    pub fn region(&self, average: f64) -> Region {
        if average < self.min_th {
            return Region::Below;
        }
        if average < self.max_th {
            return Region::Between(self.slope * (average - self.min_th));
        }
        match self.gentle {
            Some(GentleRise { from, slope, .. }) if average < 2.0 * self.max_th => {
                Region::Gentle(from + slope * (average - self.max_th))
            }
            _ => Region::Above,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-12
    }

    #[test]
    fn worked_points_of_the_curve() {
        let steep = RedCurve::new(30.0, 90.0, 0.1);
        let gentle = steep.gentle(false);
        for (average, expected) in [(29.99, 0.0), (30.0, 0.0), (45.0, 0.025), (60.0, 0.05), (75.0, 0.075)] {
            assert!(close(steep.region(average).probability(), expected), "{average}");
            assert!(close(gentle.region(average).probability(), expected), "{average}");
        }
        assert_eq!(steep.region(90.0), Region::Above);
        for (average, expected) in [(90.0, 0.1), (100.0, 0.2), (135.0, 0.55)] {
            assert!(matches!(gentle.region(average), Region::Gentle(p) if close(p, expected)), "{average}");
        }
        assert_eq!(gentle.region(180.0), Region::Above);
        // Chung et al.: 50/300/0.15.
        let sfa = RedCurve::new(50.0, 300.0, 0.15).gentle(false);
        assert!(close(sfa.region(450.0).probability(), 0.575));
        assert!((sfa.region(500.0).probability() - 0.717).abs() < 5e-4);
    }

    #[test]
    fn the_gentle_rise_follows_max_p_unless_frozen() {
        let mut follows = RedCurve::new(5.0, 15.0, 0.1).gentle(false);
        let mut frozen = RedCurve::new(5.0, 15.0, 0.1).gentle(true);
        follows.set_max_p(0.5);
        frozen.set_max_p(0.5);
        assert_eq!(follows.region(15.0), Region::Gentle(0.5));
        assert_eq!(frozen.region(15.0), Region::Gentle(0.1));
        assert!(close(frozen.region(10.0).probability(), 0.25), "the first rise follows in both");
    }
}
