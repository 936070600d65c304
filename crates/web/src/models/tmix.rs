//! Tmix: connections of a trace, replayed.
//!
//! **Source.** M. C. Weigle, P. Adurthi, F. Hernández-Campos, K. Jeffay, F. D. Smith, *Tmix: A Tool for
//! Generating Realistic TCP Application Workloads in ns-2* (CCR 36(3), 2006); the two forms of its files in
//! the ns manual, chapter on Tmix.
//!
//! **A connection vector** says of one observed TCP connection when it began and what its two ends wrote:
//! data units of so many bytes, and how long an end took before the next. It is sequential (each unit waits
//! for the one before it: until it has arrived, if the other end wrote it) or concurrent (each end writes by
//! its own clock).
//!
//! **A replay** opens every connection of a file at its instant, whatever becomes of those before. Copy 0 of
//! a file begins where the file does; each other copy is turned round by an instant of its own, so that the
//! load of n copies is n times that of one and their bursts do not coincide. A share of the vectors may be
//! kept, by coins that fall alike at any share.
//!
//! Legal ranges stand at [`TmixParameters`].
//!
//! **Departures.** Window sizes (`w`), segment sizes (`m`) and loss rates (`l`) of vectors are passed over:
//! windows are those of the population's hosts, and losses those of its queues. Half of the round-trip time
//! (`r`) goes with the packets of either direction, in addition to what the network takes. A connection
//! without a time behind its last data is closed at once, where ns-2 waits for a second.
//!
//! **Silences, and our choice.** A wait of an end counts from the write of its own data, not from their
//! acknowledgement.

mod file;
mod parameters;
mod replay;
mod vector;

pub use file::VectorsFileError;
pub use parameters::TmixParameters;
pub use replay::{TmixModel, TmixReplay};
pub use vector::{ConnectionVector, Party, Step};
