//! A page: which objects it has, where they come from, and which of them are known when.

use super::laws::{PageLaws, Purpose};
use crate::models::count::{nearest, whole};
use aqmlab_random::{Key, normal_cumulative, normal_quantile};

/// An object of a page. The first one of a page is its root, alone in wave 0 and on host 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageObject {
    /// Which host of the page, counted from 0.
    pub host: u16,
    /// Objects of a wave are known when everything of the wave before is there.
    pub wave: u8,
    /// Bytes of the request.
    pub request_bytes: u32,
    /// Bytes of the response.
    pub response_bytes: u64,
}

/// The objects of the page with this key, wave by wave; appended to an empty list.
pub(super) fn draw(laws: &PageLaws, page: Key, objects: &mut Vec<PageObject>) {
    let (count, weight) = size_of_page(laws, page);
    let root_bytes = if count == 1 {
        weight
    } else {
        // Every other object has a byte at least.
        let drawn = nearest(laws.root_bytes.draw(Purpose::Root.of(page), 0));
        drawn.clamp(1, weight.saturating_sub(u64::from(count) - 1).max(1))
    };
    objects.push(PageObject {
        host: 0,
        wave: 0,
        request_bytes: laws.request_bytes,
        response_bytes: root_bytes,
    });
    let others = weight.saturating_sub(root_bytes) as f64;
    let shares = Purpose::Share.of(page);
    let share_of = |object: u32| laws.share(shares.uniform(u64::from(object)));
    let all: f64 = (1..count).map(share_of).sum();
    let mut third_parties = ThirdParties::new(laws.third_party_spread, page);
    let (parties, waves) = (Purpose::ThirdParty.of(page), Purpose::Wave.of(page));
    for object in 1..count {
        let n = u64::from(object);
        let host = if parties.uniform(n) < laws.third_party_share { third_parties.next(n) } else { 0 };
        let wave = if waves.uniform(n) < laws.named_by_root_share { 1 } else { 2 };
        let response_bytes = nearest(others * share_of(object) / all).max(1);
        objects.push(PageObject { host, wave, request_bytes: laws.request_bytes, response_bytes });
    }
    objects.sort_by_key(|object| object.wave);
}

/// How many objects a page has, and how many bytes they have together.
fn size_of_page(laws: &PageLaws, page: Key) -> (u32, u64) {
    let key = Purpose::Size.of(page);
    let (of_weight, of_its_own) = (key.uniform(0), key.uniform(1));
    let count = whole(laws.objects_per_page.quantile(correlated(of_weight, of_its_own, laws.correlation)));
    let weight = nearest(laws.page_bytes.quantile(of_weight));
    (count.max(1), weight.max(u64::from(count)))
}

/// A uniform number whose normal one has this correlation with that of `of`, and the rest from `own`.
fn correlated(of: f64, own: f64, correlation: f64) -> f64 {
    let normal = |u: f64| normal_quantile(u.max(f64::MIN_POSITIVE));
    let mixed = correlation * normal(of) + libm::sqrt(1.0 - correlation * correlation) * normal(own);
    normal_cumulative(mixed).min(1.0 - f64::EPSILON / 2.0)
}

/// Hosts of objects that come from elsewhere: Hoppe's urn.
struct ThirdParties {
    spread: f64,
    key: Key,
    /// The host of each object so far.
    hosts: Vec<u16>,
    last: u16,
}

impl ThirdParties {
    fn new(spread: f64, page: Key) -> Self {
        Self { spread, key: Purpose::Host.of(page), hosts: Vec::new(), last: 0 }
    }

    /// The host of the next object, whose number in its page is `n`.
    fn next(&mut self, n: u64) -> u16 {
        let before = self.hosts.len() as f64;
        let place = self.key.uniform(n) * (self.spread + before);
        // Numbers below `before` are those of the objects so far.
        let host = self.hosts.get(place as usize).copied().filter(|_| place < before);
        let host = host.unwrap_or_else(|| {
            self.last += 1;
            self.last
        });
        self.hosts.push(host);
        host
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PagesParameters;

    fn pages(parameters: &PagesParameters, count: u64) -> Vec<Vec<PageObject>> {
        let laws = PageLaws::new(parameters, &|path| Err(path.to_owned())).unwrap();
        let page = |index| {
            let mut objects = Vec::new();
            draw(&laws, Key::from_seed(3).indexed(index), &mut objects);
            objects
        };
        (0..count).map(page).collect()
    }

    fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
        values.sort_by(f64::total_cmp);
        values[(values.len() as f64 * share) as usize]
    }

    #[test]
    fn the_root_comes_alone_and_first_and_waves_follow_one_another() {
        for objects in pages(&PagesParameters::default(), 300) {
            assert_eq!((objects[0].host, objects[0].wave), (0, 0));
            assert!(objects[1..].iter().all(|object| object.wave > 0));
            assert!(objects.is_sorted_by_key(|object| object.wave));
            // Hosts are numbered in the order in which the urn brought them up; none is left out.
            let mut hosts: Vec<u16> = objects.iter().map(|object| object.host).collect();
            hosts.sort_unstable();
            hosts.dedup();
            assert_eq!(hosts, (0..hosts.len() as u16).collect::<Vec<_>>());
        }
    }

    #[test]
    fn quantiles_of_objects_and_weights_are_those_that_were_published() {
        let pages = pages(&PagesParameters::default(), 40_000);
        let counts: Vec<f64> = pages.iter().map(|page| page.len() as f64).collect();
        // Web Almanac 2024, requests of desktop pages; ours are 18 % above at the lowest tenth, where a
        // lognormal law cannot follow.
        for (share, published, most_off) in [
            (0.1, 24.0, 0.20),
            (0.25, 42.0, 0.07),
            (0.5, 71.0, 0.03),
            (0.75, 115.0, 0.03),
            (0.9, 176.0, 0.04),
        ] {
            let ours = quantile(counts.clone(), share);
            assert!((ours / published - 1.0).abs() < most_off, "{share}: {ours} against {published}");
        }
        let weights: Vec<f64> =
            pages.iter().map(|page| page.iter().map(|o| o.response_bytes as f64).sum()).collect();
        // Web Almanac 2022, mobile pages in KB, scaled to the median of desktop pages in 2024: 2,652 KB over
        // 2,019.
        let scale = 1024.0 * 2652.0 / 2019.0;
        for (share, published) in [(0.1, 445.0), (0.25, 990.0), (0.5, 2019.0), (0.75, 4042.0), (0.9, 8082.0)]
        {
            let ours = quantile(weights.clone(), share);
            assert!((ours / (published * scale) - 1.0).abs() < 0.18, "{share}: {ours} against {published}");
        }
    }

    #[test]
    fn third_parties_are_as_many_as_were_published() {
        // Web Almanac 2022: 45 % of the requests, from 24 domains on the median desktop page, which has 76
        // requests.
        let parameters = PagesParameters {
            objects_per_page_median: 76.0,
            objects_per_page_sigma: 0.01,
            ..PagesParameters::default()
        };
        let pages = pages(&parameters, 4_000);
        let objects: f64 = pages.iter().map(|page| page.len() as f64 - 1.0).sum();
        let elsewhere: usize = pages.iter().flatten().filter(|object| object.host > 0).count();
        assert!((elsewhere as f64 / objects - 0.45).abs() < 0.005);
        let hosts = pages.iter().map(|page| page.iter().map(|o| f64::from(o.host)).fold(0.0, f64::max));
        let median = quantile(hosts.collect(), 0.5);
        assert!((23.0..=25.0).contains(&median), "{median}");
    }

    #[test]
    fn a_page_has_its_weight_and_no_object_is_empty() {
        // Ten objects, of 10 bytes together as far as each can have one.
        let tiny = PagesParameters {
            page_bytes_median: 10.0,
            page_bytes_sigma: 0.01,
            objects_per_page_median: 10.0,
            objects_per_page_sigma: 0.01,
            ..PagesParameters::default()
        };
        for page in pages(&tiny, 50) {
            assert!(page.iter().all(|object| object.response_bytes >= 1));
            assert_eq!(page[0].response_bytes, 1);
            assert_eq!(page.len(), 10);
        }
        // Even shares: what is left of 90,000 bytes behind the root, over nine objects.
        let even = PagesParameters {
            page_bytes_median: 90_000.0,
            object_share_sigma: 0.0,
            objects_per_page_median: 10.0,
            ..tiny
        };
        for page in pages(&even, 50) {
            let sum: u64 = page.iter().map(|object| object.response_bytes).sum();
            assert!((85_000..=95_000).contains(&sum), "{sum}");
            let others: Vec<u64> = page[1..].iter().map(|object| object.response_bytes).collect();
            assert!(others.windows(2).all(|pair| pair[0] == pair[1]), "{others:?}");
        }
    }

    #[test]
    fn numbers_made_together_have_the_correlation_asked_for() {
        let key = Key::from_seed(7);
        let count = 20_000;
        for correlation in [0.0, 0.6, 1.0] {
            let product = |n: u64| {
                let (of, own) = (key.uniform(2 * n), key.uniform(2 * n + 1));
                normal_quantile(of) * normal_quantile(correlated(of, own, correlation))
            };
            let mean = (0..count).map(product).sum::<f64>() / count as f64;
            // Four standard errors of a mean of products of variance 1 + r².
            let error = 4.0 * ((1.0 + correlation * correlation) / count as f64).sqrt();
            assert!((mean - correlation).abs() < error, "{correlation}: {mean}");
        }
    }
}
