//! Names of schemes, traffic models and congestion controllers in files: `my_red.py:MyRed`.

use aqmlab_tcp::congestion::own::CONTROLLER;

/// The keys that may name one.
pub(crate) const SCHEME: &str = "scheme";
pub(crate) const MODEL: &str = "model";
/// The key whose value is a congestion controller: its name, or a table in which [`CONTROLLER`] names it.
pub(crate) const CONGESTION: &str = "congestion";

/// Whether a dotted key names a congestion controller.
pub(crate) fn is_controller(key: &str) -> bool {
    key.rsplit('.').next().is_some_and(|last| [CONGESTION, CONTROLLER].contains(&last))
}

/// The file that a key names, if what it names is in a file.
pub(crate) fn file_named<'a>(key: &str, name: &'a str) -> Option<&'a str> {
    // As registered or as written: what follows an @ is not part of the file.
    if is_in_file(key, name) { parts(name).map(|(file, _)| file) } else { None }
}

/// Whether a key names a scheme, a traffic model or a congestion controller in a file.
pub(crate) fn is_in_file(key: &str, name: &str) -> bool {
    [SCHEME, MODEL, CONGESTION, CONTROLLER].contains(&key) && name.contains(':')
}

/// Whether a key names the file of a scheme, a traffic model or a congestion controller, and nothing in it.
pub(crate) fn is_file_alone(key: &str, name: &str) -> bool {
    [SCHEME, MODEL, CONGESTION, CONTROLLER].contains(&key)
        && !name.contains(':')
        && (name.ends_with(".py") || is_library(name))
}

/// Whether a file is a shared library, by its name.
pub(crate) fn is_library(file: &str) -> bool {
    [".so", ".dylib"].iter().any(|ending| file.ends_with(ending))
}

/// File and object.
pub(crate) fn parts(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(':')
}
