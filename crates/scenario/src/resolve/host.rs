//! A host profile by name, with single settings replaced, and the transport of its connections.

use crate::document::{Habits, Start};
use crate::legal::listed;
use crate::mistakes::{Mistakes, joined};
use crate::{HostOverrides, HostProfile, UserModel};
use aqmlab_tcp::EcnRule;
use aqmlab_transport::{OtherTransport, Settings, Transport};
use aqmlab_web::{Connections, Tls};

/// What a table says of its hosts.
#[derive(Clone, Copy)]
pub(super) struct HostKeys<'a> {
    pub(super) transport: &'a str,
    pub(super) profile: &'a str,
    pub(super) overrides: &'a HostOverrides,
}

/// The hosts of a group.
pub(super) struct Host {
    pub(super) profile: HostProfile,
    /// None: TCP.
    pub(super) transport: Option<OtherTransport>,
}

/// The hosts of long-lived flows at `path`; none if a setting is not legal.
pub(super) fn of_flows(path: &str, keys: HostKeys<'_>, mistakes: &mut Mistakes<'_>) -> Option<Host> {
    if let Some(transport) = Transport::named(keys.transport) {
        return other_transport(path, transport, keys, mistakes);
    }
    let profile = HostProfile::named(keys.profile).expect("the shape check knows the names of profiles");
    let changed = profile.with(keys.overrides);
    if let Err(error) = &changed {
        let key = joined(path, &format!("host.{}", error.key));
        mistakes.value(&key, format!("{} is not legal", error.value), &error.legal);
    }
    Some(Host { profile: changed.ok()?, transport: None })
}

/// Hosts whose connections are not TCP's: of a profile they have the congestion controller, and the keys that
/// describe TCP are none of theirs.
fn other_transport(
    path: &str,
    transport: &'static Transport,
    HostKeys { profile, overrides, .. }: HostKeys<'_>,
    mistakes: &mut Mistakes<'_>,
) -> Option<Host> {
    let name = transport.name;
    if !transport.is_built() {
        let wrong = format!("this build of aqmlab leaves \"{name}\" out");
        mistakes.value(&joined(path, "transport"), wrong, format!("\"{}\"", Transport::TCP));
        return None;
    }
    let of_profile = transport.congestions.iter().find(|known| profile == profile_of(known)).copied();
    if of_profile.is_none() && !profile.is_empty() {
        let wrong = format!("\"{profile}\" describes TCP, and the transport is \"{name}\"");
        let legal: Vec<String> = transport.congestions.iter().map(|known| profile_of(known)).collect();
        let legal: Vec<&str> = legal.iter().map(String::as_str).collect();
        mistakes.value(&joined(path, "profile"), wrong, format!("{}, or left out", listed(&legal)));
    }
    let legal = transport.host_keys().map(|(key, _)| key);
    for key in given(overrides).iter().filter(|key| !legal.contains(&key.as_str())) {
        let remark = format!(", a setting of TCP: the transport is \"{name}\"");
        mistakes.unknown_key(&joined(path, "host"), key, &remark, &legal);
    }
    let by_default = of_profile.unwrap_or(transport.congestions[0]);
    let congestion = overrides.congestion.map_or(by_default, |congestion| congestion.name());
    let known = transport.congestions.iter().find(|known| **known == congestion);
    if known.is_none() {
        let key = joined(path, "host.congestion");
        mistakes.value(&key, format!("\"{name}\" has no {congestion}"), listed(transport.congestions));
    }
    if let Some(rule) = overrides.ecn.filter(|rule| !matches!(rule, EcnRule::Off | EcnRule::On)) {
        let wrong = format!("{} is a rule of TCP", format!("{rule:?}").to_lowercase());
        mistakes.value(&joined(path, "host.ecn"), wrong, listed(&["off", "on"]));
    }
    let ecn = overrides.ecn == Some(EcnRule::On);
    let settings = Settings { congestion: known?, ecn };
    Some(Host { profile: nearest(congestion, ecn), transport: Some(OtherTransport { transport, settings }) })
}

/// The host profile whose congestion controller this is.
fn profile_of(congestion: &str) -> String {
    format!("linux6-{congestion}")
}

/// The TCP that comes nearest: what estimates and advice go by.
fn nearest(congestion: &str, ecn: bool) -> HostProfile {
    let named = HostProfile::named(&profile_of(congestion));
    let profile = named.expect("each controller of another transport is that of a profile");
    let ecn = Some(if ecn { EcnRule::On } else { EcnRule::Off });
    let changed = profile.with(&HostOverrides { ecn, ..HostOverrides::default() });
    changed.unwrap_or_else(|error| panic!("{error}"))
}

/// The keys that are given.
fn given(overrides: &HostOverrides) -> Vec<String> {
    let table = serde_json::to_value(overrides).expect("a table of plain values");
    let entries = table.as_object().into_iter().flatten();
    entries.filter(|(_, value)| !value.is_null()).map(|(key, _)| key.clone()).collect()
}

/// The hosts of browsers and servers at `path`: requests go one way and responses the other, so a profile
/// whose connections carry data one way only is not one of theirs, unless each exchange takes two
/// connections.
pub(super) fn of_users(path: &str, habits: &Habits<'_>, mistakes: &mut Mistakes<'_>) -> Option<Host> {
    let &Habits { model, transport, profile: name, host: overrides, .. } = habits;
    let host = of_flows(path, HostKeys { transport, profile: name, overrides }, mistakes)?;
    if host.transport.is_some() {
        check_users(path, habits, mistakes);
    }
    if host.profile.is_one_way() && !model.parameters().facts().works_one_way {
        let but = UserModel::names_where(|facts| facts.works_one_way).join(" and ");
        let wrong =
            format!("connections of \"{name}\" carry data one way, and users need both (but those of {but})");
        mistakes.value(&joined(path, "profile"), wrong, two_way_profiles());
        return None;
    }
    Some(host)
}

/// What users cannot do whose connections are not TCP's.
fn check_users(path: &str, habits: &Habits<'_>, mistakes: &mut Mistakes<'_>) {
    let name = habits.transport;
    if habits.start == Start::Stationary {
        let wrong = format!("a stationary start does not support the transport \"{name}\"");
        mistakes.value(&joined(path, "start"), wrong, listed(&["steady", "fresh"]));
    }
    let handshake = match habits.model.parameters().facts().connections {
        Connections::Streams(handshake) => handshake,
        Connections::Exchanges { .. } | Connections::Dialogues => return,
    };
    if handshake != Tls::V1_3.handshake() {
        let wrong = format!("the handshake of \"{name}\" is that of TLS 1.3");
        mistakes.value(&joined(path, "model.tls"), wrong, listed(&["1.3"]));
    }
}

fn two_way_profiles() -> String {
    let two_way = |name: &&str| HostProfile::named(name).is_some_and(|profile| !profile.is_one_way());
    let names: Vec<&str> = HostProfile::NAMES.into_iter().filter(two_way).collect();
    listed(&names)
}
