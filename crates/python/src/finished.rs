//! What a run of either kind leaves behind, as Python asks for it.

use crate::table::into_arrays;
use aqmlab_record::{Summary, Table};
use aqmlab_wire::{Capture, PassedPacket};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is left behind of a run: the summary, the tables, the packets that were kept, and what its kind has
/// beside these.
pub(crate) struct Finished<P, More> {
    summary: String,
    tables: Vec<(&'static str, Py<PyDict>)>,
    captures: Vec<Capture<P>>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "live runs have something beside"))]
    pub(crate) more: More,
}

impl<P: PassedPacket + Sync, More> Finished<P, More> {
    /// Columns are handed over and not copied.
    pub(crate) fn of(
        summary: &Summary,
        tables: Vec<Table>,
        captures: Vec<Capture<P>>,
        more: More,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let tables = tables.into_iter().map(|table| Ok((table.name, into_arrays(table, py)?.unbind())));
        Ok(Self { summary: summary.to_json(), tables: tables.collect::<PyResult<_>>()?, captures, more })
    }

    pub(crate) fn summary(&self) -> &str {
        &self.summary
    }

    pub(crate) fn tables(&self) -> Vec<&'static str> {
        self.tables.iter().map(|(name, _)| *name).collect()
    }

    pub(crate) fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let found = self.tables.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| Err(PyKeyError::new_err(name.to_owned())), |(_, table)| table.bind(py).copy())
    }

    pub(crate) fn captures(&self) -> Vec<&str> {
        self.captures.iter().map(Capture::port).collect()
    }

    pub(crate) fn write_capture(&self, py: Python<'_>, port: &str, file: &Path) -> PyResult<()> {
        let found = self.captures.iter().find(|capture| capture.port() == port);
        let capture = found.ok_or_else(|| PyKeyError::new_err(port.to_owned()))?;
        Ok(py.detach(|| capture.write(BufWriter::new(File::create_new(file)?)))?)
    }
}

/// An execution that happens once, and what it leaves behind.
pub(crate) struct Once<T> {
    started: AtomicBool,
    finished: OnceLock<T>,
}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { started: AtomicBool::new(false), finished: OnceLock::new() }
    }

    /// Executes, unless that was begun before.
    pub(crate) fn execute(&self, execute: impl FnOnce() -> PyResult<T>) -> PyResult<()> {
        if self.started.swap(true, Ordering::Relaxed) {
            return Err(PyRuntimeError::new_err("a run executes once: make a new one"));
        }
        assert!(self.finished.set(execute()?).is_ok(), "only the first execution comes here");
        Ok(())
    }

    pub(crate) fn finished(&self) -> PyResult<&T> {
        self.finished.get().ok_or_else(|| PyRuntimeError::new_err("the run has not been executed to its end"))
    }
}
