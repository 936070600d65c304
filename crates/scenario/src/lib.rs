//! An experiment as typed, checked data: the one schema of the laboratory.
//!
//! A scenario is written in TOML, checked whole before anything runs, and resolved into what a driver
//! consumes: a network of nodes and links, populations of browsing users, groups of long-lived flows, and
//! what to record.
#![deny(missing_docs)]

pub mod document;
mod error;
mod legal;
mod mistakes;
mod nearest;
mod network;
mod read;
mod reference;
mod resolve;
mod routes;
mod scenario;
mod schema;
mod shape;
mod text;

pub use aqmlab_aqm::Scheme;
pub use aqmlab_tcp::{HostOverrides, HostProfile};
pub use aqmlab_web::{StartRule, UncParameters};
pub use document::{Document, Responses, UserModel};
pub use error::{Mistake, Place, ScenarioError};
pub use network::{Framing, Link, LinkIndex, Network, Node, NodeIndex, NodeKind};
pub use reference::{KeyReference, TableReference, reference};
pub use scenario::{Flow, FlowGroup, MinimumDelay, Population, Record, Scenario};
pub use schema::json_schema;
