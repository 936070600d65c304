//! PackMime-HTTP: connections that arrive, in place of users who wait.
//!
//! **Source.** J. Cao, W. S. Cleveland, Y. Gao, K. Jeffay, F. D. Smith, M. C. Weigle, *Stochastic Models for
//! Generating Synthetic HTTP Source Traffic* (INFOCOM 2004), in the edition of the ns-2 code of its authors
//! (`packmime_ranvar.cc`, `packmime_HTTP.cc`), with which the study of several congested links (Y. Nie, M. C.
//! Weigle and others) was made.
//!
//! **A cloud.** Connections arrive at a mean rate r, whatever becomes of those before: nobody waits, and
//! nobody thinks. Nine in a hundred carry several exchanges (HTTP/1.1), the others one. The server closes
//! behind the last response.
//!
//! | quantity | law | printed in the study |
//! | --- | --- | --- |
//! | time between arrivals | Weibull, whose shape rises to 1 with the rate; long-range dependent (d = 0.33) | |
//! | round trip beyond the network's, on the clients' and on the servers' side | measured curves, long-range dependent | 1 ms to 6.5 s, median 65 ms, mean 106 ms |
//! | request, B | measured curve, long-range dependent (d = 0.31); one size for all of a connection | |
//! | first response, B | runs of downloads and of validations: measured curves, the tail a Pareto of index 1.231 | median 900, mean 6,700 of one run |
//! | later responses, B | as the first if that is a validation; else lognormal about a location and with a scale of their connection | |
//! | objects and pages of a persistent connection | exponential above one | 1.2 exchanges per connection |
//! | gap before an object, before a page, s | lognormal, medians 0.056 and 9.3, with a location and a scale of their connection | |
//! | server's time, s | 1/Weibull, at most 0.1, median 0.0059 | |
//!
//! Legal ranges stand at [`PackMimeParameters`]. What depends on the rate does so through 2^x/(1 + 2^x) of
//! its logarithm: the higher the rate, the more independent a cloud's numbers.
//!
//! **Laws of one's own.** Files may take the place of the marginal laws of gaps, requests, responses, round
//! trips and servers' times; what makes the numbers depend on those before stays. ns-2 lets any random
//! variable stand there, an empirical one as well.
//!
//! **Departures.** Location and scale of the gaps are drawn for each connection, where ns-2 draws them once
//! for a run ([`GapsDrawnPer::Run`] is that). Half of the round trip that is added goes with the packets of
//! either direction, all of it behind the sender's own interface: of two delays on a path through queues that
//! packets leave in the order of their arrival only the sum is felt. Requests are cut at 10⁹ bytes and
//! responses at 10¹⁵.
//!
//! **Silences, and our choice.** How a cloud begins: without connections, with arrivals in their long-run
//! law.

mod cloud;
mod connection_plan;
mod consecutive;
mod curve;
mod fractional_sum_difference;
mod laws;
mod own_laws;
mod parameters;
mod past_weights;
mod round_trips;

pub use cloud::PackMimeCloud;
pub(crate) use fractional_sum_difference::standard_normal;
pub use laws::PackMimeModel;
pub use parameters::{GapsDrawnPer, PackMimeParameters};
pub(crate) use round_trips::MeasuredRoundTrips;
