//! The methods of an instance of a Python class, and what happens when one fails.

use crate::class_in_file::described;
use aqmlab_plugin::{Fault, Traits};
use pyo3::prelude::*;

/// What is known of an instance at a port beside its methods.
pub(super) struct Own {
    instance: Py<PyAny>,
    /// For words about what went wrong.
    loaded: Py<PyAny>,
    pub(super) traits: Traits,
    /// The methods that its class has of its own.
    names: Vec<String>,
}

impl Own {
    pub(super) fn new(instance: &Bound<'_, PyAny>, loaded: Py<PyAny>, traits: Traits) -> PyResult<Self> {
        let names = loaded.bind(instance.py()).getattr("methods")?.extract()?;
        Ok(Self { instance: instance.clone().unbind(), loaded, traits, names })
    }

    /// A method, unless its class leaves it out.
    pub(super) fn method(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let wanted = self.names.iter().any(|own| own == name);
        wanted.then(|| self.instance.getattr(py, name)).transpose()
    }

    /// What `make` makes of a deep copy of the instance; an exception in copying it ends the run.
    pub(super) fn copied<T>(
        &self,
        make: impl FnOnce(&Bound<'_, PyAny>, Py<PyAny>, Traits) -> PyResult<T>,
    ) -> T {
        self.call(|py| {
            let copy = py.import("copy")?.call_method1("deepcopy", (&self.instance,))?;
            make(&copy, self.loaded.clone_ref(py), self.traits.clone())
        })
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
