//! What an end with a modern sender does when an acknowledgement arrives or a timer fires.
//!
//! | file | idea |
//! | --- | --- |
//! | `transmission.rs` | what leaves again, and when |
//! | `prediction.rs` | an acknowledgement that says nothing else, while nothing is being repaired |

mod prediction;
mod transmission;
