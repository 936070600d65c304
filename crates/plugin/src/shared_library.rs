//! What libraries are read by: a variable of a shared library at its symbol, and the texts, tables and
//! parameters that it points to.
//!
//! A library stays loaded for the rest of the program, so whatever it points to lives as long.
#![allow(unsafe_code)]

use crate::elf;
use crate::values::Values;
use libloading::{Library, Symbol};
use serde_json::{Value, json};
use std::ffi::{CStr, c_char};
use std::io::Write as _;

/// More parameters, or more names of what is observed, are a mistake.
const MOST_ENTRIES: u32 = 1_000;
/// So many symbols of a library are named.
const MOST_NAMED: usize = 20;
/// More is a mistake.
const MOST_STATE_BYTES: u64 = 1 << 26;

/// `aqmlab_parameter`.
#[repr(C)]
pub(crate) struct RawParameter {
    name: *const c_char,
    meaning: *const c_char,
    kind: u32,
    default: f64,
    least: f64,
    most: f64,
}

/// The parameters of a library: their names in its order, and their JSON schemas.
pub(crate) struct LibraryParameters {
    names: Vec<String>,
    pub(crate) schemas: Values,
}

impl LibraryParameters {
    /// Those of a table of so many.
    ///
    /// # Errors
    /// In words, which of them is declared wrongly.
    pub(crate) fn read(first: *const RawParameter, count: u32) -> Result<Self, String> {
        let parameters = slice("parameters", first, count)?;
        let names: Vec<String> = parameters.iter().map(|own| text(own.name)).collect::<Result<_, _>>()?;
        if let Some(twice) =
            names.iter().enumerate().find_map(|(n, name)| names[..n].contains(name).then_some(name))
        {
            return Err(format!("parameter `{twice}` is declared twice"));
        }
        let schemas = parameters.iter().map(schema_of).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { schemas: names.iter().cloned().zip(schemas).collect(), names })
    }

    /// The values, as the functions of the library take them.
    pub(crate) fn numbers(&self, values: &Values) -> Vec<f64> {
        let as_number = |name: &String| match &values[name] {
            Value::Bool(truth) => f64::from(u8::from(*truth)),
            value => value.as_f64().unwrap_or(f64::NAN),
        };
        self.names.iter().map(as_number).collect()
    }
}

/// The library of these bytes, which are whole. The system opens files only; the file is gone once it is
/// open.
///
/// # Errors
/// In words: it is no library of this machine.
pub(crate) fn open(bytes: &[u8]) -> Result<Library, String> {
    let opened = || {
        let mut file =
            tempfile::Builder::new().suffix(".so").tempfile().map_err(|error| error.to_string())?;
        file.write_all(bytes).and_then(|()| file.flush()).map_err(|error| error.to_string())?;
        // SAFETY: initialisers of the library run: whoever names the library in a scenario vouches for it, as
        // for any program that is run.
        unsafe { Library::new(file.path()) }.map_err(|error| error.to_string())
    };
    let legal = "a shared library, as `cc -shared` makes it";
    opened().map_err(|error| format!("no library of this machine: {error}; legal: {legal}"))
}

/// The type that a variable is to be of.
pub(crate) struct Kind {
    /// Its name in the header.
    pub(crate) name: &'static str,
    /// The versions that a variable of it may begin with.
    pub(crate) versions: &'static [u32],
    /// The length of the shortest.
    pub(crate) least_bytes: usize,
}

impl Kind {
    /// Whether the library of these bytes, which are whole, has a variable of it.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        !elf::variables_beginning_with(bytes, self.versions, self.least_bytes as u64).is_empty()
    }

    /// What is said of a symbol that the library of these bytes does not have.
    fn missing(&self, bytes: &[u8], symbol: &str) -> String {
        let found = elf::variables_beginning_with(bytes, self.versions, self.least_bytes as u64);
        let legal = match found.len() {
            0 => format!("the name of a variable of type {}", self.name),
            1..=MOST_NAMED => found.join(", "),
            more => format!("{} and {} more", found[..MOST_NAMED].join(", "), more - MOST_NAMED),
        };
        format!("the library has no symbol {symbol}; legal: {legal}")
    }
}

/// Where the variable of a library is that has this name and is to be of a kind. The library is that of these
/// bytes.
///
/// # Errors
/// In words: there is none, and what there is; or it is nothing that a C compiler puts there.
pub(crate) fn variable<T>(
    (library, bytes): (&Library, &[u8]),
    symbol: &str,
    kind: &Kind,
) -> Result<*const T, String> {
    // SAFETY: the address alone is asked for.
    let found: Result<Symbol<'_, *const T>, _> = unsafe { library.get(symbol.as_bytes()) };
    let raw = *found.map_err(|_| kind.missing(bytes, symbol))?;
    if raw.is_null() || !raw.is_aligned() {
        return Err(format!("{symbol} is no {}", kind.name));
    }
    Ok(raw)
}

/// A state of so many bytes, all zero, in words as aligned as any C type is.
pub(crate) fn empty_state(state_bytes: usize) -> Vec<u128> {
    vec![0_u128; state_bytes.div_ceil(size_of::<u128>()).max(1)]
}

/// The length of a state, which is not beyond reason.
///
/// # Errors
/// In words: it is.
pub(crate) fn state_bytes(symbol: &str, bytes: u64) -> Result<usize, String> {
    if bytes > MOST_STATE_BYTES {
        return Err(format!("{symbol} has a state of {bytes} bytes: at most {MOST_STATE_BYTES}"));
    }
    Ok(usize::try_from(bytes).expect("checked above"))
}

/// What `start` refuses: a key and what would be legal; `whole` is the key of one that names none.
///
/// # Errors
/// It refuses something.
pub(crate) fn started(refusal: *const c_char, whole: &str) -> Result<(), (String, String)> {
    if refusal.is_null() {
        return Ok(());
    }
    let words = static_text(refusal).unwrap_or("what it does not say in UTF-8");
    let (key, legal) = words.split_once(": ").unwrap_or((whole, words));
    Err((key.to_owned(), legal.to_owned()))
}

/// A table of the library; `what` is its name in the header.
pub(crate) fn slice<T>(what: &str, first: *const T, count: u32) -> Result<&'static [T], String> {
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

pub(crate) fn static_text(text: *const c_char) -> Result<&'static str, String> {
    if text.is_null() {
        return Ok("");
    }
    // SAFETY: the library says that it is a string, and is never unloaded.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| "a text of the library is not UTF-8".to_owned())
}

pub(crate) fn text(text: *const c_char) -> Result<String, String> {
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
