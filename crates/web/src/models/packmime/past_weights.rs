//! What the past weighs in fractionally differenced noise, and sums over it, many at a time.
//!
//! The best prediction from the last t numbers weights that j numbers ago with φ_tj = -(t choose j) Γ(j-d)
//! Γ(t-d-j+1) / (Γ(-d) Γ(t-d+1)) (Hosking, *Biometrika* 68, 1981), which is a product of three factors: one
//! of j, one of t - j, one of t. So while the order still grows, the numbers are kept multiplied by the
//! factor of their own place, and the weights are the same at every step, as they are when it has settled.

/// For so many numbers to come the sums over what is there already are made at once.
pub(super) const BLOCK: usize = 16;

/// The weights of an order of the fractional difference, and a number of terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PastWeights {
    difference: f64,
    /// While the order grows: the factor of j, the farthest number first.
    growing: Vec<f64>,
    /// Of the highest order: φ_tj, the farthest number first.
    settled: Vec<f64>,
    /// The factor of a number by its place; its inverse is that of the order.
    places: Vec<f64>,
}

impl PastWeights {
    /// The weights of the order `difference`, 0 to 0.5, whose highest order is one below `terms`.
    pub(super) fn new(difference: f64, terms: usize) -> Self {
        let (mut growing, mut places) = (Vec::new(), vec![1.0]);
        let mut factor = -1.0;
        for number in 1..terms {
            let number = number as f64;
            factor *= (number - 1.0 - difference) / number;
            growing.push(factor);
            places.push(places[places.len() - 1] * (number - difference) / number);
        }
        let highest = places[places.len() - 1];
        growing.reverse();
        let settled = growing.iter().zip(&places).map(|(weight, place)| weight * place / highest).collect();
        Self { difference, growing, settled, places }
    }

    /// The highest order.
    pub(super) fn order(&self) -> usize {
        self.settled.len()
    }

    /// The last of the partial autocorrelations of an order, at least 1 (Hosking).
    pub(super) fn partial(&self, order: usize) -> f64 {
        self.difference / (order as f64 - self.difference)
    }

    /// The factor that a number is kept with while the order grows.
    pub(super) fn of_place(&self, place: usize) -> f64 {
        self.places[place]
    }

    fn weights(&self, grows: bool) -> &[f64] {
        if grows { &self.growing } else { &self.settled }
    }

    /// What `past`, of which the last [`BLOCK`] numbers are 0 and stand for those to come, adds to each of
    /// these; nothing but zeros comes before the last `known` of the others.
    pub(super) fn far_sums(&self, grows: bool, past: &[f64], known: usize) -> [f64; BLOCK] {
        let weights = self.weights(grows);
        let first = weights.len().saturating_sub(known + BLOCK);
        let mut sums = [0.0; BLOCK];
        for (weight, window) in weights[first..].iter().zip(past[first..].windows(BLOCK)) {
            // An array of a known length: its sums are then made side by side.
            let window: &[f64; BLOCK] = window.try_into().expect("a window");
            for lane in 0..BLOCK {
                sums[lane] += weight * window[lane];
            }
        }
        sums
    }

    /// What the latest numbers add.
    pub(super) fn near_sum(&self, grows: bool, latest: &[f64]) -> f64 {
        let weights = self.weights(grows);
        let latest = &latest[latest.len().saturating_sub(weights.len())..];
        weights[weights.len() - latest.len()..].iter().zip(latest).map(|(weight, x)| weight * x).sum()
    }
}
