//! Applications over datagrams: what sends, when, how much, and what becomes of it at the other end.
//!
//! An application has two ends. Its [`Parameters`] are a table of the scenario: they say what is wrong with
//! them, what others have to know ([`Facts`]), and build the [`Application`] of one sender and its receiver.
//! A driver (`aqmlab-session`) wakes its ends and tells them what has arrived; nothing here knows a network
//! or reads a clock.
//!
//! | file | idea |
//! | --- | --- |
//! | `datagrams/mod.rs` | the list: an application is a file there and a line |
//! | `application.rs` | an application at work |
//! | `parameters.rs`, `mistake.rs` | its parameters, and what may be wrong with them |
//! | `facts.rs` | what others have to know of it |
//! | `frame_lengths.rs`, `headers.rs` | what applications share: lengths of frames, headers of packets |
//! | `google_congestion_control.rs` | the bit rate that a video call allows itself |
#![deny(missing_docs)]
#![deny(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod application;
pub mod datagrams;
mod facts;
mod frame_lengths;
mod google_congestion_control;
mod headers;
mod mistake;
mod parameters;

pub use application::{Application, End, Next, Setup, Step};
pub use datagrams::{ApplicationModel, ApplicationTables};
pub use facts::{Answers, Facts, FramesFacts, Sends, SteadyRate, Viewers};
pub use google_congestion_control::GccEdition;
pub use headers::HEADER_BYTES;
pub use mistake::Mistake;
pub use parameters::Parameters;
