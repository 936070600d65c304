//! One law for each kind of object of a page.

use crate::ObjectKind;
use aqmlab_random::Law;

/// A law for the object that names the others, and one for the others.
#[derive(Clone, Debug)]
pub(in crate::models) struct PerKind {
    pub(in crate::models) top_level: Law,
    pub(in crate::models) embedded: Law,
}

impl PerKind {
    pub(in crate::models) fn of(&self, kind: ObjectKind) -> &Law {
        match kind {
            ObjectKind::TopLevel => &self.top_level,
            ObjectKind::Embedded => &self.embedded,
        }
    }

    /// The mean over all objects, where pages have so many on average.
    pub(in crate::models) fn mean(&self, objects_per_page: f64) -> f64 {
        let embedded = objects_per_page - 1.0;
        (self.top_level.mean() + embedded * self.embedded.mean()) / objects_per_page
    }
}
