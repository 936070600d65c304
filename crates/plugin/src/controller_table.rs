//! The C functions of a congestion controller, and the controller of a connection that calls them.
//!
//! `aqmlab_controller.h` says the same to C compilers. Nothing here allocates or takes a lock while packets
//! pass.
#![allow(unsafe_code)]

use crate::controller_answers::{LEGAL_PACE, LegalSegments, pace_of};
use crate::controller_facts::{
    RawAcknowledged, RawLoss, RawLostSegment, RawMarks, RawOpening, RawRoundTrip, RawSent, RawTimeout,
    number_of_end,
};
use crate::fault::Fault;
use crate::shared_library::empty_state;
use aqmlab_random::Key;
use aqmlab_tcp::congestion::Settings;
use aqmlab_tcp::congestion::own::{Answers, Fact, OwnInstance};
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

/// What the functions answer, and their random numbers: `aqmlab_answers`. What a function does not write
/// stays as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RawAnswers {
    /// Segments that may be in the network, of which the whole ones count.
    pub window: f64,
    /// The window up to which slow start lasts; infinite where there is none.
    pub threshold: f64,
    /// The rate at which segments leave, in bit/s; infinite: at once.
    pub pacing_bps: f64,
    /// Segments that may leave in one instant.
    pub send_quantum: u32,
    /// Whether what leaves from here on is limited by its own choice.
    pub limits_samples: u32,
    /// The stream: its key, and the number of the next draw, which the function counts on.
    coins_key: u64,
    coins_next: u64,
}

/// What a controller may know of its host.
#[derive(Clone, Copy, Debug)]
pub struct ControllerHost {
    /// The initial window, in segments.
    pub initial_window: u32,
    /// An IP packet with a full segment, in bytes.
    pub packet_bytes: u32,
    /// Whether its settings want segments to leave at a rate.
    pub pacing: bool,
}

impl From<&Settings> for ControllerHost {
    fn from(settings: &Settings) -> Self {
        let Settings { initial_window, packet_bytes, pacing, .. } = *settings;
        Self { initial_window, packet_bytes, pacing }
    }
}

impl RawAnswers {
    /// Those of a connection that begins.
    pub(crate) fn of(host: &ControllerHost) -> Self {
        Self {
            window: host.initial_window.into(),
            threshold: f64::INFINITY,
            pacing_bps: f64::INFINITY,
            send_quantum: 1,
            limits_samples: 0,
            // Until it hears of its own: whoever has no address draws what all of them draw.
            coins_key: Key::from_seed(0).stream().key_number(),
            coins_next: 0,
        }
    }

    /// The answers, or in words which of them is wrong, and what would be legal.
    fn checked(&self) -> Result<Answers, String> {
        let segments = |name: &str, number: f64, legal: LegalSegments| {
            legal.whole(number).ok_or_else(|| format!("{name} is {number}; legal: {legal}"))
        };
        let paces = self.pacing_bps != f64::INFINITY;
        Ok(Answers {
            window: segments("window", self.window, LegalSegments::WINDOW)?,
            slow_start_threshold: segments("threshold", self.threshold, LegalSegments::THRESHOLD)?,
            pacing_rate: if paces { Some(self.pace()?) } else { None },
            send_quantum: segments("send_quantum", self.send_quantum.into(), LegalSegments::WINDOW)?,
            limits_samples: self.limits_samples != 0,
        })
    }

    fn pace(&self) -> Result<aqmlab_units::Rate, String> {
        let bps = self.pacing_bps;
        pace_of(bps).ok_or_else(|| format!("pacing_bps is {bps}; legal: infinite, or {LEGAL_PACE}"))
    }
}

/// A function that is told a fact.
pub type Told<Fact> = unsafe extern "C" fn(state: *mut c_void, fact: *const Fact, answers: *mut RawAnswers);
/// A function that is told a number.
pub type ToldNumber = unsafe extern "C" fn(state: *mut c_void, number: u32, answers: *mut RawAnswers);

/// The functions of a controller, each of which is given its state: the methods of
/// [`aqmlab_tcp::congestion::CongestionControl`]. What is absent leaves the answers as they are.
#[derive(Clone, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "each is the method of the same name")]
pub struct ControllerTable {
    pub on_established: Option<Told<RawOpening>>,
    pub on_sent: Option<Told<RawSent>>,
    pub on_round_trip: Option<Told<RawRoundTrip>>,
    pub on_acknowledged: Option<Told<RawAcknowledged>>,
    pub on_lost: Option<Told<RawLostSegment>>,
    pub on_loss: Option<Told<RawLoss>>,
    pub on_timeout: Option<Told<RawTimeout>>,
    pub on_marks: Option<Told<RawMarks>>,
    pub on_recovered: Option<ToldNumber>,
    pub on_idle: Option<ToldNumber>,
    pub on_unused: Option<ToldNumber>,
}

/// What the connections of a controller share.
#[derive(Debug)]
pub(crate) struct Functions {
    table: ControllerTable,
    /// What messages call it.
    name: String,
}

/// The controller of one connection. The state is a block of memory that only the functions know; a copy has
/// a copy of the block.
#[derive(Clone)]
pub struct TableController {
    functions: Arc<Functions>,
    state: Vec<u128>,
    answers: RawAnswers,
    coins_key: u64,
}

impl TableController {
    /// A controller whose state begins as these bytes, with the answers of a connection that begins.
    ///
    /// # Safety
    /// The functions must be what the table says they are, must stay in memory, and must keep to the state's
    /// length.
    #[must_use]
    pub unsafe fn new(table: ControllerTable, state: &[u8], name: &str, host: &ControllerHost) -> Self {
        let mut words = empty_state(state.len());
        // SAFETY: the words are at least as long as the bytes, and any bytes are words.
        unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), words.as_mut_ptr().cast(), state.len()) };
        let functions = Arc::new(Functions { table, name: name.to_owned() });
        // SAFETY: promised by the caller.
        unsafe { Self::with_words(functions, words, RawAnswers::of(host)) }
    }

    /// The same of functions that several connections share.
    ///
    /// # Safety
    /// As of [`TableController::new`].
    pub(crate) const unsafe fn with_words(
        functions: Arc<Functions>,
        state: Vec<u128>,
        answers: RawAnswers,
    ) -> Self {
        let coins_key = answers.coins_key;
        Self { functions, state, answers, coins_key }
    }

    /// What the functions have written, legal or not.
    #[must_use]
    pub const fn answers(&self) -> &RawAnswers {
        &self.answers
    }

    /// The answers after the function of this name.
    pub(crate) fn checked(&self, after: &str) -> Answers {
        self.answers.checked().unwrap_or_else(|wrong| self.fail(after, &wrong))
    }

    /// Calls the function that is told such facts, without a look at what it answers; says whether there is
    /// one.
    pub fn call(&mut self, fact: &Fact<'_>) -> bool {
        let drawn = self.answers.coins_next;
        self.answers.coins_key = self.coins_key;
        let own = &self.functions.table;
        let place = Place { state: self.state.as_mut_ptr().cast(), answers: &raw mut self.answers };
        // SAFETY: `TableController::new` was promised that these are such functions, and the state is its
        // own.
        let is_told = unsafe {
            match *fact {
                Fact::Established(told) => place.tell(own.on_established, || told.into()),
                Fact::Sent(told) => place.tell(own.on_sent, || told.into()),
                Fact::RoundTrip(told) => place.tell(own.on_round_trip, || told.into()),
                Fact::Acknowledged(told) => place.tell(own.on_acknowledged, || told.into()),
                Fact::Lost(told) => place.tell(own.on_lost, || told.into()),
                Fact::Loss(told) => place.tell(own.on_loss, || told.into()),
                Fact::Timeout(told) => place.tell(own.on_timeout, || told.into()),
                Fact::Marks(told) => place.tell(own.on_marks, || told.into()),
                Fact::Recovered(how) => place.tell_number(own.on_recovered, number_of_end(how)),
                Fact::Idle(timeouts) => place.tell_number(own.on_idle, timeouts),
                Fact::Unused(used) => place.tell_number(own.on_unused, used),
            }
        };
        if self.answers.coins_next < drawn {
            self.fail(fact.method(), "the random stream was set back");
        }
        is_told
    }

    /// Ends the run.
    #[cold]
    #[inline(never)]
    fn fail(&self, after: &str, wrong: &str) -> ! {
        Fault::raise(format!("{}, after {after}: {wrong}", self.functions.name))
    }
}

impl Functions {
    pub(crate) const fn new(table: ControllerTable, name: String) -> Self {
        Self { table, name }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Where functions work.
struct Place {
    state: *mut c_void,
    answers: *mut RawAnswers,
}

impl Place {
    /// # Safety
    /// The function must be one for this state.
    #[inline(always)]
    unsafe fn tell<Raw>(&self, function: Option<Told<Raw>>, fact: impl FnOnce() -> Raw) -> bool {
        let Some(function) = function else { return false };
        let fact = fact();
        // SAFETY: promised by the caller.
        unsafe { function(self.state, &raw const fact, self.answers) };
        true
    }

    /// # Safety
    /// As of [`Place::tell`].
    #[inline(always)]
    unsafe fn tell_number(&self, function: Option<ToldNumber>, number: u32) -> bool {
        let Some(function) = function else { return false };
        // SAFETY: promised by the caller.
        unsafe { function(self.state, number, self.answers) };
        true
    }
}

impl fmt::Debug for TableController {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.functions.name)
    }
}

impl OwnInstance for TableController {
    fn draw_from(&mut self, key: Key) {
        let stream = key.stream();
        self.coins_key = stream.key_number();
        self.answers.coins_next = stream.drawn();
    }

    fn tell(&mut self, fact: &Fact<'_>) -> Option<Answers> {
        self.call(fact).then(|| self.checked(fact.method()))
    }

    fn copied(&self) -> Box<dyn OwnInstance> {
        Box::new(self.clone())
    }
}
