//! What a large population weighs.

mod driver;

use aqmlab_random::Key;
use aqmlab_units::{Span, Time};
use aqmlab_web::{Command, StartRule, UncParameters, User};
use driver::Browsing;

#[test]
fn a_user_is_small() {
    assert!(size_of::<User>() <= 88, "{}", size_of::<User>());
    assert!(size_of::<Command>() <= 40, "{}", size_of::<Command>());
}

#[test]
fn idle_users_weigh_less_than_100_bytes_each_with_their_lists() {
    let model = driver::model(&UncParameters::default());
    let users = 10_000;
    let mut bytes = 0;
    for index in 0..users {
        let mut user = User::new(Key::from_seed(61).indexed(index), &model);
        let mut commands = Vec::new();
        user.start(&model, StartRule::Steady, &mut commands);
        let mut browsing = Browsing::new(user, &commands, Span::from_milliseconds(1000));
        while browsing.next_page() < Time::from_seconds(300.0) {
            browsing.fetch_page(&model, &mut |_| {});
        }
        bytes += browsing.user().memory_bytes();
    }
    let mean = bytes as f64 / users as f64;
    assert!(mean < 100.0, "{mean}");
}
