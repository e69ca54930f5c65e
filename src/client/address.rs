//! Service addresses: normalization, and which addresses may receive a token.

use reqwest::Url;

use crate::domain::request_error::RequestError;

/// The version segment that every address ends in (interface: Versioning).
const API_PATH: &str = "/api/v1";

/// A service's address, up to and with `/api/v1`, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Parses an address as a person types it, with or without a trailing slash; a bare host gets
    /// `/api/v1`.
    ///
    /// # Errors
    /// [`RequestErrorKind::NotSent`](crate::domain::request_error::RequestErrorKind::NotSent) with
    /// the reason: not an address, neither https nor loopback, a user or password in it, or a path
    /// that does not end in `/api/v1`.
    pub fn parse(text: &str) -> Result<BaseUrl, RequestError> {
        let text = text.trim();
        let refuse = |why: String| Err(RequestError::new_not_sent(why));
        let Ok(mut url) = Url::parse(text) else {
            return refuse(format!(
                "the address {text:?} is not a URL; write it like https://HOST/api/v1"
            ));
        };
        let Some(host) = url
            .host_str()
            .filter(|host| !host.is_empty())
            .map(str::to_owned)
        else {
            return refuse(format!(
                "the address {text:?} has no host; write it like https://HOST/api/v1"
            ));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("remove the user and password from the address; gantry signs in with the token only".to_owned());
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => {
                return refuse(format!(
                    "http would expose the token to the network; use https://{host} (http works only on this machine)"
                ));
            }
            other => {
                return refuse(format!(
                    "addresses with {other}: are not supported; write it like https://HOST/api/v1"
                ));
            }
        }
        url.set_query(None);
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/').to_owned();
        match path.as_str() {
            "" => url.set_path(API_PATH),
            path if path.ends_with(API_PATH) => url.set_path(path),
            path => {
                return refuse(format!(
                    "the path {path} does not end in {API_PATH}; is it {}{API_PATH}?",
                    url.origin().ascii_serialization()
                ));
            }
        }
        Ok(BaseUrl(url))
    }

    /// The URL of a route; `path` starts with a slash.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path()));
        url
    }

    /// Host and port, for messages.
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str())
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_is_optional_and_a_bare_host_gets_the_api_path() {
        for (given, kept) in [
            (
                "https://signals.example/api/v1",
                "https://signals.example/api/v1",
            ),
            (
                "https://signals.example/api/v1/",
                "https://signals.example/api/v1",
            ),
            (
                " https://signals.example ",
                "https://signals.example/api/v1",
            ),
            (
                "https://signals.example/desk/api/v1//",
                "https://signals.example/desk/api/v1",
            ),
            (
                "http://127.0.0.1:8484/api/v1?x=1#y",
                "http://127.0.0.1:8484/api/v1",
            ),
            ("http://localhost:1", "http://localhost:1/api/v1"),
            ("http://[::1]:1", "http://[::1]:1/api/v1"),
        ] {
            assert_eq!(BaseUrl::parse(given).unwrap().to_string(), kept, "{given}");
        }
    }

    #[test]
    fn the_token_is_sent_over_https_or_to_loopback_only() {
        for wrong in [
            "http://signals.example/api/v1",
            "http://127.0.0.1.example/api/v1",
            "ftp://signals.example/api/v1",
            "https://user:pass@signals.example/api/v1",
            "https://signals.example/api/v2",
            "https://signals.example/app",
            "signals.example",
            "",
        ] {
            assert!(BaseUrl::parse(wrong).is_err(), "{wrong}");
        }
    }
}
