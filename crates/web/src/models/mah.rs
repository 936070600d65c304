//! Mah's model: users who think and browse, one connection per file.
//!
//! **Source.** B. A. Mah, *An Empirical Model of HTTP Network Traffic* (INFOCOM 1997), as run by M.
//! Christiansen, K. Jeffay, D. Ott, F. D. Smith, *Tuning RED for Web Traffic* (SIGCOMM 2000), section 3.2:
//! that text is the edition followed. The measured quantities are those of Mah's tables, condensed
//! (`crates/web/data`).
//!
//! **A user.** Think; fetch a document; repeat. A document is one primary file, fetched first and alone, then
//! its secondary files, over at most P connections at once. Each file has a connection of its own (HTTP/1.0),
//! which the server closes as soon as it has written the response; a file is there when its connection is
//! closed. A number of consecutive documents comes from one server (a *server visit*), then another is chosen
//! uniformly. The think time begins when every file of the document is there.
//!
//! | quantity | law | mean | certainty |
//! | --- | --- | --- | --- |
//! | request, B | table, primary and secondary | 396 and 336 | measured |
//! | response, B | table, primary and secondary | 17,932 and 6,868 | measured; the one reply of 8.1 MB carries 15 % of the bytes and stays |
//! | files per document | discrete Weibull: one with probability 0.4864 | 2.915 | both numbers measured, shape assumed |
//! | documents per server visit | discrete Weibull: one with probability 0.3557 | 4.087 | both numbers measured, shape assumed |
//! | think time, s | table, cut at 2,190 | 87 | measured; the cut is derived |
//! | connections at once, P | | 4 | assumption: the paper has the parameter and does not print it |
//! | servers | uniform | 8 | assumption |
//!
//! Legal ranges stand at [`MahParameters`]. Tables are sampled by steps: only listed values occur.
//! (Interpolation between the measured values would lower the mean primary reply by a sixth.)
//!
//! **The think-time cut.** Mah's table runs up to a day and has a mean of 1,312 s. With it 3,400 users would
//! make a fifteenth of the requests that table 2 of the 2000 paper prints: its authors must have cut it, and
//! do not say how. From their 110.0 requests per second of 3,332 users and 2.915 files per document follows a
//! page every 88 s, hence a mean think time of about 87 s. Three cuts give it: drawing again above 2,190 s
//! (6.4 % of the table; the default), counting everything above 485 s as 485 s, or taking the remainder of
//! 900 s. The first two are offered.
//!
//! **Discrete Weibull** (Nakagawa, Osaki, *IEEE Transactions on Reliability* 24, 1975): P(X > n) = q^(n^β)
//! for n = 0, 1, 2…; q = 1 − P(X = 1), and β follows from the mean. Against the measured shares of documents
//! with more than 2, 3, 6, 10 files, 30.8, 21.9, 9.6, 3.9 %, it gives 34.2, 24.2, 10.2, 3.9 %. The tables
//! themselves may not be passed on; whoever holds them names them in the parameters.
//!
//! **Departures.** A file whose connection failed is not asked for again, and the secondary files of a
//! document whose primary one failed are still fetched: demand must not depend on the queue. Values of zero
//! bytes in files of users count as one byte.
//!
//! **Silences of the paper, and our choice.** Whether the secondary files of a document share its server:
//! they do. How users begin: [`crate::StartRule`].

mod documents;
mod laws;
mod parameters;
mod user;

use crate::unused::{self, BesideModel, Replaced, UnusedKey};
use crate::{
    Command, Connections, Exchange, Habits, LoadFile, Model, ModelError, ModelFacts, Parameters, Population,
    UserEvent, Workload,
};
use aqmlab_random::Key;
use aqmlab_units::Time;

pub use laws::MahModel;
pub use parameters::{MahParameters, ThinkTimeCut};
pub use user::MahUser;

/// Which parameters have no effect where all of these files are given.
const REPLACED: &[Replaced] = &[
    (&["files_per_document_cdf_file"], &["single_file_document_share", "files_per_document_mean"]),
    (
        &["documents_per_server_visit_cdf_file"],
        &["single_document_visit_share", "documents_per_server_visit_mean"],
    ),
];

impl Parameters for MahParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts { connections: Connections::Exchanges { servers_close: true }, ..ModelFacts::USUAL }
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
        Ok(Habits::of_studies(size_of::<MahUser>()))
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        Ok(Workload {
            exchanges: self.files_per_document_mean,
            exchange_bytes: 10_000.0,
            seconds: 1.0,
            connections: Some(10.0),
        })
    }

    fn build(&self, count: u32, key: Key, load_file: &LoadFile<'_>) -> Result<Population, ModelError> {
        Ok(Population::new(MahModel::new(self, load_file)?, self.facts(), count, key))
    }
}

impl Model for MahModel {
    type User = MahUser;

    fn user(&self, key: Key, _: u32) -> MahUser {
        MahUser::new(key, self)
    }

    fn handle(
        &self,
        user: &mut MahUser,
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

    fn next_page_is_light(&self, user: &MahUser) -> bool {
        user.next_page_is_light(self)
    }

    fn pass_over_page(&self, user: &mut MahUser, end: Time, out: &mut Vec<Command>) {
        user.pass_over_page(end, self, out);
    }
}
