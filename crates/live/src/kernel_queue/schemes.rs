//! Which queue discipline of the kernel a scheme without classes is.

use super::cake::cake;
use super::sfb::sfb;
use super::words::{Discipline, choke, codel, drop_tail, dualpi2, fq_codel, linux_fq, pie, red};
use aqmlab_scenario::Scheme;
use aqmlab_units::Rate;

/// The kernel's discipline of a scheme, emptied at a rate.
pub(super) fn discipline_of_scheme(scheme: &Scheme, rate: Rate) -> Result<Discipline, String> {
    match scheme {
        Scheme::DropTail(given) => drop_tail(given),
        Scheme::Red(given) => red(given, rate.bits_per_second()),
        Scheme::CoDel(given) => codel(given),
        Scheme::Pie(given) => pie(given),
        Scheme::FqCoDel(given) => fq_codel(given),
        Scheme::LinuxFq(given) => linux_fq(given),
        Scheme::DualPi2(given) => dualpi2(given),
        Scheme::Cake(given) => cake(given, rate),
        Scheme::Choke(given) => choke(given, rate.bits_per_second()),
        Scheme::Sfb(given) => sfb(given),
        Scheme::Fq(_) => {
            Err("Linux's fq is another one than fq: it is linux-fq, and its fq_codel fq-codel".to_owned())
        }
        other => Err(format!("Linux has no discipline {}", other.name())),
    }
}
