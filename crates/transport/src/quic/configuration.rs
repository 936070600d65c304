//! How quinn's state machines are set up: what a real endpoint draws or reads from a clock comes from the
//! connection's key here.

use super::QuicSettings;
use super::handshake::{Handshakes, Tokens};
use aqmlab_random::Key;
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, Endpoint, EndpointConfig, IdleTimeout, ServerConfig,
    TransportConfig, ValidationTokenConfig, VarInt,
};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of UDP payload in a packet: what quinn's discovery finds on a path of Ethernet.
pub(super) const UDP_PAYLOAD: u16 = 1_452;
/// What a receiver admits on a stream and in all, as Chrome does.
pub(super) const STREAM_WINDOW: u32 = 6 << 20;
const CONNECTION_WINDOW: u32 = 15 << 20;
/// Silence after which a connection is given up (RFC 9308 section 3.2), and before which a ping asks.
const GIVES_UP_AFTER: Duration = Duration::from_secs(30);
const PINGS_AFTER: Duration = Duration::from_secs(15);
const IDENTIFIER_BYTES: usize = 8;

/// An endpoint for one connection, and what its client is opened with.
pub(super) fn endpoint(key: Key, settings: QuicSettings, is_server: bool) -> (Endpoint, ClientConfig) {
    let transport = Arc::new(transport(settings));
    let mut endpoint = EndpointConfig::new(Arc::new(Tokens));
    endpoint.rng_seed(Some(seed(key.named("random numbers"))));
    let identifiers = key.named("connection identifiers");
    endpoint.cid_generator(move || Box::new(Identifiers { key: identifiers, given: 0 }));
    let server = is_server.then(|| {
        let mut server = ServerConfig::new(Arc::new(Handshakes), Arc::new(Tokens));
        let mut tokens = ValidationTokenConfig::default();
        tokens.sent(0);
        server.transport_config(Arc::clone(&transport)).validation_token_config(tokens).migration(false);
        Arc::new(server)
    });
    let mut client = ClientConfig::new(Arc::new(Handshakes));
    let first = key.named("first destination");
    client.initial_dst_cid_provider(Arc::new(move || Identifiers { key: first, given: 0 }.generate_cid()));
    client.transport_config(transport);
    (Endpoint::new(Arc::new(endpoint), server, false, None), client)
}

fn transport(settings: QuicSettings) -> TransportConfig {
    let mut transport = TransportConfig::default();
    let idle = IdleTimeout::try_from(GIVES_UP_AFTER).expect("half a minute");
    transport
        .initial_mtu(UDP_PAYLOAD)
        .min_mtu(UDP_PAYLOAD)
        .mtu_discovery_config(None)
        .stream_receive_window(VarInt::from_u32(STREAM_WINDOW))
        .receive_window(VarInt::from_u32(CONNECTION_WINDOW))
        .max_idle_timeout(Some(idle))
        .keep_alive_interval(Some(PINGS_AFTER))
        .datagram_receive_buffer_size(None)
        .enable_segmentation_offload(false)
        .congestion_controller_factory(controllers(settings.congestion));
    transport
}

fn controllers(name: &str) -> Arc<dyn ControllerFactory + Send + Sync> {
    match name {
        "reno" => Arc::new(NewRenoConfig::default()),
        _ => Arc::new(CubicConfig::default()),
    }
}

/// Thirty-two bytes of a key.
fn seed(key: Key) -> [u8; 32] {
    let mut seed = [0; 32];
    for (number, bytes) in (0..).zip(seed.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&key.bits(number).to_le_bytes());
    }
    seed
}

/// Identifiers of an end, one after the other.
struct Identifiers {
    key: Key,
    given: u64,
}

impl ConnectionIdGenerator for Identifiers {
    fn generate_cid(&mut self) -> ConnectionId {
        self.given += 1;
        ConnectionId::new(&self.key.bits(self.given).to_le_bytes())
    }

    fn cid_len(&self) -> usize {
        IDENTIFIER_BYTES
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}
