//! People as services refer to them: by an id in any spelling, an address or a name, or as an
//! object with several of these.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use uuid::Uuid;

use super::UserId;
use super::aliased_fields::AliasedFields;

/// A person, as far as a service says who it is. At least one field is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Person {
    /// A UUID in lower case, or a service's word for a caller that is not a person.
    id: Option<Box<str>>,
    /// In lower case.
    email: Option<Box<str>>,
    name: Option<Box<str>>,
}

/// Fields of an object that may hold the person.
const NESTED: &[&str] = &["user", "member", "person", "actor"];

impl Person {
    pub fn new(id: Option<UserId>, email: Option<&str>, name: Option<&str>) -> Option<Person> {
        let text = |text: Option<&str>| {
            text.map(str::trim)
                .filter(|text| !text.is_empty())
                .map(Box::from)
        };
        let email = text(email.map(str::to_lowercase).as_deref());
        let person = Person {
            id: id.map(|id| id.to_string().into()),
            email,
            name: text(name),
        };
        (person != Person::default()).then_some(person)
    }

    /// A person given as a text: an id, an address, otherwise a name.
    pub fn from_text(text: &str) -> Option<Person> {
        match Uuid::try_parse(text.trim()) {
            Ok(id) => Person::new(Some(UserId(id)), None, None),
            Err(_) if text.contains('@') && !text.trim().contains(char::is_whitespace) => {
                Person::new(None, Some(text), None)
            }
            Err(_) => Person::new(None, None, Some(text)),
        }
    }

    pub fn from_value(value: &Value) -> Option<Person> {
        match value {
            Value::String(text) => Person::from_text(text),
            Value::Number(number) => Person::from_text(&number.to_string()),
            Value::Object(_) => {
                let sent: AliasedFields = serde_json::from_value(value.clone()).ok()?;
                if let Some(person) = sent.get(NESTED).and_then(Person::from_value) {
                    return Some(person);
                }
                let named = Person::new(
                    None,
                    sent.text(&["email", "email_address"]).as_deref(),
                    sent.text(&[
                        "display_name",
                        "name",
                        "full_name",
                        "first_name",
                        "username",
                    ])
                    .as_deref(),
                );
                let id = sent
                    .text(&["user_id", "member_id", "id", "uuid"])
                    .and_then(|id| Person::from_text(&id));
                let id = id.map(|id| Person {
                    id: Some(id.key().into()),
                    ..Person::default()
                });
                match (id, named) {
                    (Some(id), Some(named)) => Some(id.filled_from(&named)),
                    (id, named) => id.or(named),
                }
            }
            _ => None,
        }
    }

    pub fn user_id(&self) -> Option<UserId> {
        self.id.as_deref()?.parse().ok()
    }

    /// The same person, with what another reference adds.
    pub fn filled_from(self, other: &Person) -> Person {
        Person {
            id: self.id.or_else(|| other.id.clone()),
            email: self.email.or_else(|| other.email.clone()),
            name: self.name.or_else(|| other.name.clone()),
        }
    }

    /// Whether both are the same person: by id, else by address, else by name. `None` if they have
    /// nothing in common to compare.
    pub fn is_same(&self, other: &Person) -> Option<bool> {
        let by = |one: &Option<Box<str>>, other: &Option<Box<str>>| {
            Some(one.as_deref()?.to_lowercase() == other.as_deref()?.to_lowercase())
        };
        // A word that is not a UUID may be an id or a name.
        let is_word = || {
            by(&self.id, &other.name)
                .or_else(|| by(&self.name, &other.id))
                .filter(|same| *same)
        };
        by(&self.id, &other.id)
            .or_else(|| by(&self.email, &other.email))
            .or_else(is_word)
            .or_else(|| by(&self.name, &other.name))
    }

    /// What tells people of one service apart: the id, else the address, else the name.
    pub fn key(&self) -> &str {
        self.keys()
            .next()
            .or(self.name.as_deref())
            .unwrap_or_default()
    }

    /// The id and the address.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        [&self.id, &self.email]
            .into_iter()
            .filter_map(|key| key.as_deref())
    }

    /// Whatever a person may be called: name, address and id.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.name.as_deref().into_iter().chain(self.keys())
    }

    /// Whether this is one of the person's labels, however it is written.
    pub fn is_called(&self, name: &str) -> bool {
        self.labels().any(|label| label.eq_ignore_ascii_case(name))
    }

    /// The best name, also from what else is `known` of the person: a name, else the address, else
    /// the id.
    pub fn label<'a>(&'a self, known: Option<&'a Person>) -> &'a str {
        let both = || known.into_iter().chain([self]);
        let name = both().find_map(|person| person.name.as_deref());
        name.or_else(|| both().find_map(|person| person.email.as_deref()))
            .unwrap_or_else(|| self.key())
    }
}

impl From<UserId> for Person {
    fn from(id: UserId) -> Person {
        Person {
            id: Some(id.to_string().into()),
            ..Person::default()
        }
    }
}

impl<'de> Deserialize<'de> for Person {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Person::from_value(&Value::deserialize(deserializer)?)
            .ok_or_else(|| serde::de::Error::custom("expected a person"))
    }
}

impl Serialize for Person {
    /// As a text where one says it all, like the services that send a text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if Person::from_text(self.key()).as_ref() == Some(self) {
            return serializer.serialize_str(self.key());
        }
        json!({ "id": self.id, "email": self.email, "name": self.name }).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "018f4d3a-0000-7000-8000-00000000000b";

    fn person(sent: Value) -> Person {
        Person::from_value(&sent).unwrap()
    }

    #[test]
    fn a_person_is_the_same_in_every_spelling_of_the_id_and_by_address_or_name_without_one() {
        let ben = person(json!({"id": ID, "email": "Ben@a.example", "display_name": "Ben K."}));
        for same in [
            json!(ID),
            json!(ID.to_uppercase()),
            json!(format!("urn:uuid:{ID}")),
            json!(format!("{{{ID}}}")),
            json!(ID.replace('-', "")),
            json!({"user_id": ID, "name": "Somebody"}),
            json!({"user": {"id": ID}}),
            json!("ben@A.example"),
            json!("Ben K."),
            json!({"email": "BEN@a.example", "name": "B."}),
        ] {
            assert_eq!(person(same.clone()).is_same(&ben), Some(true), "{same}");
            assert_eq!(ben.is_same(&person(same.clone())), Some(true), "{same}");
        }
        for other in [
            json!(ID.replace('b', "c")),
            json!("ana@a.example"),
            json!("Ana R."),
            json!({"id": "7", "name": "Ben K."}),
        ] {
            assert_eq!(person(other.clone()).is_same(&ben), Some(false), "{other}");
        }
        assert_eq!(
            person(json!("Ben K.")).is_same(&person(json!(ID))),
            None,
            "nothing to compare"
        );
        assert_eq!(
            person(json!({"id": "u7"})).is_same(&person(json!("u7"))),
            Some(true)
        );
        for nobody in [json!(null), json!({}), json!(" "), json!([]), json!(true)] {
            assert_eq!(Person::from_value(&nobody), None, "{nobody}");
        }
    }

    #[test]
    fn a_person_is_shown_by_the_best_name_that_any_field_carries() {
        let named = person(json!({"id": ID, "email": "ben@a.example", "display_name": "Ben K."}));
        let by_id = person(json!(ID.to_uppercase()));
        assert_eq!(
            (by_id.label(None), by_id.label(Some(&named))),
            (ID, "Ben K.")
        );
        assert_eq!(named.label(Some(&by_id)), "Ben K.");
        assert_eq!(
            person(json!({"id": ID, "first_name": "Ben"})).label(None),
            "Ben"
        );
        let addressed = person(json!({"id": ID, "email": "ben@a.example"}));
        assert_eq!(
            (addressed.label(None), addressed.key()),
            ("ben@a.example", ID)
        );
    }

    #[test]
    fn a_person_is_saved_as_it_was_sent() {
        for sent in [
            json!(ID),
            json!("ben@a.example"),
            json!("Ben K."),
            json!("api_key:gk_1"),
        ] {
            assert_eq!(serde_json::to_value(person(sent.clone())).unwrap(), sent);
        }
        for sent in [json!({"id": ID, "name": "Ben"}), json!({"id": "u7"})] {
            let saved = serde_json::to_value(person(sent.clone())).unwrap();
            assert_eq!(person(saved), person(sent));
        }
    }
}
