//! What a controller in Python answers: the values of its attributes after each fact.

use aqmlab_tcp::congestion::own::Answers;
use aqmlab_units::Rate;
use pyo3::intern;
use pyo3::prelude::*;

/// Segments, in effect unlimited.
const MOST_SEGMENTS: f64 = 1e9;
const MOST_BPS: f64 = 1e15;

/// The answers of an instance, or in words which attribute is wrong, and what would be legal.
pub(super) fn read(instance: &Bound<'_, PyAny>) -> PyResult<Result<Answers, String>> {
    let py = instance.py();
    let window = instance.getattr(intern!(py, "window"))?;
    let threshold = instance.getattr(intern!(py, "threshold"))?;
    let rate = instance.getattr(intern!(py, "pacing_bps"))?;
    let quantum = instance.getattr(intern!(py, "send_quantum"))?;
    let limits = instance.getattr(intern!(py, "limits_samples"))?;
    Ok((|| {
        Ok(Answers {
            window: segments("window", &window, 1.0, MOST_SEGMENTS)?,
            slow_start_threshold: segments("threshold", &threshold, 2.0, f64::INFINITY)?,
            pacing_rate: pace(&rate)?,
            send_quantum: segments("send_quantum", &quantum, 1.0, MOST_SEGMENTS)?,
            limits_samples: limits
                .extract()
                .map_err(|_| format!("self.limits_samples is {}; legal: True or False", shown(&limits)))?,
        })
    })())
}

/// Whole segments of a number of them. More than any window is the greatest value.
fn segments(name: &str, value: &Bound<'_, PyAny>, least: f64, most: f64) -> Result<u32, String> {
    match value.extract::<f64>() {
        // A comparison with what is no number is false.
        Ok(number) if number >= least && number <= most => {
            Ok(if number > MOST_SEGMENTS { u32::MAX } else { number as u32 })
        }
        _ => {
            let upwards =
                if most.is_finite() { format!("{least} to {most:e}") } else { format!("{least} or more") };
            Err(format!("self.{name} is {}; legal: a number of segments, {upwards}", shown(value)))
        }
    }
}

fn pace(value: &Bound<'_, PyAny>) -> Result<Option<Rate>, String> {
    match value.extract::<Option<f64>>() {
        Ok(None) => Ok(None),
        Ok(Some(bps)) if (1.0..=MOST_BPS).contains(&bps) => Ok(Some(Rate::from_bits_per_second(bps as u64))),
        _ => Err(format!("self.pacing_bps is {}; legal: None, or 1 to 1e15 bit/s", shown(value))),
    }
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string())
}
