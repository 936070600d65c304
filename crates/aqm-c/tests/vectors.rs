//! The conformance vectors of `aqmlab-aqm`, through the functions that C calls: every verdict is the same.
//!
//! Three cases of `cake` say what segments acknowledge, which C cannot say: they are left out.
#![allow(unsafe_code, reason = "functions that C calls")]

use ::aqmlab_queue::*;
use serde_json::Value;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null_mut, without_provenance_mut};

/// What the program hears of discarded packets.
#[derive(Default)]
struct Heard(Vec<String>);

unsafe extern "C" fn discarded(context: *mut c_void, packet: *mut c_void, reason: *const c_char) {
    // SAFETY: the queue hands back the context that it was given.
    let heard = unsafe { &mut *context.cast::<Heard>() };
    assert!(packet.addr() > 0, "packets are counted from one");
    // SAFETY: a text.
    heard.0.push(unsafe { CStr::from_ptr(reason) }.to_str().expect("a text").to_owned());
}

fn link_of(port: &Value) -> aqmlab_link {
    let number = |key: &str| port[key].as_u64().unwrap_or_default();
    aqmlab_link {
        rate_bps: (port["link_mbps"].as_f64().expect("a rate") * 1e6).round() as u64,
        begins_ns: 0,
        seed: port["seed"].as_u64().unwrap_or(1),
        timer_phase: port["timer_phase"].as_f64().unwrap_or_default(),
        flow_salt: number("flow_salt"),
    }
}

fn packet_of(row: &dyn Fn(&str) -> Value, number: usize) -> aqmlab_packet {
    let ecn = ["not_ect", "ect1", "ect0", "ce"].iter().position(|name| row("ecn") == *name);
    let flow = row("flow").as_u64().expect("a flow");
    aqmlab_packet {
        packet: without_provenance_mut(number),
        flow,
        source: (flow >> 32) as u32,
        destination: (flow >> 32) as u32,
        bytes: row("bytes").as_u64().expect("bytes") as u32,
        dscp: row("dscp").as_u64().unwrap_or_default() as u8,
        ecn: ecn.expect("a codepoint") as u8,
    }
}

/// Equal fates in a row are counted: `early*2+sent`.
fn counted(fates: &[String]) -> String {
    let runs = fates.chunk_by(|one, next| one == next);
    let texts =
        runs.map(|run| if run.len() == 1 { run[0].clone() } else { format!("{}*{}", run[0], run.len()) });
    texts.collect::<Vec<_>>().join("+")
}

fn counts(queue: *const aqmlab_queue) -> aqmlab_counts {
    let mut counts = aqmlab_counts::default();
    // SAFETY: both are there.
    assert_eq!(unsafe { aqmlab_queue_counts(queue, &raw mut counts) }, aqmlab_status::AQMLAB_OK);
    counts
}

/// Lets the event of a row happen; answers what became of its packet.
fn happen(queue: *mut aqmlab_queue, row: &dyn Fn(&str) -> Value, number: usize, heard: *mut Heard) -> String {
    let now_ns = (row("time_ms").as_f64().expect("an instant") * 1e6).round() as u64;
    let marked = counts(queue).marked;
    let event = row("do");
    let otherwise = if event == "arrive" {
        let packet = packet_of(row, number);
        // SAFETY: the queue is there.
        assert_eq!(
            unsafe { aqmlab_queue_arrive(queue, now_ns, &raw const packet) },
            aqmlab_status::AQMLAB_OK
        );
        "pass"
    } else if event == "depart" {
        let mut packet = aqmlab_packet::default();
        // SAFETY: the queue is there, and room for a packet.
        match unsafe { aqmlab_queue_depart(queue, now_ns, &raw mut packet) } {
            aqmlab_status::AQMLAB_OK => "sent",
            aqmlab_status::AQMLAB_NOTHING => "idle",
            other => panic!("{other:?}"),
        }
    } else {
        return "-".to_owned();
    };
    // SAFETY: nobody else has it now.
    let mut fates = std::mem::take(unsafe { &mut (*heard).0 });
    if fates.is_empty() || event == "depart" {
        fates.push(if counts(queue).marked > marked { "mark".to_owned() } else { otherwise.to_owned() });
    }
    counted(&fates)
}

fn run(case: &Value) -> usize {
    let parameters = CString::new(case["scheme"].to_string()).expect("no zero in it");
    let (link, mut heard, mut queue) = (link_of(&case["port"]), Heard::default(), null_mut());
    let context: *mut Heard = &raw mut heard;
    // SAFETY: texts and pointers are what they are said to be.
    let made = unsafe {
        aqmlab_queue_new(
            parameters.as_ptr(),
            &raw const link,
            Some(discarded),
            context.cast(),
            &raw mut queue,
            null_mut(),
            0,
        )
    };
    assert_eq!(made, aqmlab_status::AQMLAB_OK, "{}", case["title"]);
    let columns: Vec<&str> =
        case["columns"].as_array().expect("columns").iter().flat_map(Value::as_str).collect();
    let events = case["events"].as_array().expect("events");
    for (number, event) in (1..).zip(events) {
        let row = |name: &str| {
            columns.iter().position(|column| *column == name).map_or(Value::Null, |at| event[at].clone())
        };
        let verdict = happen(queue, &row, number, context);
        assert!(
            event_says(&row("verdict"), &verdict),
            "{}, event {number}: {verdict}, not {event}",
            case["title"]
        );
    }
    // SAFETY: the queue was made and is not used again.
    unsafe { aqmlab_queue_free(queue) };
    events.len()
}

fn event_says(wanted: &Value, verdict: &str) -> bool {
    wanted.as_str().unwrap_or("-") == verdict
}

#[test]
fn c_gets_the_verdict_of_every_worked_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aqm/vectors");
    let (mut schemes, mut events) = (0, 0);
    for name in aqmlab_aqm::Scheme::names() {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("vectors");
        let vectors: Value = serde_json::from_str(&text).expect("JSON");
        let cases = vectors["cases"].as_array().expect("cases").iter();
        let says_segments =
            |case: &&Value| case["columns"].as_array().is_some_and(|own| own.contains(&"segment".into()));
        events += cases.filter(|case| !says_segments(case)).map(run).sum::<usize>();
        schemes += 1;
    }
    assert!(schemes > 20 && events > 20_000, "{schemes} schemes, {events} events");
}
