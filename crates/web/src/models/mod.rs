//! Published models of web users, one file or folder each, registered in one list.
//!
//! A model is a set of [`Parameters`], the laws prepared from them once for a whole population
//! ([`crate::Model`]), and a user who answers events with [`crate::Command`]s. From a line of the list follow
//! the module, the variant of [`UserModel`], parsing, the names in error messages, the JSON schema and what
//! `aqmlab explain` prints. To add one: its file here (opening with the source, the laws, the table of
//! parameters, departures and silences), its line, its page in the documentation, and a test that drives it
//! in random order. The first paragraph about its parameters says what it is.
//!
//! What models share stands beside them: `count.rs` (laws of whole numbers), `gamma.rs`, `per_kind.rs` (a law
//! for each kind of object), `light.rs` (pages that no response makes long), `think_cycle.rs` (think times,
//! and how users begin), `server_visit.rs` (pages of a visit), `single_exchanges.rs` (connections that carry
//! one exchange).

mod count;
mod gamma;
mod light;
pub mod own;
mod per_kind;
mod server_visit;
mod single_exchanges;
mod think_cycle;

use crate::{ModelFacts, Parameters};
use own::{OwnParameters, UnreadableModel};
use schemars::{JsonSchema, Schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

macro_rules! register {
    ($($name:literal => $module:ident::$model:ident($parameters:ident),)+) => {
        $(pub mod $module;)+

        /// How users browse: a traffic model and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "model")]
        #[schemars(transform = told_apart_by_name)]
        #[expect(missing_docs, reason = "the parameters' documentation is that of the variant in the schema")]
        pub enum UserModel {
            $(
                #[serde(rename = $name)]
                $model($module::$parameters),
            )+
            /// A model from outside this crate, which [`own::DeclaredModels`] declare.
            #[serde(untagged)]
            #[schemars(skip)]
            Own(OwnParameters),
        }

        impl UserModel {
            /// The names of the models of this crate, as scenarios spell them.
            pub const NAMES: &[&str] = &[$($name),+];

            /// Every model of this crate with the defaults of its parameters.
            #[must_use]
            pub fn all() -> Vec<Self> {
                vec![$(Self::$model($module::$parameters::default())),+]
            }

            /// The name of this model, as scenarios spell it.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$model(_) => $name,)+
                    Self::Own(own) => own.name(),
                }
            }

            /// The model with this name of a table without the key `model`.
            fn parse<E: serde::de::Error>(name: &str, table: Map<String, Value>) -> Result<Self, E> {
                match name {
                    $($name => serde_json::from_value(Value::Object(table)).map(Self::$model).map_err(E::custom),)+
                    _ => match OwnParameters::parse(name, table) {
                        Ok(own) => Ok(Self::Own(own)),
                        Err(UnreadableModel::Unknown) => Err(E::unknown_variant(name, Self::NAMES)),
                        Err(UnreadableModel::Table(error)) => Err(E::custom(error)),
                    },
                }
            }

            /// Its parameters.
            #[must_use]
            pub fn parameters(&self) -> &dyn Parameters {
                match self {
                    $(Self::$model(parameters) => parameters,)+
                    Self::Own(parameters) => parameters,
                }
            }

            /// Its parameters, to be changed.
            pub fn parameters_mut(&mut self) -> &mut dyn Parameters {
                match self {
                    $(Self::$model(parameters) => parameters,)+
                    Self::Own(parameters) => parameters,
                }
            }
        }
    };
}

register! {
    "unc" => unc::Unc(UncParameters),
    "mah" => mah::Mah(MahParameters),
    "pages" => pages::Pages(PagesParameters),
    "packmime" => packmime::PackMime(PackMimeParameters),
    "webtraf" => webtraf::Webtraf(WebtrafParameters),
    "tmix" => tmix::Tmix(TmixParameters),
    "fixed-page" => fixed_page::FixedPage(FixedPageParameters),
    "video-streaming" => video_streaming::VideoStreaming(VideoStreamingParameters),
}

/// Models are told apart by their names, so that one and no other is meant: of a choice with an untagged
/// variant the derivation says less.
fn told_apart_by_name(schema: &mut Schema) {
    if let Some(models) = schema.remove("anyOf") {
        schema.insert("oneOf".to_owned(), models);
    }
}

impl<'de> Deserialize<'de> for UserModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = Map::deserialize(deserializer)?;
        let name = table.remove("model").ok_or_else(|| D::Error::missing_field("model"))?;
        let name = String::deserialize(name).map_err(D::Error::custom)?;
        Self::parse(&name, table)
    }
}

impl UserModel {
    /// The names of the models of whose facts this holds.
    pub fn names_where(holds: impl Fn(&ModelFacts) -> bool) -> Vec<&'static str> {
        let all = Self::NAMES.iter().copied().zip(Self::all());
        all.filter(|(_, model)| holds(&model.parameters().facts())).map(|(name, _)| name).collect()
    }
}

impl Default for UserModel {
    fn default() -> Self {
        Self::Unc(unc::UncParameters::default())
    }
}
