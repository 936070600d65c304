//! Published models of web users, one file each.
//!
//! A model is a set of parameters, the laws prepared from them once for a whole population, and a user who
//! answers events with [`crate::Command`]s. To add one: its file here (opening with the source, the laws, the
//! table of parameters, departures and silences), its page in the documentation, and a test that drives it in
//! random order. Nothing else in this crate has to change.

mod count;
pub mod mah;
pub mod unc;
mod visit_position;
