//! The model of today's pages, prepared once for all users of a population.

use super::file::{PagesFile, parse};
use super::laws::{PageLaws, Purpose};
use super::parameters::{Http, LONGEST_THOUGHT_SECONDS, PagesParameters};
use super::plan::{PageObject, draw};
use crate::ModelError;
use crate::cdf_file::{LoadFile, law_from_file};
use crate::models::think_cycle::ThinkCycle;
use aqmlab_random::{Key, Law};
use aqmlab_units::Span;

/// The model of today's pages with its parameters: immutable, shared by reference by all users of a
/// population.
#[derive(Clone, Debug)]
pub struct PagesModel {
    think_cycle: ThinkCycle,
    laws: PageLaws,
    /// Pages of a file, which go before the laws.
    listed: Option<PagesFile>,
    http: Http,
    connections_per_host: u8,
    server_count: u32,
}

impl PagesModel {
    /// Prepares the laws. `load_file` is called for the files that the parameters name, and only for those.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, a file that cannot be read, or a file with a wrong
    /// line.
    pub fn new(parameters: &PagesParameters, load_file: &LoadFile<'_>) -> Result<Self, ModelError> {
        parameters.validate()?;
        let think = ("think_time_seconds_cdf_file", &parameters.think_time_seconds_cdf_file);
        let think_seconds = law_from_file(think, (0.0, 1e9), load_file)?.unwrap_or(Law::Lognormal {
            median: parameters.think_time_median_seconds,
            sigma: parameters.think_time_sigma,
            maximum: LONGEST_THOUGHT_SECONDS,
        });
        let listed = parameters.pages_file.as_ref().map(|path| parse(path, load_file)).transpose()?;
        Ok(Self {
            think_cycle: ThinkCycle::new(think_seconds, parameters.steady_start_page_time_seconds),
            laws: PageLaws::new(parameters, load_file)?,
            listed,
            http: parameters.http,
            connections_per_host: parameters.connections_per_host,
            server_count: parameters.server_count,
        })
    }

    /// Mean think time in seconds.
    #[must_use]
    pub fn mean_think_seconds(&self) -> f64 {
        self.think_cycle.mean_think_seconds()
    }

    pub(super) const fn think_cycle(&self) -> &ThinkCycle {
        &self.think_cycle
    }

    pub(super) const fn multiplexes(&self) -> bool {
        matches!(self.http, Http::V2)
    }

    /// How many connections a browser has to a host at most.
    pub(super) const fn connections_per_host(&self) -> u8 {
        match self.http {
            Http::V1_1 => self.connections_per_host,
            Http::V2 => 1,
        }
    }
}

// Draws of a page.
impl PagesModel {
    /// The objects of a page, appended to an empty list.
    pub(super) fn objects(&self, page: Key, objects: &mut Vec<PageObject>) {
        match &self.listed {
            Some(listed) => {
                let which = Purpose::Which.of(page).below(0, listed.pages() as u64);
                objects.extend_from_slice(listed.page(which as usize));
            }
            None => draw(&self.laws, page, objects),
        }
    }

    /// The think time behind a page.
    pub(super) fn think(&self, page: Key) -> Span {
        self.think_cycle.think(Purpose::Think.of(page), 0)
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
    fn think_times_are_those_of_the_source() {
        let model = PagesModel::new(&PagesParameters::default(), &|path| Err(path.to_owned())).unwrap();
        // "A little less than a minute" on average, "10 to 20 seconds" often.
        assert!((50.0..60.0).contains(&model.mean_think_seconds()), "{}", model.mean_think_seconds());
    }

    #[test]
    fn http_decides_how_many_connections_a_host_gets() {
        let of = |http| {
            let parameters = PagesParameters { http, ..PagesParameters::default() };
            PagesModel::new(&parameters, &|path| Err(path.to_owned())).unwrap().connections_per_host()
        };
        assert_eq!([Http::V1_1, Http::V2].map(of), [6, 1]);
    }
}
