//! The laws of Mah's model, prepared once for all users of a population.

use super::documents::discrete_weibull;
use super::parameters::{MahParameters, ThinkTimeCut};
use crate::cdf_file::{LoadFile, law_from_file};
use crate::mah_tables;
use crate::models::count::{nearest, whole};
use crate::models::light::LightResponses;
use crate::models::per_kind::PerKind;
use crate::models::server_visit::VisitLength;
use crate::models::think_cycle::ThinkCycle;
use crate::{ModelError, ObjectKind, ParameterError};
use aqmlab_random::{Key, Law};
use aqmlab_units::Span;

/// Which number at the key of a file its response is drawn with.
const RESPONSE_DRAW: u64 = 1;

/// Mah's model with its parameters: immutable, shared by reference by all users of a population.
#[derive(Clone, Debug)]
pub struct MahModel {
    think_cycle: ThinkCycle,
    files_per_document: Law,
    documents_per_visit: VisitLength,
    request_bytes: PerKind,
    response_bytes: PerKind,
    light: LightResponses,
    server_count: u32,
    parallel_connections: u8,
}

type LawResult<T> = Result<T, ModelError>;

impl MahModel {
    /// Prepares the laws. `load_file` is called for the CDF files that the parameters name, and only for
    /// those.
    ///
    /// # Errors
    /// [`ModelError`]: a number outside its legal range, a file that cannot be read, or a file with a wrong
    /// line.
    pub fn new(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<Self> {
        parameters.validate()?;
        let think_seconds = think_law(parameters, load_file)?;
        let response_bytes = response_laws(parameters, load_file)?;
        Ok(Self {
            think_cycle: ThinkCycle::new(think_seconds, parameters.steady_start_page_time_seconds),
            files_per_document: files_law(parameters, load_file)?,
            documents_per_visit: VisitLength::new(documents_law(parameters, load_file)?),
            request_bytes: request_laws(parameters, load_file)?,
            light: LightResponses::new(&response_bytes, 1.0),
            response_bytes,
            server_count: parameters.server_count,
            parallel_connections: parameters.parallel_connections,
        })
    }

    /// Mean think time in seconds, as cut.
    #[must_use]
    pub fn mean_think_seconds(&self) -> f64 {
        self.think_cycle.mean_think_seconds()
    }

    /// Mean number of files of a document, the primary one included.
    #[must_use]
    pub fn mean_files_per_document(&self) -> f64 {
        self.files_per_document.mean()
    }

    /// Mean response size in bytes over all files.
    #[must_use]
    pub fn mean_response_bytes(&self) -> f64 {
        self.response_bytes.mean(self.mean_files_per_document())
    }

    /// Mean request length in bytes over all files.
    #[must_use]
    pub fn mean_request_bytes(&self) -> f64 {
        self.request_bytes.mean(self.mean_files_per_document())
    }

    /// Long-run exchanges per user and second if a page takes `page_seconds` on average.
    #[must_use]
    pub fn exchanges_per_user_second(&self, page_seconds: f64) -> f64 {
        self.mean_files_per_document() / (self.mean_think_seconds() + page_seconds)
    }

    pub(super) const fn parallel_connections(&self) -> u8 {
        self.parallel_connections
    }

    pub(super) const fn think_cycle(&self) -> &ThinkCycle {
        &self.think_cycle
    }

    pub(super) const fn documents_per_visit(&self) -> &VisitLength {
        &self.documents_per_visit
    }
}

/// What is drawn at the key of a visit: each purpose has a key of its own below it.
#[derive(Clone, Copy)]
enum Purpose {
    Documents,
    Files,
    Think,
    Server,
    File,
}

impl Purpose {
    // By number rather than by name, which would be hashed several times per exchange.
    #[inline]
    fn of(self, visit: Key) -> Key {
        visit.indexed(self as u64)
    }
}

// Draws of a visit.
impl MahModel {
    pub(super) fn documents_in_visit(&self, visit: Key) -> u32 {
        self.documents_per_visit.draw(Purpose::Documents.of(visit))
    }

    pub(super) fn files_in_document(&self, visit: Key, document: u32) -> u32 {
        whole(self.files_per_document.draw(Purpose::Files.of(visit), u64::from(document)))
    }

    /// The think time after a document.
    pub(super) fn think(&self, visit: Key, document: u32) -> Span {
        self.think_cycle.think(Purpose::Think.of(visit), u64::from(document))
    }

    pub(super) fn server(&self, visit: Key) -> u32 {
        let index = Purpose::Server.of(visit).below(0, u64::from(self.server_count));
        u32::try_from(index).expect("below a 32-bit number")
    }

    pub(super) fn file_key(visit: Key, file: u32) -> Key {
        Purpose::File.of(visit).indexed(u64::from(file))
    }

    pub(super) fn request_bytes(&self, file: Key, kind: ObjectKind) -> u32 {
        whole(self.request_bytes.of(kind).draw(file, 0)).max(1)
    }

    /// Whether the response of a file is light.
    pub(super) fn is_light(&self, file: Key, kind: ObjectKind) -> bool {
        self.light.has(kind, file, RESPONSE_DRAW)
    }

    pub(super) fn response_bytes(&self, file: Key, kind: ObjectKind) -> u64 {
        nearest(self.response_bytes.of(kind).draw(file, RESPONSE_DRAW)).max(1)
    }

    pub(super) fn delay_draw(file: Key) -> f64 {
        file.uniform(2)
    }
}

fn think_law(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<Law> {
    const KEY: &str = "think_time_seconds_cdf_file";
    let most = parameters.think_time_maximum_seconds;
    let file = law_from_file((KEY, &parameters.think_time_seconds_cdf_file), (0.0, 1e9), load_file)?;
    let (table, share) = match file {
        Some(Law::Empirical(table)) => {
            let share = table.share_at_most(most);
            (table, share)
        }
        _ => (mah_tables::think_seconds(), mah_tables::think_share_at_most(most)),
    };
    Ok(Law::Empirical(match parameters.think_time_cut {
        ThinkTimeCut::Clip => table.clipped(most),
        ThinkTimeCut::Redraw if share <= 0.0 => return Err(nothing_left(most)),
        ThinkTimeCut::Redraw => table.lowest(share),
    }))
}

fn nothing_left(most: f64) -> ModelError {
    ModelError::Parameter(ParameterError {
        key: "think_time_maximum_seconds",
        value: most.to_string(),
        legal: "at least the shortest think time of the file".to_owned(),
    })
}

fn files_law(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<Law> {
    let file = ("files_per_document_cdf_file", &parameters.files_per_document_cdf_file);
    let law = law_from_file(file, (1.0, 100_000.0), load_file)?;
    Ok(law.unwrap_or_else(|| {
        discrete_weibull(parameters.single_file_document_share, parameters.files_per_document_mean)
    }))
}

fn documents_law(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<Law> {
    let file = ("documents_per_server_visit_cdf_file", &parameters.documents_per_server_visit_cdf_file);
    let law = law_from_file(file, (1.0, 10_000.0), load_file)?;
    Ok(law.unwrap_or_else(|| {
        discrete_weibull(parameters.single_document_visit_share, parameters.documents_per_server_visit_mean)
    }))
}

fn request_laws(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<PerKind> {
    let read = |key, path| law_from_file((key, path), (0.0, 1e9), load_file);
    let primary = read("primary_request_bytes_cdf_file", &parameters.primary_request_bytes_cdf_file)?;
    let secondary = read("secondary_request_bytes_cdf_file", &parameters.secondary_request_bytes_cdf_file)?;
    Ok(PerKind {
        top_level: primary.unwrap_or_else(mah_tables::primary_request_bytes),
        embedded: secondary.unwrap_or_else(mah_tables::secondary_request_bytes),
    })
}

fn response_laws(parameters: &MahParameters, load_file: &LoadFile<'_>) -> LawResult<PerKind> {
    let read = |key, path| law_from_file((key, path), (0.0, 1e12), load_file);
    let primary = read("primary_response_bytes_cdf_file", &parameters.primary_response_bytes_cdf_file)?;
    let secondary = read("secondary_response_bytes_cdf_file", &parameters.secondary_response_bytes_cdf_file)?;
    Ok(PerKind {
        top_level: primary.unwrap_or_else(mah_tables::primary_reply_bytes),
        embedded: secondary.unwrap_or_else(mah_tables::secondary_reply_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_file(name: &str) -> Result<String, String> {
        Err(format!("unexpected file {name}"))
    }

    #[test]
    fn the_means_are_those_that_the_calibration_of_the_study_implies() {
        let model = MahModel::new(&MahParameters::default(), &no_file).unwrap();
        // (17,932 + 1.915 · 6,867.6) / 2.915.
        assert!((model.mean_response_bytes() - 10_663.0).abs() < 2.0, "{}", model.mean_response_bytes());
        // Of the full table 93.62 % lie at or below 2,190 s, with a mean of 86.77 s.
        assert!((model.mean_think_seconds() - 86.77).abs() < 0.7, "{}", model.mean_think_seconds());
        // 110.0 exchanges per second of 3,332 users (98 % in table 2): 0.0330 for each.
        let rate = model.exchanges_per_user_second(1.0);
        assert!((rate - 0.0330).abs() < 0.0330 * 0.02, "{rate}");
    }

    #[test]
    fn means_are_over_the_files_of_a_document_and_over_the_cycle_of_page_and_thought() {
        let parameters = MahParameters {
            think_time_seconds_cdf_file: Some("think".to_owned()),
            files_per_document_cdf_file: Some("files".to_owned()),
            ..MahParameters::default()
        };
        let load = |name: &str| Ok(if name == "think" { "100 1\n" } else { "3 1\n" }.to_owned());
        let model = MahModel::new(&parameters, &load).unwrap();
        assert_eq!(model.exchanges_per_user_second(20.0), 3.0 / 120.0);
        let PerKind { top_level: primary, embedded: secondary } = &model.request_bytes;
        assert_eq!(model.mean_request_bytes(), (primary.mean() + 2.0 * secondary.mean()) / 3.0);
        assert!(primary.mean() > 0.0 && primary.mean() != secondary.mean());
    }

    #[test]
    fn shares_of_delays_are_uniform() {
        let shares = (0..10_000).map(|file| MahModel::delay_draw(Key::from_seed(2).indexed(file)));
        let mut quarters = [0_u32; 4];
        shares.for_each(|share| quarters[(share * 4.0) as usize] += 1);
        // Four standard errors of a share of 1/4: 4·√(3/16 · 10,000) = 173.
        assert!(quarters.iter().all(|count| count.abs_diff(2_500) < 173), "{quarters:?}");
    }

    #[test]
    fn both_cuts_of_the_think_time_give_the_same_mean() {
        // Clipped at 485 s instead of drawn again above 2,190 s.
        let clip = MahParameters {
            think_time_cut: ThinkTimeCut::Clip,
            think_time_maximum_seconds: 485.0,
            ..MahParameters::default()
        };
        let clipped = MahModel::new(&clip, &no_file).unwrap().mean_think_seconds();
        let redrawn = MahModel::new(&MahParameters::default(), &no_file).unwrap().mean_think_seconds();
        assert!((clipped - redrawn).abs() < 1.0, "{clipped} and {redrawn}");
    }

    #[test]
    fn nothing_is_cut_above_the_longest_think_time() {
        for think_time_cut in [ThinkTimeCut::Redraw, ThinkTimeCut::Clip] {
            let whole =
                MahParameters { think_time_maximum_seconds: 1e5, think_time_cut, ..MahParameters::default() };
            let mean = MahModel::new(&whole, &no_file).unwrap().mean_think_seconds();
            assert!((mean - 1_312.5).abs() < 0.1, "{mean}");
        }
    }

    #[test]
    fn a_file_goes_before_the_shipped_table_and_is_cut_too() {
        let parameters = MahParameters {
            think_time_seconds_cdf_file: Some("think".to_owned()),
            files_per_document_cdf_file: Some("files".to_owned()),
            ..MahParameters::default()
        };
        let load = |name: &str| match name {
            "think" => Ok("10 0.5\n20 0.8\n5000 1\n".to_owned()),
            "files" => Ok("3 1\n".to_owned()),
            other => Err(format!("unexpected file {other}")),
        };
        let model = MahModel::new(&parameters, &load).unwrap();
        assert!((model.mean_think_seconds() - (5.0 + 6.0) / 0.8).abs() < 1e-9);
        assert_eq!(model.files_in_document(Key::from_seed(1), 0), 3);
        let short = MahParameters { think_time_maximum_seconds: 5.0, ..parameters };
        let error = MahModel::new(&short, &load).unwrap_err().to_string();
        assert!(error.starts_with("`think_time_maximum_seconds` = 5: "), "{error}");
    }
}
