//! The router between the namespaces.

#[cfg(test)]
mod any_arrivals;
pub(crate) mod capture;
pub(crate) mod connections;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation)] // dice
mod fuzz;
pub(crate) mod guest;
pub(crate) mod link;
pub(crate) mod log;
pub(crate) mod network;
pub(crate) mod paths;
mod pings;
pub(crate) mod thread;
