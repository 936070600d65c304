//! What a connection will carry.

use super::fractional_sum_difference::FractionalSumDifference;
use super::laws::PackMimeModel;
use crate::{Exchange, ObjectKind};
use aqmlab_random::Key;
use aqmlab_units::Span;

/// An exchange, and how long after the response before it its request is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlannedExchange {
    pub(super) gap: Span,
    pub(super) exchange: Exchange,
}

/// A connection before it is opened.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPlan {
    pub(super) persistent: bool,
    /// What its packets are delayed by, each way, besides what the network takes.
    pub(super) one_way_delay: Option<Span>,
    /// At least one.
    pub(super) exchanges: Vec<PlannedExchange>,
}

/// What comes one connection after the other: each depends on those before it.
#[derive(Clone, Debug)]
pub(super) struct Plans {
    key: Key,
    arrivals: FractionalSumDifference,
    client_side: FractionalSumDifference,
    server_side: FractionalSumDifference,
    requests: FractionalSumDifference,
    /// Connections that begin with a validation, or with a download, come in runs.
    run: Run,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    number: u64,
    validations: bool,
    left: u64,
}

impl Plans {
    pub(super) fn new(key: Key, model: &PackMimeModel) -> Self {
        let [arrivals, client_side, server_side, requests] = model.noises();
        let series = |noise, name: &str| FractionalSumDifference::new(noise, key.named(name));
        Self {
            key,
            arrivals: series(arrivals, "arrivals"),
            client_side: series(client_side, "client side"),
            server_side: series(server_side, "server side"),
            requests: series(requests, "requests"),
            // The first run is one of downloads.
            run: Run { number: 0, validations: true, left: 0 },
        }
    }

    /// The time to the next arrival.
    pub(super) fn gap_between_arrivals(&mut self, model: &PackMimeModel) -> Span {
        model.gap_between_arrivals(self.arrivals.next())
    }

    /// The plan of the next connection, which is number `number`.
    pub(super) fn connection(&mut self, number: u32, model: &PackMimeModel) -> ConnectionPlan {
        let key = self.key.named("connection").indexed(u64::from(number));
        let validation = self.next_of_run(model);
        let request_bytes = model.request_bytes(self.requests.next());
        let first_response = model.first_response_bytes(validation, key.named("first response"));
        let persistent = model.is_persistent(key);
        let pages = if persistent { PackMimeModel::objects_of_pages(key) } else { vec![1] };
        let count: u32 = pages.iter().sum();
        let places =
            (0..).zip(&pages).flat_map(|(page, &objects)| (0..objects).map(move |place| (page, place)));
        let exchanges = (0..).zip(places).map(|(object, (page, place))| {
            let n = u64::from(object);
            let response_bytes = match object {
                0 => first_response,
                _ => model.later_response_bytes(first_response, key, n),
            };
            let exchange = Exchange {
                object,
                page,
                kind: if place == 0 { ObjectKind::TopLevel } else { ObjectKind::Embedded },
                on_persistent_connection: persistent,
                request_bytes,
                response_bytes,
                server_time: model.server_time(key, n),
                server_closes: object + 1 == count,
            };
            let gap = if object == 0 { Span::ZERO } else { model.gap(place == 0, self.key, key, n) };
            PlannedExchange { gap, exchange }
        });
        let exchanges = exchanges.collect();
        ConnectionPlan { persistent, one_way_delay: self.one_way_delay(model), exchanges }
    }

    /// Whether the next connection begins with a validation.
    fn next_of_run(&mut self, model: &PackMimeModel) -> bool {
        let run = &mut self.run;
        if run.left == 0 {
            let validations = !run.validations;
            let left = model.run_length(validations, self.key.named("run").indexed(run.number));
            *run = Run { number: run.number + 1, validations, left };
        }
        run.left -= 1;
        run.validations
    }

    /// Half of what the round trip takes on both sides together: a delay goes with the packets of either
    /// direction.
    fn one_way_delay(&mut self, model: &PackMimeModel) -> Option<Span> {
        // Drawn in any case, so that whether they are used moves no other number.
        let [client, server] = model.round_trip_ms(self.client_side.next(), self.server_side.next());
        model.parameters.round_trip_times.then(|| Span::from_seconds((client + server) / 2e3))
    }
}
