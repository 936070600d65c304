//! Files of connection vectors in both forms, and what copies of a file open when.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, ConnectionVector, MinimumDelay, Party, Step, TmixModel, TmixParameters, TmixReplay,
};

fn model(text: &str, kept_share: f64) -> Result<TmixModel, String> {
    let parameters = TmixParameters { kept_share, ..TmixParameters::of_file("own.cvec".to_owned()) };
    let read = |name: &str| {
        assert_eq!(name, "own.cvec");
        Ok(text.to_owned())
    };
    TmixModel::new(&parameters, &read).map_err(|error| error.to_string())
}

fn vector(text: &str) -> ConnectionVector {
    model(text, 1.0).unwrap_or_else(|error| panic!("{error}")).vector(0).clone()
}

const fn step(party: Party, wait_us: u64, bytes: u64) -> Step {
    Step { party, wait: Span::from_microseconds(wait_us), bytes }
}

const SEQUENTIAL: &str = "# a trace\nSEQ 6851 1 21217 555117 # starts at 6.851 ms\nw 64800 6432\nr 1176194\n\
                          l 0.000000 0.0125\n> 826\nt 534\n< 1213\nt 872\n";
const CONCURRENT: &str = "CONC 1429381 2 1 21217 822928\nw 65535 5840\nr 36556\nl 0 0\nc< 190\nt< 505\n\
                          c> 396\nt> 6250\nc< 46\n";

#[test]
fn both_forms_of_a_file_say_the_same() {
    let (us, acceptor, initiator) = (Span::from_microseconds, Party::Acceptor, Party::Initiator);
    let sequential = vector(SEQUENTIAL);
    assert_eq!((sequential.starts, sequential.round_trip), (us(6_851), Some(us(1_176_194))));
    let steps = vec![step(initiator, 0, 826), step(acceptor, 534, 1213), step(acceptor, 872, 0)];
    assert_eq!(sequential.tracks, [steps, Vec::new()]);
    let alternate = "S 6851 1 21217 555117\nr 1176194\nm 1460 1460\nI 0 0 826\nA 0 534 1213\nA 872 0 0\n";
    assert_eq!(vector(alternate), sequential);

    let concurrent = vector(CONCURRENT);
    let of_initiator = vec![step(initiator, 0, 396), step(initiator, 6_250, 0)];
    let of_acceptor = vec![step(acceptor, 0, 190), step(acceptor, 505, 46), step(acceptor, 0, 0)];
    assert_eq!(concurrent.tracks, [of_initiator, of_acceptor]);
    let alternate = "C 1429381 2 1 21217 822928\nr 36556\nA 0 0 190\nI 0 0 396\nA 505 0 46\nI 6250 0 0\n";
    assert_eq!(vector(alternate), concurrent);
}

#[test]
fn an_exchange_is_data_of_the_initiator_that_the_acceptor_answers() {
    let told = vector("SEQ 0 4 1 1\nr 1\n< 90\nt 5\n> 10\nt 5\n> 20\nt 5\n< 70\nt 5\n< 80\nt 5\n> 30\n");
    let exchanges: Vec<_> = (0..told.tracks[0].len()).map(|place| told.exchange_at(place)).collect();
    assert_eq!(exchanges, [None, None, Some((20, 70)), None, None, None, None]);
    assert!((0..4).all(|place| vector(CONCURRENT).exchange_at(place).is_none()));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, said) in [
        ("# nothing\n", ": there is no connection"),
        ("> 5\n", ", line 1: \">\" before the first connection (SEQ, CONC, S or C)"),
        ("SEQ 0 1 1\n", ", line 1: expected start, epochs, id, id after \"SEQ\", found 3 numbers"),
        ("SEQ x 1 1 1\n", ", line 1: start \"x\", legal are 0 to 10000000000000"),
        ("SEQ 0 1 1 1\nr 5\n> 0\n", ", line 3: bytes \"0\", legal are 1 to 4294967295"),
        ("SEQ 0 1 1 1\nr 5\nt 7\n> 1\n", ", line 3: a time before the first data"),
        ("SEQ 0 1 1 1\nr 5\n> 1\nt 7\nt 7\n", ", line 5: a time after a time"),
        (
            "SEQ 0 1 1 1\nr 5\n\nc> 1\n",
            ", line 4: \"c>\" in a sequential connection, where >, <, t, I and A are legal",
        ),
        (
            "C 0 1 1 1 1\nr 5\nt 1\n",
            ", line 3: \"t\" in a concurrent connection, where c>, c<, t>, t<, I and A are legal",
        ),
        (
            "SEQ 0 1 1 1\nl 0 1.5\n",
            ", line 2: expected two loss rates of 0 to 1 after \"l\", found \"0 1.5\"",
        ),
        (
            "S 0 1 1 1\nr 5\nI 0 0 9\nA 7 0 9\n",
            ", line 4: a wait of 7 us behind its own data, and before it come the other's",
        ),
        (
            "S 0 1 1 1\nr 5\nI 0 0 9\nI 0 7 9\n",
            ", line 4: a wait of 7 us behind an arrival, and before it come its own data",
        ),
        ("S 0 1 1 1\nr 5\nI 0 0 9\nI 0 0 0\nA 0 1 1\n", ", line 5: data behind a close"),
        ("SEQ 0 1 1 1\nr 5\nSEQ 9 1 1 1\nr 5\n> 1\n", ", line 1: a connection without data"),
        ("SEQ 0 1 1 1\n> 1\n", ", line 1: a connection without a round-trip time (a line r)"),
    ] {
        let refused = model(text, 1.0).map(drop).unwrap_err();
        assert_eq!(refused, format!("`vectors_file` = \"own.cvec\"{said}"), "{text}");
    }
}

/// A thousand connections, one each millisecond.
fn thousand() -> String {
    (0..1000).map(|place| format!("SEQ {} 1 0 {place}\nr 30000\n> 1\n", 1000 * place)).collect()
}

/// When a copy opens which connections.
fn opened(copy: u32, kept_share: f64) -> Vec<(Time, u32)> {
    let model = model(&thousand(), kept_share).unwrap();
    let mut replay = TmixReplay::new(Key::from_seed(5).indexed(u64::from(copy)), copy, &model);
    let (mut commands, mut opened) = (Vec::new(), Vec::new());
    replay.start(&mut commands);
    while let Some(Command::Wait { until }) = commands.pop() {
        replay.on_wake(until, &model, &mut commands);
        for command in &commands {
            if let Command::Open { connection, delay, .. } = command {
                assert_eq!(*delay, MinimumDelay::EachWay(Span::from_milliseconds(15)));
                opened.push((until, connection.number()));
            }
        }
        commands.retain(|command| matches!(command, Command::Wait { .. }));
    }
    opened
}

#[test]
fn the_first_copy_is_the_file_and_others_are_turned_round() {
    let first = opened(0, 1.0);
    let at = |place: u32| Time::ZERO + Span::from_milliseconds(u64::from(place));
    assert_eq!(first, (0..1000).map(|place| (at(place), place)).collect::<Vec<_>>());
    let second = opened(1, 1.0);
    assert_ne!(second, first);
    let begins = second[0].1 as usize;
    assert!(second.iter().zip(first.iter().cycle().skip(begins)).all(|(own, file)| own.1 == file.1));
    assert!(second.iter().all(|&(instant, _)| instant < at(1000)));
}

#[test]
fn vectors_are_kept_by_coins_that_fall_alike_at_any_share() {
    let [few, many] = [0.2, 0.7].map(|share| opened(0, share));
    // Six standard deviations of a thousand coins: 76 and 87.
    assert!(few.len().abs_diff(200) < 76 && many.len().abs_diff(700) < 87, "{} {}", few.len(), many.len());
    assert!(few.iter().all(|kept| many.contains(kept)));
    assert!(opened(0, 0.0).is_empty());
}
