//! RED's two thresholds, given in packets or derived from a target delay.

use crate::parameter_error::{ParameterError, require, require_not_negative, require_positive};

/// The thresholds as a scenario gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// Lower threshold, in packets.
    pub min_th_packets: Option<f64>,
    /// Upper threshold, in packets; three times the lower one unless given.
    pub max_th_packets: Option<f64>,
    /// Target of the average queueing delay, in milliseconds.
    pub target_delay_ms: Option<f64>,
}

/// A lower threshold below this many packets would leave no room for bursts.
const LEAST_MIN_TH: f64 = 5.0;

impl Thresholds {
    /// `(min_th, max_th)` in packets at a link that carries `packets_per_second` packets of mean size.
    ///
    /// A given `min_th` counts; otherwise `min_th` is half of the target queue, at least 5 packets, or 5
    /// packets without a target (Floyd, Gummadi, Shenker 2001 §5).
    #[must_use]
    pub fn resolve(&self, packets_per_second: f64) -> (f64, f64) {
        let target_queue = self.target_delay_ms.unwrap_or(0.0) / 1e3 * packets_per_second;
        let min_th = self.min_th_packets.unwrap_or((target_queue / 2.0).max(LEAST_MIN_TH));
        (min_th, self.max_th_packets.unwrap_or(3.0 * min_th))
    }

    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        if let Some(target) = self.target_delay_ms {
            require_positive("target_delay_ms", target)?;
            let alone = self.min_th_packets.is_none() && self.max_th_packets.is_none();
            require(alone, "target_delay_ms", target, "left out when thresholds are given in packets")?;
        }
        match (self.min_th_packets, self.max_th_packets) {
            (None, None) => Ok(()),
            (None, Some(max_th)) => {
                require(false, "max_th_packets", max_th, "given together with min_th_packets")
            }
            (Some(min_th), None) => require_positive("min_th_packets", min_th),
            (Some(min_th), Some(max_th)) => {
                require_not_negative("min_th_packets", min_th)?;
                require_positive("max_th_packets", max_th)?;
                let legal = format!("below max_th_packets ({max_th})");
                require(min_th < max_th, "min_th_packets", min_th, legal)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_target(target_delay_ms: f64, packets_per_second: f64) -> (f64, f64) {
        Thresholds { target_delay_ms: Some(target_delay_ms), ..Thresholds::default() }
            .resolve(packets_per_second)
    }

    #[test]
    fn automatic_thresholds_of_the_studies() {
        // 100 Mbit/s, 500 B, 5 ms; 10 Mbit/s, 1000 B, 5 ms; 10 Mbit/s, 615 B, 10 ms.
        assert_eq!(for_target(5.0, 25_000.0), (62.5, 187.5));
        assert_eq!(for_target(5.0, 1_250.0), (5.0, 15.0));
        let (min_th, max_th) = for_target(10.0, 1e7 / (8.0 * 615.0));
        assert!((min_th - 10.163).abs() < 5e-4 && (max_th - 30.488).abs() < 5e-4);
        // In bytes this is target·rate/16, whatever the mean packet.
        assert!((min_th * 615.0 - 6_250.0).abs() < 1e-9 && (max_th * 615.0 - 18_750.0).abs() < 1e-9);
    }

    #[test]
    fn given_thresholds_count() {
        let given =
            Thresholds { min_th_packets: Some(30.0), max_th_packets: Some(90.0), target_delay_ms: None };
        assert_eq!(given.resolve(1_250.0), (30.0, 90.0));
        assert_eq!(Thresholds { max_th_packets: None, ..given }.resolve(1_250.0), (30.0, 90.0));
        assert_eq!(Thresholds::default().resolve(1_250.0), (5.0, 15.0));
    }

    #[test]
    fn contradictions_are_refused_by_name() {
        let key = |min_th_packets, max_th_packets, target_delay_ms| {
            Thresholds { min_th_packets, max_th_packets, target_delay_ms }.validate().err().map(|e| e.key)
        };
        assert_eq!(key(Some(30.0), Some(90.0), None), None);
        assert_eq!(key(None, None, Some(5.0)), None);
        assert_eq!(key(Some(90.0), Some(30.0), None), Some("min_th_packets".into()));
        assert_eq!(key(Some(-1.0), Some(30.0), None), Some("min_th_packets".into()));
        assert_eq!(key(None, Some(30.0), None), Some("max_th_packets".into()));
        assert_eq!(key(Some(5.0), None, Some(5.0)), Some("target_delay_ms".into()));
        assert_eq!(key(None, None, Some(0.0)), Some("target_delay_ms".into()));
        assert_eq!(key(Some(f64::NAN), Some(30.0), None), Some("min_th_packets".into()));
    }
}
