//! The text of a conversation: who is under test, and what happens when.

use super::settings::overrides;
use super::stage::Stage;
use aqmlab_tcp::{Endpoint, HostProfile};

/// The lines of a conversation without comments, each with its number in the text.
pub(crate) struct Script<'text> {
    lines: Vec<(usize, &'text str)>,
}

impl<'text> Script<'text> {
    pub(crate) fn new(text: &'text str) -> Self {
        let lines = text
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line.split('#').next().unwrap_or("").trim()))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        Self { lines }
    }

    /// What follows `key` in the lines that begin with it.
    pub(crate) fn head(&self, key: &'static str) -> impl Iterator<Item = &'text str> {
        self.lines.iter().filter_map(move |(_, line)| line.strip_prefix(key)).map(str::trim)
    }

    /// The lines that begin with a time.
    pub(crate) fn events(&self) -> impl Iterator<Item = (usize, &'text str)> {
        self.lines.iter().copied().filter(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The endpoint under test, before anything happens.
    pub(crate) fn stage(&self) -> Stage {
        let settings: Vec<(&str, &str)> = self
            .head("set ")
            .map(|line| line.split_once('=').expect("set KEY = VALUE"))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let base = HostProfile::named(self.head("profile ").next().expect("a profile"));
        let profile = base.expect("a known profile").with(&overrides(&settings)).expect("a legal profile");
        let endpoint = match self.head("open ").next() {
            Some("client") => Endpoint::active(),
            Some("server") => Endpoint::passive(),
            other => panic!("open client or server, not {other:?}"),
        };
        Stage::new(profile, endpoint)
    }
}
