//! Tables of keys, as a scenario file would hold them. [`schemars::Schema`] serves as the table type: it is
//! the JSON object that the crate's dependencies bring along.

use aqmlab_aqm::Scheme;
use schemars::Schema;
use serde::Deserialize;

/// The scheme that a table describes, or the message of its refusal.
pub(crate) fn parse(table: &Schema) -> Result<Scheme, String> {
    Scheme::deserialize(table.clone().to_value()).map_err(|error| error.to_string())
}
