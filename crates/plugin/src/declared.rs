//! A scheme whose parameters are declared as data.

use aqmlab_aqm::parts::{Limit, LimitRule};
use aqmlab_aqm::{Aqm, Declaration, Discipline, OutsideParameters, ParameterError, Parameters, PortFacts};
use schemars::{Schema, json_schema};
use serde::de::Error as _;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The parameters of a scheme by their names, every default filled in.
pub type Values = Map<String, Value>;

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

    /// The scheme at a port, of parameters that are legal there.
    fn build(&self, values: &Values, facts: &PortFacts) -> Box<dyn Aqm>;
}

/// A scheme with the names, meanings, types, ranges and defaults of its parameters, and what makes it. Every
/// such scheme has the limits of its queue and `ecn` among them.
#[derive(Clone)]
pub struct DeclaredScheme {
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
    pub fn new(meaning: String, own: Values, factory: Arc<dyn Factory>) -> Result<Self, String> {
        let mut properties = shared_properties();
        for (key, schema) in own {
            let is_part = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_';
            if !key.starts_with(|one: char| one.is_ascii_lowercase()) || !key.chars().all(is_part) {
                return Err(format!(
                    "parameter `{key}`: lower-case letters, digits and underscores, a letter first"
                ));
            }
            if properties.contains_key(&key) || key == "scheme" {
                return Err(format!("parameter `{key}`: every scheme has it already"));
            }
            let default = schema.get("default").ok_or(format!("parameter `{key}`: no default"))?;
            if !is_of_type(&schema, default) || refusal(&schema, default).is_some() {
                return Err(format!("parameter `{key}`: its default {default} is not legal"));
            }
            properties.insert(key, schema);
        }
        Ok(Self { meaning, properties: Arc::new(properties), factory })
    }
}

/// What every scheme in a file has: its buffer, and whether it marks.
fn shared_properties() -> Values {
    let shared = serde_json::json!({
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
    let Value::Object(shared) = shared else { unreachable!("written as an object above") };
    shared
}

impl Declaration for DeclaredScheme {
    fn schema(&self) -> Schema {
        json_schema!({
            "type": "object",
            "description": self.meaning,
            "properties": Value::Object((*self.properties).clone()),
            "additionalProperties": false,
        })
    }

    fn is_one_queue(&self) -> bool {
        true
    }

    fn parse(&self, table: Value) -> Result<Arc<dyn OutsideParameters>, serde_json::Error> {
        let Value::Object(given) = table else {
            return Err(serde_json::Error::custom("the parameters of a scheme are a table"));
        };
        let defaults = self.properties.iter().map(|(key, schema)| (key.clone(), schema["default"].clone()));
        let mut values: Values = defaults.collect();
        for (key, value) in given {
            let Some(schema) = self.properties.get(&key) else {
                let legal: Vec<String> = self.properties.keys().map(|key| format!("`{key}`")).collect();
                let message = format!("unknown field `{key}`, expected one of {}", legal.join(", "));
                return Err(serde_json::Error::custom(message));
            };
            if !is_of_type(schema, &value) {
                return Err(serde_json::Error::custom(format!("{key}: {value} is of the wrong type")));
            }
            // A number is written in one way, so that equal parameters give equal texts.
            let real = if has_type(schema, "number") { value.as_f64().map(Value::from) } else { None };
            values.insert(key, real.unwrap_or(value));
        }
        Ok(Arc::new(DeclaredParameters { declared: self.clone(), values }))
    }
}

/// Parameters of a declared scheme.
struct DeclaredParameters {
    declared: DeclaredScheme,
    values: Values,
}

impl DeclaredParameters {
    fn value<T: for<'de> serde::Deserialize<'de>>(&self, key: &str) -> T {
        T::deserialize(&self.values[key]).unwrap_or_else(|error| panic!("{key} was checked: {error}"))
    }
}

impl OutsideParameters for DeclaredParameters {
    fn parameters(&self) -> &dyn Parameters {
        self
    }

    fn to_json(&self) -> Value {
        Value::Object(self.values.clone())
    }
}

impl Parameters for DeclaredParameters {
    fn validate(&self) -> Result<(), ParameterError> {
        for (key, value) in &self.values {
            if let Some(legal) = refusal(&self.declared.properties[key], value) {
                let value = Some(value.to_string());
                return Err(ParameterError { key: key.clone().into(), value, legal });
            }
        }
        self.declared.factory.check(&self.values)
    }

    fn validate_at(&self, facts: &PortFacts) -> Result<(), ParameterError> {
        self.declared.factory.check_at(&self.values, facts)
    }

    fn limit(&self) -> Limit {
        let rule: LimitRule = self.value("limit_rule");
        Limit { packets: self.value("limit_packets"), bytes: self.value("limit_bytes"), rule }
    }

    fn ecn(&self) -> bool {
        self.value("ecn")
    }

    fn build(&self, facts: &PortFacts) -> Discipline {
        Discipline::Fifo(self.declared.factory.build(&self.values, facts))
    }
}

/// Whether a value is of the type that a schema asks for.
fn is_of_type(schema: &Value, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "null" => value.is_null(),
        _ => false,
    };
    types(schema).any(is)
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    types(schema).any(|kind| kind == wanted)
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, several) = match &schema["type"] {
        Value::String(kind) => (Some(kind.as_str()), [].as_slice()),
        Value::Array(kinds) => (None, kinds.as_slice()),
        _ => (None, [].as_slice()),
    };
    one.into_iter().chain(several.iter().filter_map(Value::as_str))
}

/// Whether a number keeps a bound.
type Holds = fn(f64, f64) -> bool;

/// JSON Schema's bounds of numbers, in words, and what they mean.
const BOUNDS: [(&str, &str, Holds); 4] = [
    ("minimum", "at least", |number, bound| number >= bound),
    ("exclusiveMinimum", "above", |number, bound| number > bound),
    ("maximum", "at most", |number, bound| number <= bound),
    ("exclusiveMaximum", "below", |number, bound| number < bound),
];

/// What would be legal, if a value of the right type is not.
fn refusal(schema: &Value, value: &Value) -> Option<String> {
    if let (Some(words), Some(word)) = (schema.get("enum").and_then(Value::as_array), value.as_str()) {
        let known: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return (!known.contains(&word)).then(|| format!("one of {}", known.join(", ")));
    }
    let number = value.as_f64()?;
    BOUNDS.into_iter().find_map(|(keyword, words, holds)| {
        let bound = schema.get(keyword)?.as_f64()?;
        (!holds(number, bound)).then(|| format!("{words} {bound}"))
    })
}
