//! A fixed page: as many objects of one size, again and again.
//!
//! **Source.** N. Kuhn, P. Natarajan, N. Khademi, D. Ros, *Characterization Guidelines for Active Queue
//! Management* (RFC 7928, 2016), section 7.2: web traffic that a queue has to absorb is a page of at least 50
//! objects of at least 1 KB, over six connections at once. Numbers that it leaves open are ours, and any may
//! be set: with a page of one object it is a request every so many seconds.
//!
//! **A user.** Think; load a page; repeat. A page is its root, fetched first and alone, then its other
//! objects over at most P connections at once, each of which carries one exchange at a time and stays open
//! for the next (HTTP/1.1). The page is there with its last object; its connections are closed then.
//!
//! | quantity | law | default | certainty |
//! | --- | --- | --- | --- |
//! | objects of a page, its root included | constant | 50 | the least of RFC 7928 |
//! | connections at once, P | constant | 6 | RFC 7928 |
//! | root and object, bytes | constant | 10,000 each | assumption; RFC 7928 has at least 1 KB |
//! | request, bytes | constant | 500 | assumption |
//! | think time, from page to page, s | exponential, or constant | mean 10 | assumption |
//! | server of a page | uniform | | assumption |
//!
//! Sizes are not drawn, so what a page takes on an idle link can be worked out by hand
//! (`docs/reference/models/fixed-page.md`).
//!
//! **Departures and silences.** An object whose connection failed is not asked for again, and the others are
//! still fetched: demand must not depend on the queue. All connections of a page have the delay of their
//! page. No TLS.

use super::think_cycle::ThinkCycle;
use crate::parameter_error::within;
use crate::unused::{self, BesideModel, UnusedKey};
use crate::{
    Command, ConnectionOrdinal, Exchange, Habits, LoadFile, MinimumDelay, Model, ModelError, ModelFacts,
    ObjectKind, ParameterError, Parameters, Population, UserEvent, Workload,
};
use aqmlab_random::{Key, Law};
use aqmlab_units::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pages of a fixed number of objects of a fixed size, as for RFC 7928's tests of bursts.
///
/// Absent keys take their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FixedPageParameters {
    /// Objects of every page, its root included; 1 to 10,000. Default 50.
    pub objects_per_page: u32,
    /// Bytes of the root, which is fetched first and alone; 1 to 1e9. Default 10000.
    pub root_bytes: u32,
    /// Bytes of each other object; 1 to 1e9. Default 10000.
    pub object_bytes: u32,
    /// Length of every request in bytes; 1 to 65,535. Default 500.
    pub request_bytes: u32,
    /// Most connections of a browser at once; 1 to 255. Default 6.
    pub parallel_connections: u8,
    /// Mean time in seconds from the end of a page to the start of the next; 0.001 to 1e6. Default 10.
    pub think_time_mean_seconds: f64,
    /// Law of think times. Default "exponential".
    pub think_time_law: ThinkTimeLaw,
    /// Number of servers among which a page chooses uniformly; at least 1. Default 8.
    pub server_count: u32,
    /// Mean time in seconds from the beginning of a page to its end, as assumed when users start in steady
    /// state; 0 to 1000. Default 1.
    pub steady_start_page_time_seconds: f64,
}

/// How think times vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkTimeLaw {
    /// Exponential: pages of many users begin independently.
    #[default]
    Exponential,
    /// Always the mean.
    Constant,
}

impl Default for FixedPageParameters {
    fn default() -> Self {
        Self {
            objects_per_page: 50,
            root_bytes: 10_000,
            object_bytes: 10_000,
            request_bytes: 500,
            parallel_connections: 6,
            think_time_mean_seconds: 10.0,
            think_time_law: ThinkTimeLaw::Exponential,
            server_count: 8,
            steady_start_page_time_seconds: 1.0,
        }
    }
}

impl FixedPageParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        within("objects_per_page", f64::from(self.objects_per_page), 1.0, 10_000.0)?;
        within("root_bytes", f64::from(self.root_bytes), 1.0, 1e9)?;
        within("object_bytes", f64::from(self.object_bytes), 1.0, 1e9)?;
        within("request_bytes", f64::from(self.request_bytes), 1.0, 65_535.0)?;
        within("parallel_connections", f64::from(self.parallel_connections), 1.0, 255.0)?;
        within("think_time_mean_seconds", self.think_time_mean_seconds, 0.001, 1e6)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))?;
        within("steady_start_page_time_seconds", self.steady_start_page_time_seconds, 0.0, 1000.0)
    }

    fn page_bytes(&self) -> f64 {
        f64::from(self.root_bytes) + f64::from(self.objects_per_page - 1) * f64::from(self.object_bytes)
    }
}

impl Parameters for FixedPageParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts::USUAL
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let (given, default) =
            (self.steady_start_page_time_seconds, Self::default().steady_start_page_time_seconds);
        unused::page_time_at_start(beside.start, given, default).into_iter().collect()
    }

    fn length_of_requests(&self) -> Option<u32> {
        Some(self.request_bytes)
    }

    /// A page takes a second; several seconds on a congested link.
    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let pages_per_second = 1.0 / (self.think_time_mean_seconds + 1.0);
        let connections = f64::from(self.objects_per_page.min(u32::from(self.parallel_connections)));
        Ok(Habits {
            user_bytes: size_of::<FixedPageUser>(),
            plan_bytes: connections * size_of::<Open>() as f64,
            connections: connections * (3.0 * pages_per_second).min(1.0),
            connections_per_second: connections * pages_per_second,
            exchanges_per_second: f64::from(self.objects_per_page) * pages_per_second,
            pages_per_second,
        })
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let exchanges = f64::from(self.objects_per_page);
        Ok(Workload {
            exchanges,
            exchange_bytes: self.page_bytes() / exchanges,
            seconds: self.think_time_mean_seconds,
            connections: Some(f64::from(self.parallel_connections)),
        })
    }

    fn build(&self, count: u32, key: Key, _: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(FixedPageModel::new(self)?, self.facts(), count, key))
    }
}

/// The model with its parameters: immutable, shared by all users of a population.
#[derive(Clone, Debug)]
pub struct FixedPageModel {
    parameters: FixedPageParameters,
    think: ThinkCycle,
}

/// The heaviest light page: half a minute at a window of 16 KB per round trip, were it on one connection.
const LIGHT_PAGE_BYTES: f64 = 5_000_000.0;

impl FixedPageModel {
    /// Prepares the law of think times.
    ///
    /// # Errors
    /// [`ParameterError`]: a number outside its legal range.
    pub fn new(parameters: &FixedPageParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let mean = parameters.think_time_mean_seconds;
        let think = match parameters.think_time_law {
            ThinkTimeLaw::Exponential => Law::Exponential { mean },
            ThinkTimeLaw::Constant => Law::Constant(mean),
        };
        let think = ThinkCycle::new(think, parameters.steady_start_page_time_seconds);
        Ok(Self { parameters: parameters.clone(), think })
    }
}

impl Model for FixedPageModel {
    type User = FixedPageUser;

    fn user(&self, key: Key, _: u32) -> FixedPageUser {
        FixedPageUser {
            key,
            page: 0,
            next: 0,
            missing: 0,
            opened: 0,
            open: Vec::new(),
            phase: Phase::NotStarted,
        }
    }

    fn handle(
        &self,
        user: &mut FixedPageUser,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(start) => {
                assert!(user.phase == Phase::NotStarted, "a user starts once");
                user.phase = Phase::Thinking;
                let wait = self.think.wait_at_start(start, user.key.named("start"));
                out.push(Command::Think { until: Time::ZERO + wait });
            }
            UserEvent::Wake => user.begin_page(self, out),
            UserEvent::Connected(connection) => user.on_connected(connection, self, out),
            UserEvent::Response(connection) => user.on_response(now, connection, self, out),
            UserEvent::Failed(connection) => return user.on_failed(now, connection, self, out),
            UserEvent::Object(..) => panic!("{event:?} is no event of this model's users"),
        }
        None
    }

    fn next_page_is_light(&self, user: &FixedPageUser) -> bool {
        assert!(user.phase == Phase::Thinking, "asked for the next page while {:?}", user.phase);
        self.parameters.page_bytes() <= LIGHT_PAGE_BYTES
    }

    fn pass_over_page(&self, user: &mut FixedPageUser, end: Time, out: &mut Vec<Command>) {
        assert!(user.phase == Phase::Thinking, "passed over a page while {:?}", user.phase);
        user.end_page(end, self, out);
    }
}

/// A person who thinks and loads the page: a state machine that a driver tells what happened.
#[derive(Clone, Debug)]
pub struct FixedPageUser {
    key: Key,
    /// The page in progress or, while she thinks, the next one.
    page: u32,
    /// The first object of the page that nobody has asked for.
    next: u32,
    /// Objects of the page that have neither arrived nor failed.
    missing: u32,
    /// Connections of the page that were opened.
    opened: u32,
    open: Vec<Open>,
    phase: Phase,
}

/// An open connection, or one that is being opened.
#[derive(Clone, Copy, Debug)]
struct Open {
    ordinal: ConnectionOrdinal,
    established: bool,
    /// What it fetches, or is opened for.
    object: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    NotStarted,
    Thinking,
    Loading,
}

impl FixedPageUser {
    fn page_key(&self) -> Key {
        self.key.named("page").indexed(u64::from(self.page))
    }

    fn begin_page(&mut self, model: &FixedPageModel, out: &mut Vec<Command>) {
        assert!(self.phase == Phase::Thinking, "woken while {:?}", self.phase);
        self.phase = Phase::Loading;
        (self.next, self.missing, self.opened) = (0, model.parameters.objects_per_page, 0);
        self.open_for_next(model, out);
    }

    fn on_connected(
        &mut self,
        connection: ConnectionOrdinal,
        model: &FixedPageModel,
        out: &mut Vec<Command>,
    ) {
        let place = self.find(connection);
        let open = &mut self.open[place];
        assert!(!open.established, "{connection} established twice");
        open.established = true;
        let object = open.object.expect("a connection is opened for an object");
        out.push(Command::Request { connection, exchange: exchange(object, model) });
    }

    fn on_response(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &FixedPageModel,
        out: &mut Vec<Command>,
    ) {
        let place = self.find(connection);
        let open = &mut self.open[place];
        assert!(open.established && open.object.take().is_some(), "no response was expected on {connection}");
        self.missing -= 1;
        self.go_on(now, model, out);
    }

    /// Answers with the exchange that was under way on the connection, or waited for its opening.
    fn on_failed(
        &mut self,
        now: Time,
        connection: ConnectionOrdinal,
        model: &FixedPageModel,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        let place = self.find(connection);
        let failed = self.open.remove(place).object;
        self.missing -= u32::from(failed.is_some());
        self.go_on(now, model, out);
        failed.map(|object| exchange(object, model))
    }

    fn find(&self, connection: ConnectionOrdinal) -> usize {
        let found = self.open.iter().position(|open| open.ordinal == connection);
        found.unwrap_or_else(|| panic!("{connection} of page {} is not there", self.page))
    }

    /// What follows when something has arrived or failed: what nobody has asked for goes on a connection that
    /// is free, then on new ones.
    fn go_on(&mut self, now: Time, model: &FixedPageModel, out: &mut Vec<Command>) {
        let FixedPageParameters { objects_per_page, parallel_connections, .. } = model.parameters;
        if self.missing == 0 {
            return self.end_page(now, model, out);
        }
        for open in self.open.iter_mut().filter(|open| open.object.is_none()) {
            if self.next == objects_per_page {
                return;
            }
            open.object = Some(self.next);
            let exchange = exchange(self.next, model);
            out.push(Command::Request { connection: open.ordinal, exchange });
            self.next += 1;
        }
        while self.next < objects_per_page && self.open.len() < usize::from(parallel_connections) {
            self.open_for_next(model, out);
        }
    }

    fn open_for_next(&mut self, model: &FixedPageModel, out: &mut Vec<Command>) {
        let (page, ordinal) = (self.page_key(), ConnectionOrdinal::new(self.opened));
        self.open.push(Open { ordinal, established: false, object: Some(self.next) });
        (self.next, self.opened) = (self.next + 1, self.opened + 1);
        out.push(Command::Open {
            connection: ordinal,
            visit: self.page,
            server: page.named("server").below(0, u64::from(model.parameters.server_count)) as u32,
            machine: None,
            delay: MinimumDelay::Drawn(page.named("delay").uniform(0)),
            persistent: true,
            reopened: false,
        });
    }

    fn end_page(&mut self, now: Time, model: &FixedPageModel, out: &mut Vec<Command>) {
        let think = model.think.think(self.page_key().named("think"), 0);
        // The memory of the list goes back: most users think, most of the time.
        for open in std::mem::take(&mut self.open) {
            out.push(Command::Close { connection: open.ordinal });
        }
        self.page = self.page.wrapping_add(1);
        self.phase = Phase::Thinking;
        out.push(Command::Think { until: now + think });
    }
}

/// The exchange of an object. Each page is a visit of its own.
fn exchange(object: u32, model: &FixedPageModel) -> Exchange {
    let FixedPageParameters { root_bytes, object_bytes, request_bytes, .. } = model.parameters;
    let (kind, bytes) =
        if object == 0 { (ObjectKind::TopLevel, root_bytes) } else { (ObjectKind::Embedded, object_bytes) };
    Exchange {
        object,
        page: 0,
        kind,
        on_persistent_connection: true,
        request_bytes,
        response_bytes: u64::from(bytes),
        server_time: Span::ZERO,
        server_closes: false,
    }
}
