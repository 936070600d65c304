//! The random numbers of a page, as a traffic model in Python draws them.

use aqmlab_random::{Key, Law, Stream};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The random numbers of one page of one user: the same under every queue discipline, whenever it is drawn.
#[pyclass(module = "aqmlab._core")]
pub(crate) struct Draws {
    user: Key,
    key: Key,
    stream: Stream,
}

impl Draws {
    /// Those at a key, of the user at another one.
    pub(super) const fn at(user: Key, key: Key) -> Self {
        Self { user, key, stream: key.stream() }
    }
}

/// Below the keys of users and pages, where no other draw has its address.
const OWN: &str = "own model";

pub(super) const fn own(key: Key) -> Key {
    key.named(OWN)
}

#[pymethods]
impl Draws {
    /// The next uniform number in [0, 1).
    fn uniform(&mut self) -> f64 {
        self.stream.uniform()
    }

    /// The next whole number uniform in [0, below).
    ///
    /// Raises `ValueError` if `below` is zero.
    fn below(&mut self, below: u64) -> PyResult<u64> {
        if below == 0 {
            return Err(PyValueError::new_err("no whole number is below zero"));
        }
        Ok(self.stream.below(below))
    }

    /// The next exponential number with this mean.
    ///
    /// Raises `ValueError` if the mean is not positive and finite.
    fn exponential(&mut self, mean: f64) -> PyResult<f64> {
        positive("mean", mean)?;
        Ok(Law::Exponential { mean }.quantile(self.stream.uniform()))
    }

    /// The next lognormal number with this median and standard deviation of its logarithm.
    ///
    /// Raises `ValueError` if one of them is not positive and finite.
    fn lognormal(&mut self, median: f64, sigma: f64) -> PyResult<f64> {
        positive("median", median)?;
        positive("sigma", sigma)?;
        Ok(Law::Lognormal { median, sigma, maximum: f64::MAX }.quantile(self.stream.uniform()))
    }

    /// Random numbers of a purpose of its own, from their beginning: how many are drawn there changes no
    /// others.
    fn named(&self, purpose: &str) -> Self {
        Self::at(self.user, self.key.named(purpose))
    }

    /// The random numbers of the user, from their beginning: the same on each of her pages.
    fn of_user(&self) -> Self {
        Self::at(self.user, self.user)
    }
}

fn positive(name: &str, value: f64) -> PyResult<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} is {value}: it must be a positive number")))
}
