//! Pages of a model from outside, drawn before any run: what others have to know of the model follows from
//! them.

use super::declared::PageSource;
use super::own_model_error::OwnModelError;
use super::page::page_of;
use crate::models::pages::PageObject;
use crate::models::think_cycle::ThinkCycle;
use aqmlab_random::{EmpiricalTable, Interpolation, Key, Law};
use aqmlab_units::Span;
use std::collections::BTreeMap;

/// Of so many users so many pages each.
const USERS: u64 = 25;
const PAGES: u32 = 8;

/// What a model must be.
const LEGAL: &str =
    "a model whose pages are a function of their number and of what `draws` gives, the same every time";

/// A page of a sample.
#[derive(Debug, PartialEq, Eq)]
pub struct SampledPage {
    /// Its objects, the root first.
    pub objects: Vec<PageObject>,
    /// The think time behind it.
    pub think: Span,
}

/// A sample of the pages of a model, and what it says of the model.
#[derive(Debug)]
pub struct PageSample {
    pages: Vec<SampledPage>,
}

impl PageSample {
    /// Asks a source for pages, and once more for each, in another order.
    ///
    /// # Errors
    /// Why there is no page, or which page was another one when it was asked for again.
    pub fn take(source: &dyn PageSource) -> Result<Self, OwnModelError> {
        let population = Key::from_seed(0).named("a sample of pages");
        let ask = |(user, number): (u64, u32)| {
            let mut objects = Vec::new();
            let think = page_of(source, population.indexed(user), number, &mut objects)?;
            Ok::<_, OwnModelError>(SampledPage { objects, think })
        };
        let all = (0..USERS).flat_map(|user| (0..PAGES).map(move |number| (user, number)));
        let pages = all.clone().map(ask).collect::<Result<Vec<_>, _>>()?;
        let again: Vec<_> = all.zip(&pages).collect();
        for (which, first) in again.into_iter().rev() {
            if ask(which)? != *first {
                let (_, number) = which;
                let wrong = format!("page {number} of a user was another one when it was drawn again");
                return Err(OwnModelError::new(wrong, LEGAL).at(source.place()));
            }
        }
        Ok(Self { pages })
    }

    /// The pages in the order in which they were first drawn: user by user.
    #[must_use]
    pub fn pages(&self) -> &[SampledPage] {
        &self.pages
    }

    fn mean(&self, of: impl Fn(&SampledPage) -> f64) -> f64 {
        self.pages.iter().map(of).sum::<f64>() / self.pages.len() as f64
    }

    /// Mean objects of a page.
    pub(super) fn objects(&self) -> f64 {
        self.mean(|page| page.objects.len() as f64)
    }

    /// Mean bytes of the responses of a page.
    pub(super) fn bytes(&self) -> f64 {
        self.mean(|page| page.objects.iter().map(|object| object.response_bytes as f64).sum())
    }

    /// Mean connections of a page, at most so many to a host.
    pub(super) fn connections(&self, per_host: u8) -> f64 {
        self.mean(|page| {
            let mut hosts: BTreeMap<u16, u32> = BTreeMap::new();
            page.objects.iter().for_each(|object| *hosts.entry(object.host).or_default() += 1);
            hosts.values().map(|&objects| f64::from(objects.min(u32::from(per_host)))).sum()
        })
    }

    /// Mean think time in seconds.
    pub(super) fn think_seconds(&self) -> f64 {
        self.mean(|page| page.think.seconds())
    }

    /// How users begin who think as long as in the sample.
    pub(super) fn think_cycle(&self, page_seconds: f64) -> ThinkCycle {
        let mut thinks: Vec<f64> = self.pages.iter().map(|page| page.think.seconds()).collect();
        thinks.sort_by(f64::total_cmp);
        let all = thinks.len() as f64;
        let knots: Vec<_> =
            (1..).zip(&thinks).map(|(place, &think)| (think, f64::from(place) / all)).collect();
        let table = EmpiricalTable::new(&knots, Interpolation::Step).expect("sorted values, shares up to 1");
        ThinkCycle::new(Law::Empirical(table), page_seconds)
    }
}
