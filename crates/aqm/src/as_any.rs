//! Values that can be asked for their type.

use std::any::Any;

/// A value as the type that it is. Every type without borrowed parts has it.
pub trait AsAny: Any {
    /// The value, to be asked for its type.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Any> AsAny for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
