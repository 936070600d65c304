//! What may be changed of the senders of a group while a run goes on.

use crate::fabric::Fabric;
use aqmlab_scenario::{Scenario, TrafficGroup};
use aqmlab_session::{Owner, Session};
use aqmlab_tcp::Congestion;
use aqmlab_units::Rate;
use std::fmt;
use std::ops::Range;

/// The congestion windows that a sender may be given, in segments.
pub const WINDOW_SEGMENTS: Range<u32> = 2..1_000_001;

/// A change of the senders of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steering {
    /// The congestion window of each flow with `congestion = "agent"`, in segments, one of
    /// [`WINDOW_SEGMENTS`].
    pub window_segments: Option<u32>,
    /// The bit rate of each call whose video adapts, in Mbit/s of IP packets, within the limits of the call.
    pub bit_rate_mbps: Option<f64>,
}

/// Why steering was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum SteeringError {
    /// No group has this name.
    Group {
        /// The name.
        name: String,
        /// The groups.
        legal: Vec<String>,
    },
    /// The group has no such thing to set.
    NotIts {
        /// The group.
        group: String,
        /// The key.
        key: &'static str,
    },
    /// A value out of its range.
    Value {
        /// The group.
        group: String,
        /// The key.
        key: &'static str,
        /// The value.
        value: f64,
        /// What would be legal, in words.
        legal: String,
    },
}

impl fmt::Display for SteeringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group { name, legal } => {
                write!(f, "no group of traffic is called \"{name}\"; legal: {}", legal.join(", "))
            }
            Self::NotIts { group, key } => write!(f, "{group}: {key} is {}", whose(key)),
            Self::Value { group, key, value, legal } => {
                write!(f, "{group}: {key} is {value}: it must be {legal}")
            }
        }
    }
}

impl std::error::Error for SteeringError {}

impl SteeringError {
    /// The key of what is refused; none where it is the group.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        match self {
            Self::Group { .. } => None,
            Self::NotIts { key, .. } | Self::Value { key, .. } => Some(*key),
        }
    }

    /// What would be legal, in words.
    #[must_use]
    pub fn legal(&self) -> String {
        match self {
            Self::Group { legal, .. } => legal.join(", "),
            Self::NotIts { key, .. } => whose(key).to_owned(),
            Self::Value { legal, .. } => legal.clone(),
        }
    }

    /// The names that would be legal where it is the group that is refused.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Group { legal, .. } => legal.clone(),
            Self::NotIts { .. } | Self::Value { .. } => Vec::new(),
        }
    }
}

const WINDOW: &str = "window_segments";
const BIT_RATE: &str = "bit_rate_mbps";

fn whose(key: &str) -> &'static str {
    if key == WINDOW {
        "for flows with host = { congestion = \"agent\" }"
    } else {
        "for calls with adaptive_video"
    }
}

/// Where the flows, or the sources of datagrams, of a group stand among all.
enum Members {
    Users,
    /// And whether their hosts leave the window to others.
    Flows(Range<usize>, bool),
    Datagrams(Range<usize>),
}

fn members(scenario: &Scenario, name: &str) -> Result<Members, SteeringError> {
    let (mut flow, mut source) = (0, 0);
    for group in scenario.traffic() {
        let members = match group {
            TrafficGroup::Users(_) => Members::Users,
            TrafficGroup::Flows(group) => {
                flow += group.flows.len();
                let is_agents = group.profile.congestion() == Some(Congestion::Agent);
                Members::Flows(flow - group.flows.len()..flow, is_agents)
            }
            TrafficGroup::Datagrams(group) => {
                source += group.sources.len();
                Members::Datagrams(source - group.sources.len()..source)
            }
        };
        if group.name() == name {
            return Ok(members);
        }
    }
    let legal = scenario.traffic().map(|group| group.name().to_owned()).collect();
    Err(SteeringError::Group { name: name.to_owned(), legal })
}

/// Carries out the whole of it, or nothing.
pub(super) fn steer(
    scenario: &Scenario,
    (fabric, session): (&mut Fabric, &mut Session),
    name: &str,
    steering: &Steering,
) -> Result<(), SteeringError> {
    let Steering { window_segments, bit_rate_mbps } = *steering;
    let not_its = |key| SteeringError::NotIts { group: name.to_owned(), key };
    let members = members(scenario, name)?;
    let (has_windows, has_bit_rates) =
        (matches!(members, Members::Flows(_, true)), matches!(members, Members::Datagrams(_)));
    if window_segments.is_some() && !has_windows {
        return Err(not_its(WINDOW));
    }
    if bit_rate_mbps.is_some() && !has_bit_rates {
        return Err(not_its(BIT_RATE));
    }
    match (members, window_segments, bit_rate_mbps) {
        (Members::Flows(flows, _), Some(segments), _) => {
            if !WINDOW_SEGMENTS.contains(&segments) {
                let legal = format!("from {} to {}", WINDOW_SEGMENTS.start, WINDOW_SEGMENTS.end - 1);
                let (group, value) = (name.to_owned(), segments.into());
                return Err(SteeringError::Value { group, key: WINDOW, value, legal });
            }
            set_windows(fabric, &flows, segments);
            Ok(())
        }
        (Members::Datagrams(sources), _, Some(mbps)) => keep_to(session, sources, name, mbps),
        _ => Ok(()),
    }
}

/// The senders of a group are alike: what the first takes all take.
fn keep_to(session: &mut Session, sources: Range<usize>, name: &str, mbps: f64) -> Result<(), SteeringError> {
    for source in sources {
        let (group, key) = (name.to_owned(), BIT_RATE);
        let Some(limits) = session.bit_rates(source) else {
            return Err(SteeringError::NotIts { group, key });
        };
        let [least, most] = limits.map(|rate| rate.bits_per_second() as f64 / 1e6);
        if !(least..=most).contains(&mbps) {
            let legal = format!("from {least} to {most} Mbit/s");
            return Err(SteeringError::Value { group, key, value: mbps, legal });
        }
        session.keep_to(source, Rate::from_megabits_per_second(mbps));
    }
    Ok(())
}

/// Sets the window of every open connection of these flows.
fn set_windows(fabric: &mut Fabric, flows: &Range<usize>, segments: u32) {
    for connection in fabric.open_connections_mut() {
        let Owner::Flow { flow } = connection.owner else { continue };
        if flows.contains(&flow.place()) {
            connection.ends[0].set_congestion_window(segments);
        }
    }
}
