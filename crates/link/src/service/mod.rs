//! How a link serves what it takes: when a transmission ends, and how many packets it carries.
//!
//! From a line of the list follow the module, the variant of [`Medium`], its key in scenarios with its schema
//! and errors, and the cases of the tests of every driver of links.

mod capacity;
mod intervals;
mod rate_trace;

pub(crate) use capacity::full_transmission;
pub use rate_trace::RateTrace;
pub(crate) use varying_rate::Rates;

use crate::steps::Steps;
use aqmlab_aqm::ParameterError;
use aqmlab_random::{Key, Stream};
use aqmlab_units::{Rate, Time};
use dyn_clone::DynClone;
use rate_trace::TraceClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! media {
    ($($module:ident::$model:ident: $meaning:literal,)+) => {
        $(mod $module; pub use $module::$model;)+

        /// How a link may use its medium, where it may not send one packet after the other whenever it has
        /// one. As data it is a table with one key, which names the model.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Medium {
            $(#[doc = $meaning] $model($model),)+
        }

        impl Medium {
            fn model(&self) -> &dyn DynamicModel {
                match self { $(Self::$model(own) => own,)+ }
            }

            /// One of each model, drawn at random.
            pub(crate) fn drawn(dice: &mut Stream) -> Vec<Self> {
                vec![$(Self::$model($model::drawn(dice)),)+]
            }
        }
    };
}

media! {
    aggregation::Aggregation: "Several packets in one transmission.",
    slots::Slots: "Transmissions in the slots of a cycle alone.",
    varying_rate::VaryingRate: "A rate that varies at random.",
    wifi::Wifi: "Wi-Fi between an access point and a station.",
}

/// The parameters of a model of a medium: what a file in this folder implements.
trait MediumModel: Sized {
    /// Checks what the ranges of single parameters do not say, of a link with this rate.
    fn validate(&self, rate: Rate) -> Result<(), ParameterError>;

    /// The service of a link with this rate, whose random numbers are at this key.
    fn service(&self, rate: Rate, key: Key) -> Box<dyn Service>;

    /// The highest rate of the bytes that a link with this rate sends.
    fn highest_rate(&self, rate: Rate) -> Rate {
        rate
    }

    /// What a link with this rate carries of packets with so many bytes on the wire if something always
    /// waits.
    fn capacity(&self, rate: Rate, _wire_bytes: u32) -> Rate {
        rate
    }

    /// The name of the channel on which links take turns; none of a link that has its medium for itself.
    fn channel(&self) -> Option<&str> {
        None
    }

    /// Legal parameters at a link of 0.1 to 10 Mbit/s, for tests.
    fn drawn(dice: &mut Stream) -> Self;
}

/// [`MediumModel`] where its type is not known.
trait DynamicModel {
    fn validate(&self, rate: Rate) -> Result<(), ParameterError>;
    fn service(&self, rate: Rate, key: Key) -> Box<dyn Service>;
    fn highest_rate(&self, rate: Rate) -> Rate;
    fn capacity(&self, rate: Rate, wire_bytes: u32) -> Rate;
    fn channel(&self) -> Option<&str>;
}

impl<M: MediumModel> DynamicModel for M {
    fn validate(&self, rate: Rate) -> Result<(), ParameterError> {
        MediumModel::validate(self, rate)
    }

    fn service(&self, rate: Rate, key: Key) -> Box<dyn Service> {
        MediumModel::service(self, rate, key)
    }

    fn highest_rate(&self, rate: Rate) -> Rate {
        MediumModel::highest_rate(self, rate)
    }

    fn capacity(&self, rate: Rate, wire_bytes: u32) -> Rate {
        MediumModel::capacity(self, rate, wire_bytes)
    }

    fn channel(&self) -> Option<&str> {
        MediumModel::channel(self)
    }
}

impl Medium {
    /// The key of its model.
    #[must_use]
    pub fn name(&self) -> String {
        let table = serde_json::to_value(self).unwrap_or_default();
        table.as_object().and_then(|table| table.keys().next().cloned()).unwrap_or_default()
    }

    /// Checks what the ranges of single parameters do not say, of a link with this rate.
    ///
    /// # Errors
    /// The first parameter that is not legal there, behind the model's name and a dot.
    pub fn validate(&self, rate: Rate) -> Result<(), ParameterError> {
        self.model().validate(rate).map_err(|error| {
            let key = format!("{}.{}", self.name(), error.key).into();
            ParameterError { key, ..error }
        })
    }

    /// The highest rate of the bytes that a link with this rate sends: above it where the link sends at times
    /// alone, or its rate varies.
    #[must_use]
    pub fn highest_rate(&self, rate: Rate) -> Rate {
        self.model().highest_rate(rate)
    }

    /// Bits per second that a link with this rate carries of packets with so many bytes on the wire.
    pub(crate) fn capacity(&self, rate: Rate, wire_bytes: u32) -> Rate {
        self.model().capacity(rate, wire_bytes)
    }
}

/// Packets that travel in one transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// How many, at least one.
    pub packets: u32,
    /// Their frames with preambles and gaps.
    pub wire_bytes: u32,
}

impl Load {
    /// These packets and others.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self { packets: self.packets + other.packets, wire_bytes: self.wire_bytes + other.wire_bytes }
    }
}

/// A link whose transmissions take another time than their bytes at a constant rate, or carry several
/// packets.
pub trait Service: Send + DynClone {
    /// Whether a transmission may carry so much; one packet alone it always carries. What holds for a load
    /// holds for a part of it.
    fn carries(&self, load: Load) -> bool {
        load.packets == 1
    }

    /// A transmission begins; returns when it ends, `now` or later. `now` never decreases, and never lies
    /// before the end of the transmission before.
    fn transmit(&mut self, now: Time, load: Load) -> Time;

    /// Whether bytes take the same time however they are cut into transmissions: none costs a time of its
    /// own.
    fn costs_bytes_alone(&self) -> bool {
        false
    }
}

dyn_clone::clone_trait_object!(Service);

/// How a link serves, as data.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ServiceModel {
    /// One packet after the other, each for the time of its bytes at the link's rate.
    #[default]
    Constant,
    /// One packet after the other, at the instants of a trace, of which the link's rate is the mean.
    Trace(RateTrace),
    /// One packet after the other, at rates in bits per second that hold from an instant to the next, of
    /// which the link's rate is the mean; one of them is above 0, and the last where they do not repeat.
    Steps(Steps<u64>),
    /// As the link's medium is granted to it.
    Medium(Medium),
}

impl ServiceModel {
    /// Whether a transmission takes the time of its bytes at the link's rate.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant)
    }

    /// The name of the channel on which the link takes turns with others of that name, if it does.
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        match self {
            Self::Medium(medium) => medium.model().channel(),
            Self::Constant | Self::Trace(_) | Self::Steps(_) => None,
        }
    }

    /// The service of a link with this rate, where that is not constant. Its random numbers are at a key.
    pub(crate) fn varying(&self, rate: Rate, key: Key) -> Option<Box<dyn Service>> {
        match self {
            Self::Constant => None,
            Self::Trace(trace) => Some(Box::new(TraceClock::new(trace.clone()))),
            Self::Steps(rates) => Some(intervals::in_steps(rates)),
            Self::Medium(medium) => Some(medium.model().service(rate, key)),
        }
    }
}
