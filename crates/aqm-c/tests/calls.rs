//! What C may do wrong, and who owns packets: `make miri` runs this under Miri.
#![allow(unsafe_code, reason = "functions that C calls")]

use ::aqmlab_queue::aqmlab_status::{
    AQMLAB_NOTHING, AQMLAB_NULL, AQMLAB_OK, AQMLAB_REFUSED, AQMLAB_WRONG_PACKET, AQMLAB_WRONG_TIME,
};
use ::aqmlab_queue::*;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

const LINK: aqmlab_link =
    aqmlab_link { rate_bps: 10_000_000, begins_ns: 5_000, seed: 1, timer_phase: 0.0, flow_salt: 0 };

/// Owns each packet that is handed back: a boxed number.
unsafe extern "C" fn discarded(context: *mut c_void, packet: *mut c_void, reason: *const c_char) {
    // SAFETY: a box that a test has given away, its list, and a text.
    let (packet, list, reason) = unsafe {
        (Box::from_raw(packet.cast::<u64>()), &mut *context.cast::<Vec<_>>(), CStr::from_ptr(reason))
    };
    list.push((*packet, reason.to_str().expect("a text").to_owned()));
}

/// Makes a queue and answers with it, or with the words of the refusal.
fn queue(
    parameters: &str,
    link: aqmlab_link,
    list: *mut Vec<(u64, String)>,
) -> Result<*mut aqmlab_queue, String> {
    let (text, mut queue, mut message) = (CString::new(parameters).expect("no zero"), null_mut(), [0; 200]);
    // SAFETY: everything is what it is said to be.
    let status = unsafe {
        aqmlab_queue_new(
            text.as_ptr(),
            &raw const link,
            Some(discarded),
            list.cast(),
            &raw mut queue,
            message.as_mut_ptr(),
            200,
        )
    };
    // SAFETY: it ends.
    let said = unsafe { CStr::from_ptr(message.as_ptr()) }.to_str().expect("UTF-8").to_owned();
    if status == AQMLAB_OK { Ok(queue) } else { Err(format!("{status:?}: {said}")) }
}

fn boxed(number: u64) -> aqmlab_packet {
    aqmlab_packet {
        packet: Box::into_raw(Box::new(number)).cast(),
        flow: 1,
        bytes: 1_000,
        ..Default::default()
    }
}

#[test]
fn each_packet_has_one_owner() {
    let mut list = Vec::new();
    let queue =
        queue(r#"{"scheme": "drop-tail", "limit_packets": 2}"#, LINK, &raw mut list).expect("a queue");
    // SAFETY: the queue lives until it is freed.
    unsafe {
        for number in 1..=3 {
            assert_eq!(aqmlab_queue_arrive(queue, 5_000 + number, &boxed(number)), AQMLAB_OK);
        }
        let mut packet = aqmlab_packet::default();
        assert_eq!(aqmlab_queue_depart(queue, 6_000, &raw mut packet), AQMLAB_OK);
        assert_eq!(*Box::from_raw(packet.packet.cast::<u64>()), 1);
        let mut counts = aqmlab_counts::default();
        assert_eq!(aqmlab_queue_counts(queue, &raw mut counts), AQMLAB_OK);
        let wanted = aqmlab_counts {
            arrived: 3,
            departed: 1,
            discarded: 1,
            waiting: 1,
            waiting_bytes: 1_000,
            marked: 0,
        };
        assert_eq!(counts, wanted);
        aqmlab_queue_free(queue);
    }
    assert_eq!(list, [(3, "overflow".to_owned()), (2, "freed".to_owned())]);
}

#[test]
fn what_is_not_legal_is_refused_with_words() {
    let mut list = Vec::new();
    let mut said = |parameters, link| queue(parameters, link, &raw mut list).expect_err("a refusal");
    assert!(said("{", LINK).starts_with("AQMLAB_REFUSED: EOF while parsing"));
    assert!(said(r#"{"scheme": "cobel"}"#, LINK).contains("codel"), "the names are listed");
    assert!(said(r#"{"scheme": "codel", "targt_ms": 5}"#, LINK).contains("target_ms"));
    assert!(said(r#"{"scheme": "codel", "limit_packets": 9, "target_ms": -5}"#, LINK).contains("target_ms"));
    assert!(said(r#"{"scheme": "fq-codel"} 1"#, LINK).contains("trailing"));
    let plain = r#"{"scheme": "fq-codel"}"#;
    assert!(said(plain, aqmlab_link { rate_bps: 0, ..LINK }).contains("rate_bps is 0"));
    assert!(said(plain, aqmlab_link { timer_phase: f64::NAN, ..LINK }).contains("timer_phase"));
}

#[test]
fn a_wrong_call_is_an_answer_and_changes_nothing() {
    let mut list = Vec::new();
    let queue = queue(r#"{"scheme": "pie", "limit_packets": 9}"#, LINK, &raw mut list).expect("a queue");
    let (good, mut room) =
        (aqmlab_packet { flow: 1, bytes: 100, ..Default::default() }, aqmlab_packet::default());
    // SAFETY: null, or what it is said to be.
    unsafe {
        let arrive = |now, packet: aqmlab_packet| aqmlab_queue_arrive(queue, now, &raw const packet);
        assert_eq!(aqmlab_queue_arrive(null_mut(), 5_000, &raw const good), AQMLAB_NULL);
        assert_eq!(aqmlab_queue_arrive(queue, 5_000, null()), AQMLAB_NULL);
        assert_eq!(aqmlab_queue_depart(queue, 5_000, null_mut()), AQMLAB_NULL);
        assert_eq!(arrive(6_000, aqmlab_packet { bytes: 0, ..good }), AQMLAB_WRONG_PACKET);
        assert_eq!(arrive(6_000, aqmlab_packet { ecn: 4, ..good }), AQMLAB_WRONG_PACKET);
        assert_eq!(arrive(6_000, aqmlab_packet { dscp: 64, ..good }), AQMLAB_WRONG_PACKET);
        assert_eq!(arrive(4_999, good), AQMLAB_WRONG_TIME, "before it began");
        assert_eq!(arrive(u64::MAX, good), AQMLAB_WRONG_TIME);
        assert_eq!(aqmlab_queue_depart(queue, 6_000, &raw mut room), AQMLAB_NOTHING);
        assert_eq!(aqmlab_queue_depart(queue, 5_999, &raw mut room), AQMLAB_WRONG_TIME);
        assert_eq!(aqmlab_queue_opens(queue), u64::MAX);
        let mut counts = aqmlab_counts::default();
        assert_eq!(aqmlab_queue_counts(queue, &raw mut counts), AQMLAB_OK);
        assert_eq!(counts, aqmlab_counts::default());
        let mut none: *mut aqmlab_queue = null_mut();
        let text = c"{}".as_ptr();
        let mut new =
            |text, link| aqmlab_queue_new(text, link, None, null_mut(), &raw mut none, null_mut(), 0);
        let link = LINK;
        assert_eq!(new(null(), &raw const link), AQMLAB_NULL);
        assert_eq!(new(text, &raw const link), AQMLAB_REFUSED, "and nobody reads why");
        assert!(none.is_null());
        aqmlab_queue_free(queue);
        aqmlab_queue_free(null_mut());
    }
}

/// A shaper of 8 Mbit/s sends 1,000 bytes a millisecond.
#[test]
fn a_queue_that_holds_back_says_when_to_ask_again() {
    let mut list = Vec::new();
    let parameters = r#"{"scheme": "cake", "rate_mbps": 8.0}"#;
    let queue =
        queue(parameters, aqmlab_link { rate_bps: 100_000_000, ..LINK }, &raw mut list).expect("a queue");
    let mut packet = aqmlab_packet::default();
    // SAFETY: the queue lives until it is freed.
    unsafe {
        (1..=2).for_each(|number| {
            assert_eq!(aqmlab_queue_arrive(queue, 5_000, &boxed(number)), AQMLAB_OK);
        });
        assert_eq!(aqmlab_queue_depart(queue, 5_000, &raw mut packet), AQMLAB_OK);
        drop(Box::from_raw(packet.packet.cast::<u64>()));
        assert_eq!(aqmlab_queue_depart(queue, 5_000, &raw mut packet), AQMLAB_NOTHING);
        assert_eq!(aqmlab_queue_opens(queue), 1_005_000);
        assert_eq!(aqmlab_queue_depart(queue, 1_005_000, &raw mut packet), AQMLAB_OK);
        drop(Box::from_raw(packet.packet.cast::<u64>()));
        aqmlab_queue_free(queue);
    }
    assert!(list.is_empty());
}
