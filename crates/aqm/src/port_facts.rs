//! What is known of a port before a scheme is built for it.

use crate::shaping::Shaping;
use aqmlab_units::Rate;

/// What a scheme may know of the port it works at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortFacts {
    /// Rate at which the queue is emptied: the link's, or that of a shaper in front of the link.
    pub link_rate: Rate,
    /// Where periodic timers tick within their period, in `[0, 1)`: at `(timer_phase + k)` periods, k = 0, 1,
    /// …, instant 0 left out. Draw it at random where ticks that are locked to packet clocks would alias.
    pub timer_phase: f64,
    /// Salt of the hash that sorts flows into queues, where a port has several: two ports with different
    /// salts sort them differently. Draw it at random, so that no pair of flows meets at every port.
    pub flow_salt: u64,
    /// Bytes of the link layer that the queue counts with each packet, on top of its IP length: in everything
    /// that it measures in bytes. 14 where a driver queues whole Ethernet frames, without their check
    /// sequence; 0 elsewhere.
    pub layer2_queued_bytes: u32,
    /// The shaper that holds back what the queue sends, if there is one.
    pub shaping: Option<Shaping>,
}

impl PortFacts {
    /// A port of a link with this rate, whose timers tick at whole multiples of their period.
    #[must_use]
    pub const fn new(link_rate: Rate) -> Self {
        Self { link_rate, timer_phase: 0.0, flow_salt: 0, layer2_queued_bytes: 0, shaping: None }
    }

    /// The same port with another timer phase, in `[0, 1)`.
    ///
    /// # Panics
    /// If `timer_phase` lies outside.
    #[must_use]
    pub fn with_timer_phase(self, timer_phase: f64) -> Self {
        assert!((0.0..1.0).contains(&timer_phase), "a phase lies in [0, 1): {timer_phase}");
        Self { timer_phase, ..self }
    }

    /// The same port with another salt of the hash of flows.
    #[must_use]
    pub const fn with_flow_salt(self, flow_salt: u64) -> Self {
        Self { flow_salt, ..self }
    }

    /// The same port with another length of a packet in the queue: so many bytes more than its IP length.
    #[must_use]
    pub const fn with_layer2_queued_bytes(self, layer2_queued_bytes: u32) -> Self {
        Self { layer2_queued_bytes, ..self }
    }

    /// The same port behind a shaper, whose rate then is that of the link for all that follows from it.
    #[must_use]
    pub const fn shaped(self, shaping: Option<Shaping>) -> Self {
        match shaping {
            Some(Shaping { rate, .. }) => Self { link_rate: rate, shaping, ..self },
            None => self,
        }
    }
}
