//! The UNC model: users who think and browse, with persistent connections.
//!
//! **Source.** F. D. Smith, F. Hernández-Campos, K. Jeffay, D. Ott, *What TCP/IP Protocol Headers Can Tell Us
//! About the Web* (SIGMETRICS 2001), as run by L. Le, J. Aikat, K. Jeffay, F. D. Smith, *The Effects of
//! Active Queue Management on Web Performance* (SIGCOMM 2003), section 3.1: that text is the edition
//! followed. The authors' measured distributions may not be passed on, so the constants below are a
//! parametric reconstruction from what the 2003 paper prints; whoever holds the files can name them in the
//! parameters.
//!
//! **A user.** Think; fetch a page; repeat. A page is one top-level object, fetched alone, then its embedded
//! objects over at most P connections at once. A number of consecutive pages comes from one server (a *server
//! visit*), then another server is chosen uniformly. A new connection is persistent with probability 0.15;
//! it then carries a drawn number (at least 2) of requests, else one. The browser closes a connection after
//! its requests, or when the visit ends. The think time begins when every object of the page is there.
//!
//! **Sizes.** F̄(x) = Q(ln(x/m)/σ) below x_c and F̄(x_c)·(x/x_c)^−α above, log-log slope continuous at x_c;
//! larger values than the maximum are redrawn.
//!
//! | quantity | law | default | certainty |
//! | --- | --- | --- | --- |
//! | response, B | lognormal-Pareto | m 1,000; σ 1.8348; α 1.2673; maximum 10⁹ (so x_c 35,510, mean 7,000) | median and maximum printed; the rest derived from printed loads, P90, Hurst parameter |
//! | request, B | Mah 1997, primary and secondary | means 396 and 336 | assumption |
//! | objects per page | geometric from 1 | mean 5 | assumption, fixed together with the think time |
//! | think time, s | lognormal-Pareto | m 10; σ 1.4510; α 1.5; maximum 3,600 (mean 30.07) | assumption, fixed by 0.1609 exchanges per user and second |
//! | pages per server visit | geometric from 1 | mean 4.09 | mean from Mah 1997, shape assumed |
//! | servers per page | geometric from 1 | mean 1 | assumption |
//! | persistent connections | share of new ones | 0.15 | printed |
//! | requests per persistent one | 1 + geometric from 1 | mean 8 | derived from "more than 50 % of all objects" |
//! | connections at once, P | per user | Netscape 4 or Internet Explorer 2, half each | 4 and 2 printed, the mix assumed |
//! | servers | uniform | 8 | printed (section 2: eight response generators at each edge) |
//!
//! Legal ranges stand at [`UncParameters`].
//!
//! **Assignment.** Which object travels on which connection is settled when the page begins, without regard
//! to the order in which responses will arrive: the objects, in order, fill first the connections of the
//! visit that have requests left (lowest number first), then new ones. The batch of the top-level object goes
//! on first; its connection, if it has requests left, continues with embedded objects; the other batches
//! follow in order as one of the P places becomes free. A lost connection costs the exchange in progress;
//! what was left of its batch is fetched by opening the connection again with the same numbers.
//!
//! **Departures.** Response sizes of top-level and embedded objects follow one law (nothing printed tells
//! them apart). An object whose exchange failed is not asked for again, and the embedded objects of a page
//! whose top-level object failed are still fetched: demand must not depend on the queue.
//!
//! **Silences of the paper, and our choice.** Which objects share a connection: by the assignment above. With
//! several servers per page: embedded object j comes from server j mod S, server 0 being the visit's own, and
//! the further servers stay the same through the visit. Whether persistent connections outlive a page: they
//! do within a visit, otherwise their share of the objects cannot exceed 45 %. Whether the limit P counts
//! idle connections: it does not. How users begin: [`crate::StartRule`].

mod assignment;
mod laws;
mod parameters;
mod user;

use crate::unused::{self, BesideModel, Replaced, UnusedKey};
use crate::{
    Command, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population, UserEvent,
    Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub use laws::UncModel;
pub use parameters::UncParameters;
pub use user::User;

/// Which parameters have no effect where all of these files are given.
const REPLACED: &[Replaced] = &[
    (
        &["think_time_seconds_cdf_file"],
        &[
            "think_time_median_seconds",
            "think_time_sigma",
            "think_time_pareto_alpha",
            "think_time_maximum_seconds",
        ],
    ),
    (&["embedded_objects_per_page_cdf_file"], &["objects_per_page_mean"]),
    (&["servers_per_page_cdf_file"], &["servers_per_page_mean"]),
    (&["pages_per_server_visit_cdf_file"], &["pages_per_server_visit_mean"]),
    (&["requests_per_persistent_connection_cdf_file"], &["requests_per_persistent_connection_mean"]),
    (&["top_level_request_bytes_cdf_file", "embedded_request_bytes_cdf_file"], &["request_bytes_cdf_file"]),
    (&["response_bytes_cdf_file"], RESPONSE_LAW),
    (&["top_level_response_bytes_cdf_file", "embedded_response_bytes_cdf_file"], RESPONSE_LAW),
    (
        &["top_level_response_bytes_cdf_file", "embedded_response_bytes_cdf_file"],
        &["response_bytes_cdf_file"],
    ),
];

const RESPONSE_LAW: &[&str] =
    &["response_median_bytes", "response_sigma", "response_pareto_alpha", "response_maximum_bytes"];

impl Parameters for UncParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts::USUAL
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let (given, default) =
            (self.steady_start_page_time_seconds, Self::default().steady_start_page_time_seconds);
        let page_time = unused::page_time_at_start(beside.start, given, default);
        page_time.into_iter().chain(unused::replaced_by_files(self, REPLACED)).collect()
    }

    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        Ok(Habits::of_studies(size_of::<User>()))
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        Ok(Workload {
            exchanges: self.objects_per_page_mean,
            exchange_bytes: self.response_median_bytes
                * libm::exp(self.response_sigma * self.response_sigma / 2.0),
            seconds: self.think_time_median_seconds,
            connections: Some(10.0),
        })
    }

    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(UncModel::new(self, load_file)?, self.facts(), count, key))
    }
}

impl Model for UncModel {
    type User = User;

    fn user(&self, key: Key, _: u32) -> User {
        User::new(key, self)
    }

    fn handle(
        &self,
        user: &mut User,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(start) => user.start(self, start, out),
            UserEvent::Wake => user.on_wake(now, self, out),
            UserEvent::Connected(connection) => user.on_connected(now, connection, self, out),
            UserEvent::Response(connection) => user.on_response(now, connection, self, out),
            UserEvent::Object(..) => panic!("{event:?} is no event of this model's users"),
            UserEvent::Failed(connection) => return user.on_failed(now, connection, self, out),
        }
        None
    }

    fn next_page_is_light(&self, user: &User) -> bool {
        user.next_page_is_light(self)
    }

    fn pass_over_page(&self, user: &mut User, end: Time, out: &mut Vec<Command>) {
        user.pass_over_page(end, self, out);
    }
}
