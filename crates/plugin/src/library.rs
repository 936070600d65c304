//! A scheme, scheduler or guard in a shared library: a symbol of the type `aqmlab_scheme`, `aqmlab_scheduler`
//! or `aqmlab_guard` of `aqmlab_scheme.h`.
#![allow(unsafe_code)]

use crate::declared::{DeclaredScheme, Factory, Made, Role};
use crate::elf;
use crate::fault::Fault;
use crate::guard_table::{GuardTable, TableGuard};
use crate::instance::Traits;
use crate::scheduler_table::{SchedulerTable, TableScheduler};
use crate::table::{FunctionTable, TableScheme};
use crate::values::Values;
use aqmlab_aqm::{ParameterError, PortFacts};
use libloading::{Library, Symbol};
use serde_json::{Value, json};
use std::ffi::{CStr, c_char, c_void};
use std::io::Write as _;
use std::sync::Arc;

/// The layout that a library must have been compiled with.
const VERSION: u32 = 1;
/// The same of an `aqmlab_scheduler` and of an `aqmlab_guard`.
const SCHEDULER_VERSION: u32 = 0x1_0001;
const GUARD_VERSION: u32 = 0x2_0001;
const NEEDS_ARRIVAL_INSTANTS: u32 = 1;
const EVICTS: u32 = 2;
/// More is a mistake.
const MOST_STATE_BYTES: u64 = 1 << 26;
/// More parameters, or more names of what is observed, are a mistake.
const MOST_ENTRIES: u32 = 1_000;

/// `aqmlab_parameter`.
#[repr(C)]
struct RawParameter {
    name: *const c_char,
    meaning: *const c_char,
    kind: u32,
    default: f64,
    least: f64,
    most: f64,
}

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
    let smallest = elf::require_object(bytes, symbol, size_of::<Raw<GuardTable>>() as u64);
    smallest.or_else(|_| elf::require_object(bytes, symbol, size_of::<Raw<FunctionTable>>() as u64))?;
    let library = open(bytes).map_err(|error| format!("no library of this machine: {error}"))?;
    // SAFETY: whoever names the library in a scenario vouches for it, as for any program that is run.
    let found: Result<Symbol<'_, *const RawHead>, _> = unsafe { library.get(symbol.as_bytes()) };
    let raw = *found.map_err(|_| format!("the library has no symbol {symbol}"))?;
    if raw.is_null() || !raw.is_aligned() {
        return Err(format!("{symbol} is no aqmlab_scheme"));
    }
    // SAFETY: the symbol is a variable of the library, which is never unloaded; its first word is the
    // version.
    let head: &'static RawHead = unsafe { &*raw };
    std::mem::forget(library);
    let functions = functions_of(bytes, symbol, head)?;
    let start = head.start.ok_or_else(|| format!("{symbol} has no function start"))?;
    if head.state_bytes > MOST_STATE_BYTES {
        return Err(format!(
            "{symbol} has a state of {} bytes: at most {MOST_STATE_BYTES}",
            head.state_bytes
        ));
    }
    let parameters = slice("parameters", head.parameters, head.parameter_count)?;
    let names: Vec<String> = parameters.iter().map(|own| text(own.name)).collect::<Result<_, _>>()?;
    if let Some(twice) =
        names.iter().enumerate().find_map(|(n, name)| names[..n].contains(name).then_some(name))
    {
        return Err(format!("parameter `{twice}` is declared twice"));
    }
    let schemas: Values =
        names.iter().cloned().zip(parameters.iter().map(schema_of).collect::<Result<Vec<_>, _>>()?).collect();
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
    let state_bytes = usize::try_from(head.state_bytes).expect("checked above");
    let factory = Arc::new(LibraryFactory { start, functions, traits, names, state_bytes });
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
        other => Err(format!("{symbol} has version {other} of aqmlab_scheme.h: {VERSION} is legal")),
    }
}

/// The table of functions behind a head, if the symbol is long enough for it.
fn behind<Table>(bytes: &[u8], symbol: &str, head: &'static RawHead) -> Result<&'static Table, String> {
    elf::require_object(bytes, symbol, size_of::<Raw<Table>>() as u64)?;
    // SAFETY: the symbol is a variable of the library, which is never unloaded, and its version says what it
    // is.
    Ok(unsafe { &(*std::ptr::from_ref(head).cast::<Raw<Table>>()).functions })
}

/// The library of these bytes. The system opens files only; the file is gone once it is open.
fn open(bytes: &[u8]) -> Result<Library, String> {
    let mut file = tempfile::Builder::new().suffix(".so").tempfile().map_err(|error| error.to_string())?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(|error| error.to_string())?;
    // SAFETY: initialisers of the library run; see `load_library`.
    unsafe { Library::new(file.path()) }.map_err(|error| error.to_string())
}

/// A table of the library; `what` is its name in the header.
fn slice<T>(what: &str, first: *const T, count: u32) -> Result<&'static [T], String> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() || !first.is_aligned() {
        return Err(format!("{count} {what}, and no table of them"));
    }
    if count > MOST_ENTRIES {
        return Err(format!("{count} {what}: at most {MOST_ENTRIES}"));
    }
    // SAFETY: the library says that there are so many, and is never unloaded.
    Ok(unsafe { std::slice::from_raw_parts(first, count as usize) })
}

fn static_text(text: *const c_char) -> Result<&'static str, String> {
    if text.is_null() {
        return Ok("");
    }
    // SAFETY: the library says that it is a string, and is never unloaded.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| "a text of the library is not UTF-8".to_owned())
}

fn text(text: *const c_char) -> Result<String, String> {
    static_text(text).map(str::to_owned)
}

fn schema_of(own: &RawParameter) -> Result<Value, String> {
    let whole = |number: f64| json!(number as i64);
    let number = |number: f64| json!(number);
    let (kind, value): (_, &dyn Fn(f64) -> Value) = match own.kind {
        0 => ("number", &number),
        1 => ("integer", &whole),
        2 => ("boolean", &|truth| json!(truth != 0.0)),
        other => return Err(format!("parameter `{}`: {other} is no kind", text(own.name)?)),
    };
    let mut schema =
        json!({ "type": kind, "description": text(own.meaning)?, "default": value(own.default) });
    if own.kind != 2 {
        for (keyword, bound) in [("minimum", own.least), ("maximum", own.most)] {
            if bound.is_finite() {
                schema[keyword] = value(bound);
            }
        }
    }
    Ok(schema)
}

struct LibraryFactory {
    start: Start,
    functions: Functions,
    traits: Traits,
    /// Of the parameters, in the order of the library.
    names: Vec<String>,
    state_bytes: usize,
}

impl LibraryFactory {
    /// The values of the parameters, in the order of the library.
    fn numbers(&self, values: &Values) -> Vec<f64> {
        let as_number = |name: &String| match &values[name] {
            Value::Bool(truth) => f64::from(u8::from(*truth)),
            value => value.as_f64().unwrap_or(f64::NAN),
        };
        self.names.iter().map(as_number).collect()
    }

    /// The state that `start` makes, or what it refuses: a key and what would be legal.
    fn started(&self, values: &Values, facts: &PortFacts) -> Result<Vec<u128>, (String, String)> {
        let numbers = self.numbers(values);
        let port = RawPort {
            link_rate_bps: facts.link_rate.bits_per_second(),
            timer_phase: facts.timer_phase,
            flow_salt: facts.flow_salt,
        };
        // As aligned as the state of a scheme is.
        let mut state = vec![0_u128; self.state_bytes.div_ceil(size_of::<u128>()).max(1)];
        // SAFETY: the state has the length that the library asked for, and there is a number for each of its
        // parameters.
        let refusal = unsafe { (self.start)(state.as_mut_ptr().cast(), numbers.as_ptr(), &raw const port) };
        if !refusal.is_null() {
            let words = static_text(refusal).unwrap_or("what it does not say in UTF-8");
            let (key, legal) = words.split_once(": ").unwrap_or(("scheme", words));
            return Err((key.to_owned(), legal.to_owned()));
        }
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
                own.queues.map_or(0, |queues| unsafe { queues(self.numbers(values).as_ptr()) })
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
