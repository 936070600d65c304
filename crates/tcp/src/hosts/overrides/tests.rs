//! Which keys hosts take, what they become, and what is refused.

use super::*;

fn bsd45_with(overrides: &HostOverrides) -> Result<HostProfile, IllegalOverride> {
    HostProfile::named("bsd45").unwrap().with(overrides)
}

#[test]
fn nothing_changed_is_the_profile_itself() {
    for name in HostProfile::NAMES {
        let profile = HostProfile::named(name).unwrap();
        assert_eq!(profile.clone().with(&HostOverrides::default()), Ok(profile));
    }
}

#[test]
fn an_illegal_value_is_refused_with_its_key_and_the_legal_ones() {
    let error = bsd45_with(&HostOverrides { delayed_ack_ms: Some(501), ..HostOverrides::default() });
    assert_eq!(error.unwrap_err().to_string(), "delayed_ack_ms = 501: legal is 1 to 500");
    let small = bsd45_with(&HostOverrides { window_bytes: Some(1_000), ..HostOverrides::default() });
    assert_eq!(small.unwrap_err().to_string(), "window_bytes = 1000: legal is 1460 to 1000000000");
    let bytes = HostOverrides { acknowledge_every_segments: Some(45), ..HostOverrides::default() };
    let error = HostProfile::named("bsd228").unwrap().with(&bytes).unwrap_err();
    assert_eq!(error.to_string(), "acknowledge_every_segments = 45: legal is 1 to 44");
    let timers = HostOverrides { maximum_rto_ms: Some(2_000), ..HostOverrides::default() };
    assert_eq!(bsd45_with(&timers).unwrap_err().key, "maximum_rto_ms");
    let initial_is_the_maximum = HostOverrides { maximum_rto_ms: Some(3_000), ..HostOverrides::default() };
    assert!(bsd45_with(&initial_is_the_maximum).is_ok());
}

#[test]
fn a_value_out_of_its_range_is_refused_wherever_its_key_means_something() {
    let refused = |overrides: HostOverrides| bsd45_with(&overrides).unwrap_err().to_string();
    let segment = HostOverrides { maximum_segment_bytes: Some(9_001), ..HostOverrides::default() };
    assert_eq!(refused(segment), "maximum_segment_bytes = 9001: legal is 1 to 9000");
    let window = HostOverrides { initial_window_segments: Some(0), ..HostOverrides::default() };
    assert_eq!(refused(window), "initial_window_segments = 0: legal is 1 to 100");
    let timer = HostOverrides { minimum_rto_ms: Some(60_001), ..HostOverrides::default() };
    assert_eq!(refused(timer), "minimum_rto_ms = 60001: legal is 0 to 60000");
}

#[test]
fn a_receiver_that_advertises_no_window_updates_none() {
    let every = HostOverrides {
        window_updates: Some(WindowUpdates::EachAcknowledgement),
        ..HostOverrides::default()
    };
    let refused = HostProfile::named("ns2-oneway").unwrap().with(&every).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "window_updates = each-acknowledgement: legal is never in ns2-oneway, whose receivers advertise no window"
    );
    let rfc5681 = HostProfile::named("rfc5681").unwrap();
    assert_eq!(rfc5681.window_updates, WindowUpdates::Never);
    assert_eq!(rfc5681.with(&every).unwrap().window_updates, WindowUpdates::EachAcknowledgement);
}

#[test]
fn the_two_way_agent_of_ns2_refuses_what_it_does_not_have() {
    let refused = |overrides: HostOverrides| {
        HostProfile::named("ns2-full").unwrap().with(&overrides).unwrap_err().to_string()
    };
    let overrides = HostOverrides { limited_transmit: Some(true), ..HostOverrides::default() };
    assert_eq!(
        refused(overrides),
        "limited_transmit = true: legal is false in ns2-full, which does not have it"
    );
    let overrides = HostOverrides { ecn: Some(EcnRule::Kame), ..HostOverrides::default() };
    assert_eq!(refused(overrides), "ecn = kame: legal is off or on in ns2-full");
    let overrides =
        HostOverrides { window_updates: Some(WindowUpdates::EachSegment), ..HostOverrides::default() };
    assert_eq!(
        refused(overrides),
        "window_updates = each-segment: legal is never in ns2-full, whose receivers advertise no window"
    );
    let overrides = HostOverrides { acknowledge_every_segments: Some(45), ..HostOverrides::default() };
    assert_eq!(refused(overrides), "acknowledge_every_segments = 45: legal is 1 to 44");
    let overrides = HostOverrides { cluster_writes: Some(true), ..HostOverrides::default() };
    assert!(refused(overrides).starts_with("cluster_writes = true: legal is false in ns2-full"));
}

#[test]
fn ecn_on_means_what_the_stack_does() {
    let on = HostOverrides { ecn: Some(EcnRule::On), ..HostOverrides::default() };
    let rules = HostProfile::NAMES.map(|name| HostProfile::named(name).unwrap().with(&on).unwrap().ecn);
    let [reno, cubic, dctcp] = [Ecn::Rfc3168, Ecn::Rfc3168, Ecn::Accurate];
    assert_eq!(rules, [Ecn::Kame, Ecn::Kame, Ecn::Rfc3168, Ecn::Ns2, Ecn::Ns2Full, reno, cubic, dctcp]);
    let kame = HostOverrides { ecn: Some(EcnRule::Kame), ..HostOverrides::default() };
    let refused = HostProfile::named("ns2-oneway").unwrap().with(&kame).unwrap_err();
    assert_eq!((refused.key, refused.value.as_str()), ("ecn", "kame"));
}

#[test]
fn the_floor_of_the_window_after_an_echo_is_kames() {
    let floor = |ecn, segments| {
        let overrides =
            HostOverrides { ecn, ecn_least_window_segments: Some(segments), ..Default::default() };
        bsd45_with(&overrides).map(|profile| profile.ecn_least_window_segments)
    };
    assert_eq!(bsd45_with(&HostOverrides::default()).unwrap().ecn_least_window_segments, 1);
    for segments in [1, 2] {
        assert_eq!(floor(Some(EcnRule::Kame), segments), Ok(segments));
        assert_eq!(floor(Some(EcnRule::On), segments), Ok(segments), "which is KAME's there");
    }
    for (ecn, segments) in
        [(Some(EcnRule::Rfc3168), 2), (None, 2), (Some(EcnRule::Kame), 3), (Some(EcnRule::Kame), 0)]
    {
        let refused = floor(ecn, segments).unwrap_err();
        assert_eq!((refused.key, refused.value), ("ecn_least_window_segments", segments.to_string()));
    }
}

#[test]
fn the_parts_of_linux_are_switched_in_its_profiles_alone() {
    let cubic = HostProfile::named("linux6-cubic").unwrap();
    let plain = HostOverrides { timestamps: Some(false), ..HostOverrides::default() };
    let without = cubic.clone().with(&plain).unwrap();
    let sizes = (without.header_bytes, without.syn_header_bytes, without.maximum_segment_bytes);
    assert_eq!(sizes, (40, 52, 1460), "a full segment is 1,500 bytes either way");
    let small = HostOverrides { maximum_segment_bytes: Some(1000), ..plain };
    assert_eq!(cubic.clone().with(&small).unwrap().maximum_segment_bytes, 1000);
    let rack = HostOverrides { rack: Some(true), ..HostOverrides::default() };
    let refused = |name: &str, overrides: &HostOverrides| {
        HostProfile::named(name).unwrap().with(overrides).unwrap_err().to_string()
    };
    assert_eq!(refused("bsd45", &rack), "rack = true: legal is false in bsd45, whose stack does not do that");
    let hystart = HostOverrides { hystart: Some(HyStart::PlusPlus), ..HostOverrides::default() };
    assert_eq!(cubic.with(&hystart).unwrap().extensions().hystart, HyStart::PlusPlus);
    assert_eq!(
        refused("linux6-reno", &hystart),
        "hystart = plus-plus: legal is off in linux6-reno with reno, which does not have it"
    );
    let classic = HostOverrides { ecn: Some(EcnRule::Rfc3168), ..HostOverrides::default() };
    assert_eq!(
        refused("linux6-dctcp", &classic),
        "ecn = rfc3168: legal is off, on or accurate in linux6-dctcp"
    );
    let limited = HostOverrides { limited_transmit: Some(false), ..HostOverrides::default() };
    assert!(refused("linux6-reno", &limited).starts_with("limited_transmit = false: legal is true"));
}

#[test]
fn the_fallback_is_pragues_and_the_test_of_marks_that_of_accurate_ecn() {
    let cubic = HostProfile::named("linux6-cubic").unwrap();
    let with = |fallback, test, congestion| {
        let overrides = HostOverrides {
            congestion,
            classic_ecn_fallback: Some(fallback),
            continuous_mark_test: Some(test),
            ..HostOverrides::default()
        };
        cubic.clone().with(&overrides).map_err(|error| error.to_string())
    };
    let prague = with(true, true, Some(Congestion::Prague)).unwrap();
    assert!(prague.extensions().classic_ecn_fallback && prague.extensions().continuous_mark_test);
    assert_eq!(
        with(true, false, None).unwrap_err(),
        "classic_ecn_fallback = true: legal is false in linux6-cubic with cubic, which does not have it"
    );
    let everywhere = HostOverrides {
        congestion: Some(Congestion::Prague),
        classic_ecn_fallback_everywhere: Some(true),
        ..HostOverrides::default()
    };
    assert_eq!(
        cubic.clone().with(&everywhere).unwrap_err().to_string(),
        "classic_ecn_fallback_everywhere = true: legal is false without classic_ecn_fallback"
    );
    assert_eq!(
        with(false, true, None).unwrap_err(),
        "continuous_mark_test = true: legal is false without accurate ECN, which it is about"
    );
}

/// A controller that sends at a rate brings the pace, and a host that refuses it is a mistake.
#[test]
fn bbr_paces() {
    let with = |congestion, pacing| {
        let overrides = HostOverrides { congestion: Some(congestion), pacing, ..Default::default() };
        HostProfile::named("linux6-cubic").unwrap().with(&overrides)
    };
    let bbr = with(Congestion::BbrLinuxV1, None).unwrap();
    assert!(bbr.extensions().pacing && !with(Congestion::Cubic, None).unwrap().extensions().pacing);
    assert_eq!(
        with(Congestion::BbrDraft, Some(false)).unwrap_err().to_string(),
        "pacing = false: legal is true in linux6-cubic with bbr-draft-2026-08, which sends at a rate"
    );
    assert!(!with(Congestion::Reno, Some(false)).unwrap().extensions().pacing);
}

#[test]
fn a_phase_of_timers_needs_their_interrupts() {
    let shared = HostOverrides { timer_phase: Some(TimerPhase::Shared), ..HostOverrides::default() };
    let reno = HostProfile::named("linux6-reno").unwrap();
    for overrides in [shared.clone(), HostOverrides { timer_hz: Some(0), ..shared.clone() }] {
        assert_eq!(
            reno.clone().with(&overrides).unwrap_err().to_string(),
            "timer_phase = shared: legal is none without timer_hz, whose interrupts it is about"
        );
    }
    assert!(bsd45_with(&shared).is_err());
    let beside = reno.with(&HostOverrides { timer_hz: Some(250), ..shared }).unwrap();
    let extensions = beside.extensions();
    assert_eq!((extensions.timer_hz, extensions.timer_phase), (250, TimerPhase::Shared));
}

#[test]
fn marks_are_answered_by_those_that_can_and_echoed_exactly_with_rfc_3168() {
    let cubic = || HostProfile::named("linux6-cubic").unwrap();
    let answers = Some(AnswersMarks::Always);
    let refused = cubic().with(&HostOverrides { answers_marks: answers, ..HostOverrides::default() });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "answers_marks = always: legal is never in linux6-cubic with cubic; BBR of versions 2 and 3 has it"
    );
    assert!(bsd45_with(&HostOverrides { answers_marks: answers, ..HostOverrides::default() }).is_err());
    let rule = |congestion, answers_marks| {
        let own = HostOverrides { congestion: Some(congestion), answers_marks, ..HostOverrides::default() };
        cubic().with(&own).map(|profile| (profile.extensions().answers_marks, profile.ecn))
    };
    assert_eq!(rule(Congestion::BbrL4sV2, None), Ok((AnswersMarks::Always, Ecn::Accurate)));
    assert_eq!(rule(Congestion::BbrLinuxV2, None), Ok((AnswersMarks::Never, Ecn::Off)));
    assert_eq!(rule(Congestion::BbrLinuxV3, Some(AnswersMarks::Never)), Ok((AnswersMarks::Never, Ecn::Off)));
    assert!(rule(Congestion::BbrDraft, answers).is_err() && rule(Congestion::BbrLinuxV1, answers).is_err());
    let echo = |ecn| cubic().with(&HostOverrides { ecn, exact_echo: Some(true), ..HostOverrides::default() });
    assert!(echo(Some(EcnRule::On)).unwrap().extensions().exact_echo);
    for ecn in [None, Some(EcnRule::Accurate)] {
        assert_eq!(
            echo(ecn).unwrap_err().to_string(),
            "exact_echo = true: legal is false without ECN of RFC 3168, whose echo it is about"
        );
    }
    assert!(bsd45_with(&HostOverrides { exact_echo: Some(true), ..HostOverrides::default() }).is_err());
}

#[test]
fn nobody_answers_marks_or_looks_where_they_come_from_without_ecn() {
    let with = |congestion, ecn, (answers_marks, classic_ecn_fallback)| {
        let congestion = Some(congestion);
        let overrides =
            HostOverrides { congestion, ecn, answers_marks, classic_ecn_fallback, ..Default::default() };
        HostProfile::named("linux6-cubic").unwrap().with(&overrides).map_err(|error| error.to_string())
    };
    let answers = (Some(AnswersMarks::UpTo5Ms), None);
    let refusal = "answers_marks = up-to-5-ms: legal is never without ECN: give ecn = \"on\" as well";
    for ecn in [None, Some(EcnRule::Off)] {
        assert_eq!(with(Congestion::BbrLinuxV3, ecn, answers).unwrap_err(), refusal);
    }
    for ecn in [EcnRule::On, EcnRule::Rfc3168, EcnRule::Accurate] {
        assert!(with(Congestion::BbrLinuxV3, Some(ecn), answers).is_ok(), "{ecn:?}");
    }
    // What a controller has by itself is no mistake of a scenario that turns ECN off.
    assert!(with(Congestion::BbrL4sV2, Some(EcnRule::Off), (None, None)).is_ok());
    assert_eq!(with(Congestion::BbrL4sV2, Some(EcnRule::Off), answers).unwrap_err(), refusal);
    let falls_back = (None, Some(true));
    assert!(with(Congestion::Prague, None, falls_back).is_ok());
    assert_eq!(
        with(Congestion::Prague, Some(EcnRule::Off), falls_back).unwrap_err(),
        "classic_ecn_fallback = true: legal is false with ecn = \"off\": there is no mark to answer"
    );
}

#[test]
fn every_controller_is_that_of_any_modern_profile() {
    for congestion in Congestion::ALL {
        let with = HostOverrides { congestion: Some(*congestion), ..HostOverrides::default() };
        let changed = HostProfile::named("linux6-reno").unwrap().with(&with).unwrap();
        assert_eq!(changed.congestion(), Some(*congestion));
        // Where the name of a profile says it, it is that profile.
        if let Some(named) = HostProfile::named(&format!("linux6-{}", congestion.name())) {
            assert_eq!(HostProfile { name: named.name, ..changed }, named);
        }
        let refused = bsd45_with(&with).unwrap_err().to_string();
        assert!(refused.ends_with("which has a window of its own; linux6 profiles take one"), "{refused}");
    }
}
