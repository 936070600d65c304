//! A transport that is not TCP runs through the simulator, under flows and under users, beside TCP.

mod columns;
mod frames;

use aqmlab_aqm::Codepoint;
use aqmlab_scenario::Scenario;
use aqmlab_sim::{
    Answer, Connecting, Control, Output, StreamId, Time, TransportEnd, Transports, run, run_over,
};
use columns::{real, table};
use frames::FrameEnd;
use std::sync::{Arc, Mutex};

/// Two flows of a megabyte over a link of 10 Mbit/s that loses one packet in twenty, 20 ms away from each
/// other.
const TRANSFERS: &str = r#"
name = "frames"
duration_s = 60.0
[topology]
nodes = [
  { name = "a", kind = "host" },
  { name = "b", kind = "host" },
  { name = "r", kind = "router" },
  { name = "c", kind = "host" },
]
links = [
  { from = "a", to = "r", rate_mbps = 100.0 },
  { from = "b", to = "r", rate_mbps = 100.0 },
  { from = "r", to = "c", rate_mbps = 10.0, delay_ms = 10.0, loss_probability = 0.05, queue = { scheme = "drop-tail", limit_packets = 50 } },
]
[[flows]]
name = "frames"
count = 1
senders = "a"
receivers = "c"
bytes = 1000000
base_rtt_ms = 0.0
[[flows]]
name = "tcp"
count = 1
senders = "b"
receivers = "c"
bytes = 1000000
base_rtt_ms = 0.0
"#;

const USERS: &str = r#"
name = "frames"
duration_s = 120.0
warm_up_s = 0.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "red", limit_packets = 100, min_th_packets = 5, max_th_packets = 15 }
[users]
per_side = 60
[record]
responses = "rows"
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "frames", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn over_frames(scenario: &Scenario, groups: &[&str]) -> Output {
    let mut transports = Transports::default();
    for name in groups {
        transports.set(scenario, name, Box::new(FrameEnd::pair)).unwrap_or_else(|error| panic!("{error}"));
    }
    run_over(scenario, 1, &Control::default(), transports).unwrap_or_else(|error| panic!("{error}"))
}

fn datagrams(output: &Output, link: usize) -> u64 {
    let classes = &output.summary.links[link].counters.by_class;
    classes.get("datagram").map_or(0, |class| class.arrived_packets)
}

fn response_times(output: &Output) -> Vec<f64> {
    real(table(output, "responses"), "response_time_s").to_vec()
}

#[test]
fn a_transfer_arrives_whole_over_a_lossy_link_beside_one_of_tcp() {
    let output = over_frames(&read(TRANSFERS), &["frames"]);
    let delivered: Vec<Vec<u64>> =
        output.summary.flows.iter().map(|group| group.delivered_bytes.clone()).collect();
    assert_eq!(delivered, [[1_000_000], [1_000_000]]);
    let counters = &output.summary.links[0].counters;
    // 1,000,000 bytes in frames of 1,200 are 834; one in twenty is sent again, now and then twice.
    let sent = datagrams(&output, 0);
    assert!((850..950).contains(&sent), "{sent}");
    let data = counters.by_class["data"].arrived_packets;
    assert!(data >= 1_000_000 / 1_460, "the other flow is TCP's: {data}");
    assert!(output.summary.invariants.iter().all(|law| law.holds), "{:?}", output.summary.invariants);
}

#[test]
fn users_ask_for_the_same_pages_whatever_carries_them() {
    let scenario = read(USERS);
    let frames = over_frames(&scenario, &["left", "right"]);
    let tcp = run(&scenario, 1, &Control::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(frames.summary.links[0].counters.by_class["data"].arrived_packets, 0);
    assert!(datagrams(&frames, 0) > 1_000, "{}", datagrams(&frames, 0));
    let completed = |output: &Output| -> u64 {
        output.summary.populations.iter().map(|population| population.completed).sum()
    };
    let failed: u64 = frames.summary.populations.iter().map(|population| population.failed).sum();
    let (ours, theirs) = (completed(&frames), completed(&tcp));
    assert!(failed == 0 && ours.abs_diff(theirs) * 10 < theirs, "{ours} by frames, {theirs} by TCP");
    // A minimum delay of 10 ms at least, once to connect and once to ask.
    let times = response_times(&frames);
    assert!(times.len() > 100 && times.iter().all(|&time| time >= 0.010), "{} rows", times.len());
}

#[test]
fn equal_runs_are_equal() {
    let scenario = read(TRANSFERS);
    let both = [0, 1].map(|_| over_frames(&scenario, &["frames", "tcp"]));
    assert_eq!(both[0].events, both[1].events);
    let [one, other] = both.map(|output| format!("{:?}", output.summary.links));
    assert_eq!(one, other);
}

#[test]
fn what_only_tcp_can_do_is_refused() {
    let refused = |text: &str, name: &str| {
        let scenario = read(text);
        let error = Transports::default().set(&scenario, name, Box::new(FrameEnd::pair));
        error.expect_err("refused").to_string()
    };
    assert_eq!(refused(TRANSFERS, "nobody"), "no population or flows \"nobody\": legal is frames, tcp");
    let stationary = USERS.replace("per_side = 60", "per_side = 60\nstart = \"stationary\"");
    assert!(refused(&stationary, "left").contains("stationary"));
    let one_way = TRANSFERS.replace("name = \"tcp\"", "name = \"tcp\"\nprofile = \"ns2-oneway\"");
    assert!(refused(&one_way, "tcp").contains("one way"));
}

/// An end that wants to be called at the beginning of time, once, whenever it is opened.
#[derive(Clone)]
struct Overdue {
    end: Box<dyn TransportEnd>,
    is_overdue: bool,
    called: Arc<Mutex<Vec<Time>>>,
}

impl TransportEnd for Overdue {
    fn connect(&mut self, now: Time, answer: &mut Answer) {
        self.is_overdue = true;
        self.end.connect(now, answer);
    }

    fn write(&mut self, now: Time, stream: StreamId, bytes: u64, answer: &mut Answer) {
        self.end.write(now, stream, bytes, answer);
    }

    fn unsent_bytes(&self) -> u64 {
        self.end.unsent_bytes()
    }

    fn close(&mut self, now: Time, answer: &mut Answer) {
        self.end.close(now, answer);
    }

    fn withdraw_and_close(&mut self, now: Time, answer: &mut Answer) {
        self.end.withdraw_and_close(now, answer);
    }

    fn on_packet(&mut self, now: Time, payload: &[u8], codepoint: Codepoint, answer: &mut Answer) {
        self.end.on_packet(now, payload, codepoint, answer);
    }

    fn on_timer(&mut self, now: Time, answer: &mut Answer) {
        if std::mem::take(&mut self.is_overdue) {
            self.called.lock().unwrap().push(now);
        }
        self.end.on_timer(now, answer);
    }

    fn deadline(&self) -> Time {
        if self.is_overdue { Time::ZERO } else { self.end.deadline() }
    }
}

#[test]
fn a_deadline_in_the_past_is_now() {
    let scenario =
        read(&TRANSFERS.replace("bytes = 1000000", "bytes = 10000\nstart_s = 1.5\nstart_spread_s = 0.0"));
    let called = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&called);
    let make = move |connecting: &Connecting| {
        FrameEnd::pair(connecting).map(|end| -> Box<dyn TransportEnd> {
            Box::new(Overdue { end, is_overdue: false, called: Arc::clone(&kept) })
        })
    };
    let mut transports = Transports::default();
    transports.set(&scenario, "frames", Box::new(make)).unwrap();
    let output = run_over(&scenario, 1, &Control::default(), transports).unwrap();
    assert_eq!(output.summary.flows[0].delivered_bytes, [10_000]);
    assert_eq!(*called.lock().unwrap(), [Time::from_seconds(1.5)]);
}

#[test]
fn a_connection_has_random_numbers_of_its_own_whenever_it_is_opened() {
    let keys = |text: &str| {
        let scenario = read(text);
        let keys = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&keys);
        let make = move |connecting: &Connecting| {
            kept.lock().unwrap().push(connecting.key.bits(0));
            FrameEnd::pair(connecting)
        };
        let mut transports = Transports::default();
        for name in ["frames", "tcp"] {
            transports.set(&scenario, name, Box::new(make.clone())).unwrap();
        }
        run_over(&scenario, 1, &Control::default(), transports).unwrap();
        keys.lock().unwrap().clone()
    };
    let starting = |first: &str, second: &str| {
        let text = TRANSFERS.replacen("bytes = 1000000", &format!("bytes = 5000\nstarts_s = [{first}]"), 1);
        text.replacen("bytes = 1000000", &format!("bytes = 5000\nstarts_s = [{second}]"), 1)
    };
    let (one, mut other) = (keys(&starting("1.0", "2.0")), keys(&starting("2.0", "1.0")));
    other.reverse();
    assert!(one.len() == 2 && one[0] != one[1]);
    assert_eq!(one, other);
}
