//! A file of connections, opened one after another.

use super::file;
use super::parameters::TmixParameters;
use crate::connection_vector::ConnectionVector;
use crate::{Command, ConnectionOrdinal, LoadFile, MinimumDelay, ModelError};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};

/// The vectors of a file with the parameters of their replay: immutable, shared by reference by all copies.
#[derive(Clone, Debug)]
pub struct TmixModel {
    parameters: TmixParameters,
    vectors: Vec<ConnectionVector>,
    /// From the start of the trace to just behind the start of its last connection.
    length: Span,
}

impl TmixModel {
    /// Reads the vectors.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, or a file that holds no vectors.
    pub fn new(parameters: &TmixParameters, load_file: &LoadFile<'_>) -> Result<Self, ModelError> {
        parameters.validate()?;
        let vectors = file::parse(&parameters.vectors_file, parameters.round_trip_times, load_file)?;
        let last = vectors.iter().map(|vector| vector.starts).max().unwrap_or(Span::ZERO);
        Ok(Self { parameters: parameters.clone(), vectors, length: last + Span::from_microseconds(1) })
    }

    /// A vector by its place in the file.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn vector(&self, place: u32) -> &ConnectionVector {
        &self.vectors[place as usize]
    }

    /// Of a copy: connections that it opens, their exchanges, and their bytes, in the mean over the coins.
    #[must_use]
    pub fn asked(&self) -> [f64; 3] {
        let sum = |of: fn(&ConnectionVector) -> f64| -> f64 { self.vectors.iter().map(of).sum() };
        [sum(|_| 1.0), sum(|vector| vector.exchanges() as f64), sum(|vector| vector.bytes() as f64)]
            .map(|all| all * self.parameters.kept_share)
    }

    /// How long a copy opens connections.
    #[must_use]
    pub const fn length(&self) -> Span {
        self.length
    }
}

/// A copy of the file: a state machine that opens its connections, as a user opens hers. What the two ends
/// write says [`TmixModel::vector`].
#[derive(Clone, Debug)]
pub struct TmixReplay {
    /// The connections to come and their instants, the next one last.
    to_come: Vec<(Time, u32)>,
    key: Key,
}

impl TmixReplay {
    /// Copy number `copy`, which has not started. `key` is its address: fold seed, replication, population
    /// and number into it.
    #[must_use]
    pub fn new(key: Key, copy: u32, model: &TmixModel) -> Self {
        let length = model.length.nanoseconds();
        let turned = if copy == 0 { 0.0 } else { length as f64 * key.named("offset").uniform(0) };
        let kept =
            |place: u32| key.named("kept").indexed(u64::from(place)).uniform(0) < model.parameters.kept_share;
        let vectors = (0..).zip(&model.vectors).filter(|&(place, _)| kept(place));
        let mut to_come: Vec<(Time, u32)> = vectors
            .map(|(place, vector)| {
                let starts = (vector.starts.nanoseconds() + turned as u64) % length;
                (Time::from_nanoseconds(starts), place)
            })
            .collect();
        to_come.sort_unstable_by_key(|&due| std::cmp::Reverse(due));
        Self { to_come, key }
    }

    /// Begins at [`Time::ZERO`].
    pub fn start(&mut self, out: &mut Vec<Command>) {
        self.await_next(out);
    }

    /// An instant has come that it waited for.
    ///
    /// # Panics
    /// If it waited for none, or for a later one.
    pub fn on_wake(&mut self, now: Time, model: &TmixModel, out: &mut Vec<Command>) {
        assert!(
            self.to_come.last().is_some_and(|next| next.0 <= now),
            "woken at {now} without having waited"
        );
        while let Some(&(_, place)) = self.to_come.last().filter(|next| next.0 <= now) {
            self.to_come.pop();
            let vector = model.vector(place);
            let drawn = MinimumDelay::Drawn(self.key.named("delay").indexed(u64::from(place)).uniform(0));
            let round_trip = vector.round_trip.filter(|_| model.parameters.round_trip_times);
            out.push(Command::Open {
                connection: ConnectionOrdinal::new(place),
                visit: place,
                machine: Some(place),
                server: place % model.parameters.server_count,
                delay: round_trip.map_or(drawn, |round_trip| {
                    MinimumDelay::EachWay(Span::from_nanoseconds(round_trip.nanoseconds() / 2))
                }),
                persistent: vector.exchanges() > 1,
                reopened: false,
            });
        }
        self.await_next(out);
    }

    fn await_next(&self, out: &mut Vec<Command>) {
        out.extend(self.to_come.last().map(|&(until, _)| Command::Wait { until }));
    }
}
