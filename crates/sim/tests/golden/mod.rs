//! Digests of tables, and the committed files that they are held against.

use aqmlab_record::{ColumnValues, Table};
use std::path::Path;

/// FNV-1a, 64 bits.
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    pub(crate) fn value(&self) -> u64 {
        self.0
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn add_table(&mut self, table: &Table) {
        self.add(table.name.as_bytes());
        for column in &table.columns {
            self.add(column.name.as_bytes());
            match &column.values {
                ColumnValues::U8(values) => self.add(values),
                ColumnValues::U32(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::U64(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::F32(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::F64(values) => values.iter().for_each(|value| self.add(&value.to_le_bytes())),
                ColumnValues::Names(values) => {
                    values.codes().iter().for_each(|code| self.add(&code.to_le_bytes()));
                    values.names().iter().for_each(|name| self.add(format!("{name}\n").as_bytes()));
                }
            }
        }
    }
}

/// Holds what was found against a committed file beside the tests, or writes the file where
/// `AQMLAB_UPDATE_GOLDEN_TRACES` is set.
#[allow(clippy::disallowed_methods)] // asks whether to write new digests, nothing that a run depends on
pub(crate) fn hold_against(file: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    if std::env::var_os("AQMLAB_UPDATE_GOLDEN_TRACES").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let (found, committed): (Vec<&str>, Vec<&str>) = (found.lines().collect(), committed.lines().collect());
    let missing: Vec<&&str> = committed.iter().filter(|line| !found.contains(line)).collect();
    let new: Vec<&&str> = found.iter().filter(|line| !committed.contains(line)).collect();
    assert!(found == committed, "{}: committed, not found: {missing:#?}\nfound: {new:#?}", file.display());
}
