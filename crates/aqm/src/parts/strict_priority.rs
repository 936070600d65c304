//! Strict priority between classes, and Linux's way from a codepoint to a band.
//!
//! Source: Linux 6.1, `sch_prio.c` (the first band that has a packet sends it), `net/ipv4/route.c`
//! (`ip_tos2prio`) and tc-prio(8) (the default `priomap`).

use super::classes::{ClassOrder, ClassTurn};
use crate::header::HeaderFields;
use crate::place_set::PlaceSet;
use aqmlab_units::Time;

/// The priorities that a packet can have in Linux: from its type of service, or from its socket.
pub(crate) const PRIORITIES: usize = 16;

/// tc-prio(8): the band of each priority where nobody says.
pub(crate) const USUAL_BANDS: [u8; PRIORITIES] = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/// The priority that Linux gives a packet which it forwards, by its codepoint: of the six bits it reads two,
/// which were "minimise delay" and "maximise throughput" of the type of service once (RFC 1349).
#[must_use]
pub(crate) const fn priority_of(dscp: u8) -> usize {
    const BEST_EFFORT: usize = 0;
    const BULK: usize = 2;
    const INTERACTIVE_BULK: usize = 4;
    const INTERACTIVE: usize = 6;
    match dscp >> 1 & 0b11 {
        0b00 => BEST_EFFORT,
        0b01 => BULK,
        0b10 => INTERACTIVE,
        _ => INTERACTIVE_BULK,
    }
}

/// The first class that has something to send is served.
#[derive(Clone, Debug)]
pub(crate) struct StrictPriority {
    /// By codepoint.
    class_of: [u8; 64],
}

impl StrictPriority {
    /// Classes by these codepoints.
    #[must_use]
    pub(crate) const fn new(class_of: [u8; 64]) -> Self {
        Self { class_of }
    }
}

impl ClassOrder for StrictPriority {
    fn class_of(&self, header: &HeaderFields) -> usize {
        self.class_of[usize::from(header.dscp & 0b11_1111)].into()
    }

    fn next(&mut self, _now: Time, ready: &PlaceSet) -> ClassTurn {
        ready.iter().next().map_or(ClassTurn::Nobody, ClassTurn::Class)
    }
}
