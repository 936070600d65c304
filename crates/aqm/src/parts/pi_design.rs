//! Gains of the PI controller from the load and the link that it shall keep stable.
//!
//! Source: Hollot, Misra, Towsley, Gong, *On Designing Improved Controllers for AQM Routers Supporting TCP
//! Flows*, INFOCOM 2001, proposition 2 and its example; the same rule is ns-2.35's `picoeff.m`.

/// The gains of one sampled update `p ← p + a·(q − q_ref) − b·(q_old − q_ref)`, per packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiGains {
    /// Gain of the present deviation.
    pub a: f64,
    /// Gain of the previous deviation.
    pub b: f64,
}

/// The root of `β + arctan(β) = π/2`.
const LARGEST_BETA: f64 = 0.860_333_589_019_379_8;

impl PiGains {
    /// The gains for at least `flows` TCP flows, round-trip times of at most `rtt_s` seconds, a link of
    /// `packets_per_second`, and `sampling_hz` updates per second.
    ///
    /// The controller's zero cancels the pole of TCP's window, `w_g = 2N/(R²C)`; the loop gain is one there;
    /// the continuous controller `K·(1 + s/w_g)/s` is sampled by the bilinear rule.
    ///
    /// The design exists where the loop has a phase margin, that is for fewer than [`PiGains::most_flows`],
    /// and where the sampled controller has two positive gains: `sampling_hz` above half of
    /// [`PiGains::design_frequency`].
    #[must_use]
    pub fn designed(flows: f64, rtt_s: f64, packets_per_second: f64, sampling_hz: f64) -> Self {
        let w_g = Self::design_frequency(flows, rtt_s, packets_per_second);
        let window = rtt_s * packets_per_second;
        let plant_gain = window * window * window / (4.0 * flows * flows);
        let lag = w_g * rtt_s;
        let k = w_g * (1.0 + lag * lag).sqrt() / plant_gain;
        Self::sampled(k, w_g, sampling_hz)
    }

    /// The gains of the controller `k·(1 + s/zero)/s` sampled at `sampling_hz`; `zero` in radians per second.
    #[must_use]
    pub fn sampled(k: f64, zero: f64, sampling_hz: f64) -> Self {
        let (proportional, half_step) = (k / zero, k / (2.0 * sampling_hz));
        Self { a: proportional + half_step, b: proportional - half_step }
    }

    /// The number of flows from which on the loop has no phase margin left at its design point.
    ///
    /// The margin is `π/2 − arctan(β) − β` with `β = w_g·R = 2N/(R·C)`: the zero cancels TCP's pole, the
    /// queue's and the delay's phases remain. It is positive for β below 0.86033 (Hollot et al. give β ∈ (0,
    /// 0.85)): each flow's share of the path must be more than 2.3 packets.
    #[must_use]
    pub fn most_flows(rtt_s: f64, packets_per_second: f64) -> f64 {
        LARGEST_BETA / 2.0 * rtt_s * packets_per_second
    }

    /// `w_g = 2N/(R²C)` in radians per second.
    #[must_use]
    pub fn design_frequency(flows: f64, rtt_s: f64, packets_per_second: f64) -> f64 {
        2.0 * flows / (rtt_s * rtt_s * packets_per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_gains(found: PiGains, a: f64, b: f64, relative: f64) {
        assert!((found.a / a - 1.0).abs() < relative, "a = {} against {a}", found.a);
        assert!((found.b / b - 1.0).abs() < relative, "b = {} against {b}", found.b);
    }

    #[test]
    fn the_published_coefficients_of_ns2s_own_tests_follow() {
        // test-suite-pi.tcl, pi1 and pi2: 1.5 Mbit/s of 1000-byte packets, sampled at 100 w_g.
        for (rtt_s, sampling_hz, a, b) in [
            (0.07, 435.3741, 0.00743488595689, 0.00736090699216),
            (0.03, 2370.370, 0.1108624986, 0.1097593892),
        ] {
            let w_g = PiGains::design_frequency(2.0, rtt_s, 187.5);
            assert!((100.0 * w_g / sampling_hz - 1.0).abs() < 2e-7);
            assert_gains(PiGains::designed(2.0, rtt_s, 187.5, 100.0 * w_g), a, b, 1e-9);
        }
    }

    #[test]
    fn the_papers_example_gives_the_papers_gains() {
        assert_gains(PiGains::sampled(9.64e-6, 0.53, 160.0), 1.82188e-5, 1.81586e-5, 1e-5);
        // With N = 60, R = 246 ms, C = 3750/s unrounded: K = 9.781e-6 and a zero at 0.52880.
        let exact = PiGains::designed(60.0, 0.246, 3750.0, 160.0);
        assert!(((exact.a - exact.b) * 160.0 / 9.781e-6 - 1.0).abs() < 1e-4);
    }

    #[test]
    fn the_margin_is_gone_at_the_largest_beta_and_not_in_published_designs() {
        let margin = |beta: f64| std::f64::consts::FRAC_PI_2 - libm::atan(beta) - beta;
        assert!(margin(LARGEST_BETA).abs() < 1e-15);
        // β = 2N/(R·C) of the paper's example, and of ns-2's own tests pi1 and pi2.
        for (flows, rtt_s, packets_per_second, beta) in
            [(60.0, 0.246, 3750.0, 0.130), (2.0, 0.07, 187.5, 0.305), (2.0, 0.03, 187.5, 0.711)]
        {
            let most = PiGains::most_flows(rtt_s, packets_per_second);
            assert!((LARGEST_BETA * flows / most - beta).abs() < 5e-4 && flows < most);
        }
    }

    #[test]
    fn designs_for_the_links_of_the_studies() {
        for (link, packet_bytes, flows, rtt_s, w_g, a, b) in [
            (100e6, 500.0, 500.0, 0.25, 0.640, 4.156e-6, 4.140e-6),
            (100e6, 500.0, 1000.0, 0.16, 3.125, 7.056e-5, 6.919e-5),
            (10e6, 615.0, 50.0, 0.25, 0.787, 7.787e-5, 7.749e-5),
            (10e6, 1000.0, 50.0, 1.0, 0.080, 5.138e-6, 5.135e-6),
        ] {
            let packets_per_second = link / (8.0 * packet_bytes);
            let found = PiGains::design_frequency(flows, rtt_s, packets_per_second);
            assert!((found - w_g).abs() < 5.1e-4, "{found}");
            assert_gains(PiGains::designed(flows, rtt_s, packets_per_second, 160.0), a, b, 1.3e-4);
        }
    }
}
