//! Balancers and proxies in front of the service: which of them are believed about the address of a
//! client.
//!
//! A proxy adds the address that it sees at the end of `X-Forwarded-For`; whatever precedes it may
//! be invented by the client. So the header is read from its end, and only as far as its writers
//! are trusted.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::HeaderMap;

/// The header in which a proxy passes on the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// An address, or all addresses with the same first bits (`10.0.0.0/8`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    first: IpAddr,
    bits: u32,
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, bits) = text
            .split_once('/')
            .map_or((text, None), |(address, bits)| (address, Some(bits)));
        let expected = || format!("{text:?} is not an IP address or a range such as 10.0.0.0/8");
        let first: IpAddr = address.parse().map_err(|_| expected())?;
        let all = if first.is_ipv4() { 32 } else { 128 };
        let bits = bits
            .map_or(Some(all), |bits| bits.parse().ok())
            .filter(|bits| *bits <= all)
            .ok_or_else(expected)?;
        Ok(AddressRange { first, bits })
    }
}

impl AddressRange {
    fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.bits
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                (first.to_bits() ^ address.to_bits()).leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

/// The proxies that are believed.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<AddressRange>);

impl TrustedProxies {
    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.contains(address))
    }

    /// The address of the client of a request: that of its connection or, if that is a trusted
    /// proxy's, the last address in `X-Forwarded-For` that is not.
    pub fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let values = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .map(|value| value.to_str().unwrap_or_default());
        let mut forwarded: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
        while self.trusts(client)
            && let Some(address) = forwarded
                .pop()
                .and_then(|text| text.trim().parse::<IpAddr>().ok())
        {
            client = address.to_canonical();
        }
        client
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(ranges: &[&str]) -> TrustedProxies {
        TrustedProxies(ranges.iter().map(|range| range.parse().unwrap()).collect())
    }

    fn client(trusted: &TrustedProxies, peer: &str, headers: &[&str]) -> String {
        let headers = headers
            .iter()
            .map(|value| (FORWARDED_FOR.parse().unwrap(), value.parse().unwrap()))
            .collect();
        trusted
            .client_address(peer.parse().unwrap(), &headers)
            .to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed_and_only_about_the_address_that_it_sees() {
        let trusted = proxies(&["10.0.0.5", "192.168.0.0/16", "fd00::/8"]);
        for (peer, headers, expected) in [
            ("10.0.0.6", &["203.0.113.7"][..], "10.0.0.6"),
            ("10.0.0.5", &[], "10.0.0.5"),
            ("10.0.0.5", &["203.0.113.7"], "203.0.113.7"),
            ("10.0.0.5", &["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
            (
                "10.0.0.5",
                &["198.51.100.1, 203.0.113.7, 192.168.3.4"],
                "203.0.113.7",
            ),
            ("10.0.0.5", &["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
            ("10.0.0.5", &["203.0.113.7, unknown"], "10.0.0.5"),
            (
                "10.0.0.5",
                &["203.0.113.7, unknown, 192.168.3.4"],
                "192.168.3.4",
            ),
            ("::ffff:10.0.0.5", &["2001:db8::7"], "2001:db8::7"),
            ("fd12::1", &["::ffff:203.0.113.7"], "203.0.113.7"),
        ] {
            assert_eq!(
                client(&trusted, peer, headers),
                expected,
                "{peer} {headers:?}"
            );
        }
        assert_eq!(
            client(&proxies(&[]), "10.0.0.5", &["203.0.113.7"]),
            "10.0.0.5"
        );
        assert_eq!(
            client(&proxies(&["0.0.0.0/0"]), "10.0.0.5", &["203.0.113.7"]),
            "203.0.113.7"
        );
    }

    #[test]
    fn what_is_not_an_address_or_a_range_is_rejected() {
        for text in [
            "",
            "desk.example",
            "10.0.0.5:80",
            "10.0.0.0/33",
            "10.0.0.0/",
            "fd00::/129",
            "10.0.0.0/-1",
        ] {
            let error = text.parse::<AddressRange>().unwrap_err();
            assert!(error.contains("is not an IP address or a range"), "{error}");
        }
    }
}
