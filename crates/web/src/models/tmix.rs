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

use crate::unused::{self, BesideModel, UnusedKey};
use crate::{
    Command, Connections, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population,
    UserEvent, WaitsFor, Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub use crate::connection_vector::{ConnectionVector, Party, Step};
pub use parameters::TmixParameters;
pub use replay::{TmixModel, TmixReplay};

impl Parameters for TmixParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts { connections: Connections::Dialogues, waits_for: WaitsFor::Nothing, ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        unused::of_arrivals("tmix", "when their file says", self.round_trip_times, beside)
    }

    /// The file is kept once, and as instants of every copy. How many connections last how long, nobody can
    /// tell: some seconds, a few of them minutes.
    fn habits(&self, load_file: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let model = TmixModel::new(self, load_file)?;
        let ([connections, exchanges, _], seconds) = (model.asked(), model.length().seconds().max(1.0));
        Ok(Habits {
            user_bytes: size_of::<TmixReplay>(),
            plan_bytes: connections * 16.0,
            connections: 4.0 * connections / seconds,
            connections_per_second: connections / seconds,
            exchanges_per_second: exchanges / seconds,
            pages_per_second: 0.0,
        })
    }

    fn workload(&self, load_file: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let model = TmixModel::new(self, load_file)?;
        let ([connections, exchanges, bytes], seconds) = (model.asked(), model.length().seconds().max(0.1));
        // Where no coin keeps a vector nothing is asked for.
        let exchanges = exchanges.max(connections);
        let exchange_bytes = if exchanges > 0.0 { bytes / exchanges } else { 0.0 };
        Ok(Workload { exchanges, exchange_bytes, seconds, connections: None })
    }

    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(TmixModel::new(self, load_file)?, self.facts(), count, key))
    }
}

impl Model for TmixModel {
    type User = TmixReplay;

    fn user(&self, key: Key, number: u32) -> TmixReplay {
        TmixReplay::new(key, number, self)
    }

    /// What becomes of a connection is the replay's own.
    fn handle(
        &self,
        copy: &mut TmixReplay,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(_) => copy.start(out),
            UserEvent::Wake => copy.on_wake(now, self, out),
            _ => panic!("{event:?} is no event of a copy of a file"),
        }
        None
    }

    fn vector(&self, connection: u32) -> Option<&ConnectionVector> {
        Some(self.vector(connection))
    }
}
