//! Users, servers and flows over the kernel's sockets.

pub(crate) mod datagrams;
mod ends;
pub(crate) mod sockets;
pub(crate) mod thread;
pub(crate) mod transport;
