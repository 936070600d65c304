//! Congestion changes *when*, never *what*: the same user under different orders of events.

mod driver;

use aqmlab_random::Key;
use aqmlab_web::{Exchange, StartRule, UncParameters, User};
use driver::any_order::{AnyOrder, Diary, Troubles};

const SMOOTH: Troubles = Troubles { failure: 0.0, peer_close: 0.0 };
const ROUGH: Troubles = Troubles { failure: 0.1, peer_close: 0.1 };
const PAGES: u32 = 120;

fn user_key(index: u64) -> Key {
    Key::from_seed(20).indexed(1).named("user").named("left").indexed(index)
}

/// Fetches 120 pages of one user, everything happening in an order drawn from `order`.
fn browse(
    parameters: &UncParameters,
    user: u64,
    start: StartRule,
    troubles: Troubles,
    order: u64,
) -> AnyOrder {
    let model = driver::model(parameters);
    let mut user = User::new(user_key(user), &model);
    let mut commands = Vec::new();
    user.start(&model, start, &mut commands);
    let mut world = AnyOrder::new(user, &commands);
    let mut order = Key::from_seed(order).named("order of events").stream();
    while world.pages < PAGES || world.diary.thoughts.len() < PAGES as usize {
        world.step(&model, troubles, &mut order);
    }
    world
}

fn several_servers() -> UncParameters {
    UncParameters {
        objects_per_page_mean: 12.0,
        servers_per_page_mean: 2.5,
        persistent_connection_share: 0.4,
        ..UncParameters::default()
    }
}

fn diary(parameters: &UncParameters, user: u64, start: StartRule, troubles: Troubles, order: u64) -> Diary {
    browse(parameters, user, start, troubles, order).diary
}

#[test]
fn the_order_of_events_changes_no_connection_no_object_no_size_and_no_thought() {
    for parameters in [UncParameters::default(), several_servers()] {
        for user in 0..20 {
            let one = diary(&parameters, user, StartRule::Steady, SMOOTH, 1);
            for order in 2..5 {
                assert_eq!(diary(&parameters, user, StartRule::Steady, SMOOTH, order), one, "user {user}");
            }
        }
    }
}

#[test]
fn lost_connections_change_nothing_either() {
    let (mut failed, mut reopened) = (0, 0);
    for parameters in [UncParameters::default(), several_servers()] {
        for user in 0..20 {
            let smooth = diary(&parameters, user, StartRule::Steady, SMOOTH, 1);
            let rough = browse(&parameters, user, StartRule::Steady, ROUGH, 7);
            assert_eq!(rough.diary, smooth, "user {user}");
            failed += rough.failed_exchanges;
            reopened += rough.reopened;
        }
    }
    // The test is about something: 4,800 pages with a trouble in every fifth event.
    assert!(failed > 1000 && reopened > 1000, "{failed} failed, {reopened} reopened");
}

#[test]
fn different_users_ask_for_different_things() {
    let parameters = UncParameters::default();
    let one = diary(&parameters, 1, StartRule::Steady, SMOOTH, 1);
    let other = diary(&parameters, 2, StartRule::Steady, SMOOTH, 1);
    assert_ne!(one, other);
    let delays = |diary: &Diary| diary.connections.values().map(|c| c.delay_draw).collect::<Vec<_>>();
    assert!(delays(&one).iter().all(|delay| !delays(&other).contains(delay)));
}

#[test]
fn each_object_of_a_visit_is_asked_for_once_and_pages_are_whole() {
    let diary = diary(&several_servers(), 3, StartRule::Fresh { spread: aqmlab_units::Span::ZERO }, ROUGH, 3);
    let last_visit = diary.connections.keys().map(|key| key.0).max().unwrap();
    assert!(last_visit > 10);
    for visit in 0..=last_visit {
        let of_visit = diary.connections.range((visit, 0)..(visit + 1, 0));
        let mut exchanges: Vec<Exchange> = of_visit.flat_map(|(_, c)| c.exchanges.clone()).collect();
        exchanges.sort_by_key(|exchange| exchange.object);
        for (number, exchange) in exchanges.iter().enumerate() {
            assert_eq!(exchange.object as usize, number, "visit {visit}");
        }
        // Pages begin with their only top-level object and are fetched one after the other.
        let mut page = 0;
        for pair in exchanges.windows(2) {
            let turns = pair[1].page != pair[0].page;
            page += u32::from(turns);
            assert_eq!(pair[1].page, page, "visit {visit}");
            assert_eq!(pair[1].kind == aqmlab_web::ObjectKind::TopLevel, turns, "visit {visit}");
        }
    }
}

#[test]
fn connections_that_are_not_persistent_carry_one_request() {
    let diary = diary(&UncParameters::default(), 5, StartRule::Steady, SMOOTH, 1);
    for (key, connection) in &diary.connections {
        assert!(connection.persistent || connection.exchanges.len() == 1, "{key:?}: {connection:?}");
    }
}

#[test]
fn the_browser_uses_all_its_places_and_no_more() {
    // That it never uses more is checked after every command.
    let parameters = |netscape_share| UncParameters { netscape_share, ..several_servers() };
    assert_eq!(browse(&parameters(1.0), 1, StartRule::Steady, SMOOTH, 1).most_at_once, 4);
    assert_eq!(browse(&parameters(0.0), 1, StartRule::Steady, SMOOTH, 1).most_at_once, 2);
}
