//! What a controller in Python answers: the values of its attributes after each fact.

use aqmlab_plugin::{LEGAL_PACE, LegalSegments, pace_of};
use aqmlab_tcp::congestion::own::Answers;
use aqmlab_units::Rate;
use pyo3::intern;
use pyo3::prelude::*;

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
            window: segments("window", &window, LegalSegments::WINDOW)?,
            slow_start_threshold: segments("threshold", &threshold, LegalSegments::THRESHOLD)?,
            pacing_rate: pace(&rate)?,
            send_quantum: segments("send_quantum", &quantum, LegalSegments::WINDOW)?,
            limits_samples: limits
                .extract()
                .map_err(|_| format!("self.limits_samples is {}; legal: True or False", shown(&limits)))?,
        })
    })())
}

/// Whole segments of a number of them.
fn segments(name: &str, value: &Bound<'_, PyAny>, legal: LegalSegments) -> Result<u32, String> {
    let whole = value.extract().ok().and_then(|number| legal.whole(number));
    whole.ok_or_else(|| format!("self.{name} is {}; legal: {legal}", shown(value)))
}

fn pace(value: &Bound<'_, PyAny>) -> Result<Option<Rate>, String> {
    if value.is_none() {
        return Ok(None);
    }
    let rate = value.extract().ok().and_then(pace_of);
    rate.map(Some).ok_or_else(|| format!("self.pacing_bps is {}; legal: None, or {LEGAL_PACE}", shown(value)))
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string())
}
