//! The compiled half of the Python package, `aqmlab._core`.
//!
//! It converts between Rust and Python, maps errors to exceptions by whose doing they are, releases the
//! interpreter lock while a run computes, and hands columns over without copying them. It decides nothing and
//! knows nothing about networks: a line here that could be wrong about networks belongs into another crate.
//!
//! The Python half types what is here (`python/aqmlab/_core.pyi`, checked against the built module) and is
//! the only caller.
#![deny(missing_docs)]

mod catalogue;
mod class_in_file;
mod controllers;
mod error;
mod finished;
#[cfg(target_os = "linux")]
mod live;
mod models;
mod run;
mod scenario;
mod schemes;
mod stepping;
mod table;

/// The module as Python sees it.
#[pyo3::pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::catalogue::{
        Application, applications, arc_admissible_gains, cloud_models, describe_parameters, explain,
        json_schema, pi_designed_gains, profile_names, profile_settings, recognised_file,
        scheme_named_elsewhere, scheme_names, sfg_false_positive, sfg_false_positives, sfg_tcp_friendly_rate,
        transport_names, transport_settings, version,
    };
    #[pymodule_export]
    use crate::controllers::{
        ControllerLibrary, LibraryConnection, controller_schema, load_controller_library,
        names_controller_library,
    };
    #[pymodule_export]
    use crate::error::FoundMistake;
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use crate::live::{
        KernelOffer, LiveProgram, LiveRun, LiveSettings, kernel_disciplines, live_host_names, prepare_live,
        probe_live,
    };
    #[pymodule_export]
    use crate::models::{Draws, SampledPages, model_schema, sample_model};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::scenario::{
        Buffer, Demand, DrawnNetwork, MonitoredLink, Node, Scenario, ScenarioWarning, Traffic, Wire,
    };
    #[pymodule_export]
    use crate::schemes::{
        Behind, Coins, Header, Packet, Queue, Queues, call_layout, check_scheme, load_scheme, scheme_checks,
        scheme_cost,
    };
    #[pymodule_export]
    use crate::stepping::{GroupObservation, LinkObservation, Observation, RefusedAction, Simulation};

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::controllers::install();
        crate::models::install();
        crate::schemes::install();
        Ok(())
    }
}
