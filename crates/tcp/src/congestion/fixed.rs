//! A window that never changes, for tests of what a controller is told: it asks for every fact.

use super::control::{Acknowledged, CongestionControl, EchoReaction, Loss, Opening, Timeout};
use crate::profile::HostProfile;
use crate::sequence::SequenceNumber;
use std::fmt;

/// The peer's window, whatever happens. Its memory lies behind a box, as that of a large controller would.
#[repr(Rust, packed)]
pub(crate) struct Fixed(Box<SequenceNumber>);

impl Clone for Fixed {
    fn clone(&self) -> Self {
        Self(Box::new(*self.0))
    }
}

impl fmt::Debug for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fixed")
    }
}

impl CongestionControl for Fixed {
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

    fn delivery_mark(&mut self) -> Option<&mut SequenceNumber> {
        Some(&mut *self.0)
    }
}
