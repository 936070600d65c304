//! The methods of an instance of a Python class, and what happens when one fails.

use crate::class_in_file::described;
use aqmlab_plugin::{Fault, Traits};
use pyo3::prelude::*;

/// What is known of an instance at a port beside its methods.
pub(super) struct Own {
    /// For words about what went wrong.
    loaded: Py<PyAny>,
    pub(super) traits: Traits,
    /// The methods that its class has of its own.
    names: Vec<String>,
}

impl Own {
    pub(super) fn new(py: Python<'_>, loaded: Py<PyAny>, traits: Traits) -> PyResult<Self> {
        let names = loaded.bind(py).getattr("methods")?.extract()?;
        Ok(Self { loaded, traits, names })
    }

    /// A method, unless its class leaves it out.
    pub(super) fn method(&self, instance: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let wanted = self.names.iter().any(|own| own == name);
        wanted.then(|| instance.getattr(name).map(Bound::unbind)).transpose()
    }

    /// Calls a method; an exception ends the run.
    pub(super) fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        Python::attach(call).unwrap_or_else(|error| Fault::raise(described(&self.loaded, &error)))
    }

    /// Ends the run.
    pub(super) fn refuse(&self, wrong: &str) -> ! {
        Fault::raise(format!("{}: {wrong}", self.traits.name))
    }

    /// Reports what `observe` returns.
    pub(super) fn observe(&self, method: Option<&Py<PyAny>>, sink: &mut dyn FnMut(&'static str, f64)) {
        let Some(method) = method else { return };
        let values: Vec<f64> = self.call(|py| method.call0(py)?.extract(py));
        if values.len() != self.traits.observed.len() {
            let (given, named) = (values.len(), self.traits.observed.len());
            self.refuse(&format!("observe returned {given} values, and `observed` names {named}"));
        }
        self.traits.observed.iter().zip(values).for_each(|(name, value)| sink(name, value));
    }
}
