//! Where clients reach the service, and which names they may call it by.
//!
//! Never here: listening.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::str::FromStr;

/// The name or address that colleagues use, where it is not the address that the service listens
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicAddress {
    /// A host name, or an address without brackets.
    pub host: String,
    pub port: Option<u16>,
}

impl FromStr for PublicAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (
                host,
                Some(
                    port.parse()
                        .map_err(|_| format!("{port:?} is not a port"))?,
                ),
            ),
            _ => (text, None),
        };
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_ascii_lowercase();
        let is_name = !host.is_empty()
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
        if is_name || host.parse::<Ipv6Addr>().is_ok() {
            return Ok(PublicAddress { host, port });
        }
        Err("write it like HOST or HOST:PORT, without https://".to_owned())
    }
}

impl std::fmt::Display for PublicAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]", self.host)
        } else {
            f.write_str(&self.host)
        }?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// An address that clients on this machine can connect to: a service that listens on all interfaces
/// is reached through loopback.
pub fn local_address(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// `HOST:PORT` that colleagues connect to: the public address, the address that the service listens
/// on, or this machine's own in its network.
pub fn shared_address(listening: SocketAddr, public: Option<&PublicAddress>) -> String {
    if let Some(PublicAddress { host, port }) = public {
        let port = port.unwrap_or(listening.port());
        return if host.contains(':') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        };
    }
    let own = listening
        .ip()
        .is_unspecified()
        .then(network_address)
        .flatten();
    own.map_or_else(
        || local_address(listening),
        |ip| SocketAddr::new(ip, listening.port()),
    )
    .to_string()
}

/// The address of this machine from which it would send to other networks. Nothing is sent:
/// connecting a UDP socket only looks up the route.
fn network_address() -> Option<IpAddr> {
    [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")]
        .into_iter()
        .find_map(|(own, remote)| {
            let socket = UdpSocket::bind(own).ok()?;
            socket.connect(remote).ok()?;
            let ip = socket.local_addr().ok()?.ip();
            (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_is_a_host_with_or_without_a_port() {
        let listening = "0.0.0.0:8484".parse().unwrap();
        for (given, shared) in [
            ("Desk.office", "desk.office:8484"),
            ("desk.office:443", "desk.office:443"),
            ("192.168.1.5", "192.168.1.5:8484"),
            ("[2001:db8::7]:443", "[2001:db8::7]:443"),
            ("2001:db8::7", "[2001:db8::7]:8484"),
        ] {
            let public: PublicAddress = given.parse().unwrap();
            assert_eq!(shared_address(listening, Some(&public)), shared);
            assert_eq!(public.to_string().parse(), Ok(public));
        }
        for wrong in [
            "",
            "https://desk.office",
            "desk.office/api",
            "desk:port",
            "a b",
        ] {
            assert!(wrong.parse::<PublicAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_service_on_one_address_is_shared_under_that_address() {
        let listening = "192.0.2.7:8484".parse().unwrap();
        assert_eq!(shared_address(listening, None), "192.0.2.7:8484");
        let all = shared_address("0.0.0.0:8484".parse().unwrap(), None);
        assert!(
            all.ends_with(":8484") && !all.starts_with("0.0.0.0"),
            "{all}"
        );
    }
}
