//! Congestion controllers from outside, beside the keys of hosts.

use super::HostOverrides;
use crate::congestion::own::{ControllerDeclaration, DeclaredControllers};
use serde_json::Value;
use std::sync::Arc;

impl DeclaredControllers {
    /// Adds a controller under a name, whose form is the caller's affair: what follows an `@` tells
    /// controllers apart that scenarios spell alike. Returns the JSON schema of its tables.
    ///
    /// # Errors
    /// In words: one of its parameters has the name of the key that names it, or of a key of hosts: on a
    /// command line both follow the controller's name.
    pub fn declare(
        &mut self,
        name: &str,
        declaration: Arc<dyn ControllerDeclaration>,
    ) -> Result<Value, String> {
        let keys = HostOverrides::KEYS;
        if let Some(taken) = keys.iter().find(|key| declaration.properties().contains_key(**key)) {
            let legal = format!("other names than {}", keys.join(", "));
            return Err(format!("parameter `{taken}`: `host` has a key of this name; legal: {legal}"));
        }
        self.add(name, declaration)
    }
}
