//! A scheme whose parameters are declared as data.

use crate::values::{self, Values};
use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{
    Aqm, Declaration, Discipline, Guard, InnerScheme, Onset, OutsideParameters, ParameterError, Parameters,
    PortFacts, QueueLimit, Scheduled, Scheduler,
};
use schemars::{Schema, json_schema};
use serde::de::Error as _;
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;

/// What a scheme is at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It decides about the packets of one queue.
    Queue,
    /// It stands in front of one queue, under a scheme of its own, and may refuse what arrives.
    Guard,
    /// It sorts packets into queues, each under a scheme of its own, and says which of these sends next, and
    /// when.
    Scheduler,
}

/// What a scheme of a role is made as.
pub enum Made {
    /// [`Role::Queue`].
    Queue(Box<dyn Aqm>),
    /// [`Role::Guard`].
    Guard(Box<dyn Guard>),
    /// [`Role::Scheduler`].
    Scheduler(Box<dyn Scheduler>),
}

/// What makes a scheme of its parameters.
pub trait Factory: Send + Sync {
    /// Checks what the ranges of single parameters do not say.
    ///
    /// # Errors
    /// The first parameter that is not legal.
    fn check(&self, values: &Values) -> Result<(), ParameterError>;

    /// Checks what depends on the port as well.
    ///
    /// # Errors
    /// The first parameter that is not legal there.
    fn check_at(&self, values: &Values, facts: &PortFacts) -> Result<(), ParameterError>;

    /// How many queues a scheduler serves; of others it is not asked.
    fn queues(&self, values: &Values) -> u32 {
        let _ = values;
        1
    }

    /// The scheme at a port, of parameters that are legal there, as its role is.
    fn build(&self, values: &Values, facts: &PortFacts) -> Made;
}

/// The largest number of queues of a scheduler.
pub const MOST_QUEUES: u32 = 65_536;

/// The key of the scheme in each queue behind a guard or a scheduler.
const INNER: &str = "inner";

/// Schemes that only act on packets behind which others wait, and so never shut a queue.
const FORGIVING: [&str; 2] = ["drop-tail", "codel"];

/// A scheme with the names, meanings, types, ranges and defaults of its parameters, and what makes it. Every
/// such scheme has the limits of its port among them; beside them a queue's has `ecn`, a guard and a
/// scheduler `inner`.
#[derive(Clone)]
pub struct DeclaredScheme {
    role: Role,
    meaning: String,
    properties: Arc<Values>,
    factory: Arc<dyn Factory>,
}

impl DeclaredScheme {
    /// A scheme from its meaning and the JSON schemas of its own parameters, by their names: each with `type`
    /// (`integer`, `number`, `boolean`, or `string` with `enum`), `default` and `description`, and perhaps
    /// `minimum`, `exclusiveMinimum`, `maximum` and `exclusiveMaximum`.
    ///
    /// # Errors
    /// In words, which parameter is declared wrongly, and how.
    pub fn new(role: Role, meaning: String, own: Values, factory: Arc<dyn Factory>) -> Result<Self, String> {
        let mut properties = shared_properties(role);
        let is_taken = |key: &str| key == "scheme" || (role != Role::Queue && key == INNER);
        values::add(&mut properties, own, "scheme", is_taken)?;
        Ok(Self { role, meaning, properties: Arc::new(properties), factory })
    }
}

/// What every scheme in a file has: its buffer, and, of one queue, whether it marks.
fn shared_properties(role: Role) -> Values {
    let mut shared = serde_json::json!({
        "limit_packets": {
            "description": "Packets that may wait. At least one of the two limits has to be given.",
            "type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null,
        },
        "limit_bytes": {
            "description": "Bytes (IP lengths) that may wait.",
            "type": ["integer", "null"], "format": "uint64", "minimum": 0, "default": null,
        },
        "limit_rule": {
            "description": "What a limit of L means: L may wait; L - 1; or an arrival is refused only when L wait already.",
            "type": "string", "enum": ["hold_limit", "hold_limit_minus_one", "refuse_when_full"],
            "default": "hold_limit",
        },
        "ecn": {
            "description": "Whether signalled packets that are ECN-capable are marked instead of dropped.",
            "type": "boolean", "default": false,
        },
    });
    let Some(keys) = shared.as_object_mut() else { unreachable!("written as an object above") };
    if role != Role::Queue {
        keys.remove("ecn");
    }
    std::mem::take(keys)
}

impl Declaration for DeclaredScheme {
    fn schema(&self) -> Schema {
        let mut properties = (*self.properties).clone();
        if self.role != Role::Queue {
            // Of the schemes that are known now: others may have been registered since it was declared.
            let mut inner = InnerScheme::schema();
            let meaning = match self.role {
                Role::Guard => "The scheme behind the guard: a table with scheme = ..., as of a port.",
                _ => "The scheme in each queue: a table with scheme = ..., as of a port.",
            };
            inner.insert("description".to_owned(), format!("{meaning} It may be without limits.").into());
            properties.insert(INNER.to_owned(), inner.to_value());
        }
        json_schema!({
            "type": "object",
            "description": self.meaning,
            "properties": Value::Object(properties),
            "additionalProperties": false,
        })
    }

    fn is_one_queue(&self) -> bool {
        self.role == Role::Queue
    }

    fn parse(&self, table: Value) -> Result<Arc<dyn OutsideParameters>, serde_json::Error> {
        let Value::Object(mut given) = table else {
            return Err(serde_json::Error::custom("the parameters of a scheme are a table"));
        };
        let has_inner = self.role != Role::Queue;
        let inner = if has_inner { given.remove(INNER) } else { None };
        let others: &[&str] = if has_inner { &[INNER] } else { &[] };
        let values = values::filled(&self.properties, given, others)?;
        let inner = inner.map(InnerScheme::parse).transpose()?.unwrap_or_default();
        Ok(Arc::new(DeclaredParameters { declared: self.clone(), values, inner }))
    }
}

/// Parameters of a declared scheme.
struct DeclaredParameters {
    declared: DeclaredScheme,
    values: Values,
    /// The scheme of each queue behind it; of a queue's scheme it means nothing.
    inner: InnerScheme,
}

impl DeclaredParameters {
    fn is_queue(&self) -> bool {
        self.declared.role == Role::Queue
    }

    fn value<T: for<'de> serde::Deserialize<'de>>(&self, key: &str) -> T {
        T::deserialize(&self.values[key]).unwrap_or_else(|error| panic!("{key} was checked: {error}"))
    }
}

impl OutsideParameters for DeclaredParameters {
    fn parameters(&self) -> &dyn Parameters {
        self
    }

    fn to_json(&self) -> Value {
        let mut table = self.values.clone();
        if !self.is_queue() {
            table.insert(INNER.to_owned(), self.inner.to_json());
        }
        Value::Object(table)
    }
}

impl Parameters for DeclaredParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        if let Some((key, value, legal)) = values::first_refusal(&self.declared.properties, &self.values) {
            return Err(ParameterError { key: key.into(), value: Some(value), legal });
        }
        self.declared.factory.check(&self.values)?;
        if self.is_queue() {
            return Ok(());
        }
        let queues = self.queues();
        if !(1..=MOST_QUEUES as usize).contains(&queues) {
            let legal = format!("one with 1 to {MOST_QUEUES} queues");
            return Err(ParameterError {
                key: "scheme".into(),
                value: Some(format!("one with {queues}")),
                legal,
            });
        }
        self.inner.validate()
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.declared.factory.check_at(&self.values, facts)?;
        if self.is_queue() { Ok(()) } else { self.inner.validate_at(facts) }
    }

    fn felt_limit(&self) -> Option<Limit> {
        if self.is_queue() { Some(self.limit()) } else { self.inner.felt_limit(self.limit()) }
    }

    fn onset(&self, facts: &PortFacts) -> Option<Onset> {
        if self.is_queue() { None } else { self.inner.onset(facts) }
    }

    fn is_one_queue(&self) -> bool {
        self.is_queue()
    }

    fn queues(&self) -> usize {
        match self.declared.role {
            Role::Scheduler => self.declared.factory.queues(&self.values) as usize,
            Role::Queue | Role::Guard => 1,
        }
    }

    fn scheme_within(&self) -> Option<&dyn Any> {
        if self.is_queue() { None } else { Some(self.inner.scheme()) }
    }

    fn limit(&self) -> Limit {
        let rule: LimitRule = self.value("limit_rule");
        Limit { packets: self.value("limit_packets"), bytes: self.value("limit_bytes"), rule }
    }

    fn ecn(&self) -> bool {
        if self.is_queue() { self.value("ecn") } else { self.inner.ecn() }
    }

    fn starves_the_unresponsive(&self) -> Option<&'static str> {
        // A queue that gets few turns is overloaded at any load, and the scheme in it may shut it for ever.
        let forgives = FORGIVING.contains(&self.inner.scheme().name());
        (self.declared.role == Role::Scheduler && !forgives).then_some("a queue may get few turns")
    }

    fn is_guarded_at_will(&self) -> bool {
        self.declared.role == Role::Guard
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        let own_limit = self.inner.own_limit();
        match self.declared.factory.build(&self.values, facts) {
            Made::Queue(scheme) => Discipline::Fifo(scheme),
            Made::Guard(guard) => {
                let limit = own_limit.map_or(QueueLimit::OfPort, QueueLimit::Own);
                Discipline::Scheduled(Scheduled::guarded_queue(guard, self.inner.build(facts), limit))
            }
            Made::Scheduler(scheduler) => {
                let queues = (0..self.queues()).map(|_| self.inner.build(facts)).collect();
                Discipline::Scheduled(Scheduled {
                    queue_limit: own_limit.map_or(QueueLimit::None, QueueLimit::Own),
                    ..Scheduled::queues(scheduler, queues)
                })
            }
        }
    }
}
