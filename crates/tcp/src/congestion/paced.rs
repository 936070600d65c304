//! A window that never changes and is sent at a rate, for tests of the output routines.

use super::control::{Acknowledged, CongestionControl, EchoReaction, Loss, Opening, Timeout};
use super::pacer::Pacer;
use crate::profile::HostProfile;
use aqmlab_units::Rate;
use std::fmt;

/// The rate, in IP packets: one of 1,500 bytes takes a millisecond.
pub(crate) const RATE: Rate = Rate::from_bits_per_second(12_000_000);

/// The peer's window, whatever happens, at [`RATE`].
#[repr(Rust, packed)]
pub(crate) struct Paced(Box<Pacer>);

impl Clone for Paced {
    fn clone(&self) -> Self {
        Self(Box::new(*self.0))
    }
}

impl fmt::Debug for Paced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Paced")
    }
}

impl CongestionControl for Paced {
    fn new(_profile: &HostProfile) -> Self {
        Self(Box::default())
    }

    fn on_established(&mut self, _profile: &HostProfile, _opening: Opening) {}

    fn on_acknowledged(&mut self, _profile: &HostProfile, _acknowledged: &Acknowledged) {}

    fn on_loss(&mut self, _profile: &HostProfile, _loss: &Loss) {}

    fn begin_recovery(&mut self, _profile: &HostProfile, _inflation: u32) {}

    fn inflate(&mut self, _profile: &HostProfile, _bytes: u32) {}

    fn deflate(&mut self, _profile: &HostProfile, _acknowledged: u32, _refill: u32) {}

    fn end_recovery(&mut self, _window: u32) {}

    fn on_timeout(&mut self, _profile: &HostProfile, _timeout: &Timeout) {}

    fn on_echo(&mut self, _profile: &HostProfile) -> EchoReaction {
        EchoReaction::None
    }

    fn on_idle(&mut self, _profile: &HostProfile) {}

    fn window(&self, profile: &HostProfile) -> u32 {
        profile.window_bytes
    }

    fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
        profile.window_bytes
    }

    fn congestion_window(&self, profile: &HostProfile) -> f64 {
        f64::from(profile.window_bytes)
    }

    fn pacing_rate(&self, _profile: &HostProfile) -> Option<Rate> {
        Some(RATE)
    }

    fn pacer(&self) -> Option<&Pacer> {
        Some(&*self.0)
    }

    fn pacer_mut(&mut self) -> Option<&mut Pacer> {
        Some(&mut *self.0)
    }
}
