//! What a driver reports to a user.

use crate::{ConnectionOrdinal, StartRule};

/// Something that happens to a user, as her driver reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UserEvent {
    /// Her life begins, at [`aqmlab_units::Time::ZERO`].
    Start(StartRule),
    /// Her think time is over, or an instant has come for which she waited.
    Wake,
    /// A connection that she asked for is established.
    Connected(ConnectionOrdinal),
    /// The response on a connection is complete: its last byte is there or, where the servers close
    /// ([`crate::Connections::Exchanges`]), the server's close.
    Response(ConnectionOrdinal),
    /// The response with this object is complete, of the several that may be under way on a connection
    /// ([`crate::Connections::Streams`]).
    Object(ConnectionOrdinal, u32),
    /// A connection gave up.
    Failed(ConnectionOrdinal),
}
