//! What a host lends its endpoints.

use crate::clock::HostClock;
use crate::hosts::HostProfile;
use crate::kernel_timer;
use aqmlab_units::{Span, Time};

/// What an endpoint needs from the host it runs on, lent for each call.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The host's TCP.
    pub profile: &'a HostProfile,
    /// The host's clock, from [`HostProfile::clock`].
    pub clock: HostClock,
}

impl Context<'_> {
    /// When a timer of the host's kernel fires that is set `now` for `wait`.
    #[inline]
    pub(crate) fn timer(&self, now: Time, wait: Span) -> Time {
        kernel_timer::expiry(self.profile.extensions(), &self.clock, now, wait)
    }
}
