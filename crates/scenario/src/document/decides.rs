//! What a key decides: how a comparison of two scenarios treats a difference in it.

use serde::Serialize;

/// What a key of a scenario decides. It stands beside the key as `x-decides` in the JSON Schema and holds for
/// all that is below the key, unless that has one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decides {
    /// Who browses and what else sends: the two are not compared, unless other users are meant.
    Users,
    /// What is measured: the two are not compared.
    Measure,
    /// The queue: it is what is compared.
    Queue,
    /// The network: the difference is reported.
    Network,
    /// The hosts, which negotiate features of a queue such as ECN: the difference is reported.
    Hosts,
    /// Nothing of what is compared: names, what a run keeps, and the uncongested twin, which is another run.
    Nothing,
}
