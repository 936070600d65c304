//! Which gains keep an Aggregate Rate Controller stable: its authors' condition on the loop with TCP.
//!
//! Source: Chung, Claypool, Kinicki, *Stochastic Fair Aggregate Rate Control: Practical Traffic Management
//! for Efficient and Robust IP Networking*, Worcester Polytechnic Institute, 2004, section 2, equation (1).

/// The loop: TCP flows, their path, and the controller's target. Capacity is in packets per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcLoop {
    /// Smallest number of TCP flows that is expected.
    pub flows: f64,
    /// Largest round-trip time that is expected, in seconds.
    pub rtt_s: f64,
    /// What the link carries, in packets per second.
    pub packets_per_second: f64,
    /// Share of the capacity that the controller aims at.
    pub utilization: f64,
}

/// Gain margin that is asked for: −6 dB as a factor.
const LARGEST_GAIN: f64 = 0.501_187_233_627_272_2;
/// Phases between which the loop's gain has to pass 1, in degrees.
const SMALLEST_PHASE: f64 = -150.0;
const LARGEST_PHASE: f64 = -120.0;
/// Phase at which a gain of 1 would oscillate for ever.
const CRITICAL_PHASE: f64 = -180.0;

impl ArcLoop {
    /// The gains α per second of measurement interval, α/d_a, under which the loop is stable: all between the
    /// two. None where the lower bound lies above the upper one.
    ///
    /// Phase and gain both fall with the frequency, so that each of the three conditions of equation (1) is
    /// one bound: that on the gain where the phase is −180° from above, those on the phase where the gain is
    /// 1 from either side.
    #[must_use]
    pub fn admissible(&self) -> Option<(f64, f64)> {
        let crossing_at = |degrees: f64| 1.0 / self.gain(self.frequency_of(degrees));
        let lowest = crossing_at(LARGEST_PHASE);
        let highest = crossing_at(SMALLEST_PHASE).min(LARGEST_GAIN * crossing_at(CRITICAL_PHASE));
        (lowest.is_finite() && highest.is_finite() && 0.0 < lowest && lowest < highest)
            .then_some((lowest, highest))
    }

    /// μ of equation (1) as a factor, of a gain of 1 per second, at a frequency in radians per second.
    fn gain(&self, frequency: f64) -> f64 {
        let Self { flows, rtt_s, utilization, .. } = *self;
        let (path, zero) = (self.path(), rtt_s * frequency / (1.0 + utilization));
        let window_pole = rtt_s * path * frequency / (2.0 * flows);
        let queue_pole = rtt_s * frequency;
        path * path * path * (1.0 + utilization) * magnitude(zero)
            / (4.0 * flows * flows * frequency * magnitude(window_pole) * magnitude(queue_pole))
    }

    /// φ of equation (1), in degrees.
    fn phase(&self, frequency: f64) -> f64 {
        let Self { flows, rtt_s, utilization, .. } = *self;
        let lag = rtt_s * frequency;
        let angles = libm::atan(lag / (1.0 + utilization))
            - libm::atan(self.path() * lag / (2.0 * flows))
            - libm::atan(lag)
            - lag;
        angles.to_degrees() - 90.0
    }

    /// Packets on the path at the target: τ·γ·C.
    fn path(&self) -> f64 {
        self.rtt_s * self.utilization * self.packets_per_second
    }

    /// The frequency at which the phase has fallen to so many degrees, by halves on a logarithmic scale.
    fn frequency_of(&self, degrees: f64) -> f64 {
        let (mut low, mut high) = (1e-12 / self.rtt_s, 1e3 / self.rtt_s);
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if self.phase(middle) > degrees { low = middle } else { high = middle }
        }
        (low * high).sqrt()
    }
}

/// The magnitude of 1 + ix.
fn magnitude(x: f64) -> f64 {
    libm::sqrt(x * x + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 10 Mbit/s and 1000-byte packets, for a target of 98 %.
    fn of(flows: f64, rtt_s: f64) -> ArcLoop {
        ArcLoop { flows, rtt_s, packets_per_second: 1250.0, utilization: 0.98 }
    }

    #[test]
    fn the_papers_gain_is_admissible_for_60_to_80_flows_and_not_for_10_or_over_long_paths() {
        const PAPER: f64 = 1.42e-5;
        let holds = |flows, rtt_s| {
            let (low, high) = of(flows, rtt_s).admissible().expect("a range");
            low < PAPER && PAPER < high
        };
        assert!([60.0, 70.0, 80.0].iter().all(|&flows| holds(flows, 0.5)));
        assert!(holds(25.0, 0.3));
        assert!(!holds(10.0, 0.5) && !holds(50.0, 0.5) && !holds(100.0, 0.5) && !holds(100.0, 1.0));
    }

    #[test]
    fn ranges_from_the_loop_in_complex_numbers() {
        // By a separate program, from L(iω) = (γCτ)³(1 + γ)(1 + iωτ/(1 + γ))·e^(−iωτ)/(4N²·iω(1 +
        // iωτ²γC/2N)(1 + iωτ)).
        for (flows, rtt_s, low, high) in [
            (10.0, 0.5, 3.5445505e-08, 1.5114976e-07),
            (50.0, 0.5, 3.4719719e-06, 1.0656343e-05),
            (60.0, 0.5, 5.7063449e-06, 1.6813059e-05),
            (80.0, 0.5, 1.2345859e-05, 3.4216389e-05),
            (100.0, 1.0, 8.6799297e-07, 2.6640857e-06),
            (25.0, 0.3, 5.8351102e-06, 1.8671223e-05),
        ] {
            let found = of(flows, rtt_s).admissible().expect("a range");
            let off = |found: f64, expected: f64| (found / expected - 1.0).abs();
            assert!(off(found.0, low) < 1e-6 && off(found.1, high) < 1e-6, "{flows}, {rtt_s}: {found:?}");
        }
    }

    #[test]
    fn margins_of_the_papers_gain() {
        // Gain and phase margins in dB and degrees: 12.7 and −142.7 for 25 flows over 0.3 s, 7.1 and −158.0
        // for 50 over 0.5 s, 19.8 and −110.2 for 100 over 0.5 s.
        for (flows, rtt_s, margin, phase) in
            [(25.0, 0.3, 12.7, -142.7), (50.0, 0.5, 7.1, -158.0), (100.0, 0.5, 19.8, -110.2)]
        {
            let it = of(flows, rtt_s);
            let decibels = -20.0 * libm::log10(1.42e-5 * it.gain(it.frequency_of(CRITICAL_PHASE)));
            assert!((decibels - margin).abs() < 0.05, "{flows} flows: {decibels} dB");
            let (mut low, mut high) = (1e-9, 1e3);
            (0..200).for_each(|_| {
                let middle = libm::sqrt(low * high);
                if 1.42e-5 * it.gain(middle) > 1.0 { low = middle } else { high = middle }
            });
            assert!((it.phase(low) - phase).abs() < 0.05, "{flows} flows: {} degrees", it.phase(low));
        }
    }
}
