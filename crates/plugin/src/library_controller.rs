//! A congestion controller in a shared library: a symbol of the type `aqmlab_controller` of
//! `aqmlab_controller.h`.
#![allow(unsafe_code)]

use crate::controller_table::{ControllerHost, ControllerTable, Functions, RawAnswers, TableController};
use crate::declared_controller::{ControllerFactory, DeclaredController};
use crate::declared_model::Refused;
use crate::elf;
use crate::fault::Fault;
use crate::shared_library::{self, Kind, LibraryParameters, RawParameter, text};
use crate::values::Values;
use aqmlab_tcp::congestion::own::{Answers, OwnInstance, OwnTraits};
use aqmlab_tcp::congestion::{Codepoint, Settings};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The layout that a library must have been compiled with; others than those of `aqmlab_scheme.h`.
pub(crate) const CONTROLLER_VERSION: u32 = 0x3_0001;
/// The versions of what `aqmlab_scheme.h` has, with their types.
const OTHERS: [(u32, &str); 3] =
    [(0x1, "aqmlab_scheme"), (0x1_0001, "aqmlab_scheduler"), (0x2_0001, "aqmlab_guard")];
/// The type that a symbol has.
const KIND: Kind = Kind {
    name: "aqmlab_controller",
    versions: &[CONTROLLER_VERSION],
    least_bytes: size_of::<RawController>(),
};

const SENDS_ECT1: u32 = 1;
const ACCURATE_ECN: u32 = 2;
const ANSWERS_MARKS: u32 = 4;
const PACES: u32 = 8;
const ALL_FLAGS: u32 = SENDS_ECT1 | ACCURATE_ECN | ANSWERS_MARKS | PACES;

/// The host for which `start` checks parameters while a scenario is read.
const HOST: ControllerHost = ControllerHost { initial_window: 10, packet_bytes: 1_500, pacing: false };

/// `aqmlab_host`.
#[repr(C)]
struct RawHost {
    initial_window: u32,
    packet_bytes: u32,
    pacing: u32,
}

type Start = unsafe extern "C" fn(*mut c_void, *const f64, *const RawHost, *mut RawAnswers) -> *const c_char;

/// `aqmlab_controller`.
#[repr(C)]
struct RawController {
    version: u32,
    flags: u32,
    meaning: *const c_char,
    parameters: *const RawParameter,
    parameter_count: u32,
    state_bytes: u64,
    start: Option<Start>,
    table: ControllerTable,
}

/// A congestion controller of a library, with whatever parameters.
pub struct LibraryController {
    meaning: String,
    parameters: LibraryParameters,
    traits: OwnTraits,
    start: Start,
    functions: Arc<Functions>,
    state_bytes: usize,
}

impl LibraryController {
    /// The controller at a symbol of a shared library, which is given by its bytes and stays loaded for the
    /// rest of the program. `name` is what messages call it.
    ///
    /// # Errors
    /// In words: a library cut short, no library of this machine, no such symbol, another version of the
    /// layout, a function that is missing, or a parameter declared wrongly.
    pub fn load(bytes: &[u8], symbol: &str, name: &str) -> Result<Self, String> {
        elf::require_whole(bytes)?;
        elf::require_object(bytes, symbol, KIND.name, size_of::<u32>() as u64)?;
        let library = shared_library::open(bytes)?;
        let raw = shared_library::variable::<RawController>((&library, bytes), symbol, &KIND)?;
        std::mem::forget(library);
        // SAFETY: the symbol is a variable of the library, which is never unloaded, of at least a word.
        require_version(symbol, unsafe { *raw.cast::<u32>() })?;
        elf::require_object(bytes, symbol, KIND.name, size_of::<RawController>() as u64)?;
        // SAFETY: its version says what it is, and it is long enough.
        Self::read(symbol, unsafe { &*raw }, name)
    }

    fn read(symbol: &str, raw: &'static RawController, name: &str) -> Result<Self, String> {
        let unknown = raw.flags & !ALL_FLAGS;
        if unknown != 0 {
            return Err(format!(
                "{symbol} has flags {unknown:#x} that mean nothing: up to {ALL_FLAGS:#x} is legal"
            ));
        }
        let has = |flag: u32| raw.flags & flag != 0;
        Ok(Self {
            meaning: text(raw.meaning)?,
            parameters: LibraryParameters::read(raw.parameters, raw.parameter_count)?,
            traits: OwnTraits {
                hears_each_loss: raw.table.on_lost.is_some(),
                paces: has(PACES),
                needs_accurate_ecn: has(ACCURATE_ECN),
                answers_marks: has(ANSWERS_MARKS),
                codepoint: if has(SENDS_ECT1) { Codepoint::Ect1 } else { Codepoint::Ect0 },
            },
            start: raw.start.ok_or_else(|| format!("{symbol} has no function start"))?,
            functions: Arc::new(Functions::new(raw.table.clone(), name.to_owned())),
            state_bytes: shared_library::state_bytes(symbol, raw.state_bytes)?,
        })
    }

    /// It as a declaration for scenarios.
    ///
    /// # Errors
    /// In words, which parameter is declared wrongly, and how.
    pub fn declared(self) -> Result<DeclaredController, String> {
        let (meaning, schemas) = (self.meaning.clone(), self.parameters.schemas.clone());
        DeclaredController::new(meaning, schemas, Arc::new(self))
    }

    /// What it is beside its window.
    #[must_use]
    pub const fn traits(&self) -> OwnTraits {
        self.traits
    }

    /// The defaults of its parameters.
    #[must_use]
    pub fn defaults(&self) -> Values {
        let schemas = self.parameters.schemas.iter();
        schemas.map(|(key, schema)| (key.clone(), schema["default"].clone())).collect()
    }

    /// That of a connection of such a host, as `start` leaves it.
    ///
    /// # Errors
    /// A key that `start` refuses, and what would be legal.
    pub fn started(
        &self,
        values: &Values,
        host: &ControllerHost,
    ) -> Result<TableController, (String, String)> {
        let numbers = self.parameters.numbers(values);
        let ControllerHost { initial_window, packet_bytes, pacing } = *host;
        let raw = RawHost { initial_window, packet_bytes, pacing: pacing.into() };
        let mut state = shared_library::empty_state(self.state_bytes);
        let mut answers = RawAnswers::of(host);
        // SAFETY: the state has the length that the library asked for, and there is a number for each of its
        // parameters.
        let refusal = unsafe {
            (self.start)(state.as_mut_ptr().cast(), numbers.as_ptr(), &raw const raw, &raw mut answers)
        };
        shared_library::started(refusal, "controller")?;
        // SAFETY: the library vouches for its functions, and is never unloaded.
        Ok(unsafe { TableController::with_words(Arc::clone(&self.functions), state, answers) })
    }
}

/// Whether a symbol of a library is a congestion controller, or is missing where the library has controllers
/// and no schemes: one of them was meant. The library is closed again.
#[must_use]
pub fn is_controller(bytes: &[u8], symbol: &str) -> bool {
    let version = || -> Result<u32, String> {
        elf::require_whole(bytes)?;
        elf::require_object(bytes, symbol, KIND.name, size_of::<u32>() as u64)?;
        let library = shared_library::open(bytes)?;
        let raw = shared_library::variable::<u32>((&library, bytes), symbol, &KIND)?;
        // SAFETY: the symbol is a variable of at least a word, and the library is open.
        Ok(unsafe { *raw })
    };
    version() == Ok(CONTROLLER_VERSION) || is_missing_among_controllers(bytes, symbol)
}

fn is_missing_among_controllers(bytes: &[u8], symbol: &str) -> bool {
    elf::require_whole(bytes).is_ok()
        && !elf::shows(bytes, symbol)
        && KIND.is_in(bytes)
        && elf::variables_beginning_with(bytes, &OTHERS.map(|(version, _)| version), 4).is_empty()
}

fn require_version(symbol: &str, version: u32) -> Result<(), String> {
    if version == CONTROLLER_VERSION {
        return Ok(());
    }
    if let Some((_, kind)) = OTHERS.iter().find(|(other, _)| *other == version) {
        return Err(format!("{symbol} is an {kind}; legal: an {}", KIND.name));
    }
    let legal = CONTROLLER_VERSION;
    Err(format!("{symbol} has version {version:#x} of aqmlab_controller.h: {legal:#x} is legal"))
}

impl ControllerFactory for LibraryController {
    fn traits(&self) -> OwnTraits {
        self.traits
    }

    fn check(&self, values: &Values) -> Result<(), Refused> {
        self.started(values, &HOST).map(|_| ()).map_err(|(key, legal)| Refused {
            wrong: format!("{key} of {}", self.functions.name()),
            key,
            legal,
        })
    }

    fn build(&self, values: &Values, settings: &Settings) -> (Box<dyn OwnInstance>, Answers) {
        let own = self.started(values, &settings.into()).unwrap_or_else(|(key, legal)| {
            Fault::raise(format!("{}: {key} must be {legal}", self.functions.name()))
        });
        let first = own.checked("start");
        (Box::new(own), first)
    }
}
