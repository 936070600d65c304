//! What applications do with connections, over whatever carries the connections.
//!
//! A [`Session`] holds every application of a run: browsing users with the servers that answer them,
//! transfers that begin at their instants (bulk flows, which never end, among them), and sources of
//! datagrams. A driver owns the clock, the network and the connections. It calls a session with what happens
//! (an application's alarm, a [`ConnectionEvent`]), and the session acts through the driver's [`Transport`]:
//! open, resume, write, close, send, wake me then; and its question what is still unsent. Nothing here knows
//! a link, a queue or a TCP; the simulator's transport and one over real sockets are the same to it.
//!
//! **What is defined here**, so that every driver means the same by it: when an exchange begins, and with
//! what its response time ends ([`ResponseEnd`]); which exchange has failed; when a page begins and ends;
//! which connection a user's command means; when a server answers and closes.
//!
//! | file | idea |
//! | --- | --- |
//! | `transport.rs` | the interface to whoever carries the connections |
//! | `session.rs`, `starts.rs` | all applications of a run: which of them an event is for; how they start |
//! | `browsing.rs` | users and their servers: events in, the users' commands out |
//! | `browser_connection.rs` | what is kept of a user's connection, and the list of each user |
//! | `exchanges.rs` | connections that carry one exchange at a time |
//! | `exchange_counts.rs`, `response.rs` | exchanges by how they ended; when a response time ends |
//! | `separate_streams.rs`, `exchange_streams.rs` | exchanges on streams of their own, over a transport that has several |
//! | `history.rs`, `idle_path.rs` | what users did before the run, each alone, and over what |
//! | `past_streams.rs` | the same of connections that carry several exchanges at once |
//! | `answers.rs` | responses that servers take their time for |
//! | `continuation.rs` | what was in progress when the run began goes on |
//! | `streams.rs`, `multiplexed.rs` | several exchanges at once on a connection, and the handshake before the first |
//! | `one_way.rs` | a request and its response over a connection each, as in ns-2 |
//! | `dialogues.rs`, `tracks.rs` | connections whose ends write what a vector says, and how far they are |
//! | `page_loads.rs` | the page, or the segment of a video, that each user waits for |
//! | `transfers.rs` | applications that send a number of bytes, or without end |
//! | `datagrams.rs` | the ends of applications over datagrams (`aqmlab-applications`) |
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod answers;
mod browser_connection;
mod browsing;
mod continuation;
mod datagrams;
mod dialogues;
mod exchange_counts;
mod exchange_streams;
mod exchanges;
mod history;
mod idle_path;
mod multiplexed;
mod one_way;
mod page_loads;
mod past_streams;
mod response;
mod separate_streams;
mod session;
mod starts;
mod streams;
mod tracks;
mod transfers;
mod transport;

pub use aqmlab_transport::{StreamId, Urgency};
pub use browser_connection::BrowserConnection;
pub use browsing::{BrowsingPopulation, BrowsingSettings, Records};
pub use datagrams::{DatagramSource, DatagramsOf};
pub use exchange_counts::{Delivered, ExchangeCounts};
pub use idle_path::{IdlePath, Round};
pub use page_loads::PAGE_BYTES_PER_USER;
pub use response::ResponseEnd;
pub use session::Session;
pub use transfers::{Next, Transfer, Writes};
pub use transport::{
    Alarm, AnswerId, ConnectionEvent, ConnectionEventKind, ConnectionId, ContinuationId, Datagram,
    DatagramSourceId, FlowId, Opened, Opening, Owner, PastTransport, PopulationId, Side, Transport,
    UNLIMITED_BYTES,
};
