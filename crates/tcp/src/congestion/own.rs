//! Controllers from outside this crate: whoever writes one is told what every controller is told, and answers
//! with a window.
//!
//! A [`ControllerDeclaration`] is what is known before there are parameters, an [`OwnController`] one with
//! its parameters, an [`OwnInstance`] that of one connection. [`DeclaredControllers`] says which can be named
//! while a text is read. What was read is kept for as long as the program runs, each once: profiles of hosts
//! stay plain data.

use super::control::{Codepoint, Settings};
use super::facts::{Acknowledged, Loss, LostSegment, Marks, Measured, Opening, Recovered, Sent, Timeout};
use super::{Congestion, CongestionControl, Habits};
use aqmlab_declared::Declarations;
use aqmlab_random::Key;
use aqmlab_units::Rate;
use schemars::Schema;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

/// The key of a controller's table that names it.
pub const CONTROLLER: &str = "controller";

/// What is known of a controller before it has parameters.
pub trait ControllerDeclaration: Send + Sync {
    /// What it is.
    fn meaning(&self) -> &str;

    /// The JSON schemas of its parameters by their names: each has a default.
    fn properties(&self) -> &Map<String, Value>;

    /// The controller with the parameters of a table.
    ///
    /// # Errors
    /// A key that is none of the parameters, or a value of the wrong type.
    fn parse(&self, table: Map<String, Value>) -> Result<Box<dyn OwnController>, serde_json::Error>;
}

/// A controller from outside with its parameters.
pub trait OwnController: Send + Sync {
    /// The table of its parameters, with every default filled in.
    fn to_json(&self) -> Value;

    /// What it is beside its window.
    fn traits(&self) -> OwnTraits;

    /// Checks its parameters.
    ///
    /// # Errors
    /// In words, the first that is not legal with its value, and what would be legal.
    fn validate(&self) -> Result<(), (String, String)>;

    /// That of a connection whose first segment is being sent, with its first answers.
    fn build(&self, settings: &Settings) -> (Box<dyn OwnInstance>, Answers);
}

/// What a controller from outside is, whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnTraits {
    /// Whether it hears of each segment that is taken for lost, and models the path.
    pub hears_each_loss: bool,
    /// Whether segments leave at the rate that it answers, whatever the host's settings are.
    pub paces: bool,
    /// Whether its hosts have accurate ECN.
    pub needs_accurate_ecn: bool,
    /// Whether it answers marks by [`Acknowledged::marked`].
    pub answers_marks: bool,
    /// The codepoint of its data.
    pub codepoint: Codepoint,
}

/// What such a controller is told: the methods of [`CongestionControl`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is the method of the same name")]
pub enum Fact<'a> {
    Established(&'a Opening),
    Sent(&'a Sent),
    RoundTrip(&'a Measured),
    Acknowledged(&'a Acknowledged),
    Lost(&'a LostSegment),
    Loss(&'a Loss),
    Timeout(&'a Timeout),
    Marks(&'a Marks),
    Recovered(Recovered),
    Idle(u32),
    Unused(u32),
}

impl Fact<'_> {
    /// The methods that are told facts.
    pub const METHODS: [&'static str; 11] = [
        "on_established",
        "on_sent",
        "on_round_trip",
        "on_acknowledged",
        "on_lost",
        "on_loss",
        "on_timeout",
        "on_marks",
        "on_recovered",
        "on_idle",
        "on_unused",
    ];

    /// The place of its method among [`Fact::METHODS`].
    #[must_use]
    pub const fn place(&self) -> usize {
        match self {
            Self::Established(_) => 0,
            Self::Sent(_) => 1,
            Self::RoundTrip(_) => 2,
            Self::Acknowledged(_) => 3,
            Self::Lost(_) => 4,
            Self::Loss(_) => 5,
            Self::Timeout(_) => 6,
            Self::Marks(_) => 7,
            Self::Recovered(_) => 8,
            Self::Idle(_) => 9,
            Self::Unused(_) => 10,
        }
    }

    /// The method that is told it.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        Self::METHODS[self.place()]
    }
}

/// What it answers, until it answers otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Segments that may be in the network, one or more.
    pub window: u32,
    /// The window up to which slow start lasts, two segments or more; the greatest value where there is none.
    pub slow_start_threshold: u32,
    /// The rate at which segments leave; none as long as it has none.
    pub pacing_rate: Option<Rate>,
    /// Segments that may leave in one instant, one or more.
    pub send_quantum: u32,
    /// Whether what leaves from here on is limited by its own choice.
    pub limits_samples: bool,
}

/// The controller of one connection. One that cannot go on ends the run.
pub trait OwnInstance: Debug + Send + Sync {
    /// The random numbers of the connection have this address.
    fn draw_from(&mut self, key: Key);

    /// Tells it a fact; answers with nothing where it does not hear of such facts.
    fn tell(&mut self, fact: &Fact<'_>) -> Option<Answers>;

    /// A copy, which goes on by itself.
    fn copied(&self) -> Box<dyn OwnInstance>;
}

/// A declaration under its name.
type Declared = aqmlab_declared::Declared<dyn ControllerDeclaration>;

/// Controllers that a text declares for itself: no other text can name them.
#[derive(Default)]
pub struct DeclaredControllers(Declarations<dyn ControllerDeclaration>);

thread_local! {
    /// Those that the text may name that is being read on this thread.
    static NAMEABLE: RefCell<Declarations<dyn ControllerDeclaration>> =
        const { RefCell::new(Declarations::NONE) };
}

impl DeclaredControllers {
    /// Adds a controller under a name. Returns the JSON schema of its tables.
    ///
    /// # Errors
    /// In words: one of its parameters has the name of the key that names it.
    pub(crate) fn add(
        &mut self,
        name: &str,
        declaration: Arc<dyn ControllerDeclaration>,
    ) -> Result<Value, String> {
        let mut all = declaration.properties().clone();
        let key = serde_json::json!({ "type": "string", "const": name });
        if all.insert(CONTROLLER.to_owned(), key).is_some() {
            return Err(format!("parameter `{CONTROLLER}`: every congestion controller has it already"));
        }
        let schema = serde_json::json!({
            "type": "object",
            "description": declaration.meaning(),
            "properties": all,
            "required": [CONTROLLER],
            "additionalProperties": false,
        });
        self.0.add(name, declaration);
        Ok(schema)
    }

    /// Reads a text that may name these controllers.
    pub fn while_reading<T>(self, read: impl FnOnce() -> T) -> T {
        self.0.while_reading(&NAMEABLE, read)
    }
}

/// A controller from outside with its parameters, as profiles of hosts have it. Two are equal that have equal
/// names, texts and parameters.
#[derive(Clone, Copy)]
pub struct OwnCongestion(&'static Kept);

struct Kept {
    /// As scenarios spell it.
    name: &'static str,
    traits: OwnTraits,
    own: Box<dyn OwnController>,
}

/// What was read so far, by name and parameters.
static KEPT: Mutex<BTreeMap<(String, String), &'static Kept>> = Mutex::new(BTreeMap::new());

impl OwnCongestion {
    /// The controller with this name that can be named now, of a table without that name; none where there
    /// is no such controller.
    ///
    /// # Errors
    /// The table does not fit it.
    pub(super) fn parse(name: &str, table: Map<String, Value>) -> Result<Option<Self>, serde_json::Error> {
        let Some(declared) = aqmlab_declared::find(&NAMEABLE, name) else { return Ok(None) };
        let Declared { ref declaration, .. } = declared;
        let own = declaration.parse(table)?;
        let place = (declared.name.to_string(), own.to_json().to_string());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || -> &'static Kept {
            let name = Box::leak(declared.spelt().into());
            Box::leak(Box::new(Kept { name, traits: own.traits(), own }))
        };
        Ok(Some(Self(kept.entry(place).or_insert_with(make))))
    }

    /// As scenarios spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Checks its parameters.
    ///
    /// # Errors
    /// In words, the first that is not legal with its value, and what would be legal.
    pub(crate) fn validate(self) -> Result<(), (String, String)> {
        self.0.own.validate()
    }

    pub(super) const fn habits(self) -> Habits {
        let OwnTraits { hears_each_loss, paces, needs_accurate_ecn, .. } = self.0.traits;
        Habits { needs_accurate_ecn, needs_pacing: paces, models_path: hears_each_loss, ..Habits::NONE }
    }
}

impl Debug for OwnCongestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name(), self.0.own.to_json())
    }
}

impl PartialEq for OwnCongestion {
    /// Each is kept once.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for OwnCongestion {}

impl Serialize for OwnCongestion {
    /// A table with the name first.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_map(None)?;
        table.serialize_entry(CONTROLLER, self.name())?;
        let parameters = self.0.own.to_json();
        for (key, value) in parameters.as_object().into_iter().flatten() {
            table.serialize_entry(key, value)?;
        }
        table.end()
    }
}

/// A controller is a name, or a table that names one in a file with its parameters.
pub(super) fn with_own(schema: &mut Schema) {
    let table = serde_json::json!({
        "type": "object",
        "description": "One in a file, and its parameters.",
        "properties": {
            CONTROLLER: { "type": "string", "description": "`FILE.py:CLASS` or `LIBRARY.so:SYMBOL`." }
        },
        "required": [CONTROLLER],
    });
    if let Some(Value::Array(choices)) = schema.get_mut("oneOf") {
        choices.push(table);
    }
}

impl Serialize for Congestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Own(own) => own.serialize(serializer),
            _ => serializer.serialize_str(self.name()),
        }
    }
}

impl<'de> Deserialize<'de> for Congestion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(name) => Self::parse(&name, Map::new()),
            Value::Object(mut table) => {
                let name = table.remove(CONTROLLER);
                let name = name.ok_or_else(|| D::Error::missing_field(CONTROLLER))?;
                let name = name.as_str().ok_or_else(|| D::Error::custom("controller: no name"))?;
                Self::parse(name, table)
            }
            other => Err(D::Error::custom(format!("{other} is no congestion controller"))),
        }
    }
}

impl Congestion {
    /// The controller with this name, with the parameters of a table.
    fn parse<E: serde::de::Error>(name: &str, table: Map<String, Value>) -> Result<Self, E> {
        if let Some(known) = Self::ALL.iter().copied().find(|known| known.name() == name) {
            let Some(key) = table.keys().next() else { return Ok(known) };
            return Err(E::custom(format!("{name} has no parameter `{key}`; keys of host may change it")));
        }
        match OwnCongestion::parse(name, table) {
            Ok(Some(own)) => Ok(Self::Own(own)),
            Ok(None) => {
                let legal: Vec<&str> = Self::ALL.iter().map(|known| known.name()).collect();
                let legal = legal.join(", ");
                Err(E::custom(format!(
                    "no controller \"{name}\"; legal: {legal}, FILE.py:CLASS or LIBRARY.so:SYMBOL"
                )))
            }
            Err(error) => Err(E::custom(error)),
        }
    }
}

/// The controller of a connection, and what it last answered.
#[derive(Debug)]
pub(crate) struct Controller {
    instance: Box<dyn OwnInstance>,
    answers: Answers,
    traits: OwnTraits,
    /// Whether the host's settings want a pace.
    pacing: bool,
}

impl Clone for Controller {
    fn clone(&self) -> Self {
        Self { instance: self.instance.copied(), ..*self }
    }
}

impl Controller {
    /// One of a connection whose first segment is being sent.
    pub(super) fn of(own: OwnCongestion, settings: &Settings) -> Self {
        let (instance, answers) = own.0.own.build(settings);
        Self { instance, answers, traits: own.0.traits, pacing: settings.pacing }
    }

    fn tell(&mut self, fact: &Fact<'_>) {
        if let Some(answers) = self.instance.tell(fact) {
            self.answers = answers;
        }
    }
}

impl CongestionControl for Controller {
    fn new(_settings: &Settings) -> Self {
        unreachable!("a controller from outside is made of its parameters")
    }

    fn draw_from(&mut self, key: Key) {
        self.instance.draw_from(key);
    }

    fn on_established(&mut self, opening: Opening) {
        self.tell(&Fact::Established(&opening));
    }

    fn on_sent(&mut self, sent: &Sent) {
        self.tell(&Fact::Sent(sent));
    }

    fn on_round_trip(&mut self, measured: &Measured) {
        self.tell(&Fact::RoundTrip(measured));
    }

    fn on_acknowledged(&mut self, acknowledged: &Acknowledged) {
        self.tell(&Fact::Acknowledged(acknowledged));
    }

    fn on_lost(&mut self, lost: &LostSegment) {
        self.tell(&Fact::Lost(lost));
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.tell(&Fact::Loss(loss));
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.tell(&Fact::Timeout(timeout));
    }

    fn on_marks(&mut self, marks: &Marks) {
        self.tell(&Fact::Marks(marks));
    }

    fn on_recovered(&mut self, recovered: Recovered) {
        self.tell(&Fact::Recovered(recovered));
    }

    fn on_idle(&mut self, timeouts: u32) {
        self.tell(&Fact::Idle(timeouts));
    }

    fn on_unused(&mut self, used: u32) {
        self.tell(&Fact::Unused(used));
    }

    fn window(&self) -> u32 {
        self.answers.window
    }

    fn slow_start_threshold(&self) -> u32 {
        self.answers.slow_start_threshold
    }

    fn paces(&self) -> bool {
        self.traits.paces || self.pacing
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.answers.pacing_rate
    }

    fn send_quantum(&self) -> u32 {
        self.answers.send_quantum
    }

    fn limits_samples(&self) -> bool {
        self.answers.limits_samples
    }

    fn codepoint(&self) -> Codepoint {
        self.traits.codepoint
    }

    fn answers_marks(&self) -> bool {
        self.traits.answers_marks
    }
}
