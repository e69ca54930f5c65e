//! People: names, titles, addresses and telephone numbers that fit the firm they work for.

use chrono::{DateTime, Duration, Utc};

use super::chance::Chance;
use super::firms::slug;
use super::words::words;
use crate::domain::ContactId;
use crate::service::db::records::{Account, Contact};

/// What the rest of the world needs to know of a person.
pub struct Person {
    /// The contact's id.
    pub id: ContactId,
    /// The full name.
    pub name: String,
}

/// A full name.
pub fn name(chance: &mut Chance) -> (&'static str, &'static str) {
    let words = words();
    (chance.pick(&words.first).as_str(), chance.pick(&words.last).as_str())
}

/// A telephone number of the range that is kept for fiction.
pub fn phone(chance: &mut Chance, area: &str) -> String {
    format!("({area}) 555-01{:02}", chance.int(0, 99))
}

/// The people of a firm.
pub fn staff(
    chance: &mut Chance,
    count: usize,
    account: &Account,
    domain: &str,
    titles: &[String],
    area: &str,
) -> (Vec<Person>, Vec<Contact>) {
    let style = chance.int(0, 2);
    let mut people: Vec<Person> = Vec::with_capacity(count);
    let mut contacts = Vec::with_capacity(count);
    for nth in 0..count {
        let (mut first, mut last) = name(chance);
        // A founder whose name is over the door works there.
        if let Some(founder) = words().last.iter().find(|last| nth == 0 && account.name.starts_with(last.as_str())) {
            last = founder;
        }
        while people.iter().any(|person| person.name == format!("{first} {last}")) {
            (first, last) = name(chance);
        }
        let local = match style {
            0 => format!("{}{}", slug(&first[..first.chars().next().map_or(0, char::len_utf8)], ""), slug(last, "")),
            1 => format!("{}.{}", slug(first, ""), slug(last, "")),
            _ => slug(first, ""),
        };
        let taken = |contact: &Contact| contact.email.as_deref().is_some_and(|email| email.starts_with(&format!("{local}@")));
        let local = if contacts.iter().any(taken) { format!("{}.{}", slug(first, ""), slug(last, "")) } else { local };
        let founder = nth == 0 && account.name.contains(last);
        let contact = Contact {
            id: chance.id(),
            name: format!("{first} {last}"),
            title: if founder && chance.yes(0.6) {
                Some(chance.pick(&["Founder", "President", "Founding Principal"]).to_string())
            } else {
                chance.yes(0.94).then(|| chance.pick(titles).clone())
            },
            account_id: Some(account.id),
            email: (!account.domains.is_empty() && chance.yes(0.88)).then(|| format!("{local}@{domain}")),
            phone: chance.yes(0.7).then(|| phone(chance, area)),
            created_at: later(chance, account.created_at),
        };
        people.push(Person { id: contact.id, name: contact.name.clone() });
        contacts.push(contact);
    }
    (people, contacts)
}

/// Somebody who works for no firm of the index: a home owner, a broker between jobs.
pub fn nobody_s(chance: &mut Chance, area: &str, now: DateTime<Utc>) -> Contact {
    let (first, last) = name(chance);
    let mail = format!("{}.{}@mail.example", slug(first, ""), slug(last, ""));
    Contact {
        id: chance.id(),
        name: format!("{first} {last}"),
        title: chance.yes(0.5).then(|| chance.pick(&["Owner", "Trustee", "Homeowner", "Broker"]).to_string()),
        account_id: None,
        email: chance.yes(0.6).then_some(mail),
        phone: chance.yes(0.6).then(|| phone(chance, area)),
        created_at: now - Duration::minutes((chance.num(2.0, 900.0) * 1440.0) as i64),
    }
}

fn later(chance: &mut Chance, moment: DateTime<Utc>) -> DateTime<Utc> {
    moment + Duration::minutes(chance.int(1, 55 * 1440))
}
