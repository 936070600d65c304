//! What hosts' TCP does, as data: profiles, and the changes that scenarios make to them.
//!
//! | file | idea |
//! | --- | --- |
//! | `profile.rs` | everything that distinguishes one host's TCP from another's |
//! | `classic.rs` | the part of it that only a classic stack has |
//! | `modern.rs` | the part of it that only a modern stack has: a congestion controller and extensions |
//! | `named.rs` | the named profiles |
//! | `described.rs` | a profile in words, and the values of its settings |
//! | `overrides.rs` | single fields, changed by a scenario |
//! | `own_controllers.rs` | congestion controllers from outside, beside the keys of hosts |

mod classic;
mod described;
mod modern;
mod named;
mod overrides;
mod own_controllers;
mod profile;

pub use classic::{Classic, ClassicWindow, Handshake, IdleRestart, OutputRoutine, Recovery};
pub use modern::{Extensions, Modern, TimerPhase};
pub use overrides::{EcnRule, HostOverrides, IllegalOverride};
pub use profile::{
    AckCounting, AckTimer, DelayedAck, Ecn, EcnFallback, HostProfile, RetransmissionTimer, RtoAlgorithm,
    SmallWrite, Stack, WindowUpdates,
};
