//! What a host lends its endpoints.

use crate::clock::HostClock;
use crate::profile::HostProfile;

/// What an endpoint needs from the host it runs on, lent for each call.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The host's TCP.
    pub profile: &'a HostProfile,
    /// The host's clock, from [`HostProfile::clock`].
    pub clock: HostClock,
}
