//! The router between the namespaces.

pub(crate) mod buffer;
pub(crate) mod connections;
pub(crate) mod headers;
mod link;
pub(crate) mod log;
pub(crate) mod network;
mod paths;
pub(crate) mod thread;
