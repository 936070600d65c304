//! How a population of users begins.

use aqmlab_units::Span;

/// What a user is doing at the start of the run, instant [`aqmlab_units::Time::ZERO`].
///
/// The choice matters because think times are heavy-tailed: people met at a random instant are mostly in one
/// of their long thoughts. A population in which everybody begins a new thought asks for pages 1.76 times as
/// often during its first 30 s, and still 1.4 times during its first 2 minutes (default parameters).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRule {
    /// The population is met at a random instant of its life: page requests come at their long-run rate from
    /// the first instant.
    ///
    /// A user is found thinking with the probability that the model's mean think time has in her cycle, and
    /// then has the equilibrium residual of a think time before her; otherwise she is about to finish a page
    /// (of the length that the parameters assume, a uniform part of it being left) and a whole think time
    /// follows. Her place in the current server visit is that of a random page: long visits are met more
    /// often. Persistent connections of the visit with requests left keep their numbers and quotas; they are
    /// opened when they are next used.
    Steady,
    /// The population is met at a random instant, in the middle of everything: transfers are in progress, the
    /// long ones too, and connections are open.
    ///
    /// A user begins her life as with [`StartRule::Steady`]. Her driver lets her live alone, on a network
    /// where nobody is in her way, for so long before [`aqmlab_units::Time::ZERO`] that it does not matter
    /// how she began, and hands over what is in progress then. It needs no assumption about how long a page
    /// takes.
    Stationary,
    /// Everybody begins a new think time, in front of the first page of her first server visit: the way of
    /// the published studies, which start all browser programs and cut the beginning from the data.
    Fresh {
        /// Users begin to think at an instant uniform in `[0, spread]`; zero starts all of them at once.
        spread: Span,
    },
}
