//! What a traffic model in Python returns for a page.

use aqmlab_units::Span;
use aqmlab_web::{OwnObject, PageObject, think_time};
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
    /// In words, what is wrong with it, and what would be legal; an exception of an iterator of its author.
    pub(super) fn read(
        &self,
        answer: &Bound<'_, PyAny>,
        objects: &mut Vec<PageObject>,
    ) -> PyResult<Result<Span, String>> {
        let py = answer.py();
        if !answer.is_instance(self.page.bind(py))? {
            return Ok(Err(format!("returned {}; legal: an aqmlab.models.Page", shown(answer))));
        }
        for (place, object) in answer.getattr(intern!(py, "objects"))?.try_iter()?.enumerate() {
            let object = object?;
            if !object.is_instance(self.object.bind(py))? {
                let wrong = format!("object {place} is {}; legal: an aqmlab.models.Object", shown(&object));
                return Ok(Err(wrong));
            }
            match read_object(&object, place == 0).and_then(|object| object.checked()) {
                Ok(object) => objects.push(object),
                Err(wrong) => return Ok(Err(format!("object {place}: {wrong}"))),
            }
        }
        let think = answer.getattr(intern!(py, "think_s"))?;
        Ok(match think.extract::<f64>() {
            Ok(seconds) => think_time(seconds),
            Err(_) => Err(format!("think_s is {}; legal: a number of seconds", shown(&think))),
        })
    }
}

/// An object of a page. The root may leave out its wave, which is the first, as others may theirs.
fn read_object(object: &Bound<'_, PyAny>, is_root: bool) -> Result<OwnObject, String> {
    let numbers: (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
        object.extract().map_err(|error: PyErr| error.to_string())?;
    let whole = |name: &str, number: &Bound<'_, PyAny>| {
        number.extract::<i64>().map_err(|_| format!("{name} is {}; legal: a whole number", shown(number)))
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
