//! Columns of numbers and of names, ready to be handed to NumPy or Arrow as they are.

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
    /// Names, each written once: an Arrow dictionary.
    Names(Names),
}

/// A column of names: of each row the place of its name in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    codes: Vec<u32>,
    names: Vec<String>,
}

impl Names {
    /// The code of a row that has no name: null in Arrow.
    pub const NO_NAME: u32 = u32::MAX;

    /// The names at these places of a list.
    ///
    /// # Panics
    /// If a code is beyond the list and not [`Names::NO_NAME`]: that is a bug of the recorder.
    #[must_use]
    pub fn new(codes: Vec<u32>, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let stray = codes.iter().find(|&&code| code != Self::NO_NAME && code as usize >= names.len());
        if let Some(code) = stray {
            panic!("code {code} in a column of {} names", names.len());
        }
        Self { codes, names }
    }

    /// Of each row the place of its name, or [`Names::NO_NAME`].
    #[must_use]
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The list of names; a name may stand in no row.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.codes.iter().map(|&code| self.names.get(code as usize).map(String::as_str))
    }

    /// Codes and list, for whoever takes over their memory.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u32>, Vec<String>) {
        (self.codes, self.names)
    }
}

impl ColumnValues {
    /// A column of names: see [`Names::new`].
    ///
    /// # Panics
    /// If a code is beyond the list.
    #[must_use]
    pub fn names(codes: Vec<u32>, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Names(Names::new(codes, names))
    }

    /// How many values the column holds.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Names(values) => values.codes.len(),
        }
    }

    /// The values in these rows, in this order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn at(&self, rows: &[u32]) -> Self {
        fn of<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| values[row as usize]).collect()
        }
        match self {
            Self::U8(values) => Self::U8(of(values, rows)),
            Self::U32(values) => Self::U32(of(values, rows)),
            Self::U64(values) => Self::U64(of(values, rows)),
            Self::F32(values) => Self::F32(of(values, rows)),
            Self::F64(values) => Self::F64(of(values, rows)),
            Self::Names(Names { codes, names }) => {
                Self::Names(Names { codes: of(codes, rows), names: names.clone() })
            }
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

    #[test]
    fn a_row_has_the_name_at_its_code_or_none() {
        let names = Names::new(vec![1, Names::NO_NAME, 0], ["up", "down"]);
        assert!(names.iter().eq([Some("down"), None, Some("up")]));
    }

    #[test]
    #[should_panic(expected = "code 2 in a column of 2 names")]
    fn a_code_without_a_name_is_a_bug() {
        let _ = Names::new(vec![0, 2], ["up", "down"]);
    }
}
