//! The users of a population, whatever their model.

use crate::{
    Command, ConnectionOrdinal, ConnectionVector, Connections, Exchange, Model, ModelFacts, UserEvent,
    WaitsFor,
};
use aqmlab_random::Key;
use aqmlab_units::Time;
use std::fmt::Debug;

/// All users of a population with the model that they share.
#[derive(Debug)]
pub struct Population {
    users: Box<dyn Users>,
    facts: ModelFacts,
}

/// Users of a model that the population does not know.
trait Users: Debug + Send + Sync {
    fn boxed(&self) -> Box<dyn Users>;
    fn len(&self) -> usize;
    fn vector(&self, connection: u32) -> Option<&ConnectionVector>;
    fn next_page_is_light(&self, user: u32) -> bool;
    fn pass_over_page(&mut self, user: u32, end: Time, out: &mut Vec<Command>);
    fn handle(&mut self, user: u32, event: UserEvent, now: Time, out: &mut Vec<Command>) -> Option<Exchange>;
}

#[derive(Clone, Debug)]
struct OfModel<M: Model> {
    model: M,
    users: Vec<M::User>,
}

impl<M: Model> Users for OfModel<M> {
    fn boxed(&self) -> Box<dyn Users> {
        Box::new(self.clone())
    }

    fn len(&self) -> usize {
        self.users.len()
    }

    fn vector(&self, connection: u32) -> Option<&ConnectionVector> {
        self.model.vector(connection)
    }

    fn next_page_is_light(&self, user: u32) -> bool {
        self.model.next_page_is_light(&self.users[user as usize])
    }

    fn pass_over_page(&mut self, user: u32, end: Time, out: &mut Vec<Command>) {
        self.model.pass_over_page(&mut self.users[user as usize], end, out);
    }

    fn handle(&mut self, user: u32, event: UserEvent, now: Time, out: &mut Vec<Command>) -> Option<Exchange> {
        self.model.handle(&mut self.users[user as usize], event, now, out)
    }
}

impl Clone for Population {
    fn clone(&self) -> Self {
        Self { users: self.users.boxed(), facts: self.facts }
    }
}

impl Population {
    /// `count` users of a model, none of whom has started; user i has the key `key.indexed(i)`. `facts` are
    /// those of the parameters that the model was made from.
    #[must_use]
    pub fn new<M: Model>(model: M, facts: ModelFacts, count: u32, key: Key) -> Self {
        let users = (0..count).map(|user| model.user(key.indexed(u64::from(user)), user)).collect();
        Self { users: Box::new(OfModel { model, users }), facts }
    }

    /// How many users there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What their connections carry.
    #[must_use]
    #[inline]
    pub const fn connections(&self) -> Connections {
        self.facts.connections
    }

    /// Whether the servers of these users close a connection once they have written the response, and a
    /// response is complete only then.
    #[must_use]
    #[inline]
    pub const fn servers_close(&self) -> bool {
        self.facts.servers_close()
    }

    /// What users wait for.
    #[must_use]
    #[inline]
    pub const fn waits_for(&self) -> WaitsFor {
        self.facts.waits_for
    }

    /// What the two ends of a connection write, if connections carry [`Connections::Dialogues`]: then the
    /// driver has them do it, and reports nothing of it.
    #[must_use]
    #[inline]
    pub fn vector(&self, connection: ConnectionOrdinal) -> Option<&ConnectionVector> {
        self.users.vector(connection.number())
    }

    /// Whether no response of the next page of a user, who is thinking, takes long.
    ///
    /// # Panics
    /// If there is no such user, or she is not thinking.
    #[must_use]
    pub fn next_page_is_light(&self, user: u32) -> bool {
        self.users.next_page_is_light(user)
    }

    /// Lets the next page of a user, who is thinking, pass without an exchange: she thinks from `end` on.
    /// Connections that stay open behind the page are opened, and are open at once; those that end with it
    /// are closed.
    ///
    /// # Panics
    /// If there is no such user, or she is not thinking, or her page is not light.
    pub fn pass_over_page(&mut self, user: u32, end: Time, out: &mut Vec<Command>) {
        self.users.pass_over_page(user, end, out);
    }

    /// Hands a user an event; her commands are appended to `out`. Answers with the exchange that failed, if
    /// one did.
    ///
    /// # Panics
    /// If there is no such user, or the event cannot be: see the users of each model.
    #[inline]
    pub fn handle(
        &mut self,
        user: u32,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        self.users.handle(user, event, now, out)
    }
}
