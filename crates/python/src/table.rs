//! Columns as NumPy arrays, which take over the memory instead of copying it. A column of names is a pair: an
//! array of codes, the highest code of which is no name, and the list of names.

use aqmlab_record::{ColumnValues, Table};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The table's columns by name.
pub(crate) fn into_arrays(table: Table, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for column in table.columns {
        columns.set_item(column.name, into_array(column.values, py)?)?;
    }
    Ok(columns)
}

fn into_array(values: ColumnValues, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(match values {
        ColumnValues::U8(values) => values.into_pyarray(py).into_any(),
        ColumnValues::U32(values) => values.into_pyarray(py).into_any(),
        ColumnValues::U64(values) => values.into_pyarray(py).into_any(),
        ColumnValues::F32(values) => values.into_pyarray(py).into_any(),
        ColumnValues::F64(values) => values.into_pyarray(py).into_any(),
        ColumnValues::Names(values) => {
            let (codes, names) = values.into_parts();
            (codes.into_pyarray(py), names).into_pyobject(py)?.into_any()
        }
    })
}
