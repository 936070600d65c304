//! Population browsing the web, and the servers that answer them, as state machines without sockets.
//!
//! A **user** alternates between thinking and fetching a page. She never waits, reads no clock and owns no
//! connection: a driver tells her what happened (`on_wake`, `on_connected`, `on_response`, `on_failed`) and
//! she answers with [`Command`]s (open, request, close, wake me then). The same user therefore runs over
//! simulated TCP in virtual time and over real sockets in real time.
//!
//! ```
//! use aqmlab_random::Key;
//! use aqmlab_units::{Span, Time};
//! use aqmlab_web::{Command, StartRule, UncModel, UncParameters, User};
//!
//! let model = UncModel::new(&UncParameters::default(), &|path| Err(format!("no file {path} here"))).unwrap();
//! let mut user = User::new(Key::from_seed(1).named("user").indexed(17), &model);
//! let mut commands = Vec::new();
//! user.start(&model, StartRule::Steady, &mut commands);
//! let Command::Think { until } = commands[0] else { panic!("a user begins by thinking") };
//!
//! commands.clear();
//! user.on_wake(until, &model, &mut commands);
//! let Command::Open { connection, .. } = commands[0] else { panic!("a page begins with a connection") };
//!
//! commands.clear();
//! user.on_connected(until + Span::from_milliseconds(80), connection, &model, &mut commands);
//! assert!(matches!(commands[0], Command::Request { exchange, .. } if exchange.response_bytes >= 1));
//! ```
//!
//! **What** a user asks for is a pure function of her key: pages, objects, sizes, connections and their
//! delays are the same under every queue discipline. Congestion changes only **when**. This is what makes two
//! schemes comparable replication by replication.
//!
//! Where to look:
//! - [`Command`], [`Exchange`]: the vocabulary between any model of users and any driver;
//! - [`models`]: one file per published traffic model; [`models::unc`] is the thinking and browsing user of
//!   the 2003 SIGCOMM study, [`models::mah`] the one of the 2000 study, with a connection per file;
//!   [`models::pages`] one of today; [`models::packmime`] is a cloud of clients who wait for nothing;
//!   [`models::webtraf`] the sessions of ns-2's studies; [`models::tmix`] replays a trace;
//! - [`UserModel`]: the registry of models; [`Parameters`] and [`Model`]: what a model offers;
//! - [`Population`]: the users of a population, whatever their model, driven by [`UserEvent`]s;
//! - [`Server`]: the side that answers;
//! - [`Statistics`]: what was generated, mergeable, in fixed memory;
//! - [`StartRule`]: how a population begins.
#![deny(missing_docs)]

mod cdf_file;
mod connection_vector;
mod event;
mod exchange;
mod facts;
mod file_error;
mod habits;
mod mah_tables;
mod model;
mod model_error;
pub mod models;
mod parameter_error;
mod parameters;
mod population;
mod round_trip_law;
mod server;
mod size_histogram;
mod size_law;
mod start;
mod statistics;
mod tls;
mod unused;

pub use cdf_file::LoadFile;
pub use connection_vector::{ConnectionVector, Party, Step};
pub use event::UserEvent;
pub use exchange::{Command, ConnectionOrdinal, Exchange, MinimumDelay, ObjectKind};
pub use facts::{Connections, ModelFacts, WaitsFor};
pub use file_error::FileError;
pub use habits::{Habits, Workload};
pub use model::Model;
pub use model_error::ModelError;
pub use models::UserModel;
pub use models::mah::{MahModel, MahParameters, MahUser, ThinkTimeCut};
pub use models::own::{
    DeclaredModels, ModelDeclaration, OwnModel, OwnModelError, OwnObject, OwnPages, OwnParameters,
    PageSample, PageSource, SampledPage, think_time,
};
pub use models::packmime::{GapsDrawnPer, PackMimeCloud, PackMimeModel, PackMimeParameters};
pub use models::pages::{Http, PageObject, PagesModel, PagesParameters, PagesUser};
pub use models::tmix::{TmixModel, TmixParameters, TmixReplay};
pub use models::unc::{UncModel, UncParameters, User};
pub use models::video_streaming::{VideoStreamingModel, VideoStreamingParameters, Viewer};
pub use models::webtraf::{ObjectSizeLaw, WebtrafModel, WebtrafParameters, WebtrafSession};
pub use parameter_error::ParameterError;
pub use parameters::Parameters;
pub use population::Population;
pub use round_trip_law::RoundTripLaw;
pub use server::{Respond, Server};
pub use size_histogram::SizeHistogram;
pub use size_law::SizeLaw;
pub use start::StartRule;
pub use statistics::{KindTotals, Statistics};
pub use tls::{Handshake, Tls};
pub use unused::{BesideModel, UnusedKey};
