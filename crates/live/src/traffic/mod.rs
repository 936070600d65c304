//! Users, servers and flows over the kernel's sockets.

pub(crate) mod datagrams;
mod ends;
mod sender_info;
pub(crate) mod sockets;
pub(crate) mod thread;
pub(crate) mod transport;
