//! A scenario as a Python object: parsed and checked once, then handed about.

use crate::error::refused_scenario;
use aqmlab_aqm::PortFacts;
use aqmlab_aqm::parts::Shaping;
use aqmlab_link::{BacklogClock, Framing, ServiceModel};
use aqmlab_random::Key;
use aqmlab_scenario::{Link, LinkIndex, NodeIndex, NodeKind, Routes, TrafficGroup, Way};
use aqmlab_units::{Span, Time};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A checked scenario.
#[pyclass(frozen, module = "aqmlab._core")]
pub(crate) struct Scenario(Arc<aqmlab_scenario::Scenario>);

/// A part of the traffic: what it is called, the key that sets its size, what that counts, and whether it is
/// without end.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Demand {
    name: String,
    key: String,
    unit: &'static str,
    size: u32,
    endless: bool,
}

/// A monitored link: the nodes that it joins, its rate, what it carries of full packets if something always
/// waits, the keys of its queue discipline and of its rate.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct MonitoredLink {
    name: String,
    ends: (String, String),
    rate_mbps: f64,
    capacity_mbps: f64,
    queue_key: String,
    rate_key: String,
}

/// What a reader should know of a scenario before any run of it, in words; the link about whose queue it is,
/// if it is about one.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct ScenarioWarning {
    text: String,
    queue_of: Option<String>,
}

/// A full buffer: how long packets wait in it (none where the scheme keeps waiting times at a target), and
/// how many packets are usual at the rate of its link.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Buffer {
    wait_s: Option<f64>,
    usual_packets: u32,
}

/// A node.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Node {
    name: String,
    group: String,
    is_router: bool,
}

/// A link of any kind, with the places of the nodes that it joins.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Wire {
    name: String,
    ends: (u32, u32),
    rate_mbps: Option<f64>,
    delay_ms: f64,
    scheme: Option<String>,
}

/// Who sends data to whom: the groups of the senders and receivers, and the places of the links from the
/// first sender to the first receiver.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct Traffic {
    name: String,
    unit: &'static str,
    size: u32,
    ends: (String, String),
    path: Vec<u32>,
}

/// A network and the traffic on it, to be drawn.
#[pyclass(frozen, get_all, module = "aqmlab._core")]
pub(crate) struct DrawnNetwork {
    nodes: Vec<Py<Node>>,
    wires: Vec<Py<Wire>>,
    traffic: Vec<Py<Traffic>>,
}

impl Scenario {
    pub(crate) fn get(&self) -> &Arc<aqmlab_scenario::Scenario> {
        &self.0
    }

    fn of(read: Result<aqmlab_scenario::Scenario, aqmlab_scenario::ScenarioError>) -> PyResult<Self> {
        read.map(|scenario| Self(Arc::new(scenario))).map_err(|error| refused_scenario(&error))
    }
}

#[pymethods]
impl Scenario {
    /// Checks TOML text with overrides, and resolves it. Files that it names are looked for in `folder`.
    ///
    /// Raises `ScenarioError` when something is refused.
    #[classmethod]
    fn from_toml(
        _class: &Bound<'_, PyType>,
        text: &str,
        source_name: &str,
        folder: PathBuf,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        Self::of(aqmlab_scenario::Scenario::from_toml_in(&folder, text, source_name, &overrides))
    }

    /// The scenario that `to_json` wrote.
    ///
    /// Raises `ScenarioError` when something is refused.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        Self::of(aqmlab_scenario::Scenario::from_json(text))
    }

    /// Canonical JSON text with every default filled in.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// A pickle holds the text.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("from_json")?.unbind(), (self.to_json(),)))
    }

    /// The scenario with some keys set anew, checked again. Files that these name are looked for in `folder`.
    ///
    /// Raises `ScenarioError` when something is refused.
    fn with_overrides(&self, folder: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Self> {
        Self::of(self.0.with_overrides_in(&folder, &overrides))
    }

    /// The uncongested twin.
    ///
    /// Raises `ScenarioError` when the scenario does not say what its uncongested network is.
    fn uncongested_twin(&self) -> PyResult<Self> {
        Self::of(self.0.uncongested_twin())
    }

    /// The uncongested twin without endless flows, save those of the groups that are kept: where offered load
    /// is measured.
    ///
    /// Raises `ScenarioError` when there is no such twin.
    fn offering_twin(&self, kept: Vec<String>) -> PyResult<Self> {
        Self::of(self.0.offering_twin(&kept))
    }

    /// The parts of the traffic with the keys that set their sizes.
    fn demands(&self) -> Vec<Demand> {
        let demands = self.0.demands().into_iter();
        let row = |own: aqmlab_scenario::Demand| Demand {
            name: own.name,
            key: own.key,
            unit: own.unit.name(),
            size: own.size,
            endless: own.endless,
        };
        demands.map(row).collect()
    }

    /// The monitored links that carry the data of the demands with these names; of all traffic, without a
    /// name.
    fn demand_links(&self, names: Vec<String>) -> Vec<MonitoredLink> {
        let demands = self.0.demands();
        let is_named = |place: usize| names.is_empty() || names.contains(&demands[place].name);
        let carries = self.0.data_links_of(is_named);
        self.monitored(|place| carries[place], is_named)
    }

    /// Every monitored link, with what it carries of the demands with these names; of all, without a name.
    #[pyo3(signature = (names = None))]
    fn monitored_links(&self, names: Option<Vec<String>>) -> Vec<MonitoredLink> {
        let demands = self.0.demands();
        self.monitored(
            |_| true,
            |place| names.as_ref().is_none_or(|names| names.contains(&demands[place].name)),
        )
    }

    /// The values in force of the parameters that a scheme derives where they are not given, by key: those at
    /// the monitored link with this name.
    fn parameters_in_force(&self, link: &str) -> BTreeMap<&'static str, f64> {
        let found = self.0.network.links.iter().find(|each| each.monitored && each.name == link);
        let port = found.and_then(|each| Some((each.queue.as_ref()?, PortFacts::new(each.queue_rate()?))));
        port.map_or_else(BTreeMap::new, |(scheme, facts)| scheme.in_force(&facts).into_iter().collect())
    }

    /// The shapers in front of links, by their names: rate in Mbit/s, bytes of a packet beside its IP length,
    /// the shortest frame, and the line code (`none`, `atm`, `ptm`).
    fn shapers(&self) -> BTreeMap<String, (f64, i32, u32, String)> {
        let row = |link: &Link| {
            let own = link.shaping?;
            let layer = own.link_layer;
            let mbps = own.rate.bits_per_second() as f64 / 1e6;
            let coding = serde_json::to_value(layer.coding).ok()?.as_str()?.to_owned();
            Some((link.name.clone(), (mbps, layer.overhead_bytes, layer.minimum_frame_bytes, coding)))
        };
        self.0.network.links.iter().filter_map(row).collect()
    }

    /// The buffer of every link with a queue discipline, by its name.
    fn buffers(&self) -> BTreeMap<String, Buffer> {
        let queued = self.0.network.links.iter().filter(|link| link.queue.is_some());
        let row = |link: &Link| {
            let usual_packets = link.usual_buffer_packets()?;
            Some((link.name.clone(), Buffer { wait_s: link.felt_buffer_s(), usual_packets }))
        };
        queued.filter_map(row).collect()
    }

    /// What a reader should know of a scenario before any run of it.
    fn warnings(&self) -> Vec<ScenarioWarning> {
        let warnings = aqmlab_driver::warnings::of_scenario(&self.0).into_iter();
        warnings.map(|own| ScenarioWarning { text: own.text, queue_of: own.queue_of }).collect()
    }

    /// How long, in milliseconds, what waits in front of a monitored link takes to be sent: at each of some
    /// instants, none earlier than the one before, so many packets with so many bytes of IP. The run's seed
    /// says how a rate that varies at random does.
    ///
    /// Raises `ValueError` when the lists differ in length, `KeyError` when no monitored link has the name.
    #[pyo3(signature = (link, seed, time_s, packets, ip_bytes))]
    fn backlog_ms(
        &self,
        link: &str,
        seed: u64,
        time_s: Vec<f64>,
        packets: Vec<u32>,
        ip_bytes: Vec<u64>,
    ) -> PyResult<Vec<f64>> {
        if packets.len() != time_s.len() || ip_bytes.len() != time_s.len() {
            return Err(PyValueError::new_err("backlogs: as many instants as packets and bytes"));
        }
        let mut links = (0..).zip(&self.0.network.links);
        let Some((number, own)) = links.find(|(_, own)| own.monitored && own.name == link) else {
            return Err(PyKeyError::new_err(link.to_owned()));
        };
        let key = aqmlab_driver::key_of_service(own, Key::from_seed(seed));
        let shaper = |own: Shaping| {
            let framing = Framing::of_link_layer(own.link_layer);
            BacklogClock::new((&ServiceModel::Constant, key), own.rate, framing)
        };
        let of_link = || Some(BacklogClock::new((&own.service, key), own.rate?, own.framing));
        let first = own.shaping.map(shaper).or_else(of_link);
        let of_queue = self.0.queue_shaping(LinkIndex(number)).map(shaper);
        let mut clocks: Vec<BacklogClock> = first.into_iter().chain(of_queue).collect();
        let waits = time_s.into_iter().zip(packets).zip(ip_bytes).map(|((at, packets), bytes)| {
            let now = Time::ZERO + Span::from_seconds(at.max(0.0));
            // What is slowest lets the last one go.
            let after = clocks.iter_mut().map(|clock| clock.sent_after(now, packets, bytes)).max();
            after.unwrap_or(Span::ZERO).nanoseconds() as f64 / 1e6
        });
        Ok(waits.collect())
    }

    /// The network and the traffic on it, to be drawn.
    fn network(&self, py: Python<'_>) -> PyResult<DrawnNetwork> {
        let network = &self.0.network;
        let node = |node: &aqmlab_scenario::Node| {
            let is_router = node.kind == NodeKind::Router;
            Py::new(py, Node { name: node.name.clone(), group: node.group.clone(), is_router })
        };
        let wire = |link: &Link| {
            let wire = Wire {
                name: link.name.clone(),
                ends: (link.from.0, link.to.0),
                rate_mbps: link.rate.map(|rate| rate.bits_per_second() as f64 / 1e6),
                delay_ms: link.delay.nanoseconds() as f64 / 1e6,
                scheme: link.queue.as_ref().map(|queue| queue.name().to_owned()),
            };
            Py::new(py, wire)
        };
        Ok(DrawnNetwork {
            nodes: network.nodes.iter().map(node).collect::<PyResult<_>>()?,
            wires: network.links.iter().map(wire).collect::<PyResult<_>>()?,
            traffic: self.traffic().into_iter().map(|own| Py::new(py, own)).collect::<PyResult<_>>()?,
        })
    }

    /// Bytes of memory that a run takes at its peak, estimated.
    fn memory_estimate(&self) -> f64 {
        aqmlab_sim::memory_estimate(&self.0)
    }

    /// The version and digests of the sources that runs depend on: those of the core, and those of the
    /// schemes in its network. Runs of the same string, scenario and seed have the same results.
    fn sources(&self) -> String {
        crate::catalogue::sources_of(&self.0)
    }
}

impl Scenario {
    /// Monitored links that count, with what they carry of some demands; each has a rate and a queue
    /// discipline, or the scenario would have been refused.
    fn monitored(
        &self,
        counts: impl Fn(usize) -> bool,
        is_demanded: impl Fn(usize) -> bool,
    ) -> Vec<MonitoredLink> {
        let network = &self.0.network;
        let capacities = self.0.capacities_of(is_demanded);
        let links = network.links.iter().enumerate().filter(|(place, link)| link.monitored && counts(*place));
        let row = |(place, link): (usize, &Link)| {
            let end = |node| network.node(node).name.clone();
            let index = LinkIndex(place as u32);
            Some(MonitoredLink {
                name: link.name.clone(),
                ends: (end(link.from), end(link.to)),
                rate_mbps: link.queue_rate()?.bits_per_second() as f64 / 1e6,
                capacity_mbps: capacities[place]?.bits_per_second() as f64 / 1e6,
                queue_key: self.0.queue_key(index)?,
                rate_key: self.0.rate_key(index)?,
            })
        };
        links.filter_map(row).collect()
    }

    fn traffic(&self) -> Vec<Traffic> {
        let scenario = &self.0;
        let routes = Routes::new(&scenario.network);
        let group = |node: NodeIndex| scenario.network.node(node).group.clone();
        let row = |(demand, own): (aqmlab_scenario::Demand, TrafficGroup<'_>)| {
            let Way { from, to } = own.conversations().next()?.data();
            let (&sender, &receiver) = (from.first()?, to.first()?);
            let path = routes.path(sender, receiver)?.into_iter().map(|link| link.0).collect();
            let ends = (group(sender), group(receiver));
            Some(Traffic { name: demand.name, unit: demand.unit.name(), size: demand.size, ends, path })
        };
        scenario.demands().into_iter().zip(scenario.traffic()).filter_map(row).collect()
    }
}
