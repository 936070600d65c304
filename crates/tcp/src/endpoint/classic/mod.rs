//! What an end with a classic sender does when an acknowledgement arrives or a timer fires.
//!
//! | file | idea |
//! | --- | --- |
//! | `acknowledgement.rs`, `echo.rs` | what an arriving acknowledgement, or none, means; what an ECN-Echo does |
//! | `process_ack.rs` | the same in the order of ns-2's two-way agent |
//! | `send_much.rs`, `foutput.rs` | ns-2's two output routines |

mod acknowledgement;
mod echo;
mod foutput;
mod process_ack;
mod send_much;
