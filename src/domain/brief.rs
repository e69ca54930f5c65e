//! A brief: what somebody needs to know of an account, a contact or a project before a call.
//!
//! It is made of records that were read; what was not read is not mentioned.

use std::collections::HashMap;

use chrono::{NaiveDate, NaiveDateTime};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::accounts::Account;
use super::book::Dataset;
use super::contacts::Contact;
use super::display_format::{format_date, format_dollars};
use super::field_kind::humanize_key;
use super::projects::{Project, ProjectDetails};
use super::promises::{Promise, describe_due, open_promises};
use super::records::{Record, RecordFields};
use super::signals::Signal;

/// The prefix of the tag that names the owner of an account.
const OWNER_TAG: &str = "owner:";

/// Of projects, filings, people and firms only the most important ones are named.
const MAX_NAMED: usize = 3;

/// A line of a brief. The lines of one label follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BriefLine {
    pub label: &'static str,
    pub text: String,
}

/// What a brief is made of.
#[derive(Clone, Copy, Debug)]
pub struct BriefSources<'a> {
    pub dataset: &'a Dataset,
    pub id: Uuid,
    /// The record, with those that it embeds.
    pub fields: &'a RecordFields,
    /// Projects that were read with their firms.
    pub projects: &'a [ProjectDetails],
    /// By the user's clock.
    pub now: NaiveDateTime,
}

/// Somebody was in touch: a dated line of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub day: NaiveDate,
    pub text: String,
}

/// The member to whom an account belongs: its tag `owner:NAME`.
pub fn find_owner<'a>(tags: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let owners = tags.into_iter().filter_map(|tag| {
        let prefix = tag.get(..OWNER_TAG.len())?;
        let is_owner = prefix.eq_ignore_ascii_case(OWNER_TAG);
        is_owner.then(|| tag[OWNER_TAG.len()..].trim())
    });
    owners.filter(|name| !name.is_empty()).last()
}

/// The newest dated line of a note that does not lie ahead: a call, a promise that was kept, or
/// what somebody wrote behind a day.
pub fn find_last_touch(note: &str, today: NaiveDate) -> Option<Touch> {
    let touches = note.lines().filter_map(parse_touch);
    let past = touches.filter(|touch| touch.day <= today);
    past.max_by_key(|touch| touch.day)
}

fn parse_touch(line: &str) -> Option<Touch> {
    let line = line.trim();
    if let Some(kept) = line.strip_prefix("x ") {
        let (promise, how) = kept.strip_suffix(')')?.rsplit_once(" (done ")?;
        let (_, words) = promise.trim().split_once(' ')?;
        return Some(Touch {
            day: how.parse().ok()?,
            text: words.trim().to_owned(),
        });
    }
    let (day, text) = line.split_once([' ', ':'])?;
    Some(Touch {
        day: day.parse().ok()?,
        text: text.trim().to_owned(),
    })
}

/// The lines of a brief, in the order of the questions that they answer: who is it, how big, how do
/// we stand, who touched it last, what is new since, which work is open, who builds with whom, who
/// to call, what do we owe them.
pub fn write_brief(sources: BriefSources<'_>) -> Vec<BriefLine> {
    let today = sources.now.date();
    let note = sources.fields.text("notes").unwrap_or_default();
    let touch = find_last_touch(note, today);
    let since = touch.as_ref().map(|touch| touch.day);
    let mut lines = Vec::new();
    let mut push = |label, texts: Vec<String>| {
        let texts = texts.into_iter().filter(|text| !text.is_empty());
        lines.extend(texts.map(|text| BriefLine { label, text }));
    };
    push("who", vec![sources.describe_record()]);
    push("size", vec![sources.describe_size()]);
    push("with us", vec![sources.describe_standing()]);
    push(
        "last touch",
        touch
            .map(|touch| touch.describe(today))
            .into_iter()
            .collect(),
    );
    push("since then", sources.describe_news(since));
    push("projects", sources.describe_projects());
    push("builds with", sources.describe_partners());
    push("call", sources.describe_people());
    push("promised", describe_promises(note, sources.now));
    lines
}

impl Touch {
    fn describe(&self, today: NaiveDate) -> String {
        let ago = match (today - self.day).num_days() {
            0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            days => format!("{days} days ago"),
        };
        format!("{} ({ago}): {}", format_date(self.day), self.text)
    }
}

impl BriefSources<'_> {
    /// The records that the record embeds, as far as they can be read as such.
    fn embedded<T: for<'de> Deserialize<'de>>(&self, name: &str) -> Vec<T> {
        let records = self.fields.embedded_records(name);
        records
            .iter()
            .filter_map(|record| record.fields().parse())
            .collect()
    }

    fn words(&self, name: &str) -> Option<String> {
        self.fields.text(name).map(humanize_key)
    }

    fn describe_record(&self) -> String {
        let list = self.fields.list("account_types").into_iter();
        let types = list.map(humanize_key).collect::<Vec<_>>().join(", ");
        let account = self.embedded::<Account>("account").pop();
        let account = account.and_then(|account| account.name);
        let place = [self.fields.text("city"), self.fields.text("state")];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let parts = [
            Some(types),
            self.fields.text("title").map(str::to_owned),
            account.map(|name| format!("at {name}")),
            self.words("primary_use"),
            self.words("stage"),
            Some(place),
            self.fields.text("primary_address").map(str::to_owned),
        ];
        join_parts(parts)
    }

    fn describe_size(&self) -> String {
        let count = |field: &str, one: &str| {
            let count = self.fields.number(field)?.as_f64()?;
            let plural = if count == 1.0 { "" } else { "s" };
            Some(format!("{count} {one}{plural}"))
        };
        let costs: Vec<f64> = self
            .open_projects()
            .iter()
            .filter_map(project_cost)
            .collect();
        let open = (!costs.is_empty())
            .then(|| format!("{} in open projects", format_dollars(costs.iter().sum())));
        let cost = self.fields.number("cost_of_construction_usd");
        let cost = cost.and_then(|cost| cost.as_f64());
        join_parts([
            cost.map(|cost| format!("{} to build", format_dollars(cost))),
            count("projects_count", "project"),
            open,
            count("residential_units", "home"),
            count("hotel_rooms", "room"),
            count("stories", "floor"),
        ])
    }

    fn describe_standing(&self) -> String {
        let owner = find_owner(self.fields.list("tags"));
        join_parts([
            self.fields
                .text("icp_tier")
                .map(|tier| tier.replace('_', " ")),
            self.words("workspace_status"),
            owner.map(|owner| format!("owner {owner}")),
        ])
    }

    /// What was filed since the last touch; without one, the newest.
    fn describe_news(&self, since: Option<NaiveDate>) -> Vec<String> {
        let mut signals: Vec<(NaiveDate, Signal)> = self
            .embedded::<Signal>("signals")
            .into_iter()
            .filter_map(|signal| Some((signal.filed_at.as_ref()?.date()?, signal)))
            .filter(|(day, _)| since.is_none_or(|since| *day > since))
            .collect();
        signals.sort_by_key(|(day, _)| std::cmp::Reverse(*day));
        let named = signals.iter().map(|(day, signal)| {
            let day = format_date(*day);
            match signal.project_name.as_deref() {
                Some(name) => format!("{day} {}: {name}", signal.type_label()),
                None => format!("{day} {}", signal.type_label()),
            }
        });
        name_first(named.collect(), "filings")
    }

    /// The projects that are not completed, given up or on hold, the most expensive first.
    fn open_projects(&self) -> Vec<Project> {
        let is_open = |record: &Record| {
            let fields = record.fields();
            fields.text("stage") != Some("completed")
                && matches!(fields.text("disposition"), None | Some("active"))
        };
        let records = self.fields.embedded_records("projects");
        let open = records.iter().filter(|record| is_open(record));
        let mut open: Vec<Project> = open.filter_map(|record| record.fields().parse()).collect();
        open.sort_by(|one, other| {
            let (one, other) = (project_cost(one), project_cost(other));
            other.unwrap_or(0.0).total_cmp(&one.unwrap_or(0.0))
        });
        open
    }

    fn describe_projects(&self) -> Vec<String> {
        let describe = |project: &Project| {
            join_parts([
                project.name.clone(),
                project.stage.as_deref().map(humanize_key),
                project_cost(project).map(format_dollars),
            ])
        };
        name_first(
            self.open_projects().iter().map(describe).collect(),
            "projects",
        )
    }

    /// The firms of a project; of an account, those that are on its other projects too.
    fn describe_partners(&self) -> Vec<String> {
        if *self.dataset == Dataset::Projects {
            let mut firms: Vec<Account> = self.embedded("accounts");
            firms.sort_by_key(Account::call_rank);
            let describe = |firm: &Account| {
                join_parts([
                    firm.role().map(humanize_key),
                    firm.name.clone(),
                    firm.public_phone.clone(),
                ])
            };
            return name_first(firms.iter().map(describe).collect(), "firms");
        }
        let is_here =
            |project: &&ProjectDetails| project.accounts.iter().any(|firm| firm.id.0 == self.id);
        let ours: Vec<&ProjectDetails> = self.projects.iter().filter(is_here).collect();
        let mut partners: HashMap<Uuid, (usize, &Account)> = HashMap::new();
        for firm in ours.iter().flat_map(|project| &project.accounts) {
            partners.entry(firm.id.0).or_insert((0, firm)).0 += 1;
        }
        partners.remove(&self.id);
        let mut partners: Vec<(usize, &Account)> = partners.into_values().collect();
        partners.retain(|(count, _)| *count > 1);
        partners.sort_by_key(|(count, firm)| (std::cmp::Reverse(*count), firm.name.clone()));
        let describe = |(count, firm): &(usize, &Account)| {
            let role = firm.role().map(humanize_key);
            let on = format!("on {count} of {} projects read", ours.len());
            join_parts([firm.name.clone(), role, Some(on)])
        };
        name_first(partners.iter().map(describe).collect(), "firms")
    }

    /// Those with a phone first; the firm's own number last.
    fn describe_people(&self) -> Vec<String> {
        let mut people: Vec<Contact> = self.embedded("contacts");
        people.sort_by_key(|person| (person.phone.is_none(), person.email.is_none()));
        let describe = |person: &Contact| {
            let reach = person.phone.as_ref().or(person.email.as_ref());
            join_parts([person.name.clone(), person.title.clone(), reach.cloned()])
        };
        let own = ["phone", "email", "public_phone"];
        let own = own.iter().filter_map(|field| self.fields.text(field));
        let people = name_first(people.iter().map(describe).collect(), "people");
        people.into_iter().chain(own.map(str::to_owned)).collect()
    }
}

fn project_cost(project: &Project) -> Option<f64> {
    project.cost_of_construction_usd.as_ref()?.as_f64()
}

fn describe_promises(note: &str, now: NaiveDateTime) -> Vec<String> {
    let mut open: Vec<Promise> = open_promises(note).collect();
    open.sort();
    let describe = |promise: &Promise| {
        let by = promise.by.as_deref();
        let by = by.map_or_else(String::new, |by| format!(" ({by})"));
        format!("{}: {}{by}", describe_due(promise.due(), now), promise.text)
    };
    open.iter().map(describe).collect()
}

fn join_parts<const COUNT: usize>(parts: [Option<String>; COUNT]) -> String {
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// The first lines, and how many more there are; a single one is named as well.
fn name_first(mut lines: Vec<String>, several: &str) -> Vec<String> {
    if lines.len() > MAX_NAMED + 1 {
        let more = lines.split_off(MAX_NAMED).len();
        lines.push(format!("{more} more {several}"));
    }
    lines
}

#[cfg(test)]
mod tests;
