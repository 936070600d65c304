//! A handshake of TLS 1.3 (RFC 8446, RFC 9001) by its lengths alone, and packets that nothing protects: what
//! a simulated connection needs of cryptography is how many bytes it takes and in which order they come.

use quinn_proto::crypto::{
    self, AeadKey, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};
use std::any::Any;
use std::sync::Arc;

/// ClientHello without the header of a record, as long as the one of pages over TCP.
const CLIENT_HELLO: usize = 512;
/// ServerHello with the share of a key, and without the echo of a session.
const SERVER_HELLO: usize = 90;
/// EncryptedExtensions, Certificate, CertificateVerify and Finished: with ServerHello 3,000 bytes, as in
/// pages over TCP.
const SERVER_FLIGHT: usize = 2_910;
/// Finished over a hash of 256 bits.
const FINISHED: usize = 36;
/// What authenticates a packet (RFC 9001 section 5.3).
const TAG: usize = 16;
/// Transport parameters stand behind their length at the beginning of the flight that carries them.
const LENGTH: usize = 2;

/// What a side has said, and heard.
pub(super) struct Session {
    side: Side,
    own: TransportParameters,
    /// What has arrived of the handshake in the present step.
    heard: Vec<u8>,
    peer: Option<TransportParameters>,
    step: Step,
}

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The client says its hello.
    SayHello,
    /// The server waits for that of the client, or the client for that of the server.
    HearHello,
    /// The hello of the other side is there, and is answered.
    AnswerHello,
    /// The server says the rest of its flight.
    SayFlight,
    /// The client waits for the server's flight.
    HearFlight,
    /// The client says that it has finished.
    SayFinished,
    /// The server waits for that.
    HearFinished,
    Done,
}

impl Session {
    fn new(side: Side, own: TransportParameters) -> Self {
        let step = if side.is_client() { Step::SayHello } else { Step::HearHello };
        Self { side, own, heard: Vec::new(), peer: None, step }
    }

    /// A flight of this length, with the transport parameters in it.
    fn say(&self, length: usize, out: &mut Vec<u8>) {
        let from = out.len();
        out.extend([0; LENGTH]);
        self.own.write(out);
        let parameters = u16::try_from(out.len() - from - LENGTH).expect("parameters of some hundred bytes");
        out[from..from + LENGTH].copy_from_slice(&parameters.to_be_bytes());
        out.resize(from + length, 0);
    }

    /// Takes a flight of this length, if all of it is there.
    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        (self.heard.len() >= length).then(|| self.heard.drain(..length).collect())
    }

    /// The transport parameters of the other side.
    fn parameters(&self, flight: &[u8]) -> Result<TransportParameters, TransportError> {
        let length = usize::from(u16::from_be_bytes([flight[0], flight[1]]));
        let mut parameters = &flight[LENGTH..LENGTH + length];
        Ok(TransportParameters::read(self.side, &mut parameters)?)
    }
}

impl crypto::Session for Session {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.step != Step::Done
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.heard.extend(bytes);
        match self.step {
            Step::HearHello if self.side.is_client() => {
                if self.take(SERVER_HELLO).is_some() {
                    self.step = Step::AnswerHello;
                }
            }
            Step::HearHello => {
                if let Some(hello) = self.take(CLIENT_HELLO) {
                    self.peer = Some(self.parameters(&hello)?);
                    self.step = Step::AnswerHello;
                }
            }
            Step::HearFlight => {
                if let Some(flight) = self.take(SERVER_FLIGHT) {
                    self.peer = Some(self.parameters(&flight)?);
                    self.step = Step::SayFinished;
                }
            }
            Step::HearFinished => {
                if self.take(FINISHED).is_some() {
                    self.step = Step::Done;
                }
            }
            Step::SayHello | Step::AnswerHello | Step::SayFlight | Step::SayFinished | Step::Done => {}
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peer)
    }

    fn write_handshake(&mut self, out: &mut Vec<u8>) -> Option<Keys> {
        match (self.step, self.side.is_client()) {
            (Step::SayHello, _) => {
                self.say(CLIENT_HELLO, out);
                self.step = Step::HearHello;
                None
            }
            (Step::AnswerHello, true) => {
                self.step = Step::HearFlight;
                Some(keys())
            }
            (Step::AnswerHello, false) => {
                out.resize(out.len() + SERVER_HELLO, 0);
                self.step = Step::SayFlight;
                Some(keys())
            }
            (Step::SayFlight, _) => {
                self.say(SERVER_FLIGHT, out);
                self.step = Step::HearFinished;
                Some(keys())
            }
            (Step::SayFinished, _) => {
                out.resize(out.len() + FINISHED, 0);
                self.step = Step::Done;
                Some(keys())
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(keys().packet)
    }

    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn export_keying_material(
        &self,
        _: &mut [u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

/// Begins the handshake on either side.
pub(super) struct Handshakes;

impl crypto::ClientConfig for Handshakes {
    fn start_session(
        self: Arc<Self>,
        _: u32,
        _: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn crypto::Session>, ConnectError> {
        Ok(Box::new(Session::new(Side::Client, *parameters)))
    }
}

impl crypto::ServerConfig for Handshakes {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(self: Arc<Self>, _: u32, parameters: &TransportParameters) -> Box<dyn crypto::Session> {
        Box::new(Session::new(Side::Server, *parameters))
    }
}

/// Protects nothing, and takes as many bytes as what does.
struct Unprotected;

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Unprotected), remote: Box::new(Unprotected) },
        packet: KeyPair { local: Box::new(Unprotected), remote: Box::new(Unprotected) },
    }
}

impl PacketKey for Unprotected {
    fn encrypt(&self, _: u64, _: &mut [u8], _: usize) {}

    fn decrypt(&self, _: u64, _: &[u8], payload: &mut bytes::BytesMut) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for Unprotected {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        16
    }
}

/// Tokens of a connection that nobody forges: they repeat what they are made for, inverted, so that a packet
/// of zeros is never one.
pub(super) struct Tokens;

impl HmacKey for Tokens {
    fn sign(&self, data: &[u8], out: &mut [u8]) {
        for (place, byte) in out.iter_mut().enumerate() {
            *byte = !data.get(place % data.len().max(1)).copied().unwrap_or_default();
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let mut own = vec![0; signature.len()];
        self.sign(data, &mut own);
        if own == signature { Ok(()) } else { Err(CryptoError) }
    }
}

impl HandshakeTokenKey for Tokens {
    fn aead_from_hkdf(&self, _: &[u8]) -> Box<dyn AeadKey> {
        Box::new(Self)
    }
}

impl AeadKey for Tokens {
    fn seal(&self, data: &mut Vec<u8>, _: &[u8]) -> Result<(), CryptoError> {
        data.resize(data.len() + TAG, 0);
        Ok(())
    }

    fn open<'a>(&self, data: &'a mut [u8], _: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let length = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&mut data[..length])
    }
}
