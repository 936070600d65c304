//! A transport of your own behind a home line, under four queues: in one process, without a clock, the same
//! each time. `cargo run --example foreign_endpoint`
//!
//! `transport.rs` knows nothing of these crates; `home_line.rs` is all that a test needs.
#![allow(clippy::print_stdout, reason = "an example prints")]

mod home_line;
mod transport;

use aqmlab_aqm::algorithms::{cake, drop_tail, dualpi2, fq_codel};
use aqmlab_aqm::{Event, Scheme};

fn main() {
    let tail = drop_tail::Params { limit_packets: Some(256), ..drop_tail::Params::default() };
    let queues = [
        Scheme::DropTail(tail),
        Scheme::FqCoDel(fq_codel::Params::default()),
        Scheme::Cake(cake::Params::default()),
        Scheme::DualPi2(dualpi2::Params { limit_packets: Some(10_000), ..dualpi2::Params::default() }),
    ];
    for queue in queues {
        let (took, [down, _]) = home_line::download(&queue, 10_000, |_, _| {});
        let marked = down.counters().of(Event::Mark).total().packets;
        let lost = down.counters().all_discards().total().packets;
        println!("{:10} 12 MB in {:.2} s, {marked} marked, {lost} lost", queue.name(), took.seconds());
    }
}
