//! Formulas and rules that several schemes share, each with the names that the papers give them.

mod average_queue;
mod detector;
mod ewma;
mod limit;
mod max_p;
mod measure;
mod pi_design;
mod red_curve;
mod scale;
mod spacing;
mod thresholds;
mod ticker;
mod weight;

pub use average_queue::{AverageQueue, IdleRule};
pub use detector::{Detector, DetectorSettings, EcnRule};
pub use ewma::{Ewma, power};
pub use limit::{Limit, LimitRule, Room};
pub use max_p::{AdaptMaxP, Bottom, Word};
pub use measure::{Gauge, Measure};
pub use pi_design::PiGains;
pub use red_curve::{RedCurve, Region};
pub use scale::{PacketScale, ScaleProbability};
pub use spacing::Spacing;
pub use thresholds::Thresholds;
pub use ticker::Ticker;
pub use weight::{TimeConstant, Weight};
