//! Random legal networks: what the scenario check accepts has to run, whatever it is.
//!
//! A case is a number: [`CaseNumber`] gives one scenario and one seed, always the same. The scenario is drawn
//! from the JSON Schema of scenarios (`draw`, `document`), so that a new scheme, a new key or a new host
//! setting is covered without an edit here; what the check refuses is mended by what the refusal says would
//! be legal (`mend`), and the run is cut to a length that costs some ten milliseconds (`cost`). It runs twice
//! (`trial`), and all that it leaves behind is held against laws that no run may break (`laws`).
//!
//! | file | idea |
//! | --- | --- |
//! | `case_number.rs`, `dice.rs` | a case by its number, and the random choices that follow from it |
//! | `schema.rs`, `numbers.rs` | values from the schema's own types, ranges and defaults, with a share of extremes |
//! | `document.rs`, `topology.rs`, `line.rs`, `files.rs` | a whole scenario: networks, users, flows, what is recorded, files that it names |
//! | `deep_queue.rs` | long-lived flows in a deep queue, for a minute |
//! | `mend.rs`, `cost.rs` | from a draft to a scenario that is legal and short enough |
//! | `laws/` | what must hold in every summary and table |
//! | `known.rs` | what is being mended |
//! | `steps.rs` | the same run in steps |
//! | `trial.rs`, `smaller.rs` | one case run and judged; a failing one made smaller |
//! | `campaign.rs` | many cases in child processes, so that an abort or a hang is a finding and not the end |
//! | `patience.rs` | when a case counts as a hang |
//!
//! How it is used is in `docs/how-to/fuzzing.md`.
#![deny(missing_docs)]

mod campaign;
mod case_number;
mod cost;
mod deep_queue;
mod dice;
mod document;
mod files;
mod known;
mod laws;
mod line;
mod mend;
mod numbers;
mod patience;
mod schema;
mod smaller;
mod steps;
mod topology;
mod trial;

pub use campaign::{Campaign, Report, serve};
pub use case_number::CaseNumber;
pub use smaller::smaller;
pub use trial::{Outcome, Trial};
