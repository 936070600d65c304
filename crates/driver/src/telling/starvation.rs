//! Classes of a strict priority queue in which packets waited and none was sent for long: those before them
//! took the whole link.

use aqmlab_link::MonitoredLink;
use aqmlab_units::Time;

/// A class that waits for so long is starved, in seconds: a connection times out, a call is lost.
const LONG_S: f64 = 1.0;

/// A class in which packets waited, and none was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Starved {
    /// Its place among the classes.
    pub class: usize,
    /// The longest time without a turn, in seconds.
    pub longest_wait_s: f64,
}

/// The classes at a link that were starved until now, as its queue tells itself.
pub(crate) fn starved(now: Time, link: &mut impl MonitoredLink) -> Vec<Starved> {
    let mut found = Vec::new();
    link.queue_mut().advance(now);
    link.queue().observe(&mut |name, longest_wait_s| {
        let class =
            name.strip_prefix("class_").and_then(|rest| rest.strip_suffix("_longest_wait_for_a_turn_s"));
        if let Some(class) = class.and_then(|class| class.parse().ok())
            && longest_wait_s >= LONG_S
        {
            found.push(Starved { class, longest_wait_s });
        }
    });
    found
}
