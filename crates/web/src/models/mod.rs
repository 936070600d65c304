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
mod per_kind;
mod server_visit;
mod single_exchanges;
mod think_cycle;

use crate::{ModelFacts, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! register {
    ($($name:literal => $module:ident::$model:ident($parameters:ident),)+) => {
        $(pub mod $module;)+

        /// How users browse: a traffic model and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "model")]
        #[expect(missing_docs, reason = "the parameters' documentation is that of the variant in the schema")]
        pub enum UserModel {
            $(
                #[serde(rename = $name)]
                $model($module::$parameters),
            )+
        }

        impl UserModel {
            /// The names of all models, as scenarios spell them.
            pub const NAMES: &[&str] = &[$($name),+];

            /// Every model with the defaults of its parameters.
            #[must_use]
            pub fn all() -> Vec<Self> {
                vec![$(Self::$model($module::$parameters::default())),+]
            }

            /// The name of this model, as scenarios spell it.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$model(_) => $name,)+
                }
            }

            /// Its parameters.
            #[must_use]
            pub fn parameters(&self) -> &dyn Parameters {
                match self {
                    $(Self::$model(parameters) => parameters,)+
                }
            }

            /// Its parameters, to be changed.
            pub fn parameters_mut(&mut self) -> &mut dyn Parameters {
                match self {
                    $(Self::$model(parameters) => parameters,)+
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
}

impl UserModel {
    /// The names of the models of whose facts this holds.
    pub fn names_where(holds: impl Fn(&ModelFacts) -> bool) -> Vec<&'static str> {
        let all = Self::all().into_iter().filter(|model| holds(&model.parameters().facts()));
        all.map(|model| model.name()).collect()
    }
}

impl Default for UserModel {
    fn default() -> Self {
        Self::Unc(unc::UncParameters::default())
    }
}
