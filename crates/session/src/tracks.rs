//! How far the two ends of a connection are that write what a vector says: which step of each track is next,
//! and what is under way between them.

use crate::transport::UserConnection;

/// How far the two ends of such a connection are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dialogue {
    /// The next step of each track.
    pub(crate) next: [usize; 2],
    /// Bytes that each end has written and that have not arrived at the other.
    pub(crate) under_way: [u64; 2],
}

/// A track of the vector of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track {
    pub(crate) whose: UserConnection,
    pub(crate) track: usize,
}
