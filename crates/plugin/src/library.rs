//! A scheme, scheduler or guard in a shared library: a symbol of the type `aqmlab_scheme`, `aqmlab_scheduler`
//! or `aqmlab_guard` of `aqmlab_scheme.h`.
#![allow(unsafe_code)]

use crate::declared::{DeclaredScheme, Factory, Made, Role};
use crate::elf;
use crate::fault::Fault;
use crate::guard_table::{GuardTable, TableGuard};
use crate::instance::Traits;
use crate::library_controller::CONTROLLER_VERSION;
use crate::scheduler_table::{SchedulerTable, TableScheduler};
use crate::shared_library::{self, Kind, LibraryParameters, RawParameter, slice, static_text, text};
use crate::table::{FunctionTable, TableScheme};
use crate::values::Values;
use aqmlab_aqm::{ParameterError, PortFacts};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The layout that a library must have been compiled with.
const VERSION: u32 = 1;
/// The same of an `aqmlab_scheduler` and of an `aqmlab_guard`.
const SCHEDULER_VERSION: u32 = 0x1_0001;
const GUARD_VERSION: u32 = 0x2_0001;
const NEEDS_ARRIVAL_INSTANTS: u32 = 1;
const EVICTS: u32 = 2;
/// The type that a symbol has.
const KIND: Kind = Kind {
    name: "aqmlab_scheme",
    versions: &[VERSION, SCHEDULER_VERSION, GUARD_VERSION],
    least_bytes: size_of::<Raw<GuardTable>>(),
};

/// `aqmlab_port`.
#[repr(C)]
struct RawPort {
    link_rate_bps: u64,
    timer_phase: f64,
    flow_salt: u64,
}

type Start = unsafe extern "C" fn(*mut c_void, *const f64, *const RawPort) -> *const c_char;

/// What `aqmlab_scheme`, `aqmlab_scheduler` and `aqmlab_guard` begin with.
#[repr(C)]
struct RawHead {
    version: u32,
    flags: u32,
    meaning: *const c_char,
    parameters: *const RawParameter,
    parameter_count: u32,
    observed_count: u32,
    observed: *const *const c_char,
    state_bytes: u64,
    start: Option<Start>,
}

/// The whole of one of them.
#[repr(C)]
struct Raw<Functions> {
    head: RawHead,
    functions: Functions,
}

/// The functions of a library, as its version says what it is.
#[derive(Clone)]
enum Functions {
    Queue(FunctionTable),
    Scheduler(SchedulerTable),
    Guard(GuardTable),
}

/// The scheme, scheduler or guard at a symbol of a shared library, which is given by its bytes and stays
/// loaded for the rest of the program. `name` is what messages call it.
///
/// # Errors
/// In words: a library cut short, no library of this machine, no such symbol, another version of the layout,
/// a function that is missing, or a parameter declared wrongly.
pub fn load_library(bytes: &[u8], symbol: &str, name: &str) -> Result<DeclaredScheme, String> {
    elf::require_whole(bytes)?;
    let smallest = elf::require_object(bytes, symbol, KIND.name, KIND.least_bytes as u64);
    let whole = || elf::require_object(bytes, symbol, KIND.name, size_of::<Raw<FunctionTable>>() as u64);
    smallest.or_else(|_| whole())?;
    let library = shared_library::open(bytes)?;
    let raw = shared_library::variable::<RawHead>((&library, bytes), symbol, &KIND)?;
    // SAFETY: the symbol is a variable of the library, which is never unloaded; its first word is the
    // version.
    let head: &'static RawHead = unsafe { &*raw };
    std::mem::forget(library);
    let functions = functions_of(bytes, symbol, head)?;
    let start = head.start.ok_or_else(|| format!("{symbol} has no function start"))?;
    let state_bytes = shared_library::state_bytes(symbol, head.state_bytes)?;
    let mut parameters = LibraryParameters::read(head.parameters, head.parameter_count)?;
    let schemas = std::mem::take(&mut parameters.schemas);
    let observed = slice("observed", head.observed, head.observed_count)?;
    let traits = Traits {
        name: name.to_owned(),
        needs_arrival_instants: head.flags & NEEDS_ARRIVAL_INSTANTS != 0,
        evicts: head.flags & EVICTS != 0,
        observed: observed.iter().map(|&name| static_text(name)).collect::<Result<_, _>>()?,
    };
    let role = match functions {
        Functions::Queue(_) => Role::Queue,
        Functions::Scheduler(_) => Role::Scheduler,
        Functions::Guard(_) => Role::Guard,
    };
    let factory = Arc::new(LibraryFactory { start, functions, traits, parameters, state_bytes });
    DeclaredScheme::new(role, text(head.meaning)?, schemas, factory)
}

/// The functions behind a head, of what its version says that it is.
fn functions_of(bytes: &[u8], symbol: &str, head: &'static RawHead) -> Result<Functions, String> {
    let missing = |name: &str| Err(format!("{symbol} has no function {name}"));
    match head.version {
        VERSION => Ok(Functions::Queue(behind::<FunctionTable>(bytes, symbol, head)?.clone())),
        SCHEDULER_VERSION => {
            let own = behind::<SchedulerTable>(bytes, symbol, head)?;
            let has = [
                ("queues", own.queues.is_some()),
                ("classify", own.classify.is_some()),
                ("next", own.next.is_some()),
            ];
            match has.into_iter().find(|(_, is_there)| !is_there) {
                Some((name, _)) => missing(name),
                None => Ok(Functions::Scheduler(own.clone())),
            }
        }
        GUARD_VERSION => {
            let own = behind::<GuardTable>(bytes, symbol, head)?;
            if own.admits.is_none() { missing("admits") } else { Ok(Functions::Guard(own.clone())) }
        }
        CONTROLLER_VERSION => Err(format!("{symbol} is an aqmlab_controller; legal: an aqmlab_scheme")),
        other => Err(format!("{symbol} has version {other} of aqmlab_scheme.h: {VERSION} is legal")),
    }
}

/// The table of functions behind a head, if the symbol is long enough for it.
fn behind<Table>(bytes: &[u8], symbol: &str, head: &'static RawHead) -> Result<&'static Table, String> {
    elf::require_object(bytes, symbol, KIND.name, size_of::<Raw<Table>>() as u64)?;
    // SAFETY: the symbol is a variable of the library, which is never unloaded, and its version says what it
    // is.
    Ok(unsafe { &(*std::ptr::from_ref(head).cast::<Raw<Table>>()).functions })
}

struct LibraryFactory {
    start: Start,
    functions: Functions,
    traits: Traits,
    parameters: LibraryParameters,
    state_bytes: usize,
}

impl LibraryFactory {
    /// The state that `start` makes, or what it refuses: a key and what would be legal.
    fn started(&self, values: &Values, facts: &PortFacts) -> Result<Vec<u128>, (String, String)> {
        let numbers = self.parameters.numbers(values);
        let port = RawPort {
            link_rate_bps: facts.link_rate.bits_per_second(),
            timer_phase: facts.timer_phase,
            flow_salt: facts.flow_salt,
        };
        let mut state = shared_library::empty_state(self.state_bytes);
        // SAFETY: the state has the length that the library asked for, and there is a number for each of its
        // parameters.
        let refusal = unsafe { (self.start)(state.as_mut_ptr().cast(), numbers.as_ptr(), &raw const port) };
        shared_library::started(refusal, "scheme")?;
        Ok(state)
    }
}

impl Factory for LibraryFactory {
    fn check(&self, _values: &Values) -> Result<(), ParameterError> {
        Ok(())
    }

    fn check_at(&self, values: &Values, facts: &PortFacts) -> Result<(), ParameterError> {
        self.started(values, facts).map(|_| ()).map_err(|(key, legal)| {
            let value = values.get(&key).map(ToString::to_string);
            ParameterError { key: key.into(), value, legal }
        })
    }

    fn queues(&self, values: &Values) -> u32 {
        match &self.functions {
            // SAFETY: there is a number for each of the library's parameters.
            Functions::Scheduler(own) => {
                own.queues.map_or(0, |queues| unsafe { queues(self.parameters.numbers(values).as_ptr()) })
            }
            Functions::Queue(_) | Functions::Guard(_) => 1,
        }
    }

    fn build(&self, values: &Values, facts: &PortFacts) -> Made {
        let state = self.started(values, facts).unwrap_or_else(|(key, legal)| {
            Fault::raise(format!("{}: {key} must be {legal}", self.traits.name))
        });
        let traits = self.traits.clone();
        // SAFETY: the library vouches for its functions, and is never unloaded.
        match self.functions.clone() {
            Functions::Queue(own) => {
                Made::Queue(Box::new(unsafe { TableScheme::with_words(own, state, traits) }))
            }
            Functions::Scheduler(own) => {
                Made::Scheduler(Box::new(unsafe { TableScheduler::new(own, state, traits) }))
            }
            Functions::Guard(own) => Made::Guard(Box::new(unsafe { TableGuard::new(own, state, traits) })),
        }
    }
}
