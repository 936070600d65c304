//! Stand-ins for the parameter types of `aqmlab-tcp` until they land.
#![allow(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq)]
pub struct HostProfile;

impl HostProfile {
    pub const NAMES: [&'static str; 3] = ["bsd45", "rfc5681", "ns2-oneway"];
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostOverrides {
    ecn: Option<bool>,
}
