//! The schemes: one file each, registered in one list.
//!
//! From a line of the list follow the module, the variant of [`Scheme`], strict parsing, the names in error
//! messages, the JSON schema, the text of [`Scheme::describe`], and the cases of the conformance tests.

mod describe;

use crate::aqm::Aqm;
use crate::parameters::{ParameterError, Parameters};
use crate::parts::Limit;
use crate::port::PortFacts;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};

macro_rules! register {
    ($($name:literal => $module:ident::$scheme:ident,)+) => {
        $(pub mod $module;)+

        /// A queue management scheme with its parameters.
        ///
        /// As data it is a table whose key `scheme` names the scheme; the other keys are the parameters, each
        /// with a default except the limit. Unknown keys are refused.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme")]
        pub enum Scheme {
            $(
                #[doc = concat!("The scheme `", $name, "`; `aqmlab explain ", $name, "` describes it.")]
                #[serde(rename = $name)]
                $scheme($module::Params),
            )+
        }

        const NAMES: &[&str] = &[$($name),+];

        impl Scheme {
            /// The name of this scheme, as scenarios spell it.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$scheme(_) => $name,)+
                }
            }

            fn parameters(&self) -> &dyn Parameters {
                match self {
                    $(Self::$scheme(parameters) => parameters,)+
                }
            }

            /// Parses the parameters of the scheme with this name from a table without the key `scheme`.
            /// Unlike parsing a [`Scheme`] itself this needs no buffer, so that a format's errors keep their
            /// place.
            ///
            /// # Errors
            /// The format's error: an unknown name, an unknown key, or a value of the wrong type.
            pub fn deserialize_parameters<'de, D: serde::Deserializer<'de>>(
                name: &str,
                parameters: D,
            ) -> Result<Self, D::Error> {
                match name {
                    $($name => $module::Params::deserialize(parameters).map(Self::$scheme),)+
                    _ => Err(serde::de::Error::unknown_variant(name, NAMES)),
                }
            }

            /// The JSON schema of the parameters of the scheme with this name, without the key `scheme`.
            ///
            /// # Errors
            /// [`UnknownScheme`] when no scheme has this name.
            pub fn parameter_schema(name: &str) -> Result<schemars::Schema, UnknownScheme> {
                let inline = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
                match name {
                    $($name => Ok(inline.into_generator().into_root_schema_for::<$module::Params>()),)+
                    _ => Err(UnknownScheme { name: name.to_owned() }),
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
}

/// No scheme has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scheme `{name}`: the schemes are {}", NAMES.join(", "))]
pub struct UnknownScheme {
    /// The name that was asked for.
    pub name: String,
}

impl Scheme {
    /// The names of all schemes, as scenarios spell them.
    #[must_use]
    pub const fn names() -> &'static [&'static str] {
        NAMES
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// [`ParameterError`] with the first parameter that is not legal, its value, and what would be legal.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.parameters().validate()
    }

    /// Checks every parameter, and what follows from them at this port.
    ///
    /// # Errors
    /// [`ParameterError`] as [`Scheme::validate`].
    pub fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.validate()?;
        self.parameters().validate_at(facts)
    }

    /// How much may wait under this scheme.
    #[must_use]
    pub fn limit(&self) -> Limit {
        self.parameters().limit()
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
    pub fn build(&self, facts: &PortFacts) -> Box<dyn Aqm> {
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
        Ok(describe::text(name, &Self::parameter_schema(name)?))
    }
}
