//! A class of Python as a scheme: what `aqmlab.schemes.loading` found in its file, and what is made of it.
#![allow(unsafe_code)]

use super::guard::ClassGuard;
use super::scheduler::ClassScheduler;
use super::scheme::ClassScheme;
use crate::class_in_file::{ClassInFile, described, json};
use aqmlab_aqm::{ParameterError, PortFacts};
use aqmlab_plugin::{
    DeclaredScheme, Factory, Fault, FunctionTable, Made, Role, TableScheme, Traits, Values, observed_name,
};
use aqmlab_scenario::InFile;
use pyo3::intern;
use pyo3::prelude::*;
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::Arc;

/// The module that reads files and classes.
const LOADING: &str = "aqmlab.schemes.loading";

/// The scheme that a class in a file is, or in words why it is none.
pub(super) fn load(file: &InFile<'_>) -> Result<DeclaredScheme, String> {
    let ClassInFile { meaning, properties, loaded } = ClassInFile::find(LOADING, file)?;
    let role = role_of(&loaded).map_err(|error| error.to_string())?;
    DeclaredScheme::new(role, meaning, properties, Arc::new(Loaded { loaded, role }))
}

fn role_of(loaded: &Py<PyAny>) -> PyResult<Role> {
    let role: String = Python::attach(|py| loaded.bind(py).getattr("role")?.extract())?;
    Ok(match &*role {
        "guard" => Role::Guard,
        "scheduler" => Role::Scheduler,
        _ => Role::Queue,
    })
}

/// An `aqmlab.schemes.loading.Loaded`.
struct Loaded {
    loaded: Py<PyAny>,
    role: Role,
}

/// What an instance of a class at a port is: name for messages, whether it is compiled, the bytes of its
/// state, the addresses of its functions by name, whether it needs instants, whether it evicts, what it
/// observes.
type Instance<'py> = (Bound<'py, PyAny>, Option<(Vec<u8>, Vec<(String, usize)>)>);

impl Loaded {
    fn refusal(&self, values: &Values) -> PyResult<Option<(String, Option<String>, String)>> {
        Python::attach(|py| {
            let refusal = self.loaded.bind(py).call_method1(intern!(py, "refusal_of"), (json(values),))?;
            refusal.extract()
        })
    }

    fn queues_of(&self, values: &Values) -> PyResult<u32> {
        Python::attach(|py| {
            self.loaded.bind(py).call_method1(intern!(py, "queues_of"), (json(values),))?.extract()
        })
    }

    fn made(&self, values: &Values, facts: &PortFacts) -> PyResult<Made> {
        Python::attach(|py| {
            let loaded = self.loaded.bind(py);
            let port = (facts.link_rate.bits_per_second(), facts.timer_phase, facts.flow_salt);
            let (instance, compiled): Instance<'_> =
                loaded.call_method1(intern!(py, "make"), (json(values), port))?.extract()?;
            let observed: Vec<String> = loaded.getattr(intern!(py, "observed"))?.extract()?;
            let traits = Traits {
                name: loaded.getattr(intern!(py, "name"))?.extract()?,
                needs_arrival_instants: loaded.getattr(intern!(py, "needs_arrival_instants"))?.extract()?,
                evicts: loaded.getattr(intern!(py, "evicts"))?.extract()?,
                observed: observed.iter().map(|name| observed_name(name)).collect(),
            };
            let own = self.loaded.clone_ref(py);
            Ok(match (self.role, compiled) {
                (Role::Guard, _) => Made::Guard(Box::new(ClassGuard::new(&instance, own, traits)?)),
                (Role::Scheduler, _) => {
                    Made::Scheduler(Box::new(ClassScheduler::new(&instance, own, traits)?))
                }
                (Role::Queue, None) => Made::Queue(Box::new(ClassScheme::new(&instance, own, traits)?)),
                (Role::Queue, Some((state, addresses))) => {
                    // SAFETY: the addresses are those of functions that `aqmlab.schemes.compiled` made for
                    // this very table, and which the class keeps; it keeps to the state's length, as any
                    // program has to.
                    Made::Queue(Box::new(unsafe { TableScheme::new(table_of(&addresses), &state, traits) }))
                }
            })
        })
    }
}

/// The functions at these addresses.
///
/// # Safety
/// Each address must be that of the function that its name says.
unsafe fn table_of(addresses: &[(String, usize)]) -> FunctionTable {
    let at = |name: &str| {
        let found = addresses.iter().find(|(own, address)| own == name && *address != 0);
        found.map(|(_, address)| *address as *const c_void)
    };
    // SAFETY: promised by the caller.
    unsafe {
        FunctionTable {
            on_arrival: at("on_arrival").map(|function| transmute(function)),
            on_departure: at("on_departure").map(|function| transmute(function)),
            on_overflow: at("on_overflow").map(|function| transmute(function)),
            on_room_made: at("on_room_made").map(|function| transmute(function)),
            on_idle: at("on_idle").map(|function| transmute(function)),
            next_timer: at("next_timer").map(|function| transmute(function)),
            on_timer: at("on_timer").map(|function| transmute(function)),
            signal_probability: at("signal_probability").map(|function| transmute(function)),
            observe: at("observe").map(|function| transmute(function)),
        }
    }
}

impl Factory for Loaded {
    fn check(&self, values: &Values) -> Result<(), ParameterError> {
        let scheme = |legal: String| ParameterError { key: "scheme".into(), value: None, legal };
        match self.refusal(values) {
            Ok(None) if self.role == Role::Scheduler => match self.queues_of(values) {
                Ok(_) => Ok(()),
                Err(error) => {
                    Err(scheme(format!("one whose `queues` works: {}", described(&self.loaded, &error))))
                }
            },
            Ok(None) => Ok(()),
            Ok(Some((key, value, legal))) => Err(ParameterError { key: key.into(), value, legal }),
            Err(error) => Err(scheme(format!("one whose check works: {}", described(&self.loaded, &error)))),
        }
    }

    fn check_at(&self, _values: &Values, _facts: &PortFacts) -> Result<(), ParameterError> {
        Ok(())
    }

    fn queues(&self, values: &Values) -> u32 {
        self.queues_of(values).unwrap_or_else(|error| Fault::raise(described(&self.loaded, &error)))
    }

    fn build(&self, values: &Values, facts: &PortFacts) -> Made {
        self.made(values, facts).unwrap_or_else(|error| Fault::raise(described(&self.loaded, &error)))
    }
}
