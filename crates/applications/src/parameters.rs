//! What the parameters of every application offer.

use crate::{Application, Facts, Mistake, Setup};
use aqmlab_random::Stream;

/// The parameters of one application: plain data, a table of the scenario, from which it is built.
pub trait Parameters {
    /// What is wrong that the ranges of single keys do not say, with packets of at most so many bytes.
    fn check(&self, _packet_bytes: u16) -> Vec<Mistake> {
        Vec::new()
    }

    /// What others have to know, with packets of at most so many bytes. The numbers mean nothing where
    /// [`Parameters::check`] finds a mistake.
    fn facts(&self, packet_bytes: u16) -> Facts;

    /// One application with both of its ends. Called only on parameters without mistakes.
    fn build(&self, setup: Setup) -> Box<dyn Application>;

    /// Legal parameters for packets of 100 bytes or more, of at most some hundred packets a second, for tests
    /// and fuzzers.
    fn drawn(dice: &mut Stream) -> Self
    where
        Self: Sized;
}
