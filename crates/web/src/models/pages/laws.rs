//! The laws that today's pages are drawn from.

use super::parameters::{LARGEST_PAGE_BYTES, MOST_OBJECTS, PagesParameters};
use crate::ModelError;
use crate::cdf_file::{LoadFile, law_from_file};
use aqmlab_random::{Key, Law, normal_quantile};

/// What is drawn at the key of a page: each purpose has a key of its own below it.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Size,
    Root,
    Share,
    ThirdParty,
    Host,
    Wave,
    Server,
    Delay,
    Think,
    Which,
}

impl Purpose {
    pub(super) fn of(self, page: Key) -> Key {
        page.indexed(self as u64)
    }
}

/// What pages are drawn from.
#[derive(Clone, Debug)]
pub(super) struct PageLaws {
    pub(super) objects_per_page: Law,
    pub(super) page_bytes: Law,
    pub(super) root_bytes: Law,
    pub(super) correlation: f64,
    object_share_sigma: f64,
    pub(super) third_party_share: f64,
    pub(super) third_party_spread: f64,
    pub(super) named_by_root_share: f64,
    pub(super) request_bytes: u32,
}

impl PageLaws {
    pub(super) fn new(parameters: &PagesParameters, load_file: &LoadFile<'_>) -> Result<Self, ModelError> {
        let objects = ("objects_per_page_cdf_file", &parameters.objects_per_page_cdf_file);
        let bytes = ("page_bytes_cdf_file", &parameters.page_bytes_cdf_file);
        let (median, sigma) = (parameters.objects_per_page_median, parameters.objects_per_page_sigma);
        let (weight, weight_sigma) = (parameters.page_bytes_median, parameters.page_bytes_sigma);
        let root = (parameters.root_bytes_median, parameters.root_bytes_sigma);
        Ok(Self {
            objects_per_page: law_from_file(objects, (1.0, MOST_OBJECTS), load_file)?
                .unwrap_or(Law::Lognormal { median, sigma, maximum: MOST_OBJECTS }),
            page_bytes: law_from_file(bytes, (1.0, LARGEST_PAGE_BYTES), load_file)?.unwrap_or(
                Law::Lognormal { median: weight, sigma: weight_sigma, maximum: LARGEST_PAGE_BYTES },
            ),
            root_bytes: Law::Lognormal { median: root.0, sigma: root.1, maximum: LARGEST_PAGE_BYTES },
            correlation: parameters.weight_to_objects_correlation,
            object_share_sigma: parameters.object_share_sigma,
            third_party_share: parameters.third_party_share,
            third_party_spread: parameters.third_party_spread,
            named_by_root_share: parameters.named_by_root_share,
            request_bytes: parameters.request_bytes,
        })
    }

    /// The share of an object in the weight of its page, in a unit of the page's own, from a uniform number.
    pub(super) fn share(&self, uniform: f64) -> f64 {
        libm::exp(self.object_share_sigma * normal_quantile(uniform.max(f64::MIN_POSITIVE)))
    }
}
