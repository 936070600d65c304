//! Fair queueing over any scheme: a queue for each flow, and in each queue the same scheme with a state of
//! its own.
//!
//! Source: RFC 8290 (2018), sections 4.1 and 4.2, with any scheme where the RFC has CoDel (section 7 names
//! others); the rules of the turns are those of [`super::fq_codel`].
//!
//! | parameter | unit | | legal |
//! | --- | --- | --- | --- |
//! | `inner` | a scheme | CoDel | one with a single queue |
//! | the others | | as for FQ-CoDel | as for FQ-CoDel |
//!
//! Departures and silences. What the inner scheme derives from the link rate, it derives from the rate of the
//! whole link: it knows nothing of the other queues. Its own limit holds in each queue; without one, only the
//! limits of all queues together do. Each queue's scheme draws from the coins of the port, in the order of
//! the packets.

use crate::discipline::{Discipline, QueueLimit, Scheduled};
use crate::onset::Onset;
use crate::parameter_error::{ParameterError, require};
use crate::parameters::{AnyScheme, Parameters};
use crate::parts::{Limit, fair_queueing_params};
use crate::port_facts::PortFacts;
use std::any::Any;

fair_queueing_params! {
    /// Fair queueing: each flow has a queue under a scheme of its own, queues take turns, and flows that send
    /// little go first.
    ///
    /// With CoDel in each queue it is FQ-CoDel. Linux's qdisc `fq` is another scheme, linux-fq.
    ///
    /// Source: RFC 8290 (2018), with any scheme where the RFC has CoDel. The defaults are the RFC's, except
    /// that CoDel drops unless inner.ecn = true.
    struct Params<S: AnyScheme> {
        /// The scheme in each queue: a table with scheme = ..., as of a port. It may be without limits.
        #[schemars(schema_with = "S::schema_of_one_queue")]
        inner: Box<S> = Box::new(S::of_each_queue()),
    }
}

impl<S: AnyScheme> Params<S> {
    fn inner(&self) -> &dyn Parameters {
        self.inner.parameters()
    }

    /// The limit in each queue, if the inner scheme has one.
    fn own_limit(&self) -> Option<Limit> {
        let limit = self.inner().limit();
        (limit.packets.is_some() || limit.bytes.is_some()).then_some(limit)
    }
}

impl<S: AnyScheme> Parameters for Params<S> {
    fn validate(&self) -> Result<(), ParameterError> {
        self.fair_queueing().validate()?;
        let legal = "a scheme with a single queue";
        require(self.inner().is_one_queue(), "inner.scheme", "one with several queues", legal)?;
        let limit = self.own_limit().map_or(Ok(()), |limit| limit.validate());
        limit.and_then(|()| self.inner().validate()).map_err(|error| error.within("inner"))
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.inner().validate_at(facts).map_err(|error| error.within("inner"))
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        Some(self.inner().onset(facts)?.within("inner"))
    }

    fn limit(&self) -> Limit {
        self.fair_queueing().limit()
    }

    fn felt_limit(&self) -> Option<Limit> {
        self.inner().felt_limit()?;
        Some(self.own_limit().unwrap_or_else(|| self.limit()))
    }

    fn ecn(&self) -> bool {
        self.inner().ecn()
    }

    fn is_one_queue(&self) -> bool {
        false
    }

    fn can_be_class(&self) -> bool {
        true
    }

    fn queues(&self) -> usize {
        self.fair_queueing().queues()
    }

    fn scheme_within(&self) -> Option<&dyn Any> {
        Some(&*self.inner)
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let queue = |_| match self.inner().build(facts) {
            Discipline::Fifo(scheme) => scheme,
            Discipline::Scheduled(_) => {
                unreachable!("a scheme with a single queue, as it was checked to be")
            }
        };
        let queues = (0..self.fair_queueing().queues()).map(queue).collect();
        Discipline::Scheduled(Scheduled {
            queue_limit: self.own_limit().map_or(QueueLimit::None, QueueLimit::Own),
            ..Scheduled::queues(self.fair_queueing().scheduler(facts), queues)
        })
    }
}
