//! What is pending, and in which order it happens.
//!
//! Pending work lives in *sources*: a link in service, a pipe of packets under way (first in, first out), a
//! wheel of packets or timers with arbitrary instants. A source shows only its earliest instant to the
//! [`Tournament`], which names the next source to serve; so the cost of an event does not grow with the
//! number of packets in flight.
//!
//! **The order of equal instants is part of the contract:** by source number first, then by the order of
//! insertion within the source. Nothing else about these structures can change a result; the property tests
//! hold them against a sorted list.

mod tournament;
mod wheel;

pub(crate) use tournament::{MAXIMUM_SOURCES, Source, Tournament};
pub(crate) use wheel::Wheel;
