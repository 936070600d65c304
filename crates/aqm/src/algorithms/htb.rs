//! HTB, hierarchical token buckets: classes with a rate and a ceiling each, which lend one another what they
//! do not need: the plans of a provider's customers.
//!
//! Source: Linux 6.1, `sch_htb.c` (Devera), with tc-htb(8).
//!
//! ```text
//! on each arrival    the first class that the packet's hosts and codepoint fit
//! mode of a class    ctokens < 0: cannot send;  tokens < 0: may borrow;  otherwise it can send, and lends
//! on each departure  a leaf may send if it can, or if those above it that may borrow end in one that can:
//!                    that one's level lends.  Lowest level first, then lowest priority, then turns
//!                    of each class up to the root: ctokens ← min(cburst, ctokens + t) − bytes/ceil,
//!                    and from the level that lends on: tokens ← min(burst, tokens + t) − bytes/rate;
//!                    below it: tokens ← tokens + t
//! turns              a leaf sends its quantum, then the next class below the same one; behind the last of these
//!                    it is the turn of the class behind that above them
//! ```
//!
//! | parameter | unit | Linux | legal |
//! | --- | --- | --- | --- |
//! | `classes` | tables | | at most 4096, in trees of at most 8 levels |
//! | `rate_mbps`, `ceil_mbps` | Mbit/s | none, the rate | 0.001 to 1e6, the ceiling at least the rate |
//! | `burst_bytes`, `ceil_burst_bytes` | bytes | 1600 | 1 to 1e9 |
//! | `prio` | | 0 | 0 to 7 |
//! | `quantum_bytes` | bytes | rate / r2q, from 1000 to 200 000 | 256 or more |
//! | `hosts`, `dscp` | | filters | machines or groups; 0 to 63 |
//! | `queue` | a scheme | pfifo | one without a filter in front or classes of its own |
//! | `overhead_bytes`, `minimum_frame_bytes`, `framing` | bytes | of each class | -64 to 256, 0 to 256 |
//!
//! Departures and silences. Linux lets go at once what no class takes; here it belongs to the class
//! `default`, or to the last one that is a leaf. Turns go in the order of the list, in Linux in that of the
//! classes' numbers. A class that lends and for a moment had nobody to lend to keeps its turn among those of
//! its level, where Linux gives it to the next. A class at its ceiling is asked again at the very instant at
//! which it may send, as with Linux's high-resolution timers. Lengths are IP lengths: Linux counts the 14
//! bytes of an Ethernet header, `overhead_bytes = 14`.

use super::prio::{built, key_of, require_class};
use crate::discipline::Discipline;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::{AnyScheme, Parameters};
use crate::parts::{
    BucketSettings, CLASS_PRIORITIES, ClassMap, LEVELS, Limit, LimitRule, LineCoding, LinkLayer, Shaping,
    TokenBuckets, classes,
};
use crate::port_facts::PortFacts;
use crate::traffic_classes::{TrafficClass, TrafficClasses};
use aqmlab_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

const MOST_CLASSES: usize = 4_096;
/// What tc gives a class where timers are finer than packets: its `mtu`.
pub const USUAL_BURST_BYTES: u32 = 1_600;
/// The kernel's `r2q`, and the ends of what follows from it.
const RATE_TO_QUANTUM: u64 = 10;
const LEAST_QUANTUM_BYTES: u64 = 1_000;
const MOST_QUANTUM_BYTES: u64 = 200_000;

/// A class of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Class<S: AnyScheme> {
    /// What other classes call it as their parent.
    pub name: String,
    /// The class above it, which stands before it in the list. Unset: none.
    pub parent: Option<String>,
    /// What it gets whatever the others do, in Mbit/s. Unset, without a parent: the link's rate, or its
    /// ceiling where that is lower.
    pub rate_mbps: Option<f64>,
    /// What it gets at most, where others lend. Unset: its rate, so that nobody lends to it.
    pub ceil_mbps: Option<f64>,
    /// Bytes that it may send at once at its rate, after a pause. Unset: 1600.
    pub burst_bytes: Option<u32>,
    /// The same at its ceiling (tc's cburst). Unset: 1600.
    pub ceil_burst_bytes: Option<u32>,
    /// Of a class without children: who gets first what is lent, from 0 to 7.
    #[schemars(range(max = 7))]
    pub prio: u8,
    /// Of a class without children: bytes of its turn among those of its priority. Unset: what its rate sends
    /// in 0.1 s, from 1000 to 200 000.
    pub quantum_bytes: Option<u32>,
    /// Machines, or groups of them, whose packets these are, whether they send or receive; all where no one
    /// is named.
    pub hosts: Vec<String>,
    /// Differentiated services codepoints of these packets, from 0 to 63; all where none is named.
    #[schemars(inner(range(max = 63)))]
    pub dscp: Vec<u8>,
    /// Of a class without children: the scheme of its queue or queues, a table with scheme = ..., as of a
    /// port. It may be without limits.
    #[schemars(schema_with = "S::schema_of_class")]
    pub queue: Box<S>,
    /// The addresses of the hosts, once a network is known.
    #[serde(skip)]
    pub addresses: Vec<u32>,
}

impl<S: AnyScheme> Default for Class<S> {
    fn default() -> Self {
        Self {
            name: String::new(),
            parent: None,
            rate_mbps: None,
            ceil_mbps: None,
            burst_bytes: None,
            ceil_burst_bytes: None,
            prio: 0,
            quantum_bytes: None,
            hosts: Vec::new(),
            dscp: Vec::new(),
            queue: Box::new(S::of_class()),
            addresses: Vec::new(),
        }
    }
}

impl<S: AnyScheme> Class<S> {
    /// The rate that it has at a port.
    #[must_use]
    pub fn rate(&self, facts: &PortFacts) -> Rate {
        let ceil = self.ceil_mbps.map_or(facts.link_rate, Rate::from_megabits_per_second);
        self.rate_mbps.map_or(facts.link_rate.min(ceil), Rate::from_megabits_per_second)
    }

    /// Bytes of its turn at a port.
    #[must_use]
    pub fn quantum(&self, facts: &PortFacts) -> u32 {
        let of_rate = (self.rate(facts).bits_per_second() / 8 / RATE_TO_QUANTUM)
            .clamp(LEAST_QUANTUM_BYTES, MOST_QUANTUM_BYTES);
        self.quantum_bytes.unwrap_or(of_rate as u32)
    }
}

/// Hierarchical token buckets: each class has a rate that it gets in any case and a ceiling up to which
/// others lend it what they do not need; a customer's plan is a class.
///
/// Source: Linux's htb. Without classes everything is one class with the link's rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params<S: AnyScheme> {
    /// Packets that may wait in all classes together.
    pub limit_packets: u32,
    /// The classes, parents before their children: tables with rate_mbps, ceil_mbps, queue and others.
    #[schemars(extend("default" = []))]
    pub classes: Vec<Class<S>>,
    /// The class of packets that fit none: one without children, by its name. Unset: the last of these.
    pub default: Option<String>,
    /// Bytes of each packet, beyond its IP length, that the rates count; may be negative.
    #[schemars(range(min = -64, max = 256))]
    pub overhead_bytes: i32,
    /// The shortest frame that the rates count (tc's mpu).
    #[schemars(range(max = 256))]
    pub minimum_frame_bytes: u32,
    /// What the line makes of frames, as the rates count it: whole ATM cells, or PTM.
    pub framing: LineCoding,
}

impl<S: AnyScheme> Default for Params<S> {
    fn default() -> Self {
        Self {
            limit_packets: 65_536,
            classes: Vec::new(),
            default: None,
            overhead_bytes: 0,
            minimum_frame_bytes: 0,
            framing: LineCoding::None,
        }
    }
}

/// A class with a value that is not legal.
fn refused(place: usize, key: &str, value: impl ToString, legal: impl Into<String>) -> ParameterError {
    let key = key_of("classes", place, key).into();
    ParameterError { key, value: Some(value.to_string()), legal: legal.into() }
}

impl<S: AnyScheme> Params<S> {
    /// The place of the class above one.
    #[must_use]
    pub fn parent(&self, place: usize) -> Option<usize> {
        let name = self.classes[place].parent.as_ref()?;
        self.classes[..place].iter().position(|class| class.name == *name)
    }

    /// Whether the class at a place has packets: no class is below it.
    #[must_use]
    pub fn is_leaf(&self, place: usize) -> bool {
        let name = &self.classes[place].name;
        name.is_empty() || !self.classes.iter().any(|class| class.parent.as_ref() == Some(name))
    }

    /// The classes that have packets, with their places in the list.
    fn leaves(&self) -> impl Iterator<Item = (usize, &Class<S>)> {
        self.classes.iter().enumerate().filter(|(place, _)| self.is_leaf(*place))
    }

    /// How many classes stand in a row from one up.
    fn depth(&self, place: usize) -> usize {
        std::iter::successors(Some(place), |&place| self.parent(place)).count()
    }

    /// Gives the hosts of classes their addresses. `of` says those of a name; answers with the names that are
    /// of nobody, by the place of their class.
    pub fn find_hosts(&mut self, of: impl Fn(&str) -> Vec<u32>) -> Vec<(usize, String)> {
        let mut unknown = Vec::new();
        for (place, class) in self.classes.iter_mut().enumerate() {
            class.addresses.clear();
            for name in &class.hosts {
                let found = of(name);
                if found.is_empty() {
                    unknown.push((place, name.clone()));
                }
                class.addresses.extend(found);
            }
        }
        unknown
    }

    /// The classes above others whose rates together are more than their own, in Mbit/s: by name, with that
    /// sum and what it should be at most.
    #[must_use]
    pub fn oversubscribed(&self) -> Vec<(&str, f64, f64)> {
        let sum = |parent: usize| -> f64 {
            let children = (0..self.classes.len()).filter(|&child| self.parent(child) == Some(parent));
            children.filter_map(|child| self.classes[child].rate_mbps).sum()
        };
        let of = |(place, class): (usize, &'_ Class<S>)| {
            let (sum, own) = (sum(place), class.rate_mbps?);
            (sum > own * (1.0 + 1e-9)).then_some((place, sum, own))
        };
        let found = self.classes.iter().enumerate().filter_map(of);
        found.map(|(place, sum, own)| (&*self.classes[place].name, sum, own)).collect()
    }

    /// What all classes let go together, in Mbit/s, where these leaves have packets, by their places among
    /// the leaves. None where the link alone holds them back, and where no one has any.
    fn ceiling_mbps(&self, has_packets: &dyn Fn(usize) -> bool) -> Option<f64> {
        let mut below = vec![0.0; self.classes.len()];
        let (mut leaf, mut all) = (self.leaves().count(), 0.0);
        for (place, class) in self.classes.iter().enumerate().rev() {
            let own = class.ceil_mbps.or(class.rate_mbps).unwrap_or(f64::INFINITY);
            let lets_go = if self.is_leaf(place) {
                leaf -= 1;
                if has_packets(leaf) { own } else { 0.0 }
            } else {
                own.min(below[place])
            };
            *self.parent(place).map_or(&mut all, |above| &mut below[above]) += lets_go;
        }
        (all > 0.0 && all.is_finite()).then_some(all)
    }

    const fn link_layer(&self) -> LinkLayer {
        LinkLayer {
            overhead_bytes: self.overhead_bytes,
            minimum_frame_bytes: self.minimum_frame_bytes,
            coding: self.framing,
        }
    }

    /// Classes whose ceilings do nothing, because no class stands above them that would lend: their places,
    /// rates and ceilings.
    pub fn unlent(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        self.classes.iter().enumerate().filter_map(|(place, class)| {
            let (rate, ceil) = (class.rate_mbps?, class.ceil_mbps?);
            (class.parent.is_none() && self.is_leaf(place) && ceil > rate).then_some((place, rate, ceil))
        })
    }

    fn check_class(&self, place: usize) -> Result<(), ParameterError> {
        let class = &self.classes[place];
        if !class.name.is_empty() && self.classes[..place].iter().any(|other| other.name == class.name) {
            return Err(refused(place, "name", &class.name, "a name of its own"));
        }
        if let Some(parent) = &class.parent
            && (parent.is_empty() || self.parent(place).is_none())
        {
            return Err(refused(place, "parent", parent, "the name of a class that stands before it"));
        }
        let depth = self.depth(place);
        if depth > LEVELS {
            return Err(refused(
                place,
                "parent",
                format!("level {depth}"),
                format!("a tree of at most {LEVELS} levels"),
            ));
        }
        if class.rate_mbps.is_none() && class.parent.is_some() {
            return Err(ParameterError {
                key: key_of("classes", place, "rate_mbps").into(),
                value: None,
                legal: "given: what the class gets whatever the others do".to_owned(),
            });
        }
        let rate = class.rate_mbps.unwrap_or(1.0);
        if !(1e-3..=1e6).contains(&rate) {
            return Err(refused(place, "rate_mbps", rate, "from 0.001 to 1e6 Mbit/s"));
        }
        let ceil = class.ceil_mbps.unwrap_or(1e6);
        let least = class.rate_mbps.unwrap_or(1e-3);
        if !(least..=1e6).contains(&ceil) {
            return Err(refused(place, "ceil_mbps", ceil, format!("from its rate, {least}, to 1e6 Mbit/s")));
        }
        for (key, bytes) in [("burst_bytes", class.burst_bytes), ("ceil_burst_bytes", class.ceil_burst_bytes)]
        {
            let bytes = bytes.unwrap_or(USUAL_BURST_BYTES);
            if !(1..=1_000_000_000).contains(&bytes) {
                return Err(refused(place, key, bytes, "from 1 to 1e9 bytes"));
            }
        }
        if usize::from(class.prio) >= CLASS_PRIORITIES {
            return Err(refused(place, "prio", class.prio, "from 0 to 7"));
        }
        let quantum = class.quantum_bytes.unwrap_or(256);
        if !(256..=1_000_000_000).contains(&quantum) {
            return Err(refused(place, "quantum_bytes", quantum, "from 256 to 1e9 bytes"));
        }
        if let Some(dscp) = class.dscp.iter().find(|&&dscp| dscp > 63) {
            return Err(refused(place, "dscp", dscp, "codepoints from 0 to 63"));
        }
        if !self.is_leaf(place) {
            let of_leaves = [
                ("hosts", !class.hosts.is_empty()),
                ("dscp", !class.dscp.is_empty()),
                ("prio", class.prio != 0),
                ("quantum_bytes", class.quantum_bytes.is_some()),
                ("queue", *class.queue != S::of_class()),
            ];
            if let Some((key, _)) = of_leaves.into_iter().find(|&(_, given)| given) {
                let legal = "left out: packets belong to classes without children";
                return Err(refused(place, key, "given for a class with children", legal));
            }
        }
        require_class(&*class.queue).map_err(|error| error.within(&format!("classes.{place}")))
    }

    fn map(&self) -> ClassMap {
        let leaves: Vec<_> = self.leaves().map(|(_, class)| class).collect();
        let default = self.default.as_ref();
        let named = default.and_then(|name| leaves.iter().position(|leaf| leaf.name == *name));
        let fits: Vec<(Option<&[u32]>, &[u8])> = leaves
            .iter()
            .map(|leaf| ((!leaf.hosts.is_empty()).then_some(&*leaf.addresses), &*leaf.dscp))
            .collect();
        ClassMap::new(&fits, named.unwrap_or(leaves.len() - 1))
    }

    /// The same with its one class where there is none.
    #[must_use]
    pub fn with_classes(&self) -> Self {
        let mut own = self.clone();
        if own.classes.is_empty() {
            own.classes.push(Class::default());
        }
        own
    }

    fn discipline(&self, facts: &PortFacts) -> Discipline {
        let settings: Vec<BucketSettings> = (0..)
            .zip(&self.classes)
            .map(|(place, class)| BucketSettings {
                parent: self.parent(place),
                rate: class.rate(facts),
                ceil: class.ceil_mbps.map_or_else(|| class.rate(facts), Rate::from_megabits_per_second),
                burst_bytes: class.burst_bytes.unwrap_or(USUAL_BURST_BYTES),
                ceil_burst_bytes: class.ceil_burst_bytes.unwrap_or(USUAL_BURST_BYTES),
                priority: class.prio,
                quantum_bytes: class.quantum(facts),
            })
            .collect();
        let order = TokenBuckets::new(&settings, self.map(), self.link_layer(), facts.layer2_queued_bytes);
        let leaves = self.leaves().map(|(_, class)| {
            let ceil = class.ceil_mbps.or(class.rate_mbps).map(Rate::from_megabits_per_second);
            let rate = ceil.map_or(facts.link_rate, |ceil| ceil.min(facts.link_rate));
            built(&*class.queue, &PortFacts { link_rate: rate, shaping: None, ..*facts })
        });
        classes(Box::new(order), leaves.collect())
    }
}

impl<S: AnyScheme> Parameters for Params<S> {
    fn validate(&self) -> Result<(), ParameterError> {
        require(self.limit_packets >= 1, "limit_packets", self.limit_packets, "at least 1")?;
        let overhead = self.overhead_bytes;
        require((-64..=256).contains(&overhead), "overhead_bytes", overhead, "from -64 to 256 bytes")?;
        let minimum = self.minimum_frame_bytes;
        require(minimum <= 256, "minimum_frame_bytes", minimum, "at most 256 bytes")?;
        let count = self.classes.len();
        require(count <= MOST_CLASSES, "classes", format!("{count} classes"), "at most 4096 classes")?;
        (0..count).try_for_each(|place| self.check_class(place))?;
        let Some(default) = &self.default else { return Ok(()) };
        let names: Vec<&str> =
            self.leaves().map(|(_, class)| &*class.name).filter(|name| !name.is_empty()).collect();
        let known = if names.is_empty() { "none has a name".to_owned() } else { names.join(", ") };
        let legal = format!("the name of a class without children: {known}");
        require(!default.is_empty() && names.contains(&&**default), "default", default, legal)
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        for (place, class) in self.leaves() {
            let checked = class.queue.parameters().validate_at(facts);
            checked.map_err(|error| error.within(&key_of("classes", place, "queue")))?;
        }
        Ok(())
    }

    fn limit(&self) -> Limit {
        Limit { packets: Some(self.limit_packets), bytes: None, rule: LimitRule::HoldLimit }
    }

    fn felt_limit(&self) -> Option<Limit> {
        None
    }

    fn ecn(&self) -> bool {
        self.leaves().any(|(_, class)| class.queue.parameters().ecn())
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn queues(&self) -> usize {
        self.leaves().map(|(_, class)| class.queue.parameters().queues()).sum::<usize>().max(1)
    }

    fn schemes_within(&self) -> Vec<&dyn Any> {
        self.leaves().map(|(_, class)| &*class.queue as &dyn Any).collect()
    }

    fn traffic_classes(&self) -> Option<TrafficClasses> {
        let class = |(place, class): (usize, &Class<S>)| TrafficClass {
            key: format!("classes.{place}"),
            name: class.name.clone(),
            is_selective: !class.hosts.is_empty() || !class.dscp.is_empty(),
        };
        let classes: Vec<TrafficClass> = self.leaves().map(class).collect();
        (!classes.is_empty()).then(|| TrafficClasses { classes, map: self.map() })
    }

    fn own_shaping(&self, has_packets: &dyn Fn(usize) -> bool) -> Option<Shaping> {
        let rate = Rate::from_megabits_per_second(self.ceiling_mbps(has_packets)?);
        Some(Shaping { rate, link_layer: self.link_layer(), burst_bytes: 0 })
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        Some("classes are held to their ceilings, whatever the link could carry")
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        self.with_classes().discipline(facts)
    }
}
