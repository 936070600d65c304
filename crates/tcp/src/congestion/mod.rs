//! Congestion control of modern senders: how many segments may be in the network, and how that follows from
//! what it does.
//!
//! A [`CongestionControl`] is told facts and answers with a window in segments, a pacing rate and a
//! codepoint. It sees nothing else of the connection: what is sent again, and when, is decided in
//! `sender/modern/`. Most controllers answer a loss with a smaller window and differ in how it grows:
//! `segment_window.rs` has what they share.
//!
//! Those that come from outside are in `own.rs`. Adding a controller is a file here, a line in the list below
//! and a table of worked cases in `tests/controllers/`. The stacks before SACK have windows that their
//! recovery inflates: `sender/classic/window/`.

mod answers_marks;
#[cfg(test)]
mod any_facts;
mod bbr_v3;
mod control;
mod facts;
mod hystart;
#[cfg(test)]
mod line;
pub mod own;
mod path_model;
mod policer;
mod rate_reduction;
mod segment_window;
#[cfg(test)]
pub(crate) mod spy;
#[cfg(test)]
mod worked_cases;

pub use answers_marks::AnswersMarks;
pub use control::{Codepoint, CongestionControl, Settings};
pub use facts::{
    Acknowledged, DeliveryRate, Feedback, Loss, LostSegment, Marks, Measured, Opening, Phase, Recovered,
    Sent, Timeout,
};
pub use hystart::HyStart;

use aqmlab_random::Key;
use aqmlab_units::Rate;
use schemars::JsonSchema;

impl CongestionController {
    /// Sets the window, in segments, of a controller that leaves it to others; answers whether it does.
    pub(crate) fn set_window(&mut self, segments: u32) -> bool {
        match self {
            Self::Agent(controller) => {
                controller.set(segments);
                true
            }
            _ => false,
        }
    }
}

/// The list of controllers as one type: a call is a jump, never a virtual one.
macro_rules! controllers {
    ($($(#[$about:meta])+ $name:ident = $key:literal in $file:ident),+ $(,)?) => {
        $(mod $file;)+

        /// The congestion controllers of modern senders, by the names that scenarios have for them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
        #[schemars(transform = own::with_own)]
        pub enum Congestion {
            $($(#[$about])+ #[schemars(rename = $key)] $name,)+
            /// One from outside this crate, which [`own::DeclaredControllers`] declare.
            #[schemars(skip)]
            Own(own::OwnCongestion),
        }

        impl Congestion {
            /// All of this crate.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name in scenarios.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $key,)+
                    Self::Own(own) => own.name(),
                }
            }

            /// Its worked cases: see `worked_cases.rs`.
            #[cfg(test)]
            const fn worked_cases(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../tests/controllers/", $key, ".txt")),)+
                    Self::Own(_) => "",
                }
            }

            /// What it needs and has beside its window.
            pub(crate) const fn habits(self) -> Habits {
                match self {
                    $(Self::$name => $file::HABITS,)+
                    Self::Own(own) => own.habits(),
                }
            }
        }

        /// The state of whichever controller the host's profile names.
        #[derive(Clone, Debug)]
        pub(crate) enum CongestionController {
            $($name($file::Controller),)+
            /// One from outside this crate.
            Own(own::Controller),
            /// What a test puts in the place of a controller.
            #[cfg(test)]
            Spy(spy::Controller),
        }

        impl CongestionController {
            /// One of a connection whose first segment is being sent.
            pub(crate) fn new(congestion: Congestion, settings: &Settings) -> Self {
                #[cfg(test)]
                if let Some(spy) = spy::installed(settings) {
                    return Self::Spy(spy);
                }
                match congestion {
                    $(Congestion::$name => Self::$name($file::Controller::new(settings)),)+
                    Congestion::Own(own) => Self::Own(own::Controller::of(own, settings)),
                }
            }

            pub(crate) fn on_established(&mut self, opening: Opening) {
                #[cfg(test)]
                spy::write_down(|told| told.opened.push(opening));
                match self {
                    $(Self::$name(controller) => controller.on_established(opening),)+
                    Self::Own(controller) => controller.on_established(opening),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_established(opening),
                }
            }

            #[inline]
            pub(crate) fn on_sent(&mut self, sent: &Sent) {
                #[cfg(test)]
                spy::write_down(|told| told.sent.push(*sent));
                match self {
                    $(Self::$name(controller) => controller.on_sent(sent),)+
                    Self::Own(controller) => controller.on_sent(sent),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_sent(sent),
                }
            }

            #[inline]
            pub(crate) fn on_round_trip(&mut self, measured: &Measured) {
                match self {
                    $(Self::$name(controller) => controller.on_round_trip(measured),)+
                    Self::Own(controller) => controller.on_round_trip(measured),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_round_trip(measured),
                }
            }

            #[inline]
            pub(crate) fn on_acknowledged(&mut self, acknowledged: &Acknowledged) {
                #[cfg(test)]
                spy::write_down(|told| told.acknowledged.push(*acknowledged));
                match self {
                    $(Self::$name(controller) => controller.on_acknowledged(acknowledged),)+
                    Self::Own(controller) => controller.on_acknowledged(acknowledged),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_acknowledged(acknowledged),
                }
            }

            pub(crate) fn draw_from(&mut self, key: Key) {
                match self {
                    $(Self::$name(controller) => controller.draw_from(key),)+
                    Self::Own(controller) => controller.draw_from(key),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.draw_from(key),
                }
            }

            pub(crate) fn on_lost(&mut self, lost: &LostSegment) {
                #[cfg(test)]
                spy::write_down(|told| told.lost.push(*lost));
                match self {
                    $(Self::$name(controller) => controller.on_lost(lost),)+
                    Self::Own(controller) => controller.on_lost(lost),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_lost(lost),
                }
            }

            pub(crate) fn on_loss(&mut self, loss: &Loss) {
                match self {
                    $(Self::$name(controller) => controller.on_loss(loss),)+
                    Self::Own(controller) => controller.on_loss(loss),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_loss(loss),
                }
            }

            pub(crate) fn on_timeout(&mut self, timeout: &Timeout) {
                match self {
                    $(Self::$name(controller) => controller.on_timeout(timeout),)+
                    Self::Own(controller) => controller.on_timeout(timeout),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_timeout(timeout),
                }
            }

            pub(crate) fn on_marks(&mut self, marks: &Marks) {
                match self {
                    $(Self::$name(controller) => controller.on_marks(marks),)+
                    Self::Own(controller) => controller.on_marks(marks),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_marks(marks),
                }
            }

            pub(crate) fn on_recovered(&mut self, recovered: Recovered) {
                #[cfg(test)]
                spy::write_down(|told| told.recovered.push(recovered));
                match self {
                    $(Self::$name(controller) => controller.on_recovered(recovered),)+
                    Self::Own(controller) => controller.on_recovered(recovered),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_recovered(recovered),
                }
            }

            pub(crate) fn on_idle(&mut self, timeouts: u32) {
                match self {
                    $(Self::$name(controller) => controller.on_idle(timeouts),)+
                    Self::Own(controller) => controller.on_idle(timeouts),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_idle(timeouts),
                }
            }

            pub(crate) fn on_unused(&mut self, used: u32) {
                match self {
                    $(Self::$name(controller) => controller.on_unused(used),)+
                    Self::Own(controller) => controller.on_unused(used),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_unused(used),
                }
            }

            pub(crate) fn on_feedback_lost(&mut self) {
                match self {
                    $(Self::$name(controller) => controller.on_feedback_lost(),)+
                    Self::Own(controller) => controller.on_feedback_lost(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.on_feedback_lost(),
                }
            }

            #[inline]
            pub(crate) fn window(&self) -> u32 {
                match self {
                    $(Self::$name(controller) => controller.window(),)+
                    Self::Own(controller) => controller.window(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.window(),
                }
            }

            #[inline]
            pub(crate) fn slow_start_threshold(&self) -> u32 {
                match self {
                    $(Self::$name(controller) => controller.slow_start_threshold(),)+
                    Self::Own(controller) => controller.slow_start_threshold(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.slow_start_threshold(),
                }
            }

            pub(crate) fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$name(controller) => controller.pacing_rate(),)+
                    Self::Own(controller) => controller.pacing_rate(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.pacing_rate(),
                }
            }

            pub(crate) fn send_quantum(&self) -> u32 {
                match self {
                    $(Self::$name(controller) => controller.send_quantum(),)+
                    Self::Own(controller) => controller.send_quantum(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.send_quantum(),
                }
            }

            pub(crate) fn limits_samples(&self) -> bool {
                match self {
                    $(Self::$name(controller) => controller.limits_samples(),)+
                    Self::Own(controller) => controller.limits_samples(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.limits_samples(),
                }
            }

            pub(crate) fn paces(&self) -> bool {
                match self {
                    $(Self::$name(controller) => controller.paces(),)+
                    Self::Own(controller) => controller.paces(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.paces(),
                }
            }

            #[inline]
            pub(crate) fn answers_marks(&self) -> bool {
                match self {
                    $(Self::$name(controller) => controller.answers_marks(),)+
                    Self::Own(controller) => controller.answers_marks(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.answers_marks(),
                }
            }

            pub(crate) fn has_fallen_back(&self) -> bool {
                match self {
                    $(Self::$name(controller) => controller.has_fallen_back(),)+
                    Self::Own(controller) => controller.has_fallen_back(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.has_fallen_back(),
                }
            }

            #[inline]
            pub(crate) fn codepoint(&self) -> Codepoint {
                match self {
                    $(Self::$name(controller) => controller.codepoint(),)+
                    Self::Own(controller) => controller.codepoint(),
                    #[cfg(test)]
                    Self::Spy(spy) => spy.codepoint(),
                }
            }
        }
    };
}

/// What a host with such a controller does by default, or only with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Habits {
    /// Whether it needs to know how many packets were marked: its hosts have accurate ECN, and no other.
    pub(crate) needs_accurate_ecn: bool,
    /// Whether slow start may end before a loss.
    pub(crate) has_hystart: bool,
    /// Whether it can fall back in queues that mark as RFC 3168 has it.
    pub(crate) has_classic_ecn_fallback: bool,
    /// Whether it is nothing without a pace: its hosts pace, whatever their settings.
    pub(crate) needs_pacing: bool,
    /// Whether it models the path and decides its window alone (Linux `cong_control`): it is told of each
    /// lost segment, and the laws of those that halve a window do not bind it.
    pub(crate) models_path: bool,
    /// Whether it answers marks by their share, unless its hosts say otherwise; none where it cannot.
    pub(crate) answers_marks: Option<AnswersMarks>,
}

impl Habits {
    /// None of it.
    pub(crate) const NONE: Self = Self {
        needs_accurate_ecn: false,
        has_hystart: false,
        has_classic_ecn_fallback: false,
        needs_pacing: false,
        models_path: false,
        answers_marks: None,
    };
}

controllers! {
    /// Linux `reno`: RFC 5681 in whole segments.
    Reno = "reno" in reno,
    /// Reno with appropriate byte counting: RFC 3465.
    RenoAbc = "reno-abc" in reno_abc,
    /// RFC 9438.
    Cubic = "cubic" in cubic,
    /// RFC 8257.
    Dctcp = "dctcp" in dctcp,
    /// draft-briscoe-iccrg-prague-congestion-control-04.
    Prague = "prague" in prague,
    /// RFC 6817.
    Ledbat = "ledbat" in ledbat,
    /// A window that an agent sets during the run.
    Agent = "agent" in agent,
    /// BBR version 1, as Linux has it.
    BbrLinuxV1 = "bbr-linux-v1" in bbr_linux_v1,
    /// BBR version 2, as Google's branch of Linux had it in 2021.
    BbrLinuxV2 = "bbr-linux-v2" in bbr_linux_v2,
    /// BBR version 2 as an L4S sender, as the L4S team's kernel of 2022 has it.
    BbrL4sV2 = "bbr-l4s-v2" in bbr_l4s_v2,
    /// BBR version 3, as Linux's branch of 2023 has it.
    BbrLinuxV3 = "bbr-linux-v3" in bbr_linux_v3,
    /// BBR version 3 of draft-ietf-ccwg-bbr, August 2026.
    BbrDraft = "bbr-draft-2026-08" in bbr_draft_2026_08,
}
