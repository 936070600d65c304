//! A warning about a scenario, whatever happens in a run of it.

/// What a reader should know of a scenario before any run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioWarning {
    /// What is said, in a sentence.
    pub text: String,
    /// The name of the link, where it is about the queue of one.
    pub queue_of: Option<String>,
}

impl From<String> for ScenarioWarning {
    /// A warning that is not about a queue.
    fn from(text: String) -> Self {
        Self { text, queue_of: None }
    }
}
