//! Writes down what controllers of this thread are told, and takes the place of one, for tests of the sender
//! that tells them.

use super::{
    Acknowledged, Codepoint, CongestionControl, Loss, LostSegment, Marks, Opening, Recovered, Sent, Settings,
    Timeout,
};
use aqmlab_units::Rate;
use std::cell::{Cell, RefCell};

/// What the controllers of this thread were told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) opened: Vec<Opening>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) acknowledged: Vec<Acknowledged>,
    pub(crate) lost: Vec<LostSegment>,
    pub(crate) recovered: Vec<Recovered>,
}

thread_local! {
    /// None until somebody asks.
    static TOLD: RefCell<Option<Told>> = const { RefCell::new(None) };
}

pub(crate) fn write_down(write: impl FnOnce(&mut Told)) {
    TOLD.with_borrow_mut(|told| {
        if let Some(told) = told {
            write(told);
        }
    });
}

/// What they were told since this was asked last.
pub(crate) fn read_all() -> Told {
    TOLD.with_borrow_mut(|told| told.replace(Told::default()).unwrap_or_default())
}

/// Of which acknowledgements they were.
pub(crate) fn read() -> Vec<Acknowledged> {
    read_all().acknowledged
}

/// What a spy answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers {
    /// Segments, whatever happens.
    pub(crate) window: u32,
    /// Whatever the host's settings are.
    pub(crate) pacing_rate: Option<Rate>,
    pub(crate) codepoint: Codepoint,
    pub(crate) answers_marks: bool,
    pub(crate) send_quantum: u32,
    pub(crate) limits_samples: bool,
}

thread_local! {
    /// What stands in the place of the controllers of connections that open on this thread.
    static ANSWERS: Cell<Option<Answers>> = const { Cell::new(None) };
    /// How often a spy was told of marks that it had not answered.
    static REDUCTIONS: Cell<u32> = const { Cell::new(0) };
}

/// Connections that open on this thread have a spy from here on.
pub(crate) fn install(answers: Answers) {
    ANSWERS.set(Some(answers));
    REDUCTIONS.set(0);
}

/// How often one was told of marks since it was installed.
pub(crate) fn reductions() -> u32 {
    REDUCTIONS.get()
}

/// One for a connection that opens, if spies are installed.
pub(super) fn installed(settings: &Settings) -> Option<Controller> {
    ANSWERS.get().map(|_| Controller::new(settings))
}

/// A controller that does as it was told before the connection opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Controller(Answers);

impl CongestionControl for Controller {
    fn new(_: &Settings) -> Self {
        Self(ANSWERS.get().expect("a spy is installed"))
    }

    fn on_established(&mut self, _: Opening) {}

    fn on_sent(&mut self, _: &Sent) {}

    fn on_acknowledged(&mut self, _: &Acknowledged) {}

    fn on_loss(&mut self, _: &Loss) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn on_marks(&mut self, _: &Marks) {
        REDUCTIONS.set(REDUCTIONS.get() + 1);
    }

    fn on_recovered(&mut self, _: Recovered) {}

    fn on_idle(&mut self, _: u32) {}

    fn window(&self) -> u32 {
        self.0.window
    }

    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

    fn paces(&self) -> bool {
        self.0.pacing_rate.is_some()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.0.pacing_rate
    }

    fn send_quantum(&self) -> u32 {
        self.0.send_quantum
    }

    fn limits_samples(&self) -> bool {
        self.0.limits_samples
    }

    fn codepoint(&self) -> Codepoint {
        self.0.codepoint
    }

    fn answers_marks(&self) -> bool {
        self.0.answers_marks
    }
}
