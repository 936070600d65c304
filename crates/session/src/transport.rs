//! The interface between applications and whoever carries their connections and datagrams.

use crate::idle_path::IdlePath;
use aqmlab_transport::{StreamId, Urgency};
use aqmlab_units::{Time, identifier};
use aqmlab_web::{ConnectionOrdinal, MinimumDelay};
use std::sync::Arc;

identifier! {
    /// A population of users.
    pub struct PopulationId(u16);
}
identifier! {
    /// A transfer, counted over all of a run: a long-lived flow of the scenario.
    pub struct FlowId(u32);
}
identifier! {
    /// A source of datagrams, counted over all of a run.
    pub struct DatagramSourceId(u32);
}
identifier! {
    /// A connection with an exchange in progress at the start of the run, counted over all of them.
    pub struct ContinuationId(u32);
}
identifier! {
    /// A response that a server is making, by the place of its record, which is used again.
    pub struct AnswerId(u32);
}
identifier! {
    /// A connection, by the place of its record. Places are small numbers and are used again once a
    /// connection is over.
    pub struct ConnectionId(u32);
}

/// Data without end: three centuries at a gigabyte per second.
pub const UNLIMITED_BYTES: u64 = 1 << 63;

/// Which end of a connection: the one that opened it, or the one that was opened to (RFC 9293: active and
/// passive OPEN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A browser, or the sender of a transfer. It opens, unless [`Opening::opener`] says otherwise.
    Active = 0,
    /// A server, or the receiver of a transfer.
    Passive = 1,
}

impl Side {
    /// The end across the network.
    #[must_use]
    #[inline(always)]
    pub const fn other(self) -> Self {
        match self {
            Self::Active => Self::Passive,
            Self::Passive => Self::Active,
        }
    }
}

/// The application that a connection belongs to; never depends on what the network does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A browsing user.
    User {
        /// Her population.
        population: PopulationId,
        /// Her number in it.
        user: u32,
        /// Which of her connections.
        ordinal: ConnectionOrdinal,
    },
    /// A transfer.
    Flow {
        /// Which.
        flow: FlowId,
    },
}

/// A user's connection, as she knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserConnection {
    pub(crate) population: PopulationId,
    pub(crate) user: u32,
    /// Which of her connections.
    pub(crate) ordinal: ConnectionOrdinal,
}

/// A connection that an application wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// Whose it is.
    pub owner: Owner,
    /// Which of the browsers' machines it begins at, counted round; 0 for a transfer, which has one sender.
    pub machine: u32,
    /// Which server of the population, below the number that its model knows; 0 for a transfer, which has one
    /// receiver.
    pub server: u32,
    /// Its minimum delay; that of a transfer is given elsewhere.
    pub delay: MinimumDelay,
    /// Which end opens it: [`Side::Passive`] where a server answers over a connection of its own.
    pub opener: Side,
}

/// A connection that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its place, until its last event.
    pub connection: ConnectionId,
    /// Its number within the run, never used again: the key of the tables.
    pub number: u32,
}

/// A datagram that an application sends. Where it goes follows from whose it is; how its header is marked,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Whose it is.
    pub source: DatagramSourceId,
    /// How many its source has sent before, modulo 2³².
    pub sequence: u32,
    /// Length of the IP packet, headers included.
    pub ip_bytes: u16,
}

/// Who wants to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// A user who thinks.
    User {
        /// Her population.
        population: PopulationId,
        /// Her number in it.
        user: u32,
    },
    /// A transfer that is to begin, or has to stop.
    Flow {
        /// Which.
        flow: FlowId,
    },
    /// An exchange that was in progress when the run began, and goes on.
    Continuation {
        /// Which.
        continuation: ContinuationId,
    },
    /// A response that a server has made.
    Answer {
        /// Which.
        answer: AnswerId,
    },
    /// A source whose next datagram is due.
    Datagrams {
        /// Which.
        source: DatagramSourceId,
    },
}

/// What happened to one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionEvent {
    /// Which connection.
    pub connection: ConnectionId,
    /// Whose it is.
    pub owner: Owner,
    /// At which end.
    pub side: Side,
    /// On which of its streams data have arrived; where nothing has, [`StreamId::FIRST`].
    pub stream: StreamId,
    /// What.
    pub kind: ConnectionEventKind,
}

/// What can happen to one end of a connection. Events of one end that happen at once come in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEventKind {
    /// Bytes have arrived in order, at least one.
    Delivered {
        /// How many.
        bytes: u32,
    },
    /// The peer has closed, and everything it wrote has been delivered.
    PeerClosed,
    /// It is open: both ends may write.
    Established,
    /// It is lost: no answer for too long, or a reset.
    GaveUp,
    /// This end is over, well or not: its last event.
    Ended,
}

/// What applications ask of whoever carries their connections. Calls are carried out at once, in order; what
/// follows from them is reported as [`ConnectionEvent`]s after the call, never during it.
pub trait Transport {
    /// The present instant.
    fn now(&self) -> Time;

    /// Begins to open a connection: [`ConnectionEventKind::Established`] follows, or
    /// [`ConnectionEventKind::GaveUp`].
    fn open(&mut self, opening: &Opening) -> Opened;

    /// What is asked where users start in the middle of a page; none where no connection can be older than
    /// the run.
    fn past(&mut self) -> Option<&mut dyn PastTransport> {
        None
    }

    /// Writes data at one end; before the connection is open they wait.
    fn write(&mut self, connection: ConnectionId, side: Side, bytes: u64);

    /// Writes data on one of the streams of a transport that has several. Others carry them in the order of
    /// the writes.
    fn write_on(&mut self, connection: ConnectionId, side: Side, stream: StreamId, bytes: u64) {
        let _ = stream;
        self.write(connection, side, bytes);
    }

    /// Nothing more is written at one end on a stream. Transports with one stream pass over it.
    fn finish(&mut self, connection: ConnectionId, side: Side, stream: StreamId) {
        let _ = (connection, side, stream);
    }

    /// What is written at one end on a stream from now on is so urgent. Transports without priorities pass
    /// over it.
    fn prioritize(&mut self, connection: ConnectionId, side: Side, stream: StreamId, urgency: Urgency) {
        let _ = (connection, side, stream, urgency);
    }

    /// Bytes that were written at one end and never sent.
    fn unsent(&self, connection: ConnectionId, side: Side) -> u64;

    /// Closes one end: nothing more is written there. Closing twice is the same as closing once.
    fn close(&mut self, connection: ConnectionId, side: Side);

    /// Writes the last data at one end and closes it, in one call where its host knows one.
    fn write_and_close(&mut self, connection: ConnectionId, side: Side, bytes: u64) {
        self.write(connection, side, bytes);
        self.close(connection, side);
    }

    /// Takes back what was written at one end and never sent, and closes it: what is under way still arrives.
    fn withdraw_and_close(&mut self, connection: ConnectionId, side: Side);

    /// Sends a datagram. Nothing is reported of it.
    fn send(&mut self, datagram: &Datagram);

    /// Has [`crate::Session::wake`] called at this instant.
    fn wake_at(&mut self, instant: Time, alarm: Alarm);
}

/// What is asked beside [`Transport`] where users start in the middle of a page.
pub trait PastTransport {
    /// How the connection of this opening would fare if nobody were in its way.
    fn idle_path(&mut self, opening: &Opening) -> Arc<IdlePath>;

    /// Makes a connection that was opened before the run and is open: its sender has the round-trip time and
    /// the window of one that has brought `carried_bytes` of responses without a pause. Nothing is sent, and
    /// nothing reported.
    fn resume(&mut self, opening: &Opening, carried_bytes: u64) -> Opened;
}
