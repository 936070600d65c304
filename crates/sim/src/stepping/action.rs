//! What may be changed of a link while a run goes on.

use crate::fabric::QueuedLink;
use crate::identifiers::QueuedId;
use aqmlab_aqm::{AdjustmentError, PortFacts, Scheme};
use aqmlab_driver::port_facts_of;
use aqmlab_random::Key;
use aqmlab_scenario::Link;
use aqmlab_scenario::limits::{HIGHEST_MBPS, LOWEST_MBPS};
use aqmlab_units::{Rate, Time};
use serde_json::{Map, Value};
use std::fmt;

/// A change of a link and its queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Action {
    /// Another rate in Mbit/s, from [`LOWEST_MBPS`] to [`HIGHEST_MBPS`].
    pub rate_mbps: Option<f64>,
    /// Other values of parameters of the queue's scheme, by the keys that scenarios have for them.
    pub parameters: Map<String, Value>,
}

impl Action {
    /// Another rate of the link.
    #[must_use]
    pub fn rate_mbps(rate_mbps: f64) -> Self {
        Self { rate_mbps: Some(rate_mbps), ..Self::default() }
    }

    /// Another value of one parameter of the queue's scheme.
    #[must_use]
    pub fn parameter(key: &str, value: impl Into<Value>) -> Self {
        let parameters = std::iter::once((key.to_owned(), value.into())).collect();
        Self { parameters, ..Self::default() }
    }
}

/// Why an action was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionError {
    /// No monitored link has this name.
    Link {
        /// The name.
        name: String,
        /// The monitored links.
        legal: Vec<String>,
    },
    /// The link follows a rate trace, or has a medium of its own.
    RateVaries {
        /// The link.
        link: String,
    },
    /// No rate of a link.
    Rate {
        /// The link.
        link: String,
        /// In Mbit/s.
        rate_mbps: f64,
    },
    /// Parameters of the queue's scheme.
    Parameters {
        /// The link.
        link: String,
        /// What is wrong with them.
        error: AdjustmentError,
    },
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { name, legal } => {
                write!(f, "no monitored link is called \"{name}\"; legal: {}", legal.join(", "))
            }
            Self::RateVaries { link } => {
                write!(
                    f,
                    "{link}: the rate of a link with a rate trace or a medium cannot be changed during a run"
                )
            }
            Self::Rate { link, rate_mbps } => {
                write!(f, "{link}: rate_mbps is {rate_mbps}: it must be {}", self.legal())
            }
            Self::Parameters { link, error } => write!(f, "{link}: {error}"),
        }
    }
}

impl std::error::Error for ActionError {}

impl ActionError {
    /// The key of what is refused: a parameter, or `rate_mbps`; none where it is the link.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Link { .. } => None,
            Self::RateVaries { .. } | Self::Rate { .. } => Some("rate_mbps"),
            Self::Parameters { error, .. } => Some(error.key()),
        }
    }

    /// What would be legal, in words: names separated by commas, or a range; empty where nothing would be.
    #[must_use]
    pub fn legal(&self) -> String {
        match self {
            Self::Link { legal, .. } => legal.join(", "),
            Self::RateVaries { .. } => String::new(),
            Self::Rate { .. } => format!("from {LOWEST_MBPS} to {HIGHEST_MBPS} Mbit/s"),
            Self::Parameters { error, .. } => error.legal(),
        }
    }

    /// The names that would be legal where it is a name that is refused.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Link { legal, .. } => legal.clone(),
            Self::Parameters { error: AdjustmentError::Fixed { legal, .. }, .. } => {
                legal.iter().map(ToString::to_string).collect()
            }
            Self::RateVaries { .. } | Self::Rate { .. } | Self::Parameters { .. } => Vec::new(),
        }
    }
}

/// A monitored link as it is after the actions so far.
#[derive(Clone)]
pub(super) struct ActedOn {
    position: QueuedId,
    name: String,
    rate: Rate,
    facts: PortFacts,
    scheme: Scheme,
}

impl ActedOn {
    /// # Panics
    /// If the link has no rate or no queue: every monitored link has both.
    pub(super) fn new(position: QueuedId, link: &Link, key: Key) -> Self {
        let (Some(rate), Some(scheme)) = (link.rate, &link.queue) else {
            panic!("{} is monitored without a queue", link.name)
        };
        let facts = port_facts_of(link, rate, key);
        Self { position, name: link.name.clone(), rate, facts, scheme: scheme.clone() }
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name == name
    }

    /// Carries out an action at the link, which is one of those with a queue: all of it, or nothing. Returns
    /// the rate of the link from now on.
    pub(super) fn apply(
        &mut self,
        now: Time,
        action: &Action,
        queued: &mut [QueuedLink],
    ) -> Result<Rate, ActionError> {
        let link = || self.name.clone();
        let rate = action.rate_mbps.map(|rate_mbps| {
            let legal = (LOWEST_MBPS..=HIGHEST_MBPS).contains(&rate_mbps);
            let rate = legal.then(|| Rate::from_megabits_per_second(rate_mbps));
            rate.ok_or_else(|| ActionError::Rate { link: link(), rate_mbps })
        });
        let rate = rate.transpose()?;
        let adjusted = (!action.parameters.is_empty())
            .then(|| self.scheme.adjusted(&action.parameters, &self.facts))
            .transpose()
            .map_err(|error| ActionError::Parameters { link: link(), error })?;
        let queued = &mut queued[self.position.place()];
        debug_assert!(!queued.predicts, "its packets have moved on already");
        if rate.is_some() && !queued.link.has_constant_rate() {
            return Err(ActionError::RateVaries { link: link() });
        }
        if let Some(adjusted) = adjusted {
            let done = queued.link.port_mut().adjust(now, &adjusted, &self.facts);
            done.map_err(|error| ActionError::Parameters { link: link(), error })?;
            self.scheme = adjusted.into_scheme();
        }
        if let Some(rate) = rate {
            let changed = queued.link.change_rate(rate);
            debug_assert!(changed, "a constant rate can be changed");
            self.rate = rate;
        }
        Ok(self.rate)
    }
}
