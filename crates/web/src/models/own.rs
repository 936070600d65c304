//! Traffic models from outside this crate: whoever writes one says what pages consist of, and how long users
//! think behind each.
//!
//! Everything else is that of [`super::pages`]: the browser with its connections, HTTP and TLS, the servers,
//! and users who never wait. A model is asked once a page, never for a packet.
//!
//! **What others have to know of it** (think times when a run begins, habits for the estimate of memory)
//! follows from a sample of its pages (`sample.rs`), which also finds out whether a page is the same when it
//! is asked for again: without that, users under two schemes could not be compared.

mod declared;
mod model;
mod own_model_error;
mod page;
mod sample;

pub use declared::{DeclaredModels, ModelDeclaration, OwnPages, PageSource, UnreadableModel};
pub use model::OwnModel;
pub use own_model_error::OwnModelError;
pub use page::{OwnObject, think_time};
pub use sample::{PageSample, SampledPage};

use crate::models::pages::{Browser, Http, bytes_of_plan};
use crate::parameter_error::within;
use crate::unused::{self, BesideModel, UnusedKey};
use crate::{Connections, Habits, LoadFile, ModelError, ModelFacts, Parameters, Population, Tls, Workload};
use aqmlab_random::Key;
use declared::Declared;
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What loads the pages of a model from outside: keys that every such model has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct BrowserKeys {
    /// How requests share connections. Default "2".
    http: Http,
    /// The handshake after a connection opens. Default "1.3".
    tls: Tls,
    /// Most connections to a host, with HTTP/1.1; 1 to 255. Default 6.
    connections_per_host: u8,
    /// Number of servers, on which hosts are placed uniformly; at least 1. Default 8.
    server_count: u32,
    /// Mean time in seconds from the beginning of a page to its end, as assumed when users start in steady
    /// state; 0 to 1000. Default 5.
    steady_start_page_time_seconds: f64,
}

impl Default for BrowserKeys {
    fn default() -> Self {
        Self {
            http: Http::V2,
            tls: Tls::V1_3,
            connections_per_host: 6,
            server_count: 8,
            steady_start_page_time_seconds: 5.0,
        }
    }
}

impl BrowserKeys {
    fn names() -> Map<String, Value> {
        match serde_json::to_value(Self::default()) {
            Ok(Value::Object(keys)) => keys,
            other => unreachable!("keys are a table, not {other:?}"),
        }
    }

    fn browser(&self) -> Browser {
        Browser::new(self.http, self.connections_per_host, self.server_count)
    }
}

/// A traffic model from outside this crate with its parameters.
#[derive(Clone)]
pub struct OwnParameters {
    declared: Declared,
    keys: BrowserKeys,
    own: Arc<dyn OwnPages>,
    /// Its pages, once they were asked for.
    prepared: Arc<OnceLock<Result<Prepared, OwnModelError>>>,
}

/// Where pages come from, and a sample of them.
#[derive(Clone)]
struct Prepared {
    source: Arc<dyn PageSource>,
    sample: Arc<PageSample>,
}

impl fmt::Debug for OwnParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?} {}", self.name(), self.keys, self.own.to_json())
    }
}

impl PartialEq for OwnParameters {
    fn eq(&self, other: &Self) -> bool {
        self.declared.name == other.declared.name
            && self.keys == other.keys
            && self.own.to_json() == other.own.to_json()
    }
}

impl Serialize for OwnParameters {
    /// A table with the key `model` first, as of the models of this crate.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_map(None)?;
        table.serialize_entry("model", self.name())?;
        let shared = serde_json::to_value(&self.keys).unwrap_or_default();
        for keys in [shared, self.own.to_json()] {
            let keys = keys.as_object().into_iter().flatten();
            keys.into_iter().try_for_each(|(key, value)| table.serialize_entry(key, value))?;
        }
        table.end()
    }
}

impl OwnParameters {
    /// As scenarios spell it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.declared.spelt()
    }

    /// The model of a table without the key `model`.
    ///
    /// # Errors
    /// [`UnreadableModel`]: no model from outside that may be named now has this name, or the table does not
    /// fit it.
    pub(super) fn parse(name: &str, table: Map<String, Value>) -> Result<Self, UnreadableModel> {
        let declared = declared::find(name).ok_or(UnreadableModel::Unknown)?;
        let shared = BrowserKeys::names();
        let (keys, own): (Map<_, _>, Map<_, _>) =
            table.into_iter().partition(|(key, _)| shared.contains_key(key));
        let keys = serde_json::from_value(Value::Object(keys)).map_err(UnreadableModel::Table)?;
        let own = declared.declaration.parse(own).map_err(UnreadableModel::Table)?;
        Ok(Self { declared, keys, own, prepared: Arc::default() })
    }

    /// Its source of pages and a sample of them: both made once.
    fn prepared(&self) -> Result<&Prepared, ModelError> {
        let prepared = self.prepared.get_or_init(|| {
            let source = self.own.source()?;
            let sample = PageSample::take(&*source)?;
            Ok(Prepared { source, sample: Arc::new(sample) })
        });
        prepared.as_ref().map_err(|OwnModelError { wrong, legal }| ModelError::own("model", wrong, legal))
    }

    fn sample(&self) -> Result<&PageSample, ModelError> {
        Ok(&self.prepared()?.sample)
    }

    fn connections_of_a_page(&self) -> Result<f64, ModelError> {
        Ok(self.sample()?.connections(self.keys.browser().connections_per_host()))
    }
}

impl Parameters for OwnParameters {
    fn facts(&self) -> ModelFacts {
        ModelFacts { connections: Connections::Streams(self.keys.tls.handshake()), ..ModelFacts::USUAL }
    }

    fn choose_among(&mut self, servers: u32) {
        self.keys.server_count = servers;
    }

    fn unused(&self, beside: &BesideModel) -> Vec<UnusedKey> {
        let usual = BrowserKeys::default();
        let connections =
            self.keys.http.unused_connections(self.keys.connections_per_host, usual.connections_per_host);
        let (given, default) =
            (self.keys.steady_start_page_time_seconds, usual.steady_start_page_time_seconds);
        let page_time = unused::page_time_at_start(beside.start, given, default);
        connections.into_iter().chain(page_time).collect()
    }

    /// Of the sample. A page takes as long as is assumed at the start; three times that on a congested link.
    fn habits(&self, _: &LoadFile<'_>) -> Result<Habits, ModelError> {
        let (objects, connections) = (self.sample()?.objects(), self.connections_of_a_page()?);
        let page_seconds = self.keys.steady_start_page_time_seconds.max(1.0);
        let pages_per_second = 1.0 / (self.sample()?.think_seconds() + page_seconds);
        let loading = (3.0 * page_seconds * pages_per_second).min(1.0);
        Ok(Habits {
            user_bytes: OwnModel::USER_BYTES,
            plan_bytes: loading * bytes_of_plan(objects, connections),
            connections: loading * connections,
            connections_per_second: connections * pages_per_second,
            exchanges_per_second: objects * pages_per_second,
            pages_per_second,
        })
    }

    fn workload(&self, _: &LoadFile<'_>) -> Result<Workload, ModelError> {
        let sample = self.sample()?;
        Ok(Workload {
            exchanges: sample.objects(),
            exchange_bytes: sample.bytes() / sample.objects(),
            seconds: sample.think_seconds(),
            connections: Some(self.connections_of_a_page()?),
        })
    }

    fn build(&self, count: u32, key: Key, _: &LoadFile<'_>) -> Result<Population, ModelError> {
        let keys = &self.keys;
        within("connections_per_host", f64::from(keys.connections_per_host), 1.0, 255.0)?;
        within("server_count", f64::from(keys.server_count), 1.0, f64::from(u32::MAX))?;
        within("steady_start_page_time_seconds", keys.steady_start_page_time_seconds, 0.0, 1000.0)?;
        self.own.validate()?;
        let Prepared { source, sample } = self.prepared()?.clone();
        let thinks = sample.think_cycle(keys.steady_start_page_time_seconds);
        Ok(Population::new(OwnModel::new(source, thinks, keys.browser()), self.facts(), count, key))
    }
}
