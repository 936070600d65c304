//! What can be set.

use crate::ParameterError;
use crate::parameter_error::within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Users of Mah's tables, a connection per file that the server closes: the SIGCOMM 2000 study.
///
/// Absent keys take their defaults: the values of the SIGCOMM 2000 study where it
/// prints them.
///
/// A CDF file has two columns, value and cumulative share; only its listed values occur. Naming one replaces
/// the law and its other parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MahParameters {
    /// Longest think time in seconds: what happens to longer ones is said by `think_time_cut`; 1 to 100,000.
    /// The table runs to 86,395, so that more than this cuts nothing. Default 2190.
    pub think_time_maximum_seconds: f64,
    /// What happens to longer think times. Default "redraw".
    pub think_time_cut: ThinkTimeCut,
    /// File of think times in seconds, 0 to 1e9; the cut applies to it too.
    pub think_time_seconds_cdf_file: Option<String>,

    /// Mean number of files of a document, its primary one included; 1 to 100. Default 2.915.
    pub files_per_document_mean: f64,
    /// Share of documents that have no secondary file; 0.001 to 1. Default 0.4864.
    pub single_file_document_share: f64,
    /// File of numbers of files of a document, 1 to 100,000.
    pub files_per_document_cdf_file: Option<String>,

    /// Mean number of consecutive documents from one server; 1 to 100. Default 4.087.
    pub documents_per_server_visit_mean: f64,
    /// Share of server visits that last for one document; 0.001 to 1. Default 0.3557.
    pub single_document_visit_share: f64,
    /// File of numbers of consecutive documents from one server, 1 to 10,000.
    pub documents_per_server_visit_cdf_file: Option<String>,

    /// Number of servers among which a visit chooses uniformly; at least 1. Default 8.
    pub server_count: u32,
    /// Parallel connections of a browser for secondary files; 1 to 255. Default 4.
    pub parallel_connections: u8,

    /// File of request lengths in bytes, for primary files; 0 to 1e9, 0 counts as 1.
    pub primary_request_bytes_cdf_file: Option<String>,
    /// File of request lengths in bytes, for secondary files; 0 to 1e9, 0 counts as 1.
    pub secondary_request_bytes_cdf_file: Option<String>,
    /// File of response sizes in bytes, for primary files; 0 to 1e12, 0 counts as 1.
    pub primary_response_bytes_cdf_file: Option<String>,
    /// File of response sizes in bytes, for secondary files; 0 to 1e12, 0 counts as 1.
    pub secondary_response_bytes_cdf_file: Option<String>,

    /// Mean time in seconds from the beginning of a page to its end, as assumed when users start in steady
    /// state; 0 to 1000. Default 1.
    pub steady_start_page_time_seconds: f64,
}

/// What happens to think times beyond the longest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkTimeCut {
    /// They are drawn again.
    #[default]
    Redraw,
    /// They become the longest.
    Clip,
}

impl Default for MahParameters {
    fn default() -> Self {
        Self {
            think_time_maximum_seconds: 2190.0,
            think_time_cut: ThinkTimeCut::Redraw,
            think_time_seconds_cdf_file: None,
            files_per_document_mean: 2.915,
            single_file_document_share: 0.4864,
            files_per_document_cdf_file: None,
            documents_per_server_visit_mean: 4.087,
            single_document_visit_share: 0.3557,
            documents_per_server_visit_cdf_file: None,
            server_count: 8,
            parallel_connections: 4,
            primary_request_bytes_cdf_file: None,
            secondary_request_bytes_cdf_file: None,
            primary_response_bytes_cdf_file: None,
            secondary_response_bytes_cdf_file: None,
            steady_start_page_time_seconds: 1.0,
        }
    }
}

impl MahParameters {
    /// Whether every number lies in its legal range, and the means are possible. Files are not opened here.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that is not legal.
    pub fn validate(&self) -> Result<(), ParameterError> {
        // Shorter than the table's shortest would leave nothing.
        within("think_time_maximum_seconds", self.think_time_maximum_seconds, 1.1, 100_000.0)?;
        within("files_per_document_mean", self.files_per_document_mean, 1.0, 100.0)?;
        within("single_file_document_share", self.single_file_document_share, 0.001, 1.0)?;
        possible("files_per_document_mean", self.files_per_document_mean, self.single_file_document_share)?;
        within("documents_per_server_visit_mean", self.documents_per_server_visit_mean, 1.0, 100.0)?;
        within("single_document_visit_share", self.single_document_visit_share, 0.001, 1.0)?;
        possible(
            "documents_per_server_visit_mean",
            self.documents_per_server_visit_mean,
            self.single_document_visit_share,
        )?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))?;
        within("parallel_connections", f64::from(self.parallel_connections), 1.0, 255.0)?;
        within("steady_start_page_time_seconds", self.steady_start_page_time_seconds, 0.0, 1000.0)
    }
}

/// A count that is 1 with probability s has a mean of at least 2 − s (all others 2); equal only where s is 1.
fn possible(key: &'static str, mean: f64, share_of_one: f64) -> Result<(), ParameterError> {
    let least = 2.0 - share_of_one;
    if mean >= least && (share_of_one < 1.0 || mean <= 1.0) {
        return Ok(());
    }
    let legal = if share_of_one < 1.0 {
        format!("{least} to 100, because a share of {share_of_one} is one and the others are at least two")
    } else {
        "1, because all are one".to_owned()
    };
    Err(ParameterError { key, value: mean.to_string(), legal })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut MahParameters)) -> String {
        let mut parameters = MahParameters::default();
        change(&mut parameters);
        parameters.validate().unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_legal() {
        MahParameters::default().validate().unwrap();
    }

    #[test]
    fn a_mean_that_its_share_of_one_cannot_have_is_refused_with_the_least() {
        // Half are one and the others two at least: 1.5.
        assert!(possible("mean", 1.5, 0.5).is_ok());
        assert!(possible("mean", 1.4, 0.5).unwrap_err().legal.starts_with("1.5 to 100"));
        assert_eq!(possible("mean", 2.0, 1.0).unwrap_err().legal, "1, because all are one");
    }

    #[test]
    fn an_illegal_value_is_refused_with_its_key_and_the_legal_ones() {
        assert_eq!(
            refused(|p| p.parallel_connections = 0),
            "`parallel_connections` = 0: legal values are 1 to 255"
        );
        assert!(
            refused(|p| p.think_time_maximum_seconds = 1.0).starts_with("`think_time_maximum_seconds` = 1:")
        );
        assert!(
            refused(|p| p.files_per_document_mean = f64::NAN).starts_with("`files_per_document_mean` = NaN")
        );
        assert!(refused(|p| p.server_count = 0).starts_with("`server_count` = 0"));
        assert!(refused(|p| p.steady_start_page_time_seconds = -1.0).contains("legal values are 0 to 1000"));
    }

    #[test]
    fn a_mean_that_the_share_of_ones_rules_out_is_refused() {
        assert!(
            refused(|p| p.files_per_document_mean = 1.2).starts_with("`files_per_document_mean` = 1.2: ")
        );
        assert_eq!(
            refused(|p| p.single_document_visit_share = 1.0),
            "`documents_per_server_visit_mean` = 4.087: legal values are 1, because all are one"
        );
        let one_file = MahParameters {
            single_file_document_share: 1.0,
            files_per_document_mean: 1.0,
            ..MahParameters::default()
        };
        one_file.validate().unwrap();
    }
}
