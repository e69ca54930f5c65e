//! People: names, titles, addresses and phone numbers that fit the firm they work for.

use chrono::{DateTime, Duration, Utc};

use super::firms::slug;
use super::rng::SampleRng;
use super::word_lists::word_lists;
use crate::domain::ContactId;
use crate::service::db::new_records::{NewAccount, NewContact};

/// What the rest of the generator needs to know about a person.
pub struct SamplePerson {
    pub id: ContactId,
    pub name: String,
}

pub fn random_name(rng: &mut SampleRng) -> (&'static str, &'static str) {
    let words = word_lists();
    (
        rng.pick(&words.first_names).as_str(),
        rng.pick(&words.last_names).as_str(),
    )
}

/// A phone number from the range reserved for fiction.
pub fn random_phone(rng: &mut SampleRng, area: &str) -> String {
    format!("({area}) 555-01{:02}", rng.int_between(0, 99))
}

/// Generates the people of a firm.
pub fn generate_staff(
    rng: &mut SampleRng,
    count: usize,
    account: &NewAccount,
    domain: &str,
    titles: &[String],
    area: &str,
) -> (Vec<SamplePerson>, Vec<NewContact>) {
    let style = rng.int_between(0, 2);
    let mut people: Vec<SamplePerson> = Vec::with_capacity(count);
    let mut contacts = Vec::with_capacity(count);
    for nth in 0..count {
        let (mut first, mut last) = random_name(rng);
        // A founder who gave the firm its name works there.
        if let Some(founder) = word_lists()
            .last_names
            .iter()
            .find(|last| nth == 0 && account.name.starts_with(last.as_str()))
        {
            last = founder;
        }
        while people
            .iter()
            .any(|person| person.name == format!("{first} {last}"))
        {
            (first, last) = random_name(rng);
        }
        let local = match style {
            0 => format!(
                "{}{}",
                slug(&first[..first.chars().next().map_or(0, char::len_utf8)], ""),
                slug(last, "")
            ),
            1 => format!("{}.{}", slug(first, ""), slug(last, "")),
            _ => slug(first, ""),
        };
        let taken = |contact: &NewContact| {
            contact
                .email
                .as_deref()
                .is_some_and(|email| email.starts_with(&format!("{local}@")))
        };
        let local = if contacts.iter().any(taken) {
            format!("{}.{}", slug(first, ""), slug(last, ""))
        } else {
            local
        };
        let founder = nth == 0 && account.name.contains(last);
        let contact = NewContact {
            id: rng.random_id(),
            name: format!("{first} {last}"),
            title: if founder && rng.random_bool(0.6) {
                Some(
                    rng.pick(&["Founder", "President", "Founding Principal"])
                        .to_string(),
                )
            } else {
                rng.random_bool(0.94).then(|| rng.pick(titles).clone())
            },
            account_id: Some(account.id),
            email: (!account.domains.is_empty() && rng.random_bool(0.88))
                .then(|| format!("{local}@{domain}")),
            phone: rng.random_bool(0.7).then(|| random_phone(rng, area)),
            created_at: shortly_after(rng, account.created_at),
        };
        people.push(SamplePerson {
            id: contact.id,
            name: contact.name.clone(),
        });
        contacts.push(contact);
    }
    (people, contacts)
}

/// A person who works for no firm of the index, such as a homeowner or a broker between jobs.
pub fn unaffiliated_contact(rng: &mut SampleRng, area: &str, now: DateTime<Utc>) -> NewContact {
    let (first, last) = random_name(rng);
    let mail = format!("{}.{}@mail.example", slug(first, ""), slug(last, ""));
    NewContact {
        id: rng.random_id(),
        name: format!("{first} {last}"),
        title: rng.random_bool(0.5).then(|| {
            rng.pick(&["Owner", "Trustee", "Homeowner", "Broker"])
                .to_string()
        }),
        account_id: None,
        email: rng.random_bool(0.6).then_some(mail),
        phone: rng.random_bool(0.6).then(|| random_phone(rng, area)),
        created_at: now - Duration::minutes((rng.float_between(2.0, 900.0) * 1440.0) as i64),
    }
}

fn shortly_after(rng: &mut SampleRng, moment: DateTime<Utc>) -> DateTime<Utc> {
    moment + Duration::minutes(rng.int_between(1, 55 * 1440))
}
