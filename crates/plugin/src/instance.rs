//! What schemes, schedulers and guards of C functions have in common: their state, which only those functions
//! know, and what is known of them beside their functions.
#![allow(unsafe_code)]

use crate::fault::Fault;
use std::ffi::c_void;

/// What is known of a scheme beside its functions.
#[derive(Clone, Debug, Default)]
pub struct Traits {
    /// What messages call it.
    pub name: String,
    /// See [`aqmlab_aqm::Aqm::needs_arrival_instants`].
    pub needs_arrival_instants: bool,
    /// Whether arrivals may discard packets that wait.
    pub evicts: bool,
    /// What the function `observe` reports, in its order.
    pub observed: Vec<&'static str>,
}

/// Writes the values of what is reported of a state.
pub type Observe = unsafe extern "C" fn(state: *const c_void, values: *mut f64);

/// A scheme at a port: the block of memory that its functions are given. A copy has a copy of the block.
#[derive(Clone)]
pub(crate) struct Instance {
    /// Of words, so that any C type may stand in it.
    state: Vec<u128>,
    traits: Traits,
}

impl Instance {
    pub(crate) const fn new(state: Vec<u128>, traits: Traits) -> Self {
        Self { state, traits }
    }

    pub(crate) const fn traits(&self) -> &Traits {
        &self.traits
    }

    #[inline(always)]
    pub(crate) fn state(&self) -> *const c_void {
        self.state.as_ptr().cast()
    }

    #[inline(always)]
    pub(crate) fn state_mut(&mut self) -> *mut c_void {
        self.state.as_mut_ptr().cast()
    }

    /// Ends the run.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail(&self, wrong: &str) -> ! {
        Fault::raise(format!("{}: {wrong}", self.traits.name))
    }

    /// Reports names and values, if there is a function for it.
    ///
    /// # Safety
    /// The function must be one for this state, and write as many values as there are names.
    pub(crate) unsafe fn observe(&self, observe: Option<Observe>, sink: &mut dyn FnMut(&'static str, f64)) {
        let Some(observe) = observe else { return };
        let mut values = vec![0.0; self.traits.observed.len()];
        // SAFETY: promised by the caller.
        unsafe { observe(self.state(), values.as_mut_ptr()) };
        self.traits.observed.iter().zip(values).for_each(|(name, value)| sink(name, value));
    }
}
