//! Webtraf: sessions of ns-2 that fetch pages, each object over a connection of its own.
//!
//! **Source.** The generator of that name in ns-2.35 (`webcache/webtraf.cc` and `.h`,
//! `tcl/webcache/webtraf.tcl`), after A. Feldmann, A. C. Gilbert, P. Huang, W. Willinger, *Dynamics of IP
//! Traffic: A Study of the Role of Variability and the Impact of Control* (SIGCOMM 1999); parameters as J.
//! Chung, M. Claypool, R. Kinicki, *Stochastic Fair Aggregate Rate Control* (Worcester Polytechnic Institute,
//! 2004), section 5, has them.
//!
//! **A session.** Think; fetch a page from a server that is drawn for it; repeat. The objects of a page are
//! launched one after another, a gap from launch to launch, whether those before have come or not: there is
//! no limit on connections, and no object names the others. Each has a connection of its own: a request of
//! one packet, and the response, behind which the server closes. The page is there with its last object, and
//! the session thinks.
//!
//! | quantity | law | Chung et al. |
//! | --- | --- | --- |
//! | think time, from page to page, s | exponential | mean 7 |
//! | objects of a page | always as many | 2 |
//! | gap between launches, s | exponential | not printed; 0.01 in the scripts of ns-2 |
//! | object, bytes | Pareto, or Lomax's law (`ParetoII` of ns-2), rounded up to whole packets | Pareto, shape 1.2, mean 5 kB |
//! | request, bytes | constant | a packet of 1,000 bytes |
//! | server of a page | uniform | |
//!
//! A Pareto law of mean m and shape a begins at m (a - 1)/a: 833 bytes. Its median is 1,485 bytes, and of a
//! hundred thousand objects the mean is typically 4.27 kB, not 5: the rest lies in objects that seldom come.
//!
//! **Departures.** ns-2 sends request and response over two one-way connections, the second of which begins
//! when the first is completely acknowledged, and a page ends when the server has the last acknowledgement.
//! So it is here between one-way hosts (`aqmlab_session`, `one_way.rs`); between others one connection
//! carries both, with its handshake, and a page ends with the last byte at the browser. A session has no end
//! (ns-2 has a number of pages). Objects are cut at 10¹⁵ bytes. Of the two meanings of the time between pages
//! it is ns-2's default: from the end of one to the start of the next.
//!
//! **Silences, and our choice.** Both objects of a page have the delay of their page: they share client and
//! server.

mod laws;
mod parameters;
mod session;

use crate::unused::{self, BesideModel, UnusedKey};
use crate::{
    Command, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population, StartRule,
    UserEvent, Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub use laws::WebtrafModel;
pub use parameters::{ObjectSizeLaw, WebtrafParameters};
pub use session::WebtrafSession;

impl Parameters for WebtrafParameters {
    /// It is ns-2's, whose one-way agents it was written for.
    fn facts(&self) -> ModelFacts {
        ModelFacts { works_one_way: true, ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.server_count = servers;
    }

    /// Sessions are not met in the middle of a page.
    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let past = (beside.start == StartRule::Stationary).then(|| {
            let wrong = "sessions of model = \"webtraf\" have no past";
            UnusedKey::new("start", wrong, "\"steady\" or \"fresh\"")
        });
        let (given, default) =
            (self.steady_start_page_time_seconds, Self::default().steady_start_page_time_seconds);
        past.into_iter().chain(unused::page_time_at_start(beside.start, given, default)).collect()
    }

    fn length_of_requests(&self) -> Option<u32> {
        Some(self.request_bytes)
    }

    /// A page of some objects takes a second; several seconds on a congested link.
    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let objects = f64::from(self.objects_per_page);
        let pages_per_second = 1.0 / (self.think_time_mean_seconds + 1.0);
        Ok(Habits {
            user_bytes: size_of::<WebtrafSession>(),
            plan_bytes: 8.0 * objects,
            connections: objects * (3.0 * pages_per_second).min(1.0),
            connections_per_second: objects * pages_per_second,
            exchanges_per_second: objects * pages_per_second,
            pages_per_second,
        })
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let exchanges = f64::from(self.objects_per_page);
        Ok(Workload {
            exchanges,
            exchange_bytes: self.object_bytes_mean + f64::from(self.packet_bytes),
            seconds: self.think_time_mean_seconds,
            connections: Some(exchanges.max(10.0)),
        })
    }

    fn build(&self, count: u32, key: Key, _: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(WebtrafModel::new(self)?, self.facts(), count, key))
    }
}

impl Model for WebtrafModel {
    type User = WebtrafSession;

    fn user(&self, key: Key, _: u32) -> WebtrafSession {
        WebtrafSession::new(key)
    }

    fn handle(
        &self,
        session: &mut WebtrafSession,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        match event {
            UserEvent::Start(start) => session.start(self, start, out),
            UserEvent::Wake => session.on_wake(now, self, out),
            UserEvent::Connected(connection) => session.on_connected(connection, self, out),
            UserEvent::Response(connection) => session.on_response(now, connection, self, out),
            UserEvent::Failed(connection) => return session.on_failed(now, connection, self, out),
            UserEvent::Object(..) => panic!("{event:?} is no event of this model's sessions"),
        }
        None
    }
}
