//! An application at work.

use aqmlab_random::Key;
use aqmlab_record::VideoCallFrame;
use aqmlab_units::{Rate, Time};
use dyn_clone::DynClone;

/// An end of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the data come from.
    Sender,
    /// Where they go: it may send packets of its own.
    Receiver,
}

/// What one application is given beside its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Length of its sender's IP packets, the greatest if they differ.
    pub packet_bytes: u16,
    /// When its sender is woken first.
    pub starts: Time,
    /// From when on its sender is not woken any more.
    pub stops: Time,
    /// Its own random numbers.
    pub key: Key,
}

/// What an end does when it is woken: it sends one packet at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Length of the IP packet that leaves now; none if nothing does.
    pub sends: Option<u16>,
    /// When to wake it next.
    pub next: Next,
}

/// When an end is to be woken next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// At the same instant again.
    AtOnce,
    /// At an instant, if it is before the end stops.
    At(Time),
    /// Not before it has heard something.
    Never,
}

/// One sender and its receiver, both ends in one place: what a packet says need not be written into it.
///
/// A state machine without a clock. It must not allocate for each packet, and draws random numbers only from
/// its own key.
pub trait Application: Send + DynClone {
    /// An end is woken: the sender first when it starts, then each when it asked for. Where time is real
    /// `now` is a little later than `due`, and what follows need not be put off by that.
    fn wake(&mut self, end: End, due: Time, now: Time) -> Step;

    /// A packet has arrived that the end `from` sent, with its number among all that it sent (from 0, modulo
    /// 2³²). Returns when the end where it arrived is to be woken, if sooner than that end asked before.
    ///
    /// Called only for an end of which [`crate::Sends::is_heard`].
    fn hear(&mut self, _from: End, _number: u32, _now: Time) -> Option<Time> {
        None
    }

    /// Whether what is recorded of its frames that were captured before an instant, which has passed, is
    /// final, and so is when the next one was shown.
    fn is_settled(&self, _before: Time) -> bool {
        true
    }

    /// The bit rates, of IP packets, between which somebody else may set that of its sender during a run;
    /// none of an application whose sender has no such rate.
    fn bit_rates(&self) -> Option<[Rate; 2]> {
        None
    }

    /// Its sender keeps to this bit rate from its next frame on, whatever it would allow itself: one of
    /// [`Application::bit_rates`].
    fn keep_to(&mut self, _rate: Rate) {}

    /// What was recorded of its frames so far, in the order in which they were captured; empty where it
    /// records none.
    fn frames(&self) -> &[VideoCallFrame] {
        &[]
    }

    /// Takes what was recorded of its frames, at the end of a run; none where it records none.
    fn take_frames(&mut self) -> Option<Vec<VideoCallFrame>> {
        None
    }
}

dyn_clone::clone_trait_object!(Application);
