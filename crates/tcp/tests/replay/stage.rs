//! One endpoint, moved by the lines of a conversation.

use super::segments::parse_segment;
use aqmlab_tcp::{Context, Endpoint, HostClock, HostProfile, Outbox};
use aqmlab_units::{Span, Time};
use std::collections::VecDeque;

/// The endpoint under test, and what it has done.
pub(crate) struct Stage {
    profile: HostProfile,
    clock: HostClock,
    endpoint: Endpoint,
    sent: VecDeque<(Time, String)>,
    delivered: u64,
    acknowledged: u64,
    facts: Vec<&'static str>,
}

impl Stage {
    pub(crate) fn new(profile: HostProfile, endpoint: Endpoint) -> Self {
        let clock = profile.clock(Span::ZERO);
        let (sent, facts) = (VecDeque::new(), Vec::new());
        Self { profile, clock, endpoint, sent, delivered: 0, acknowledged: 0, facts }
    }

    fn act(&mut self, now: Time, act: impl FnOnce(&mut Endpoint, &Context<'_>, &mut Outbox)) {
        let mut out = Outbox::new();
        let context = Context { profile: &self.profile, clock: self.clock };
        act(&mut self.endpoint, &context, &mut out);
        for segment in &out.segments {
            let options = self.endpoint.options(now, &self.profile, segment);
            self.sent.push_back((now, format!("{segment}{options}")));
        }
        self.delivered += u64::from(out.delivered);
        self.acknowledged += u64::from(out.acknowledged);
        let facts = [
            (out.established, "established"),
            (out.peer_closed, "peer-closed"),
            (out.finished, "finished"),
            (out.gave_up, "gave-up"),
            (out.reset, "reset"),
        ];
        self.facts.extend(facts.iter().filter(|fact| fact.0).map(|fact| fact.1));
    }

    /// The oldest of what it has sent and nobody has asked for yet.
    pub(crate) fn sent(&mut self) -> Option<(Time, String)> {
        self.sent.pop_front()
    }

    /// The congestion window in bytes.
    pub(crate) fn window_bytes(&self) -> f64 {
        self.endpoint.congestion_window_bytes(&self.profile)
    }

    /// Fires the timers that are due before `now`, or at it.
    pub(crate) fn run_timers(&mut self, now: Time, at_it: bool) {
        loop {
            let due = self.endpoint.deadline();
            if due > now || due == now && !at_it {
                return;
            }
            self.act(due, |endpoint, context, out| endpoint.on_timer(due, context, out));
        }
    }

    pub(crate) fn line(&mut self, line: &str) -> Result<(), String> {
        let (time, rest) = line.split_once(char::is_whitespace).ok_or("no action")?;
        let now = Time::from_seconds(time.parse().map_err(|_| format!("not a time: {time}"))?);
        let words: Vec<&str> = rest.split_whitespace().collect();
        match words[0] {
            ">" => {
                self.run_timers(now, true);
                let expected = words[1..].join(" ");
                match self.sent.pop_front() {
                    Some((at, text)) if at == now && text == expected => Ok(()),
                    Some((at, text)) => Err(format!("instead it sent at {at}: {text}")),
                    None => Err("it sent nothing".into()),
                }
            }
            "=" => {
                self.run_timers(now, true);
                self.check(words[1], words.get(2).copied())
            }
            _ => {
                self.run_timers(now, false);
                self.nothing_unexpected()?;
                self.stimulus(now, &words)
            }
        }
    }

    pub(crate) fn nothing_unexpected(&mut self) -> Result<(), String> {
        match self.sent.pop_front() {
            Some((at, text)) => Err(format!("before this, unexpectedly, it sent at {at}: {text}")),
            None => Ok(()),
        }
    }

    pub(crate) fn stimulus(&mut self, now: Time, words: &[&str]) -> Result<(), String> {
        match words {
            ["<", segment @ ..] => {
                let (segment, options, marked) = parse_segment(segment)?;
                self.act(now, |endpoint, context, out| {
                    if context.profile.has_options() {
                        endpoint.on_segment_with_options(now, context, (&segment, &options), marked, out);
                    } else {
                        endpoint.on_segment(now, context, &segment, marked, out);
                    }
                });
            }
            ["connect"] => self.act(now, |endpoint, context, out| endpoint.connect(now, context, out)),
            ["close"] => self.act(now, |endpoint, context, out| endpoint.close(now, context, out)),
            ["timer"] => self.act(now, |endpoint, context, out| endpoint.on_timer(now, context, out)),
            ["write", "unlimited"] => {
                self.act(now, |endpoint, context, out| endpoint.write_unlimited(now, context, out));
            }
            ["write", bytes, "and", "close"] => {
                let bytes = bytes.parse().map_err(|_| format!("not a number: {bytes}"))?;
                self.act(now, |endpoint, context, out| endpoint.write_and_close(now, context, bytes, out));
            }
            ["write", bytes] => {
                let bytes = bytes.parse().map_err(|_| format!("not a number: {bytes}"))?;
                self.act(now, |endpoint, context, out| endpoint.write(now, context, bytes, out));
            }
            _ => return Err("unknown action".into()),
        }
        Ok(())
    }

    fn check(&self, what: &str, value: Option<&str>) -> Result<(), String> {
        let found = match what {
            "cwnd" => self.endpoint.congestion_window_bytes(&self.profile),
            "ssthresh" => self.endpoint.slow_start_threshold_bytes(&self.profile),
            "rate" => {
                let rate = self.endpoint.delivery_rate(&self.profile).ok_or("no rate is known")?;
                rate.bits_per_second() as f64
            }
            "delivered" => self.delivered as f64,
            "acknowledged" => self.acknowledged as f64,
            "reductions" => f64::from(self.endpoint.statistics().ecn_reductions),
            "recoveries" => f64::from(self.endpoint.statistics().fast_recoveries),
            "timeouts" => f64::from(self.endpoint.statistics().timeouts),
            "quiet" if self.endpoint.deadline() == Time::MAX => return Ok(()),
            fact if self.facts.contains(&fact) => return Ok(()),
            fact => return Err(format!("not {fact}; so far: {:?}", self.facts)),
        };
        let expected: f64 = value.and_then(|text| text.parse().ok()).ok_or("needs a number")?;
        if found == expected { Ok(()) } else { Err(format!("it is {found}")) }
    }
}
