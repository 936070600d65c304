//! Columns of numbers, ready to be handed to NumPy or Arrow as they are.

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Small whole numbers and codes.
    U8(Vec<u8>),
    /// Whole numbers below 2³².
    U32(Vec<u32>),
    /// Whole numbers.
    U64(Vec<u64>),
    /// Real numbers of about 7 digits.
    F32(Vec<f32>),
    /// Real numbers.
    F64(Vec<f64>),
}

impl ColumnValues {
    /// How many values the column holds.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether the column holds no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column: its name carries the unit of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name with unit, as it appears in the Parquet file.
    pub name: &'static str,
    /// The values.
    pub values: ColumnValues,
}

/// A table: columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the table, and of its file.
    pub name: &'static str,
    /// The columns, all equally long.
    pub columns: Vec<Column>,
}

impl Table {
    /// A table of these columns.
    ///
    /// # Panics
    /// If the columns are not equally long: that is a bug of the recorder.
    #[must_use]
    pub fn new(name: &'static str, columns: Vec<(&'static str, ColumnValues)>) -> Self {
        let rows = columns.first().map_or(0, |column| column.1.len());
        for (column, values) in &columns {
            assert_eq!(
                values.len(),
                rows,
                "column {column} of table {name} has another length than the first"
            );
        }
        let columns = columns.into_iter().map(|(name, values)| Column { name, values }).collect();
        Self { name, columns }
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "column b of table t has another length")]
    fn columns_of_different_length_are_a_bug() {
        let _ = Table::new("t", vec![("a", ColumnValues::U8(vec![1])), ("b", ColumnValues::U8(vec![]))]);
    }
}
