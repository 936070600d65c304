//! What can be set.

use crate::ParameterError;
use crate::parameter_error::within;
use crate::tls::Tls;
use crate::unused::UnusedKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Objects of a page at most: what more a law gives is drawn again.
pub(in crate::models) const MOST_OBJECTS: f64 = 5_000.0;
/// The heaviest page: the largest one found in 2022 had 678 MB.
pub(in crate::models) const LARGEST_PAGE_BYTES: f64 = 1e9;
/// Who thinks longer has gone.
pub(super) const LONGEST_THOUGHT_SECONDS: f64 = 3_600.0;

/// Today's pages: dozens of objects from many hosts, over HTTP/1.1 or HTTP/2 behind TLS.
///
/// Absent keys take their defaults.
///
/// A CDF file has two columns, value and cumulative share; only its listed values occur. Naming one replaces
/// the law and its other parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PagesParameters {
    /// How requests share connections. Default "2".
    pub http: Http,
    /// The handshake after a connection opens. Default "1.3".
    pub tls: Tls,
    /// Most connections to a host, with HTTP/1.1; 1 to 255. Default 6.
    pub connections_per_host: u8,

    /// File of pages, an object a line: its page, wave, host, bytes of the request and of the response. They
    /// are loaded in random order, in place of pages drawn from laws.
    pub pages_file: Option<String>,

    /// Median number of objects of a page, its root included; 1 to 5,000. Default 71.
    pub objects_per_page_median: f64,
    /// Standard deviation of the logarithm of that number; 0.01 to 5. Default 0.73.
    pub objects_per_page_sigma: f64,
    /// File of numbers of objects of a page, 1 to 5,000.
    pub objects_per_page_cdf_file: Option<String>,

    /// Median weight of a page in bytes, all responses together; 1 to 1e9. Default 2715648.
    pub page_bytes_median: f64,
    /// Standard deviation of the logarithm of the weight; 0.01 to 5. Default 1.06.
    pub page_bytes_sigma: f64,
    /// File of weights of pages in bytes, 1 to 1e9.
    pub page_bytes_cdf_file: Option<String>,

    /// Correlation of the normal numbers that the weight and the number of objects of a page are made of; 0
    /// to 1. Default 0.6.
    pub weight_to_objects_correlation: f64,
    /// Median bytes of a page's root, as far as the page has so many; 1 to 1e9. Default 18432.
    pub root_bytes_median: f64,
    /// Standard deviation of the logarithm of the root's bytes; 0.01 to 5. Default 1.
    pub root_bytes_sigma: f64,
    /// Standard deviation of the logarithm of the share that each other object has in the weight of its page;
    /// 0 to 5. Default 1.7.
    pub object_share_sigma: f64,

    /// Share of the objects, without roots, that come from other hosts than the root; 0 to 1. Default 0.45.
    pub third_party_share: f64,
    /// How readily such an object comes from a host of its own: the k-th does with probability
    /// spread/(spread + k - 1), and otherwise from the host of one of those before it; 0 to 1e6, 0 is one
    /// host for all. Default 39.
    pub third_party_spread: f64,

    /// Share of the objects, without roots, that the root names; those name the others; 0 to 1. Default 0.6.
    pub named_by_root_share: f64,
    /// Length of a request in bytes; 1 to 65,535. Default 500.
    pub request_bytes: u32,

    /// Median think time in seconds; 0.001 to 3,600. Default 15.
    pub think_time_median_seconds: f64,
    /// Standard deviation of the logarithm of the think time; 0.01 to 5. Default 1.6.
    pub think_time_sigma: f64,
    /// File of think times in seconds, 0 to 1e9.
    pub think_time_seconds_cdf_file: Option<String>,

    /// Number of servers, on which hosts are placed uniformly; at least 1. Default 8.
    pub server_count: u32,
    /// Mean time in seconds from the beginning of a page to its end, as assumed when users start in steady
    /// state; 0 to 1000. Default 5.
    pub steady_start_page_time_seconds: f64,
}

/// How requests share connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Http {
    /// HTTP/1.1 (RFC 9112): one request at a time on a connection, and several connections to a host.
    #[serde(rename = "1.1")]
    V1_1,
    /// HTTP/2 (RFC 9113): one connection to a host, on which responses share what the network lets through.
    #[default]
    #[serde(rename = "2")]
    V2,
}

impl Http {
    /// Refuses a number of connections to a host, where it is not the default and one connection serves all.
    pub(in crate::models) fn unused_connections(self, given: u8, default: u8) -> Option<UnusedKey> {
        let one_for_all = self == Self::V2 && given != default;
        one_for_all.then(|| {
            let (wrong, legal) = ("HTTP/2 has one connection to a host", "only together with http = \"1.1\"");
            UnusedKey::of_model("connections_per_host", wrong, legal)
        })
    }
}

impl Default for PagesParameters {
    fn default() -> Self {
        Self {
            http: Http::V2,
            tls: Tls::V1_3,
            connections_per_host: 6,
            pages_file: None,
            objects_per_page_median: 71.0,
            objects_per_page_sigma: 0.73,
            objects_per_page_cdf_file: None,
            page_bytes_median: 2_715_648.0,
            page_bytes_sigma: 1.06,
            page_bytes_cdf_file: None,
            weight_to_objects_correlation: 0.6,
            root_bytes_median: 18_432.0,
            root_bytes_sigma: 1.0,
            object_share_sigma: 1.7,
            third_party_share: 0.45,
            third_party_spread: 39.0,
            named_by_root_share: 0.6,
            request_bytes: 500,
            think_time_median_seconds: 15.0,
            think_time_sigma: 1.6,
            think_time_seconds_cdf_file: None,
            server_count: 8,
            steady_start_page_time_seconds: 5.0,
        }
    }
}

impl PagesParameters {
    /// Whether every number lies in its legal range. Files are not opened here.
    ///
    /// # Errors
    /// [`ParameterError`] for the first parameter that does not.
    pub fn validate(&self) -> Result<(), ParameterError> {
        within("connections_per_host", f64::from(self.connections_per_host), 1.0, 255.0)?;
        within("objects_per_page_median", self.objects_per_page_median, 1.0, MOST_OBJECTS)?;
        within("objects_per_page_sigma", self.objects_per_page_sigma, 0.01, 5.0)?;
        within("page_bytes_median", self.page_bytes_median, 1.0, LARGEST_PAGE_BYTES)?;
        within("page_bytes_sigma", self.page_bytes_sigma, 0.01, 5.0)?;
        within("weight_to_objects_correlation", self.weight_to_objects_correlation, 0.0, 1.0)?;
        within("root_bytes_median", self.root_bytes_median, 1.0, LARGEST_PAGE_BYTES)?;
        within("root_bytes_sigma", self.root_bytes_sigma, 0.01, 5.0)?;
        within("object_share_sigma", self.object_share_sigma, 0.0, 5.0)?;
        within("third_party_share", self.third_party_share, 0.0, 1.0)?;
        within("third_party_spread", self.third_party_spread, 0.0, 1e6)?;
        within("named_by_root_share", self.named_by_root_share, 0.0, 1.0)?;
        within("request_bytes", f64::from(self.request_bytes), 1.0, 65_535.0)?;
        within("think_time_median_seconds", self.think_time_median_seconds, 0.001, LONGEST_THOUGHT_SECONDS)?;
        within("think_time_sigma", self.think_time_sigma, 0.01, 5.0)?;
        within("server_count", f64::from(self.server_count), 1.0, f64::from(u32::MAX))?;
        within("steady_start_page_time_seconds", self.steady_start_page_time_seconds, 0.0, 1000.0)
    }
}
