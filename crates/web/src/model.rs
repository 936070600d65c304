//! What every traffic model does.

use crate::{Command, ConnectionVector, Exchange, UserEvent};
use aqmlab_random::Key;
use aqmlab_units::Time;
use std::fmt::Debug;

/// A traffic model with its parameters, prepared once for all users of a population.
pub trait Model: Clone + Debug + Send + Sync + 'static {
    /// One of its users: a state machine without sockets or a clock.
    type User: Clone + Debug + Send + Sync + 'static;

    /// User number `number` of a population, who has not started. `key` is her address: what she asks for is
    /// a function of it.
    fn user(&self, key: Key, number: u32) -> Self::User;

    /// Hands a user an event; her commands are appended to `out`. Answers with the exchange that failed, if
    /// one did.
    ///
    /// # Panics
    /// If the event cannot be: a bug of the driver.
    fn handle(
        &self,
        user: &mut Self::User,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange>;

    /// Whether no response of the next page of a user, who is thinking, takes long. Only such pages are
    /// passed over.
    fn next_page_is_light(&self, _user: &Self::User) -> bool {
        false
    }

    /// Lets the next page of a user, who is thinking, pass without an exchange: she thinks from `end` on.
    fn pass_over_page(&self, _user: &mut Self::User, _end: Time, _out: &mut Vec<Command>) {
        panic!("no page of this model is light")
    }

    /// What the two ends of a connection write, in a model of [`crate::Connections::Dialogues`].
    fn vector(&self, _connection: u32) -> Option<&ConnectionVector> {
        None
    }
}
