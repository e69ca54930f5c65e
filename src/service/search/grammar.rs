//! Reads the body of a search: JSON to a typed request, or all that is wrong with it at once (interface: Filter grammar; decisions
//! 1 and 2.2). Never here: SQL.

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Value, json};

use super::Call;
use super::criterion::{Bound, Criterion, Test};
use super::fields::{self, Field, Kind, Place, Rule, SortKey};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// What a body asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The text to search for.
    pub query: Option<String>,
    /// The filters.
    pub filters: Criterion,
    /// The order; none when there is a query, which ranks.
    pub sort: Option<(&'static SortKey, Direction)>,
    /// How many rows at most.
    pub limit: u32,
    /// After how many.
    pub offset: u32,
    /// After which, by a cursor.
    pub search_after: Option<String>,
}

/// Which way rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// The longest text that is searched for.
pub const TEXT_MAX: usize = 500;
/// The most values of one filter.
const VALUES_MAX: usize = 100;
/// How many texts may be looked for in any spelling, and how long each may be: every word of theirs is compared with every word that
/// there is.
pub const LIKE_MAX: usize = 25;
/// The longest of them, in characters.
pub const LIKE_TEXT_MAX: usize = 200;

/// All that is wrong with a body.
#[derive(Default)]
pub struct Issues(Vec<Refusal>);

impl Issues {
    /// The value, or nothing and one more issue.
    pub fn take<T>(&mut self, read: Result<T, Refusal>) -> Option<T> {
        read.map_err(|refusal| self.0.push(refusal)).ok()
    }

    /// One more issue.
    pub fn add(&mut self, refusal: Refusal) {
        self.0.push(refusal);
    }

    /// Refuses the keys that are not among these.
    pub fn only(&mut self, at: &At<'_>, allowed: &[&str]) {
        for (key, value) in at.value.as_object().into_iter().flatten() {
            if !allowed.contains(&key.as_str()) {
                let key = at.step(key.as_str(), value);
                self.add(key.issue("unknown_key", "is not known here", json!({ "allowed": allowed })));
            }
        }
    }

    /// A part that must be there.
    pub fn need<'a>(&mut self, at: &At<'a>, key: &str) -> Option<At<'a>> {
        let found = part(at, key);
        if found.is_none() {
            self.add(at.step(key, &Value::Null).issue("required", "is required", Value::Null));
        }
        found
    }

    /// Nothing is wrong, or one refusal with all issues.
    pub fn refuse(self) -> Result<(), Refusal> {
        let more = self.0.len().saturating_sub(1);
        let mut all = self.0.into_iter();
        let Some(mut first) = all.next() else { return Ok(()) };
        if more > 0 {
            first.message = format!("{} (and {more} more)", first.message);
        }
        first.issues.extend(all.flat_map(|refusal| refusal.issues));
        Err(first)
    }
}

/// A part of an object.
pub fn part<'a>(at: &At<'a>, key: &str) -> Option<At<'a>> {
    at.value.get(key).map(|value| at.step(key, value))
}

/// Reads a body; `null` is an empty one.
///
/// # Errors
/// 400 with all issues.
pub fn read(call: &Call<'_>, body: &Value) -> Result<Request, Refusal> {
    let empty = json!({});
    let at = At::root(if body.is_null() { &empty } else { body });
    at.object()?;
    let mut issues = Issues::default();
    let all = ["query", "filters", "sort", "limit", "offset", "search_after"];
    let place = call.base.place();
    issues.only(&at, if place == Place::Data { &all[1..] } else { &all });
    let query = part(&at, "query").and_then(|at| issues.take(at.text_of(1, TEXT_MAX))).map(str::to_owned);
    let filters = part(&at, "filters").map(|at| filters(&mut issues, &at, &fields::fields(call.dataset, place), place));
    let (keys, descending) = fields::sorts(call.dataset, &call.base);
    let default = || query.is_none().then_some((&keys[0], if descending { Direction::Descending } else { Direction::Ascending }));
    let sort = part(&at, "sort").map_or_else(default, |at| sort(&mut issues, &at, keys));
    let limit = part(&at, "limit").and_then(|at| issues.take(at.whole(1, 100))).unwrap_or(25);
    let offset = part(&at, "offset").and_then(|at| issues.take(at.whole(0, 10_000)));
    let search_after = part(&at, "search_after").and_then(|at| issues.take(at.text())).map(str::to_owned);
    if let (Some(1..), Some(_)) = (offset, &search_after) {
        let at = at.step("offset", &at.value["offset"]);
        issues.add(at.issue("not_allowed", "goes not with search_after", Value::Null));
    }
    issues.refuse()?;
    Ok(Request {
        query,
        filters: Criterion::All(filters.unwrap_or_default()),
        sort,
        limit: limit as u32,
        offset: offset.unwrap_or(0) as u32,
        search_after,
    })
}

fn sort(issues: &mut Issues, at: &At<'_>, keys: &'static [SortKey]) -> Option<(&'static SortKey, Direction)> {
    issues.take(at.object())?;
    issues.only(at, &["field", "order"]);
    let order = part(at, "order").map_or(Some("desc"), |at| issues.take(at.word(&["asc", "desc"])));
    let words: Vec<&str> = keys.iter().map(|sort| sort.key).collect();
    let field = issues.need(at, "field").and_then(|at| issues.take(at.word(&words)))?;
    let direction = if order? == "asc" { Direction::Ascending } else { Direction::Descending };
    keys.iter().find(|sort| sort.key == field).map(|sort| (sort, direction))
}

/// An object of filters, by these keys.
fn filters(issues: &mut Issues, at: &At<'_>, known: &[&'static Field], place: Place) -> Vec<Criterion> {
    if issues.take(at.object()).is_none() {
        return Vec::new();
    }
    let keys: Vec<&str> = known.iter().map(|field| field.key).collect();
    issues.only(at, &keys);
    known.iter().filter_map(|field| part(at, field.key).and_then(|at| filter(issues, &at, field, place))).collect()
}

fn filter(issues: &mut Issues, at: &At<'_>, field: &'static Field, place: Place) -> Option<Criterion> {
    issues.take(at.object())?;
    match &field.kind {
        Kind::Relation(relation) => {
            let inner = filters(issues, at, &field.inner(place), place);
            Some(Criterion::Related { field, none: relation.negated, inner: Box::new(Criterion::All(inner)) })
        }
        Kind::Number | Kind::Date => {
            issues.only(at, &["min", "max"]);
            let test = within(issues, field, part(at, "min"), part(at, "max"))?;
            Some(Criterion::Field { field, test, exclude: false })
        }
        kind => {
            issues.only(at, &["value", "exact_match", "exclude"]);
            let exact = part(at, "exact_match").and_then(|at| match kind {
                Kind::Text(_) => issues.take(at.flag()),
                _ => {
                    issues.add(at.issue("not_allowed", "is for text fields only", Value::Null));
                    None
                }
            });
            let exclude = part(at, "exclude").map_or(Some(false), |at| issues.take(at.flag()));
            let fuzzy = matches!(kind, Kind::Text(Rule::Fuzzy)) && exact != Some(true);
            let value = issues.need(at, "value")?;
            let test = values(issues, &value, field, fuzzy)?;
            Some(Criterion::Field { field, test, exclude: exclude? })
        }
    }
}

/// A scalar or an array of scalars, as the field takes them.
pub fn values(issues: &mut Issues, at: &At<'_>, field: &'static Field, fuzzy: bool) -> Option<Test> {
    let (most, longest) = if fuzzy { (LIKE_MAX, LIKE_TEXT_MAX) } else { (VALUES_MAX, TEXT_MAX) };
    let all = if at.value.is_array() { issues.take(at.items(1, most))? } else { vec![at.clone()] };
    let mut each = |read: &dyn Fn(&At<'_>) -> Result<String, Refusal>| -> Option<Vec<String>> {
        let read: Vec<Option<String>> = all.iter().map(|at| issues.take(read(at))).collect();
        read.into_iter().collect()
    };
    Some(match &field.kind {
        Kind::Text(_) => {
            let texts = each(&|at| at.text_of(0, longest).map(str::to_owned))?;
            if fuzzy { Test::Like(texts) } else { Test::Is(texts) }
        }
        Kind::Enum(words) => Test::Is(each(&|at| at.word(&words.all()).map(str::to_owned))?),
        Kind::Uuid => Test::Id(all.iter().filter_map(|at| issues.take(at.id())).collect()),
        Kind::Boolean => Test::Flag(all.iter().filter_map(|at| issues.take(at.flag())).collect()),
        Kind::Number | Kind::Date | Kind::Relation(_) => return None,
    })
}

/// A range, as the field takes it.
pub fn within(issues: &mut Issues, field: &'static Field, min: Option<At<'_>>, max: Option<At<'_>>) -> Option<Test> {
    let mut end = |at: Option<At<'_>>, last: bool| match (at, &field.kind) {
        (None, _) => Some(None),
        (Some(at), Kind::Date) => issues.take(at.day()).map(|day| Some(Bound::Whole(instant(day, last)))),
        (Some(at), _) => issues.take(number(&at)).map(Some),
    };
    let (min, max) = (end(min, false), end(max, true));
    Some(Test::Within(min?, max?))
}

fn number(at: &At<'_>) -> Result<Bound, Refusal> {
    let whole = at.value.as_i64().map(Bound::Whole);
    whole.or_else(|| at.value.as_f64().map(Bound::Real)).ok_or_else(|| at.not_a("number"))
}

/// The first or the last millisecond of a day.
fn instant(day: NaiveDate, last: bool) -> i64 {
    let midnight = day.and_time(NaiveTime::MIN).and_utc().timestamp_millis();
    if last { midnight + 86_399_999 } else { midnight }
}
