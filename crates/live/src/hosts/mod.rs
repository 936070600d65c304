//! Host profiles as settings of the kernel, for one namespace each.
//!
//! A namespace has one set: all users and flows of a live run have the same TCP. What the kernel was told is
//! read back, and what it does is looked at by the router (`hosts/seen.rs`).

pub(crate) mod seen;

use self::seen::HostsSeen;
use crate::error::LiveError;
use aqmlab_scenario::{EcnCodepoint, Scenario, TrafficGroup};
use aqmlab_tcp::{AnswersMarks, Congestion, Ecn, HostProfile, Stack};
use aqmlab_units::Span;
use std::fs;

/// How the kernel's TCP is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostSettings {
    /// Near to the hosts of the studies of 2000 to 2003: windows of 16 kB, no SACK, no timestamps, no RACK,
    /// Reno, an initial window of two segments, a minimum retransmission timeout of 1 s.
    Papers2003,
    /// The kernel's own settings, with Reno.
    LinuxReno,
    /// The same with CUBIC.
    LinuxCubic,
    /// The same with BBR.
    LinuxBbr,
}

/// A file below `/proc/sys/net/ipv4` and what it is to hold.
pub(crate) type Sysctl = (&'static str, &'static str);

/// What every namespace of a run has.
const COMMON: &[Sysctl] = &[
    ("tcp_no_metrics_save", "1"),
    ("tcp_max_tw_buckets", "1000000"),
    ("tcp_max_syn_backlog", "65535"),
    ("tcp_notsent_lowat", "16384"),
    ("conf/all/rp_filter", "0"),
    ("conf/default/rp_filter", "0"),
];

const PAPERS: &[Sysctl] = &[
    ("tcp_rmem", "4096\t28000\t28000"),
    ("tcp_timestamps", "0"),
    ("tcp_sack", "0"),
    ("tcp_recovery", "0"),
    ("tcp_early_retrans", "0"),
    ("tcp_rto_min_us", "1000000"),
    ("tcp_syn_linear_timeouts", "0"),
];

impl HostSettings {
    /// All of them, by name.
    pub const NAMES: [&'static str; 4] = ["papers2003", "linux-reno", "linux-cubic", "linux-bbr"];

    /// The settings of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Papers2003, Self::LinuxReno, Self::LinuxCubic, Self::LinuxBbr];
        all.into_iter().find(|settings| settings.name() == name)
    }

    /// What they are called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Those nearest to the hosts of a scenario: today's kernels for profiles of today's kernels, the papers'
    /// for others.
    #[must_use]
    pub fn nearest_to(scenario: &Scenario) -> Self {
        let name = scenario.connection_groups().next().map(|group| group.profile.name);
        match name.unwrap_or("linux") {
            name if name.contains("cubic") => Self::LinuxCubic,
            name if name.starts_with("linux") => Self::LinuxReno,
            _ => Self::Papers2003,
        }
    }

    /// The kernel's congestion control.
    pub(crate) const fn congestion_control(self) -> &'static str {
        match self {
            Self::Papers2003 | Self::LinuxReno => "reno",
            Self::LinuxCubic => "cubic",
            Self::LinuxBbr => "bbr",
        }
    }

    /// Its congestion control as scenarios name it: the kernel's BBR is version 1.
    const fn controller(self) -> Congestion {
        match self {
            Self::Papers2003 | Self::LinuxReno => Congestion::Reno,
            Self::LinuxCubic => Congestion::Cubic,
            Self::LinuxBbr => Congestion::BbrLinuxV1,
        }
    }

    /// In words, that hosts of the scenario have another congestion control than these settings; nothing
    /// where all have this one.
    pub(crate) fn other_controllers(self, scenario: &Scenario) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for (_, controller) in controllers(scenario) {
            if !names.contains(&controller.name()) {
                names.push(controller.name());
            }
        }
        let differs = names.iter().any(|&name| name != self.controller().name());
        differs.then(|| {
            let (kernel, names) = (self.congestion_control(), names.join(", "));
            format!("all hosts had the kernel's {kernel}, where the scenario has {names}")
        })
    }

    /// Attributes of the route to the other half: what programs that know nothing of these settings have as
    /// well.
    pub(crate) const fn route_attributes(self) -> &'static str {
        match self {
            Self::Papers2003 => " initcwnd 2 congctl reno",
            Self::LinuxReno => " congctl reno",
            Self::LinuxCubic => " congctl cubic",
            Self::LinuxBbr => " congctl bbr",
        }
    }

    /// What the namespace is told, beside ECN.
    pub(crate) fn sysctls(self) -> impl Iterator<Item = Sysctl> {
        let own = if self == Self::Papers2003 { PAPERS } else { &[] };
        COMMON.iter().chain(own).copied()
    }

    /// The largest window that hosts of these settings announce; none where the kernel decides.
    pub(crate) const fn largest_window(self) -> Option<u32> {
        match self {
            // Twelve segments of 1,460 bytes: the studies' 16 kB window, as their hosts rounded it.
            Self::Papers2003 => Some(17_520),
            _ => None,
        }
    }

    /// Most segments that hosts of these settings send before they hear of any.
    pub(crate) const fn initial_window(self) -> u16 {
        match self {
            Self::Papers2003 => 2,
            // RFC 6928; and one of new data by which a tail loss probe asks when nothing is heard (RFC 8985
            // section 7.3).
            _ => 10 + 1,
        }
    }

    /// The shortest time after which hosts of these settings send a segment again that nobody has
    /// acknowledged; none where probes go before timeouts.
    pub(crate) const fn least_timeout(self) -> Span {
        match self {
            Self::Papers2003 => Span::from_milliseconds(1_000),
            _ => Span::ZERO,
        }
    }

    /// In what the hosts that were seen are not those of these settings.
    pub(crate) fn differences(self, ecn: bool, seen: &HostsSeen) -> Vec<String> {
        let mut found = Vec::new();
        let mut differ = |what: String| found.push(format!("hosts are not {}: {what}", self.name()));
        let widest = seen.largest_windows.into_iter().max().unwrap_or(0);
        if let Some(limit) = self.largest_window().filter(|&limit| widest > limit) {
            differ(format!("a window of {widest} bytes was announced, at most {limit}"));
        }
        let (longest, limit) = (seen.first_flights.into_iter().max().unwrap_or(0), self.initial_window());
        if longest > limit {
            differ(format!("{longest} segments were sent before the first acknowledgement, at most {limit}"));
        }
        // A few repetitions may follow a word of the peer's and no timeout.
        let repeats = seen.repeats;
        if repeats.early * 2 > repeats.count {
            let least = self.least_timeout().seconds();
            differ(format!("{} of {} timeouts were below {least} s", repeats.early, repeats.count));
        }
        if ecn && seen.syns > 0 && seen.ecn_syns == 0 {
            differ("none asked for ECN".to_owned());
        }
        if !ecn && seen.ecn_syns > 0 {
            differ(format!("{} of {} asked for ECN", seen.ecn_syns, seen.syns));
        }
        found
    }

    /// Whether a namespace can have them.
    ///
    /// # Errors
    /// [`LiveError::Unsupported`]: this kernel has no such congestion control.
    pub fn check(self) -> Result<(), LiveError> {
        let wanted = self.congestion_control();
        let file = "/proc/sys/net/ipv4/tcp_available_congestion_control";
        let available = fs::read_to_string(file).unwrap_or_default();
        if available.split_whitespace().any(|name| name == wanted) {
            return Ok(());
        }
        Err(LiveError::Unsupported(format!(
            "host settings {}: this kernel has no congestion control {wanted}; it has {}",
            self.name(),
            available.trim()
        )))
    }
}

/// The groups of a scenario that have connections, and their congestion controllers. Classic hosts have Reno.
fn controllers(scenario: &Scenario) -> impl Iterator<Item = (&str, Congestion)> {
    let groups = scenario.traffic().filter(|group| group.size() > 0);
    groups.filter_map(TrafficGroup::connections).map(|group| match &group.profile.stack {
        Stack::Classic(_) => (group.name, Congestion::Reno),
        Stack::Modern(modern) => (group.name, modern.congestion),
    })
}

/// Refuses controllers that no kernel has: those in files, and an agent's window.
///
/// # Errors
/// [`LiveError::Unsupported`] with the group and what is legal.
pub(crate) fn refuse_foreign_controllers(scenario: &Scenario) -> Result<(), LiveError> {
    for (group, controller) in controllers(scenario) {
        let what = match controller {
            Congestion::Own(_) => "a live run has no congestion controllers in files",
            Congestion::Agent => "no agent sets the windows of a live run",
            _ => continue,
        };
        let name = controller.name();
        return Err(LiveError::Unsupported(format!(
            "{group}: congestion = \"{name}\": {what}; legal: \"reno\", \"cubic\" or another built-in one"
        )));
    }
    Ok(())
}

/// In words, which keys of the scenario's hosts about marks no host of the kernel has; nothing where none is
/// set.
pub(crate) fn foreign_answers_to_marks(scenario: &Scenario) -> Option<String> {
    let profiles = scenario.connection_groups().map(|group| group.profile);
    let extensions: Vec<_> =
        profiles.filter(|profile| profile.ecn != Ecn::Off).map(HostProfile::extensions).collect();
    let set = [
        ("answers_marks", extensions.iter().any(|each| each.answers_marks != AnswersMarks::Never)),
        ("exact_echo", extensions.iter().any(|each| each.exact_echo)),
    ];
    let names: Vec<&str> = set.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "all hosts echoed and answered marks as RFC 3168 has it: {} had no effect",
            names.join(" and ")
        )
    })
}

/// Whether the hosts of a scenario negotiate ECN, which is one setting for all of them here.
///
/// # Errors
/// [`LiveError::Unsupported`]: some do and some do not.
pub(crate) fn ecn(scenario: &Scenario) -> Result<bool, LiveError> {
    let all: Vec<Ecn> = scenario.connection_groups().map(|group| group.profile.ecn).collect();
    if all.contains(&Ecn::Accurate) {
        let what = "ecn = \"accurate\": the kernel's hosts negotiate only the ECN of RFC 3168";
        return Err(LiveError::Unsupported(what.to_owned()));
    }
    let all: Vec<bool> = all.into_iter().map(|ecn| ecn != Ecn::Off).collect();
    if all.windows(2).any(|pair| pair[0] != pair[1]) {
        let what = "hosts with ECN beside hosts without: a live run has one setting for all of them";
        return Err(LiveError::Unsupported(what.to_owned()));
    }
    Ok(all.first().copied().unwrap_or(false))
}

/// The byte of the IP header with the codepoint of services and that of ECN.
pub(crate) const fn traffic_class(dscp: u8, ecn: EcnCodepoint) -> u8 {
    dscp << 2
        | match ecn {
            EcnCodepoint::NotEct => 0b00,
            EcnCodepoint::Ect0 => 0b10,
            EcnCodepoint::Ect1 => 0b01,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::seen::Repeats;

    /// Groups of flows whose hosts have these settings, and users where some are given.
    fn scenario(groups: &[&str], users: &str) -> Scenario {
        let flows = groups.iter().map(|host| {
            format!("[[flows]]\ncount = 1\ndirection = \"left-to-right\"\nbase_rtt_ms = 40.0\n{host}\n")
        });
        let text = format!(
            "name = \"hosts\"\nduration_s = 2.0\n[dumbbell]\nrate_mbps = 10.0\n\
             queue = {{ scheme = \"drop-tail\", limit_packets = 50 }}\n{users}{}",
            flows.collect::<String>()
        );
        Scenario::from_toml(&text, "hosts", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    const RENO: &str = "profile = \"linux6-reno\"";
    const CUBIC: &str = "profile = \"linux6-cubic\"";
    const LEDBAT: &str = "profile = \"linux6-cubic\"\nhost = { congestion = \"ledbat\" }";
    const BBR: &str = "profile = \"linux6-cubic\"\nhost = { congestion = \"bbr-linux-v1\" }";
    const CLASSIC: &str = "profile = \"bsd45\"";

    #[test]
    fn hosts_with_another_congestion_control_than_the_kernels_are_named() {
        let said = |groups: &[&str], hosts: HostSettings| hosts.other_controllers(&scenario(groups, ""));
        let nearest = |groups: &[&str]| said(groups, HostSettings::nearest_to(&scenario(groups, "")));
        for same in [RENO, CUBIC, CLASSIC] {
            assert_eq!(nearest(&[same, same]), None, "{same}");
        }
        assert_eq!(said(&[BBR], HostSettings::LinuxBbr), None);
        let sentence = |kernel: &str, scenario: &str| {
            Some(format!("all hosts had the kernel's {kernel}, where the scenario has {scenario}"))
        };
        assert_eq!(nearest(&[LEDBAT]), sentence("cubic", "ledbat"));
        // The first group alone decides which settings are nearest.
        assert_eq!(nearest(&[CUBIC, LEDBAT, CUBIC]), sentence("cubic", "cubic, ledbat"));
        assert_eq!(nearest(&[RENO, CUBIC]), sentence("reno", "reno, cubic"));
        assert_eq!(nearest(&[CLASSIC, CUBIC]), sentence("reno", "reno, cubic"));
        assert_eq!(said(&[CUBIC], HostSettings::LinuxBbr), sentence("bbr", "cubic"));
    }

    #[test]
    fn users_have_a_congestion_control_and_datagrams_have_none() {
        let users = "[users]\nper_side = 1\nprofile = \"linux6-cubic\"\n";
        let said = |hosts: HostSettings, users: &str| hosts.other_controllers(&scenario(&[], users));
        assert_eq!(said(HostSettings::LinuxCubic, users), None);
        assert!(said(HostSettings::LinuxReno, users).is_some_and(|what| what.ends_with("has cubic")));
        let calls = "[[datagrams]]\ncount = 1\ndirection = \"left-to-right\"\nrate_mbps = 1.0\n\
                     packet_bytes = 200\n";
        assert_eq!(said(HostSettings::LinuxBbr, calls), None);
    }

    #[test]
    fn keys_about_marks_that_no_kernel_has_are_named() {
        let said = |groups: &[&str]| foreign_answers_to_marks(&scenario(groups, ""));
        let bbr = |keys: &str| {
            format!(
                "profile = \"linux6-cubic\"\nhost = {{ congestion = \"bbr-linux-v3\", ecn = \"on\"{keys} }}"
            )
        };
        for silent in [CUBIC, CLASSIC, &bbr(""), &bbr(", answers_marks = \"never\", exact_echo = false")] {
            assert_eq!(said(&[silent, silent]), None, "{silent}");
        }
        let sentence = |keys: &str| {
            Some(format!("all hosts echoed and answered marks as RFC 3168 has it: {keys} had no effect"))
        };
        let (answers, echo) = (bbr(", answers_marks = \"always\""), bbr(", exact_echo = true"));
        assert_eq!(said(&[&bbr(""), &answers]), sentence("answers_marks"));
        assert_eq!(said(&[&echo]), sentence("exact_echo"));
        assert_eq!(said(&[&echo, &answers, &echo]), sentence("answers_marks and exact_echo"));
        // Without ECN there is nothing to answer, whatever a controller does elsewhere.
        let off = "profile = \"linux6-cubic\"\nhost = { congestion = \"bbr-l4s-v2\", ecn = \"off\" }";
        assert_eq!(said(&[off]), None);
    }

    #[test]
    fn an_agent_is_refused_with_its_group_and_what_is_legal() {
        let agent = "name = \"taught\"\nprofile = \"linux6-reno\"\nhost = { congestion = \"agent\" }";
        let refused = refuse_foreign_controllers(&scenario(&[CUBIC, agent], "")).unwrap_err().to_string();
        assert!(refused.starts_with("taught: congestion = \"agent\": no agent sets"), "{refused}");
        assert!(refused.ends_with("legal: \"reno\", \"cubic\" or another built-in one"), "{refused}");
        assert!(refuse_foreign_controllers(&scenario(&[CLASSIC, LEDBAT], "")).is_ok());
    }

    #[test]
    fn hosts_that_are_none_of_the_settings_are_said_to_be_none() {
        let settings = HostSettings::Papers2003;
        let repeats = Repeats { count: 9, early: 4, shortest: Some(Span::from_milliseconds(300)) };
        let seen = HostsSeen {
            largest_windows: [17_520, 16_384],
            first_flights: [1, 2],
            syns: 7,
            ecn_syns: 7,
            repeats,
            ..HostsSeen::default()
        };
        assert_eq!(settings.differences(true, &seen), Vec::<String>::new());
        let told = |ecn, seen: HostsSeen| settings.differences(ecn, &seen).concat();
        assert!(told(false, seen).contains("7 of 7 asked for ECN"));
        assert!(told(true, HostsSeen { ecn_syns: 0, ..seen }).contains("none asked"));
        assert!(told(true, HostsSeen { largest_windows: [0, 17_521], ..seen }).contains("at most 17520"));
        assert!(told(true, HostsSeen { first_flights: [0, 3], ..seen }).contains("3 segments"));
        let repeats = Repeats { early: 5, ..repeats };
        assert!(told(true, HostsSeen { repeats, ..seen }).contains("5 of 9 timeouts were below 1 s"));
        // Today's kernels have wider windows, longer flights, and repeat sooner.
        let today = HostsSeen { first_flights: [10, 11], largest_windows: [1 << 20; 2], repeats, ..seen };
        let repeats = Repeats { early: 0, ..repeats };
        assert!(HostSettings::LinuxReno.differences(true, &HostsSeen { repeats, ..today }).is_empty());
        let long = HostsSeen { first_flights: [0, 12], repeats, ..today };
        assert!(HostSettings::LinuxReno.differences(true, &long).concat().contains("12 segments"));
    }
}
