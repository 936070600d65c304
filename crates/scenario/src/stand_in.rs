//! Stand-ins for the parameter types of `aqmlab-aqm`, `aqmlab-tcp` and `aqmlab-web` until those land.

/// Stand-in for `aqmlab_aqm::Scheme`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme;

/// Stand-in for `aqmlab_tcp::HostProfile`.
#[derive(Clone, Debug, PartialEq)]
pub struct HostProfile;

/// Stand-in for `aqmlab_web::UncParameters`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UncParameters;
