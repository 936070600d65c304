//! Server visits: how many pages they have, and where in hers a user is found at a random instant.

use super::count::whole;
use aqmlab_random::{Key, Law};

// Visits longer than this have a probability that no population meets.
const NEGLIGIBLE_SHARE: f64 = 1e-12;
const BISECTIONS: usize = 60;

/// The key of a user's server visit with this number.
pub(in crate::models) fn visit_key(user: Key, visit: u32) -> Key {
    user.named("visit").indexed(u64::from(visit))
}

/// How many pages a server visit has, and where in one a user is met.
#[derive(Clone, Debug)]
pub(in crate::models) struct VisitLength {
    pages: Law,
    position: VisitPosition,
}

impl VisitLength {
    pub(in crate::models) fn new(pages: Law) -> Self {
        Self { position: VisitPosition::new(&pages), pages }
    }

    /// Pages of the visit with this key.
    pub(in crate::models) fn draw(&self, key: Key) -> u32 {
        whole(self.pages.draw(key, 0))
    }

    /// (pages of the visit fetched before this instant, pages of the visit), at a random instant.
    pub(in crate::models) fn position_at_start(&self, start: Key) -> (u32, u32) {
        self.position.draw(start.named("place in the visit"), &self.pages)
    }
}

/// The equilibrium law of (pages fetched so far, pages in all) of the visit in progress.
///
/// Think times do not depend on the place in the visit, so a random instant is an instant after a random
/// page: the page before it was number a (from 0) of its visit with probability P(L > a)/E(L), where L is the
/// number of pages of a visit, and the visit then has the law of L given L > a (discrete renewal theory;
/// Feller, *An Introduction to Probability Theory* I, chapter XIII).
#[derive(Clone, Debug)]
struct VisitPosition {
    /// P(L ≤ a) for a = 0, 1, …, up to where the rest is negligible.
    share_at_most: Vec<f64>,
    /// Running sums of P(L > a), not divided by the mean.
    cumulative_weight: Vec<f64>,
}

impl VisitPosition {
    fn new(pages_per_visit: &Law) -> Self {
        let (mut share_at_most, mut cumulative_weight) = (Vec::new(), Vec::new());
        let (mut pages, mut total) = (0.0, 0.0);
        loop {
            let share = share_at_most_pages(pages_per_visit, pages);
            if share >= 1.0 - NEGLIGIBLE_SHARE {
                return Self { share_at_most, cumulative_weight };
            }
            total += 1.0 - share;
            share_at_most.push(share);
            cumulative_weight.push(total);
            pages += 1.0;
        }
    }

    /// (pages fetched so far, at least 1; pages in all, at least as many).
    fn draw(&self, key: Key, pages_per_visit: &Law) -> (u32, u32) {
        let target = key.uniform(0) * self.cumulative_weight[self.cumulative_weight.len() - 1];
        let last_page = self.cumulative_weight.partition_point(|&weight| weight <= target);
        let share = self.share_at_most[last_page];
        let fetched = last_page as u32 + 1;
        // Rounding may put the share just below the step that belongs to the next longer visit.
        let pages = pages_per_visit.quantile(share_beyond(share, key.uniform(1))).round() as u32;
        (fetched, pages.max(fetched))
    }
}

/// The share of a law that lies this part of the way from `share` to one; below one, where a law has no
/// quantile.
fn share_beyond(share: f64, part: f64) -> f64 {
    (share + (1.0 - share) * part).min(1.0 - f64::EPSILON / 2.0)
}

/// P(L ≤ pages), found from the quantile function: the share up to which it stays at or below `pages`.
///
/// A table of steps is asked once and not at each of them: it may have a hundred thousand.
fn share_at_most_pages(law: &Law, pages: f64) -> f64 {
    let steps = match law {
        Law::Empirical(table) => table.quantiles_below(pages + 0.5),
        _ => None,
    };
    let at_most = |share: f64| match steps {
        Some(below) => share < below,
        None => law.quantile(share).round() <= pages,
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if middle >= 1.0 {
            break;
        }
        if at_most(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqmlab_random::{EmpiricalTable, Interpolation};

    #[test]
    fn visits_of_one_or_three_pages_are_met_in_their_four_places() {
        // One page with probability 1/2, three with 1/2: a random page is the only one of a short visit with
        // probability 1/4, and the first, second or third of a long one with 1/4 each.
        let law =
            Law::Empirical(EmpiricalTable::new(&[(1.0, 0.5), (3.0, 1.0)], Interpolation::Step).unwrap());
        let position = VisitPosition::new(&law);
        let places = [(1, 1), (1, 3), (2, 3), (3, 3)];
        let mut counts = [0_u32; 4];
        let draws = 40_000;
        for user in 0..draws {
            let drawn = position.draw(Key::from_seed(4).indexed(user), &law);
            counts[places.iter().position(|&place| place == drawn).expect("one of the four")] += 1;
        }
        for (place, count) in places.into_iter().zip(counts) {
            // Four standard errors of a share of 1/4: 4·√(3/16 · 40,000) = 346.
            assert!(count.abs_diff(10_000) < 346, "{place:?}: {count}");
        }
    }

    #[test]
    fn geometric_visits_have_forgotten_how_long_they_last() {
        // Memoryless: pages still to come are geometric from 0 with mean m - 1, pages fetched geometric from
        // 1 with mean m; both have standard deviation √(m(m-1)) = 3.555 for m = 4.09.
        let law = Law::Geometric { mean: 4.09 };
        let position = VisitPosition::new(&law);
        let draws = 100_000;
        let (mut fetched, mut to_come) = (0.0, 0.0);
        for user in 0..draws {
            let (done, all) = position.draw(Key::from_seed(5).indexed(user), &law);
            fetched += f64::from(done);
            to_come += f64::from(all - done);
        }
        let four_standard_errors = 4.0 * 3.555 / 316.2;
        assert!((fetched / draws as f64 - 4.09).abs() < four_standard_errors);
        assert!((to_come / draws as f64 - 3.09).abs() < four_standard_errors);
    }

    #[test]
    fn no_draw_asks_for_the_quantile_of_one() {
        assert_eq!(share_beyond(0.5, 0.5), 0.75);
        // The largest uniform number: half a unit in the last place short of one, which the sum rounds to
        // one.
        let largest = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(0.5 + 0.5 * largest, 1.0);
        assert_eq!(share_beyond(0.5, largest), largest);
    }

    #[test]
    fn visits_of_one_page_are_always_over() {
        let law = Law::Geometric { mean: 1.0 };
        let position = VisitPosition::new(&law);
        for user in 0..100 {
            assert_eq!(position.draw(Key::from_seed(6).indexed(user), &law), (1, 1));
        }
    }
}
