//! Published models of web users, one file each.
//!
//! A model is a set of parameters, the laws prepared from them once for a whole population, and a user who
//! answers events with [`crate::Command`]s. To add one: its file here (opening with the source, the laws, the
//! table of parameters, departures and silences), its page in the documentation, and a test that drives it in
//! random order. Nothing else in this crate has to change.
//!
//! What models share stands beside them: `count.rs` (laws of whole numbers), `gamma.rs`, `per_kind.rs` (a law
//! for each kind of object), `light.rs` (pages that no response makes long), `think_cycle.rs` (think times,
//! and how users begin), `server_visit.rs` (pages of a visit), `single_exchanges.rs` (connections that carry
//! one exchange).

mod count;
mod gamma;
mod light;
pub mod mah;
pub mod packmime;
pub mod pages;
mod per_kind;
mod server_visit;
mod single_exchanges;
mod think_cycle;
pub mod tmix;
pub mod unc;
pub mod webtraf;
