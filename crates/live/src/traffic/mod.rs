//! Users, servers and flows over the kernel's sockets.

mod ends;
pub(crate) mod thread;
pub(crate) mod transport;
