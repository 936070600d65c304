//! What a run leaves behind, as a host reads it: texts, and where each column stands in memory.

use aqmlab_record::{ColumnValues, Table};
use aqmlab_sim::Output;
use serde_json::{Value, json};

/// The summary and the tables of a run.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The content of `run.json`.
    pub summary: String,
    /// The tables, whose columns a host reads where they stand.
    pub tables: Vec<Table>,
}

impl Answer {
    pub(crate) fn of(output: Output) -> Self {
        let Output { summary, tables, .. } = output;
        Self { summary: summary.to_json(), tables }
    }

    /// The tables as JSON: of each its `name` and `columns`, of these the `name`, the `type` of its elements
    /// (`u8`, `u32`, `u64`, `f32`, `f64`), the address `at` which the first one stands, and the `length`. A
    /// column of names has the `names`, and as elements their places, or 2³² - 1 for none.
    #[must_use]
    pub fn directory(&self) -> String {
        Value::from_iter(self.tables.iter().map(described)).to_string()
    }
}

fn described(table: &Table) -> Value {
    let columns = table.columns.iter().map(|column| {
        let (elements, at) = place_of(&column.values);
        let mut described =
            json!({ "name": column.name, "type": elements, "at": at, "length": table.rows() });
        if let ColumnValues::Names(names) = &column.values {
            described["names"] = names.names().into();
        }
        described
    });
    json!({ "name": table.name, "columns": Value::from_iter(columns) })
}

/// The type of a column's elements, and where the first one stands.
fn place_of(values: &ColumnValues) -> (&'static str, usize) {
    match values {
        ColumnValues::U8(values) => ("u8", values.as_ptr().addr()),
        ColumnValues::U32(values) => ("u32", values.as_ptr().addr()),
        ColumnValues::U64(values) => ("u64", values.as_ptr().addr()),
        ColumnValues::F32(values) => ("f32", values.as_ptr().addr()),
        ColumnValues::F64(values) => ("f64", values.as_ptr().addr()),
        ColumnValues::Names(names) => ("u32", names.codes().as_ptr().addr()),
    }
}
