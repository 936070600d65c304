//! Schemes from outside this crate: registered by name while the program runs, or declared by the text that
//! names them; then parsed, checked and built as those of the list are.

use super::schema_of;
use crate::parameters::Parameters;
use aqmlab_declared::Declarations;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

/// The parameters of a scheme from outside, whose type is known to its [`Declaration`] alone.
pub trait OutsideParameters: Send + Sync {
    /// What every scheme's parameters offer.
    fn parameters(&self) -> &dyn Parameters;

    /// The table without the key `scheme`, with every default filled in.
    fn to_json(&self) -> Value;
}

impl<P: Parameters + Serialize + Send + Sync> OutsideParameters for P {
    fn parameters(&self) -> &dyn Parameters {
        self
    }

    fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("registered parameters were written as a table before")
    }
}

/// What is known of a scheme from outside before it has parameters. [`register`] makes one of a type; a
/// scheme that is found while the program runs (in a file, say) declares itself through
/// [`DeclaredSchemes`] or [`register_declared`].
pub trait Declaration: Send + Sync {
    /// The JSON schema of the table of its parameters: an object whose every property has a default, and no
    /// others.
    fn schema(&self) -> Schema;

    /// Whether it has a single queue and no guards.
    fn is_one_queue(&self) -> bool;

    /// The parameters in a table without the key `scheme`.
    ///
    /// # Errors
    /// A key that is none of the parameters, or a value of the wrong type.
    fn parse(&self, table: Value) -> Result<Arc<dyn OutsideParameters>, serde_json::Error>;
}

/// The declaration that follows from a type.
struct OfType<P>(PhantomData<fn() -> P>);

impl<P> Declaration for OfType<P>
where
    P: Parameters + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    fn schema(&self) -> Schema {
        schema_of::<P>()
    }

    fn is_one_queue(&self) -> bool {
        P::default().is_one_queue()
    }

    fn parse(&self, table: Value) -> Result<Arc<dyn OutsideParameters>, serde_json::Error> {
        Ok(Arc::new(serde_json::from_value::<P>(table)?))
    }
}

/// A declaration under its name.
type Declared = aqmlab_declared::Declared<dyn Declaration>;

/// A scheme from outside this crate with its parameters.
#[derive(Clone)]
pub struct OutsideScheme {
    declared: Declared,
    parameters: Arc<dyn OutsideParameters>,
}

impl fmt::Debug for OutsideScheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.declared.name, self.parameters.to_json())
    }
}

impl PartialEq for OutsideScheme {
    fn eq(&self, other: &Self) -> bool {
        self.declared.name == other.declared.name && self.parameters.to_json() == other.parameters.to_json()
    }
}

impl Serialize for OutsideScheme {
    /// A table with the key `scheme` first, as of the schemes of this crate.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_map(None)?;
        table.serialize_entry("scheme", self.name())?;
        if let Value::Object(keys) = self.parameters.to_json() {
            keys.iter().try_for_each(|(key, value)| table.serialize_entry(key, value))?;
        }
        table.end()
    }
}

/// Why a scheme was not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// Another scheme has this name.
    #[error("there is a scheme `{0}` already")]
    Taken(String),
    /// A name is not spelt as names of schemes are.
    #[error(
        "`{0}` is no name of a scheme: it must be lower-case letters, digits and hyphens, a letter first"
    )]
    Name(String),
    /// The parameters cannot be a table of a scenario.
    #[error("the parameters of `{name}` cannot be read from a scenario: they must be {legal}")]
    Parameters {
        /// Of which scheme.
        name: String,
        /// What they would have to be.
        legal: &'static str,
    },
}

/// A registered scheme.
#[derive(Clone)]
struct Registered {
    name: &'static str,
    declaration: Arc<dyn Declaration>,
}

/// The registered schemes, and the names of all.
struct Registry {
    schemes: Vec<Registered>,
    names: Option<&'static [&'static str]>,
}

static REGISTRY: RwLock<Registry> = RwLock::new(Registry { schemes: Vec::new(), names: None });

/// Registers a scheme from outside this crate under a name, for as long as the program runs. From then on it
/// is a scheme like all others: scenarios name it, its parameters are checked by their own schema and by
/// [`Parameters::validate`], [`super::Scheme::describe`] describes it, and ports and queues among several
/// work under it.
///
/// `P` is the table of its parameters: a struct that derives `Serialize`, `Deserialize` and `JsonSchema`,
/// with `#[serde(deny_unknown_fields, default)]`, whose documentation becomes that of the scheme and its
/// keys.
///
/// ```
/// use aqmlab_aqm::parts::{Limit, LimitRule};
/// use aqmlab_aqm::{
///     Aqm, Discipline, PacketFacts, ParameterError, Parameters, PortFacts, QueueView, Reason, Scheme, Verdict,
/// };
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// /// Half: signals to every arrival that finds the buffer half full.
/// #[derive(Default, Serialize, Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields, default)]
/// struct Half {
///     /// Packets that may wait.
///     limit_packets: Option<u32>,
///     /// Whether ECN-capable packets are marked instead of dropped.
///     ecn: bool,
/// }
///
/// impl Parameters for Half {
///     fn validate(&self) -> Result<(), ParameterError> {
///         Ok(())
///     }
///     fn limit(&self) -> Limit {
///         Limit { packets: self.limit_packets, bytes: None, rule: LimitRule::HoldLimit }
///     }
///     fn ecn(&self) -> bool {
///         self.ecn
///     }
///     fn build(&self, _: &PortFacts) -> Discipline {
///         Discipline::fifo(HalfFull(self.limit_packets.unwrap_or(u32::MAX) / 2))
///     }
/// }
///
/// #[derive(Clone)]
/// struct HalfFull(u32);
///
/// impl Aqm for HalfFull {
///     fn on_arrival(
///         &mut self,
///         _: aqmlab_units::Time,
///         _: &PacketFacts,
///         queue: &QueueView<'_>,
///         _: &mut aqmlab_random::Stream,
///     ) -> Verdict {
///         if queue.packets() >= self.0 { Verdict::Signal(Reason::Early) } else { Verdict::Pass }
///     }
/// }
///
/// aqmlab_aqm::register::<Half>("half")?;
/// assert!(Scheme::names().contains(&"half"));
/// # Ok::<(), aqmlab_aqm::RegistrationError>(())
/// ```
///
/// # Errors
/// [`RegistrationError`] when the name is taken or misspelt, or the parameters are no such table.
pub fn register<P>(name: &'static str) -> Result<(), RegistrationError>
where
    P: Parameters + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    let is_part = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    if !name.starts_with(|one: char| one.is_ascii_lowercase()) || !name.chars().all(is_part) {
        return Err(RegistrationError::Name(name.to_owned()));
    }
    check_default(name, &serde_json::to_value(P::default()).unwrap_or_default())?;
    register_declared(name, Arc::new(OfType::<P>(PhantomData)))
}

/// Registers a scheme that declares its parameters as data, as [`register`] does one whose parameters are a
/// type. Its name is the caller's affair: it may say, for instance, in which file the scheme was found. What
/// follows an `@` tells schemes apart that scenarios spell alike, and is not part of the name that they
/// spell.
///
/// # Errors
/// [`RegistrationError`] when the name is taken, or the parameters are no table of a scenario.
pub fn register_declared(name: &str, declaration: Arc<dyn Declaration>) -> Result<(), RegistrationError> {
    check_schema(name, &declaration.schema())?;
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if super::NAMES.contains(&name) || registry.schemes.iter().any(|scheme| scheme.name == name) {
        return Err(RegistrationError::Taken(name.to_owned()));
    }
    // Kept for the rest of the program, as the registration is.
    registry.schemes.push(Registered { name: name.to_owned().leak(), declaration });
    let outside = registry.schemes.iter().map(|scheme| scheme.name);
    registry.names = Some(Vec::leak(super::NAMES.iter().copied().chain(outside).collect()));
    Ok(())
}

fn refused(name: &str, legal: &'static str) -> RegistrationError {
    RegistrationError::Parameters { name: name.to_owned(), legal }
}

fn check_default(name: &str, table: &Value) -> Result<(), RegistrationError> {
    if table.is_object() { Ok(()) } else { Err(refused(name, "a struct with named fields")) }
}

fn check_schema(name: &str, schema: &Schema) -> Result<(), RegistrationError> {
    let Some(keys) = schema.get("properties").and_then(Value::as_object) else {
        return Err(refused(name, "a struct with named fields"));
    };
    if keys.contains_key("scheme") {
        return Err(refused(name, "a table without a key `scheme`, which names the scheme itself"));
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) || schema.get("required").is_some() {
        return Err(refused(name, "a struct with #[serde(deny_unknown_fields, default)]"));
    }
    Ok(())
}

/// The names of this crate's schemes, and of those that were registered.
pub(super) fn all_names(own: &'static [&'static str]) -> &'static [&'static str] {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).names.unwrap_or(own)
}

fn registered() -> Vec<Registered> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).schemes.clone()
}

/// Schemes that a text declares for itself: no other text can name them. A scheme that was read owns its
/// declaration.
#[derive(Default)]
pub struct DeclaredSchemes(Declarations<dyn Declaration>);

thread_local! {
    /// Those that the text may name that is being read on this thread.
    static NAMEABLE: RefCell<Declarations<dyn Declaration>> = const { RefCell::new(Declarations::NONE) };
}

impl DeclaredSchemes {
    /// Adds a scheme under a name, whose form is the caller's affair as in [`register_declared`]. Returns the
    /// JSON schema of its tables, with the key `scheme`.
    ///
    /// # Errors
    /// [`RegistrationError::Parameters`] when its parameters are no table of a scenario.
    pub fn declare(
        &mut self,
        name: &str,
        declaration: Arc<dyn Declaration>,
    ) -> Result<Value, RegistrationError> {
        let schema = declaration.schema();
        check_schema(name, &schema)?;
        self.0.add(name, declaration);
        Ok(super::with_tag(schema, name).to_value())
    }

    /// A scheme under the name that tables have for it.
    pub(super) fn as_spelt(scheme: &OutsideScheme) -> Self {
        let mut spelt = Self::default();
        spelt.0.add(scheme.name(), Arc::clone(&scheme.declared.declaration));
        spelt
    }

    /// Reads a text that may name these schemes, beside those that are registered.
    pub fn while_reading<T>(self, read: impl FnOnce() -> T) -> T {
        self.0.while_reading(&NAMEABLE, read)
    }
}

/// The scheme with this name that can be named now.
fn find(name: &str) -> Option<Declared> {
    aqmlab_declared::find(&NAMEABLE, name).or_else(|| {
        let Registered { name, declaration } = registered().into_iter().find(|scheme| scheme.name == name)?;
        Some(Declared { name: name.into(), declaration })
    })
}

impl OutsideScheme {
    /// As scenarios spell it.
    pub(super) fn name(&self) -> &str {
        self.declared.spelt()
    }

    pub(super) fn parameters(&self) -> &dyn Parameters {
        self.parameters.parameters()
    }

    /// The same scheme with the parameters of another table.
    pub(crate) fn with_table(&self, table: Value) -> Result<Self, serde_json::Error> {
        let parameters = self.declared.declaration.parse(table)?;
        Ok(Self { declared: self.declared.clone(), parameters })
    }

    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        registered().into_iter().map(|scheme| scheme.name)
    }

    pub(super) fn names_of_one_queue() -> impl Iterator<Item = &'static str> {
        registered().into_iter().filter(|scheme| scheme.declaration.is_one_queue()).map(|scheme| scheme.name)
    }

    pub(super) fn schema(name: &str) -> Option<Schema> {
        find(name).map(|own| own.declaration.schema())
    }

    /// The scheme of a table without the key `scheme`; none when no scheme from outside has this name.
    pub(super) fn parse(name: &str, table: Value) -> Option<Result<Self, serde_json::Error>> {
        let declared = find(name)?;
        let parameters = declared.declaration.parse(table);
        Some(parameters.map(|parameters| Self { declared, parameters }))
    }
}
