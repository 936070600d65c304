//! Applications over datagrams, one file or folder each, registered in one list.
//!
//! From a line of the list follow the module, the key of a group of `[[datagrams]]` with its schema, the
//! variant of [`ApplicationModel`], the names in error messages, what `aqmlab explain` prints, and the cases
//! of the tests and fuzzers. To add one: its file here (opening with the source, the rule, departures and
//! silences), its line with the sentence for its key, and its table in
//! `docs/reference/scenario/datagrams.md`.
//!
//! Packets at a rate are older than the list: their keys stand in the group itself ([`PacketKeys`]).

mod packets;

use crate::{Application, Facts, Mistake, Parameters, Setup};
use aqmlab_random::Stream;
pub use packets::{PacketKeys, Packets, PeriodLaw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! applications {
    ($($(#[doc = $meaning:literal])+ $module:ident: $parameters:ident,)+) => {
        $(pub mod $module;)+
        $(use $module::$parameters;)+

        /// The tables of a group of datagrams each of which names an application; one at the most is given.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct ApplicationTables {
            $(
                $(#[doc = $meaning])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $module: Option<$parameters>,
            )+
        }

        /// An application and its parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "the parameters' documentation is that of the variant")]
        pub enum ApplicationModel {
            Packets(Packets),
            $($parameters($parameters),)+
        }

        impl ApplicationModel {
            /// The keys that name an application, in the order of the list.
            pub const KEYS: &[&str] = &["rate_mbps", $(stringify!($module)),+];

            /// The applications that the keys of a group name; one, in a legal group.
            #[must_use]
            pub fn named_by(packets: &PacketKeys, tables: &ApplicationTables) -> Vec<Self> {
                let packets = packets.application().map(Self::Packets);
                let tables = [$(tables.$module.clone().map(Self::$parameters)),+];
                packets.into_iter().chain(tables.into_iter().flatten()).collect()
            }

            /// The key that names it.
            #[must_use]
            pub const fn key(&self) -> &'static str {
                match self {
                    Self::Packets(_) => "rate_mbps",
                    $(Self::$parameters(_) => stringify!($module),)+
                }
            }

            /// Every application with the defaults of its parameters.
            #[must_use]
            pub fn all() -> Vec<Self> {
                vec![Self::Packets(Packets::default()), $(Self::$parameters($parameters::default())),+]
            }

            /// One of each application with a table, with legal parameters drawn at random for packets of 100
            /// bytes or more.
            #[must_use]
            pub fn drawn(dice: &mut Stream) -> Vec<ApplicationTables> {
                vec![$(
                    ApplicationTables { $module: Some($parameters::drawn(dice)), ..Default::default() }
                ),+]
            }

            fn parameters(&self) -> &dyn Parameters {
                match self {
                    Self::Packets(own) => own,
                    $(Self::$parameters(own) => own,)+
                }
            }
        }
    };
}

applications! {
    /// Frames of a video, which packets of at most `packet_bytes` carry; instead of `rate_mbps`.
    video: Video,
    /// A video call whose bit rate adapts, in packets of at most `packet_bytes`; instead of `rate_mbps`. Its
    /// receiver's reports are the group `NAME-feedback`.
    adaptive_video: AdaptiveVideo,
    /// A game on a server far away: frames in packets of at most `packet_bytes`, input back as the group
    /// `NAME-input`; instead of `rate_mbps`.
    cloud_game: CloudGame,
}

impl ApplicationModel {
    /// What is wrong that the ranges of single keys do not say, with packets of at most so many bytes. Keys
    /// are those of the group, dots included.
    #[must_use]
    pub fn check(&self, packet_bytes: u16) -> Vec<Mistake> {
        let of_group = |mistake: Mistake| {
            let own = !mistake.is_of_group && !matches!(self, Self::Packets(_));
            let key = if own { format!("{}.{}", self.key(), mistake.key) } else { mistake.key };
            Mistake { key, is_of_group: true, ..mistake }
        };
        self.parameters().check(packet_bytes).into_iter().map(of_group).collect()
    }

    /// What others have to know, with packets of at most so many bytes.
    #[must_use]
    pub fn facts(&self, packet_bytes: u16) -> Facts {
        self.parameters().facts(packet_bytes)
    }

    /// One application with both of its ends. Called only on parameters without mistakes.
    #[must_use]
    pub fn build(&self, setup: Setup) -> Box<dyn Application> {
        self.parameters().build(setup)
    }

    /// The facts of every application with the defaults of its parameters.
    #[must_use]
    pub fn usual() -> Vec<(&'static str, Facts)> {
        Self::all().iter().map(|model| (model.key(), model.facts(USUAL_PACKET_BYTES))).collect()
    }

    /// The keys of the applications of whose facts this holds.
    #[must_use]
    pub fn keys_where(holds: impl Fn(&Facts) -> bool) -> Vec<&'static str> {
        Self::usual().into_iter().filter(|(_, facts)| holds(facts)).map(|(key, _)| key).collect()
    }
}

/// Any length with room for headers.
const USUAL_PACKET_BYTES: u16 = 1200;
