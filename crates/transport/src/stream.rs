//! Streams of a connection, and which of them goes before which.

use aqmlab_units::identifier;

identifier! {
    /// A stream of a connection: data of one stream arrive in order, whatever becomes of the others.
    pub struct StreamId(u32);
}

impl StreamId {
    /// The stream of a transport that has one, as TCP; the first of others.
    pub const FIRST: Self = Self::from_number(0);
}

/// How urgent the data of a stream are (RFC 9218 section 4.1): streams of a lower number go first, those of
/// equal ones share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency(u8);

impl Urgency {
    /// What a page cannot go on without.
    pub const DOCUMENT: Self = Self(1);
    /// Where nothing is said.
    pub const DEFAULT: Self = Self(3);

    /// Its number, from 0 to 7.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}
