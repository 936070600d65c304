//! Both ends of a new connection.

use crate::TransportEnd;
use aqmlab_random::Key;
use dyn_clone::DynClone;

/// What a scenario says of the connections of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The congestion controller, one of [`Transport::congestions`](crate::Transport::congestions).
    pub congestion: &'static str,
    /// Whether packets leave as capable of ECN.
    pub ecn: bool,
}

/// What is known of a connection that is about to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Connecting {
    /// The address of its random numbers. It follows from whose connection it is, and never from the order in
    /// which connections are opened, so that a connection draws the same numbers behind every queue.
    pub key: Key,
}

/// Makes both ends of a connection: first the one that opens it. A function that can be cloned is one; a
/// copied simulation has a clone of it.
pub trait MakeEnds: Send + DynClone {
    /// The ends of this connection, neither of which has done anything.
    fn make(&mut self, connecting: &Connecting) -> [Box<dyn TransportEnd>; 2];
}

impl<F: FnMut(&Connecting) -> [Box<dyn TransportEnd>; 2] + Send + DynClone> MakeEnds for F {
    fn make(&mut self, connecting: &Connecting) -> [Box<dyn TransportEnd>; 2] {
        self(connecting)
    }
}

dyn_clone::clone_trait_object!(MakeEnds);
