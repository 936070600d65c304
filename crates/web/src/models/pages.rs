//! Today's pages: dozens of objects from many hosts, over HTTP/1.1 or HTTP/2, behind TLS.
//!
//! **Sources.** HTTP Archive, *Web Almanac* 2022 and 2024 (chapters *Page Weight* and *Third Parties*):
//! aggregate statistics of millions of pages, loaded with an empty cache. What people do between pages: J.
//! Nielsen, *How Long Do Users Stay on Web Pages?* (2011), on C. Liu, R. White, S. Dumais, *Understanding Web
//! Browsing Behaviors through Weibull Analysis of Dwell Time* (SIGIR 2010).
//!
//! **A user.** Think; load a page; repeat. A page is its root, fetched first and alone, and the objects that
//! the root names, and then those that these name: three waves, of which the next is known when everything of
//! the one before is there. Objects come from several hosts. With HTTP/1.1 a browser has up to six
//! connections to a host and one request on each at a time; with HTTP/2 one connection to a host, on which it
//! writes every request as soon as it is known. The page is there with its last object; its connections are
//! closed then.
//!
//! | quantity | law | certainty |
//! | --- | --- | --- |
//! | objects of a page | lognormal, median 71 | fitted to five percentiles of 2024 |
//! | bytes of a page | lognormal, median 2,652 KB | median of 2024, shape fitted to five percentiles of 2022 |
//! | both together | normal numbers of correlation 0.6 | assumption |
//! | root, bytes | lognormal, median 18 KB | median of 2024, shape assumed |
//! | how a page's bytes spread over its objects | lognormal, sigma 1.7 | assumption |
//! | objects of other hosts than the root's | 45 % | 2022 |
//! | how many hosts these are | Hoppe's urn | fitted to the median of 2022 |
//! | objects named by the root | 60 %, the others by those | assumption |
//! | request, bytes | 500 | assumption |
//! | think time, s | lognormal, median 15, mean 52 | mean and "10 to 20 s" of Nielsen |
//!
//! Departures and silences: no cache, no DNS, no time to compute, no request is given up for a slow one;
//! connections do not outlive a page. `docs/reference/models/pages.md` says how well the laws meet what was
//! published.

mod browser;
mod file;
mod laws;
mod model;
mod parameters;
mod plan;
mod user;

use crate::unused::{self, BesideModel, Replaced, UnusedKey};
use crate::{
    Command, Connections, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population,
    UserEvent, Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub(in crate::models) use browser::{Browser, Plans, page_key};
pub use model::PagesModel;
pub use parameters::{Http, PagesParameters};
pub(in crate::models) use parameters::{LARGEST_PAGE_BYTES, MOST_OBJECTS};
pub use plan::PageObject;
pub use user::PagesUser;
pub(in crate::models) use user::bytes_of_plan;

/// 93 objects of 24 bytes on 27 hosts, behind a thought of 52 s. Where the link is not full a user takes 4.5
/// kB with HTTP/2 and 7 with HTTP/1.1, with everything that she has open; where pages come at half of what is
/// asked for it is 11 kB after a minute (measured in November 2026). The connections are those in the middle.
const HABITS: Habits = Habits {
    user_bytes: size_of::<PagesUser>(),
    plan_bytes: 2_000.0,
    connections: 9.0,
    connections_per_second: 0.5,
    exchanges_per_second: 1.6,
    pages_per_second: 0.02,
};

/// Which parameters have no effect where all of these files are given.
const REPLACED: &[Replaced] = &[
    (&["think_time_seconds_cdf_file"], &["think_time_median_seconds", "think_time_sigma"]),
    (&["objects_per_page_cdf_file"], &["objects_per_page_median", "objects_per_page_sigma"]),
    (&["page_bytes_cdf_file"], &["page_bytes_median", "page_bytes_sigma"]),
    (
        &["pages_file"],
        &[
            "objects_per_page_median",
            "objects_per_page_sigma",
            "objects_per_page_cdf_file",
            "page_bytes_median",
            "page_bytes_sigma",
            "page_bytes_cdf_file",
            "weight_to_objects_correlation",
            "root_bytes_median",
            "root_bytes_sigma",
            "object_share_sigma",
            "third_party_share",
            "third_party_spread",
            "named_by_root_share",
            "request_bytes",
        ],
    ),
];

/// Of TLS, if every object came from a host of its own.
const HANDSHAKE_BYTES: f64 = 4_000.0;

impl Parameters for PagesParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts { connections: Connections::Streams(self.tls.handshake()), ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let usual = Self::default();
        let connections = self.http.unused_connections(self.connections_per_host, usual.connections_per_host);
        let (given, default) = (self.steady_start_page_time_seconds, usual.steady_start_page_time_seconds);
        let page_time = unused::page_time_at_start(beside.start, given, default);
        let replaced = unused::replaced_by_files(self, REPLACED);
        connections.into_iter().chain(page_time).chain(replaced).collect()
    }

    fn length_of_requests(&self) -> Option<u32> {
        self.pages_file.is_none().then_some(self.request_bytes)
    }

    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        Ok(HABITS)
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let mean = |median: f64, sigma: f64, most: f64| (median * libm::exp(sigma * sigma / 2.0)).min(most);
        let exchanges = mean(self.objects_per_page_median, self.objects_per_page_sigma, 5e3);
        let page_bytes = mean(self.page_bytes_median, self.page_bytes_sigma, 1e9);
        Ok(Workload {
            exchanges,
            exchange_bytes: page_bytes / exchanges + HANDSHAKE_BYTES,
            seconds: self.think_time_median_seconds,
            connections: Some(200.0),
        })
    }

    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(PagesModel::new(self, load_file)?, self.facts(), count, key))
    }
}

impl Model for PagesModel {
    type User = PagesUser;

    fn user(&self, key: Key, _: u32) -> PagesUser {
        PagesUser::new(key)
    }

    fn handle(
        &self,
        user: &mut PagesUser,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        handle(self, user, event, now, out)
    }

    fn next_page_is_light(&self, user: &PagesUser) -> bool {
        user.next_page_is_light(self)
    }

    fn pass_over_page(&self, user: &mut PagesUser, end: Time, out: &mut Vec<Command>) {
        user.pass_over_page(end, self, out);
    }
}

/// Hands a user an event, whatever her pages are drawn from.
pub(in crate::models) fn handle<P: Plans>(
    plans: &P,
    user: &mut PagesUser<P::Rest>,
    event: UserEvent,
    now: Time,
    out: &mut Vec<Command>,
) -> Option<Exchange> {
    match event {
        UserEvent::Start(start) => user.start(plans, start, out),
        UserEvent::Wake => user.on_wake(now, plans, out),
        UserEvent::Connected(connection) => user.on_connected(now, connection, plans, out),
        UserEvent::Object(connection, object) => user.on_object(now, connection, object, plans, out),
        UserEvent::Response(_) => panic!("{event:?} is no event of this model's users"),
        UserEvent::Failed(connection) => return user.on_failed(now, connection, plans, out),
    }
    None
}
