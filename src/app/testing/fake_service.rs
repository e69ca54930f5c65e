//! The service's records in console tests: an index, a book over it, and Views.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::fake_skills;
use crate::app::effect::{ListId, RecordKey, WriteRequest};
use crate::domain::ViewId;
use crate::domain::annotate::AnnotationWrite;
use crate::domain::batch::{BatchItemError, BatchItemResult};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::conditions::Test;
use crate::domain::credits::LedgerReport;
use crate::domain::records::Record;
use crate::domain::search::{RecordSource, Search, SearchPage};
use crate::domain::skills::SkillCall;
use crate::domain::views::{Favorite, View};
use crate::domain::vocabulary::{NlTranslation, Vocabulary};

const ANNOTATION_FIELDS: [&str; 6] = [
    "workspace_status",
    "notes",
    "tags",
    "icp_tier",
    "atlas_score",
    "updated_at",
];

/// Records by dataset in name order, the book, Views and favorites.
#[derive(Clone, Debug, Default)]
pub struct FakeService {
    /// Files of the user.
    pub files: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>,
    pub records: BTreeMap<&'static str, Vec<Map<String, Value>>>,
    /// The annotation of each record in the book.
    pub book: BTreeMap<Uuid, Map<String, Value>>,
    pub views: Vec<View>,
    pub members: BTreeMap<ViewId, BTreeSet<Uuid>>,
    pub favorites: BTreeSet<ViewId>,
    /// Credits spent.
    pub spent: u64,
    /// The Skills; `orders` records the calls that changed them.
    pub skills: Vec<fake_skills::FakeSkill>,
    /// See [`FakeService::skills`].
    pub orders: Vec<SkillCall>,
    pub ledger: Option<LedgerReport>,
    /// Records that reject every write.
    pub rejecting_records: BTreeSet<Uuid>,
}

pub fn account_id(n: usize) -> Uuid {
    Uuid::from_u128(0x3000 + n as u128)
}

pub fn view_id(n: usize) -> ViewId {
    ViewId(Uuid::from_u128(0x7000 + n as u128))
}

const FIRMS: [(&str, &str, &str); 12] = [
    ("Arbor Civil", "engineer", "Austin"),
    ("Brightline GC", "gc", "Austin"),
    ("Calder Residential", "developer", "Austin"),
    ("Harlan & Sons", "gc", "Dallas"),
    ("Juniper Capital", "developer", "Houston"),
    ("Moss & Vale", "engineer", "Dallas"),
    ("Northgate Partners", "developer", "Austin"),
    ("Oak & Iron Builders", "gc", "San Antonio"),
    ("Studio Pell", "architect", "Austin"),
    ("Tidewater Builders", "gc", "Houston"),
    ("Vantage Mechanical", "engineer", "Austin"),
    ("Westmark Partners", "developer", "Dallas"),
];

impl FakeService {
    /// Twelve firms, eight of them in the book, a Static View of six and a Dynamic View of all.
    pub fn new() -> FakeService {
        FakeService::with_firms(FIRMS.len())
    }

    /// This many firms, two of three in the book.
    pub fn with_firms(firms: usize) -> FakeService {
        let mut service = FakeService::default();
        let firm = |n: usize| {
            let (name, kind, city) = FIRMS[n % FIRMS.len()];
            (
                if n < FIRMS.len() {
                    name.to_owned()
                } else {
                    format!("{name} {}", n / FIRMS.len())
                },
                kind,
                city,
            )
        };
        // In the order of the index.
        let mut all: Vec<_> = (0..firms).map(firm).collect();
        all.sort();
        let accounts = all.into_iter().enumerate().map(|(n, (name, kind, city))| {
            into_object(json!({
                "id": account_id(n), "name": name, "account_types": [kind], "city": city, "state": "TX",
                "domains": [format!("firm{n}.example")], "website": format!("https://firm{n}.example"), "projects_count": n % 7,
                "contacts_count": 1, "created_at": "2025-03-01T00:00:00Z",
                "projects": [{ "id": Uuid::from_u128(0x5000), "name": "Harbor Yard Lofts", "stage": "permitted", "city": "Austin", "state": "TX" }],
                "contacts": [{ "id": Uuid::from_u128(0x4000 + n as u128), "name": "D. Okafor", "title": "VP Development", "email": "d@firm.example" }],
                "signals": [],
            }))
        });
        service.records.insert("accounts", accounts.collect());
        service.records.insert(
            "contacts",
            vec![into_object(json!({ "id": Uuid::from_u128(0x4000), "name": "D. Okafor", "title": "VP Development" }))],
        );
        service.records.insert(
            "projects",
            vec![into_object(json!({ "id": Uuid::from_u128(0x5000), "name": "Harbor Yard Lofts", "stage": "permitted", "city": "Austin", "state": "TX" }))],
        );
        for n in (0..firms).filter(|n| n % 3 != 0) {
            let tier = ["tier_1", "tier_2", "tier_3"][n % 3];
            let status = ["watching", "contacted", "cold", "active"][n % 4];
            let overlay = json!({ "workspace_status": status, "notes": if n % 2 == 0 { json!("met at the fair") } else { Value::Null }, "tags": ["austin"],
                "icp_tier": tier, "atlas_score": 40 + n % 50, "updated_at": "2026-07-01T00:00:00Z" });
            service.book.insert(account_id(n), into_object(overlay));
        }
        let view = |n: usize, name: &str, kind: &str| -> View {
            serde_json::from_value(json!({ "id": view_id(n), "name": name, "dataset": "account", "type": kind, "updated_at": "2026-06-30T00:00:00Z" }))
                .expect("a View")
        };
        service.views = vec![
            view(1, "Austin GC watchlist", "static"),
            view(2, "New architects", "dynamic"),
        ];
        service.views[1].definition = Some(json!({ "match": "all", "conditions": [
            { "field": "account_type", "op": "is", "value": ["developer"] },
            { "field": "city", "op": "contains", "value": ["Austin", "Dallas", "Houston", "San Antonio"] },
        ] }));
        service
            .members
            .insert(view_id(1), (0..firms.div_ceil(2)).map(account_id).collect());
        service.favorites.insert(view_id(2));
        service.skills = fake_skills::sample_skills();
        service
    }

    fn record_for_source(&self, record: &Map<String, Value>, source: &RecordSource) -> Record {
        let id = id_of(record);
        let mut fields = record.clone();
        fields.retain(|name, _| !["projects", "contacts", "signals"].contains(&name.as_str()));
        if !matches!(source, RecordSource::Index(_)) {
            // A View row has everything but the note.
            for name in ANNOTATION_FIELDS
                .into_iter()
                .filter(|name| *name != "notes" || matches!(source, RecordSource::Book(_)))
            {
                let value = self
                    .book
                    .get(&id)
                    .and_then(|overlay| overlay.get(name))
                    .cloned();
                fields.insert(name.to_owned(), value.unwrap_or_default());
            }
        }
        Record::try_from(&Value::Object(fields)).expect("a record")
    }

    pub fn search(
        &mut self,
        source: &RecordSource,
        search: &Search,
        after: Option<&str>,
        limit: u32,
    ) -> SearchPage {
        let rows = self
            .records
            .get(source.dataset().as_str())
            .cloned()
            .unwrap_or_default();
        let query = search.query.to_lowercase();
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| match source {
                RecordSource::Index(_) => true,
                RecordSource::Book(_) => self.book.contains_key(&id_of(row)),
                RecordSource::View(view, _) => self
                    .members
                    .get(view)
                    .is_none_or(|members| members.contains(&id_of(row))),
            })
            .filter(|row| {
                row["name"]
                    .as_str()
                    .unwrap_or_default()
                    .to_lowercase()
                    .contains(&query)
            })
            .filter(|row| {
                search
                    .filters
                    .criteria()
                    .iter()
                    .all(|(key, filter)| match filter {
                        Test::Values { values, exact, .. } => {
                            values.iter().any(|value| match (value, row.get(key)) {
                                // A similar name: it contains the words.
                                (Value::String(words), Some(Value::String(name)))
                                    if !exact && key == "name" =>
                                {
                                    name.to_lowercase().contains(&words.to_lowercase())
                                }
                                (value, own) => own == Some(value),
                            })
                        }
                        _ => true,
                    })
            })
            .map(|row| self.record_for_source(row, source))
            .collect();
        let from = after.map_or(0, |cursor| {
            cursor.parse().expect("a cursor of this service")
        });
        let page: Vec<Record> = rows
            .iter()
            .skip(from)
            .take(limit as usize)
            .cloned()
            .collect();
        let end = from + page.len();
        self.spent += page.len() as u64;
        SearchPage {
            unreadable: 0,
            total: Some((rows.len() as u64).min(1_000)),
            total_is_capped: rows.len() > 1_000,
            search_after: (end < rows.len()).then(|| end.to_string()),
            credits: Some(page.len() as u64),
            rows: page,
        }
    }

    pub fn get_record(&mut self, key: &RecordKey) -> Option<Record> {
        let record = self
            .records
            .get(key.dataset.as_str())?
            .iter()
            .find(|record| id_of(record) == key.id)?;
        if key.in_book && !self.book.contains_key(&key.id) {
            return None;
        }
        let mut fields = record.clone();
        if key.in_book {
            // The book has no phone and no e-mail of a person.
            if key.dataset == Dataset::Contacts {
                fields.retain(|name, _| !["phone", "email"].contains(&name.as_str()));
            }
            fields.extend(self.book[&key.id].clone());
        }
        self.spent += 1;
        Record::try_from(&Value::Object(fields)).ok()
    }

    pub fn favorites(&self) -> Vec<Favorite> {
        self.favorites
            .iter()
            .map(|view| Favorite { view_id: *view })
            .collect()
    }

    pub fn apply_write(&mut self, write: &WriteRequest) -> Vec<BatchItemResult> {
        match write {
            WriteRequest::Annotate { record_kind, items } => items
                .iter()
                .enumerate()
                .map(|(index, item)| BatchItemResult {
                    index,
                    ..self.annotate(record_kind, item)
                })
                .collect(),
            WriteRequest::Forget { ids, .. } => self.apply_to_each(ids, |service, id| {
                service.book.remove(&id);
            }),
            WriteRequest::Add { view, ids } => self.apply_to_each(ids, |service, id| {
                service.members.entry(*view).or_default().insert(id);
            }),
            WriteRequest::Remove { view, ids } => self.apply_to_each(ids, |service, id| {
                service.members.entry(*view).or_default().remove(&id);
            }),
            WriteRequest::Favorite {
                view,
                is_favorite: on,
            } => {
                if *on {
                    self.favorites.insert(*view)
                } else {
                    self.favorites.remove(view)
                };
                vec![BatchItemResult::ok()]
            }
            WriteRequest::Subscription(_) | WriteRequest::Team(_) => {
                unreachable!("the office does it")
            }
            WriteRequest::Skills(orders) => self.apply_skill_edits(orders),
            WriteRequest::DeleteView(view) => {
                self.views.retain(|known| known.id != *view);
                vec![BatchItemResult::ok()]
            }
            WriteRequest::SaveView(draft) => {
                let id = draft.view_id.unwrap_or(view_id(self.views.len() + 1));
                let mut made = self
                    .views
                    .iter()
                    .find(|view| view.id == id)
                    .map(|view| into_object(json!(view)))
                    .unwrap_or_default();
                made.extend(into_object(json!(draft)));
                made.insert("id".to_owned(), json!(id));
                self.views.retain(|view| view.id != id);
                self.views
                    .push(serde_json::from_value(Value::Object(made)).expect("a View"));
                vec![BatchItemResult {
                    record_id: Some(id.0),
                    ..BatchItemResult::ok()
                }]
            }
        }
    }

    fn annotate(&mut self, record_kind: &RecordKind, item: &AnnotationWrite) -> BatchItemResult {
        let before = item
            .baseline
            .as_ref()
            .and_then(|_| self.get_record(&RecordKey::for_book(record_kind, item.id)));
        let checked = match item.check(before) {
            Ok(checked) => checked,
            Err(refused) => return *refused,
        };
        if self.rejecting_records.contains(&item.id) {
            return rejected_item(0, "it is being merged");
        }
        if !checked.is_noop() {
            let saved = || into_object(json!({ "tags": [], "updated_at": "2026-07-09T09:20:14Z" }));
            self.book
                .entry(item.id)
                .or_insert_with(saved)
                .extend(into_object(json!(checked.written)));
        }
        BatchItemResult {
            checked: item.baseline.as_ref().map(|_| checked),
            ..BatchItemResult::ok()
        }
    }

    fn apply_to_each(
        &mut self,
        ids: &[Uuid],
        change: impl Fn(&mut FakeService, Uuid),
    ) -> Vec<BatchItemResult> {
        ids.iter()
            .enumerate()
            .map(|(index, id)| {
                if self.rejecting_records.contains(id) {
                    return rejected_item(index, "it is being merged");
                }
                change(self, *id);
                BatchItemResult {
                    index,
                    record_id: Some(*id),
                    ..BatchItemResult::ok()
                }
            })
            .collect()
    }
}

fn rejected_item(index: usize, why: &str) -> BatchItemResult {
    let error = BatchItemError {
        code: "bad_request".to_owned(),
        message: why.to_owned(),
    };
    BatchItemResult {
        index,
        status: "error".to_owned(),
        error: Some(error),
        ..BatchItemResult::ok()
    }
}

fn into_object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else {
        panic!("an object")
    };
    object
}

fn id_of(record: &Map<String, Value>) -> Uuid {
    record["id"]
        .as_str()
        .and_then(|id| id.parse().ok())
        .expect("an ID")
}

/// The filterable fields of a dataset.
pub fn vocabulary(dataset: &Dataset) -> Vocabulary {
    let text = |key: &str| json!({"key": key, "label": key, "kind": "text", "multi": true, "exact_match": true});
    let words = |key: &str, values: &[&str]| json!({"key": key, "label": key, "kind": "enum", "multi": true, "values": values});
    let range = |key: &str, kind: &str| json!({"key": key, "label": key, "kind": kind});
    let relation = |key: &str, fields: &[Value]| json!({"key": key, "label": key, "kind": "relation", "fields": fields});
    let firm = [
        words("role", &["developer", "gc", "engineer"]),
        text("name"),
    ];
    let signal = [
        words("signal_type", &["permit_filed", "permit_issued"]),
        range("filed_at", "date"),
    ];
    let fields = match dataset {
        Dataset::Projects => json!([
            words("stage", &["approved", "permitted", "under_construction"]),
            words("primary_use", &["multifamily", "mixed_use"]),
            text("city"),
            text("name"),
            json!({"key": "stories_known", "kind": "boolean", "multi": false}),
            range("stories", "number"),
            range("cost_of_construction_usd", "number"),
            range("last_signal_at", "date"),
            relation("has_account", &firm),
            relation("without_account", &firm),
            relation("has_signal", &signal),
            relation("without_signal", &signal),
        ]),
        _ => json!([
            text("city"),
            text("name"),
            words("account_type", &["developer", "gc"])
        ]),
    };
    serde_json::from_value(fields).expect("a vocabulary")
}

/// Understands cities and general contractors, as a simple service would.
pub fn translate_question(question: &str) -> NlTranslation {
    let filters = match question.contains("Austin") {
        true => json!({"city": {"value": "Austin"}, "without_account": {"role": {"value": "gc"}}}),
        false => json!({}),
    };
    let unmatched: Vec<&str> = match question.contains("by cost") {
        true => vec![question],
        false => question
            .split(' ')
            .filter(|word| *word == "pretty")
            .collect(),
    };
    serde_json::from_value(
        match question.strip_prefix("top 20 accounts") {
            Some(_) => json!({"filters": {}, "sort": {"field": "projects_count", "order": "desc"}, "limit": 20}),
            None => json!({"filters": filters, "explanation": "by rules", "unmatched": unmatched}),
        },
    )
    .expect("filters")
}

/// The book's list of accounts.
pub fn accounts_list() -> ListId {
    ListId::Book(crate::domain::book::RecordKind::Accounts)
}
