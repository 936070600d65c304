//! How often the filter takes a flow for one that misbehaves: by trying, where equation (3) reckons.

use super::Params;
use crate::algorithms::Scheme;
use crate::guard::{Behind, Guard as _};
use crate::header::HeaderFields;
use crate::packet::{Codepoint, PacketClass, PacketFacts};
use crate::parameter_error::ParameterError;
use crate::parameters::Parameters as _;
use crate::port_facts::PortFacts;
use aqmlab_random::Key;
use aqmlab_units::{Probability, Rate, Time};

/// In how many of `trials` filters, each with hash functions of its own, a flow that has sent nothing would
/// meet a probability above zero after an interval in which `misbehaving` other flows sent far more than
/// their share.
///
/// # Errors
/// [`ParameterError`] when there is no filter with so many levels or bins.
pub fn false_positives(
    levels: u32,
    bins: u32,
    misbehaving: u32,
    trials: u32,
    key: Key,
) -> Result<u32, ParameterError> {
    let params: Params<Scheme> = Params { levels, bins, ..Params::default() };
    params.validate()?;
    let link = PortFacts::new(Rate::from_megabits_per_second(10.0));
    let nobody = Behind::new(0, 0, &|| Probability::ZERO);
    let taken = (0..trials).filter(|&trial| {
        let key = key.indexed(trial.into());
        let flow = |number: u32| {
            let flow_hash = (key.bits(number.into()) >> 32) as u32;
            HeaderFields { flow_hash, ..HeaderFields::default() }
        };
        let mut filter = params.guardian(&link.with_flow_salt(key.named("salt").bits(0)));
        let mut coins = key.named("coins").stream();
        let much = PacketFacts {
            flow: 0,
            bytes: u32::MAX,
            codepoint: Codepoint::NotEct,
            class: PacketClass::Datagram,
        };
        for number in 1..=misbehaving {
            filter.admits(Time::ZERO, &much, &flow(number), &nobody, &mut coins);
        }
        filter.on_timer(filter.ticker.due(), &nobody);
        filter.probability_of(flow(0).flow_hash) > 0.0
    });
    Ok(taken.count() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::sfg_design::false_positive;

    #[test]
    fn the_filter_is_wrong_as_often_as_equation_3_says() {
        const TRIALS: u32 = 4_000;
        for (levels, bins, misbehaving) in
            [(1, 20, 5), (2, 20, 10), (3, 20, 5), (3, 20, 15), (3, 100, 60), (4, 8, 10)]
        {
            let found = false_positives(levels, bins, misbehaving, TRIALS, Key::from_seed(4)).expect("legal");
            let share = false_positive(levels.into(), bins.into(), misbehaving.into());
            // Four standard deviations of a count of independent trials.
            let deviation = (f64::from(TRIALS) * share * (1.0 - share)).sqrt();
            let off = (f64::from(found) - f64::from(TRIALS) * share).abs();
            assert!(off < 4.0 * deviation, "{levels}, {bins}, {misbehaving}: {found}, {share}");
        }
        assert_eq!(false_positives(3, 20, 0, 100, Key::from_seed(4)), Ok(0));
        assert!(false_positives(0, 20, 1, 1, Key::from_seed(4)).is_err());
    }
}
