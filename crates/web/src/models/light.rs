//! Light pages: those of which no response takes long.
//!
//! Whoever lets a user live for hours to find out what is in progress then may pass over them, and that is
//! nearly all there are: whether a response is light is seen from the number it is drawn with.

use super::per_kind::PerKind;
use crate::ObjectKind;
use aqmlab_random::Key;

/// The longest light response: a few seconds at a window of 16 KB per round trip.
const LONGEST_BYTES: f64 = 250_000.0;

/// Which draws make light responses.
#[derive(Clone, Copy, Debug)]
pub(in crate::models) struct LightResponses {
    share_of_top_level: f64,
    share_of_embedded: f64,
}

impl LightResponses {
    /// For responses of these laws, which a model may make longer by a factor.
    pub(in crate::models) fn new(response_bytes: &PerKind, factor: f64) -> Self {
        let share = |kind| response_bytes.of(kind).share_at_most(LONGEST_BYTES / factor);
        Self {
            share_of_top_level: share(ObjectKind::TopLevel),
            share_of_embedded: share(ObjectKind::Embedded),
        }
    }

    /// Whether the response that is drawn with number `n` at a key is light.
    pub(in crate::models) fn has(&self, kind: ObjectKind, key: Key, n: u64) -> bool {
        let share = match kind {
            ObjectKind::TopLevel => self.share_of_top_level,
            ObjectKind::Embedded => self.share_of_embedded,
        };
        key.uniform(n) < share
    }
}
