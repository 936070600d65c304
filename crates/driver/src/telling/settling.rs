//! Whether a controller entered the measured window near the place where it then stayed.
//!
//! A crowd that starts at once winds up a controller's integral, which takes as long to fall as its gains let
//! it: PI with the gains of its paper needs over an hour from a probability of 0.95. Every mean of such a
//! window is a mean of the recovery.

/// Fewer samples than this tell nothing.
const FEW_SAMPLES: usize = 200;
/// The first of so many parts of the window is its beginning.
const PARTS: usize = 20;
/// What a signalling probability may be off by in any case: one packet in a hundred.
const ALLOWED: f64 = 0.01;

/// The signalling probability with which a controller entered the measured window, and between which it
/// stayed later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsettled {
    /// Mean over the first twentieth of the window.
    pub entered: f64,
    /// Least of the second half.
    pub least: f64,
    /// Greatest of the second half.
    pub greatest: f64,
}

/// Looks at samples of a signalling probability, equally spaced over the measured window. A controller is not
/// settled where the mean of the first twentieth lies outside the range of the second half by more than that
/// range is wide, and by 0.01.
pub(crate) fn unsettled(samples: &[f32]) -> Option<Unsettled> {
    if samples.len() < FEW_SAMPLES {
        return None;
    }
    let beginning = &samples[..samples.len() / PARTS];
    let entered = beginning.iter().copied().map(f64::from).sum::<f64>() / beginning.len() as f64;
    let later = samples[samples.len() / 2..].iter().copied().map(f64::from);
    let (least, greatest) = later
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), p| (least.min(p), greatest.max(p)));
    let outside = (least - entered).max(entered - greatest);
    (outside > (greatest - least).max(ALLOWED)).then_some(Unsettled { entered, least, greatest })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A probability that falls at a constant rate from `from` until it reaches 0.02, and then moves by 0.01.
    fn falling(from: f64, samples_of_the_fall: usize) -> Vec<f32> {
        let at = |sample: usize| {
            if sample < samples_of_the_fall {
                from - (from - 0.02) * sample as f64 / samples_of_the_fall as f64
            } else {
                0.02 + 0.01 * (sample % 2) as f64
            }
        };
        (0..1_000).map(|sample| at(sample) as f32).collect()
    }

    #[test]
    fn an_integral_that_falls_for_a_third_of_the_window_had_not_settled() {
        let Some(found) = unsettled(&falling(0.95, 333)) else { panic!("nothing is said") };
        // The mean of 50 samples that fall by 0.93 / 333 each: 0.95 - 24.5 * 0.93 / 333.
        assert!((found.entered - 0.8816).abs() < 1e-4, "{found:?}");
        assert!((found.least - 0.02).abs() < 1e-6 && (found.greatest - 0.03).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn one_that_comes_from_below_had_not_settled_either() {
        let rising: Vec<f32> = falling(0.95, 333).iter().map(|p| 1.0 - p).collect();
        assert!(unsettled(&rising).is_some());
    }

    #[test]
    fn a_controller_within_twice_its_later_range_is_settled() {
        assert_eq!(unsettled(&falling(0.02, 0)), None, "it never moved away");
        // The range of the second half is 0.01: 0.035 lies 0.005 above it, 0.055 lies 0.025 above.
        let enters = |at: f32| {
            let mut samples = falling(0.02, 0);
            samples[..50].fill(at);
            unsettled(&samples).is_some()
        };
        assert_eq!([enters(0.035), enters(0.055)], [false, true]);
    }

    #[test]
    fn what_is_less_than_one_packet_in_a_hundred_is_nothing() {
        let mut samples = vec![0.0_f32; 1_000];
        samples[..50].fill(0.009);
        assert_eq!(unsettled(&samples), None);
        samples[..50].fill(0.011);
        assert!(unsettled(&samples).is_some());
    }

    #[test]
    fn few_samples_tell_nothing() {
        let samples = falling(0.95, 333);
        assert_eq!(unsettled(&samples[..199]), None);
        assert_eq!(unsettled(&[]), None);
    }
}
