//! The model of today's pages, prepared once for all users of a population.

use super::browser::{Browser, Plans, page_key};
use super::file::{PagesFile, parse};
use super::laws::{PageLaws, Purpose};
use super::parameters::{LONGEST_THOUGHT_SECONDS, PagesParameters};
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
    browser: Browser,
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
            browser: Browser::new(parameters.http, parameters.connections_per_host, parameters.server_count),
        })
    }

    /// Mean think time in seconds.
    #[must_use]
    pub fn mean_think_seconds(&self) -> f64 {
        self.think_cycle.mean_think_seconds()
    }
}

impl Plans for PagesModel {
    type Rest = ();

    fn browser(&self) -> &Browser {
        &self.browser
    }

    fn think_cycle(&self) -> &ThinkCycle {
        &self.think_cycle
    }

    fn page(&self, user: Key, number: u32, objects: &mut Vec<PageObject>) {
        let page = page_key(user, number);
        match &self.listed {
            Some(listed) => {
                let which = Purpose::Which.of(page).below(0, listed.pages() as u64);
                objects.extend_from_slice(listed.page(which as usize));
            }
            None => draw(&self.laws, page, objects),
        }
    }

    fn rest(&self, _user: Key, _number: u32) {}

    fn think(&self, page: Key, (): ()) -> Span {
        self.think_cycle.think(Purpose::Think.of(page), 0)
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
}
