//! A class in a file, of a scheme, a traffic model or a congestion controller: what a loader of Python found
//! there, and what went wrong in its code.

use aqmlab_plugin::Values;
use aqmlab_scenario::InFile;
use pyo3::intern;
use pyo3::prelude::*;

/// What `aqmlab.schemes.loading`, `aqmlab.models.loading` or `aqmlab.controllers.loading` found.
pub(crate) struct ClassInFile {
    /// What the class is, from its documentation.
    pub(crate) meaning: String,
    /// The JSON schemas of its parameters by their names.
    pub(crate) properties: Values,
    /// The loader's `Loaded`.
    pub(crate) loaded: Py<PyAny>,
}

impl ClassInFile {
    /// Has the module `loading` look for the class.
    ///
    /// # Errors
    /// In words, why it cannot be used.
    pub(crate) fn find(loading: &str, file: &InFile<'_>) -> Result<Self, String> {
        let found = Python::attach(|py| -> PyResult<_> {
            let loaded = py.import(loading)?.call_method1("load", (file.file, file.object, file.text))?;
            let refusal: Option<String> = loaded.getattr("refusal")?.extract()?;
            if let Some(refusal) = refusal {
                return Ok(Err(refusal));
            }
            let meaning: String = loaded.getattr("meaning")?.extract()?;
            let properties: String = loaded.getattr("properties_json")?.extract()?;
            Ok(Ok((meaning, properties, loaded.unbind())))
        });
        let (meaning, properties, loaded) = found.map_err(|error| error.to_string())??;
        let properties =
            serde_json::from_str(&properties).map_err(|error| format!("its parameters: {error}"))?;
        Ok(Self { meaning, properties, loaded })
    }
}

/// The values of parameters, as loaders take them.
pub(crate) fn json(values: &Values) -> String {
    serde_json::Value::Object(values.clone()).to_string()
}

/// What went wrong in a class's code, with file and line.
pub(crate) fn described(loaded: &Py<PyAny>, error: &PyErr) -> String {
    Python::attach(|py| {
        let words =
            loaded.bind(py).call_method1(intern!(py, "described"), (error.value(py), error.traceback(py)));
        words.and_then(|words| words.extract()).unwrap_or_else(|_| error.to_string())
    })
}
