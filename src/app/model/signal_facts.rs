//! What is known of a signal besides its row: what is being built, in which city, and which record
//! of the book is involved.
//!
//! Rows of the queue carry none of it. It comes from payloads and records that were read for other
//! reasons, or at the user's wish. Work happens when such data arrives; a lookup costs the same in
//! a list of any length.

use foldhash::HashMap;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::book::Dataset;
use crate::domain::brief::find_owner;
use crate::domain::cities::{city_of_source, locate_city};
use crate::domain::description::{Description, city_of_address, describe_project};
use crate::domain::person::Person;
use crate::domain::queue::QueueSignal;
use crate::domain::records::{Record, RecordFields};
use crate::domain::signals::Signal;
use crate::domain::{ProjectId, SignalId};

/// A column with fewer descriptions would be empty in most rows.
const DESCRIPTIONS_FOR_COLUMN: usize = 5;

/// An account or contact of the book that a project involves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMatch<'a> {
    pub name: &'a str,
    /// ICP tier; accounts only.
    pub tier: Option<&'a str>,
}

/// An account or contact of a project.
#[derive(Clone, Debug)]
struct InvolvedRecord {
    id: Uuid,
    name: String,
    is_account: bool,
}

#[derive(Clone, Debug, Default)]
pub struct SignalFacts {
    /// From the signals' payloads.
    signals: HashMap<SignalId, Description>,
    /// From the records of projects; cities also from payloads.
    projects: HashMap<ProjectId, Description>,
    /// What the payload of a project's first described signal says.
    work_of_filings: HashMap<ProjectId, String>,
    /// The cities that the sources of a project's signals suggest.
    guessed_cities: HashMap<ProjectId, String>,
    /// The accounts and contacts of projects.
    involved: HashMap<ProjectId, Vec<InvolvedRecord>>,
    /// The accounts and contacts known to be in the book, with their tiers.
    book: HashMap<Uuid, Option<String>>,
    /// Whose projects, accounts and contacts they are, by their tags.
    owners: HashMap<Uuid, String>,
    has_descriptions: bool,
    has_book_matches: bool,
    /// Whether any record was known to belong to somebody.
    pub has_owners: bool,
    /// The source of the first signal that named one.
    first_source: Option<String>,
    has_several_sources: bool,
    /// The first city that became known.
    first_city: Option<String>,
    has_several_cities: bool,
    /// Counts the changes: what depends on facts is brought up to date once for many of them.
    revision: u64,
    /// The members, by id and by address.
    people: HashMap<String, Person>,
}

impl SignalFacts {
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether enough descriptions are known for a column of them.
    pub fn has_descriptions(&self) -> bool {
        self.has_descriptions
    }

    /// Whether any project is known to involve an account or contact of the book.
    pub fn has_book_matches(&self) -> bool {
        self.has_book_matches
    }

    /// Whether signals came from more than one source: a column of them would say the same in every
    /// row.
    pub fn has_several_sources(&self) -> bool {
        self.has_several_sources
    }

    /// The city of all signals, if all come from one source and no other city is known: a column
    /// of it would say the same in every row.
    pub fn only_city(&self) -> Option<&str> {
        let is_only = !self.has_several_sources && !self.has_several_cities;
        self.first_city.as_deref().filter(|_| is_only)
    }

    fn note_city(&mut self, city: &str) {
        if !self.has_several_cities {
            let first = self.first_city.get_or_insert_with(|| city.to_owned());
            self.has_several_cities = first != city;
        }
    }

    /// Summarizes what is known, after it changed.
    pub fn summarize(&mut self) {
        let known = || self.signals.values().chain(self.projects.values());
        let has_descriptions = self.has_descriptions
            || known()
                .filter(|known| known.work.is_some())
                .nth(DESCRIPTIONS_FOR_COLUMN - 1)
                .is_some();
        let is_match = |involved: &Vec<InvolvedRecord>| {
            involved
                .iter()
                .any(|record| self.book.contains_key(&record.id))
        };
        self.has_book_matches = self.involved.values().any(is_match);
        self.has_descriptions = has_descriptions;
    }

    pub fn set_people(&mut self, people: impl Iterator<Item = Person>) {
        let keys = |person: Person| {
            person
                .keys()
                .map(|key| (key.to_owned(), person.clone()))
                .collect::<Vec<_>>()
        };
        self.people = people.flat_map(keys).collect();
    }

    /// The best name of a person.
    pub fn user_name<'a>(&'a self, person: &'a Person) -> &'a str {
        person.label(self.people.get(person.key()))
    }

    /// What is being built: as the signal's payload says, else the project's record. Another filing
    /// of the project may be about other work, so it speaks only for a signal whose own payload was
    /// read and says nothing, such as a deed.
    pub fn description(&self, signal: &Signal) -> Option<&str> {
        let own = self.signals.get(&signal.id);
        let work = own
            .and_then(|found| found.work.as_deref())
            .or_else(|| self.project(signal)?.work.as_deref());
        let other_filing = || {
            own.and(self.work_of_filings.get(&signal.project_id?))
                .map(String::as_str)
        };
        work.or_else(other_filing)
            .or_else(|| own?.record_type.as_deref())
    }

    /// What the signal's own payload says, for a list of filings of one project: what the project
    /// is would be the same in every row.
    pub fn filing_description(&self, signal: SignalId) -> Option<&str> {
        let own = self.signals.get(&signal)?;
        own.work.as_deref().or(own.record_type.as_deref())
    }

    /// The city for people to read: a guess by the signal's source where nothing else tells it.
    pub fn city<'a>(&'a self, signal: &'a Signal) -> Option<&'a str> {
        let of_project = || self.guessed_cities.get(&signal.project_id?);
        self.recorded_city(signal)
            .or_else(|| guess_city(signal))
            .or_else(|| of_project().map(String::as_str))
    }

    /// Takes what the row of a signal suggests for the other signals of its project, such as a loan
    /// that a county has recorded.
    pub fn learn_row(&mut self, signal: &Signal) {
        if let Some(source) = signal.source_name().filter(|_| !self.has_several_sources) {
            let first = self.first_source.get_or_insert_with(|| source.to_owned());
            self.has_several_sources = first != source;
        }
        if let (Some(project), Some(city)) = (signal.project_id, guess_city(signal)) {
            self.guessed_cities
                .entry(project)
                .or_insert_with(|| city.to_owned());
        }
        if let Some(city) = self.city(signal).map(str::to_owned) {
            self.note_city(&city);
        }
    }

    /// The same, and whether it is certain enough for conditions and rules: a record or an address
    /// names it, or it is a large city in the name of the source.
    pub fn city_and_certainty<'a>(&'a self, signal: &'a Signal) -> (Option<&'a str>, bool) {
        if let Some(city) = self.recorded_city(signal) {
            return (Some(city), true);
        }
        let guess = guess_city(signal);
        (guess, guess.is_some_and(|city| locate_city(city).is_some()))
    }

    /// The city that a record or an address names.
    fn recorded_city<'a>(&'a self, signal: &'a Signal) -> Option<&'a str> {
        let known = self
            .signals
            .get(&signal.id)
            .and_then(|found| found.city.as_deref());
        let address = || city_of_address(signal.project_primary_address.as_deref()?);
        known
            .or_else(|| self.project(signal)?.city.as_deref())
            .or_else(address)
    }

    /// The account or contact of the book that the signal's project involves, the one of the best
    /// tier, as far as data already read can tell.
    pub fn book_match(&self, row: &QueueSignal) -> Option<BookMatch<'_>> {
        let involved = self.involved.get(&row.signal.project_id?)?;
        let matches = involved.iter().filter_map(|record| {
            let tier = self.book.get(&record.id)?;
            Some(BookMatch {
                name: &record.name,
                tier: tier.as_deref(),
            })
        });
        matches.min_by_key(|found| (found.tier.is_none(), found.tier))
    }

    /// Whose project it is by its tag, or else whose account or contact it involves.
    pub fn owner(&self, signal: &Signal) -> Option<&str> {
        let project = signal.project_id?;
        let of_involved = || {
            let mut involved = self.involved.get(&project)?.iter();
            involved.find_map(|record| self.owners.get(&record.id))
        };
        let owner = self.owners.get(&project.0).or_else(of_involved);
        owner.map(String::as_str)
    }

    /// Takes the tags of a project, an account or a contact.
    pub fn learn_tags<'a>(&mut self, id: Uuid, tags: impl IntoIterator<Item = &'a str>) {
        let owner = find_owner(tags);
        if self.owners.get(&id).map(String::as_str) == owner {
            return;
        }
        self.revision += 1;
        self.has_owners = true;
        match owner {
            Some(owner) => self.owners.insert(id, owner.to_owned()),
            None => self.owners.remove(&id),
        };
    }

    /// The account of a project and its name: the one of the book with the best tier, otherwise the
    /// first one.
    pub fn main_account(&self, project: ProjectId) -> Option<(Uuid, &str)> {
        let accounts = self
            .involved
            .get(&project)?
            .iter()
            .filter(|record| record.is_account);
        let rank = |record: &&InvolvedRecord| {
            self.book
                .get(&record.id)
                .map_or((2, None), |tier| (tier.is_none().into(), tier.as_deref()))
        };
        accounts
            .min_by_key(rank)
            .map(|record| (record.id, record.name.as_str()))
    }

    /// The number of accounts and contacts of a project; `None` if they are not known.
    pub fn involved_count(&self, project: ProjectId) -> Option<usize> {
        self.involved.get(&project).map(Vec::len)
    }

    /// The projects whose accounts and contacts are known.
    pub fn projects_with_firms(&self) -> impl Iterator<Item = ProjectId> {
        self.involved.keys().copied()
    }

    fn project(&self, signal: &Signal) -> Option<&Description> {
        self.projects.get(&signal.project_id?)
    }

    /// Whether the payload of a signal was read, now or in an earlier session.
    pub fn is_described(&self, signal: SignalId) -> bool {
        self.signals.contains_key(&signal)
    }

    /// Takes what the payload of a signal says.
    pub fn describe_signal(
        &mut self,
        signal: SignalId,
        project: Option<ProjectId>,
        description: Description,
    ) {
        self.revision += 1;
        if let Some(city) = &description.city {
            self.note_city(city);
        }
        if let Some(project) = project {
            let known = self.projects.entry(project).or_default();
            known.city = known.city.take().or_else(|| description.city.clone());
            if let Some(work) = &description.work {
                self.work_of_filings
                    .entry(project)
                    .or_insert_with(|| work.clone());
            }
        }
        self.signals.insert(signal, description);
    }

    /// Takes a record, with the records it includes. `in_book` is whether the book has it, where
    /// the route says so.
    pub fn learn_record(&mut self, dataset: &Dataset, record: &Record, in_book: Option<bool>) {
        self.revision += 1;
        let fields = record.fields();
        match dataset {
            Dataset::Projects => self.learn_project(record.id, &fields),
            Dataset::Accounts | Dataset::Contacts => self.learn_account_or_contact(
                record.id,
                &fields,
                *dataset == Dataset::Accounts,
                in_book,
            ),
            Dataset::Signals => self.learn_signal(record.id, &fields),
            Dataset::Other(_) => {}
        }
    }

    /// The accounts and contacts of projects that are not known to be in the book.
    pub fn unmatched(&self) -> impl Iterator<Item = Uuid> {
        self.involved
            .values()
            .flatten()
            .map(|record| record.id)
            .filter(|id| !self.is_in_book(*id))
    }

    /// Whether the book is known to have an account or contact.
    pub fn is_in_book(&self, id: Uuid) -> bool {
        self.book.contains_key(&id)
    }

    /// Whether the book has an account or contact, and its tier where that is known.
    pub fn set_in_book(&mut self, id: Uuid, is_in_book: bool, tier: Option<Option<String>>) {
        self.revision += 1;
        if is_in_book {
            let known = self.book.entry(id).or_default();
            *known = tier.unwrap_or_else(|| known.take());
        } else {
            self.book.remove(&id);
        }
    }

    fn learn_project(&mut self, id: Uuid, fields: &RecordFields) {
        let project = ProjectId(id);
        self.learn_owner(id, fields);
        if let Some(work) = fields.parse().as_ref().and_then(describe_project) {
            self.projects.entry(project).or_default().work = Some(work);
        }
        if let Some(city) = fields.text("city").filter(|city| !city.is_empty()) {
            self.projects.entry(project).or_default().city = Some(city.to_owned());
            self.note_city(city);
        }
        if fields.contains_field("accounts") || fields.contains_field("contacts") {
            self.involved.insert(project, Vec::new());
        }
        self.learn_involved(project, fields);
    }

    fn learn_account_or_contact(
        &mut self,
        id: Uuid,
        fields: &RecordFields,
        is_account: bool,
        in_book: Option<bool>,
    ) {
        if let Some(is_in_book) = in_book.or_else(|| is_in_book(fields)) {
            let tier = fields
                .contains_field("icp_tier")
                .then(|| fields.text("icp_tier").map(str::to_owned));
            self.set_in_book(id, is_in_book, tier);
        }
        self.learn_owner(id, fields);
        let name = fields.text("name").unwrap_or("unnamed");
        for project in fields.embedded_records("projects") {
            self.learn_project(project.id, &project.fields());
            self.involve(ProjectId(project.id), id, name, is_account);
        }
    }

    fn learn_owner(&mut self, id: Uuid, fields: &RecordFields) {
        if fields.contains_field("tags") {
            self.learn_tags(id, fields.list("tags"));
        }
    }

    fn learn_signal(&mut self, id: Uuid, fields: &RecordFields) {
        if let Some(payload) = fields.get("raw_data") {
            self.describe_signal(SignalId(id), None, Description::from_payload(payload));
        }
        for project in fields.embedded_records("project") {
            self.learn_project(project.id, &project.fields());
            self.learn_involved(ProjectId(project.id), fields);
        }
    }

    /// The accounts and contacts that a record includes belong to this project.
    fn learn_involved(&mut self, project: ProjectId, fields: &RecordFields) {
        for include in ["accounts", "contacts"] {
            for record in fields.embedded_records(include) {
                let fields = record.fields();
                self.learn_account_or_contact(record.id, &fields, include == "accounts", None);
                self.involve(
                    project,
                    record.id,
                    fields.text("name").unwrap_or("unnamed"),
                    include == "accounts",
                );
            }
        }
    }

    fn involve(&mut self, project: ProjectId, id: Uuid, name: &str, is_account: bool) {
        let involved = self.involved.entry(project).or_default();
        if !involved.iter().any(|record| record.id == id) {
            involved.push(InvolvedRecord {
                id,
                name: name.to_owned(),
                is_account,
            });
        }
    }
}

/// Whether the book has an included record; `None` where its fields do not say so.
fn is_in_book(fields: &RecordFields) -> Option<bool> {
    let annotated = fields.contains_field("updated_at") && fields.contains_field("tags");
    fields
        .get("in_book")
        .and_then(Value::as_bool)
        .or_else(|| annotated.then(|| !fields.is_outside_book()))
}

/// The city that the name of the signal's source suggests.
fn guess_city(signal: &Signal) -> Option<&str> {
    city_of_source(signal.source_display_name.as_deref()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(n: u128) -> QueueSignal {
        let id = Uuid::from_u128(n);
        serde_json::from_value(
            json!({ "id": id, "project_id": Uuid::from_u128(9), "signal_type": "permit_issued" }),
        )
        .unwrap()
    }

    fn work(text: &str) -> Description {
        Description {
            work: Some(text.to_owned()),
            ..Description::default()
        }
    }

    #[test]
    fn a_signal_without_a_city_has_that_of_its_project() {
        let (mut permit, mut loan) = (row(1).signal, row(2).signal);
        permit.source_display_name = Some("Boston Inspectional Services".to_owned());
        loan.source_display_name = Some("County Recorder".to_owned());
        let mut facts = SignalFacts::default();
        facts.learn_row(&permit);
        assert_eq!(facts.city(&loan), Some("Boston"));
        assert_eq!(
            facts.city_and_certainty(&loan),
            (None, false),
            "it is for people to read"
        );
    }

    #[test]
    fn a_signal_belongs_to_whom_a_tag_of_its_project_or_an_account_names() {
        let mut facts = SignalFacts::default();
        let record = |id: u128, more: serde_json::Value| {
            let mut fields = json!({"id": Uuid::from_u128(id)});
            fields
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            serde_json::from_value::<Record>(fields).unwrap()
        };
        let account = json!({"projects": [{"id": Uuid::from_u128(9)}], "tags": ["owner:Ben"]});
        facts.learn_record(&Dataset::Accounts, &record(5, account), Some(true));
        assert_eq!(facts.owner(&row(1).signal), Some("Ben"));
        facts.learn_record(
            &Dataset::Projects,
            &record(9, json!({"tags": ["owner:Ana"]})),
            None,
        );
        assert_eq!(facts.owner(&row(1).signal), Some("Ana"));
        facts.learn_tags(Uuid::from_u128(9), ["repeat"]);
        assert_eq!(facts.owner(&row(1).signal), Some("Ben"));
    }

    #[test]
    fn another_filing_of_the_project_speaks_only_for_a_signal_whose_payload_says_nothing() {
        let (permit, other, deed) = (row(1), row(2), row(3));
        let mut facts = SignalFacts::default();
        facts.describe_signal(
            permit.signal.id,
            permit.signal.project_id,
            work("New stairs"),
        );
        let own = Description {
            record_type: Some("Deed of trust".to_owned()),
            ..Description::default()
        };
        facts.describe_signal(deed.signal.id, deed.signal.project_id, own);
        let said =
            [&permit, &other, &deed].map(|row| facts.description(&row.signal).map(str::to_owned));
        assert_eq!(
            said,
            [
                Some("New stairs".to_owned()),
                None,
                Some("New stairs".to_owned())
            ]
        );
    }
}
