//! Names of schemes in files: `my_red.py:MyRed`.

/// The file that a key names, if what it names is a scheme in a file.
pub(crate) fn file_named<'a>(key: &str, name: &'a str) -> Option<&'a str> {
    // As registered or as written: what follows an @ is not part of the file.
    if is_scheme_in_file(key, name) { parts(name).map(|(file, _)| file) } else { None }
}

/// Whether a key names a scheme in a file.
pub(crate) fn is_scheme_in_file(key: &str, name: &str) -> bool {
    key == "scheme" && name.contains(':')
}

/// File and object.
pub(crate) fn parts(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once(':')
}
