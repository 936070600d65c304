//! The router between the namespaces.

#[cfg(test)]
mod any_arrivals;
pub(crate) mod buffer;
pub(crate) mod capture;
pub(crate) mod connections;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation)] // dice
mod fuzz;
pub(crate) mod guest;
pub(crate) mod headers;
pub(crate) mod hosts_seen;
pub(crate) mod link;
pub(crate) mod log;
pub(crate) mod network;
pub(crate) mod packet;
pub(crate) mod paths;
mod ping;
mod pings;
pub(crate) mod thread;
