//! When a response time ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a response time ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseEnd {
    /// With the last byte of the response.
    #[default]
    LastByte,
    /// When the browser learns that the server has closed the connection; only if servers close it.
    ConnectionClosed,
}
