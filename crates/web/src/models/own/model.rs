//! The model, prepared once for all users of a population.

use super::declared::PageSource;
use super::page::page_of;
use crate::models::pages::{Browser, PageObject, PagesUser, Plans, handle};
use crate::models::think_cycle::ThinkCycle;
use crate::{Command, Exchange, Model, UserEvent};
use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use std::sync::Arc;

/// A model from outside with its parameters: immutable, shared by all users of a population.
#[derive(Clone, Debug)]
pub struct OwnModel {
    source: Arc<dyn PageSource>,
    think_cycle: ThinkCycle,
    browser: Browser,
}

impl OwnModel {
    /// Bytes of the record of a user.
    pub(super) const USER_BYTES: usize = size_of::<PagesUser<Span>>();

    pub(super) const fn new(source: Arc<dyn PageSource>, think_cycle: ThinkCycle, browser: Browser) -> Self {
        Self { source, think_cycle, browser }
    }
}

impl Plans for OwnModel {
    /// The think time behind the page.
    type Rest = Span;

    fn browser(&self) -> &Browser {
        &self.browser
    }

    fn think_cycle(&self) -> &ThinkCycle {
        &self.think_cycle
    }

    fn page(&self, user: Key, number: u32, objects: &mut Vec<PageObject>) -> Span {
        page_of(&*self.source, user, number, objects)
            .unwrap_or_else(|why| self.source.end_run(why.to_string()))
    }

    fn rest(&self, user: Key, number: u32) -> Span {
        self.page(user, number, &mut Vec::new())
    }

    fn think(&self, _page: Key, rest: Span) -> Span {
        rest
    }
}

impl Model for OwnModel {
    type User = PagesUser<Span>;

    fn user(&self, key: Key, _: u32) -> PagesUser<Span> {
        PagesUser::new(key)
    }

    fn handle(
        &self,
        user: &mut PagesUser<Span>,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        handle(self, user, event, now, out)
    }

    fn next_page_is_light(&self, user: &PagesUser<Span>) -> bool {
        user.next_page_is_light(self)
    }

    fn pass_over_page(&self, user: &mut PagesUser<Span>, end: Time, out: &mut Vec<Command>) {
        user.pass_over_page(end, self, out);
    }
}
