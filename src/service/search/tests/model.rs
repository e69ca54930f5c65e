//! Random filters, evaluated by SQL and by a naive implementation over the records in memory.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::*;
use crate::domain::fuzzy::QueryText;
use crate::service::db::columns::ColumnCache;
use crate::service::search::fields::{
    FilterColumn, FilterDialect, FilterKey, FilterKind, TextMatch, filter_keys,
};
use crate::service::search::tests::bodies::BodyGenerator;
use crate::service::search::vocabulary::FilterEntity;

type Record = BTreeMap<String, Value>;

/// The index in memory: every record with its columns and those of the book, and the relations
/// between records by row.
struct NaiveModel {
    records: BTreeMap<&'static str, Vec<Record>>,
    project_contacts: BTreeSet<(String, String)>,
    project_accounts: Vec<(String, String, String)>,
}

impl NaiveModel {
    fn load(conn: &db::Conn) -> NaiveModel {
        let mut records = BTreeMap::new();
        for dataset in Dataset::ALL {
            let (table, word) = (dataset.plural(), dataset.singular());
            let sql = format!(
                "SELECT hex(r.id) AS id, r.*, b.record_id IS NOT NULL AS saved, b.icp_tier, b.atlas_score, b.workspace_status, b.tags
                 FROM {table} r LEFT JOIN book b ON b.workspace_id = ?1 AND b.dataset = '{word}' AND b.record_id = r.id"
            );
            let mut read = conn.prepare(&sql).unwrap();
            let names = read.column_names();
            let mut rows = read.query([WORKSPACE.0]).unwrap();
            let mut all = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                let mut record = Record::new();
                for (at, name) in names.iter().enumerate() {
                    use crate::service::db::sql::ValueRef;
                    let value = match row.get_ref(at).unwrap() {
                        ValueRef::Null => Value::Null,
                        ValueRef::Integer(number) => json!(number),
                        ValueRef::Real(number) => json!(number),
                        ValueRef::Text(text) => json!(std::str::from_utf8(text).unwrap()),
                        ValueRef::Blob(bytes) => json!(
                            bytes
                                .iter()
                                .map(|byte| format!("{byte:02X}"))
                                .collect::<String>()
                        ),
                    };
                    record.entry(name.clone()).or_insert(value);
                }
                all.push(record);
            }
            records.insert(table, all);
        }
        let pairs = |sql: &str| -> Vec<(String, String, String)> {
            let mut read = conn.prepare(sql).unwrap();
            read.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap()
        };
        let staff = pairs("SELECT hex(project_id), hex(contact_id), '' FROM project_contacts");
        NaiveModel {
            records,
            project_contacts: staff
                .into_iter()
                .map(|(project, contact, _)| (project, contact))
                .collect(),
            project_accounts: pairs(
                "SELECT hex(project_id), hex(account_id), role FROM project_accounts",
            ),
        }
    }

    /// The related records of a record, each with its role if it has one.
    fn related_records(&self, from: Dataset, record: &Record, to: Dataset) -> Vec<Record> {
        let id = record["id"].as_str().unwrap();
        let all = &self.records[to.plural()];
        let one = |of: &str| {
            all.iter()
                .filter(|other| !record[of].is_null() && other["id"] == record[of])
                .cloned()
                .collect()
        };
        let parts = |project: &str| {
            let parts = self
                .project_accounts
                .iter()
                .filter(|part| part.0 == project);
            parts
                .map(|(_, account, role)| {
                    let mut found = all
                        .iter()
                        .find(|other| other["id"] == *account)
                        .unwrap()
                        .clone();
                    found.insert("role".into(), json!(role));
                    found
                })
                .collect()
        };
        let firm_has = |project: &Value| {
            self.project_accounts
                .iter()
                .any(|part| part.1 == id && *project == part.0)
        };
        match (from, to) {
            (Dataset::Accounts, Dataset::Projects) => all
                .iter()
                .filter(|other| firm_has(&other["id"]))
                .cloned()
                .collect(),
            (Dataset::Accounts, Dataset::Signals) => all
                .iter()
                .filter(|other| firm_has(&other["project_id"]))
                .cloned()
                .collect(),
            (Dataset::Accounts, Dataset::Contacts) => all
                .iter()
                .filter(|other| other["account_id"] == id)
                .cloned()
                .collect(),
            (Dataset::Contacts, Dataset::Accounts) => one("account_id"),
            (Dataset::Contacts, Dataset::Projects) => {
                let on = |other: &&Record| {
                    self.project_contacts
                        .contains(&(other["id"].as_str().unwrap().to_owned(), id.to_owned()))
                };
                all.iter().filter(on).cloned().collect()
            }
            (Dataset::Projects, Dataset::Accounts) => parts(id),
            (Dataset::Projects, Dataset::Signals) => all
                .iter()
                .filter(|other| other["project_id"] == id)
                .cloned()
                .collect(),
            (Dataset::Projects, Dataset::Contacts) => {
                let on = |other: &&Record| {
                    self.project_contacts
                        .contains(&(id.to_owned(), other["id"].as_str().unwrap().to_owned()))
                };
                all.iter().filter(on).cloned().collect()
            }
            (Dataset::Signals, Dataset::Projects) => one("project_id"),
            (Dataset::Signals, Dataset::Accounts) => parts(record["project_id"].as_str().unwrap()),
            _ => unreachable!(),
        }
    }

    fn meets(
        &self,
        dataset: Dataset,
        record: &Record,
        filters: &Value,
        place: FilterDialect,
    ) -> bool {
        self.all_hold(
            dataset,
            record,
            filters,
            &filter_keys(dataset, place),
            place,
        )
    }

    fn all_hold(
        &self,
        dataset: Dataset,
        record: &Record,
        filters: &Value,
        known: &[&'static FilterKey],
        place: FilterDialect,
    ) -> bool {
        filters.as_object().unwrap().iter().all(|(key, filter)| {
            let field = known.iter().find(|field| field.key == key).unwrap();
            let FilterKind::Relation(relation) = &field.kind else {
                return value_matches(record, field, filter);
            };
            let related = self.related_records(dataset, record, relation.related);
            let some = related.iter().any(|other| {
                self.all_hold(
                    relation.related,
                    other,
                    filter,
                    &field.inner_keys(place),
                    place,
                )
            });
            some != relation.negated
        })
    }
}

/// Whether a record matches a filter that is not relational.
fn value_matches(record: &Record, field: &FilterKey, filter: &Value) -> bool {
    let value = match field.column {
        FilterColumn::Record | FilterColumn::Book => record[field.key].clone(),
        FilterColumn::RecordList(name) => record[name].clone(),
        FilterColumn::JoinRow => record["role"].clone(),
        FilterColumn::Tags => record["tags"].clone(),
        FilterColumn::HasValue(name) => json!(!record[name].is_null()),
        FilterColumn::Related => unreachable!(),
    };
    if matches!(field.kind, FilterKind::Number | FilterKind::Date) {
        let Some(number) = value.as_f64() else {
            return false;
        };
        let day = |text: &str| {
            text.parse::<chrono::NaiveDate>()
                .unwrap()
                .and_time(chrono::NaiveTime::MIN)
                .and_utc()
                .timestamp_millis() as f64
        };
        let end = |key: &str, more: f64| {
            filter.get(key).map(|end| {
                end.as_str()
                    .map_or_else(|| end.as_f64().unwrap(), |text| day(text) + more)
            })
        };
        return end("min", 0.0).is_none_or(|min| min <= number)
            && end("max", 86_399_999.0).is_none_or(|max| number <= max);
    }
    let wanted = match &filter["value"] {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    let exact = filter["exact_match"] == true;
    let passes = wanted.iter().any(|wanted| {
        let (Some(text), Some(sought)) = (value.as_str(), wanted.as_str()) else {
            return !value.is_null() && value == *wanted;
        };
        match (&field.kind, &field.column) {
            (_, FilterColumn::RecordList(_) | FilterColumn::Tags) => {
                serde_json::from_str::<Vec<String>>(text)
                    .unwrap()
                    .iter()
                    .any(|one| one == sought)
            }
            (FilterKind::Text(TextMatch::Fuzzy), _) if !exact => {
                QueryText::new(sought).matches(text)
            }
            (FilterKind::Text(TextMatch::Fuzzy | TextMatch::AnyCase), _) => {
                text.to_lowercase() == sought.to_lowercase()
            }
            (FilterKind::Uuid, _) => text == sought.replace('-', "").to_uppercase(),
            _ => text == sought,
        }
    });
    passes != (filter["exclude"] == true)
}

/// A sample of a field's values.
fn sample_values(memory: &NaiveModel, dataset: Dataset, field: &FilterKey) -> Vec<Value> {
    let column = match field.column {
        FilterColumn::Record | FilterColumn::Book => field.key,
        _ => return Vec::new(),
    };
    let all = memory.records[dataset.plural()]
        .iter()
        .map(|record| record[column].clone());
    let mut values: Vec<Value> = all
        .filter(|value| !value.is_null())
        .step_by(7)
        .take(40)
        .collect();
    if matches!(field.kind, FilterKind::Text(TextMatch::Fuzzy)) {
        let words = values.iter().filter_map(Value::as_str).flat_map(|text| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        values = words
            .step_by(3)
            .map(Value::from)
            .chain(values.clone())
            .collect();
    }
    values
}

fn random_filter(
    memory: &NaiveModel,
    dataset: Dataset,
    field: &'static FilterKey,
    place: FilterDialect,
) -> BoxedStrategy<Value> {
    let scalars = |values: Vec<Value>| {
        let many = proptest::collection::vec(select(values.clone()), 1..3).prop_map(Value::Array);
        prop_oneof![select(values), many]
    };
    let plain = |values: BoxedStrategy<Value>, exact: bool| {
        (
            values,
            proptest::option::of(any::<bool>()),
            proptest::option::of(any::<bool>()),
        )
            .prop_map(move |(value, exact_match, exclude)| {
                let mut filter = json!({ "value": value });
                if let Some(flag) = exact_match.filter(|_| exact) {
                    filter["exact_match"] = json!(flag);
                }
                if let Some(flag) = exclude {
                    filter["exclude"] = json!(flag);
                }
                filter
            })
            .boxed()
    };
    let range = |values: Vec<Value>| {
        (
            proptest::option::of(select(values.clone())),
            proptest::option::of(select(values)),
        )
            .prop_map(|(min, max)| {
                as_object(
                    [("min", min), ("max", max)]
                        .into_iter()
                        .filter_map(|(key, end)| Some((key.to_owned(), end?))),
                )
            })
            .boxed()
    };
    match &field.kind {
        FilterKind::Relation(relation) => {
            let inner = random_filters(memory, relation.related, field.inner_keys(place), place);
            inner.boxed()
        }
        FilterKind::Number => {
            let mut values = sample_values(memory, dataset, field);
            values.extend([json!(3), json!(12.5)]);
            range(values)
        }
        FilterKind::Date => {
            let days = sample_values(memory, dataset, field)
                .into_iter()
                .filter_map(|at| at.as_i64());
            range(
                days.map(|at| json!(db::values::format_date(at)))
                    .chain([json!("2026-01-01")])
                    .collect(),
            )
        }
        FilterKind::Enum(words) => plain(
            scalars(words.to_vec().into_iter().map(Value::from).collect()).boxed(),
            false,
        ),
        FilterKind::Boolean => plain(scalars(vec![json!(true), json!(false)]).boxed(), false),
        FilterKind::Uuid => {
            let ids = sample_values(memory, dataset, field)
                .into_iter()
                .map(|id| json!(Uuid::parse_str(id.as_str().unwrap()).unwrap()));
            plain(
                scalars(ids.chain([json!(Uuid::nil())]).collect()).boxed(),
                false,
            )
        }
        FilterKind::Text(_) => {
            let mut values = sample_values(memory, dataset, field);
            values.extend(["hot", "Contacted", "tx", "zzzz", "e"].map(Value::from));
            plain(scalars(values).boxed(), true)
        }
    }
}

fn random_filters(
    memory: &NaiveModel,
    dataset: Dataset,
    known: Vec<&'static FilterKey>,
    place: FilterDialect,
) -> impl Strategy<Value = Value> + use<> {
    let each: Vec<BoxedStrategy<(String, Value)>> = known
        .into_iter()
        .map(|field| {
            random_filter(memory, dataset, field, place)
                .prop_map(move |filter| (field.key.to_owned(), filter))
                .boxed()
        })
        .collect();
    proptest::collection::vec(proptest::strategy::Union::new(each), 0..3).prop_map(as_object)
}

#[test]
fn a_search_and_a_naive_model_find_the_same_records() {
    for conn in sample_connections(60) {
        compare_with_a_naive_model(&conn);
    }
}

fn compare_with_a_naive_model(conn: &db::Conn) {
    let memory = NaiveModel::load(conn);
    let bases = Dataset::ALL
        .map(|dataset| (dataset, SearchScope::Data))
        .into_iter();
    let books = [Dataset::Accounts, Dataset::Contacts, Dataset::Projects]
        .map(|dataset| (dataset, SearchScope::Book));
    let (some, searches) = (Cell::new(0), Cell::new(0));
    let columns = ColumnCache::default();
    for (dataset, base) in bases.chain(books) {
        let place = base.grammar();
        let strategy = random_filters(&memory, dataset, filter_keys(dataset, place), place);
        let mut runner = TestRunner::new(Config {
            cases: 120,
            failure_persistence: None,
            ..Config::default()
        });
        runner
            .run(&strategy, |filters| {
                let call = SearchContext {
                    columns: &columns,
                    ..search_context(dataset, base)
                };
                let records = memory.records[dataset.plural()]
                    .iter()
                    .filter(|record| place == FilterDialect::Data || record["saved"] == 1);
                let ids = records.filter(|record| memory.meets(dataset, record, &filters, place));
                let mut expected: Vec<Uuid> = ids
                    .map(|record| record["id"].as_str().unwrap().parse().unwrap())
                    .collect();
                let mut found: Vec<Uuid> = fetch_all(conn, &call, &json!({"filters": filters}))
                    .iter()
                    .map(|id| id.parse().unwrap())
                    .collect();
                expected.sort();
                found.sort();
                searches.set(searches.get() + 1);
                some.set(some.get() + usize::from(!found.is_empty()));
                prop_assert_eq!(found, expected, "{:?} {}", dataset, filters);
                Ok(())
            })
            .unwrap();
    }
    let (some, searches) = (some.get(), searches.get());
    assert!(
        some * 3 > searches,
        "{some} of {searches} searches had results"
    );
}

/// The bodies that `benches/searches.rs` measures, made of these records.
fn bench_bodies(conn: &db::Conn) -> BodyGenerator {
    let (mut fields, mut records) = (BTreeMap::new(), BTreeMap::new());
    for dataset in Dataset::ALL {
        let name = dataset.plural().to_owned();
        fields.insert(
            name.clone(),
            FilterEntity::Records(dataset, FilterDialect::Data).fields(),
        );
        let call = search_context(dataset, SearchScope::Data);
        records.insert(name, fetch_page(conn, &call, &json!({"limit": 100})).0);
    }
    BodyGenerator::new(fields, records, 1)
}

#[test]
fn the_searches_of_the_bench_find_what_a_naive_model_finds() {
    for conn in sample_connections(60) {
        compare_searches_of_the_bench(&conn);
    }
}

fn compare_searches_of_the_bench(conn: &db::Conn) {
    let memory = NaiveModel::load(conn);
    let mut bodies = bench_bodies(conn);
    let mut some = 0;
    let cache = ColumnCache::default();
    for _ in 0..500 {
        let (name, mut body) = bodies.next_body();
        body.as_object_mut().unwrap().remove("offset");
        let dataset = Dataset::from_plural(name).unwrap();
        let call = SearchContext {
            columns: &cache,
            ..search_context(dataset, SearchScope::Data)
        };
        let found = fetch_all(conn, &call, &body);
        let matching = memory.records[name]
            .iter()
            .filter(|record| memory.meets(dataset, record, &body["filters"], FilterDialect::Data));
        let expected: BTreeSet<Uuid> = matching
            .map(|record| record["id"].as_str().unwrap().parse().unwrap())
            .collect();
        let ids: BTreeSet<Uuid> = found.iter().map(|id| id.parse().unwrap()).collect();
        assert_eq!(ids, expected, "{name} {body}");
        assert_eq!(found.len(), expected.len(), "{name} {body}");
        some += usize::from(!found.is_empty());
    }
    assert!(some > 200, "{some} of 500 searches had results");
}

#[test]
fn projects_count_under_has_project_counts_only_matching_projects() {
    for conn in sample_connections(150) {
        check_counts_under_has_project(&conn);
    }
}

fn check_counts_under_has_project(conn: &db::Conn) {
    let memory = NaiveModel::load(conn);
    let inner = json!({"stage": {"value": ["permitted", "under_construction"]}});
    let body = json!({"filters": {"has_project": inner}, "sort": {"field": "projects_count"}, "limit": 100});
    for base in [SearchScope::Book, SearchScope::Data] {
        let call = search_context(Dataset::Accounts, base);
        let counts: Vec<usize> = fetch_all(conn, &call, &body)
            .iter()
            .map(|id| {
                let id = id
                    .parse::<Uuid>()
                    .unwrap()
                    .simple()
                    .to_string()
                    .to_uppercase();
                let account = memory.records["accounts"]
                    .iter()
                    .find(|record| record["id"] == id)
                    .unwrap();
                let projects =
                    memory.related_records(Dataset::Accounts, account, Dataset::Projects);
                projects
                    .iter()
                    .filter(|project| {
                        memory.meets(Dataset::Projects, project, &inner, FilterDialect::Data)
                    })
                    .count()
            })
            .collect();
        assert!(
            counts.len() > 5 && counts.is_sorted_by(|a, b| a >= b),
            "{counts:?}"
        );
    }
}
