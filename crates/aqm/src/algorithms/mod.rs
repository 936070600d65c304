//! The schemes: one file each, registered in one list.
//!
//! From a line of the list follow the module, the variant of [`Scheme`], strict parsing, the names in error
//! messages, the JSON schema, the text of [`Scheme::describe`], and the cases of the conformance tests.
//! Schemes from outside this crate join the list while the program runs (see [`register`]), or belong to who
//! names them ([`DeclaredSchemes`]).

mod describe;
mod inner;
mod outside;

pub use describe::describe_parameters;
pub use inner::InnerScheme;
pub use outside::{
    Declaration, DeclaredSchemes, OutsideParameters, OutsideScheme, RegistrationError, register,
    register_declared,
};

use crate::discipline::Discipline;
use crate::onset::UnreachableOnset;
use crate::parameter_error::ParameterError;
use crate::parameters::{AnyScheme, Parameters};
use crate::parts::{Limit, Shaping};
use crate::port_facts::PortFacts;
use crate::traffic_classes::TrafficClasses;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

macro_rules! register {
    ($($name:literal => $module:ident::$scheme:ident $(<$over:ident>)?,)+) => {
        $(pub mod $module;)+

        /// A queue management scheme with its parameters.
        ///
        /// As data it is a table whose key `scheme` names the scheme; the other keys are the parameters, each
        /// with a default except the limit. Unknown keys are refused.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "scheme")]
        #[schemars(transform = add_outside)]
        pub enum Scheme {
            $(
                #[doc = concat!("The scheme `", $name, "`; `aqmlab explain ", $name, "` describes it.")]
                #[serde(rename = $name)]
                $scheme($module::Params $(<$over>)?),
            )+
            /// A scheme from outside this crate, which was [registered](register) or
            /// [declared](DeclaredSchemes).
            #[serde(untagged)]
            #[schemars(skip)]
            Outside(OutsideScheme),
        }

        const NAMES: &[&str] = &[$($name),+];

        impl Scheme {
            /// The name of this scheme, as scenarios spell it.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$scheme(_) => $name,)+
                    Self::Outside(scheme) => scheme.name(),
                }
            }

            /// Parses the parameters of the scheme with this name from a table without the key `scheme`.
            /// Unlike parsing a [`Scheme`] itself this needs no buffer, so that a format's errors keep their
            /// place.
            ///
            /// # Errors
            /// The format's error: an unknown name, an unknown key, or a value of the wrong type.
            pub fn deserialize_parameters<'de, D: Deserializer<'de>>(
                name: &str,
                parameters: D,
            ) -> Result<Self, D::Error> {
                match name {
                    $($name => <$module::Params $(<$over>)?>::deserialize(parameters).map(Self::$scheme),)+
                    _ => match OutsideScheme::parse(name, Value::deserialize(parameters)?) {
                        Some(parsed) => parsed.map(Self::Outside).map_err(D::Error::custom),
                        None => Err(D::Error::unknown_variant(name, Self::names())),
                    },
                }
            }

            /// The JSON schema of the parameters of the scheme with this name, without the key `scheme`.
            ///
            /// # Errors
            /// [`UnknownScheme`] when no scheme has this name.
            pub fn parameter_schema(name: &str) -> Result<Schema, UnknownScheme> {
                let schema = match name {
                    $($name => Some(schema_of::<$module::Params $(<$over>)?>()),)+
                    _ => OutsideScheme::schema(name),
                };
                schema.ok_or_else(|| UnknownScheme { name: name.to_owned() })
            }

            /// The same of a listed scheme, with the definitions of this generator.
            fn parameters_in(generator: &mut SchemaGenerator, name: &str) -> Schema {
                match name {
                    $($name => <$module::Params $(<$over>)?>::json_schema(generator),)+
                    _ => OutsideScheme::schema(name).expect("a listed name"),
                }
            }

            /// The names of the schemes of this crate that can be those of a class.
            fn names_of_class() -> impl Iterator<Item = &'static str> {
                let own = [$(($name, <$module::Params $(<$over>)?>::default().can_be_class())),+];
                own.into_iter().filter_map(|(name, can_be)| can_be.then_some(name))
            }

            /// The names of the schemes that can be the scheme of one queue among several.
            fn names_of_one_queue() -> impl Iterator<Item = &'static str> {
                let own = [$(($name, <$module::Params $(<$over>)?>::default().is_one_queue())),+];
                let own = own.into_iter().filter_map(|(name, is_one)| is_one.then_some(name));
                own.chain(OutsideScheme::names_of_one_queue())
            }
        }

        impl AnyScheme for Scheme {
            fn of_each_queue() -> Self {
                Self::CoDel(codel::Params::default())
            }

            fn schema_of_one_queue(generator: &mut SchemaGenerator) -> Schema {
                of_choice::<SchemeOfOneQueue>(generator, &Self::of_each_queue())
            }

            fn of_queue_behind_filter() -> Self {
                Self::DropTail(drop_tail::Params::default())
            }

            fn schema_of_queue_behind_filter(generator: &mut SchemaGenerator) -> Schema {
                of_choice::<SchemeOfOneQueue>(generator, &Self::of_queue_behind_filter())
            }

            fn of_class() -> Self {
                Self::DropTail(drop_tail::Params { limit_packets: Some(1_000), ..Default::default() })
            }

            fn schema_of_class(generator: &mut SchemaGenerator) -> Schema {
                of_choice::<SchemeOfClass>(generator, &Self::of_class())
            }

            fn parameters(&self) -> &dyn Parameters {
                match self {
                    $(Self::$scheme(parameters) => parameters,)+
                    Self::Outside(scheme) => scheme.parameters(),
                }
            }
        }
    };
}

register! {
    "drop-tail" => drop_tail::DropTail,
    "red" => red::Red,
    "ared" => ared::Ared,
    "pi" => pi::Pi,
    "rem" => rem::Rem,
    "codel" => codel::CoDel,
    "pie" => pie::Pie,
    "fq" => fq::Fq<Scheme>,
    "fq-codel" => fq_codel::FqCoDel,
    "linux-fq" => linux_fq::LinuxFq,
    "blue" => blue::Blue,
    "choke" => choke::Choke,
    "arc" => arc::Arc,
    "sfg" => sfg::Sfg<Scheme>,
    "sfb" => sfb::Sfb,
    "red-pd" => red_pd::RedPd,
    "pi2" => pi2::Pi2,
    "dualpi2" => dualpi2::DualPi2,
    "cobalt" => cobalt::Cobalt,
    "cake" => cake::Cake,
    "prio" => prio::Prio<Scheme>,
    "htb" => htb::Htb<Scheme>,
}

/// The schema of some parameters, with everything in it in its place.
fn schema_of<P: JsonSchema>() -> Schema {
    in_place().into_root_schema_for::<P>()
}

/// What makes schemas with everything in its place, without definitions.
fn in_place() -> SchemaGenerator {
    SchemaSettings::default().with(|settings| settings.inline_subschemas = true).into_generator()
}

/// The schemes that have a single queue, as one definition of a schema: generated once, however many schemes
/// work over any of them.
struct SchemeOfOneQueue;

impl JsonSchema for SchemeOfOneQueue {
    fn schema_name() -> Cow<'static, str> {
        "SchemeOfOneQueue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        one_of(generator, Scheme::names_of_one_queue())
    }
}

/// The schemes that can be those of a class, as one definition of a schema.
struct SchemeOfClass;

impl JsonSchema for SchemeOfClass {
    fn schema_name() -> Cow<'static, str> {
        "SchemeOfClass".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        one_of(generator, Scheme::names_of_class())
    }
}

fn one_of(generator: &mut SchemaGenerator, names: impl Iterator<Item = &'static str>) -> Schema {
    let schemes: Vec<Schema> =
        names.map(|name| with_tag(Scheme::parameters_in(generator, name), name)).collect();
    schemars::json_schema!({ "oneOf": schemes })
}

/// The schema of a choice, with the scheme that it is when nobody says.
fn of_choice<C: JsonSchema>(generator: &mut SchemaGenerator, default: &Scheme) -> Schema {
    let mut schema = generator.subschema_for::<C>();
    let default = schemars::json_schema!({ "scheme": default.name() });
    schema.insert("default".to_owned(), default.to_value());
    schema
}

/// The schema of the scheme with this name, with the key `scheme`.
fn tagged(name: &'static str) -> Schema {
    with_tag(Scheme::parameter_schema(name).expect("a listed name"), name)
}

/// A schema of parameters with the key `scheme`, which has this name.
fn with_tag(mut schema: Schema, name: &str) -> Schema {
    let tag = schemars::json_schema!({ "type": "string", "const": name });
    schema.remove("$schema");
    schema.remove("title");
    schema.insert("required".to_owned(), vec!["scheme"].into());
    if let Some(Value::Object(keys)) = schema.get_mut("properties") {
        keys.insert("scheme".to_owned(), tag.to_value());
    }
    schema
}

/// Adds the registered schemes to the choice of all schemes. Their names tell them apart, so that one and no
/// other is meant; of a choice with an untagged variant the derivation says less.
fn add_outside(schema: &mut Schema) {
    if let Some(Value::Array(mut schemes)) = schema.remove("anyOf") {
        schemes.extend(OutsideScheme::names().map(|name| tagged(name).to_value()));
        schema.insert("oneOf".to_owned(), schemes.into());
    }
}

impl<'de> Deserialize<'de> for Scheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = Map::deserialize(deserializer)?;
        let name = table.remove("scheme").ok_or_else(|| D::Error::missing_field("scheme"))?;
        let name = String::deserialize(name).map_err(D::Error::custom)?;
        Self::deserialize_parameters(&name, Value::Object(table)).map_err(D::Error::custom)
    }
}

/// No scheme has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scheme `{name}`: the schemes are {}", Scheme::names().join(", "))]
pub struct UnknownScheme {
    /// The name that was asked for.
    pub name: String,
}

impl Scheme {
    /// The names of all schemes, as scenarios spell them; those that were registered come last.
    #[must_use]
    pub fn names() -> &'static [&'static str] {
        outside::all_names(NAMES)
    }

    /// The names of those that come with this crate.
    #[must_use]
    pub const fn built_in_names() -> &'static [&'static str] {
        NAMES
    }

    /// Whether it has a single queue and nothing in front of it: packets leave in the order in which they
    /// came, and it can be the scheme of one queue among several.
    #[must_use]
    pub fn is_one_queue(&self) -> bool {
        self.parameters().is_one_queue()
    }

    /// The classes into which it sorts packets by host and codepoint; none if it does not.
    #[must_use]
    pub fn traffic_classes(&self) -> Option<TrafficClasses> {
        self.parameters().traffic_classes()
    }

    /// The shaper that it is itself, where these classes have packets: [`Parameters::own_shaping`].
    #[must_use]
    pub fn own_shaping(&self, has_packets: &dyn Fn(usize) -> bool) -> Option<Shaping> {
        self.parameters().own_shaping(has_packets)
    }

    /// Why the link under it may be idle although sources that answer to nothing bring it more than it
    /// carries: [`Parameters::starves_the_unresponsive`].
    #[must_use]
    pub fn starves_the_unresponsive(&self) -> Option<&'static str> {
        let within = || self.all_within().find_map(Self::starves_the_unresponsive);
        self.parameters().starves_the_unresponsive().or_else(within)
    }

    /// Whether packets of one flow and codepoint may overtake one another: [`Parameters::reorders_flows`].
    #[must_use]
    pub fn reorders_flows(&self) -> bool {
        self.parameters().reorders_flows() || self.all_within().any(Self::reorders_flows)
    }

    /// Whether a guard stands in front that may refuse as much as it likes:
    /// [`Parameters::is_guarded_at_will`].
    #[must_use]
    pub fn is_guarded_at_will(&self) -> bool {
        self.parameters().is_guarded_at_will()
    }

    /// The names of the schemes that work here: its own, and those of the schemes in its queues and classes.
    pub fn names_within(&self) -> impl Iterator<Item = &str> {
        let within: Vec<&str> =
            self.all_within().flat_map(|scheme| scheme.names_within().collect::<Vec<_>>()).collect();
        std::iter::once(self.name()).chain(within)
    }

    /// The schemes in its queues or classes.
    fn all_within(&self) -> impl Iterator<Item = &Self> {
        self.parameters().schemes_within().into_iter().filter_map(|scheme| scheme.downcast_ref())
    }

    /// The scheme in each of its queues, if it has one.
    fn within(&self) -> Option<&Self> {
        self.parameters().scheme_within()?.downcast_ref()
    }

    /// The same scheme with the parameters of another table, without the key `scheme`. A scheme from outside
    /// that works in its queues stands in the table as it is spelt.
    pub(crate) fn with_table(&self, table: Map<String, Value>) -> Result<Self, serde_json::Error> {
        let table = Value::Object(table);
        let spelt = match self.within() {
            Some(Self::Outside(own)) => DeclaredSchemes::as_spelt(own),
            _ => DeclaredSchemes::default(),
        };
        spelt.while_reading(|| match self {
            Self::Outside(own) => own.with_table(table).map(Self::Outside),
            _ => Self::deserialize_parameters(self.name(), table),
        })
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// [`ParameterError`] with the first parameter that is not legal, its value, and what would be legal.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.parameters().validate()?;
        self.limit().validate()
    }

    /// Checks every parameter, and what follows from them at this port.
    ///
    /// # Errors
    /// [`ParameterError`] as [`Scheme::validate`].
    pub fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.validate()?;
        self.parameters().validate_at(facts)
    }

    /// The values in force at a port of the parameters that follow from its link or from one another where
    /// they are not given, by key, in their own units.
    #[must_use]
    pub fn in_force(&self, facts: &PortFacts) -> Vec<(&'static str, f64)> {
        self.parameters().in_force(facts)
    }

    /// How much may wait under this scheme.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.parameters().limit()
    }

    /// The limit, if it decides how long packets wait when senders fill the queue; none where the scheme
    /// keeps waiting times at a target and the limit only guards memory.
    #[must_use]
    pub fn felt_limit(&self) -> Option<Limit> {
        self.parameters().felt_limit()
    }

    /// Whether it signals at this port before so much waits, or aims at a shorter queue.
    #[must_use]
    pub fn acts_within(&self, facts: &PortFacts, limit: &Limit) -> bool {
        self.parameters().onset(facts).is_some_and(|onset| onset.unreachable(limit).is_none())
    }

    /// The queue from which on it signals, if its buffer never holds so much at this port.
    #[must_use]
    pub fn unreachable_onset(&self, facts: &PortFacts) -> Option<UnreachableOnset> {
        self.parameters().onset(facts)?.unreachable(&self.limit())
    }

    /// How many queues a port has under this scheme.
    #[must_use]
    pub fn queues(&self) -> usize {
        self.parameters().queues()
    }

    /// Whether a signal marks packets that can be marked. Always false for schemes that never signal early.
    #[must_use]
    pub fn ecn(&self) -> bool {
        self.parameters().ecn()
    }

    /// The scheme at a port.
    ///
    /// # Panics
    /// If the parameters are not [valid at this port](Scheme::validate_at).
    #[must_use]
    pub fn build(&self, facts: &PortFacts) -> Discipline {
        if let Err(error) = self.validate_at(facts) {
            panic!("{}: {error}", self.name());
        }
        self.parameters().build(facts)
    }

    /// What the scheme with this name does, where it comes from, and its parameters with their defaults: the
    /// text behind `aqmlab explain`.
    ///
    /// # Errors
    /// [`UnknownScheme`] when no scheme has this name.
    pub fn describe(name: &str) -> Result<String, UnknownScheme> {
        Ok(describe::text(aqmlab_declared::spelt(name), &Self::parameter_schema(name)?))
    }
}
