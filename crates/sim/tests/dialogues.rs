//! Connection vectors over a network: when their responses are there, and that connections of every kind end.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{numbers, table};

fn replayed(vectors: &str, profile: &str) -> Output {
    let text = format!(
        "name = \"replay\"\nduration_s = 60.0\n[dumbbell]\nrate_mbps = 100.0\n\
         queue = {{ scheme = \"drop-tail\", limit_packets = 100 }}\n[users]\nleft = 1\nright = 0\n\
         profile = \"{profile}\"\nmodel = {{ model = \"tmix\", vectors_file = \"own.cvec\" }}\n\
         [record]\nflows = true\nresponses = \"rows\"\n[files]\n\"own.cvec\" = '''\n{vectors}'''\n"
    );
    let scenario = Scenario::from_toml(&text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_response_takes_round_trips_and_the_time_of_the_server() {
    // From the opening: a round trip, half of one, 20 ms, half of one. Later: a round trip, and 30 ms. The
    // other 500 ms are the browser's. Beside these no more than some packets on wires of 100 Mbit/s.
    let vectors =
        "SEQ 2000000 2 1 1\nr 100000\n> 300\nt 20000\n< 1000\nt 500000\n> 400\nt 30000\n< 700\nt 10000\n";
    for profile in ["bsd45", "rfc5681", "ns2-full"] {
        let output = replayed(vectors, profile);
        let times = numbers(table(&output, "responses"), "response_time_s");
        assert_eq!(times.len(), 2, "{profile}");
        for (time, expected) in times.into_iter().zip([0.22, 0.13]) {
            assert!((expected..expected + 0.001).contains(&time), "{profile}: {time} of {expected}");
        }
        assert_eq!(numbers(table(&output, "responses"), "response_bytes"), [1000.0, 700.0]);
        let closed = numbers(table(&output, "flows"), "closed_s");
        assert!(closed.len() == 1 && (2.86..3.2).contains(&closed[0]), "{profile}: {closed:?}");
    }
}

#[test]
fn a_close_behind_the_last_data_goes_with_them_where_a_host_writes_and_closes_in_one_call() {
    // The response is there two round trips behind the opening. ns-2's host sends its FIN with it; with a
    // microsecond between them only behind the acknowledgement, which is held back for up to 100 ms: a round
    // trip later and that.
    let closed = |profile: &str, waits: &str| {
        let vectors = format!("SEQ 0 1 1 1\nr 100000\n> 300\nt 0\n< 1000\n{waits}");
        numbers(table(&replayed(&vectors, profile), "flows"), "closed_s")[0]
    };
    let (together, apart) = (closed("ns2-full", ""), closed("ns2-full", "t 1\n"));
    assert!((0.2..0.31).contains(&together), "{together}");
    assert!((0.1..0.201).contains(&(apart - together)), "{together} {apart}");
    // Others write, and then close.
    let (together, apart) = (closed("rfc5681", ""), closed("rfc5681", "t 1\n"));
    assert!((0.0..0.001).contains(&(apart - together)), "{together} {apart}");
}

#[test]
fn connections_of_every_kind_end() {
    let vectors = "SEQ 0 1 1 1\nr 40000\n< 90\nt 5\n> 10\nt 5\n< 3000\n\
                   SEQ 100000 1 1 2\nr 40000\n> 100000\n\
                   SEQ 200000 1 1 3\nr 40000\n< 100000\nt 7000000\n\
                   SEQ 300000 1 1 4\nr 40000\n> 10\nt 0\n> 20\nt 3\n> 70000\nt 5\n< 1\nt 9\n< 80000\n\
                   CONC 400000 2 2 1 5\nr 40000\nc> 50000\nc< 60000\nt> 1000000\nt< 10\nc> 3\nc< 4\nt< 2000000\n\
                   CONC 500000 0 1 1 6\nr 40000\nc< 50000\nt< 3000\n\
                   S 600000 1 1 7\nr 40000\nI 0 0 5\nA 0 0 5\nI 0 1 0\n";
    for profile in ["bsd45", "rfc5681", "ns2-full"] {
        let output = replayed(vectors, profile);
        let closed = numbers(table(&output, "flows"), "closed_s");
        assert_eq!(closed.len(), 7, "{profile}");
        assert!(closed.iter().all(|&closed| closed < 10.0), "{profile}: {closed:?}");
        let population = &output.summary.populations[0];
        // Those whose initiator's data are answered: in vectors 1, 4 and 7.
        assert_eq!((population.completed, population.failed, population.unfinished), (3, 0, 0), "{profile}");
    }
}
