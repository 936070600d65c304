//! The laws of Webtraf, prepared once for all sessions of a population.

use super::parameters::{ObjectSizeLaw, WebtrafParameters};
use crate::ParameterError;
use crate::models::think_cycle::ThinkCycle;
use aqmlab_random::{Key, Law};
use aqmlab_units::Span;

/// Larger objects have a probability of 10⁻¹⁴ and would be cut.
const LARGEST_OBJECT_BYTES: f64 = 1e15;

/// Webtraf with its parameters: immutable, shared by reference by all sessions of a population.
#[derive(Clone, Debug)]
pub struct WebtrafModel {
    think: ThinkCycle,
    object_gap_seconds: Law,
    /// Number of objects of a page.
    pub(super) objects: u32,
    pub(super) request_bytes: u32,
    sizes: ParetoSizes,
    servers: u32,
}

/// scale·(1 - u)^(-1/shape), less the scale in Lomax's law; rounded up to whole packets.
#[derive(Clone, Copy, Debug)]
struct ParetoSizes {
    scale: f64,
    shape: f64,
    /// What is taken off: nothing, or the scale.
    shift: f64,
    packet_bytes: f64,
}

impl ParetoSizes {
    fn of(parameters: &WebtrafParameters) -> Self {
        let &WebtrafParameters { object_bytes_mean: mean, object_bytes_shape: shape, .. } = parameters;
        let (scale, shift) = match parameters.object_size_law {
            ObjectSizeLaw::Pareto => (mean * (shape - 1.0) / shape, 0.0),
            ObjectSizeLaw::Lomax => (mean * (shape - 1.0), mean * (shape - 1.0)),
        };
        Self { scale, shape, shift, packet_bytes: f64::from(parameters.packet_bytes) }
    }

    fn at(self, uniform: f64) -> u64 {
        let bytes = self.scale * libm::pow(1.0 - uniform, -1.0 / self.shape) - self.shift;
        let packets = libm::ceil(bytes.min(LARGEST_OBJECT_BYTES) / self.packet_bytes).max(1.0);
        (packets * self.packet_bytes) as u64
    }
}

impl WebtrafModel {
    /// Prepares the laws.
    ///
    /// # Errors
    /// [`ParameterError`]: a number outside its legal range.
    pub fn new(parameters: &WebtrafParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let think = Law::Exponential { mean: parameters.think_time_mean_seconds };
        Ok(Self {
            think: ThinkCycle::new(think, parameters.steady_start_page_time_seconds),
            object_gap_seconds: Law::Exponential { mean: parameters.object_gap_mean_seconds },
            objects: parameters.objects_per_page,
            request_bytes: parameters.request_bytes,
            sizes: ParetoSizes::of(parameters),
            servers: parameters.server_count,
        })
    }

    pub(super) const fn think_cycle(&self) -> &ThinkCycle {
        &self.think
    }

    /// The think time behind a page.
    pub(super) fn think(&self, page: Key) -> Span {
        self.think.think(page.named("think"), 0)
    }

    /// From the launch of an object of a page to that of the next.
    pub(super) fn gap(&self, page: Key, object: u32) -> Span {
        Span::from_seconds(self.object_gap_seconds.draw(page.named("gap"), u64::from(object)))
    }

    pub(super) fn server(&self, page: Key) -> u32 {
        page.named("server").below(0, u64::from(self.servers)) as u32
    }

    /// Length of the response with an object of a page.
    pub(super) fn object_bytes(&self, page: Key, object: u32) -> u64 {
        self.sizes.at(page.named("size").uniform(u64::from(object)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(object_size_law: ObjectSizeLaw, packet_bytes: u32) -> ParetoSizes {
        ParetoSizes::of(&WebtrafParameters { object_size_law, packet_bytes, ..WebtrafParameters::default() })
    }

    #[test]
    fn sizes_are_those_of_the_laws_by_hand() {
        // Scale 5000·0.2/1.2 = 833.33; median 833.33·2^(1/1.2) = 1484.8; a hundredth lies above
        // 833.33·100^(1/1.2) = 38,680.
        let exact = sizes(ObjectSizeLaw::Pareto, 1);
        assert_eq!([0.0, 0.5, 0.99].map(|share| exact.at(share)), [834, 1485, 38_680]);
        // Lomax: scale 1000; median 1000·(2^(1/1.2) - 1) = 781.8; a hundredth above 1000·(100^(1/1.2) - 1) =
        // 45,415.9.
        let lomax = sizes(ObjectSizeLaw::Lomax, 1);
        assert_eq!([0.0, 0.5, 0.99].map(|share| lomax.at(share)), [1, 782, 45_416]);
        // In packets of 1,000 bytes.
        let packets = sizes(ObjectSizeLaw::Pareto, 1000);
        assert_eq!([0.0, 0.5, 0.99].map(|share| packets.at(share)), [1000, 2000, 39_000]);
        // The last number that can be drawn.
        assert!(exact.at(1.0 - f64::EPSILON / 2.0) <= 1_000_000_000_000_000);
    }
}
