//! Names that a text declares for itself: no other text can name what they stand for.
//!
//! A scenario may bring queue disciplines and traffic models of its own. Their declarations are nameable on
//! this thread while the scenario is read ([`Declarations::while_reading`]); what was read owns its
//! declaration ([`Declared`]).
//!
//! ```
//! use aqmlab_declared::{Declarations, find};
//! use std::cell::RefCell;
//! use std::sync::Arc;
//!
//! thread_local! {
//!     static NAMEABLE: RefCell<Declarations<str>> = const { RefCell::new(Declarations::NONE) };
//! }
//!
//! let mut own = Declarations::NONE;
//! own.add("mine@7", Arc::from("what mine is"));
//! let found = own.while_reading(&NAMEABLE, || find(&NAMEABLE, "mine@7").unwrap());
//! assert_eq!((&*found.declaration, found.spelt()), ("what mine is", "mine"));
//! assert!(find(&NAMEABLE, "mine@7").is_none());
//! ```
#![deny(missing_docs)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::LocalKey;

/// A declaration under its name.
#[derive(Debug)]
pub struct Declared<D: ?Sized> {
    /// What follows an `@` tells names apart that texts spell alike.
    pub name: Arc<str>,
    /// What it stands for.
    pub declaration: Arc<D>,
}

/// Declarations by their names.
#[derive(Debug)]
pub struct Declarations<D: ?Sized>(BTreeMap<Arc<str>, Arc<D>>);

/// What can be named on a thread.
pub type Nameable<D> = LocalKey<RefCell<Declarations<D>>>;

impl<D: ?Sized> Clone for Declared<D> {
    fn clone(&self) -> Self {
        Self { name: Arc::clone(&self.name), declaration: Arc::clone(&self.declaration) }
    }
}

impl<D: ?Sized> Declared<D> {
    /// The name as texts spell it.
    #[must_use]
    pub fn spelt(&self) -> &str {
        spelt(&self.name)
    }
}

impl<D: ?Sized> Default for Declarations<D> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<D: ?Sized + 'static> Declarations<D> {
    /// Reads a text that may name these.
    pub fn while_reading<T>(self, nameable: &'static Nameable<D>, read: impl FnOnce() -> T) -> T {
        /// Restores what could be named before, also when the reading unwinds.
        struct Before<D: ?Sized + 'static>(&'static Nameable<D>, Declarations<D>);
        impl<D: ?Sized> Drop for Before<D> {
            fn drop(&mut self) {
                self.0.set(std::mem::take(&mut self.1));
            }
        }
        let _before = Before(nameable, nameable.replace(self));
        read()
    }
}

impl<D: ?Sized> Declarations<D> {
    /// Nothing.
    pub const NONE: Self = Self(BTreeMap::new());

    /// Adds a declaration under a name, whose form is the caller's affair.
    pub fn add(&mut self, name: &str, declaration: Arc<D>) {
        self.0.insert(name.into(), declaration);
    }
}

/// A name as texts spell it: without what follows an `@`.
#[must_use]
pub fn spelt(name: &str) -> &str {
    name.split_once('@').map_or(name, |(spelt, _)| spelt)
}

/// What this name stands for now.
pub fn find<D: ?Sized>(nameable: &'static Nameable<D>, name: &str) -> Option<Declared<D>> {
    nameable.with_borrow(|Declarations(all)| {
        let (name, declaration) = all.get_key_value(name)?;
        Some(Declared { name: Arc::clone(name), declaration: Arc::clone(declaration) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    thread_local! {
        static NAMEABLE: RefCell<Declarations<u32>> = const { RefCell::new(Declarations::NONE) };
    }

    fn one(name: &str, value: u32) -> Declarations<u32> {
        let mut declarations = Declarations::NONE;
        declarations.add(name, Arc::new(value));
        declarations
    }

    fn named(name: &str) -> Option<u32> {
        find(&NAMEABLE, name).map(|found| *found.declaration)
    }

    #[test]
    fn a_text_within_a_text_names_its_own_alone_and_then_the_outer_one_goes_on() {
        one("a", 1).while_reading(&NAMEABLE, || {
            one("b", 2).while_reading(&NAMEABLE, || assert_eq!([named("a"), named("b")], [None, Some(2)]));
            assert_eq!([named("a"), named("b")], [Some(1), None]);
        });
        assert_eq!(named("a"), None);
    }

    #[test]
    fn what_could_be_named_before_can_be_again_when_reading_unwinds() {
        one("a", 1).while_reading(&NAMEABLE, || {
            let unwound = catch_unwind(|| one("a", 2).while_reading(&NAMEABLE, || panic!("in the middle")));
            assert!(unwound.is_err());
            assert_eq!(named("a"), Some(1));
        });
    }
}
