//! A class of Python as a congestion controller: what `aqmlab.controllers.loading` found in its file, and
//! what is made of it. Its methods are called one by one, under the interpreter lock.

use super::answers;
use super::facts::FactTypes;
use crate::class_in_file::{ClassInFile, described, json};
use crate::schemes::Coins;
use aqmlab_plugin::{ControllerFactory, DeclaredController, Fault, Refused, Values};
use aqmlab_random::Key;
use aqmlab_scenario::InFile;
use aqmlab_tcp::congestion::own::{Answers, ControllerDeclaration, Fact, OwnInstance, OwnTraits};
use aqmlab_tcp::congestion::{Codepoint, Settings};
use pyo3::intern;
use pyo3::prelude::*;
use std::fmt;
use std::sync::Arc;

/// The module that reads files and classes.
const LOADING: &str = "aqmlab.controllers.loading";

/// The controller that a class in a file is, or in words why it is none.
pub(super) fn load(file: &InFile<'_>) -> Result<Arc<dyn ControllerDeclaration>, String> {
    let ClassInFile { meaning, properties, loaded } = ClassInFile::find(LOADING, file)?;
    let made = Python::attach(|py| -> PyResult<Loaded> {
        let own = loaded.bind(py);
        let ect1: bool = own.getattr("ect1")?.extract()?;
        let flag = |name: &str| -> PyResult<bool> { own.getattr(name)?.extract() };
        let traits = OwnTraits {
            hears_each_loss: flag("hears_each_loss")?,
            paces: flag("paces")?,
            needs_accurate_ecn: flag("accurate_ecn")?,
            answers_marks: flag("answers_marks")?,
            codepoint: if ect1 { Codepoint::Ect1 } else { Codepoint::Ect0 },
        };
        let (name, methods) = (own.getattr("name")?.extract()?, own.getattr("methods")?.extract()?);
        Ok(Loaded { traits, name, methods, types: FactTypes::new(py)?, loaded: loaded.clone_ref(py) })
    });
    let made = made.map_err(|error| error.to_string())?;
    Ok(Arc::new(DeclaredController::new(meaning, properties, Arc::new(made))?))
}

/// An `aqmlab.controllers.loading.Loaded`.
struct Loaded {
    traits: OwnTraits,
    name: String,
    /// The methods that are called.
    methods: Vec<String>,
    types: Arc<FactTypes>,
    loaded: Py<PyAny>,
}

/// The key that is refused, what is wrong with its value, and what would be legal.
type Refusal = Option<(String, String, String)>;

impl ControllerFactory for Loaded {
    fn traits(&self) -> OwnTraits {
        self.traits
    }

    fn check(&self, values: &Values) -> Result<(), Refused> {
        let refusal = Python::attach(|py| -> PyResult<Refusal> {
            self.loaded.bind(py).call_method1(intern!(py, "refusal_of"), (json(values),))?.extract()
        });
        match refusal {
            Ok(None) => Ok(()),
            Ok(Some((key, wrong, legal))) => Err(Refused { key, wrong, legal }),
            Err(error) => {
                let wrong = format!("one whose check fails ({})", described(&self.loaded, &error));
                Err(Refused { key: self.name.clone(), wrong, legal: "one whose `check` works".to_owned() })
            }
        }
    }

    fn build(&self, values: &Values, settings: &Settings) -> (Box<dyn OwnInstance>, Answers) {
        let host = (settings.initial_window, settings.packet_bytes, settings.pacing);
        let made = Python::attach(|py| -> PyResult<_> {
            let loaded = self.loaded.bind(py);
            let instance = loaded.call_method1(intern!(py, "make"), (json(values), host))?;
            let mut own = ClassController::new(self, &instance)?;
            // Until it hears of its own: whoever has no address draws what all of them draw.
            own.draw_from(Key::from_seed(0));
            Ok((own, answers::read(&instance)?))
        });
        let (own, first) = made.unwrap_or_else(|error| Fault::raise(described(&self.loaded, &error)));
        let first =
            first.unwrap_or_else(|wrong| Fault::raise(format!("{}, after start: {wrong}", self.name)));
        (Box::new(own), first)
    }
}

/// An instance, and the methods that are called, by their places in [`Fact::METHODS`].
struct ClassController {
    instance: Py<PyAny>,
    methods: [Option<Py<PyAny>>; Fact::METHODS.len()],
    name: String,
    called: Vec<String>,
    types: Arc<FactTypes>,
    /// For words about what went wrong.
    loaded: Py<PyAny>,
}

impl ClassController {
    fn new(loaded: &Loaded, instance: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Loaded { name, methods, types, loaded, .. } = loaded;
        let loaded = loaded.clone_ref(instance.py());
        Self::of(instance, name.clone(), methods.clone(), Arc::clone(types), loaded)
    }

    fn of(
        instance: &Bound<'_, PyAny>,
        name: String,
        called: Vec<String>,
        types: Arc<FactTypes>,
        loaded: Py<PyAny>,
    ) -> PyResult<Self> {
        let mut methods = [const { None }; Fact::METHODS.len()];
        for (place, method) in Fact::METHODS.into_iter().enumerate() {
            if called.iter().any(|own| own == method) {
                methods[place] = Some(instance.getattr(method)?.unbind());
            }
        }
        Ok(Self { instance: instance.clone().unbind(), methods, name, called, types, loaded })
    }

    /// Does something in Python; an exception ends the run.
    fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        Python::attach(call).unwrap_or_else(|error| Fault::raise(described(&self.loaded, &error)))
    }
}

impl fmt::Debug for ClassController {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl OwnInstance for ClassController {
    fn draw_from(&mut self, key: Key) {
        self.call(|py| {
            let coins = Py::new(py, Coins { stream: key.stream() })?;
            self.instance.setattr(py, intern!(py, "coins"), coins)
        });
    }

    fn tell(&mut self, fact: &Fact<'_>) -> Option<Answers> {
        let method = self.methods[fact.place()].as_ref()?;
        let answers = self.call(|py| {
            method.call1(py, (self.types.of(py, fact)?,))?;
            answers::read(self.instance.bind(py))
        });
        let wrong = |wrong| Fault::raise(format!("{}, after {}: {wrong}", self.name, fact.method()));
        Some(answers.unwrap_or_else(wrong))
    }

    fn copied(&self) -> Box<dyn OwnInstance> {
        Box::new(self.call(|py| {
            let copy = py.import("copy")?.call_method1("deepcopy", (&self.instance,))?;
            let (types, loaded) = (Arc::clone(&self.types), self.loaded.clone_ref(py));
            Self::of(&copy, self.name.clone(), self.called.clone(), types, loaded)
        }))
    }
}
