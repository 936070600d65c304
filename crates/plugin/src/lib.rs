//! Schemes, traffic models and congestion controllers that are found while the program runs: declared as
//! data, and called through one table of C functions or by whoever embeds this workspace.
//!
//! - [`DeclaredScheme`]: the parameters of such a scheme as data, from which follow its JSON schema, its
//!   checks and its description, as of the schemes that are types.
//! - [`DeclaredModel`], [`DeclaredController`]: the same of a traffic model and of a congestion controller.
//! - [`FunctionTable`]: the C functions of a scheme, whoever compiled them; [`TableScheme`] is a queue's
//!   scheme made of it.
//! - [`ControllerTable`], [`TableController`]: the same of a congestion controller's functions.
//! - [`LibraryController`]: a controller in a shared library, as `aqmlab_controller.h` describes it.
//! - [`load_library`]: a scheme in a shared library, as `aqmlab_scheme.h` describes it.
//! - [`Verdicts`](decode): how a verdict is written as a number.
//! - [`Fault`]: how a scheme that cannot go on ends its run.
//! - [`observed_name`]: a name of what such a scheme observes, kept once.
//! - [`TimerPace`]: how often its timer may be due.
#![deny(missing_docs)]

mod controller_answers;
mod controller_facts;
mod controller_table;
mod declared;
mod declared_controller;
mod declared_model;
mod elf;
mod fault;
mod guard_table;
mod instance;
mod library;
mod library_controller;
mod observed_names;
mod scheduler_table;
mod shared_library;
mod table;
mod timer_pace;
mod values;
mod verdict;

pub use controller_answers::{LEGAL_PACE, LegalSegments, pace_of};
pub use controller_table::{ControllerHost, ControllerTable, RawAnswers, TableController, Told, ToldNumber};
pub use declared::{DeclaredScheme, Factory, MOST_QUEUES, Made, Role};
pub use declared_controller::{ControllerFactory, DeclaredController};
pub use declared_model::{DeclaredModel, ModelFactory, Refused};
pub use fault::{Fault, catch};
pub use guard_table::{GuardTable, TableGuard, admission_of, decision_name};
pub use instance::{Observe, Traits};
pub use library::load_library;
pub use library_controller::{LibraryController, is_controller};
pub use observed_names::observed_name;
pub use scheduler_table::{SchedulerTable, Served, TableScheduler};
pub use table::{Call, Decide, FunctionTable, NEVER, TableScheme, Waiting};
pub use timer_pace::{MOST_CALLS, TimerPace, WINDOW};
pub use values::Values;
pub use verdict::{MOST_EVICTED, as_said, decode};
