//! The users of a population, whatever their model.

use crate::models::mah::{MahModel, MahParameters, MahUser};
use crate::models::packmime::{PackMimeCloud, PackMimeModel, PackMimeParameters};
use crate::models::pages::{PagesModel, PagesParameters, PagesUser};
use crate::models::tmix::{ConnectionVector, TmixModel, TmixParameters, TmixReplay};
use crate::models::unc::{UncModel, UncParameters, User};
use crate::models::webtraf::{WebtrafModel, WebtrafParameters, WebtrafSession};
use crate::{Command, ConnectionOrdinal, Exchange, LoadFile, ModelError, ParameterError, StartRule, Tls};
use aqmlab_random::Key;
use aqmlab_units::Time;

/// Something that happens to a user, as her driver reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UserEvent {
    /// Her life begins, at [`Time::ZERO`].
    Start(StartRule),
    /// Her think time is over.
    Wake,
    /// A connection that she asked for is established.
    Connected(ConnectionOrdinal),
    /// The response on a connection is complete: its last byte is there or, where the servers close
    /// ([`Population::servers_close`]), the server's close.
    Response(ConnectionOrdinal),
    /// The response with this object is complete, of the several that may be under way on a connection
    /// ([`Population::multiplexes`]).
    Object(ConnectionOrdinal, u32),
    /// A connection gave up.
    Failed(ConnectionOrdinal),
}

/// One user, of whatever model: for a driver that wants her record in its cache before her next event.
#[derive(Clone, Copy, Debug)]
pub enum UserRef<'a> {
    /// Of the UNC model.
    Unc(&'a User),
    /// Of Mah's model.
    Mah(&'a MahUser),
    /// Of today's pages.
    Pages(&'a PagesUser),
    /// A cloud of PackMime's clients.
    PackMime(&'a PackMimeCloud),
    /// A session of Webtraf.
    Webtraf(&'a WebtrafSession),
    /// A copy of a file of connection vectors.
    Tmix(&'a TmixReplay),
}

/// All users of a population with the model that they share.
#[derive(Clone, Debug)]
pub struct Population {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Unc(Box<UncModel>, Vec<User>),
    Mah(Box<MahModel>, Vec<MahUser>),
    Pages(Box<PagesModel>, Vec<PagesUser>),
    PackMime(Box<PackMimeModel>, Vec<PackMimeCloud>),
    Webtraf(Box<WebtrafModel>, Vec<WebtrafSession>),
    Tmix(Box<TmixModel>, Vec<TmixReplay>),
}

impl Population {
    /// `count` users of the UNC model; user i has the key `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`UncModel::new`].
    pub fn unc(
        parameters: &UncParameters,
        count: u32,
        key: Key,
        load_file: &LoadFile<'_>,
    ) -> Result<Self, ModelError> {
        let model = UncModel::new(parameters, load_file)?;
        let users = (0..count).map(|user| User::new(key.indexed(u64::from(user)), &model)).collect();
        Ok(Self { kind: Kind::Unc(Box::new(model), users) })
    }

    /// `count` users of Mah's model; user i has the key `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`MahModel::new`].
    pub fn mah(
        parameters: &MahParameters,
        count: u32,
        key: Key,
        load_file: &LoadFile<'_>,
    ) -> Result<Self, ModelError> {
        let model = MahModel::new(parameters, load_file)?;
        let users = (0..count).map(|user| MahUser::new(key.indexed(u64::from(user)), &model)).collect();
        Ok(Self { kind: Kind::Mah(Box::new(model), users) })
    }

    /// `count` users of today's pages; user i has the key `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`PagesModel::new`].
    pub fn pages(
        parameters: &PagesParameters,
        count: u32,
        key: Key,
        load_file: &LoadFile<'_>,
    ) -> Result<Self, ModelError> {
        let model = PagesModel::new(parameters, load_file)?;
        let users = (0..count).map(|user| PagesUser::new(key.indexed(u64::from(user)))).collect();
        Ok(Self { kind: Kind::Pages(Box::new(model), users) })
    }

    /// `count` clouds of PackMime's clients, each with the model's rate of connections; cloud i has the key
    /// `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`PackMimeModel::new`].
    pub fn packmime(
        parameters: &PackMimeParameters,
        count: u32,
        key: Key,
        load_file: &LoadFile<'_>,
    ) -> Result<Self, ModelError> {
        let model = PackMimeModel::new(parameters, load_file)?;
        let clouds =
            (0..count).map(|cloud| PackMimeCloud::new(key.indexed(u64::from(cloud)), &model)).collect();
        Ok(Self { kind: Kind::PackMime(Box::new(model), clouds) })
    }

    /// `count` sessions of Webtraf; session i has the key `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`WebtrafModel::new`].
    pub fn webtraf(parameters: &WebtrafParameters, count: u32, key: Key) -> Result<Self, ParameterError> {
        let model = WebtrafModel::new(parameters)?;
        let sessions =
            (0..count).map(|session| WebtrafSession::new(key.indexed(u64::from(session)))).collect();
        Ok(Self { kind: Kind::Webtraf(Box::new(model), sessions) })
    }

    /// `count` copies of a file of connection vectors; copy i has the key `key.indexed(i)`.
    ///
    /// # Errors
    /// As of [`TmixModel::new`].
    pub fn tmix(
        parameters: &TmixParameters,
        count: u32,
        key: Key,
        load_file: &LoadFile<'_>,
    ) -> Result<Self, ModelError> {
        let model = TmixModel::new(parameters, load_file)?;
        let copies =
            (0..count).map(|copy| TmixReplay::new(key.indexed(u64::from(copy)), copy, &model)).collect();
        Ok(Self { kind: Kind::Tmix(Box::new(model), copies) })
    }

    /// The user with this number, if there is one.
    #[must_use]
    #[inline]
    pub fn user(&self, user: u32) -> Option<UserRef<'_>> {
        match &self.kind {
            Kind::Unc(_, users) => users.get(user as usize).map(UserRef::Unc),
            Kind::Mah(_, users) => users.get(user as usize).map(UserRef::Mah),
            Kind::Pages(_, users) => users.get(user as usize).map(UserRef::Pages),
            Kind::PackMime(_, clouds) => clouds.get(user as usize).map(UserRef::PackMime),
            Kind::Webtraf(_, sessions) => sessions.get(user as usize).map(UserRef::Webtraf),
            Kind::Tmix(_, copies) => copies.get(user as usize).map(UserRef::Tmix),
        }
    }

    /// How many users there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Unc(_, users) => users.len(),
            Kind::Mah(_, users) => users.len(),
            Kind::Pages(_, users) => users.len(),
            Kind::PackMime(_, clouds) => clouds.len(),
            Kind::Webtraf(_, sessions) => sessions.len(),
            Kind::Tmix(_, copies) => copies.len(),
        }
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the servers of these users close a connection once they have written the response, and a
    /// response is complete only then.
    #[must_use]
    pub const fn servers_close(&self) -> bool {
        matches!(self.kind, Kind::Mah(..))
    }

    /// The handshake behind the opening of each connection, if several requests may be under way on it, whose
    /// responses are told by their objects ([`UserEvent::Object`]); else there is no handshake.
    #[must_use]
    pub const fn multiplexes(&self) -> Option<Tls> {
        match &self.kind {
            Kind::Pages(model, _) => Some(model.tls()),
            Kind::Unc(..) | Kind::Mah(..) | Kind::PackMime(..) | Kind::Webtraf(..) | Kind::Tmix(..) => None,
        }
    }

    /// What the two ends of a connection write, where a file says so: then the driver has them do it, and
    /// reports nothing of it.
    #[must_use]
    #[inline]
    pub fn vector(&self, connection: ConnectionOrdinal) -> Option<&ConnectionVector> {
        match &self.kind {
            Kind::Tmix(model, _) => Some(model.vector(connection.number())),
            Kind::Unc(..) | Kind::Mah(..) | Kind::Pages(..) | Kind::PackMime(..) | Kind::Webtraf(..) => None,
        }
    }

    /// Whether users wait for pages; connections of a cloud and of a file are nobody's pages.
    #[must_use]
    pub const fn waits_for_pages(&self) -> bool {
        !matches!(self.kind, Kind::PackMime(..) | Kind::Tmix(..))
    }

    /// Whether no response of the next page of a user, who is thinking, takes long.
    ///
    /// # Panics
    /// If there is no such user, or she is not thinking.
    #[must_use]
    pub fn next_page_is_light(&self, user: u32) -> bool {
        match &self.kind {
            Kind::Unc(model, users) => users[user as usize].next_page_is_light(model),
            Kind::Mah(model, users) => users[user as usize].next_page_is_light(model),
            Kind::Pages(model, users) => users[user as usize].next_page_is_light(model),
            Kind::PackMime(..) | Kind::Webtraf(..) | Kind::Tmix(..) => false,
        }
    }

    /// Lets the next page of a user, who is thinking, pass without an exchange: she thinks from `end` on.
    /// Connections that stay open behind the page are opened, and are open at once; those that end with it
    /// are closed.
    ///
    /// # Panics
    /// If there is no such user, or she is not thinking.
    pub fn pass_over_page(&mut self, user: u32, end: Time, out: &mut Vec<Command>) {
        match &mut self.kind {
            Kind::Unc(model, users) => users[user as usize].pass_over_page(end, model, out),
            Kind::Mah(model, users) => users[user as usize].pass_over_page(end, model, out),
            Kind::Pages(model, users) => users[user as usize].pass_over_page(end, model, out),
            Kind::PackMime(..) | Kind::Webtraf(..) | Kind::Tmix(..) => {
                panic!("no page of this model is light")
            }
        }
    }

    /// Hands a user an event; her commands are appended to `out`. Answers with the exchange that failed, if
    /// one did.
    ///
    /// # Panics
    /// If there is no such user, or the event cannot be: see [`User`], [`MahUser`], [`PagesUser`],
    /// [`PackMimeCloud`], [`WebtrafSession`] and [`TmixReplay`].
    #[inline]
    pub fn handle(
        &mut self,
        user: u32,
        event: UserEvent,
        now: Time,
        out: &mut Vec<Command>,
    ) -> Option<Exchange> {
        // All models have users with these methods, and nothing else in common that a trait could hold; they
        // differ in how they hear of a response.
        macro_rules! handle {
            ($user:expr, $model:expr, $response:pat => $answer:expr) => {
                match event {
                    UserEvent::Start(start) => $user.start($model, start, out),
                    UserEvent::Wake => $user.on_wake(now, $model, out),
                    UserEvent::Connected(connection) => $user.on_connected(now, connection, $model, out),
                    $response => $answer,
                    UserEvent::Failed(connection) => return $user.on_failed(now, connection, $model, out),
                    _ => panic!("{event:?} is no event of this model's users"),
                }
            };
        }
        match &mut self.kind {
            Kind::Unc(model, users) => {
                let user = &mut users[user as usize];
                handle!(user, model, UserEvent::Response(connection) => {
                    user.on_response(now, connection, model, out);
                });
            }
            Kind::Mah(model, users) => {
                let user = &mut users[user as usize];
                handle!(user, model, UserEvent::Response(connection) => {
                    user.on_response(now, connection, model, out);
                });
            }
            Kind::Pages(model, users) => {
                let user = &mut users[user as usize];
                handle!(user, model, UserEvent::Object(connection, object) => {
                    user.on_object(now, connection, object, model, out);
                });
            }
            Kind::PackMime(model, clouds) => {
                return tell_cloud(&mut clouds[user as usize], model, event, now, out);
            }
            Kind::Webtraf(model, sessions) => {
                return tell_session(&mut sessions[user as usize], model, event, now, out);
            }
            Kind::Tmix(model, copies) => tell_copy(&mut copies[user as usize], model, event, now, out),
        }
        None
    }
}

/// Hands a cloud an event: its connections arrive by themselves, so that it does not look at the time of
/// some.
fn tell_cloud(
    cloud: &mut PackMimeCloud,
    model: &PackMimeModel,
    event: UserEvent,
    now: Time,
    out: &mut Vec<Command>,
) -> Option<Exchange> {
    match event {
        UserEvent::Start(_) => cloud.start(model, out),
        UserEvent::Wake => cloud.on_wake(now, model, out),
        UserEvent::Connected(connection) => cloud.on_connected(connection, out),
        UserEvent::Response(connection) => cloud.on_response(now, connection, out),
        UserEvent::Failed(connection) => return cloud.on_failed(connection),
        UserEvent::Object(..) => panic!("{event:?} is no event of this model's clouds"),
    }
    None
}

/// Hands a session of Webtraf an event.
fn tell_session(
    session: &mut WebtrafSession,
    model: &WebtrafModel,
    event: UserEvent,
    now: Time,
    out: &mut Vec<Command>,
) -> Option<Exchange> {
    match event {
        UserEvent::Start(start) => session.start(model, start, out),
        UserEvent::Wake => session.on_wake(now, model, out),
        UserEvent::Connected(connection) => session.on_connected(connection, model, out),
        UserEvent::Response(connection) => session.on_response(now, connection, model, out),
        UserEvent::Failed(connection) => return session.on_failed(now, connection, model, out),
        UserEvent::Object(..) => panic!("{event:?} is no event of this model's sessions"),
    }
    None
}

/// Hands a copy of a file of connections an event: what becomes of a connection is the replay's own.
fn tell_copy(copy: &mut TmixReplay, model: &TmixModel, event: UserEvent, now: Time, out: &mut Vec<Command>) {
    match event {
        UserEvent::Start(_) => copy.start(out),
        UserEvent::Wake => copy.on_wake(now, model, out),
        _ => panic!("{event:?} is no event of a copy of a file"),
    }
}
