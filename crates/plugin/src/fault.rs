//! How a scheme that cannot go on ends its run.
//!
//! A scheme answers with verdicts; it has no way to say that it failed, and pays for none. One that does not
//! come from this workspace may fail nevertheless: an exception in its author's code, a number that is no
//! verdict. Then the run unwinds to whoever started it, through frames of this workspace alone: a fault is
//! raised after the foreign code has returned.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Why a scheme from outside cannot go on, in words for its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl Fault {
    /// Ends the run that [`catch`] has begun on this thread. No message appears anywhere else.
    pub fn raise(message: impl Into<String>) -> ! {
        resume_unwind(Box::new(Self(message.into())))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Does something that may be ended by a fault. Other panics go on.
///
/// # Errors
/// The fault.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| match panic.downcast::<Fault>() {
        Ok(fault) => *fault,
        Err(other) => resume_unwind(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_ends_what_was_begun_and_nothing_else() {
        assert_eq!(catch(|| 1), Ok(1));
        let fault: Result<(), _> = catch(|| Fault::raise("line 3"));
        assert_eq!(fault.map_err(|fault| fault.to_string()), Err("line 3".to_owned()));
    }

    #[test]
    #[should_panic(expected = "a bug")]
    fn other_panics_go_on() {
        let _ = catch(|| panic!("a bug"));
    }
}
