//! The functions of the module.
//!
//! A host asks for room (`aqmlab_room`), writes the scenario there as JSON in UTF-8, and calls `aqmlab_run`
//! or `aqmlab_resolve`. The number that these return says what text stands at `aqmlab_text`,
//! `aqmlab_text_length` bytes of it:
//!
//! | | |
//! | --- | --- |
//! | 0 | of a run the content of `run.json`, else the scenario with every default filled in |
//! | 1 | the scenario is refused: why |
//! | 2 | the host asked the run to stop: nothing |
//! | 3 | the run failed: why |
//!
//! After a run, `aqmlab_directory` makes the text that of [`Answer::directory`].
//!
//! Text and columns stand until the next call that makes room. The host provides two functions in the module
//! `aqmlab`: `progress` takes the share of the simulated time that has passed, in thousandths, and returns
//! whether the run is to stop; `panicked` takes the address and the length of a text, of a bug of ours.
#![allow(unsafe_code, reason = "names that a host finds")]

use crate::answer::Answer;
use crate::{Refusal, resolved, run};
use aqmlab_sim::Control;
use std::cell::{Cell, RefCell};

#[link(wasm_import_module = "aqmlab")]
unsafe extern "C" {
    safe fn progress(per_mille: u32) -> u32;
    safe fn panicked(at: *const u8, length: usize);
}

thread_local! {
    static SCENARIO: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static ANSWER: RefCell<Option<Answer>> = const { RefCell::new(None) };
    static CONTROL: RefCell<Option<&'static Control>> = const { RefCell::new(None) };
    static REPORTED: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Makes room for a scenario of so many bytes, in place of what was there before, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_room(length: usize) -> *mut u8 {
    ANSWER.take();
    TEXT.take();
    SCENARIO.with_borrow_mut(|text| {
        *text = vec![0; length];
        text.as_mut_ptr()
    })
}

/// Runs the scenario.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_run(seed: u64) -> u32 {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        panicked(text.as_ptr(), text.len());
    }));
    // A few bytes for each run, so that the function that is asked finds it.
    let control: &'static Control = Box::leak(Box::new(Control::interruptible(is_unwanted)));
    CONTROL.set(Some(control));
    REPORTED.set(u32::MAX);
    answered(scenario().and_then(|text| run(&text, seed, control)).map(|answer| {
        let summary = answer.summary.clone();
        ANSWER.set(Some(answer));
        summary
    }))
}

/// Fills in every default of the scenario.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_resolve() -> u32 {
    answered(scenario().and_then(|text| resolved(&text)))
}

fn scenario() -> Result<String, Refusal> {
    String::from_utf8(SCENARIO.take()).map_err(|error| Refusal::Scenario(error.to_string()))
}

/// Keeps a text, and returns the number that says what it is.
fn answered(outcome: Result<String, Refusal>) -> u32 {
    let (code, text) = match outcome {
        Ok(text) => (0, text),
        Err(Refusal::Scenario(why)) => (1, why),
        Err(Refusal::Cancelled) => (2, String::new()),
        Err(Refusal::Run(why)) => (3, why),
    };
    TEXT.set(text);
    code
}

/// Where the text of the last answer stands.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_text() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_text_length() -> usize {
    TEXT.with_borrow(String::len)
}

/// Makes the text that of the directory of the tables: empty without an answer.
#[unsafe(no_mangle)]
pub extern "C" fn aqmlab_directory() {
    TEXT.set(ANSWER.with_borrow(|answer| answer.as_ref().map(Answer::directory).unwrap_or_default()));
}

/// Tells the host how far the run is, and asks it. The simulator looks every few milliseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share is 0 to 1
fn is_unwanted() -> bool {
    let share = CONTROL.with_borrow(|control| control.map_or(0.0, Control::progress));
    let per_mille = (1000.0 * share) as u32;
    // A host that is asked for nothing new has nothing new to say.
    REPORTED.replace(per_mille) != per_mille && progress(per_mille) != 0
}
