//! The rules of browsing and the common random numbers hold for any legal parameters.

mod driver;

use aqmlab_random::Key;
use aqmlab_units::Span;
use aqmlab_web::{StartRule, UncParameters, User};
use driver::any_order::{AnyOrder, Diary, Troubles};
use proptest::prelude::*;

fn parameters() -> impl Strategy<Value = UncParameters> {
    let page = (1.0..40.0_f64, 1.0..6.0_f64, 1.0..8.0_f64);
    let connections = (0.0..=1.0_f64, 2.0..30.0_f64, 1..10_u8, 1..300_u32);
    (page, connections).prop_map(
        |((objects, servers, pages), (persistent, requests, parallel, server_count))| UncParameters {
            objects_per_page_mean: objects,
            servers_per_page_mean: servers,
            pages_per_server_visit_mean: pages,
            persistent_connection_share: persistent,
            requests_per_persistent_connection_mean: requests,
            netscape_parallel_connections: parallel,
            internet_explorer_parallel_connections: 1,
            server_count,
            ..UncParameters::default()
        },
    )
}

fn start_rule() -> impl Strategy<Value = StartRule> {
    let fresh = (0..100_u64).prop_map(|s| StartRule::Fresh { spread: Span::from_milliseconds(s * 1000) });
    prop_oneof![Just(StartRule::Steady), fresh]
}

/// Every command of 15 pages is checked by the driver.
fn browse(parameters: &UncParameters, seed: u64, start: StartRule, troubles: Troubles, order: u64) -> Diary {
    let model = driver::model(parameters);
    let mut user = User::new(Key::from_seed(seed), &model);
    let mut commands = Vec::new();
    user.start(&model, start, &mut commands);
    let mut world = AnyOrder::new(user, &commands);
    let mut order = Key::from_seed(order).stream();
    while world.pages < 15 || world.diary.thoughts.len() < 15 {
        world.step(&model, troubles, &mut order);
    }
    world.diary
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn browsing_keeps_its_rules_and_its_demand_in_any_order(
        parameters in parameters(),
        start in start_rule(),
        seed: u64,
        order: u64,
        failure in 0.0..0.3_f64,
        peer_close in 0.0..0.3_f64,
    ) {
        parameters.validate().unwrap();
        let smooth = browse(&parameters, seed, start, Troubles { failure: 0.0, peer_close: 0.0 }, order);
        let rough = browse(&parameters, seed, start, Troubles { failure, peer_close }, order ^ 1);
        prop_assert_eq!(&smooth, &rough);
        for connection in smooth.connections.values() {
            prop_assert!(connection.server < parameters.server_count);
            prop_assert!(connection.persistent || connection.exchanges.len() == 1);
        }
    }
}
