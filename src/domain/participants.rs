//! The firms and people of a project: whom a salesperson calls, in which order.

use uuid::Uuid;

use super::accounts::Account;
use super::book::Dataset;
use super::contacts::Contact;
use super::projects::ProjectDetails;
use super::records::RecordKey;

/// A firm or a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The account or contact of the index.
    pub key: RecordKey,
    pub name: Option<String>,
    /// What a firm does in the project, or the title of a person.
    pub role: Option<String>,
    /// The firm that a person works for.
    pub firm: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub website: Option<String>,
    /// City and state of a firm.
    pub place: Option<String>,
}

impl Participant {
    fn of_firm(account: &Account) -> Participant {
        Participant {
            key: index_key(Dataset::Accounts, account.id.0),
            name: account.name.clone(),
            role: account.role().map(str::to_owned),
            firm: None,
            phone: account.public_phone.clone(),
            email: None,
            website: account
                .website
                .as_ref()
                .or(account.domains.first())
                .cloned(),
            place: account.place(),
        }
    }

    fn of_person(contact: &Contact, firm: Option<&Account>) -> Participant {
        Participant {
            key: index_key(Dataset::Contacts, contact.id.0),
            name: contact.name.clone(),
            role: contact.title.clone(),
            firm: firm.and_then(|firm| firm.name.clone()),
            phone: contact.phone.clone(),
            email: contact.email.clone(),
            website: None,
            place: None,
        }
    }

    pub fn is_person(&self) -> bool {
        self.key.dataset == Dataset::Contacts
    }

    pub fn name_or_unnamed(&self) -> &str {
        self.name.as_deref().unwrap_or("unnamed")
    }
}

fn index_key(dataset: Dataset, id: Uuid) -> RecordKey {
    RecordKey {
        dataset,
        id,
        in_book: false,
    }
}

impl ProjectDetails {
    /// Its firms in their order, each with its people; at the end those of no firm.
    pub fn participants(&self) -> Vec<Participant> {
        let mut all = Vec::with_capacity(self.accounts.len() + self.contacts.len());
        for firm in &self.accounts {
            all.push(Participant::of_firm(firm));
            let mut people: Vec<&Contact> = self.contacts.iter().collect();
            people.retain(|person| person.account_id == Some(firm.id));
            let people = people.into_iter();
            all.extend(people.map(|person| Participant::of_person(person, Some(firm))));
        }
        let has_firm = |person: &Contact| {
            let mut firms = self.accounts.iter();
            firms.any(|firm| Some(firm.id) == person.account_id)
        };
        let others = self.contacts.iter().filter(|person| !has_firm(person));
        all.extend(others.map(|person| Participant::of_person(person, None)));
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn firms_stand_in_the_order_in_which_they_are_called_each_with_its_people() {
        let id = Uuid::from_u128;
        let firm = |at: u128, role: &str| {
            json!({
                "id": id(at), "name": role, "account_types": ["consultant"], "roles": [role],
                "public_phone": (role != "developer").then(|| at.to_string()),
            })
        };
        let person = |at: u128, firm: u128| {
            json!({
                "id": id(at), "name": format!("person {at}"), "account_id": id(firm),
                "email": format!("{at}@firm.example"),
            })
        };
        let project: ProjectDetails = serde_json::from_value(json!({
            "id": Uuid::nil(),
            "accounts": [
                firm(1, "subcontractor"), firm(2, "architect"), firm(3, "gc"), firm(4, "developer"),
            ],
            "contacts": [person(10, 9), person(11, 2), person(12, 1), person(13, 4)],
            "signals": [
                { "id": id(21), "filed_at": "2026-03-01" },
                { "id": id(22) },
                { "id": id(23), "filed_at": "2026-07-01" },
            ],
        }))
        .unwrap();
        let project = project.arranged();
        let participants = project.participants();
        let names: Vec<_> = participants
            .iter()
            .map(Participant::name_or_unnamed)
            .collect();
        assert_eq!(
            names,
            [
                "developer",
                "person 13",
                "gc",
                "architect",
                "person 11",
                "subcontractor",
                "person 12",
                "person 10"
            ]
        );
        let firms: Vec<_> = participants.iter().map(|one| one.firm.as_deref()).collect();
        assert_eq!((firms[1], firms[7]), (Some("developer"), None));
        let signals: Vec<_> = project.signals.iter().map(|signal| signal.id.0).collect();
        assert_eq!(
            signals,
            [id(23), id(21), id(22)],
            "newest filing first, undated ones last"
        );
    }
}
