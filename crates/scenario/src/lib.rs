//! An experiment as typed, checked data: the one schema of the laboratory.
//!
//! A scenario is written in TOML, checked whole before anything runs, and resolved into what a driver
//! consumes: a network of nodes and links, populations of browsing users, groups of long-lived flows and
//! of datagram sources, and what to record.
//!
//! ```
//! use aqmlab_scenario::Scenario;
//!
//! let text = r#"
//!     name = "drop-tail-240"
//!     duration_s = 60.0
//!     [dumbbell]
//!     rate_mbps = 100.0
//!     queue = { scheme = "drop-tail", limit_packets = 240 }
//!     [users]
//!     per_side = 500
//! "#;
//! let scenario = Scenario::from_toml(text, "droptail.toml", &[])?;
//! assert_eq!(scenario.populations[0].users, 500);
//! assert_eq!(scenario.network.links[0].name, "left-to-right");
//!
//! let misspelt = text.replace("rate_mbps", "rate_mpbs");
//! let error = Scenario::from_toml(&misspelt, "droptail.toml", &[]).unwrap_err().to_string();
//! assert!(error.starts_with("droptail.toml:5: dumbbell: unknown key \"rate_mpbs\""));
//! assert!(error.ends_with("did you mean \"rate_mbps\"?"));
//! # Ok::<(), aqmlab_scenario::ScenarioError>(())
//! ```
//!
//! # Where things are
//!
//! - [`document`]: the structs that are the schema. A key is added there, with its comment, default and
//!   range; the checks, the messages, the JSON Schema and the tables of `docs/reference/scenario/` follow.
//! - [`Scenario`], [`Network`]: what is resolved from a document. A scenario exists only checked.
//! - [`TrafficGroup`], [`Conversation`]: who talks to whom.
//! - [`ReachedClasses`]: which traffic is in which class, where a port has classes.
//! - [`Demand`]: the parts of the traffic by the numbers that say how much it is, and the links that carry
//!   them.
//! - [`limits`]: what one run can hold.
//! - [`ScenarioError`]: every mistake with its place, what is legal, and the nearest name.
//! - [`json_schema`], [`reference()`]: the schema for editors and for people.
//!
//! # The way of a text
//!
//! 1. `text`: TOML or JSON becomes a tree of values that remember their line; overrides are set in it.
//!    Schemes and traffic models in files are loaded, so that the schema knows their parameters
//!    (`own_files`).
//! 2. `shape`: the tree is held against the JSON Schema of [`Document`]: keys, types, names, ranges.
//! 3. The tree becomes a [`Document`]; defaults that depend on other keys are filled in, and the texts of the
//!    files that it names.
//! 4. `resolve`: names become indices, shorthands networks, numbers quantities; contradictions are refused.
//!
//! The first step with mistakes ends the way, with all the mistakes it found.
#![deny(missing_docs)]

mod classes_of_traffic;
mod conversations;
mod demand;
pub mod document;
mod ecn_field;
mod error;
mod files;
mod legal;
pub mod limits;
mod mistakes;
mod nearest;
mod network;
mod own_files;
mod own_names;
mod read;
mod recognised;
mod reference;
mod resolve;
mod routes;
mod scenario;
mod schema;
mod shape;
mod text;

pub use aqmlab_applications::{ApplicationModel, FramesFacts, Sends, SteadyRate};
pub use aqmlab_aqm::Scheme;
pub use aqmlab_session::ResponseEnd;
pub use aqmlab_tcp::{Congestion, HostOverrides, HostProfile};
pub use aqmlab_transport::Transport;
pub use aqmlab_web::{StartRule, UserModel, WaitsFor, Workload};
pub use classes_of_traffic::ReachedClasses;
pub use conversations::{ConnectionGroup, Conversation, DemandUnit, TrafficGroup, Way};
pub use demand::Demand;
pub use document::{DelayOn, DelayOwner, Document, EcnCodepoint, Responses, ThroughputLayer};
pub use ecn_field::EcnField;
pub use error::{Legal, Mistake, Place, ScenarioError};
pub use nearest::scheme_named_elsewhere;
pub use network::{Impairment, Link, LinkIndex, Network, Node, NodeIndex, NodeKind};
pub use own_files::{
    ControllerLoader, InFile, ModelLoader, SchemeLoader, load_controller_in_file, load_model_in_file,
    load_scheme_in_file, set_controller_loader, set_model_loader, set_scheme_loader, with_controller_file,
};
pub use recognised::FileKind;
pub use reference::{KeyReference, TableReference, reference};
pub use routes::{Distances, Routes};
pub use scenario::{
    DatagramGroup, DelayBox, EndAfter, Flow, FlowDelays, FlowGroup, FlowStarts, Life, MinimumDelay,
    Population, QueueSummary, Record, Role, Scenario, ShaperFollower,
};
pub use schema::json_schema;
