//! Files of recordings: text, or text that gzip has made smaller.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file, unpacked where its name ends in `.gz`.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(named)?;
    let mut text = String::new();
    if path.extension().is_some_and(|end| end == "gz") {
        MultiGzDecoder::new(file).read_to_string(&mut text).map_err(named)?;
    } else {
        file.read_to_string(&mut text).map_err(named)?;
    }
    Ok(text)
}
