//! Open enums of the interface: unknown values are preserved and sent back unchanged.

/// Declares an enum of known words with a variant for any other word.
///
/// The result implements `Display`, `FromStr` (never fails), `Serialize` and `Deserialize` as its
/// word, and is ordered as declared, unknown words last.
macro_rules! open_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
            /// An unknown word, as received.
            Other(Box<str>),
        }

        impl $name {
            /// The known values, in the order of the interface.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// Parses a word whose spelling the interface does not show: a known value in any case
            /// and with any separators, otherwise the word as received.
            #[allow(dead_code, reason = "the interface shows most words")]
            pub fn parse_lenient(word: &str) -> Self {
                let known = Self::ALL.iter().find(|known| crate::domain::aliased_fields::names_match(known.as_str(), word.trim()));
                known.cloned().unwrap_or_else(|| word.into())
            }

            /// The word as sent.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => $name::$variant,)+
                    other => $name::Other(other.into()),
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Ok(word.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Ok(word.as_ref().into())
            }
        }
    };
}

pub(super) use open_enum;
