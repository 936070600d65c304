//! A host profile by name, with single settings replaced.

use crate::mistakes::{Mistakes, joined};
use crate::{HostOverrides, HostProfile, UserModel};

/// The transport of long-lived flows at `path`; none if a setting is not legal.
pub(super) fn of_flows(
    path: &str,
    name: &str,
    overrides: &HostOverrides,
    mistakes: &mut Mistakes<'_>,
) -> Option<HostProfile> {
    let profile = HostProfile::named(name).expect("the shape check knows the names of profiles");
    let changed = profile.with(overrides);
    if let Err(error) = &changed {
        let key = joined(path, &format!("host.{}", error.key));
        mistakes.value(&key, format!("{} is not legal", error.value), &error.legal);
    }
    changed.ok()
}

/// The transport of browsers and servers at `path`: requests go one way and responses the other, so a profile
/// whose connections carry data one way only is not one of theirs, unless each exchange takes two
/// connections.
pub(super) fn of_users(
    path: &str,
    name: &str,
    overrides: &HostOverrides,
    model: &UserModel,
    mistakes: &mut Mistakes<'_>,
) -> Option<HostProfile> {
    let profile = of_flows(path, name, overrides, mistakes)?;
    if profile.is_one_way() && !model.parameters().facts().works_one_way {
        let but = UserModel::names_where(|facts| facts.works_one_way).join(" and ");
        let wrong =
            format!("connections of \"{name}\" carry data one way, and users need both (but those of {but})");
        mistakes.value(&joined(path, "profile"), wrong, two_way_profiles());
        return None;
    }
    Some(profile)
}

fn two_way_profiles() -> String {
    let two_way = |name: &&str| HostProfile::named(name).is_some_and(|profile| !profile.is_one_way());
    let names: Vec<&str> = HostProfile::NAMES.into_iter().filter(two_way).collect();
    crate::legal::listed(&names)
}
