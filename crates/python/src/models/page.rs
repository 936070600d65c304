//! What a traffic model in Python returns for a page.

use aqmlab_units::Span;
use aqmlab_web::{OwnModelError, OwnObject, PageObject, think_time};
use pyo3::intern;
use pyo3::prelude::*;

/// The types that a page is made of.
pub(super) struct PageTypes {
    page: Py<PyAny>,
    object: Py<PyAny>,
}

impl PageTypes {
    pub(super) fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("aqmlab.models.model")?;
        Ok(Self { page: module.getattr("Page")?.unbind(), object: module.getattr("Object")?.unbind() })
    }

    /// The objects of a page, and the think time behind it.
    ///
    /// # Errors
    /// What is wrong with it, and what would be legal; an exception of an iterator of its author.
    pub(super) fn read(
        &self,
        answer: &Bound<'_, PyAny>,
        objects: &mut Vec<PageObject>,
    ) -> PyResult<Result<Span, OwnModelError>> {
        let py = answer.py();
        if !answer.is_instance(self.page.bind(py))? {
            let wrong = format!("returned {}", shown(answer));
            return Ok(Err(OwnModelError::new(wrong, "an aqmlab.models.Page")));
        }
        for (place, object) in answer.getattr(intern!(py, "objects"))?.try_iter()?.enumerate() {
            let object = object?;
            if !object.is_instance(self.object.bind(py))? {
                let wrong = format!("object {place} is {}", shown(&object));
                return Ok(Err(OwnModelError::new(wrong, "an aqmlab.models.Object")));
            }
            match read_object(&object, place == 0).and_then(|object| object.checked()) {
                Ok(object) => objects.push(object),
                Err(error) => return Ok(Err(error.at(format_args!("object {place}")))),
            }
        }
        let think = answer.getattr(intern!(py, "think_s"))?;
        Ok(match think.extract::<f64>() {
            Ok(seconds) => think_time(seconds),
            Err(_) => Err(OwnModelError::new(format!("think_s is {}", shown(&think)), "a number of seconds")),
        })
    }
}

/// An object of a page. The root may leave out its wave, which is the first, as others may theirs.
fn read_object(object: &Bound<'_, PyAny>, is_root: bool) -> Result<OwnObject, OwnModelError> {
    let numbers: (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = object
        .extract()
        .map_err(|error: PyErr| OwnModelError::new(error.to_string(), "four whole numbers"))?;
    let whole = |name: &str, number: &Bound<'_, PyAny>| {
        let wrong = |_| OwnModelError::new(format!("{name} is {}", shown(number)), "a whole number");
        number.extract::<i64>().map_err(wrong)
    };
    let wave = whole("wave", &numbers.3)?;
    Ok(OwnObject {
        response_bytes: whole("response_bytes", &numbers.0)?,
        request_bytes: whole("request_bytes", &numbers.1)?,
        host: whole("host", &numbers.2)?,
        wave: if is_root && wave == 1 { 0 } else { wave },
    })
}

/// A value in a message.
fn shown(value: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 60;
    let text = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
