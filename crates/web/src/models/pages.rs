//! Today's pages: dozens of objects from many hosts, over HTTP/1.1 or HTTP/2, behind TLS.
//!
//! **Sources.** HTTP Archive, *Web Almanac* 2022 and 2024 (chapters *Page Weight* and *Third Parties*):
//! aggregate statistics of millions of pages, loaded with an empty cache. What people do between pages: J.
//! Nielsen, *How Long Do Users Stay on Web Pages?* (2011), on C. Liu, R. White, S. Dumais, *Understanding Web
//! Browsing Behaviors through Weibull Analysis of Dwell Time* (SIGIR 2010).
//!
//! **A user.** Think; load a page; repeat. A page is its root, fetched first and alone, and the objects that
//! the root names, and then those that these name: three waves, of which the next is known when everything of
//! the one before is there. Objects come from several hosts. With HTTP/1.1 a browser has up to six
//! connections to a host and one request on each at a time; with HTTP/2 one connection to a host, on which it
//! writes every request as soon as it is known. The page is there with its last object; its connections are
//! closed then.
//!
//! | quantity | law | certainty |
//! | --- | --- | --- |
//! | objects of a page | lognormal, median 71 | fitted to five percentiles of 2024 |
//! | bytes of a page | lognormal, median 2,652 KB | median of 2024, shape fitted to five percentiles of 2022 |
//! | both together | normal numbers of correlation 0.6 | assumption |
//! | root, bytes | lognormal, median 18 KB | median of 2024, shape assumed |
//! | how a page's bytes spread over its objects | lognormal, sigma 1.7 | assumption |
//! | objects of other hosts than the root's | 45 % | 2022 |
//! | how many hosts these are | Hoppe's urn | fitted to the median of 2022 |
//! | objects named by the root | 60 %, the others by those | assumption |
//! | request, bytes | 500 | assumption |
//! | think time, s | lognormal, median 15, mean 52 | mean and "10 to 20 s" of Nielsen |
//!
//! Departures and silences: no cache, no DNS, no time to compute, no request is given up for a slow one;
//! connections do not outlive a page. `docs/reference/models/pages.md` says how well the laws meet what was
//! published.

mod file;
mod laws;
mod parameters;
mod plan;
mod user;

pub use file::PagesFileError;
pub use laws::PagesModel;
pub use parameters::{Http, PagesParameters};
pub use user::PagesUser;
