//! What a run leaves behind: histograms, columns, and the summary that becomes `run.json`.
//!
//! - [`LogHistogram`]: counts of a positive quantity in bins of at most 0.1 % relative width, mergeable;
//! - [`Table`]: a named set of equally long [`Column`]s, the shape in which results reach Python and Parquet;
//! - [`Responses`]: every completed exchange, as histograms per class and (where asked) as rows;
//! - [`Pages`]: every page load, in the same way;
//! - [`VideoSegments`]: every segment of a video that a viewer asked for;
//! - [`Datagrams`]: what became of datagrams, source by source; [`DatagramArrivals`]: one by one;
//! - [`VideoCallFrame`]: every frame of a video call that adapts;
//! - [`MeasuredWindow`]: the part of a run that counts; [`Settled`]: whether all that it counts has ended;
//! - [`Summary`]: everything about a run that is not a table.
//!
//! This crate knows no simulator: results can be read, merged and written without one.
#![deny(missing_docs)]

mod datagram_arrivals;
mod datagrams;
mod histogram;
mod pages;
mod responses;
mod summary;
mod table;
mod video_call_frames;
mod video_segments;
mod window;

pub use datagram_arrivals::DatagramArrivals;
pub use datagrams::{Datagrams, DatagramsInRun, SentDatagram, SourceColumns};
pub use histogram::{Bin, LogHistogram};
pub use pages::{PageLoad, Pages};
pub use responses::{Completion, Responses, Rows, SIZE_CLASS_UPPER_BYTES};
pub use summary::{
    Amount, ClassCounts, DelayBoxSummary, ExchangeSummary, FlowSummary, ImpairmentSummary, Invariant,
    LinkCounters, LinkSummary, PopulationSummary, ShaperSummary, Summary, TcpSummary,
};
pub use table::{Column, ColumnValues, Names, Table};
pub use video_call_frames::{VideoCallFrame, video_call_frames};
pub use video_segments::VideoSegments;
pub use window::{MeasuredWindow, Settled};
