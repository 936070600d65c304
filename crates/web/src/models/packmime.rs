//! PackMime-HTTP: connections that arrive, in place of users who wait.
//!
//! **Source.** J. Cao, W. S. Cleveland, Y. Gao, K. Jeffay, F. D. Smith, M. C. Weigle, *Stochastic Models for
//! Generating Synthetic HTTP Source Traffic* (INFOCOM 2004), in the edition of the ns-2 code of its authors
//! (`packmime_ranvar.cc`, `packmime_HTTP.cc`), with which the study of several congested links (Y. Nie, M. C.
//! Weigle and others) was made.
//!
//! **A cloud.** Connections arrive at a mean rate r, whatever becomes of those before: nobody waits, and
//! nobody thinks. Nine in a hundred carry several exchanges (HTTP/1.1), the others one. The server closes
//! behind the last response.
//!
//! | quantity | law | printed in the study |
//! | --- | --- | --- |
//! | time between arrivals | Weibull, whose shape rises to 1 with the rate; long-range dependent (d = 0.33) | |
//! | round trip beyond the network's, on the clients' and on the servers' side | measured curves, long-range dependent | 1 ms to 6.5 s, median 65 ms, mean 106 ms |
//! | request, B | measured curve, long-range dependent (d = 0.31); one size for all of a connection | |
//! | first response, B | runs of downloads and of validations: measured curves, the tail a Pareto of index 1.231 | median 900, mean 6,700 of one run |
//! | later responses, B | as the first if that is a validation; else lognormal about a location and with a scale of their connection | |
//! | objects and pages of a persistent connection | exponential above one | 1.2 exchanges per connection |
//! | gap before an object, before a page, s | lognormal, medians 0.056 and 9.3, with a location and a scale of their connection | |
//! | server's time, s | 1/Weibull, at most 0.1, median 0.0059 | |
//!
//! Legal ranges stand at [`PackMimeParameters`]. What depends on the rate does so through 2^x/(1 + 2^x) of
//! its logarithm: the higher the rate, the more independent a cloud's numbers.
//!
//! **Laws of one's own.** Files may take the place of the marginal laws of gaps, requests, responses, round
//! trips and servers' times; what makes the numbers depend on those before stays. ns-2 lets any random
//! variable stand there, an empirical one as well.
//!
//! **Departures.** Location and scale of the gaps are drawn for each connection, where ns-2 draws them once
//! for a run ([`GapsDrawnPer::Run`] is that). Half of the round trip that is added goes with the packets of
//! either direction, all of it behind the sender's own interface: of two delays on a path through queues that
//! packets leave in the order of their arrival only the sum is felt. Requests are cut at 10⁹ bytes and
//! responses at 10¹⁵.
//!
//! **Silences, and our choice.** How a cloud begins: without connections, with arrivals in their long-run
//! law.

mod cloud;
mod connection_plan;
mod consecutive;
mod curve;
mod fractional_sum_difference;
mod laws;
mod own_laws;
mod parameters;
mod past_weights;
mod round_trips;

use crate::unused::{self, BesideModel, UnusedKey};
use crate::{
    Command, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population, UserEvent,
    WaitsFor, Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub use cloud::PackMimeCloud;
pub(crate) use fractional_sum_difference::standard_normal;
pub use laws::PackMimeModel;
pub use parameters::{GapsDrawnPer, PackMimeParameters};
pub(crate) use round_trips::MeasuredRoundTrips;

impl Parameters for PackMimeParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts { waits_for: WaitsFor::Nothing, ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let when = "at their long-run rate from the first instant";
        let mut unused = unused::of_arrivals("packmime", when, self.round_trip_times, beside);
        unused.extend(self.files_that_nothing_is_drawn_from());
        unused.extend(self.end_of_replaced_law());
        unused
    }

    /// Its four series keep their past, three of 1,000 numbers and one of 5,000, and room for half a thousand
    /// more each; their weights are those of the population. At nine tenths of a link's rate clouds of 20
    /// connections a second took 90 kB each with everything that they had open, and those of 1,000 a second
    /// 1.9 kB for each of these (measured in November 2026): half a connection, and two. The latter counts; a
    /// few of them last minutes.
    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let open = 2.0 * self.connections_per_second;
        Ok(Habits {
            user_bytes: size_of::<PackMimeCloud>(),
            plan_bytes: 10_100.0 * 8.0 + open * 250.0,
            connections: open,
            connections_per_second: self.connections_per_second,
            exchanges_per_second: 1.2 * self.connections_per_second,
            pages_per_second: 0.0,
        })
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        // Each connection has some exchanges of 7 kB.
        let exchanges = 1.2 * self.connections_per_second;
        Ok(Workload { exchanges, exchange_bytes: 8_000.0, seconds: 1.0, connections: None })
    }

    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(PackMimeModel::new(self, load_file)?, self.facts(), count, key))
    }
}

impl Model for PackMimeModel {
    type User = PackMimeCloud;

    fn user(&self, key: Key, _: u32) -> PackMimeCloud {
        PackMimeCloud::new(key, self)
    }

    /// Connections of a cloud arrive by themselves, so that it does not look at the time of some events.
    fn handle(
        &self,
        cloud: &mut PackMimeCloud,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(_) => cloud.start(self, out),
            UserEvent::Wake => cloud.on_wake(now, self, out),
            UserEvent::Connected(connection) => cloud.on_connected(connection, out),
            UserEvent::Response(connection) => cloud.on_response(now, connection, out),
            UserEvent::Failed(connection) => return cloud.on_failed(connection),
            UserEvent::Object(..) => panic!("{event:?} is no event of this model's clouds"),
        }
        None
    }
}
