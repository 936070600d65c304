//! The laws of the UNC model, prepared once for all users of a population.

use super::assignment::{PageShape, Quota};
use super::parameters::UncParameters;
use crate::cdf_file::{LoadFile, law_from_file};
use crate::mah_tables;
use crate::models::count::{Count, nearest, whole};
use crate::models::light::LightResponses;
use crate::models::per_kind::PerKind;
use crate::models::server_visit::VisitLength;
use crate::models::think_cycle::ThinkCycle;
use crate::{ModelError, ObjectKind};
use aqmlab_random::{Key, Law, LognormalPareto};
use aqmlab_units::Span;

// 52 % of the objects travel on persistent connections but, as printed, 40 % of the bytes.
const SIZE_FACTOR_PERSISTENT: f64 = 0.40 / 0.52;
const SIZE_FACTOR_OTHER: f64 = 0.60 / 0.48;

/// Which number at the key of an object its response is drawn with.
const RESPONSE_DRAW: u64 = 1;

/// The UNC model with its parameters: immutable, shared by reference by all users of a population.
#[derive(Clone, Debug)]
pub struct UncModel {
    think_cycle: ThinkCycle,
    objects_per_page: Count,
    servers_per_page: Count,
    pages_per_visit: VisitLength,
    persistent_share: f64,
    requests_per_persistent: Count,
    request_bytes: PerKind,
    response_bytes: PerKind,
    light: LightResponses,
    size_bias: bool,
    server_count: u32,
    netscape_share: f64,
    parallel_netscape: u8,
    parallel_explorer: u8,
}

impl UncModel {
    /// Prepares the laws. `load_file` is called for the CDF files that the parameters name, and only for
    /// those.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, a file that cannot be read, or a file with a
    /// wrong line.
    pub fn new(parameters: &UncParameters, load_file: &LoadFile<'_>) -> Result<Self, ModelError> {
        parameters.validate()?;
        let think_seconds = think_law(parameters, load_file)?;
        let response_bytes = response_laws(parameters, load_file)?;
        let factor = if parameters.size_bias_on_persistent { SIZE_FACTOR_OTHER } else { 1.0 };
        Ok(Self {
            think_cycle: ThinkCycle::new(think_seconds, parameters.steady_start_page_time_seconds),
            objects_per_page: objects_law(parameters, load_file)?,
            servers_per_page: servers_law(parameters, load_file)?,
            pages_per_visit: VisitLength::new(pages_law(parameters, load_file)?),
            persistent_share: parameters.persistent_connection_share,
            requests_per_persistent: requests_law(parameters, load_file)?,
            request_bytes: request_laws(parameters, load_file)?,
            light: LightResponses::new(&response_bytes, factor),
            response_bytes,
            size_bias: parameters.size_bias_on_persistent,
            server_count: parameters.server_count,
            netscape_share: parameters.netscape_share,
            parallel_netscape: parameters.netscape_parallel_connections,
            parallel_explorer: parameters.internet_explorer_parallel_connections,
        })
    }

    /// Mean think time in seconds.
    #[must_use]
    pub fn mean_think_seconds(&self) -> f64 {
        self.think_cycle.mean_think_seconds()
    }

    /// Mean number of objects of a page, the top-level one included.
    #[must_use]
    pub fn mean_objects_per_page(&self) -> f64 {
        self.objects_per_page.mean()
    }

    /// Mean response size in bytes over all objects, before rounding to whole bytes.
    #[must_use]
    pub fn mean_response_bytes(&self) -> f64 {
        self.response_bytes.mean(self.mean_objects_per_page())
    }

    /// Mean request length in bytes over all objects, before rounding to whole bytes.
    #[must_use]
    pub fn mean_request_bytes(&self) -> f64 {
        self.request_bytes.mean(self.mean_objects_per_page())
    }

    /// Long-run exchanges per user and second if a page takes `page_seconds` on average: objects per page
    /// over the mean cycle of page and think time.
    #[must_use]
    pub fn exchanges_per_user_second(&self, page_seconds: f64) -> f64 {
        self.mean_objects_per_page() / (self.mean_think_seconds() + page_seconds)
    }

    pub(super) fn parallel_connections(&self, user: Key) -> u8 {
        let netscape = user.named("browser").uniform(0) < self.netscape_share;
        if netscape { self.parallel_netscape } else { self.parallel_explorer }
    }

    pub(super) const fn think_cycle(&self) -> &ThinkCycle {
        &self.think_cycle
    }

    pub(super) const fn pages_per_visit(&self) -> &VisitLength {
        &self.pages_per_visit
    }
}

/// What is drawn at the key of a visit: each purpose has a key of its own below it.
#[derive(Clone, Copy)]
enum Purpose {
    Pages,
    Page,
    Think,
    Server,
    Connection,
    Object,
}

impl Purpose {
    // By number rather than by name: this runs several times per exchange, and hashing a name costs as much
    // as a draw.
    #[inline]
    fn of(self, visit: Key) -> Key {
        visit.indexed(self as u64)
    }
}

// Draws of a visit.
impl UncModel {
    pub(super) fn pages_in_visit(&self, visit: Key) -> u32 {
        self.pages_per_visit.draw(Purpose::Pages.of(visit))
    }

    pub(super) fn page_shape(&self, visit: Key, page: u32) -> PageShape {
        let key = Purpose::Page.of(visit).indexed(u64::from(page));
        PageShape { objects: self.objects_per_page.draw(key, 0), servers: self.servers_per_page.draw(key, 1) }
    }

    /// The think time after a page.
    pub(super) fn think(&self, visit: Key, page: u32) -> Span {
        self.think_cycle.think(Purpose::Think.of(visit), u64::from(page))
    }

    pub(super) fn server(&self, visit: Key, server_slot: u32) -> u32 {
        let key = Purpose::Server.of(visit);
        let index = key.below(u64::from(server_slot), u64::from(self.server_count));
        u32::try_from(index).expect("below a 32-bit number")
    }

    pub(super) fn quota(&self, visit: Key, connection: u32) -> Quota {
        let key = connection_key(visit, connection);
        if key.uniform(0) < self.persistent_share {
            return Quota { requests: self.requests_per_persistent.draw(key, 1), persistent: true };
        }
        Quota { requests: 1, persistent: false }
    }

    pub(super) fn delay_draw(visit: Key, connection: u32) -> f64 {
        connection_key(visit, connection).uniform(2)
    }

    pub(super) fn object_key(visit: Key, object: u32) -> Key {
        Purpose::Object.of(visit).indexed(u64::from(object))
    }

    pub(super) fn request_bytes(&self, object: Key, kind: ObjectKind) -> u32 {
        whole(self.request_bytes.of(kind).draw(object, 0)).max(1)
    }

    /// Whether the response of an object is light, whatever connection brings it.
    pub(super) fn is_light(&self, object: Key, kind: ObjectKind) -> bool {
        self.light.has(kind, object, RESPONSE_DRAW)
    }

    pub(super) fn response_bytes(&self, object: Key, kind: ObjectKind, on_persistent: bool) -> u64 {
        let factor = match (self.size_bias, on_persistent) {
            (false, _) => 1.0,
            (true, true) => SIZE_FACTOR_PERSISTENT,
            (true, false) => SIZE_FACTOR_OTHER,
        };
        let bytes = self.response_bytes.of(kind).draw(object, RESPONSE_DRAW) * factor;
        nearest(bytes).max(1)
    }
}

fn connection_key(visit: Key, connection: u32) -> Key {
    Purpose::Connection.of(visit).indexed(u64::from(connection))
}

type LawResult<T> = Result<T, ModelError>;

fn think_law(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<Law> {
    let file = ("think_time_seconds_cdf_file", &parameters.think_time_seconds_cdf_file);
    let law = law_from_file(file, (0.0, 1e9), load_file)?;
    Ok(law.unwrap_or_else(|| {
        Law::LognormalPareto(LognormalPareto::new(
            parameters.think_time_median_seconds,
            parameters.think_time_sigma,
            parameters.think_time_pareto_alpha,
            parameters.think_time_maximum_seconds,
        ))
    }))
}

fn objects_law(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<Count> {
    let file = ("embedded_objects_per_page_cdf_file", &parameters.embedded_objects_per_page_cdf_file);
    let law = law_from_file(file, (0.0, 100_000.0), load_file)?;
    Ok(law.map_or(Count::geometric(1, parameters.objects_per_page_mean), |law| Count::Other { law, plus: 1 }))
}

fn servers_law(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<Count> {
    let file = ("servers_per_page_cdf_file", &parameters.servers_per_page_cdf_file);
    let law = law_from_file(file, (1.0, 1000.0), load_file)?;
    Ok(law.map_or(Count::geometric(1, parameters.servers_per_page_mean), |law| Count::Other { law, plus: 0 }))
}

/// Kept as a general law: the place in a visit at the start needs its quantiles.
fn pages_law(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<Law> {
    let file = ("pages_per_server_visit_cdf_file", &parameters.pages_per_server_visit_cdf_file);
    let law = law_from_file(file, (1.0, 10_000.0), load_file)?;
    Ok(law.unwrap_or(Law::Geometric { mean: parameters.pages_per_server_visit_mean }))
}

fn requests_law(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<Count> {
    let path = &parameters.requests_per_persistent_connection_cdf_file;
    let law = law_from_file(("requests_per_persistent_connection_cdf_file", path), (2.0, 1e6), load_file)?;
    let mean = parameters.requests_per_persistent_connection_mean;
    Ok(law.map_or(Count::geometric(2, mean), |law| Count::Other { law, plus: 0 }))
}

fn request_laws(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<PerKind> {
    let read = |key, path| law_from_file((key, path), (0.0, 1e9), load_file);
    let both = read("request_bytes_cdf_file", &parameters.request_bytes_cdf_file)?;
    let top_level = read("top_level_request_bytes_cdf_file", &parameters.top_level_request_bytes_cdf_file)?;
    let embedded = read("embedded_request_bytes_cdf_file", &parameters.embedded_request_bytes_cdf_file)?;
    Ok(PerKind {
        top_level: top_level.or_else(|| both.clone()).unwrap_or_else(mah_tables::primary_request_bytes),
        embedded: embedded.or(both).unwrap_or_else(mah_tables::secondary_request_bytes),
    })
}

fn response_laws(parameters: &UncParameters, load_file: &LoadFile<'_>) -> LawResult<PerKind> {
    let read = |key, path| law_from_file((key, path), (0.0, 1e12), load_file);
    let both = read("response_bytes_cdf_file", &parameters.response_bytes_cdf_file)?;
    let top_level = read("top_level_response_bytes_cdf_file", &parameters.top_level_response_bytes_cdf_file)?;
    let embedded = read("embedded_response_bytes_cdf_file", &parameters.embedded_response_bytes_cdf_file)?;
    let reconstruction = || {
        Law::LognormalPareto(LognormalPareto::new(
            parameters.response_median_bytes,
            parameters.response_sigma,
            parameters.response_pareto_alpha,
            parameters.response_maximum_bytes,
        ))
    };
    Ok(PerKind {
        top_level: top_level.or_else(|| both.clone()).unwrap_or_else(reconstruction),
        embedded: embedded.or(both).unwrap_or_else(reconstruction),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files named after their only value.
    fn model(parameters: &UncParameters) -> Result<UncModel, ModelError> {
        UncModel::new(parameters, &|name| Ok(format!("{name} 1\n")))
    }

    fn named(value: &str) -> Option<String> {
        Some(value.to_owned())
    }

    #[test]
    fn the_file_of_one_kind_goes_before_the_file_of_both() {
        let parameters = UncParameters {
            response_bytes_cdf_file: named("500"),
            top_level_response_bytes_cdf_file: named("7000"),
            request_bytes_cdf_file: named("90"),
            embedded_request_bytes_cdf_file: named("0"),
            ..UncParameters::default()
        };
        let model = model(&parameters).unwrap();
        let key = Key::from_seed(1);
        assert_eq!(model.response_bytes(key, ObjectKind::TopLevel, false), 7000);
        assert_eq!(model.response_bytes(key, ObjectKind::Embedded, false), 500);
        assert_eq!(model.request_bytes(key, ObjectKind::TopLevel), 90);
        assert_eq!(model.request_bytes(key, ObjectKind::Embedded), 1);
        // One object in five is a top-level one.
        assert!((model.mean_response_bytes() - 1800.0).abs() < 1e-9);
    }

    #[test]
    fn a_file_of_embedded_objects_leaves_the_top_level_one_out() {
        let parameters =
            UncParameters { embedded_objects_per_page_cdf_file: named("4"), ..UncParameters::default() };
        let model = model(&parameters).unwrap();
        assert_eq!(model.page_shape(Key::from_seed(1), 0), PageShape { objects: 5, servers: 1 });
        assert!((model.mean_objects_per_page() - 5.0).abs() < 1e-12);
    }

    #[test]
    fn objects_and_servers_of_a_page_are_drawn_apart() {
        let parameters = UncParameters {
            objects_per_page_mean: 3.0,
            servers_per_page_mean: 3.0,
            ..UncParameters::default()
        };
        let model = model(&parameters).unwrap();
        let equal = (0..1000).map(|page| model.page_shape(Key::from_seed(1), page));
        let equal = equal.filter(|shape| shape.objects == shape.servers).count();
        // Two independent geometric numbers of mean 3 are equal with probability p/(2 - p) = 1/5 (p = 1/3);
        // four standard errors of 1000 such pairs are 51.
        assert!(equal.abs_diff(200) < 51, "{equal}");
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        let said = |parameters: &UncParameters| model(parameters).unwrap_err().to_string();
        let too_few = UncParameters {
            requests_per_persistent_connection_cdf_file: named("1"),
            ..UncParameters::default()
        };
        assert_eq!(
            said(&too_few),
            "`requests_per_persistent_connection_cdf_file` = \"1\", line 1: value 1, legal are 2 to 1000000"
        );
        let no_server = UncParameters { server_count: 0, ..UncParameters::default() };
        assert_eq!(said(&no_server), "`server_count` = 0: legal values are 1 to 4294967295");
    }

    #[test]
    fn the_load_of_a_user_is_the_one_of_the_2003_study() {
        // Table 2 of the paper, uncongested rows, users by the line of its figure 2: 0.1605, 0.1621, 0.1608
        // and 0.1602 exchanges per user and second.
        let model = model(&UncParameters::default()).unwrap();
        let printed = (0.1605 + 0.1621 + 0.1608 + 0.1602) / 4.0;
        assert!((model.exchanges_per_user_second(1.0) / printed - 1.0).abs() < 0.005);
        // Independent script: 30.0748 s.
        assert!((model.mean_think_seconds() - 30.0748).abs() < 1e-3);
    }
}
