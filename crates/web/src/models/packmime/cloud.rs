//! A cloud of clients, who open connections whatever becomes of those before.

use super::connection_plan::{ConnectionPlan, Plans};
use super::consecutive::Consecutive;
use super::laws::PackMimeModel;
use crate::{Command, ConnectionOrdinal, Exchange, MinimumDelay};
use aqmlab_random::Key;
use aqmlab_units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Many clients together: connections arrive, each carries its exchanges, and none waits for another.
///
/// A state machine that a driver tells what happened, as a user is. Its connections are numbered through its
/// whole life. Several instants may be pending: each [`Command::Wait`] is answered by one
/// [`PackMimeCloud::on_wake`]. An event that cannot be is a bug of the driver and panics.
#[derive(Clone, Debug)]
pub struct PackMimeCloud {
    key: Key,
    plans: Box<Plans>,
    started: bool,
    /// The number of the next connection.
    next: u32,
    /// What is due when: earlier instants first, and at one instant the lower number.
    pending: BinaryHeap<Reverse<(Time, Due)>>,
    open: Consecutive<OpenConnection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The next request of an open connection.
    Request(ConnectionOrdinal),
    /// The next connection.
    Arrival,
}

#[derive(Clone, Debug)]
struct OpenConnection {
    plan: ConnectionPlan,
    /// The exchange that is under way or comes next.
    exchange: usize,
    /// Whether it is under way, or the connection is being opened for it.
    under_way: bool,
}

impl PackMimeCloud {
    /// A cloud that has not started. `key` is its address: fold seed, replication, population and index into
    /// it.
    #[must_use]
    pub fn new(key: Key, model: &PackMimeModel) -> Self {
        Self {
            key,
            plans: Box::new(Plans::new(key, model)),
            started: false,
            next: 0,
            pending: BinaryHeap::new(),
            open: Consecutive::default(),
        }
    }

    /// Begins at [`Time::ZERO`], without connections; arrivals come at their long-run rate from then on.
    ///
    /// # Panics
    /// If it has started before.
    pub fn start(&mut self, model: &PackMimeModel, out: &mut Vec<Command>) {
        assert!(!std::mem::replace(&mut self.started, true), "a cloud starts once");
        self.await_arrival(Time::ZERO, model, out);
    }

    /// An instant has come that it waited for.
    ///
    /// # Panics
    /// If it waited for none, or for a later one.
    pub fn on_wake(&mut self, now: Time, model: &PackMimeModel, out: &mut Vec<Command>) {
        let Some(Reverse((instant, due))) = self.pending.pop() else { panic!("woken without having waited") };
        assert!(instant <= now, "woken at {now}, {instant} was asked for");
        match due {
            Due::Arrival => self.open_next(now, model, out),
            // A connection that failed meanwhile asks for nothing more.
            Due::Request(connection) if self.open.get_mut(connection.number()).is_some() => {
                self.request(connection, out);
            }
            Due::Request(_) => {}
        }
    }

    /// A connection that it asked for is established: the first request is written.
    ///
    /// # Panics
    /// If it did not ask for it.
    pub fn on_connected(&mut self, connection: ConnectionOrdinal, out: &mut Vec<Command>) {
        self.request(connection, out);
    }

    /// The response on a connection is complete.
    ///
    /// # Panics
    /// If no response was expected on it.
    pub fn on_response(&mut self, now: Time, connection: ConnectionOrdinal, out: &mut Vec<Command>) {
        let open = self.find(connection);
        assert!(open.under_way, "a response on {connection}, where none was expected");
        open.under_way = false;
        open.exchange += 1;
        match open.plan.exchanges.get(open.exchange) {
            Some(next) => {
                let until = now + next.gap;
                self.wait(until, Due::Request(connection), out);
            }
            None => {
                self.open.remove(connection.number());
                out.push(Command::Close { connection });
            }
        }
    }

    /// A connection gave up. Answers with the exchange that has failed, if one was under way or waited for
    /// the opening. What the connection was yet to carry is not asked for.
    ///
    /// # Panics
    /// If the connection is neither open nor being opened.
    pub fn on_failed(&mut self, connection: ConnectionOrdinal) -> Option<Exchange> {
        let open = self.open.remove(connection.number());
        let open = open.unwrap_or_else(|| panic!("{connection} is not there"));
        open.under_way.then(|| open.plan.exchanges[open.exchange].exchange)
    }

    fn open_next(&mut self, now: Time, model: &PackMimeModel, out: &mut Vec<Command>) {
        let connection = ConnectionOrdinal::new(self.next);
        let plan = self.plans.connection(self.next, model);
        let drawn = MinimumDelay::Drawn(self.key.named("delay").indexed(u64::from(self.next)).uniform(0));
        out.push(Command::Open {
            connection,
            visit: self.next,
            machine: Some(self.next),
            server: self.next % model.parameters.server_count,
            delay: plan.one_way_delay.map_or(drawn, MinimumDelay::EachWay),
            persistent: plan.persistent,
            reopened: false,
        });
        self.open.push(OpenConnection { plan, exchange: 0, under_way: true });
        self.next = self.next.wrapping_add(1);
        self.await_arrival(now, model, out);
    }

    fn request(&mut self, connection: ConnectionOrdinal, out: &mut Vec<Command>) {
        let open = self.find(connection);
        open.under_way = true;
        let exchange = open.plan.exchanges[open.exchange].exchange;
        out.push(Command::Request { connection, exchange });
    }

    fn await_arrival(&mut self, now: Time, model: &PackMimeModel, out: &mut Vec<Command>) {
        let until = now + self.plans.gap_between_arrivals(model);
        self.wait(until, Due::Arrival, out);
    }

    fn wait(&mut self, until: Time, due: Due, out: &mut Vec<Command>) {
        self.pending.push(Reverse((until, due)));
        out.push(Command::Wait { until });
    }

    fn find(&mut self, connection: ConnectionOrdinal) -> &mut OpenConnection {
        self.open.get_mut(connection.number()).unwrap_or_else(|| panic!("{connection} is not there"))
    }
}
