//! Columns of any type, as numbers and as bytes.

use aqmlab_record::{ColumnValues, Table};
use aqmlab_sim::Output;

/// The numbers of a column.
pub(super) fn numbers(values: &ColumnValues) -> Box<dyn Iterator<Item = f64> + '_> {
    match values {
        ColumnValues::U8(values) => Box::new(values.iter().map(|&value| f64::from(value))),
        ColumnValues::U32(values) => Box::new(values.iter().map(|&value| f64::from(value))),
        ColumnValues::U64(values) => Box::new(values.iter().map(|&value| value as f64)),
        ColumnValues::F32(values) => Box::new(values.iter().map(|&value| f64::from(value))),
        ColumnValues::F64(values) => Box::new(values.iter().copied()),
        ColumnValues::Names(values) => Box::new(values.codes().iter().map(|&code| f64::from(code))),
    }
}

/// The numbers of a column by its name; empty without one.
pub(super) fn named(table: &Table, name: &str) -> Vec<f64> {
    table
        .columns
        .iter()
        .find(|column| column.name == name)
        .map_or(Vec::new(), |column| numbers(&column.values).collect())
}

/// FNV-1a over everything that a run leaves behind, bit by bit.
pub(crate) fn digest(output: &Output) -> u64 {
    digest_of(&output.summary.to_json(), &output.tables)
}

/// The same over a summary and some tables.
pub(super) fn digest_of<'a>(summary: &str, tables: impl IntoIterator<Item = &'a Table>) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: u64| digest = (digest ^ bytes).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
    summary.bytes().for_each(|byte| add(u64::from(byte)));
    for table in tables {
        table.name.bytes().for_each(|byte| add(u64::from(byte)));
        for column in &table.columns {
            column.name.bytes().for_each(|byte| add(u64::from(byte)));
            numbers(&column.values).for_each(|number| add(number.to_bits()));
        }
    }
    digest
}
