//! Viewers of videos: what they ask for at each rate of the network, beside BOLA worked out a second time.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, Exchange, Parameters, Population, StartRule, UserEvent, VideoStreamingParameters};

fn viewers(parameters: &VideoStreamingParameters) -> Population {
    let no_file = |path: &str| Err(format!("unexpected file {path}"));
    parameters.build(1, Key::from_seed(5).named("user"), &no_file).unwrap()
}

/// A segment that was asked for: when, when it had arrived, its bytes.
#[derive(Clone, Copy, Debug)]
struct Segment {
    requested_s: f64,
    arrived_s: f64,
    bytes: u64,
}

/// A viewer of so many segments, over a network that carries so many bits per second at each instant, without
/// round trips; and the instants at which connections were opened.
fn watch(
    parameters: &VideoStreamingParameters,
    segments: usize,
    bits_per_second: impl Fn(f64) -> f64,
) -> (Vec<Segment>, Vec<f64>) {
    let mut population = viewers(parameters);
    let (mut now, mut commands, mut seen, mut opened) = (Time::ZERO, Vec::new(), Vec::new(), Vec::new());
    population.handle(0, UserEvent::Start(StartRule::Steady), now, &mut commands);
    while seen.len() < segments {
        let event = commands.drain(..).fold(None, |event, command| match command {
            Command::Open { connection, .. } => {
                opened.push(now.seconds());
                Some(UserEvent::Connected(connection))
            }
            Command::Request { connection, exchange } => {
                let Exchange { response_bytes: bytes, .. } = exchange;
                let requested_s = now.seconds();
                now += Span::from_seconds(bytes as f64 * 8.0 / bits_per_second(requested_s));
                seen.push(Segment { requested_s, arrived_s: now.seconds(), bytes });
                Some(UserEvent::Response(connection))
            }
            Command::Think { until } => {
                assert!(until >= now);
                now = until;
                Some(UserEvent::Wake)
            }
            Command::Close { .. } => event,
            Command::Wait { .. } => panic!("{command:?}"),
        });
        population.handle(0, event.expect("she waits for something"), now, &mut commands);
    }
    (seen, opened)
}

/// What the buffer of one video held when each segment was asked for, in seconds, from the times alone; and
/// how long it was empty after playback had begun.
fn buffers(segments: &[Segment], length_s: f64, begins_at_s: f64) -> (Vec<f64>, f64) {
    let (mut level, mut plays, mut stalled_s, mut levels) = (0.0_f64, false, 0.0, Vec::new());
    let mut as_of = segments[0].requested_s;
    let mut began = false;
    for segment in segments {
        for until in [segment.requested_s, segment.arrived_s] {
            let played = if plays { (until - as_of).min(level) } else { 0.0 };
            stalled_s += if began { until - as_of - played } else { 0.0 };
            level -= played;
            plays &= level > 1e-6;
            as_of = until;
            if until.to_bits() == segment.requested_s.to_bits() {
                levels.push(level);
            }
        }
        level += length_s;
        plays |= level >= begins_at_s - 1e-6;
        began |= plays;
    }
    (levels, stalled_s)
}

/// The bit rate of BOLA-BASIC, in bits per second, in floating point from its formula.
fn bola(parameters: &VideoStreamingParameters, buffer_s: f64) -> f64 {
    let sizes: Vec<f64> =
        parameters.bitrates_kbps.iter().map(|kbps| kbps * 1000.0 * parameters.segment_seconds).collect();
    let utility = |size: f64| libm::log(size / sizes[0]);
    let most = parameters.most_buffer_seconds / parameters.segment_seconds;
    let weight = (most - 1.0) / (utility(sizes[sizes.len() - 1]) + parameters.full_buffer_weight);
    let segments = buffer_s / parameters.segment_seconds;
    let worth = |size: f64| (weight * (utility(size) + parameters.full_buffer_weight) - segments) / size;
    let best = sizes.iter().copied().max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap();
    best / parameters.segment_seconds
}

#[test]
fn every_segment_has_the_bit_rate_that_the_papers_formula_gives_for_the_buffer_there_was() {
    let parameters = VideoStreamingParameters { segments_per_video: 1_000, ..Default::default() };
    // From plenty to little and back.
    let (seen, opened) =
        watch(&parameters, 600, |now| 1e6 * (4.0 + 3.8 * libm::cos(now / 200.0 * std::f64::consts::TAU)));
    assert_eq!(opened.len(), 1, "one connection for a video");
    let (levels, _) = buffers(&seen, 3.0, 3.0);
    let mut rates = std::collections::BTreeSet::new();
    for (segment, &level) in seen.iter().zip(&levels) {
        assert!(level <= 22.0 + 1e-6, "{level} s: no room for a segment");
        let expected = (bola(&parameters, level) * 3.0 / 8.0).round() as u64;
        assert_eq!(segment.bytes, expected, "with {level} s in the buffer");
        rates.insert(segment.bytes);
    }
    assert!(rates.len() >= 9, "nearly all bit rates were seen: {rates:?}");
}

#[test]
fn a_network_that_carries_the_highest_bit_rate_gets_it_with_a_full_buffer_and_no_stall() {
    let parameters = VideoStreamingParameters { segments_per_video: 1_000, ..Default::default() };
    let (seen, _) = watch(&parameters, 200, |_| 20e6);
    let (levels, stalled_s) = buffers(&seen, 3.0, 3.0);
    assert!(stalled_s < 1e-6);
    assert_eq!(seen[0].bytes, 86_250, "the first segment has the lowest bit rate");
    for (segment, level) in seen.iter().zip(levels).skip(20) {
        assert_eq!(segment.bytes, 2_250_000);
        assert!((level - 22.0).abs() < 1e-6, "{level}");
    }
    let spacing: Vec<f64> =
        seen[20..].windows(2).map(|pair| pair[1].requested_s - pair[0].requested_s).collect();
    assert!(spacing.iter().all(|seconds| (seconds - 3.0).abs() < 1e-6), "a segment every three seconds");
}

#[test]
fn a_network_slower_than_the_lowest_bit_rate_stalls_for_as_long_as_it_lacks() {
    let parameters = VideoStreamingParameters { segments_per_video: 1_000, ..Default::default() };
    // A segment of 3 s takes 4 s: each stalls for one.
    let (seen, _) = watch(&parameters, 100, |_| 230e3 * 0.75);
    let (levels, stalled_s) = buffers(&seen, 3.0, 3.0);
    assert!(levels[1..].iter().all(|level| (level - 3.0).abs() < 1e-6), "{levels:?}");
    assert!((stalled_s - 99.0).abs() < 1e-6, "{stalled_s}");
}

#[test]
fn a_video_is_watched_to_its_end_before_the_next_begins() {
    let parameters =
        VideoStreamingParameters { segments_per_video: 10, pause_mean_seconds: 5.0, ..Default::default() };
    let (seen, opened) = watch(&parameters, 2_000, |_| 20e6);
    assert_eq!(opened.len(), 200, "a connection for each video");
    let mut pauses = Vec::new();
    for (video, next) in seen.chunks(10).zip(seen[10..].chunks(10)) {
        // Playback begins with the first segment, and lasts 30 s.
        let end_s = video[0].arrived_s + 30.0;
        assert!(video[9].arrived_s < end_s);
        assert_eq!(next[0].bytes, 86_250, "its buffer is empty");
        pauses.push(next[0].requested_s - end_s);
    }
    assert!(pauses.iter().all(|&pause| pause > -1e-6), "{pauses:?}");
    let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
    assert!((mean - 5.0).abs() < 5.0 * 5.0 / (pauses.len() as f64).sqrt(), "{mean}");
}

#[test]
fn a_segment_whose_connection_fails_is_asked_for_again_over_another() {
    let mut population = viewers(&VideoStreamingParameters::default());
    let (mut commands, now) = (Vec::new(), Time::from_seconds(5.0));
    population.handle(0, UserEvent::Wake, now, &mut commands);
    let [Command::Open { connection: first, .. }] = commands[..] else { panic!("{commands:?}") };
    commands.clear();
    let failed = population.handle(0, UserEvent::Failed(first), now, &mut commands).unwrap();
    assert_eq!((failed.object, failed.response_bytes), (0, 86_250), "what waited for the connection");
    let [Command::Open { connection: second, .. }] = commands[..] else { panic!("{commands:?}") };
    assert_ne!(first, second);
    commands.clear();
    population.handle(0, UserEvent::Connected(second), now, &mut commands);
    let [Command::Request { exchange: asked, .. }] = commands[..] else { panic!("{commands:?}") };
    assert_eq!((asked.object, asked.page, asked.response_bytes), (1, 0, 86_250));
    commands.clear();
    assert_eq!(population.handle(0, UserEvent::Failed(second), now, &mut commands), Some(asked));
    let [Command::Open { connection: third, .. }] = commands[..] else { panic!("{commands:?}") };
    commands.clear();
    population.handle(0, UserEvent::Connected(third), now, &mut commands);
    population.handle(0, UserEvent::Response(third), now, &mut commands);
    let [Command::Request { .. }, Command::Think { .. }] = commands[..] else { panic!("{commands:?}") };
    commands.clear();
    assert_eq!(population.handle(0, UserEvent::Failed(third), now, &mut commands), None, "it was idle");
    assert!(commands.is_empty());
    population.handle(0, UserEvent::Wake, now, &mut commands);
    assert!(matches!(commands[..], [Command::Open { .. }]), "{commands:?}");
}

#[test]
fn what_is_out_of_range_is_refused_with_its_range() {
    let refused = |parameters: VideoStreamingParameters| {
        let no_file = |path: &str| Err(format!("unexpected file {path}"));
        parameters.build(1, Key::from_seed(1), &no_file).unwrap_err().to_string()
    };
    let usual = VideoStreamingParameters::default;
    let cases = [
        (
            VideoStreamingParameters { bitrates_kbps: vec![], ..usual() },
            "`bitrates_kbps` = []: legal values are 1 to 50 increasing numbers",
        ),
        (
            VideoStreamingParameters { bitrates_kbps: vec![500.0, 500.0], ..usual() },
            "`bitrates_kbps` = [500.0, 500.0]: legal values are 1 to 50 increasing numbers",
        ),
        (
            VideoStreamingParameters { bitrates_kbps: vec![f64::NAN], ..usual() },
            "`bitrates_kbps` = NaN: legal values are 1 to 1000000",
        ),
        (
            VideoStreamingParameters { segment_seconds: 13.0, ..usual() },
            "`most_buffer_seconds` = 25: legal values are 26 to 3600",
        ),
        (
            VideoStreamingParameters { start_buffer_seconds: 22.5, ..usual() },
            "`start_buffer_seconds` = 22.5: legal values are 0.001 to 22",
        ),
        (
            VideoStreamingParameters { segments_per_video: 0, ..usual() },
            "`segments_per_video` = 0: legal values are 1 to 1000000",
        ),
    ];
    for (parameters, message) in cases {
        assert_eq!(refused(parameters), message);
    }
}
