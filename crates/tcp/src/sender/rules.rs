//! By which rules a sender goes: those of a classic one, or of a modern one.

use super::classic::ClassicSender;
use super::modern::ModernSender;
use crate::clock::HostClock;
use crate::congestion::Opening;
use crate::hosts::{HostProfile, Stack};
use crate::sequence::SequenceNumber;
use aqmlab_units::Time;
use std::fmt;

/// What the rules remember. The modern ones lie behind a pointer: the classic ones pay nothing for them.
#[derive(Clone, Debug)]
pub(super) enum Rules {
    Classic(ClassicSender),
    Modern(Boxed),
}

/// A modern sender, behind a pointer without room lost to its alignment.
#[repr(Rust, packed)]
pub(super) struct Boxed(Box<ModernSender>);

#[allow(
    clippy::explicit_auto_deref,
    reason = "nothing may refer to the pointer itself, which is not aligned"
)]
impl Boxed {
    #[inline]
    fn get(&self) -> &ModernSender {
        &*self.0
    }

    #[inline]
    fn get_mut(&mut self) -> &mut ModernSender {
        &mut *self.0
    }
}

impl Clone for Boxed {
    fn clone(&self) -> Self {
        Self(Box::new(self.get().clone()))
    }
}

impl fmt::Debug for Boxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl Default for Rules {
    /// Those of an end which is not opening yet, and replaced when it does.
    fn default() -> Self {
        Self::Classic(ClassicSender::default())
    }
}

impl Rules {
    /// Those of a host whose first segment is being sent.
    pub(super) fn new(profile: &HostProfile, clock: &HostClock) -> Self {
        match &profile.stack {
            Stack::Classic(classic) => Self::Classic(ClassicSender::new(profile, classic)),
            Stack::Modern(modern) => Self::Modern(Boxed(Box::new(ModernSender::new(profile, modern, clock)))),
        }
    }

    #[inline]
    pub(super) fn classic(&self) -> Option<&ClassicSender> {
        match self {
            Self::Classic(classic) => Some(classic),
            Self::Modern(_) => None,
        }
    }

    #[inline]
    pub(super) fn classic_mut(&mut self) -> Option<&mut ClassicSender> {
        match self {
            Self::Classic(classic) => Some(classic),
            Self::Modern(_) => None,
        }
    }

    #[inline]
    pub(super) fn modern(&self) -> Option<&ModernSender> {
        match self {
            Self::Classic(_) => None,
            Self::Modern(modern) => Some(modern.get()),
        }
    }

    #[inline]
    pub(super) fn modern_mut(&mut self) -> Option<&mut ModernSender> {
        match self {
            Self::Classic(_) => None,
            Self::Modern(modern) => Some(modern.get_mut()),
        }
    }

    pub(super) fn on_established(&mut self, profile: &HostProfile, opening: Opening, max: SequenceNumber) {
        match self {
            Self::Classic(classic) => classic.on_established(profile, opening, max),
            Self::Modern(modern) => modern.get_mut().on_established(opening, max),
        }
    }

    /// Bytes that may be outstanding, as far as the network is concerned, with so many that are.
    #[inline]
    pub(super) fn usable_window(&self, profile: &HostProfile, outstanding: u32) -> u32 {
        match self {
            Self::Classic(classic) => classic.usable_window(profile),
            Self::Modern(modern) => modern.get().usable_window(profile, outstanding),
        }
    }

    /// The congestion window in bytes, inflated or not.
    #[inline]
    pub(super) fn window(&self, profile: &HostProfile) -> u32 {
        match self {
            Self::Classic(classic) => classic.window.window(profile),
            Self::Modern(modern) => modern.get().window_bytes(profile),
        }
    }

    /// So many bytes were acknowledged, and nothing is being repaired.
    pub(super) fn grow_by(&mut self, now: Time, profile: &HostProfile, bytes: u32) {
        match self {
            Self::Classic(classic) => classic.window.on_acknowledged(profile, bytes, false),
            Self::Modern(modern) => modern.get_mut().grow(now, bytes.div_ceil(profile.segment_bytes())),
        }
    }

    pub(super) fn congestion_window(&self, profile: &HostProfile) -> f64 {
        match self {
            Self::Classic(classic) => classic.window.congestion_window(profile),
            Self::Modern(modern) => f64::from(modern.get().window_bytes(profile)),
        }
    }

    pub(super) fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
        match self {
            Self::Classic(classic) => classic.window.slow_start_threshold(profile),
            Self::Modern(modern) => modern.get().threshold_bytes(profile),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boxed_modern_sender_costs_the_classic_ones_nothing() {
        assert_eq!((size_of::<ClassicSender>(), size_of::<Rules>(), align_of::<Rules>()), (24, 24, 1));
    }
}
