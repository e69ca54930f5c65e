//! What identifies a service's certificate: its fingerprint, which people compare and profiles pin.
//!
//! Never here: how a certificate is created, read or verified.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The SHA-256 of a certificate in DER, written as `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fingerprint(pub [u8; 32]);

/// What a person is asked before a service is used with a certificate that nobody vouches for, or
/// with another one than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateChange {
    /// The service's certificate from now on; `None` for any that this machine trusts.
    pub new: Option<Fingerprint>,
    /// The only one that the saved profile accepts until now.
    pub pinned: Option<Fingerprint>,
}

/// A text that is not a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a certificate's fingerprint is sha256: and 64 hexadecimal digits; the service prints it when it starts"
)]
pub struct FingerprintError;

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Also reads what other programs print: upper-case digits, and colons or spaces between the bytes.
impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let text = text.trim();
        let prefix = text
            .get(..7)
            .filter(|prefix| prefix.eq_ignore_ascii_case("sha256:"))
            .ok_or(FingerprintError)?;
        let digits = text[prefix.len()..]
            .chars()
            .filter(|c| !matches!(c, ':' | ' '));
        let values = digits
            .map(|c| c.to_digit(16).map(|digit| digit as u8))
            .collect::<Option<Vec<u8>>>()
            .ok_or(FingerprintError)?;
        let (pairs, rest) = values.as_chunks::<2>();
        let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
        if !rest.is_empty() {
            return Err(FingerprintError);
        }
        bytes
            .try_into()
            .map(Fingerprint)
            .map_err(|_| FingerprintError)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = FingerprintError;

    fn try_from(text: String) -> Result<Self, FingerprintError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_it_is_written_and_as_other_programs_write_it() {
        let fingerprint = Fingerprint(std::array::from_fn(|nth| (nth * 8) as u8));
        let written = fingerprint.to_string();
        assert_eq!(
            written,
            format!(
                "sha256:{}",
                "0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8"
            )
        );
        assert_eq!(written.parse(), Ok(fingerprint));
        let pairs: Vec<String> = fingerprint
            .0
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        assert_eq!(
            format!(" SHA256:{}\n", pairs.join(":")).parse(),
            Ok(fingerprint)
        );
        let json = serde_json::to_string(&fingerprint).unwrap();
        assert_eq!(json, format!("\"{written}\""));
        assert_eq!(
            serde_json::from_str::<Fingerprint>(&json).unwrap(),
            fingerprint
        );
    }

    #[test]
    fn a_text_that_is_no_fingerprint_is_rejected() {
        let digits = "0".repeat(64);
        for wrong in [
            "",
            "sha256:",
            "sha1:00",
            &digits,
            &format!("sha256:{digits}0"),
            &format!("sha256:{digits}00"),
            "sha256:é",
            "sha25é",
        ] {
            assert_eq!(
                wrong.parse::<Fingerprint>(),
                Err(FingerprintError),
                "{wrong}"
            );
        }
    }
}
