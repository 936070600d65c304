//! How a browser fetches pages, whatever they are drawn from.

use super::laws::Purpose;
use super::parameters::Http;
use super::plan::PageObject;
use crate::models::think_cycle::ThinkCycle;
use aqmlab_random::Key;
use aqmlab_units::Span;

/// Where the pages of users come from, and what loads them.
pub trait Plans {
    /// What is drawn with a page and needed at its end.
    type Rest: Copy;

    /// What loads the pages.
    fn browser(&self) -> &Browser;

    /// How users begin.
    fn think_cycle(&self) -> &ThinkCycle;

    /// The objects of the page with this number of the user at this key, appended to an empty list: the root
    /// first and alone in wave 0, then wave by wave.
    fn page(&self, user: Key, number: u32, objects: &mut Vec<PageObject>) -> Self::Rest;

    /// What is drawn with a page and needed at its end, of a page that is passed over.
    fn rest(&self, user: Key, number: u32) -> Self::Rest;

    /// The think time behind the page with this key.
    fn think(&self, page: Key, rest: Self::Rest) -> Span;
}

/// The key of a page of the user at this key.
pub(in crate::models) const fn page_key(user: Key, number: u32) -> Key {
    user.named("page").indexed(number as u64)
}

/// How the objects of a page are fetched.
#[derive(Clone, Copy, Debug)]
pub struct Browser {
    http: Http,
    connections_per_host: u8,
    server_count: u32,
}

impl Browser {
    pub(in crate::models) const fn new(http: Http, connections_per_host: u8, server_count: u32) -> Self {
        Self { http, connections_per_host, server_count }
    }

    /// Whether a connection carries several requests at once.
    pub(super) const fn multiplexes(&self) -> bool {
        matches!(self.http, Http::V2)
    }

    /// How many connections a browser has to a host at most.
    pub(in crate::models) const fn connections_per_host(&self) -> u8 {
        match self.http {
            Http::V1_1 => self.connections_per_host,
            Http::V2 => 1,
        }
    }

    /// The server on which a host of the page is.
    pub(super) fn server(&self, page: Key, host: u16) -> u32 {
        let index = Purpose::Server.of(page).below(u64::from(host), u64::from(self.server_count));
        u32::try_from(index).expect("below a 32-bit number")
    }

    /// What the minimum delay of all connections to a host of the page is made of.
    pub(super) fn delay_draw(page: Key, host: u16) -> f64 {
        Purpose::Delay.of(page).uniform(u64::from(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_decides_how_many_connections_a_host_gets() {
        let of = |http| Browser::new(http, 6, 1).connections_per_host();
        assert_eq!([Http::V1_1, Http::V2].map(of), [6, 1]);
    }
}
