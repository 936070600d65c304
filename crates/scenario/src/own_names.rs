//! Names of schemes and traffic models in files: `my_red.py:MyRed`.

/// The keys that may name one.
pub(crate) const SCHEME: &str = "scheme";
pub(crate) const MODEL: &str = "model";

/// The file that a key names, if what it names is a scheme or a traffic model in a file.
pub(crate) fn file_named<'a>(key: &str, name: &'a str) -> Option<&'a str> {
    // As registered or as written: what follows an @ is not part of the file.
    if is_in_file(key, name) { parts(name).map(|(file, _)| file) } else { None }
}

/// Whether a key names a scheme or a traffic model in a file.
pub(crate) fn is_in_file(key: &str, name: &str) -> bool {
    [SCHEME, MODEL].contains(&key) && name.contains(':')
}

/// File and object.
pub(crate) fn parts(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(':')
}
