//! What users do on average and ask for, for whoever estimates what a run will take.

/// What a user of a model does on average, and the memory that this takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    /// Her record, in bytes.
    pub user_bytes: usize,
    /// Bytes of her plan of a visit or page, on the heap.
    pub plan_bytes: f64,
    /// Connections that she has open at the peak, those that are being closed included; more when a link is
    /// overloaded.
    pub connections: f64,
    /// Connections that she opens per second.
    pub connections_per_second: f64,
    /// Exchanges that she asks for per second.
    pub exchanges_per_second: f64,
    /// Pages that she asks for per second.
    pub pages_per_second: f64,
}

impl Habits {
    /// Of the studies' users, with a record of so many bytes: 0.16 exchanges and 0.10 connections a second
    /// were measured with the defaults of the UNC model; a page and a thought of 15 s take 17.
    pub(crate) const fn of_studies(user_bytes: usize) -> Self {
        Self {
            user_bytes,
            plan_bytes: 96.0,
            connections: 0.3,
            connections_per_second: 0.10,
            exchanges_per_second: 0.16,
            pages_per_second: 0.06,
        }
    }
}

/// What a user asks for, roughly: for whoever bounds the cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Workload {
    /// Exchanges of a page; where connections arrive by themselves, those of `seconds`.
    pub exchanges: f64,
    /// Bytes of an exchange.
    pub exchange_bytes: f64,
    /// Think time between pages in seconds, beside which pages take what the network makes of them.
    pub seconds: f64,
    /// Connections at once at most; none where they arrive by themselves, whatever becomes of those before.
    pub connections: Option<f64>,
}
