//! A host profile by name, with single settings replaced.

use crate::mistakes::Mistakes;
use crate::{HostOverrides, HostProfile};

pub(super) fn profile(
    _path: &str,
    _name: &str,
    _overrides: &HostOverrides,
    _mistakes: &mut Mistakes<'_>,
) -> Option<HostProfile> {
    Some(HostProfile)
}
