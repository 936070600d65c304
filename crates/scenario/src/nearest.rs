//! The legal name that was probably meant, and mistakes of unit.

/// How alike two names must be for one to be offered in place of the other, on a scale from 0 to 1: high
/// enough that `seed` is not taken for `record`, low enough that `rate` is taken for `rate_mbps`.
const ALIKE: f64 = 0.8;

/// Unit endings of keys, of scenarios and of habits from elsewhere.
const UNITS: [&str; 27] = [
    "bps", "kbps", "mbps", "gbps", "bits", "kbit", "mbit", "gbit", "ns", "us", "ms", "s", "sec", "seconds",
    "min", "minutes", "h", "hz", "khz", "bytes", "kb", "mb", "kib", "mib", "packets", "pkts", "percent",
];

/// What the field and Linux call schemes that have another name here.
const SCHEMES_ELSEWHERE: [(&str, &str); 16] = [
    ("fifo", "drop-tail"),
    ("pfifo", "drop-tail"),
    ("bfifo", "drop-tail"),
    ("droptail", "drop-tail"),
    ("taildrop", "drop-tail"),
    ("tail-drop", "drop-tail"),
    ("sfq", "fq"),
    ("drr", "fq"),
    ("wfq", "fq"),
    ("fair-queueing", "fq"),
    ("fqcodel", "fq-codel"),
    ("fq-codl", "fq-codel"),
    ("l4s", "dualpi2"),
    ("dual-pi2", "dualpi2"),
    ("dualq", "dualpi2"),
    ("adaptive-red", "ared"),
];

/// The scheme that has this name elsewhere, such as `fq` for `sfq`. Case and the difference between `-` and
/// `_` do not count.
#[must_use]
pub fn scheme_named_elsewhere(name: &str) -> Option<&'static str> {
    let name = plain(name);
    SCHEMES_ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name).map(|(_, here)| *here)
}

/// The legal name that was probably meant: of a scheme that is called `given` elsewhere, or the one most like
/// it.
pub(crate) fn nearest_name<'a>(given: &str, legal: &[&'a str]) -> Option<&'a str> {
    let elsewhere = scheme_named_elsewhere(given);
    let meant = legal.iter().copied().find(|name| Some(*name) == elsewhere);
    meant.or_else(|| nearest(given, legal.iter().copied()))
}

/// The legal name most like `given`, if one is much like it. Case and the difference between `-` and `_` do
/// not count.
pub(crate) fn nearest<'a>(given: &str, legal: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = plain(given);
    let mut best = None;
    for name in legal {
        let candidate = plain(name);
        let alike = strsim::jaro_winkler(&given, &candidate)
            .max(strsim::normalized_damerau_levenshtein(&given, &candidate));
        if alike >= ALIKE && best.is_none_or(|(_, most)| alike > most) {
            best = Some((name, alike));
        }
    }
    best.map(|(name, _)| name)
}

/// The legal key that means the same quantity as `given` in another unit, or with the unit left out, and
/// the unit it takes.
pub(crate) fn in_other_unit<'a>(
    given: &str,
    legal: impl IntoIterator<Item = &'a str>,
) -> Option<(&'a str, &'a str)> {
    let stem = split_unit(given).map_or(given, |(stem, _)| stem);
    legal.into_iter().find_map(|key| {
        let (quantity, unit) = split_unit(key)?;
        (quantity == stem && key != given).then_some((key, unit))
    })
}

fn split_unit(key: &str) -> Option<(&str, &str)> {
    key.rsplit_once('_').filter(|(_, unit)| UNITS.contains(unit))
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c == '_' || c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 6] =
        ["rate_mbps", "delay_ms", "queue", "browser_machines_per_side", "record", "profile"];

    #[test]
    fn slips_of_the_finger_are_understood() {
        for (given, meant) in [
            ("rate_mpbs", "rate_mbps"),
            ("rate", "rate_mbps"),
            ("quueue", "queue"),
            ("Queue", "queue"),
            ("browser_machine_per_side", "browser_machines_per_side"),
            ("browser-machines-per-side", "browser_machines_per_side"),
        ] {
            assert_eq!(nearest(given, KEYS), Some(meant), "{given}");
        }
    }

    /// Linux's stochastic fairness queueing (`tc-sfq(8)`) is no slip of the finger for another scheme of
    /// three letters.
    #[test]
    fn a_scheme_is_known_by_its_name_elsewhere() {
        let legal = aqmlab_aqm::Scheme::names();
        for (elsewhere, here) in SCHEMES_ELSEWHERE {
            assert_eq!(nearest_name(elsewhere, legal), Some(here), "{elsewhere}");
            assert!(!legal.contains(&elsewhere), "{elsewhere} is a scheme's own name");
        }
        for (given, meant) in
            [("SFQ", "fq"), ("Tail_Drop", "drop-tail"), ("fq-codle", "fq-codel"), ("sfbb", "sfb")]
        {
            assert_eq!(nearest_name(given, legal), Some(meant), "{given}");
        }
        assert_eq!(nearest_name("sfq", &["sfg", "red"]), Some("sfg"), "where fq is not legal");
    }

    #[test]
    fn a_name_like_nothing_legal_gets_no_suggestion() {
        for given in ["seed", "colour", "x", ""] {
            assert_eq!(nearest(given, KEYS), None, "{given}");
        }
    }

    #[test]
    fn a_quantity_in_another_unit_is_recognised() {
        assert_eq!(in_other_unit("rate_kbps", KEYS), Some(("rate_mbps", "mbps")));
        assert_eq!(in_other_unit("delay_s", KEYS), Some(("delay_ms", "ms")));
        assert_eq!(in_other_unit("delay", KEYS), Some(("delay_ms", "ms")));
        assert_eq!(in_other_unit("queue_packets", KEYS), None);
        assert_eq!(in_other_unit("rate_mbps", KEYS), None);
    }
}
