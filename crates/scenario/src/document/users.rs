//! `[users]` and `[[populations]]`: people browsing the web.

use super::Decides;
use super::delay_box::DelayBoxTable;
use super::flows::{default_profile, default_transport, is_tcp, profile_name, transport_name};
use crate::{HostOverrides, UserModel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `[users]` and `[[populations]]` say of their users alike.
#[derive(Clone, Copy)]
pub(crate) struct Habits<'a> {
    pub(crate) model: &'a UserModel,
    pub(crate) start: Start,
    pub(crate) start_spread_s: Option<f64>,
    pub(crate) minimum_delay_ms: MinimumDelayRange,
    pub(crate) delay_box: Option<DelayBoxTable>,
    pub(crate) dscp: u8,
    pub(crate) transport: &'a str,
    pub(crate) profile: &'a str,
    pub(crate) host: &'a HostOverrides,
}

/// Declares a table of browsing users: how many they are and where, then the keys that all such tables have.
macro_rules! users_table {
    ($(#[$about:meta])* pub struct $table:ident { $($(#[$meaning:meta])* pub $key:ident: $type:ty,)* }) => {
    $(#[$about])*
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct $table {
        $($(#[$meaning])* pub $key: $type,)*

        /// How they browse.
        #[serde(default)]
        #[schemars(extend("x-decides" = Decides::Users))]
        pub model: UserModel,

        /// Their state when the run begins.
        #[serde(default)]
        #[schemars(extend("x-decides" = Decides::Users))]
        pub start: Start,

        /// Users of a fresh start begin uniformly within this time; only with `start = "fresh"`, then 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 10_000_000.0))]
        #[schemars(extend("x-decides" = Decides::Users))]
        pub start_spread_s: Option<f64>,

        /// Minimum round-trip delay, on the browser's outbound packets.
        #[serde(default)]
        #[schemars(extend("x-decides" = Decides::Users))]
        pub minimum_delay_ms: MinimumDelayRange,

        /// Bottleneck rate and loss of each connection at the routers of its ends; absent: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-decides" = Decides::Users))]
        pub delay_box: Option<DelayBoxTable>,

        /// The differentiated services codepoint of the packets, both ways.
        #[serde(default, skip_serializing_if = "super::is_best_effort")]
        #[schemars(range(max = 63))]
        #[schemars(extend("x-decides" = Decides::Hosts))]
        pub dscp: u8,

        /// What carries the connections: TCP, or QUIC, over which each exchange of a page has a stream of its
        /// own; absent: `"tcp"`.
        #[serde(default = "default_transport", skip_serializing_if = "is_tcp")]
        #[schemars(schema_with = "transport_name")]
        #[schemars(extend("x-decides" = Decides::Hosts))]
        pub transport: String,

        /// Host profile of browsers and servers; `ns2-oneway` for webtraf alone.
        #[serde(default = "default_profile", skip_serializing_if = "String::is_empty")]
        #[schemars(schema_with = "profile_name")]
        #[schemars(extend("x-decides" = Decides::Hosts))]
        pub profile: String,

        /// Changes to single settings of the host profile.
        #[serde(default)]
        #[schemars(extend("x-decides" = Decides::Hosts))]
        pub host: HostOverrides,
    }

    impl $table {
        /// How its users browse.
        pub(crate) fn habits(&self) -> Habits<'_> {
            Habits {
                model: &self.model,
                start: self.start,
                start_spread_s: self.start_spread_s,
                minimum_delay_ms: self.minimum_delay_ms,
                delay_box: self.delay_box,
                dscp: self.dscp,
                transport: &self.transport,
                profile: &self.profile,
                host: &self.host,
            }
        }

        fn settle_spread(&mut self) {
            if self.start == Start::Fresh {
                self.start_spread_s.get_or_insert(0.0);
            }
        }
    }
    };
}

users_table! {
/// Browsing users on both sides of a dumbbell, each side browsing the servers of the other.
pub struct UsersTable {
    /// Users on each side; this, or `left` and `right`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub per_side: Option<u32>,

    /// Users on the left side, who browse servers of the right side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub left: Option<u32>,

    /// Users on the right side, who browse servers of the left side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub right: Option<u32>,
}
}

users_table! {
/// Browsing users at the machines of one group, browsing the servers of another.
pub struct PopulationTable {
    /// Name of the population, unique among populations.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub name: String,

    /// The machine group of its users.
    #[schemars(extend("x-decides" = Decides::Users))]
    pub browsers: String,

    /// The machine group of the servers.
    #[schemars(extend("x-decides" = Decides::Users))]
    pub servers: String,

    /// Users in all, spread over the machines in turn.
    #[schemars(range(max = 10_000_000))]
    #[schemars(extend("x-decides" = Decides::Users))]
    pub count: u32,
}
}

/// State of the users when the run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Steady: pages come at their long-run rate from the first instant.
    #[default]
    Steady,
    /// Stationary: transfers are in progress and connections open, as after half an hour of browsing on a
    /// network without queues.
    Stationary,
    /// Fresh: all users begin a new think time, as in the published studies.
    Fresh,
}

/// Whole milliseconds from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MinimumDelayRange {
    /// The shortest.
    #[schemars(range(max = 100_000))]
    pub low: u32,
    /// The longest.
    #[schemars(range(max = 100_000))]
    pub high: u32,
    /// Who has a delay of its own.
    #[serde(default)]
    pub per: DelayOwner,
    /// Shape: a share u of the delays lies below low + (high - low) u^power. 1: uniform, less: more long
    /// delays.
    #[serde(default = "uniform")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub power: f64,
    /// Ticks per second of the kernel clocks that release delayed packets; 0: exact delays.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub clock_hz: u32,
}

const fn uniform() -> f64 {
    1.0
}

/// What has its own minimum delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayOwner {
    /// Each connection, drawn.
    #[default]
    Connection,
    /// Each pair of a browser machine and a server machine, as with delays set in the machines: the evenly
    /// spaced quantiles of the law, assigned to the pairs in random order, so every run has the same set.
    MachinePair,
}

impl Default for MinimumDelayRange {
    /// The SIGCOMM 2003 study (section 3.1): 10 to 150 ms, typical of the continental United States.
    fn default() -> Self {
        Self { low: 10, high: 150, per: DelayOwner::Connection, power: uniform(), clock_hz: 0 }
    }
}

impl UsersTable {
    pub(crate) fn settle(&mut self) {
        if let (Some(both), None, None) = (self.per_side, self.left, self.right) {
            *self = Self { per_side: None, left: Some(both), right: Some(both), ..self.clone() };
        }
        self.settle_spread();
    }
}

impl PopulationTable {
    pub(crate) fn settle(&mut self) {
        self.settle_spread();
    }
}
