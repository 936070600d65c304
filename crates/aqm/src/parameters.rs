//! What every scheme's parameters offer.

use crate::discipline::Discipline;
use crate::onset::Onset;
use crate::parameter_error::ParameterError;
use crate::parts::{Limit, Shaping};
use crate::port_facts::PortFacts;
use crate::traffic_classes::TrafficClasses;
use std::any::Any;
use std::fmt;

/// The parameters of one scheme: plain data, checked by `validate`, from which the scheme is built.
pub trait Parameters {
    /// Checks every parameter but the limit.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Checks what depends on the link as well. Called only on parameters that are valid by themselves.
    fn validate_at(&self, _facts: &PortFacts) -> Result<(), ParameterError> {
        Ok(())
    }

    /// How much may wait.
    fn limit(&self) -> Limit;

    /// The limit, if it decides how long packets wait when senders fill the queue. None where the scheme
    /// keeps waiting times at a target, or its queues have limits of their own: there it only guards memory.
    fn felt_limit(&self) -> Option<Limit> {
        Some(self.limit())
    }

    /// Whether a signal marks packets that can be marked.
    fn ecn(&self) -> bool;

    /// The queue from which on it signals, or at which it aims; none where no parameter says so.
    fn onset(&self, _facts: &PortFacts) -> Option<Onset> {
        None
    }

    /// Whether it has a single queue and no guards: whether it can be the scheme of one queue among several.
    fn is_one_queue(&self) -> bool {
        true
    }

    /// How many queues a port under it has: what its memory grows with.
    fn queues(&self) -> usize {
        1
    }

    /// The scheme that works in each of several queues, if there is one: a [`Scheme`](crate::Scheme).
    fn scheme_within(&self) -> Option<&dyn Any> {
        None
    }

    /// The schemes that work in its queues or classes, each a [`Scheme`](crate::Scheme).
    fn schemes_within(&self) -> Vec<&dyn Any> {
        self.scheme_within().into_iter().collect()
    }

    /// Whether it can be the scheme of one class among several: it has queues and their scheduler, and
    /// nothing in front of them.
    fn can_be_class(&self) -> bool {
        self.is_one_queue()
    }

    /// The classes into which it sorts packets by host and codepoint; none if it does not.
    fn traffic_classes(&self) -> Option<TrafficClasses> {
        None
    }

    /// The shaper that it is itself: what it lets go at most, where those of its classes have packets whose
    /// places `has_packets` accepts. None if the link alone holds it back.
    fn own_shaping(&self, _has_packets: &dyn Fn(usize) -> bool) -> Option<Shaping> {
        None
    }

    /// Why the link under it may be idle although sources that answer to nothing bring it more than it
    /// carries, in words, where the published law of the scheme is so. None of all others: under these such
    /// a link is never idle for long, which [`crate::conformance`] tries.
    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        None
    }

    /// Whether a guard stands in front that may refuse as much as it likes. Not everything for ever:
    /// [`crate::conformance`] tries that something is sent again where half of what the link carries comes
    /// after a burst.
    fn is_guarded_at_will(&self) -> bool {
        false
    }

    /// Whether packets of one flow and codepoint may overtake one another, as where a flow is sent to
    /// another queue in the middle.
    fn reorders_flows(&self) -> bool {
        false
    }

    /// The values in force at a port of the parameters that follow from its link or from one another where
    /// they are not given, by key, in their own units; given ones among these count too. Called only on valid
    /// parameters.
    fn in_force(&self, _facts: &PortFacts) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The keys of the parameters that may be adjusted while packets wait: the limits, and of the others
    /// those that [`crate::Aqm::continue_from`] carries out. None where the scheme works out more from its
    /// limits.
    fn adjustable(&self) -> &'static [&'static str] {
        &["limit_packets", "limit_bytes"]
    }

    /// The scheme at a port. Called only on valid parameters.
    fn build(&self, facts: &PortFacts) -> Discipline;
}

/// Any scheme with its parameters, as a scheme of several queues holds the one that works in each of them.
pub trait AnyScheme: Clone + fmt::Debug + PartialEq + 'static {
    /// What each queue has when nobody says: CoDel.
    fn of_each_queue() -> Self;

    /// The JSON schema of the schemes that have a single queue, with [`AnyScheme::of_each_queue`] as the
    /// default.
    fn schema_of_one_queue(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;

    /// What the queue behind a filter has when nobody says: drop-tail.
    fn of_queue_behind_filter() -> Self;

    /// The JSON schema of the schemes that have a single queue, with [`AnyScheme::of_queue_behind_filter`] as
    /// the default.
    fn schema_of_queue_behind_filter(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;

    /// What a class has when nobody says: drop-tail with 1000 packets, Linux's.
    fn of_class() -> Self;

    /// The JSON schema of the schemes that can be those of a class, with [`AnyScheme::of_class`] as the
    /// default.
    fn schema_of_class(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;

    /// The parameters.
    fn parameters(&self) -> &dyn Parameters;
}
