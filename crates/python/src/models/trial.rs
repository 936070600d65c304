//! A trial of a traffic model outside of any scenario: the pages that a scenario would draw when it is read,
//! and what a page costs.

use crate::error::refused;
use aqmlab_scenario::load_model_in_file;
use aqmlab_web::PageSample;
use pyo3::prelude::*;
use serde_json::Map;
use std::path::PathBuf;
use std::time::Instant;

/// Pages of a traffic model, each drawn twice.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct SampledPages {
    /// The number of objects of each page.
    objects: Vec<u64>,
    /// Bytes of the response of each object, page by page.
    response_bytes: Vec<u64>,
    /// Seconds of thinking behind each page.
    think_s: Vec<f64>,
    /// Seconds of real time that drawing a page takes.
    page_cost_s: f64,
}

/// Pages of a traffic model in a file that stands in `folder`, `my_pages.py:MyPages`, with its defaults.
///
/// Raises `ScenarioError` when the file, its defaults or a page is refused.
#[pyfunction]
#[allow(clippy::disallowed_methods, reason = "it measures what a page costs, and runs nothing that is kept")]
pub(crate) fn sample_model(folder: PathBuf, name: &str) -> PyResult<SampledPages> {
    let (declaration, _) =
        load_model_in_file(&folder, name).map_err(|why| refused(format!("{name}: {why}")))?;
    let model = declaration.parse(Map::new()).map_err(refused)?;
    model.validate().map_err(|wrong| refused(format!("{name}: {wrong}")))?;
    let source = model.source().map_err(refused)?;
    let begun = Instant::now();
    let sample = PageSample::take(&*source).map_err(refused)?;
    let pages = sample.pages();
    Ok(SampledPages {
        objects: pages.iter().map(|page| page.objects.len() as u64).collect(),
        response_bytes: pages.iter().flat_map(|page| &page.objects).map(|own| own.response_bytes).collect(),
        think_s: pages.iter().map(|page| page.think.seconds()).collect(),
        page_cost_s: begun.elapsed().as_secs_f64() / (2 * pages.len()) as f64,
    })
}
