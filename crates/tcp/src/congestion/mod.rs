//! Congestion control: how many bytes may be outstanding, and how that follows from what the network does.
//!
//! A [`CongestionControl`] is told facts and answers with a window in bytes. It owns its window and threshold in
//! whatever unit its source counts, and sees nothing else of the connection: what is sent again, and when, is decided
//! in `recovery`, and what a segment looks like in `output.rs`.
//!
//! Adding a controller is a file here, a variant of [`Congestion`] and a line in the list below. One whose state is
//! larger than 14 bytes keeps it behind a `Box`: the others then pay nothing for it.

mod byte_window;
mod control;
mod cubic;
mod dctcp;
#[cfg(test)]
mod fixed;
mod freebsd;
mod hystart;
mod linux_reno;
mod ns2;
mod ns2_full;
#[cfg(test)]
pub(crate) mod paced;
mod pacer;
mod rfc5681;
mod segment_window;
#[cfg(test)]
mod worked_cases;

pub use control::{Acknowledged, CongestionControl, EchoReaction, Loss, Opening, Timeout};
pub use pacer::Pacer;

use crate::profile::{Congestion, HostProfile};
use crate::sequence::SequenceNumber;
use aqmlab_units::Rate;
use cubic::Cubic;
use dctcp::Dctcp;
#[cfg(test)]
use fixed::Fixed;
use freebsd::FreeBsd;
use linux_reno::LinuxReno;
use ns2::Ns2;
use ns2_full::Ns2Full;
#[cfg(test)]
use paced::Paced;
use rfc5681::Rfc5681;

/// The list of controllers as one type: a call is a jump, never a virtual one.
macro_rules! controllers {
    ($($(#[$when:meta])? $name:ident($controller:ty)),+ $(,)?) => {
        /// The state of whichever controller the host's profile names.
        #[derive(Clone, Debug)]
        pub(crate) enum CongestionController {
            $($(#[$when])? $name($controller)),+
        }

        impl CongestionControl for CongestionController {
            fn new(profile: &HostProfile) -> Self {
                match profile.congestion {
                    $($(#[$when])? Congestion::$name => Self::$name(<$controller>::new(profile))),+
                }
            }

            fn on_established(&mut self, profile: &HostProfile, opening: Opening) {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_established(profile, opening)),+ }
            }

            #[inline]
            fn on_acknowledged(&mut self, profile: &HostProfile, acknowledged: &Acknowledged) {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_acknowledged(profile, acknowledged)),+ }
            }

            fn on_loss(&mut self, profile: &HostProfile, loss: &Loss) {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_loss(profile, loss)),+ }
            }

            fn begin_recovery(&mut self, profile: &HostProfile, inflation: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.begin_recovery(profile, inflation)),+ }
            }

            fn inflate(&mut self, profile: &HostProfile, bytes: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.inflate(profile, bytes)),+ }
            }

            fn deflate(&mut self, profile: &HostProfile, acknowledged: u32, refill: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.deflate(profile, acknowledged, refill)),+ }
            }

            fn end_recovery(&mut self, window: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.end_recovery(window)),+ }
            }

            fn set_window(&mut self, profile: &HostProfile, bytes: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.set_window(profile, bytes)),+ }
            }

            fn restore(&mut self, profile: &HostProfile, window: u32, threshold: u32) {
                match self { $($(#[$when])? Self::$name(controller) => controller.restore(profile, window, threshold)),+ }
            }

            fn on_timeout(&mut self, profile: &HostProfile, timeout: &Timeout) {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_timeout(profile, timeout)),+ }
            }

            fn on_echo(&mut self, profile: &HostProfile) -> EchoReaction {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_echo(profile)),+ }
            }

            fn on_idle(&mut self, profile: &HostProfile) {
                match self { $($(#[$when])? Self::$name(controller) => controller.on_idle(profile)),+ }
            }

            #[inline]
            fn window(&self, profile: &HostProfile) -> u32 {
                match self { $($(#[$when])? Self::$name(controller) => controller.window(profile)),+ }
            }

            fn slow_start_threshold(&self, profile: &HostProfile) -> u32 {
                match self { $($(#[$when])? Self::$name(controller) => controller.slow_start_threshold(profile)),+ }
            }

            fn congestion_window(&self, profile: &HostProfile) -> f64 {
                match self { $($(#[$when])? Self::$name(controller) => controller.congestion_window(profile)),+ }
            }

            fn is_scalable(&self) -> bool {
                match self { $($(#[$when])? Self::$name(controller) => controller.is_scalable()),+ }
            }

            #[inline]
            fn delivery_mark(&mut self) -> Option<&mut SequenceNumber> {
                match self { $($(#[$when])? Self::$name(controller) => controller.delivery_mark()),+ }
            }

            #[inline]
            fn pacer(&self) -> Option<&Pacer> {
                match self { $($(#[$when])? Self::$name(controller) => controller.pacer()),+ }
            }

            #[inline]
            fn pacer_mut(&mut self) -> Option<&mut Pacer> {
                match self { $($(#[$when])? Self::$name(controller) => controller.pacer_mut()),+ }
            }

            #[inline]
            fn pacing_rate(&self, profile: &HostProfile) -> Option<Rate> {
                match self { $($(#[$when])? Self::$name(controller) => controller.pacing_rate(profile)),+ }
            }
        }
    };
}

controllers! {
    FreeBsd2(FreeBsd),
    FreeBsd4(FreeBsd),
    Rfc5681(Rfc5681),
    Ns2(Ns2),
    Ns2Full(Ns2Full),
    LinuxReno(LinuxReno),
    Cubic(Cubic),
    Dctcp(Dctcp),
    #[cfg(test)]
    Fixed(Fixed),
    #[cfg(test)]
    Paced(Paced),
}

impl Default for CongestionController {
    /// That of an end which is not opening yet, and replaced when it does.
    fn default() -> Self {
        Self::FreeBsd2(FreeBsd::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_no_larger_than_its_largest_state() {
        assert_eq!((size_of::<CongestionController>(), align_of::<CongestionController>()), (15, 1));
    }
}
