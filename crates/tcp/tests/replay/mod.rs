//! Conversations as text, and the endpoint that plays them: what the tests of conversations written by hand
//! share with those of recorded ones.
#![allow(dead_code, reason = "each program uses its part")]

pub(crate) mod file;
pub(crate) mod judgement;
pub(crate) mod recording;
pub(crate) mod script;
mod segments;
mod settings;
pub(crate) mod stage;
pub(crate) mod table;
