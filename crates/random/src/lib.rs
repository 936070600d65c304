//! Random numbers as addresses, and the laws drawn from them.
//!
//! A stream is a **key, not stored state**: the key is folded from (seed, replication, actor, purpose), and
//! draw number `n` of a stream is a pure function of the key and `n`. User 17's fifth page is therefore the
//! same page whatever the queue does, and adding a consumer moves no other stream: these are the common
//! random numbers on which every comparison of this laboratory rests.
//!
//! - [`Key`] and [`Stream`]: addresses and sequential draws from one address;
//! - [`Law`]: distributions given by their quantile function, one uniform per value;
//! - [`Equilibrium`]: the residual-life law of any [`Law`], for users who start in steady state;
//! - [`EmpiricalTable`]: measured distributions, also from two-column CDF files.
//!
//! Every function is bit-identical on every platform: integer mixing of our own, `libm` for `exp`, `log` and
//! `pow`, `+ − × ÷ √` from IEEE 754.
#![deny(missing_docs)]

mod empirical;
mod equilibrium;
mod key;
mod law;
mod normal;

pub use empirical::{EmpiricalTable, Interpolation, TableError};
pub use equilibrium::Equilibrium;
pub use key::{Key, Stream};
pub use law::{Law, LognormalPareto};
pub use normal::{normal_cumulative, normal_quantile};
