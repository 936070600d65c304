//! An experiment as typed, checked data: the one schema of the laboratory.
//!
//! A scenario is written in TOML, checked whole before anything runs, and resolved into what a driver
//! consumes: a network of nodes and links, populations of browsing users, groups of long-lived flows, and
//! what to record.
#![deny(missing_docs)]

mod network;
mod scenario;
mod stand_in;

pub use network::{Framing, Link, LinkIndex, Network, Node, NodeIndex, NodeKind};
pub use scenario::{
    Flow, FlowGroup, MinimumDelay, Population, Record, Responses, Scenario, StartRule, UserModel,
};
pub use stand_in::{HostProfile, Scheme, UncParameters};
