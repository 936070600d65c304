//! What is wrong with the parameters of an application.

/// A value that does not go together with others, or with the lengths of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The key: of the application's own table, or of its group.
    pub key: String,
    /// What is wrong, in words.
    pub wrong: String,
    /// What would be legal, in words.
    pub legal: String,
    /// Whether the key is one of the group.
    pub is_of_group: bool,
}

impl Mistake {
    /// A key of the application's own table.
    pub(crate) fn new(key: &str, wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self { key: key.to_owned(), wrong: wrong.into(), legal: legal.into(), is_of_group: false }
    }

    /// A key of the group.
    pub(crate) fn of_group(key: &str, wrong: impl Into<String>, legal: impl Into<String>) -> Self {
        Self { is_of_group: true, ..Self::new(key, wrong, legal) }
    }
}
