//! What every traffic model's parameters offer.

use crate::unused::{BesideModel, UnusedKey};
use crate::{Habits, LoadFile, ModelError, ModelFacts, Population, Workload};
use aqmlab_random::Key;

/// The parameters of one traffic model: plain data, from which a population is built.
pub trait Parameters {
    /// What others have to know of the model.
    fn facts(&self) -> ModelFacts;

    /// Lets users choose among so many servers: the network decides how many there are.
    fn choose_among(&mut self, servers: u32);

    /// Keys that differ from their default and mean nothing beside the others.
    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey>;

    /// The length of every request in bytes, in a model in which all are alike and the scenario says how
    /// long.
    fn length_of_requests(&self) -> Option<u32> {
        None
    }

    /// What a user does on average, for the estimate of a run's memory. Called only on parameters of which
    /// [`Parameters::build`] makes a population.
    ///
    /// # Errors
    /// [`ModelError`] as of [`Parameters::build`], in a model whose habits stand in a file.
    fn habits(&self, load_file: &LoadFile<'_>) -> Result<Habits, ModelError>;

    /// What a user asks for, roughly. Called only on parameters of which [`Parameters::build`] makes a
    /// population.
    ///
    /// # Errors
    /// [`ModelError`] as of [`Parameters::habits`].
    fn workload(&self, load_file: &LoadFile<'_>) -> Result<Workload, ModelError>;

    /// `count` users, none of whom has started; user i has the key `key.indexed(i)`. Nobody is a legal
    /// population: so parameters and their files are checked.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, or a file that cannot be used.
    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError>;
}
