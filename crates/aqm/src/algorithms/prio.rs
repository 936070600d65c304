//! Strict priority: bands by codepoint, the first of which that has a packet sends it.
//!
//! Source: Linux 6.1, `sch_prio.c`, with the bands of tc-prio(8).
//!
//! ```text
//! on each arrival    the first band that names the codepoint; without one, that of its priority
//! on each departure  the first band that has something to send: its scheme is asked
//! ```
//!
//! | parameter | unit | Linux | legal |
//! | --- | --- | --- | --- |
//! | `bands` | tables | 3 with 1000 packets each | 1 to 16 |
//! | `bands.dscp` | codepoints | filters | 0 to 63 |
//! | `bands.queue` | a scheme | pfifo | one without a filter in front or classes of its own |
//! | `priomap` | bands | 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1 | 16 of them |
//! | `limit_packets` | packets | none | 1 or more |
//!
//! Departures and silences. Linux refuses a `priomap` with bands that are not there; here the last band has
//! what belongs to a later one. A packet that a router forwards has its priority from its codepoint alone:
//! sockets that set one are not modelled. `limit_packets` holds for all bands together; the band with most
//! bytes pays.

use crate::discipline::Discipline;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::{AnyScheme, Parameters};
use crate::parts::{
    BuiltClass, ClassMap, Limit, LimitRule, PRIORITIES, StrictPriority, USUAL_BANDS, classes, priority_of,
};
use crate::port_facts::PortFacts;
use crate::traffic_classes::{TrafficClass, TrafficClasses};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::any::Any;

/// Most bands, as in Linux.
const MOST_BANDS: usize = 16;

/// A band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Band<S: AnyScheme> {
    /// Differentiated services codepoints of this band, from 0 to 63; priomap sorts those that no band names.
    #[schemars(inner(range(max = 63)))]
    pub dscp: Vec<u8>,
    /// The scheme of its queue or queues: a table with scheme = ..., as of a port. It may be without limits.
    #[schemars(schema_with = "S::schema_of_class")]
    pub queue: Box<S>,
}

impl<S: AnyScheme> Default for Band<S> {
    fn default() -> Self {
        Self { dscp: Vec::new(), queue: Box::new(S::of_class()) }
    }
}

/// Strict priority: a band is served only while all bands before it are empty.
///
/// Source: Linux's prio. A full band leaves nothing to those behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params<S: AnyScheme> {
    /// Packets that may wait in all bands together.
    pub limit_packets: u32,
    /// The bands, the most urgent first: tables with dscp and queue.
    #[schemars(extend("default" = [{}, {}, {}]))]
    pub bands: Vec<Band<S>>,
    /// The band of each of Linux's 16 priorities, which follow from the codepoint.
    #[schemars(inner(range(max = 15)))]
    pub priomap: Vec<u8>,
}

impl<S: AnyScheme> Default for Params<S> {
    fn default() -> Self {
        Self { limit_packets: 65_536, bands: vec![Band::default(); 3], priomap: USUAL_BANDS.to_vec() }
    }
}

/// The keys of the first bands, for errors.
pub(super) fn key_of(list: &str, place: usize, key: &str) -> String {
    format!("{list}.{place}.{key}")
}

/// Checks the scheme of a class.
pub(super) fn require_class<S: AnyScheme>(scheme: &S) -> Result<(), ParameterError> {
    let parameters = scheme.parameters();
    let legal = "a scheme with a single queue, fq, fq-codel or cake";
    require(parameters.can_be_class(), "queue.scheme", "one that has filters or classes", legal)?;
    let limit = own_limit(scheme).map_or(Ok(()), |limit| limit.validate());
    limit.and_then(|()| parameters.validate()).map_err(|error| error.within("queue"))
}

/// The limit that a scheme has for itself, if any.
pub(super) fn own_limit<S: AnyScheme>(scheme: &S) -> Option<Limit> {
    let limit = scheme.parameters().limit();
    (limit.packets.is_some() || limit.bytes.is_some()).then_some(limit)
}

/// The class under a scheme.
pub(super) fn built<S: AnyScheme>(scheme: &S, facts: &PortFacts) -> BuiltClass {
    let parameters = scheme.parameters();
    BuiltClass::new(parameters.build(facts), own_limit(scheme), parameters.ecn())
}

impl<S: AnyScheme> Params<S> {
    fn class_of(&self) -> [u8; 64] {
        let last = self.bands.len() - 1;
        std::array::from_fn(|dscp| {
            let named = self.bands.iter().position(|band| band.dscp.contains(&(dscp as u8)));
            let usual = || usize::from(self.priomap[priority_of(dscp as u8)]).min(last);
            named.unwrap_or_else(usual) as u8
        })
    }
}

impl<S: AnyScheme> Parameters for Params<S> {
    fn validate(&self) -> Result<(), ParameterError> {
        require(self.limit_packets >= 1, "limit_packets", self.limit_packets, "at least 1")?;
        let (bands, most) = (self.bands.len(), MOST_BANDS);
        require((1..=most).contains(&bands), "bands", format!("{bands} bands"), "from 1 to 16 bands")?;
        let said = self.priomap.len();
        require(said == PRIORITIES, "priomap", format!("{said} numbers"), "16 numbers of bands")?;
        let highest = self.priomap.iter().copied().max().unwrap_or_default();
        require(usize::from(highest) < most, "priomap", highest, "numbers of bands, from 0 to 15")?;
        for (place, band) in self.bands.iter().enumerate() {
            if let Some(dscp) = band.dscp.iter().find(|&&dscp| dscp > 63) {
                let key = key_of("bands", place, "dscp").into();
                let (value, legal) = (Some(dscp.to_string()), "codepoints from 0 to 63".to_owned());
                return Err(ParameterError { key, value, legal });
            }
            require_class(&*band.queue).map_err(|error| error.within(&format!("bands.{place}")))?;
        }
        Ok(())
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        for (place, band) in self.bands.iter().enumerate() {
            let checked = band.queue.parameters().validate_at(facts);
            checked.map_err(|error| error.within(&key_of("bands", place, "queue")))?;
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
        self.bands.iter().any(|band| band.queue.parameters().ecn())
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn queues(&self) -> usize {
        self.bands.iter().map(|band| band.queue.parameters().queues()).sum()
    }

    fn schemes_within(&self) -> Vec<&dyn Any> {
        self.bands.iter().map(|band| &*band.queue as &dyn Any).collect()
    }

    fn traffic_classes(&self) -> Option<TrafficClasses> {
        let class = |(place, band): (usize, &Band<S>)| TrafficClass {
            key: format!("bands.{place}"),
            name: String::new(),
            is_selective: !band.dscp.is_empty(),
        };
        let classes = self.bands.iter().enumerate().map(class).collect();
        Some(TrafficClasses { classes, map: ClassMap::by_codepoint(self.class_of()) })
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let built = self.bands.iter().map(|band| built(&*band.queue, facts)).collect();
        classes(Box::new(StrictPriority::new(self.class_of())), built)
    }
}
