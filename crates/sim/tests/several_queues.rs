//! Ports with several queues, from the scenario to the table `queues`: who is sorted where, and what became
//! of it.

mod columns;

use aqmlab_scenario::Scenario;
use aqmlab_sim::{Control, Output, run};
use columns::{labels, table, whole};

fn output(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, "test", &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A dumbbell of 10 Mbit/s without framing under this queue.
fn dumbbell(queue: &str, traffic: &str) -> String {
    format!(
        "name = \"classes\"\nduration_s = 22.0\nwarm_up_s = 2.0\ncool_down_s = 10.0\n[dumbbell]\n\
         rate_mbps = 10.0\nqueue = {queue}\ninterface_rate_mbps = 1000.0\nlayer2_overhead_bytes = 0\n\
         layer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0\n{traffic}"
    )
}

fn datagrams(name: &str, count: u32, rate_mbps: f64, dscp: u32) -> String {
    format!(
        "[[datagrams]]\nname = \"{name}\"\ncount = {count}\ndirection = \"left-to-right\"\npacket_bytes = 1250\n\
         rate_mbps = {rate_mbps}\ndscp = {dscp}\n"
    )
}

const BY_DSCP: &str = "{ scheme = \"fq\", flows = 64, classify = \"dscp\", \
                       inner = { scheme = \"drop-tail\", limit_packets = 20 } }";

#[test]
fn classes_share_a_link_whoever_is_in_them() {
    let traffic = datagrams("many", 3, 4.0, 0) + &datagrams("one", 1, 8.0, 46);
    let output = output(&dumbbell(BY_DSCP, &traffic));
    let received = whole(table(&output, "datagrams"), "received_packets");
    // Half of 10,000 packets for each class, but for what waits in its queue when the window begins and when
    // it ends.
    assert!(received[..3].iter().sum::<u64>().abs_diff(5000) <= 20, "{received:?}");
    assert!(received[3].abs_diff(5000) <= 20, "{received:?}");
    let queues = table(&output, "queues");
    assert_eq!(whole(queues, "queue"), [0, 46]);
    assert_eq!(whole(queues, "link"), [0, 0]);
    // 12 and 8 of 10 Mbit/s come; queues are full throughout, so that what comes and is not sent is
    // discarded.
    let [arrived, sent, discarded, overflow] =
        ["arrived", "sent", "discarded", "overflow"].map(|name| whole(queues, &format!("{name}_packets")));
    assert!(arrived[0].abs_diff(12_000) <= 3 && arrived[1].abs_diff(8_000) <= 1, "{arrived:?}");
    assert!(sent.iter().all(|sent| sent.abs_diff(5000) <= 1), "{sent:?}");
    for class in 0..2 {
        assert!(discarded[class].abs_diff(arrived[class] - sent[class]) <= 1, "{discarded:?}");
    }
    assert_eq!(discarded, overflow);
    assert_eq!(whole(queues, "sent_bytes"), sent.iter().map(|packets| packets * 1250).collect::<Vec<_>>());
    assert_eq!(whole(queues, "marked_packets"), [0, 0]);
}

#[test]
fn flows_and_users_carry_their_codepoint_both_ways() {
    let traffic = "[users]\nper_side = 20\ndscp = 18\n[[flows]]\ncount = 2\ndirection = \"left-to-right\"\n\
                   dscp = 10\nhost = { ecn = \"on\" }\n[[flows]]\ncount = 1\ndirection = \"right-to-left\"\n";
    let queue = "{ scheme = \"fq-codel\", flows = 64, classify = \"dscp\" }";
    let output = output(&dumbbell(queue, traffic));
    let queues = table(&output, "queues");
    assert_eq!(whole(queues, "link"), [0, 0, 0, 1, 1, 1]);
    assert_eq!(whole(queues, "queue"), [0, 10, 18, 0, 10, 18]);
    for (name, of_link) in [("arrived", 0), ("sent", 1), ("marked", 2)] {
        let counts = whole(queues, &format!("{name}_packets"));
        for (link, queues) in output.summary.links.iter().zip(counts.chunks(3)) {
            let counters = &link.counters;
            let expected = [counters.arrived, counters.departed, counters.marked][of_link];
            assert_eq!(queues.iter().sum::<u64>(), expected.packets, "{name} at {}", link.name);
        }
    }
    let marked = whole(queues, "marked_packets");
    assert!(marked[1] > 0, "those who may be marked are: {marked:?}");
}

#[test]
fn a_port_with_one_queue_has_no_table_of_queues_and_idle_queues_no_row() {
    let traffic = datagrams("few", 2, 1.0, 0);
    let single = output(&dumbbell("{ scheme = \"red\", limit_packets = 60 }", &traffic));
    assert!(single.tables.iter().all(|table| table.name != "queues"));
    let fair = output(&dumbbell("{ scheme = \"fq-codel\" }", &traffic));
    let queues = table(&fair, "queues");
    assert_eq!(queues.rows(), 2, "of 1,024 queues those of the two sources");
    assert_eq!(whole(queues, "arrived_packets"), [1000, 1000]);
}

/// Two queues in a row, which sort by DSCP: the second sees what the first has left of it.
fn in_a_row(wash: bool) -> String {
    let mut text = "name = \"row\"\nduration_s = 12.0\nwarm_up_s = 1.0\ncool_down_s = 1.0\n".to_owned();
    for (name, kind) in [("a", "host"), ("r0", "router"), ("r1", "router"), ("b", "host")] {
        text += &format!("[[topology.nodes]]\nname = \"{name}\"\nkind = \"{kind}\"\n");
    }
    text += "[[topology.links]]\nfrom = \"a\"\nto = \"r0\"\nboth_ways = true\nrate_mbps = 10.0\n";
    text += &format!("queue = {{ scheme = \"cake\", flows = 64, tins = \"diffserv3\", wash = {wash} }}\n");
    text += "[[topology.links]]\nfrom = \"r0\"\nto = \"r1\"\nboth_ways = true\nrate_mbps = 9.0\n\
             queue = { scheme = \"fq\", flows = 64, classify = \"dscp\", \
             inner = { scheme = \"drop-tail\", limit_packets = 50 } }\n\
             [[topology.links]]\nfrom = \"r1\"\nto = \"b\"\nboth_ways = true\nrate_mbps = 100.0\n";
    text + "[[flows]]\ncount = 1\nsenders = \"a\"\nreceivers = \"b\"\nbase_rtt_ms = 20.0\ndscp = 10\n\
            [[datagrams]]\nname = \"call\"\ncount = 1\nsenders = \"a\"\nreceivers = \"b\"\n\
            packet_bytes = 500\nrate_mbps = 1.0\ndscp = 46\n"
}

#[test]
fn washed_packets_have_no_codepoint_in_the_next_queue() {
    for (wash, on_the_way) in [(false, vec![10, 46]), (true, vec![0])] {
        let output = output(&in_a_row(wash));
        let queues = table(&output, "queues");
        let second = labels(queues, "link").into_iter().zip(whole(queues, "queue"));
        let second = second.filter(|(link, _)| *link == "r0-to-r1");
        let found: Vec<u64> = second.map(|(_, queue)| queue).collect();
        assert_eq!(found, on_the_way, "wash = {wash}");
    }
}
