//! What others have to know of an application: the schema's checks, warnings, estimates and tests.

use aqmlab_units::{Rate, Span};

/// What is known of an application by its parameters alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What its sender sends.
    pub sender: Sends,
    /// What its receiver sends of its own; none if it is silent.
    pub receiver: Option<Answers>,
    /// The frames that it records; none if it records none.
    pub frames: Option<FramesFacts>,
}

/// What an end sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sends {
    /// Packets per second in the mean, while it is on.
    pub packets_per_second: f64,
    /// Length of the shortest IP packet.
    pub shortest_bytes: u16,
    /// How many more packets than in the mean it may send in any time; none where nothing bounds them.
    pub burst_packets: Option<f64>,
    /// The rate of packets of one length; none where packets differ or are not sent at a rate.
    pub steady: Option<SteadyRate>,
    /// Periods of sending and silence in a second: each is drawn.
    pub periods_per_second: f64,
    /// Whether the application hears of what arrives ([`crate::Application::hear`]).
    pub is_heard: bool,
}

/// A rate of packets of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteadyRate {
    /// Of IP packets, while it is on.
    pub rate: Rate,
    /// Whether it is never silent.
    pub is_always_on: bool,
}

/// What a receiver sends of its own: a group of its own in tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// Its group is called so, behind the sender's name and a hyphen.
    pub name: &'static str,
    /// Within the first interval it is woken first, at a random instant.
    pub interval: Span,
    /// Whether it stops with its sender. Else it goes on for as long as it has something to say.
    pub stops_with_sender: bool,
    /// Length of its IP packets, the greatest if they differ.
    pub packet_bytes: u16,
    /// How much it sends.
    pub sends: Sends,
}

/// The frames that an application records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramesFacts {
    /// Frames per second.
    pub hz: f64,
    /// The least and the greatest bit rate that a frame may have been made for, in bits per second.
    pub rates_bps: [f64; 2],
    /// Who waits for them.
    pub viewers: Viewers,
}

/// Who looks at frames, and so how late these may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewers {
    /// People who talk to each other.
    Talking,
    /// Somebody who plays.
    Playing,
}

impl Sends {
    /// Packets that come so often, none of them shorter than so many bytes, that differ or depend on what
    /// arrives.
    pub(crate) const fn at_times(packets_per_second: f64, shortest_bytes: u16) -> Self {
        Self {
            packets_per_second,
            shortest_bytes,
            burst_packets: None,
            steady: None,
            periods_per_second: 0.0,
            is_heard: false,
        }
    }
}
