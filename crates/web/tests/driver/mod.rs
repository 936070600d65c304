//! Drivers for tests: no network, one user at a time.
#![allow(dead_code, reason = "each test binary uses its part")]

use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, UncModel, UncParameters, User};

pub(crate) mod any_order;

/// The model of these parameters, which name no file.
pub(crate) fn model(parameters: &UncParameters) -> UncModel {
    UncModel::new(parameters, &|path| Err(format!("unexpected file {path}"))).unwrap()
}

/// A server visit's pages come and go without a network: connections are established at once, and every
/// response is there at the end of the page.
pub(crate) struct Browsing {
    user: User,
    next_page: Time,
    page_time: Span,
    commands: Vec<Command>,
    answers: Vec<Command>,
}

impl Browsing {
    /// `user`, who has just been given `start_commands`, with pages that take `page_time`.
    pub(crate) fn new(user: User, start_commands: &[Command], page_time: Span) -> Self {
        let [Command::Think { until }] = *start_commands else {
            panic!("a user starts by thinking, not by {start_commands:?}")
        };
        Self { user, next_page: until, page_time, commands: Vec::new(), answers: Vec::new() }
    }

    /// When the next page begins.
    pub(crate) fn next_page(&self) -> Time {
        self.next_page
    }

    pub(crate) fn user(&self) -> &User {
        &self.user
    }

    /// Fetches the next page; `see` sees every command.
    pub(crate) fn fetch_page(&mut self, model: &UncModel, see: &mut impl FnMut(&Command)) {
        let (begin, end) = (self.next_page, self.next_page + self.page_time);
        self.user.on_wake(begin, model, &mut self.commands);
        while !self.commands.is_empty() {
            for command in &self.commands {
                see(command);
                match *command {
                    Command::Open { connection, .. } => {
                        self.user.on_connected(begin, connection, model, &mut self.answers);
                    }
                    Command::Request { connection, .. } => {
                        self.user.on_response(end, connection, model, &mut self.answers);
                    }
                    Command::Close { .. } => {}
                    Command::Think { until } => self.next_page = until,
                    Command::Wait { .. } => panic!("a user waits for nothing but her next page"),
                }
            }
            self.commands.clear();
            std::mem::swap(&mut self.commands, &mut self.answers);
        }
        assert!(self.user.is_thinking(), "a page without congestion ends");
    }
}
