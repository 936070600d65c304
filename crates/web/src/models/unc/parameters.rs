//! What can be set in the UNC model.

use crate::parameter_error::{ParameterError, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Thinking and browsing users of the SIGCOMM 2003 study.
///
/// Keys left out keep the defaults, which are the reconstruction of the 2003
/// study; unknown keys are refused.
///
/// A `..._cdf_file` replaces a law by a file of two columns, value and cumulative share; only listed values
/// occur. For requests and responses the file of one kind of object goes before the file of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UncParameters {
    /// Median think time in seconds; 0.001 to 1e6. Default 10. The mean follows in proportion as long as the
    /// maximum is far away: this is the knob that sets the load of a given number of users.
    pub think_time_median_seconds: f64,
    /// Standard deviation of the natural logarithm of the think time's body; 0.05 to 5, and small enough for
    /// a legal maximum. Default 1.4510.
    pub think_time_sigma: f64,
    /// Tail index of the think time; 1.01 to 10. Default 1.5.
    pub think_time_pareto_alpha: f64,
    /// Longest think time in seconds, longer ones are redrawn; at most 1e9 and more than
    /// median·exp(alpha·sigma²). Default 3600.
    pub think_time_maximum_seconds: f64,
    /// File of think times in seconds, 0 to 1e9.
    pub think_time_seconds_cdf_file: Option<String>,

    /// Mean number of objects of a page, its top-level object included (geometric from 1); 1 to 1000.
    /// Default 5.
    pub objects_per_page_mean: f64,
    /// File of numbers of embedded objects of a page (without the top-level one), 0 to 100,000.
    pub embedded_objects_per_page_cdf_file: Option<String>,

    /// Mean number of servers that the objects of a page come from (geometric from 1); 1 to 100. Default 1.
    pub servers_per_page_mean: f64,
    /// File of numbers of servers of a page, 1 to 1,000.
    pub servers_per_page_cdf_file: Option<String>,
    /// Number of servers among which a visit chooses uniformly; at least 1. Default 8.
    pub server_count: u32,
    /// Mean number of consecutive pages from one server (geometric from 1); 1 to 1000. Default 4.09.
    pub pages_per_server_visit_mean: f64,
    /// File of numbers of consecutive pages from one server, 1 to 10,000.
    pub pages_per_server_visit_cdf_file: Option<String>,

    /// Probability that a new connection is persistent; 0 to 1. Default 0.15.
    pub persistent_connection_share: f64,
    /// Mean number of requests that a persistent connection carries (1 + geometric from 1); 2 to 10,000.
    /// Default 8.
    pub requests_per_persistent_connection_mean: f64,
    /// File of numbers of requests that a persistent connection carries, 2 to 1,000,000.
    pub requests_per_persistent_connection_cdf_file: Option<String>,

    /// Share of the users who browse with Netscape, the others with Internet Explorer; 0 to 1. Default 0.5.
    pub netscape_share: f64,
    /// Parallel connections of Netscape for embedded objects; 1 to 255. Default 4.
    pub netscape_parallel_connections: u8,
    /// Parallel connections of Internet Explorer for embedded objects; 1 to 255. Default 2.
    pub internet_explorer_parallel_connections: u8,

    /// File of request lengths in bytes, for all objects; 0 to 1e9, 0 counts as 1.
    pub request_bytes_cdf_file: Option<String>,
    /// File of request lengths in bytes, for top-level objects; 0 to 1e9, 0 counts as 1.
    pub top_level_request_bytes_cdf_file: Option<String>,
    /// File of request lengths in bytes, for embedded objects; 0 to 1e9, 0 counts as 1.
    pub embedded_request_bytes_cdf_file: Option<String>,

    /// Median response size in bytes; 1 to 1e9. Default 1000.
    pub response_median_bytes: f64,
    /// Standard deviation of the natural logarithm of the response size's body; 0.05 to 5, and small enough
    /// for a legal maximum. Default 1.8348.
    pub response_sigma: f64,
    /// Tail index of the response size; 1.01 to 10. Default 1.2673.
    pub response_pareto_alpha: f64,
    /// Largest response in bytes, larger ones are redrawn; at most 1e12 and more than
    /// median·exp(alpha·sigma²). Default 1e9.
    pub response_maximum_bytes: f64,
    /// File of response sizes in bytes, for all objects; 0 to 1e12, 0 counts as 1.
    pub response_bytes_cdf_file: Option<String>,
    /// File of response sizes in bytes, for top-level objects; 0 to 1e12, 0 counts as 1.
    pub top_level_response_bytes_cdf_file: Option<String>,
    /// File of response sizes in bytes, for embedded objects; 0 to 1e12, 0 counts as 1.
    pub embedded_response_bytes_cdf_file: Option<String>,
    /// Whether responses on persistent connections are smaller (by 0.40/0.52) and the others larger (by
    /// 0.60/0.48), so that 52 % of the objects carry the 40 % of the bytes which the paper prints; the
    /// overall mean stays. Default false.
    pub size_bias_on_persistent: bool,

    /// Mean time in seconds from the beginning of a page to its last byte, as assumed when users start in
    /// steady state; 0 to 1000. Default 1.
    pub steady_start_page_time_seconds: f64,
}

impl Default for UncParameters {
    fn default() -> Self {
        Self {
            think_time_median_seconds: 10.0,
            think_time_sigma: 1.4510,
            think_time_pareto_alpha: 1.5,
            think_time_maximum_seconds: 3600.0,
            think_time_seconds_cdf_file: None,
            objects_per_page_mean: 5.0,
            embedded_objects_per_page_cdf_file: None,
            servers_per_page_mean: 1.0,
            servers_per_page_cdf_file: None,
            server_count: 8,
            pages_per_server_visit_mean: 4.09,
            pages_per_server_visit_cdf_file: None,
            persistent_connection_share: 0.15,
            requests_per_persistent_connection_mean: 8.0,
            requests_per_persistent_connection_cdf_file: None,
            netscape_share: 0.5,
            netscape_parallel_connections: 4,
            internet_explorer_parallel_connections: 2,
            request_bytes_cdf_file: None,
            top_level_request_bytes_cdf_file: None,
            embedded_request_bytes_cdf_file: None,
            response_median_bytes: 1000.0,
            response_sigma: 1.8348,
            response_pareto_alpha: 1.2673,
            response_maximum_bytes: 1e9,
            response_bytes_cdf_file: None,
            top_level_response_bytes_cdf_file: None,
            embedded_response_bytes_cdf_file: None,
            size_bias_on_persistent: false,
            steady_start_page_time_seconds: 1.0,
        }
    }
}

impl UncParameters {
    /// Whether every number lies in its legal range. Files are not opened here.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that does not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.validate_think_time()?;
        self.validate_pages()?;
        self.validate_connections()?;
        self.validate_responses()?;
        within("steady_start_page_time_seconds", self.steady_start_page_time_seconds, 0.0, 1000.0)
    }

    fn validate_think_time(&self) -> Result<(), ParameterError> {
        within("think_time_median_seconds", self.think_time_median_seconds, 0.001, 1e6)?;
        within("think_time_sigma", self.think_time_sigma, 0.05, 5.0)?;
        within("think_time_pareto_alpha", self.think_time_pareto_alpha, 1.01, 10.0)?;
        let body = Body {
            median: self.think_time_median_seconds,
            sigma: self.think_time_sigma,
            alpha: self.think_time_pareto_alpha,
        };
        body.leaves_a_maximum("think_time_sigma", 1e9)?;
        within("think_time_maximum_seconds", self.think_time_maximum_seconds, body.above_splice(), 1e9)
    }

    fn validate_pages(&self) -> Result<(), ParameterError> {
        within("objects_per_page_mean", self.objects_per_page_mean, 1.0, 1000.0)?;
        within("servers_per_page_mean", self.servers_per_page_mean, 1.0, 100.0)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))?;
        within("pages_per_server_visit_mean", self.pages_per_server_visit_mean, 1.0, 1000.0)
    }

    fn validate_connections(&self) -> Result<(), ParameterError> {
        within("persistent_connection_share", self.persistent_connection_share, 0.0, 1.0)?;
        let requests = self.requests_per_persistent_connection_mean;
        within("requests_per_persistent_connection_mean", requests, 2.0, 10_000.0)?;
        within("netscape_share", self.netscape_share, 0.0, 1.0)?;
        let netscape = f64::from(self.netscape_parallel_connections);
        within("netscape_parallel_connections", netscape, 1.0, 255.0)?;
        let explorer = f64::from(self.internet_explorer_parallel_connections);
        within("internet_explorer_parallel_connections", explorer, 1.0, 255.0)
    }

    fn validate_responses(&self) -> Result<(), ParameterError> {
        within("response_median_bytes", self.response_median_bytes, 1.0, 1e9)?;
        within("response_sigma", self.response_sigma, 0.05, 5.0)?;
        within("response_pareto_alpha", self.response_pareto_alpha, 1.01, 10.0)?;
        let body = Body {
            median: self.response_median_bytes,
            sigma: self.response_sigma,
            alpha: self.response_pareto_alpha,
        };
        body.leaves_a_maximum("response_sigma", 1e12)?;
        within("response_maximum_bytes", self.response_maximum_bytes, body.above_splice(), 1e12)
    }
}

/// A lognormal body with a Pareto tail, which begins at the splice.
struct Body {
    median: f64,
    sigma: f64,
    alpha: f64,
}

impl Body {
    /// Refuses a body so wide, for its median and tail index, that not even the largest maximum lies above
    /// the splice. Of the three it is sigma that counts most, and every legal median and tail index leave
    /// some of it.
    fn leaves_a_maximum(&self, key: &'static str, largest: f64) -> Result<(), ParameterError> {
        if self.above_splice() <= largest {
            return Ok(());
        }
        let widest = libm::sqrt(libm::log(largest / self.median) / self.alpha);
        // Rounded down, so that the number which is called legal is.
        let widest = libm::floor(widest * 1e4) / 1e4;
        let legal = format!("0.05 to {widest} with this median and tail index");
        Err(ParameterError { key, value: self.sigma.to_string(), legal })
    }

    /// A point above the splice of the law: the normal hazard exceeds its argument, so hazard(z) = α·σ gives
    /// z < α·σ, and the splice median·exp(σ·z) lies below median·exp(α·σ²).
    fn above_splice(&self) -> f64 {
        self.median * libm::exp(self.alpha * self.sigma * self.sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, MapDeserializer};

    fn refused(change: impl FnOnce(&mut UncParameters)) -> String {
        let mut parameters = UncParameters::default();
        change(&mut parameters);
        parameters.validate().unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_legal() {
        UncParameters::default().validate().unwrap();
    }

    #[test]
    fn an_illegal_value_is_refused_with_its_key_and_the_legal_ones() {
        assert_eq!(
            refused(|p| p.persistent_connection_share = 1.5),
            "`persistent_connection_share` = 1.5: legal values are 0 to 1"
        );
        assert_eq!(
            refused(|p| p.requests_per_persistent_connection_mean = 1.0),
            "`requests_per_persistent_connection_mean` = 1: legal values are 2 to 10000"
        );
        assert!(refused(|p| p.server_count = 0).starts_with("`server_count` = 0: "));
        assert!(refused(|p| p.netscape_parallel_connections = 0).starts_with("`netscape_parallel"));
        assert!(refused(|p| p.internet_explorer_parallel_connections = 0).starts_with("`internet_explorer"));
        assert!(refused(|p| p.netscape_share = -0.1).starts_with("`netscape_share` = -0.1"));
        assert!(refused(|p| p.objects_per_page_mean = f64::NAN).starts_with("`objects_per_page_mean` = NaN"));
        assert!(refused(|p| p.servers_per_page_mean = 0.5).starts_with("`servers_per_page_mean` = 0.5"));
        assert!(
            refused(|p| p.pages_per_server_visit_mean = 0.0).starts_with("`pages_per_server_visit_mean`")
        );
        assert!(
            refused(|p| p.think_time_median_seconds = 0.0).starts_with("`think_time_median_seconds` = 0")
        );
        assert!(refused(|p| p.response_pareto_alpha = 1.0).starts_with("`response_pareto_alpha` = 1:"));
        assert!(refused(|p| p.steady_start_page_time_seconds = -1.0).contains("legal values are 0 to 1000"));
    }

    #[test]
    fn a_maximum_inside_the_body_is_refused_before_the_law_is_made() {
        assert!(refused(|p| p.response_maximum_bytes = 30_000.0).starts_with("`response_maximum_bytes`"));
        assert!(
            refused(|p| p.think_time_maximum_seconds = 100.0).starts_with("`think_time_maximum_seconds`")
        );
    }

    #[test]
    fn a_body_that_leaves_no_legal_maximum_is_refused_by_its_sigma() {
        // 1000·exp(10·1.8348²) is 4e17: more than 1e12 whatever the maximum. sqrt(ln(1e9)/10) = 1.43955...
        assert_eq!(
            refused(|p| p.response_pareto_alpha = 10.0),
            "`response_sigma` = 1.8348: legal values are 0.05 to 1.4395 with this median and tail index"
        );
        // sqrt(ln(1e9/1e6)/1.5) = 2.14597...
        assert_eq!(
            refused(|p| (p.think_time_median_seconds, p.think_time_sigma) = (1e6, 2.2)),
            "`think_time_sigma` = 2.2: legal values are 0.05 to 2.1459 with this median and tail index"
        );
        // The ends are legal, also where the median and the tail index leave the least.
        for (sigma, alpha, median) in [(1.4395, 10.0, 1000.0), (0.8311, 10.0, 1e9)] {
            let mut wide = UncParameters { response_maximum_bytes: 1e12, ..UncParameters::default() };
            (wide.response_sigma, wide.response_pareto_alpha) = (sigma, alpha);
            wide.response_median_bytes = median;
            wide.validate().unwrap();
        }
    }

    #[test]
    fn the_least_legal_maximum_makes_a_law_however_heavy_the_body() {
        for (sigma, alpha) in [(2.0, 3.9), (2.0, 4.3), (5.0, 1.01), (5.0, 5.9), (0.05, 10.0)] {
            let least = Body { median: 1.0, sigma, alpha }.above_splice();
            let mut parameters = UncParameters { response_median_bytes: 1.0, ..UncParameters::default() };
            (parameters.response_sigma, parameters.response_pareto_alpha) = (sigma, alpha);
            parameters.response_maximum_bytes = least.max(1.0);
            if parameters.validate().is_ok() {
                let _ =
                    aqmlab_random::LognormalPareto::new(1.0, sigma, alpha, parameters.response_maximum_bytes);
            } else {
                assert!(least > 1e12, "sigma {sigma}, alpha {alpha}");
            }
        }
    }

    fn read(key: &str, value: f64) -> Result<UncParameters, Error> {
        let entries =
            [(key, value)].into_iter().map(|(k, v)| (k, IntoDeserializer::<Error>::into_deserializer(v)));
        UncParameters::deserialize(MapDeserializer::new(entries))
    }

    #[test]
    fn keys_left_out_keep_their_defaults_and_unknown_keys_are_refused() {
        let read_back = read("objects_per_page_mean", 2.0).unwrap();
        assert_eq!(read_back, UncParameters { objects_per_page_mean: 2.0, ..UncParameters::default() });
        let error = read("objects_per_page", 2.0).unwrap_err().to_string();
        assert!(error.starts_with("unknown field `objects_per_page`"), "{error}");
        assert!(error.contains("`objects_per_page_mean`"), "{error}");
    }
}
