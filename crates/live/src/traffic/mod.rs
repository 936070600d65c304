//! Users, servers and flows over the kernel's sockets.

mod ends;
mod places;
pub(crate) mod thread;
pub(crate) mod transport;
