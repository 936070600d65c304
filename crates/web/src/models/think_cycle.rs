//! Think, fetch a page, repeat: the think times of a model, and how its users begin.

use crate::StartRule;
use aqmlab_random::{Equilibrium, Key, Law};
use aqmlab_units::Span;

/// The law of think times, and what follows from it for somebody who is met at a random instant.
#[derive(Clone, Debug)]
pub struct ThinkCycle {
    think_seconds: Law,
    residual_think_seconds: Equilibrium,
    /// Mean length of a page, as assumed at the start.
    page_seconds: f64,
}

impl ThinkCycle {
    pub(in crate::models) fn new(think_seconds: Law, page_seconds: f64) -> Self {
        Self { residual_think_seconds: Equilibrium::new(think_seconds.clone()), think_seconds, page_seconds }
    }

    pub(in crate::models) fn mean_think_seconds(&self) -> f64 {
        self.think_seconds.mean()
    }

    /// Think time number `n` at a key.
    pub(in crate::models) fn think(&self, key: Key, n: u64) -> Span {
        Span::from_seconds(self.think_seconds.draw(key, n))
    }

    /// How long a user leaves the network alone at the start of her life.
    pub(in crate::models) fn wait_at_start(&self, rule: StartRule, start: Key) -> Span {
        match rule {
            StartRule::Steady | StartRule::Stationary => self.until_next_page(start),
            StartRule::Fresh { spread } => {
                let offset = start.named("spread").uniform(0) * spread.seconds();
                Span::from_seconds(offset) + self.first_think(start)
            }
        }
    }

    /// The whole think time before the first page of a user who has just begun.
    fn first_think(&self, start: Key) -> Span {
        self.think(start.named("think"), 0)
    }

    /// How long a user who is met at a random instant will still leave the network alone.
    fn until_next_page(&self, start: Key) -> Span {
        let cycle = self.mean_think_seconds() + self.page_seconds;
        let place = start.named("place in the cycle").uniform(0) * cycle;
        if place < self.page_seconds {
            return Span::from_seconds(self.page_seconds - place) + self.first_think(start);
        }
        Span::from_seconds(self.residual_think_seconds.draw(start.named("residual think"), 0))
    }
}
