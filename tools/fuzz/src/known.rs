//! What is known to go wrong and is being mended: counted, but no failure of a campaign.
//!
//! The list may only shrink.

/// A part of what a case tells when it fails, and what is behind it.
const KNOWN: &[(&str, &str)] = &[
    ("throughputs [", "a frame is counted whole in the window in which its transmission ends"),
    (
        "multiple losses:",
        "a window of data is counted as one of several losses that began before the measured window",
    ),
    ("packets wait where", "a queue beyond its limit"),
    ("web/src/server.rs:", "more bytes of a request arrive than were asked for"),
    ("a user starts once", "an instant of time that is no user's first"),
    ("pi: `sampling_hz` is", "a design of PI that its link does not bear is found when the run begins"),
    ("clock.rs:", "a delayed acknowledgement below the host's tick"),
    ("time ran backwards", "a delayed acknowledgement below the host's tick"),
    ("the process died", "a path of ideal wires never ends"),
];

/// Whether this is one of the things that are known.
pub(crate) fn is_known(wrong: &str) -> bool {
    KNOWN.iter().any(|(part, _)| wrong.contains(part))
}
