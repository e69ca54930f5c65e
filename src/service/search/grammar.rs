//! Parses the body of a search: from JSON to a typed request, or to all its issues at once
//! (interface: Filter grammar; decisions 1 and 2.2). Never here: SQL.

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Value, json};

use super::SearchContext;
use super::criterion::{Criterion, Predicate, RangeBound};
use super::fields::{self, FilterDialect, FilterKey, FilterKind, SortKey, TextMatch};
use crate::service::api_error::ApiError;
use crate::service::validation::InputValue;

/// A parsed search request.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The text to search for.
    pub query: Option<String>,
    pub filters: Criterion,
    /// The sort order; `None` if there is a query, which ranks.
    pub sort: Option<(&'static SortKey, SortDirection)>,
    /// Maximum number of rows.
    pub limit: u32,
    /// Number of rows to skip.
    pub offset: u32,
    /// The cursor to continue after.
    pub search_after: Option<String>,
}

/// A sort direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    Ascending,
    Descending,
}

/// Maximum length of a search text.
pub const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of values of a filter.
const MAX_FILTER_VALUES: usize = 100;
/// Maximum number of fuzzy values of a filter, whose words are all compared with the whole
/// dictionary.
pub const MAX_FUZZY_VALUES: usize = 25;
/// Maximum length of each of them, in characters.
pub const MAX_FUZZY_CHARS: usize = 200;

/// All issues of a body.
#[derive(Default)]
pub struct IssueList(Vec<ApiError>);

impl IssueList {
    /// Returns the value, or adds an issue and returns `None`.
    pub fn collect<T>(&mut self, read: Result<T, ApiError>) -> Option<T> {
        read.map_err(|refusal| self.0.push(refusal)).ok()
    }

    /// Adds an issue.
    pub fn push(&mut self, refusal: ApiError) {
        self.0.push(refusal);
    }

    /// Rejects keys other than these.
    pub fn reject_unknown_keys(&mut self, at: &InputValue<'_>, allowed: &[&str]) {
        for (key, value) in at.value.as_object().into_iter().flatten() {
            if !allowed.contains(&key.as_str()) {
                let key = at.child(key.as_str(), value);
                self.push(key.issue("unknown_key", "unknown key", json!({ "allowed": allowed })));
            }
        }
    }

    /// A required child.
    pub fn required_child<'a>(&mut self, at: &InputValue<'a>, key: &str) -> Option<InputValue<'a>> {
        let found = child(at, key);
        if found.is_none() {
            self.push(
                at.child(key, &Value::Null)
                    .issue("required", "is required", Value::Null),
            );
        }
        found
    }

    /// `Ok` without issues, otherwise one error with all of them.
    pub fn into_result(self) -> Result<(), ApiError> {
        let more = self.0.len().saturating_sub(1);
        let mut all = self.0.into_iter();
        let Some(mut first) = all.next() else {
            return Ok(());
        };
        if more > 0 {
            first.message = format!("{} (and {more} more)", first.message);
        }
        first.issues.extend(all.flat_map(|refusal| refusal.issues));
        Err(first)
    }
}

/// A child of an object.
pub fn child<'a>(at: &InputValue<'a>, key: &str) -> Option<InputValue<'a>> {
    at.value.get(key).map(|value| at.child(key, value))
}

/// Parses a body; `null` counts as an empty one.
pub fn parse_request(call: &SearchContext<'_>, body: &Value) -> Result<SearchRequest, ApiError> {
    let empty = json!({});
    let at = InputValue::root(if body.is_null() { &empty } else { body });
    at.object()?;
    let mut issues = IssueList::default();
    let all = [
        "query",
        "filters",
        "sort",
        "limit",
        "offset",
        "search_after",
    ];
    let place = call.scope.grammar();
    issues.reject_unknown_keys(
        &at,
        if place == FilterDialect::Data {
            &all[1..]
        } else {
            &all
        },
    );
    let query = child(&at, "query")
        .and_then(|at| issues.collect(at.text_of_length(1, MAX_TEXT_CHARS)))
        .map(str::to_owned);
    let filters = child(&at, "filters").map(|at| {
        parse_filters(
            &mut issues,
            &at,
            &fields::filter_keys(call.dataset, place),
            place,
        )
    });
    let (keys, descending) = fields::sort_keys(call.dataset, &call.scope);
    let default = || {
        query.is_none().then_some((
            &keys[0],
            if descending {
                SortDirection::Descending
            } else {
                SortDirection::Ascending
            },
        ))
    };
    let sort = child(&at, "sort").map_or_else(default, |at| parse_sort(&mut issues, &at, keys));
    let limit = child(&at, "limit")
        .and_then(|at| issues.collect(at.integer(1, 100)))
        .unwrap_or(25);
    let offset = child(&at, "offset").and_then(|at| issues.collect(at.integer(0, 10_000)));
    let search_after = child(&at, "search_after")
        .and_then(|at| issues.collect(at.text()))
        .map(str::to_owned);
    if let (Some(1..), Some(_)) = (offset, &search_after) {
        let at = at.child("offset", &at.value["offset"]);
        issues.push(at.issue(
            "not_allowed",
            "cannot be combined with search_after",
            Value::Null,
        ));
    }
    issues.into_result()?;
    Ok(SearchRequest {
        query,
        filters: Criterion::All(filters.unwrap_or_default()),
        sort,
        limit: limit as u32,
        offset: offset.unwrap_or(0) as u32,
        search_after,
    })
}

fn parse_sort(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    keys: &'static [SortKey],
) -> Option<(&'static SortKey, SortDirection)> {
    issues.collect(at.object())?;
    issues.reject_unknown_keys(at, &["field", "order"]);
    let order = child(at, "order").map_or(Some("desc"), |at| {
        issues.collect(at.one_of(&["asc", "desc"]))
    });
    let words: Vec<&str> = keys.iter().map(|sort| sort.key).collect();
    let field = issues
        .required_child(at, "field")
        .and_then(|at| issues.collect(at.one_of(&words)))?;
    let direction = if order? == "asc" {
        SortDirection::Ascending
    } else {
        SortDirection::Descending
    };
    keys.iter()
        .find(|sort| sort.key == field)
        .map(|sort| (sort, direction))
}

/// Parses an object of filters with these keys.
fn parse_filters(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    known: &[&'static FilterKey],
    place: FilterDialect,
) -> Vec<Criterion> {
    if issues.collect(at.object()).is_none() {
        return Vec::new();
    }
    let keys: Vec<&str> = known.iter().map(|field| field.key).collect();
    issues.reject_unknown_keys(at, &keys);
    known
        .iter()
        .filter_map(|field| {
            child(at, field.key).and_then(|at| parse_filter(issues, &at, field, place))
        })
        .collect()
}

fn parse_filter(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    field: &'static FilterKey,
    place: FilterDialect,
) -> Option<Criterion> {
    issues.collect(at.object())?;
    match &field.kind {
        FilterKind::Relation(relation) => {
            let inner = parse_filters(issues, at, &field.inner_keys(place), place);
            Some(Criterion::Related {
                field,
                none: relation.negated,
                inner: Box::new(Criterion::All(inner)),
            })
        }
        FilterKind::Number | FilterKind::Date => {
            issues.reject_unknown_keys(at, &["min", "max"]);
            let test = parse_range(issues, field, child(at, "min"), child(at, "max"))?;
            Some(Criterion::Field {
                field,
                test,
                exclude: false,
            })
        }
        kind => {
            issues.reject_unknown_keys(at, &["value", "exact_match", "exclude"]);
            let exact = child(at, "exact_match").and_then(|at| match kind {
                FilterKind::Text(_) => issues.collect(at.boolean()),
                _ => {
                    issues.push(at.issue(
                        "not_allowed",
                        "is only allowed for text fields",
                        Value::Null,
                    ));
                    None
                }
            });
            let exclude =
                child(at, "exclude").map_or(Some(false), |at| issues.collect(at.boolean()));
            let fuzzy = matches!(kind, FilterKind::Text(TextMatch::Fuzzy)) && exact != Some(true);
            let value = issues.required_child(at, "value")?;
            let test = parse_values(issues, &value, field, fuzzy)?;
            Some(Criterion::Field {
                field,
                test,
                exclude: exclude?,
            })
        }
    }
}

/// Parses a scalar or an array of scalars, as the field requires.
pub fn parse_values(
    issues: &mut IssueList,
    at: &InputValue<'_>,
    field: &'static FilterKey,
    fuzzy: bool,
) -> Option<Predicate> {
    let (most, longest) = if fuzzy {
        (MAX_FUZZY_VALUES, MAX_FUZZY_CHARS)
    } else {
        (MAX_FILTER_VALUES, MAX_TEXT_CHARS)
    };
    let all = if at.value.is_array() {
        issues.collect(at.items(1, most))?
    } else {
        vec![at.clone()]
    };
    let mut each =
        |read: &dyn Fn(&InputValue<'_>) -> Result<String, ApiError>| -> Option<Vec<String>> {
            let read: Vec<Option<String>> = all.iter().map(|at| issues.collect(read(at))).collect();
            read.into_iter().collect()
        };
    Some(match &field.kind {
        FilterKind::Text(_) => {
            let texts = each(&|at| at.text_of_length(0, longest).map(str::to_owned))?;
            if fuzzy {
                Predicate::Like(texts)
            } else {
                Predicate::Is(texts)
            }
        }
        FilterKind::Enum(words) => {
            Predicate::Is(each(&|at| at.one_of(&words.to_vec()).map(str::to_owned))?)
        }
        FilterKind::Uuid => Predicate::Id(
            all.iter()
                .filter_map(|at| issues.collect(at.id()))
                .collect(),
        ),
        FilterKind::Boolean => Predicate::Flag(
            all.iter()
                .filter_map(|at| issues.collect(at.boolean()))
                .collect(),
        ),
        FilterKind::Number | FilterKind::Date | FilterKind::Relation(_) => return None,
    })
}

/// Parses a range, as the field requires.
pub fn parse_range(
    issues: &mut IssueList,
    field: &'static FilterKey,
    min: Option<InputValue<'_>>,
    max: Option<InputValue<'_>>,
) -> Option<Predicate> {
    let mut end = |at: Option<InputValue<'_>>, last: bool| match (at, &field.kind) {
        (None, _) => Some(None),
        (Some(at), FilterKind::Date) => issues
            .collect(at.date())
            .map(|day| Some(RangeBound::Whole(day_boundary_millis(day, last)))),
        (Some(at), _) => issues.collect(parse_number(&at)).map(Some),
    };
    let (min, max) = (end(min, false), end(max, true));
    Some(Predicate::Within(min?, max?))
}

fn parse_number(at: &InputValue<'_>) -> Result<RangeBound, ApiError> {
    let whole = at.value.as_i64().map(RangeBound::Whole);
    whole
        .or_else(|| at.value.as_f64().map(RangeBound::Real))
        .ok_or_else(|| at.wrong_type("number"))
}

/// The first or the last millisecond of a day.
fn day_boundary_millis(day: NaiveDate, last: bool) -> i64 {
    let midnight = day.and_time(NaiveTime::MIN).and_utc().timestamp_millis();
    if last {
        midnight + 86_399_999
    } else {
        midnight
    }
}
