//! From a scenario to the applications of a run.

use crate::control::RunError;
use crate::datagram_sources::first_places;
use aqmlab_random::{Key, Law};
use aqmlab_record::{MeasuredWindow, Pages, Responses, Rows};
use aqmlab_scenario as scenario;
use aqmlab_scenario::{
    DatagramGroup, FlowGroup, FlowStarts, FrameSpacing, OnOff, PeriodLaw, Scenario, Sending, Video,
};
use aqmlab_session::{
    AdaptiveVideo, BrowsingPopulation, BrowsingSettings, DatagramSource, Feedback, Frames, Periods, Sends,
    Session, Transfer,
};
use aqmlab_units::{Rate, Span, Time};
use aqmlab_web::Population;

/// Beyond this many exchanges or pages, `responses = "auto"` keeps histograms of them alone.
const AUTOMATIC_ROWS: usize = 5_000_000;

/// Longer frames are drawn again; none of a legal mean comes near.
const LONGEST_FRAME_BYTES: f64 = 1e12;

/// All applications, none of which has started.
///
/// # Errors
/// [`RunError::Model`]: a traffic model cannot be made from its parameters.
pub fn session(scenario: &Scenario, window: MeasuredWindow, key: Key) -> Result<Session, RunError> {
    let populations = scenario.populations.iter().map(|population| {
        let users = users(scenario, population, key.named("user").named(&population.name))?;
        let group = BrowsingPopulation::new(users, population.start);
        Ok(if population.sends_one_way() { group.over_one_way_connections() } else { group })
    });
    let settings = BrowsingSettings {
        window,
        response_end: scenario.record.response_end,
        responses: Responses::new(scenario.populations.len(), rows(scenario)),
        pages: Pages::new(scenario.populations.len(), window, rows(scenario)),
    };
    let end = Time::ZERO + scenario.duration;
    let transfers = scenario.flows.iter().flat_map(|group| transfers(group, end, key));
    let datagrams = datagram_sources(scenario, key);
    Ok(Session::new(populations.collect::<Result<_, _>>()?, settings, transfers.collect(), datagrams))
}

fn datagram_sources(scenario: &Scenario, key: Key) -> Vec<DatagramSource> {
    let first_places = first_places(scenario);
    let answered = |group: &DatagramGroup| group.answers.map_or(0, |answered| first_places[answered]);
    scenario.datagrams.iter().flat_map(|group| datagrams(group, answered(group), key)).collect()
}

fn transfers(group: &FlowGroup, end: Time, key: Key) -> impl Iterator<Item = Transfer> {
    let key = key.named("flow").named(&group.name);
    let never = end + Span::from_nanoseconds(1);
    let spread_over =
        |spread: Span, index: u64| Time::from_seconds(spread.seconds() * key.indexed(index).uniform(0));
    let starts: Vec<Time> = match &group.starts {
        FlowStarts::Listed(instants) => instants.iter().map(|&instant| Time::ZERO + instant).collect(),
        &FlowStarts::Spread { first, spread } => {
            (0..group.flows.len() as u64).map(|index| spread_over(spread, index) + first).collect()
        }
        FlowStarts::Phases { lives, spread } => {
            (0..).zip(lives).map(|(index, life)| spread_over(*spread, index) + life.from).collect()
        }
        &FlowStarts::Poisson { first, mean_interval_s } => {
            let (interval, mut at_s) = (Law::Exponential { mean: mean_interval_s }, first.seconds());
            (0..group.flows.len() as u64)
                .map(|index| {
                    at_s += interval.draw(key.indexed(index), 0);
                    // What lies behind the end may lie beyond what time can count.
                    Time::from_seconds(at_s.min(never.seconds()))
                })
                .collect()
        }
    };
    let stop_of = |index: usize| match &group.starts {
        FlowStarts::Phases { lives, .. } => Some(lives[index].until),
        _ => group.stop,
    };
    let stops = move |index| stop_of(index).map_or(Time::MAX, |stop| Time::ZERO + stop);
    let of_flow = move |(index, starts)| Transfer { starts, stops: stops(index), bytes: group.bytes };
    starts.into_iter().enumerate().map(of_flow)
}

/// The sources of a group; `first_answered` is the place of the first source of the group that it answers.
fn datagrams(group: &DatagramGroup, first_answered: usize, key: Key) -> impl Iterator<Item = DatagramSource> {
    let key = key.named("datagrams").named(&group.name);
    (0..).zip(&group.sources).map(move |(index, _)| {
        let key = key.indexed(index);
        let spread = Span::from_seconds(group.start_spread.seconds() * key.uniform(0));
        let starts = Time::ZERO + group.start + spread;
        let (starts, stops) = match (&group.sending, group.answers) {
            // The receiver of a call reports for as long as anything comes, and at no instant of others.
            (Sending::Feedback(interval), _) => {
                let phase = Span::from_seconds(interval.seconds() * key.uniform(0));
                (Time::ZERO + group.start + phase, None)
            }
            // What is sent back is no application's: it has stopped before it starts.
            (_, Some(_)) => (starts, Some(starts)),
            (_, None) => (starts, group.stop.map(|stop| Time::ZERO + stop)),
        };
        DatagramSource {
            starts,
            stops: stops.unwrap_or(Time::MAX),
            ip_bytes: group.packet_bytes,
            sends: match &group.sending {
                Sending::Video(video) => Sends::Frames(frames(video, key.named("frames"))),
                Sending::AdaptiveVideo(video) => {
                    Sends::AdaptiveVideo(adaptive_video(video, key.named("frames")))
                }
                &Sending::Feedback(interval) => {
                    let call = first_answered + usize::try_from(index).expect("a place in a list");
                    Sends::Feedback(Feedback { call, interval })
                }
                Sending::AtRate { rate, on_off } => Sends::Packets {
                    rate: *rate,
                    periods: on_off.map(|on_off| periods(on_off, key.named("periods"))),
                },
            },
        }
    })
}

fn adaptive_video(video: &scenario::AdaptiveVideo, key: Key) -> AdaptiveVideo {
    let bps = |rate: Rate| rate.bits_per_second() as f64;
    AdaptiveVideo {
        frame_interval_s: video.frame_interval_s,
        rates_bps: video.rates.map(bps),
        start_bps: bps(video.start_rate),
        edition: video.edition,
        variation: varying(1.0, video.variation),
        header_bytes: DatagramGroup::CALL_HEADER_BYTES,
        key,
    }
}

/// Lengths of a mean and a coefficient of variation c, lognormal: sigma² = ln(1 + c²), median m
/// exp(-sigma²/2).
fn varying(mean: f64, variation: f64) -> Law {
    if variation == 0.0 {
        return Law::Constant(mean);
    }
    let sigma_squared = libm::log1p(variation * variation);
    let median = mean * libm::exp(-sigma_squared / 2.0);
    Law::Lognormal { median, sigma: libm::sqrt(sigma_squared), maximum: LONGEST_FRAME_BYTES }
}

fn periods(OnOff { on, off, law }: OnOff, key: Key) -> Periods {
    let law = |length: Span| match law {
        PeriodLaw::Fixed => Law::Constant(length.seconds()),
        PeriodLaw::Exponential => Law::Exponential { mean: length.seconds() },
    };
    Periods { on: law(on), off: law(off), key }
}

fn frames(video: &Video, key: Key) -> Frames {
    Frames {
        interval_s: video.frame_interval_s,
        bytes: video.frame_bytes.iter().map(|&mean| varying(f64::from(mean), video.variation)).collect(),
        header_bytes: DatagramGroup::HEADER_BYTES,
        even: video.spacing == FrameSpacing::Even,
        key,
    }
}

/// The users of a population under their model. Whatever files this names, the scenario holds their texts.
fn users(scenario: &Scenario, population: &scenario::Population, key: Key) -> Result<Population, RunError> {
    let users = population.model.parameters().build(population.users, key, &scenario.file_texts());
    users.map_err(|error| RunError::Model(error.to_string()))
}

fn rows(scenario: &Scenario) -> Rows {
    match scenario.record.responses {
        scenario::Responses::Auto => Rows::UpTo(AUTOMATIC_ROWS),
        scenario::Responses::Rows => Rows::All,
        scenario::Responses::Histogram | scenario::Responses::None => Rows::None,
    }
}
