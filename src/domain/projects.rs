//! Projects: what is being built, and where (interface: Project).

use serde::{Deserialize, Serialize};

use super::ProjectId;
use super::accounts::Account;
use super::contacts::Contact;
use super::lenient::{self, DateOrDateTime, Number};
use super::signals::Signal;

/// A project, from the Data API. A field that is missing or invalid is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Project {
    pub id: ProjectId,
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_address: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub city: Option<String>,
    /// State code.
    #[serde(default, deserialize_with = "lenient::option")]
    pub state: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub neighborhood: Option<String>,
    /// As named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stage: Option<String>,
    /// As named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub primary_use: Option<String>,
    /// Whether a general contractor is known, as named by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gc_status: Option<String>,
    /// Above ground.
    #[serde(default, deserialize_with = "lenient::option")]
    pub stories: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub residential_units: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub hotel_rooms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub parking_spaces: Option<Number>,
    /// In square feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub gross_floor_area_sf: Option<Number>,
    /// In US dollars; not the cost reported by a filing.
    #[serde(default, deserialize_with = "lenient::option")]
    pub cost_of_construction_usd: Option<Number>,
    /// In feet.
    #[serde(default, deserialize_with = "lenient::option")]
    pub height_ft: Option<Number>,
    /// Signals of the last thirty days.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updates_last_30_days: Option<Number>,
    /// Filing of its newest signal: a date or a date-time, depending on the route.
    #[serde(default, deserialize_with = "lenient::option")]
    pub last_signal_at: Option<DateOrDateTime>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub signals_count: Option<Number>,
}

/// A project with everything that one get can include (`include` = `accounts`, `contacts`,
/// `signals`; 1 credit whatever is included).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectDetails {
    #[serde(flatten)]
    pub project: Project,
    #[serde(default, deserialize_with = "lenient::list")]
    pub accounts: Vec<Account>,
    #[serde(default, deserialize_with = "lenient::list")]
    pub contacts: Vec<Contact>,
    /// Its timeline. Included signals have no triage status.
    #[serde(default, deserialize_with = "lenient::list")]
    pub signals: Vec<Signal>,
}

impl ProjectDetails {
    /// Puts firms, and the people of each, into the order in which a salesperson calls them.
    pub fn in_call_order(mut self) -> ProjectDetails {
        self.accounts.sort_by_key(Account::call_rank);
        self.contacts.sort_by_key(|contact| {
            let mut firms = self.accounts.iter();
            let firm = firms.position(|account| Some(account.id) == contact.account_id);
            firm.unwrap_or(usize::MAX)
        });
        self
    }

    /// The name and phone of whom to call first: a firm, or else a person.
    pub fn first_phone(&self) -> Option<(&str, &str)> {
        let firms = self.accounts.iter();
        let firms = firms.map(|firm| (&firm.name, &firm.public_phone));
        let people = self.contacts.iter();
        let people = people.map(|person| (&person.name, &person.phone));
        firms.chain(people).find_map(name_and_value)
    }

    /// The name and e-mail address of whom to write to first.
    pub fn first_email(&self) -> Option<(&str, &str)> {
        let mut people = self.contacts.iter();
        people.find_map(|person| name_and_value((&person.name, &person.email)))
    }
}

fn name_and_value<'a>(
    (name, value): (&'a Option<String>, &'a Option<String>),
) -> Option<(&'a str, &'a str)> {
    Some((name.as_deref().unwrap_or("unnamed"), value.as_deref()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_firms_of_a_project_stand_in_the_order_in_which_they_are_called() {
        let firm = |id: u128, role: &str, phone: Option<&str>| {
            json!({
                "id": Uuid::from_u128(id), "name": role, "account_types": ["consultant"],
                "roles": [role], "public_phone": phone,
            })
        };
        let person = |id: u128, firm: u128| {
            json!({
                "id": Uuid::from_u128(id), "name": "P", "account_id": Uuid::from_u128(firm),
                "email": format!("{firm}@firm.example"),
            })
        };
        let project: ProjectDetails = serde_json::from_value(json!({
            "id": Uuid::nil(),
            "accounts": [
                firm(1, "subcontractor", Some("1")), firm(2, "architect", Some("2")),
                firm(3, "gc", Some("3")), firm(4, "developer", None),
            ],
            "contacts": [person(11, 2), person(12, 1), person(13, 4)],
        }))
        .unwrap();
        let project = project.in_call_order();
        let roles: Vec<_> = project.accounts.iter().filter_map(Account::role).collect();
        assert_eq!(roles, ["developer", "gc", "architect", "subcontractor"]);
        assert_eq!(project.first_phone(), Some(("gc", "3")));
        assert_eq!(project.first_email(), Some(("P", "4@firm.example")));
    }
}
