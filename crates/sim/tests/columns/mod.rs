//! Tables of a run, and their columns, by name.

#![allow(dead_code, reason = "each test file uses its part")]

use aqmlab_record::{ColumnValues, Names, Table};
use aqmlab_sim::Output;

#[track_caller]
pub(crate) fn table<'a>(output: &'a Output, name: &str) -> &'a Table {
    let table = output.tables.iter().find(|table| table.name == name);
    table.unwrap_or_else(|| panic!("no table {name}"))
}

#[track_caller]
pub(crate) fn column<'a>(table: &'a Table, name: &str) -> &'a ColumnValues {
    let column = table.columns.iter().find(|column| column.name == name);
    &column.unwrap_or_else(|| panic!("no column {name} in {}", table.name)).values
}

/// Real numbers.
#[track_caller]
pub(crate) fn real<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    let values = column(table, name);
    let ColumnValues::F64(values) = values else { panic!("{name}: {values:?}") };
    values
}

/// Whole numbers of 32 bits, as sequence numbers are.
#[track_caller]
pub(crate) fn words<'a>(table: &'a Table, name: &str) -> &'a [u32] {
    let values = column(table, name);
    let ColumnValues::U32(values) = values else { panic!("{name}: {values:?}") };
    values
}

/// Whole numbers of any width; of names their codes.
#[track_caller]
pub(crate) fn whole(table: &Table, name: &str) -> Vec<u64> {
    match column(table, name) {
        ColumnValues::U8(values) => values.iter().copied().map(u64::from).collect(),
        ColumnValues::U32(values) => values.iter().copied().map(u64::from).collect(),
        ColumnValues::U64(values) => values.clone(),
        ColumnValues::Names(names) => names.codes().iter().copied().map(u64::from).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Numbers of any kind, as real ones.
#[track_caller]
pub(crate) fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match column(table, name) {
        ColumnValues::F32(values) => values.iter().copied().map(f64::from).collect(),
        ColumnValues::F64(values) => values.clone(),
        _ => whole(table, name).into_iter().map(|value| value as f64).collect(),
    }
}

/// Names, which a row may lack.
#[track_caller]
pub(crate) fn names<'a>(table: &'a Table, name: &str) -> &'a Names {
    let values = column(table, name);
    let ColumnValues::Names(names) = values else { panic!("{name}: {values:?}") };
    names
}

/// The names of all rows, each of which has one.
#[track_caller]
pub(crate) fn labels<'a>(table: &'a Table, name: &str) -> Vec<&'a str> {
    names(table, name).iter().map(|name| name.expect("a name in every row")).collect()
}
