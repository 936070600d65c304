//! The UNC model: users who think and browse, with persistent connections.
//!
//! **Source.** F. D. Smith, F. Hernández-Campos, K. Jeffay, D. Ott, *What TCP/IP Protocol Headers Can Tell Us
//! About the Web* (SIGMETRICS 2001), as run by L. Le, J. Aikat, K. Jeffay, F. D. Smith, *The Effects of
//! Active Queue Management on Web Performance* (SIGCOMM 2003), section 3.1: that text is the edition
//! followed. The authors' measured distributions may not be passed on, so the constants below are a
//! parametric reconstruction from what the 2003 paper prints; whoever holds the files can name them in the
//! parameters.
//!
//! **A user.** Think; fetch a page; repeat. A page is one top-level object, fetched alone, then its embedded
//! objects over at most P connections at once. A number of consecutive pages comes from one server (a *server
//! visit*), then another server is chosen uniformly. A new connection is persistent with probability 0.15;
//! it then carries a drawn number (at least 2) of requests, else one. The browser closes a connection after
//! its requests, or when the visit ends. The think time begins when every object of the page is there.
//!
//! **Sizes.** F̄(x) = Q(ln(x/m)/σ) below x_c and F̄(x_c)·(x/x_c)^−α above, log-log slope continuous at x_c;
//! larger values than the maximum are redrawn.
//!
//! | quantity | law | default | certainty |
//! | --- | --- | --- | --- |
//! | response, B | lognormal-Pareto | m 1,000; σ 1.8348; α 1.2673; maximum 10⁹ (so x_c 35,510, mean 7,000) | median and maximum printed; the rest derived from printed loads, P90, Hurst parameter |
//! | request, B | Mah 1997, primary and secondary | means 396 and 336 | assumption |
//! | objects per page | geometric from 1 | mean 5 | assumption, fixed together with the think time |
//! | think time, s | lognormal-Pareto | m 10; σ 1.4510; α 1.5; maximum 3,600 (mean 30.07) | assumption, fixed by 0.1609 exchanges per user and second |
//! | pages per server visit | geometric from 1 | mean 4.09 | mean from Mah 1997, shape assumed |
//! | servers per page | geometric from 1 | mean 1 | assumption |
//! | persistent connections | share of new ones | 0.15 | printed |
//! | requests per persistent one | 1 + geometric from 1 | mean 8 | derived from "more than 50 % of all objects" |
//! | connections at once, P | per user | Netscape 4 or Internet Explorer 2, half each | 4 and 2 printed, the mix assumed |
//! | servers | uniform | 8 | printed (section 2: eight response generators at each edge) |
//!
//! Legal ranges stand at [`UncParameters`].
//!
//! **Assignment.** Which object travels on which connection is settled when the page begins, without regard
//! to the order in which responses will arrive: the objects, in order, fill first the connections of the
//! visit that have requests left (lowest number first), then new ones. The batch of the top-level object goes
//! on first; its connection, if it has requests left, continues with embedded objects; the other batches
//! follow in order as one of the P places becomes free. A lost connection costs the exchange in progress;
//! what was left of its batch is fetched by opening the connection again with the same numbers.
//!
//! **Departures.** Response sizes of top-level and embedded objects follow one law (nothing printed tells
//! them apart). An object whose exchange failed is not asked for again, and the embedded objects of a page
//! whose top-level object failed are still fetched: demand must not depend on the queue.
//!
//! **Silences of the paper, and our choice.** Which objects share a connection: by the assignment above. With
//! several servers per page: embedded object j comes from server j mod S, server 0 being the visit's own, and
//! the further servers stay the same through the visit. Whether persistent connections outlive a page: they
//! do within a visit, otherwise their share of the objects cannot exceed 45 %. Whether the limit P counts
//! idle connections: it does not. How users begin: [`crate::StartRule`].

mod assignment;
mod laws;
mod parameters;
mod user;

pub use laws::UncModel;
pub use parameters::UncParameters;
pub use user::User;
