//! Traffic models from outside this crate.

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{
    Command, DeclaredModels, ModelDeclaration, ModelError, OwnModelError, OwnObject, OwnPages, PageObject,
    PageSource, Population, StartRule, UserEvent, UserModel, think_time,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a page of the model is, by its own parameter.
type Pages = fn(u64, Key, u32) -> Result<(Vec<OwnObject>, f64), OwnModelError>;

#[derive(Clone)]
struct Own(Pages, Map<String, Value>, u64);

impl ModelDeclaration for Own {
    fn meaning(&self) -> &str {
        "For a test."
    }

    fn properties(&self) -> &Map<String, Value> {
        &self.1
    }

    fn parse(&self, table: Map<String, Value>) -> Result<Arc<dyn OwnPages>, serde_json::Error> {
        let number = table.get("bytes").and_then(Value::as_u64).unwrap_or(1_000);
        Ok(Arc::new(Self(self.0, self.1.clone(), number)))
    }
}

impl OwnPages for Own {
    fn to_json(&self) -> Value {
        json!({ "bytes": self.2 })
    }

    fn validate(&self) -> Result<(), ModelError> {
        if self.2 > 0 { Ok(()) } else { Err(ModelError::own("bytes", "0 is not legal", "at least 1")) }
    }

    fn source(&self) -> Result<Arc<dyn PageSource>, OwnModelError> {
        Ok(Arc::new(Source(self.0, self.2)))
    }
}

#[derive(Debug)]
struct Source(Pages, u64);

impl PageSource for Source {
    fn page(
        &self,
        _: Key,
        page: Key,
        number: u32,
        objects: &mut Vec<PageObject>,
    ) -> Result<Span, OwnModelError> {
        let (own, think) = (self.0)(self.1, page, number)?;
        for object in own {
            objects.push(object.checked()?);
        }
        think_time(think)
    }

    fn place(&self) -> String {
        "own".to_owned()
    }

    fn end_run(&self, why: String) -> ! {
        panic!("{why}")
    }
}

const ROOT: OwnObject = OwnObject { response_bytes: 9_000, request_bytes: 300, host: 0, wave: 0 };

/// A root, two objects of which one is on another host, and one in a third wave that is named first.
fn constant(bytes: u64, _: Key, _: u32) -> Result<(Vec<OwnObject>, f64), OwnModelError> {
    let object = |wave, host| OwnObject { response_bytes: bytes as i64, request_bytes: 400, host, wave };
    Ok((vec![ROOT, object(2, 0), object(1, 0), object(1, 7)], 12.0))
}

fn drawn(_: u64, page: Key, number: u32) -> Result<(Vec<OwnObject>, f64), OwnModelError> {
    let response_bytes = 1 + page.below(0, 100_000) as i64;
    Ok((vec![OwnObject { response_bytes, ..ROOT }], 1.0 + f64::from(number)))
}

fn read(pages: Pages, table: Value) -> Result<UserModel, serde_json::Error> {
    let mut models = DeclaredModels::default();
    let properties = json!({ "bytes": { "type": "integer", "default": 1_000 } });
    let Value::Object(properties) = properties else { unreachable!() };
    models.declare("own.py:Own@1", Arc::new(Own(pages, properties, 0))).unwrap();
    models.while_reading(|| serde_json::from_value(table))
}

fn model(pages: Pages) -> UserModel {
    read(pages, json!({ "model": "own.py:Own@1", "http": "1.1", "tls": "none" })).unwrap()
}

fn no_file(path: &str) -> Result<String, String> {
    Err(format!("no file {path}"))
}

fn population(model: &UserModel, count: u32, seed: u64) -> Population {
    model.parameters().build(count, Key::from_seed(seed), &no_file).unwrap()
}

/// Lets a user load pages, each event a second after the one before: the commands with their instants.
fn lived(users: &mut Population, user: u32, events: u32) -> Vec<(Time, Command)> {
    let (mut said, mut out, mut due) = (Vec::new(), Vec::new(), Vec::new());
    let mut now = Time::ZERO;
    due.push(UserEvent::Start(StartRule::Fresh { spread: Span::ZERO }));
    for _ in 0..events {
        let event = due.remove(0);
        users.handle(user, event, now, &mut out);
        for command in out.drain(..) {
            said.push((now, command));
            match command {
                Command::Think { until } => {
                    now = until;
                    due.push(UserEvent::Wake);
                }
                Command::Open { connection, .. } => due.push(UserEvent::Connected(connection)),
                Command::Request { connection, exchange } => {
                    due.push(UserEvent::Object(connection, exchange.object));
                }
                Command::Close { .. } | Command::Wait { .. } => {}
            }
        }
        now += Span::from_seconds(1.0);
    }
    said
}

fn requests(said: &[(Time, Command)]) -> Vec<(u32, u64)> {
    let request = |(_, command): &(Time, Command)| match command {
        Command::Request { exchange, .. } => Some((exchange.request_bytes, exchange.response_bytes)),
        _ => None,
    };
    said.iter().filter_map(request).collect()
}

#[test]
fn a_page_is_what_the_model_says_wave_by_wave_and_the_think_time_follows() {
    let said = lived(&mut population(&model(constant), 1, 1), 0, 8);
    // The root; the two objects of wave 1; that of wave 2.
    assert_eq!(requests(&said), [(300, 9_000), (400, 1_000), (400, 1_000), (400, 1_000)]);
    let opened = said.iter().filter(|(_, command)| matches!(command, Command::Open { .. })).count();
    assert_eq!(opened, 2, "a connection to each host");
    let thoughts: Vec<_> = said
        .iter()
        .filter_map(|(at, command)| match command {
            Command::Think { until } => Some((*until - *at).seconds()),
            _ => None,
        })
        .collect();
    assert_eq!(thoughts, [12.0, 12.0]);
}

#[test]
fn what_others_know_of_it_follows_from_its_pages() {
    let model = model(constant);
    let workload = model.parameters().workload(&no_file).unwrap();
    assert_eq!((workload.exchanges, workload.exchange_bytes, workload.seconds), (4.0, 3_000.0, 12.0));
    // Three objects on one host, over HTTP/1.1 with six connections at most, and one on another.
    assert_eq!(workload.connections, Some(4.0));
    let habits = model.parameters().habits(&no_file).unwrap();
    assert!((habits.pages_per_second - 1.0 / 17.0).abs() < 1e-12, "a thought of 12 s, a page of 5 s");
    assert!((habits.exchanges_per_second - 4.0 / 17.0).abs() < 1e-12);
}

#[test]
fn users_draw_at_their_own_keys_in_any_order() {
    let model = model(drawn);
    let mut together = population(&model, 3, 5);
    let all: Vec<_> = (0..3).map(|user| lived(&mut together, user, 40)).collect();
    let mut reversed = population(&model, 3, 5);
    for user in (0..3).rev() {
        assert_eq!(lived(&mut reversed, user, 40), all[user as usize]);
    }
    assert_ne!(requests(&all[0]), requests(&all[1]));
    assert_ne!(requests(&lived(&mut population(&model, 1, 6), 0, 40)), requests(&all[0]));
}

#[test]
fn a_page_that_is_passed_over_leaves_the_thought_behind_it() {
    let mut users = population(&model(drawn), 1, 5);
    let mut out = Vec::new();
    users.handle(0, UserEvent::Start(StartRule::Stationary), Time::ZERO, &mut out);
    assert!(users.next_page_is_light(0));
    for number in 0..3 {
        out.clear();
        let end = Time::from_seconds(100.0);
        users.pass_over_page(0, end, &mut out);
        assert_eq!(out, [Command::Think { until: end + Span::from_seconds(1.0 + f64::from(number)) }]);
    }
}

#[test]
fn pages_that_differ_when_they_are_drawn_again_are_refused() {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let counting: Pages = |_, _, _| Ok((vec![ROOT], 1.0 + ASKED.fetch_add(1, Ordering::Relaxed) as f64));
    let error = model(counting).parameters().build(0, Key::from_seed(1), &no_file).unwrap_err().to_string();
    let legal =
        "a model whose pages are a function of their number and of what `draws` gives, the same every time";
    let wrong = "own: page 7 of a user was another one when it was drawn again";
    assert_eq!(error, format!("`model`: {wrong}; legal: {legal}"));
}

#[test]
fn pages_that_cannot_be_are_refused_with_what_is_legal() {
    let said = |pages: Pages| {
        let error = model(pages).parameters().build(0, Key::from_seed(1), &no_file).unwrap_err();
        let ModelError::Own { key, wrong, legal } = error else { panic!("{error}") };
        assert_eq!(key, "model");
        format!("{wrong}; legal: {legal}")
    };
    let of = |object: OwnObject, wrong: &str| assert_eq!(object.checked().unwrap_err().to_string(), wrong);
    of(
        OwnObject { response_bytes: 0, ..ROOT },
        "response_bytes is 0; legal: a whole number from 1 to 1000000000",
    );
    of(
        OwnObject { request_bytes: 65_536, ..ROOT },
        "request_bytes is 65536; legal: a whole number from 1 to 65535",
    );
    of(OwnObject { host: -1, ..ROOT }, "host is -1; legal: a whole number from 0 to 5000");
    of(OwnObject { wave: 256, ..ROOT }, "wave is 256; legal: a whole number from 0 to 255");
    assert_eq!(
        said(|_, _, _| Ok((vec![ROOT], f64::NAN))),
        "think_s is NaN; legal: a number from 0.001 to 1000000"
    );
    assert_eq!(said(|_, _, _| Ok((vec![ROOT], 0.0))), "think_s is 0; legal: a number from 0.001 to 1000000");
    assert_eq!(
        said(|_, _, _| Ok((Vec::new(), 1.0))),
        "own: page 0: there is no object; legal: the root first, then the others"
    );
    assert_eq!(
        said(|_, _, _| Ok((vec![ROOT; 2], 1.0))),
        "own: page 0: object 1 is in wave 0, where the root is alone; legal: 1 to 255"
    );
    assert_eq!(
        said(|_, _, _| Ok((vec![OwnObject { wave: 1, ..ROOT }], 1.0))),
        "own: page 0: object 0 is in wave 1; legal: the root, in wave 0"
    );
    assert_eq!(
        said(|_, _, number| {
            let others = vec![OwnObject { wave: 1, ..ROOT }; 5_000 * usize::from(number == 3)];
            Ok(([vec![ROOT], others].concat(), 1.0))
        }),
        "own: page 3: 5001 objects; legal: 1 to 5000"
    );
    assert_eq!(said(|_, _, _| Err(OwnModelError::new("line 3: no", "yes"))), "line 3: no; legal: yes");
}

#[test]
fn a_table_is_written_as_it_is_read_under_the_name_that_people_write() {
    let table = json!({ "model": "own.py:Own@1", "bytes": 70, "connections_per_host": 2, "http": "1.1" });
    let model = read(constant, table).unwrap();
    let written = serde_json::to_value(&model).unwrap();
    assert_eq!(
        written,
        json!({
            "model": "own.py:Own", "http": "1.1", "tls": "1.3", "connections_per_host": 2,
            "server_count": 8, "steady_start_page_time_seconds": 5.0, "bytes": 70,
        })
    );
    assert_eq!(model.name(), "own.py:Own");
    let text = serde_json::to_string(&model).unwrap();
    assert!(text.starts_with("{\"model\":\"own.py:Own\","), "{text}");
    let mut moved = model.clone();
    moved.parameters_mut().choose_among(3);
    assert_eq!(serde_json::to_value(&moved).unwrap()["server_count"], 3);
    assert_ne!(moved, model);
}

#[test]
fn a_model_is_named_only_where_it_is_declared_and_its_parameters_are_checked() {
    let table = json!({ "model": "own.py:Own@1" });
    let error = serde_json::from_value::<UserModel>(table).unwrap_err().to_string();
    assert!(error.contains("unknown variant `own.py:Own@1`, expected one of `unc`"), "{error}");
    let zero = read(constant, json!({ "model": "own.py:Own@1", "bytes": 0 })).unwrap();
    let error = zero.parameters().build(0, Key::from_seed(1), &no_file).unwrap_err().to_string();
    assert_eq!(error, "`bytes`: 0 is not legal; legal: at least 1");
    let Value::Object(properties) = json!({ "http": { "default": 1 } }) else { unreachable!() };
    let error = DeclaredModels::default().declare("x", Arc::new(Own(constant, properties, 0))).unwrap_err();
    assert_eq!(error, "parameter `http`: every traffic model has it already");
}
