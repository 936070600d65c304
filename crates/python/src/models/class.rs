//! A class of Python as a traffic model: what `aqmlab.models.loading` found in its file, and what is made of
//! it. It is called once a page.

use super::draws::{Draws, own};
use super::page::PageTypes;
use crate::class_in_file::{ClassInFile, described, json};
use aqmlab_plugin::{DeclaredModel, Fault, ModelFactory, Refused, Values};
use aqmlab_random::Key;
use aqmlab_scenario::InFile;
use aqmlab_units::Span;
use aqmlab_web::{ModelDeclaration, OwnModelError, PageObject, PageSource};
use pyo3::intern;
use pyo3::prelude::*;
use std::fmt;
use std::sync::Arc;

/// The module that reads files and classes.
const LOADING: &str = "aqmlab.models.loading";

/// The model that a class in a file is, or in words why it is none.
pub(super) fn load(file: &InFile<'_>) -> Result<Arc<dyn ModelDeclaration>, String> {
    let ClassInFile { meaning, properties, loaded } = ClassInFile::find(LOADING, file)?;
    Ok(Arc::new(DeclaredModel::new(meaning, properties, Arc::new(Loaded(loaded)))?))
}

/// An `aqmlab.models.loading.Loaded`.
struct Loaded(Py<PyAny>);

/// The key that is refused, what is wrong with its value, and what would be legal.
type Refusal = Option<(String, String, String)>;

impl ModelFactory for Loaded {
    fn check(&self, values: &Values) -> Result<(), Refused> {
        let refusal = Python::attach(|py| -> PyResult<Refusal> {
            self.0.bind(py).call_method1(intern!(py, "refusal_of"), (json(values),))?.extract()
        });
        match refusal {
            Ok(None) => Ok(()),
            Ok(Some((key, wrong, legal))) => Err(Refused { key, wrong, legal }),
            Err(error) => {
                let OwnModelError { wrong, legal } = fails(&self.0, &error, "check");
                Err(Refused { key: "model".to_owned(), wrong, legal })
            }
        }
    }

    fn build(&self, values: &Values) -> Result<Arc<dyn PageSource>, OwnModelError> {
        let made = Python::attach(|py| -> PyResult<ClassPages> {
            let loaded = self.0.bind(py);
            let instance = loaded.call_method1(intern!(py, "make"), (json(values),))?;
            Ok(ClassPages {
                name: loaded.getattr(intern!(py, "name"))?.extract()?,
                page: instance.getattr(intern!(py, "page"))?.unbind(),
                types: PageTypes::new(py)?,
                loaded: self.0.clone_ref(py),
            })
        });
        match made {
            Ok(made) => Ok(Arc::new(made)),
            Err(error) => Err(fails(&self.0, &error, "start")),
        }
    }
}

/// A method of a class that raised an exception.
fn fails(loaded: &Py<PyAny>, error: &PyErr, method: &str) -> OwnModelError {
    OwnModelError::new(described(loaded, error), format!("a model whose `{method}` works"))
}

/// The method `page` of an instance.
struct ClassPages {
    name: String,
    page: Py<PyAny>,
    types: PageTypes,
    /// For words about what went wrong.
    loaded: Py<PyAny>,
}

impl fmt::Debug for ClassPages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl PageSource for ClassPages {
    fn page(
        &self,
        user: Key,
        page: Key,
        number: u32,
        objects: &mut Vec<PageObject>,
    ) -> Result<Span, OwnModelError> {
        let read = Python::attach(|py| {
            let answer = self.page.call1(py, (number, Draws::at(own(user), own(page))))?;
            self.types.read(answer.bind(py), objects)
        });
        let read = read.map_err(|error| fails(&self.loaded, &error, "page"))?;
        read.map_err(|error| error.at(format_args!("page {number}")).at(self.place()))
    }

    fn place(&self) -> String {
        format!("{}, method page", self.name)
    }

    fn end_run(&self, why: String) -> ! {
        Fault::raise(why)
    }
}
