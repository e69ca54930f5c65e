//! Join codes: how to reach a service, how to recognize it, and a secret that it accepts once, in
//! one word to copy.
//!
//! Never here: who may join, or anything that prints the secret on its own: only
//! [`JoinCode::encode`] and [`JoinSecret::encode`] show it.

use super::base64;
use super::certificate::Fingerprint;

/// Every join code begins with it.
const PREFIX: &str = "gj_";
const VERSION: u8 = 1;
/// The flags: what the code holds, and what its address is shortened by.
const HAS_FINGERPRINT: u8 = 1;
const IS_HTTPS: u8 = 2;
const HAS_API_PATH: u8 = 4;

const API_PATH: &str = "/api/v1";
const CHECKSUM_BYTES: usize = 4;

/// What a person needs to join a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinCode {
    /// The service's address, up to and with `/api/v1`.
    pub base_url: String,
    /// Its certificate, if no authority vouches for it.
    pub fingerprint: Option<Fingerprint>,
    pub secret: JoinSecret,
}

/// The part of a join code that the service compares, by its hash.
#[derive(Clone, PartialEq, Eq)]
pub struct JoinSecret(pub [u8; 16]);

/// Why a text is not a join code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinCodeError {
    #[error("this is not a join code: a join code begins with gj_")]
    NotACode,
    #[error("this join code is incomplete: copy it again")]
    Incomplete,
    #[error("this join code is for a newer version of gantry: update gantry")]
    Newer,
}

impl std::fmt::Debug for JoinSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JoinSecret(..)")
    }
}

impl JoinSecret {
    /// The secret as text, for the service and nobody else.
    pub fn encode(&self) -> String {
        base64::encode(&self.0, base64::URL_SAFE)
    }

    /// Parses a secret; `None` if the text is none.
    pub fn parse(text: &str) -> Option<JoinSecret> {
        base64::decode(text, base64::URL_SAFE)?
            .try_into()
            .ok()
            .map(JoinSecret)
    }
}

impl JoinCode {
    /// The code as one word, which a double click selects.
    pub fn encode(&self) -> String {
        let (scheme, address) = match self.base_url.split_once("://") {
            Some(("https", address)) => (IS_HTTPS, address),
            Some((_, address)) => (0, address),
            None => (0, self.base_url.as_str()),
        };
        let (path, address) = address
            .strip_suffix(API_PATH)
            .map_or((0, address), |address| (HAS_API_PATH, address));
        let pinned = if self.fingerprint.is_some() {
            HAS_FINGERPRINT
        } else {
            0
        };
        let mut bytes = vec![VERSION, scheme | path | pinned];
        bytes.extend(
            self.fingerprint
                .iter()
                .flat_map(|fingerprint| fingerprint.0),
        );
        bytes.extend(self.secret.0);
        bytes.extend(address.bytes());
        bytes.extend(checksum(&bytes));
        format!("{PREFIX}{}", base64::encode(&bytes, base64::URL_SAFE))
    }

    /// Whether a text begins as every code does.
    pub fn is_beginning(text: &str) -> bool {
        text.trim_start().starts_with(PREFIX)
    }

    /// Parses a code as it was copied: with space around it, or broken into lines.
    pub fn parse(text: &str) -> Result<JoinCode, JoinCodeError> {
        let word: String = text.split_whitespace().collect();
        let code = word.strip_prefix(PREFIX).ok_or(JoinCodeError::NotACode)?;
        let bytes = base64::decode(code, base64::URL_SAFE).ok_or(JoinCodeError::Incomplete)?;
        let content_len = bytes
            .len()
            .checked_sub(CHECKSUM_BYTES)
            .ok_or(JoinCodeError::Incomplete)?;
        let (content, sum) = bytes.split_at(content_len);
        if checksum(content) != sum {
            return Err(JoinCodeError::Incomplete);
        }
        let [version, flags, rest @ ..] = content else {
            return Err(JoinCodeError::Incomplete);
        };
        if *version != VERSION {
            return Err(JoinCodeError::Newer);
        }
        let (fingerprint, rest) = match flags & HAS_FINGERPRINT {
            0 => (None, rest),
            _ => {
                let (fingerprint, rest) =
                    rest.split_first_chunk().ok_or(JoinCodeError::Incomplete)?;
                (Some(Fingerprint(*fingerprint)), rest)
            }
        };
        let (secret, address) = rest.split_first_chunk().ok_or(JoinCodeError::Incomplete)?;
        let address = std::str::from_utf8(address).map_err(|_| JoinCodeError::Incomplete)?;
        let scheme = if flags & IS_HTTPS == 0 {
            "http"
        } else {
            "https"
        };
        let path = if flags & HAS_API_PATH == 0 {
            ""
        } else {
            API_PATH
        };
        Ok(JoinCode {
            base_url: format!("{scheme}://{address}{path}"),
            fingerprint,
            secret: JoinSecret(*secret),
        })
    }
}

/// FNV-1a: finds what was mistyped or cut off. It protects nothing.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    bytes
        .iter()
        .fold(0x811c_9dc5_u32, |sum, byte| {
            (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        })
        .to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(base_url: &str, fingerprint: Option<Fingerprint>) -> JoinCode {
        JoinCode {
            base_url: base_url.to_owned(),
            fingerprint,
            secret: JoinSecret(*b"0123456789abcdef"),
        }
    }

    #[test]
    fn a_code_holds_address_fingerprint_and_secret_in_one_word() {
        let pin = Some(Fingerprint(std::array::from_fn(|n| n as u8 * 7)));
        for (address, pin) in [
            ("https://192.168.1.20:8484/api/v1", pin),
            ("http://127.0.0.1:8484/api/v1", None),
            ("https://signals.example/tools/api/v1", None),
            ("https://[::1]:8484/api/v2", pin),
        ] {
            let code = code(address, pin);
            let word = code.encode();
            assert!(word.starts_with("gj_"), "{word}");
            assert!(
                word.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'),
                "{word}"
            );
            assert!(word.len() < 128, "{word}");
            assert_eq!(JoinCode::parse(&word), Ok(code));
        }
    }

    #[test]
    fn spaces_and_line_breaks_of_a_mail_do_not_matter() {
        let code = code("https://192.168.1.20:8484/api/v1", None);
        let word = code.encode();
        let (start, end) = word.split_at(20);
        assert_eq!(
            JoinCode::parse(&format!("  {start}\r\n  {end}\n")),
            Ok(code)
        );
    }

    #[test]
    fn a_code_that_is_cut_off_or_mistyped_is_incomplete() {
        let word = code(
            "https://192.168.1.20:8484/api/v1",
            Some(Fingerprint([9; 32])),
        )
        .encode();
        for end in 3..word.len() - 1 {
            assert_eq!(
                JoinCode::parse(&word[..end]),
                Err(JoinCodeError::Incomplete),
                "{end}"
            );
            let typo = if word.as_bytes()[end] == b'x' {
                'y'
            } else {
                'x'
            };
            let typed = format!("{}{typo}{}", &word[..end], &word[end + 1..]);
            assert_ne!(JoinCode::parse(&typed), JoinCode::parse(&word), "{end}");
        }
        assert_eq!(
            JoinCodeError::Incomplete.to_string(),
            "this join code is incomplete: copy it again"
        );
        for other in ["", "gat_0123", "hello"] {
            assert_eq!(
                JoinCode::parse(other),
                Err(JoinCodeError::NotACode),
                "{other}"
            );
        }
    }

    #[test]
    fn the_secret_is_not_in_the_debug_text() {
        let code = code("https://a.example/api/v1", None);
        assert!(!format!("{code:?}").contains("48"), "{code:?}");
        assert_eq!(JoinSecret::parse(&code.secret.encode()), Some(code.secret));
        assert_eq!(JoinSecret::parse("short"), None);
    }
}
