//! What went wrong in the code of a class in a file, in words.

use pyo3::intern;
use pyo3::prelude::*;

/// What went wrong in a class's code, with file and line.
pub(crate) fn described(loaded: &Py<PyAny>, error: &PyErr) -> String {
    Python::attach(|py| {
        let words =
            loaded.bind(py).call_method1(intern!(py, "described"), (error.value(py), error.traceback(py)));
        words.and_then(|words| words.extract()).unwrap_or_else(|_| error.to_string())
    })
}
