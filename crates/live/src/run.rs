//! A live run: two namespaces, a router, applications.

use crate::addresses::Half;
use crate::audit::{Audit, Findings, stolen_ms};
use crate::clock::Clock;
use crate::devices::{Backend, Device};
use crate::error::LiveError;
use crate::hosts::{self, HostSettings};
use crate::kernel_counts::KernelCounts;
use crate::output::{Output, gather};
use crate::packet::headers::MTU;
use crate::program::{self, Program, Ran, Running};
use crate::router::capture::CapturedPorts;
use crate::router::connections::{Connections, Registration};
use crate::router::log::Log;
use crate::router::network::Network;
use crate::router::thread::{Devices, Routed};
use crate::scheduling::{self, Role};
use crate::traffic::sockets::ServerSockets;
use crate::traffic::thread::{Traffic, Work};
use crate::{kernel_queue, namespace, router, traffic};
use aqmlab_driver::{Control, deviations, measured_window};
use aqmlab_scenario::{Document, Link, Scenario, StartRule, UserModel};
use aqmlab_units::Span;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// From the last thing that is set up to the start of the run.
const LEAD: Span = Span::from_milliseconds(50);

/// The transport that the kernel has, as scenarios name it.
const TCP: &str = "tcp";

/// How a live run is made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the kernel's TCP is set.
    pub hosts: HostSettings,
    /// How packets come to the router.
    pub backend: Backend,
    /// Whether the queues of the monitored links are the kernel's.
    pub kernel_queues: bool,
    /// Whether to keep what happens at queues.
    pub log: bool,
    /// The ports whose packets are to be kept.
    pub captured: CapturedPorts,
    /// A program of the user's own.
    pub program: Option<Program>,
}

impl Settings {
    /// These hosts over this backend, and nothing beside.
    #[must_use]
    pub fn of(hosts: HostSettings, backend: Backend) -> Self {
        Self {
            hosts,
            backend,
            kernel_queues: false,
            log: false,
            captured: CapturedPorts::default(),
            program: None,
        }
    }
}

/// What can be run live, and what cannot.
///
/// # Errors
/// [`LiveError::Unsupported`] with what the scenario asks for and only the simulator has.
pub fn check(scenario: &Scenario, settings: &Settings) -> Result<(), LiveError> {
    let refuse = |what: &str| Err(LiveError::Unsupported(what.to_owned()));
    check_users(scenario)?;
    if scenario.end_after.is_some() {
        return refuse("end_after: a live run ends at duration_s");
    }
    if scenario.shaper_follower.is_some() && (settings.kernel_queues || settings.log) {
        return refuse(
            "cake_autorate: no replay has a shaper that follows the line, nor have the kernel's queues",
        );
    }
    let has_no_queue = |link: &&Link| link.queue.is_none() || link.rate.is_none();
    let varies = |link: &&Link| link.delay_model.is_some();
    if let Some(Link { name, .. }) = scenario.network.links.iter().filter(varies).find(has_no_queue) {
        return refuse(&format!(
            "{name}: in a live run the delay of links without a queue does not vary; legal: a rate_mbps and a queue, or \
             delay_ms alone"
        ));
    }
    if let Some(link) = scenario.network.links.iter().find(|link| link.impairment.is_some()) {
        let name = &link.name;
        return refuse(&format!(
            "{name}: a live run has no impaired links; take drop, loss_probability, losses over time, ecn_field, and \
             gilbert_elliott and duplicate_probability of netem out"
        ));
    }
    if scenario.connection_groups().any(|group| group.delay_box.is_some()) {
        return refuse("a live run has no delay_box");
    }
    if let Some(group) = scenario.datagrams.iter().find(|group| usize::from(group.packet_bytes) > MTU) {
        let bytes = group.packet_bytes;
        return refuse(&format!("packet_bytes = {bytes}: a live run has an MTU of {MTU} bytes"));
    }
    let record = &scenario.record;
    for (asked, key) in [(record.flows, "flows"), (record.users, "users"), (record.packets, "packets")] {
        if asked {
            return refuse(&format!("record.{key}: a live run does not keep it"));
        }
    }
    if settings.kernel_queues {
        if settings.log {
            return refuse("a replay: the kernel's queue disciplines are not those that a replay has");
        }
        if let Some(why) = kernel_queue::refusal(scenario) {
            return refuse(&why);
        }
    }
    hosts::refuse_foreign_controllers(scenario)?;
    hosts::ecn(scenario)?;
    if let Some(program) = &settings.program {
        program.added_delay(scenario)?;
    }
    settings.hosts.check()
}

/// What of users and their connections the kernel has no counterpart of.
fn check_users(scenario: &Scenario) -> Result<(), LiveError> {
    let refuse = |what: &str| Err(LiveError::Unsupported(what.to_owned()));
    if scenario.populations.iter().any(|population| population.start == StartRule::Stationary) {
        return refuse(
            "users.start = \"stationary\": the kernel has no connections that were open before the run; take \"steady\" \
             or \"fresh\"",
        );
    }
    if scenario.populations.iter().any(aqmlab_scenario::Population::sends_one_way) {
        return refuse(
            "users.profile = \"ns2-oneway\": the kernel's connections carry data both ways; take \"ns2-full\"",
        );
    }
    if let Some((table, name)) = other_transport(scenario.document()) {
        return refuse(&format!(
            "{table}.transport = \"{name}\": a live run has the kernel's TCP alone; legal: \"{TCP}\""
        ));
    }
    let own = |population: &&aqmlab_scenario::Population| matches!(population.model, UserModel::Own(_));
    if let Some(population) = scenario.populations.iter().find(own) {
        return refuse(&format!(
            "model = \"{}\": a live run has no traffic models in files; take a built-in model, such as \"pages\"",
            population.model.name()
        ));
    }
    let ticks = |population: &aqmlab_scenario::Population| population.minimum_delay.clock_tick.is_some();
    if scenario.populations.iter().any(ticks) {
        return refuse("clock_hz: a live run delays packets exactly");
    }
    Ok(())
}

/// The first table of a document whose transport is not TCP, and that transport.
fn other_transport(document: &Document) -> Option<(String, &str)> {
    let users = document.users.iter().map(|table| ("users".to_owned(), table.transport.as_str()));
    let populations = document.populations.iter().enumerate();
    let populations = populations.map(|(place, table)| (format!("populations.{place}"), &*table.transport));
    let flows = document.flows.iter().enumerate();
    let flows = flows.map(|(place, table)| (format!("flows.{place}"), &*table.transport));
    users.chain(populations).chain(flows).find(|(_, transport)| *transport != TCP)
}

/// Makes what a run needs of the kernel, namespace, device and settings, and lets it go again.
///
/// # Errors
/// [`LiveError`]: what the kernel refuses.
pub fn probe(hosts: HostSettings, backend: Backend) -> Result<(), LiveError> {
    hosts.check()?;
    let made = thread::spawn(move || {
        let device = namespace::enter(Half::Passive, hosts, true, backend)?;
        let servers = ServerSockets::open(hosts)?;
        drop((device, servers));
        Ok(())
    });
    made.join().map_err(|_| panicked())?
}

/// Runs a scenario in real time.
///
/// The process should have nothing else to do: the run starts a session of its own and takes the processor
/// before others.
///
/// # Errors
/// [`LiveError`].
pub fn run(
    scenario: &Scenario,
    seed: u64,
    settings: &Settings,
    control: &Control,
) -> Result<Output, LiveError> {
    check(scenario, settings)?;
    let scenario = &*deviations::of_run(scenario, seed);
    let ecn = hosts::ecn(scenario)?;
    let process = scheduling::of_process();
    let stolen = stolen_ms();
    let (register, registrations) = channel();
    let (to_traffic, from_router) = channel();
    let (to_router, from_traffic) = channel();
    let (routed, traffic) = thread::scope(|threads| {
        // What one thread owns ends with it, and so tells the other.
        let router = threads.spawn(move || {
            let shared = Shared { scenario, seed, settings, ecn, control };
            let done = route(&shared, registrations, &to_traffic, &from_traffic);
            stop_unless(done.is_ok(), control);
            done
        });
        let traffic = threads.spawn(move || {
            let shared = Shared { scenario, seed, settings, ecn, control };
            let done = live(&shared, register, &to_router, &from_router);
            stop_unless(done.is_ok(), control);
            done
        });
        (router.join(), traffic.join())
    });
    let (routed, traffic) = first_reason(routed.map_err(|_| panicked())?, traffic.map_err(|_| panicked())?)?;
    let (routed, Aside { hurry, server_exit_code }) = routed;
    let (traffic, Lived { hurry: also, ran }) = traffic;
    let packets = routed.network.guests;
    let program = ran.map(|ran| Ran { server_exit_code, packets, ..ran });
    let found =
        findings(&routed, &traffic, settings, ecn, (format!("{}{hurry}; {also}", process.had), stolen));
    gather(routed, traffic, (settings.hosts, Audit { program, ..Audit::of(found) }), scenario, seed)
}

fn panicked() -> LiveError {
    LiveError::Run("a thread of the live run panicked (a bug)".to_owned())
}

/// What both threads know.
struct Shared<'a> {
    scenario: &'a Scenario,
    seed: u64,
    settings: &'a Settings,
    ecn: bool,
    control: &'a Control,
}

/// When one thread fails the other has nothing to wait for.
fn stop_unless(is_well: bool, control: &Control) {
    if !is_well {
        control.cancel();
    }
}

/// What went wrong first: a thread that was cancelled because the other failed is not the reason.
fn first_reason<A, B>(a: Result<A, LiveError>, b: Result<B, LiveError>) -> Result<(A, B), LiveError> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(LiveError::Cancelled), Err(reason)) | (Err(reason), _) | (_, Err(reason)) => Err(reason),
    }
}

/// What the router's thread says beside what it routed.
struct Aside {
    /// How it was scheduled.
    hurry: String,
    /// The exit code of the program's server, if it ended before the run.
    server_exit_code: Option<i32>,
}

/// What the applications' thread says beside what they did.
struct Lived {
    hurry: String,
    /// What became of a program of the user's own.
    ran: Option<Ran>,
}

fn gone<T>(_: T) -> LiveError {
    LiveError::Cancelled
}

/// The router's thread, which lives in the namespace of those who answer.
fn route(
    shared: &Shared<'_>,
    registrations: Receiver<Registration>,
    to_traffic: &Sender<(ServerSockets, Clock)>,
    from_traffic: &Receiver<Device>,
) -> Result<(Routed, Aside), LiveError> {
    let &Shared { scenario, seed, settings, ecn, control } = shared;
    let passive = namespace::enter(Half::Passive, settings.hosts, ecn, settings.backend)?;
    let servers = ServerSockets::open(settings.hosts)?;
    let active = from_traffic.recv().map_err(gone)?;
    let window = measured_window(scenario);
    let mut connections = Connections::new(scenario, seed, registrations, settings.hosts.least_timeout());
    let mut server = match &settings.program {
        Some(program) => {
            connections.guest_delay = program.added_delay(scenario)?;
            Running::start(&program.server, Stdio::null())?
        }
        None => None,
    };
    let hurry = scheduling::hurry_thread(Role::Router);
    let log = Log::new(settings.log, &settings.captured);
    let mut network = Network::new(scenario, window, seed, connections, log);
    if settings.kernel_queues {
        network.take_kernel_queues(scenario)?;
    }
    let clock = Clock::starting_in(LEAD);
    to_traffic.send((servers, clock)).map_err(gone)?;
    let devices = Devices { active, passive, backend: settings.backend };
    let routed = router::thread::run(network, devices, (clock, window, scenario), control)?;
    Ok((routed, Aside { hurry, server_exit_code: server.as_mut().and_then(Running::exit_code) }))
}

/// The applications' thread, which lives in the namespace of those who open connections.
fn live(
    shared: &Shared<'_>,
    register: Sender<Registration>,
    to_router: &Sender<Device>,
    from_router: &Receiver<(ServerSockets, Clock)>,
) -> Result<(Traffic, Lived), LiveError> {
    let &Shared { scenario, seed, settings, ecn, control } = shared;
    let active = namespace::enter(Half::Active, settings.hosts, ecn, settings.backend)?;
    to_router.send(active).map_err(gone)?;
    let (servers, clock) = from_router.recv().map_err(gone)?;
    thread::scope(|threads| {
        // It begins in the namespace of this thread, and before this thread goes before others.
        let program = settings.program.as_ref().map(|program| {
            threads.spawn(move || {
                let ran = program::run(program, scenario, clock, control);
                stop_unless(ran.is_ok(), control);
                ran
            })
        });
        let hurry = scheduling::hurry_thread(Role::Applications);
        let &Settings { hosts, backend, .. } = settings;
        let work = Work { scenario, seed, settings: hosts, backend, clock, control };
        let traffic = traffic::thread::run(work, servers, register);
        stop_unless(traffic.is_ok(), control);
        let ran = program.map(|program| program.join().map_err(|_| panicked())?).transpose();
        let (traffic, ran) = first_reason(traffic, ran)?;
        Ok((traffic, Lived { hurry, ran }))
    })
}

fn findings(
    routed: &Routed,
    traffic: &Traffic,
    settings: &Settings,
    ecn: bool,
    (scheduling, stolen): (String, u64),
) -> Findings {
    let [before, after] = &traffic.edges;
    let kernel = KernelCounts::since([after.kernel, routed.kernel[1]], [before.kernel, routed.kernel[0]]);
    let network = &routed.network;
    Findings {
        lateness: routed.lateness.clone(),
        probes: traffic.probes.clone(),
        stolen_ms: stolen_ms() - stolen,
        device_drops: routed.device_drops + traffic.device_drops,
        write_errors: routed.write_errors,
        refused_openings: traffic.totals.refused,
        listen_overflows: kernel.listen_overflows,
        checksum_errors: kernel.checksum_errors,
        refused: network.balance.refused,
        unregistered: network.connections.unregistered,
        scheduling,
        hosts: settings.hosts,
        backend: settings.backend,
        ecn,
        seen: network.connections.hosts,
        kernel_queues: routed.kernel_queues.clone(),
    }
}
