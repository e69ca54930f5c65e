//! Columns: a layout resolved against the header of a file, and rows read through it, from the file
//! or from the database.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

use super::layout::{Conditions, FirmKind, FirmLayout, PermitLayout, PersonRule, YEAR};
use super::permit_signals::{DateColumn, find_date_column};
use super::permit_state::PermitState;
use super::{values, words};
use crate::domain::signals::SignalType;

/// A row whose columns can be read by name.
pub trait PermitRow {
    /// The text without surrounding spaces; empty if there is none.
    fn text(&self, column: &PermitColumn) -> &str;

    /// The value; empty if there is none, or if the text says so (`N/A`). A whole number is one
    /// with `.0` too, as programs write those of a column with gaps.
    fn get(&self, column: &PermitColumn) -> &str {
        let text = self.text(column);
        let is_whole =
            |number: &&str| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
        let whole = text.strip_suffix(".0").or_else(|| text.strip_suffix(".00"));
        let text = whole.filter(is_whole).unwrap_or(text);
        Some(text)
            .filter(|text| !values::is_nothing(text))
            .unwrap_or_default()
    }
}

/// A column of the layout: its name and its position in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermitColumn {
    name: String,
    index: Option<usize>,
}

impl PermitColumn {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the file has it.
    pub fn is_found(&self) -> bool {
        self.index.is_some()
    }
}

/// A row of the file.
pub struct CsvRow<'a>(pub &'a csv::StringRecord);

impl PermitRow for CsvRow<'_> {
    fn text(&self, column: &PermitColumn) -> &str {
        column
            .index
            .and_then(|index| self.0.get(index))
            .map_or("", str::trim)
    }
}

/// A row stored in the database: its non-empty columns.
#[derive(Default)]
pub struct StoredRow<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> StoredRow<'a> {
    /// Reads a payload written by [`PermitColumns::write_payload`]; anything else is an empty row.
    pub fn from_payload(payload: &'a str) -> StoredRow<'a> {
        serde_json::from_str(payload).unwrap_or_default()
    }
}

impl PermitRow for StoredRow<'_> {
    fn text(&self, column: &PermitColumn) -> &str {
        self.0
            .iter()
            .find(|(name, _)| *name == column.name)
            .map_or("", |(_, value)| value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for StoredRow<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StoredRowVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for StoredRowVisitor<'a> {
            type Value = StoredRow<'a>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a row of text columns")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<StoredRow<'a>, M::Error> {
                let mut pairs = Vec::with_capacity(40);
                while let Some((BorrowedText(key), BorrowedText(value))) = map.next_entry()? {
                    pairs.push((key, value));
                }
                Ok(StoredRow(pairs))
            }
        }
        deserializer.deserialize_map(StoredRowVisitor(PhantomData))
    }
}

/// Text, borrowed if it contains no escapes.
#[derive(serde::Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

/// The conditions of a rule.
pub type ColumnTests = Vec<(PermitColumn, Vec<String>)>;

/// Where everything is in the file.
pub struct PermitColumns<'l> {
    pub layout: &'l PermitLayout,
    /// The cleaned header: the keys of `raw_data`. `None` for columns that are not kept.
    keys: Vec<Option<String>>,
    /// How many columns a row has.
    pub width: usize,
    /// The permit number.
    pub permit: PermitColumn,
    /// What identifies a permit with its number; none is the year of its first date.
    pub permit_parts: Vec<Option<PermitColumn>>,
    /// The conditions of the row that determines a permit's place.
    pub principal: ColumnTests,
    /// The column groups that identify a place.
    pub place: Vec<Vec<PermitColumn>>,
    pub address: Vec<PermitColumn>,
    pub neighborhood: PermitColumn,
    pub city: PermitColumn,
    pub state: PermitColumn,
    /// The coordinates, in one column.
    pub point: PermitColumn,
    /// The latitude, if the coordinates are in two columns.
    pub latitude: PermitColumn,
    /// The longitude, if the coordinates are in two columns.
    pub longitude: PermitColumn,
    pub name: Vec<PermitColumn>,
    pub use_: Vec<PermitColumn>,
    pub stories: Vec<PermitColumn>,
    pub units: Vec<PermitColumn>,
    pub cost: Vec<PermitColumn>,
    pub area: Vec<PermitColumn>,
    /// The rules for signals.
    pub rules: Vec<SignalRuleColumns>,
    pub status: Vec<PermitColumn>,
    /// The same of a certificate, which does not end its permit.
    pub certificate: Vec<PermitColumn>,
    /// The columns whose day, or yes, ends a permit.
    pub ends: Vec<(PermitColumn, PermitState)>,
    /// The day of the decision, and that of the status.
    pub decided: Vec<DateColumn>,
    /// By its heading, the day of the decision is that of an approval, and not of a refusal.
    pub decides_approvals: bool,
    pub changed: Vec<DateColumn>,
    /// The day until which the permit is valid.
    pub expires: Vec<DateColumn>,
    /// The groups that name firms and people.
    pub firms: Vec<FirmColumns>,
}

/// A signal rule with its columns.
pub struct SignalRuleColumns {
    pub signal_type: SignalType,
    pub dates: Vec<DateColumn>,
    /// Conditions that must all match.
    pub when: ColumnTests,
    /// Conditions of which none may match.
    pub unless: ColumnTests,
}

/// A group of columns that names a firm or a person.
pub struct FirmColumns {
    /// The firm's role on the permit.
    pub kind: PermitColumn,
    /// The role, if all firms of the column have the same.
    pub fixed_kind: Option<FirmKind>,
    pub name: PermitColumn,
    pub email: PermitColumn,
    pub address: PermitColumn,
    pub city: PermitColumn,
    pub state: PermitColumn,
    pub zip: PermitColumn,
    pub phone: PermitColumn,
}

impl<'l> PermitColumns<'l> {
    /// Finds the layout's columns in a header, or returns the required ones that are missing.
    pub fn find(
        layout: &'l PermitLayout,
        header: &csv::StringRecord,
    ) -> Result<PermitColumns<'l>, Vec<String>> {
        let header: Vec<&str> = header.iter().collect();
        let column = |name: &str| PermitColumn {
            name: header
                .iter()
                .find(|known| known.eq_ignore_ascii_case(name))
                .map_or(name, |known| *known)
                .to_owned(),
            index: header
                .iter()
                .position(|known| known.eq_ignore_ascii_case(name)),
        };
        let columns = |names: &[String]| names.iter().map(|name| column(name)).collect::<Vec<_>>();
        let maybe = |name: &Option<String>| name.as_deref().map(column).unwrap_or_default();
        let dates = |names: &mut dyn Iterator<Item = &String>| -> Vec<DateColumn> {
            names.map(|name| find_date_column(name, &column)).collect()
        };
        let tests = |conditions: &Conditions| -> ColumnTests {
            conditions
                .iter()
                .map(|(name, values)| (column(name), values.clone()))
                .collect()
        };
        let rules: Vec<SignalRuleColumns> = layout
            .signal
            .iter()
            .map(|rule| SignalRuleColumns {
                signal_type: rule.signal_type.clone(),
                dates: dates(&mut rule.on.iter()),
                when: tests(&rule.when),
                unless: tests(&rule.unless),
            })
            .collect();
        let (mut certificate, status): (Vec<_>, Vec<_>) = columns(&layout.status.columns)
            .into_iter()
            .partition(|column| words::has_value_word("certificate", column.name()));
        certificate.extend(layout.status.certificate.iter().map(|name| column(name)));
        let found = PermitColumns {
            layout,
            keys: header
                .iter()
                .map(|name| {
                    (!layout
                        .permit
                        .leave_out
                        .iter()
                        .any(|out| out.eq_ignore_ascii_case(name)))
                    .then(|| (*name).to_owned())
                })
                .collect(),
            width: header.len(),
            permit: column(&layout.permit.id),
            permit_parts: (layout.permit.and.iter())
                .map(|name| {
                    Some(column(name)).filter(|column| name != YEAR || column.index.is_some())
                })
                .collect(),
            principal: tests(&layout.permit.principal),
            place: layout
                .place
                .key
                .iter()
                .map(|group| columns(group))
                .collect(),
            address: columns(&layout.place.address),
            neighborhood: maybe(&layout.place.neighborhood),
            city: maybe(&layout.place.city),
            state: maybe(&layout.place.state),
            point: maybe(&layout.place.point),
            latitude: maybe(&layout.place.latitude),
            longitude: maybe(&layout.place.longitude),
            name: columns(&layout.project.name),
            use_: columns(&layout.project.use_),
            stories: columns(&layout.project.stories),
            units: columns(&layout.project.units),
            cost: columns(&layout.project.cost),
            area: columns(&layout.project.area),
            firms: named_firms(layout, &column),
            rules,
            status,
            certificate,
            ends: (layout.status.ends.iter())
                .map(|(name, state)| (column(name), *state))
                .collect(),
            decides_approvals: (layout.status.decided.iter())
                .any(|name| PermitState::find_in(name) == Some(PermitState::Approved)),
            decided: dates(&mut layout.status.decided.iter()),
            changed: dates(&mut layout.status.changed.iter()),
            expires: dates(&mut layout.status.expires.iter()),
        };
        let mut missing = Vec::new();
        for column in std::iter::once(&found.permit).chain(found.permit_parts.iter().flatten()) {
            missing.extend(column.index.is_none().then(|| column.name.clone()));
        }
        if !found
            .place
            .iter()
            .any(|group| group.iter().all(|column| column.index.is_some()))
        {
            missing.extend(layout.place.key.first().into_iter().flatten().cloned());
        }
        if !found
            .rules
            .iter()
            .flat_map(|rule| &rule.dates)
            .chain(&found.decided)
            .any(DateColumn::is_found)
        {
            missing.extend(
                layout
                    .signal
                    .iter()
                    .flat_map(|rule| rule.on.iter().cloned())
                    .chain(layout.status.decided.clone()),
            );
        }
        missing.dedup();
        if missing.is_empty() {
            Ok(found)
        } else {
            Err(missing)
        }
    }

    /// The city and the state of a row: of their columns, of its address, or of the layout.
    pub fn city_and_state(&self, row: &impl PermitRow) -> (String, String) {
        let own = |text: &str, otherwise: &str, title: bool| match text {
            "" | "0" => otherwise.to_owned(),
            text => values::clean_text(text, title),
        };
        let of_address = || {
            let mut addresses = self.address.iter().map(|column| row.get(column));
            addresses
                .find_map(values::city_of_address)
                .unwrap_or_default()
        };
        let state = Some(row.get(&self.state)).filter(|state| !state.is_empty());
        let (city, state_behind) = match row.get(&self.city) {
            "" => of_address(),
            text => match values::city_and_state(text) {
                (city, "") if state.is_none() => (city, of_address().1),
                found => found,
            },
        };
        let is_shouted = city.len() > 3 && !city.contains(char::is_lowercase);
        (
            own(
                city,
                &self.layout.city,
                self.layout.title_case || is_shouted,
            ),
            own(
                state.unwrap_or(state_behind),
                &self.layout.state,
                self.layout.title_case,
            ),
        )
    }

    /// The street in the column of an address, without the city behind it. Where that is another
    /// than the city of the row, it stays: nobody knows which of them it is in.
    fn street_in<'r>(&self, column: &PermitColumn, row: &'r impl PermitRow) -> Cow<'r, str> {
        let text = row.get(column);
        if *column == self.city || !self.address.contains(column) {
            return text.into();
        }
        let known = values::city_name(row.get(&self.city));
        let is_other = |(city, _): (&str, &str)| {
            !known.is_empty() && values::name_key(city) != values::name_key(known)
        };
        match values::city_of_address(text).is_some_and(is_other) {
            true => text.into(),
            false => values::street_in(text),
        }
    }

    /// The coordinates as written; empty if there are none.
    pub fn written_place(&self, row: &impl PermitRow) -> String {
        let parts = [&self.point, &self.latitude, &self.longitude].map(|column| row.get(column));
        let is_none = |text: &str| text.parse() == Ok(0.0) || text == "(0.0, 0.0)";
        let parts = parts
            .into_iter()
            .filter(|text| !text.is_empty() && !is_none(text));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Whether a row has the names of the columns, in another order.
    pub fn is_other_header(&self, record: &csv::StringRecord) -> bool {
        let names = || self.keys.iter().flatten();
        let is_name = |cell: &str| names().any(|name| name.eq_ignore_ascii_case(cell.trim()));
        let mut pairs = self.keys.iter().zip(record);
        let is_moved = |(name, cell): (&Option<String>, &str)| {
            let name = name.as_deref().unwrap_or(cell);
            !name.eq_ignore_ascii_case(cell.trim())
        };
        record.iter().all(is_name) && pairs.any(is_moved)
    }

    /// The row as the source's payload: its non-empty columns as JSON text.
    pub fn write_payload(&self, row: &csv::StringRecord, out: &mut Vec<u8>) {
        out.clear();
        let mut serializer = serde_json::Serializer::new(&mut *out);
        let written = serializer.serialize_map(None).and_then(|mut map| {
            for (key, value) in self.keys.iter().zip(row) {
                let value = value.trim();
                if let Some(key) = key
                    .as_deref()
                    .filter(|key| !value.is_empty() && !key.is_empty())
                {
                    map.serialize_entry(key, value)?;
                }
            }
            map.end()
        });
        debug_assert!(written.is_ok(), "text can always be written as JSON");
    }
}

/// The repeated groups of columns, and the firms with columns of their own.
fn named_firms(layout: &PermitLayout, column: &impl Fn(&str) -> PermitColumn) -> Vec<FirmColumns> {
    let maybe = |name: &Option<String>| name.as_deref().map(column).unwrap_or_default();
    let own = layout.firm.iter().map(|firm| FirmColumns {
        kind: PermitColumn::default(),
        fixed_kind: Some(FirmKind {
            roles: firm.roles.clone(),
            people: firm.people,
            last_first: firm.last_first,
            title: firm.title.clone(),
        }),
        name: column(&firm.name),
        email: maybe(&firm.email),
        address: PermitColumn::default(),
        city: PermitColumn::default(),
        state: PermitColumn::default(),
        zip: PermitColumn::default(),
        phone: maybe(&firm.phone),
    });
    let repeated = layout
        .firms
        .iter()
        .flat_map(|firms| firm_columns(firms, column));
    repeated
        .chain(own.filter(|firm| firm.name.index.is_some()))
        .collect()
}

fn firm_columns(firms: &FirmLayout, column: &impl Fn(&str) -> PermitColumn) -> Vec<FirmColumns> {
    (1..=firms.repeat)
        .map(|n| {
            let nth = |name: &str| column(&name.replace("{n}", &n.to_string()));
            let maybe = |name: &Option<String>| name.as_deref().map(nth).unwrap_or_default();
            FirmColumns {
                kind: nth(&firms.kind),
                fixed_kind: None,
                email: PermitColumn::default(),
                name: nth(&firms.name),
                address: maybe(&firms.address),
                city: maybe(&firms.city),
                state: maybe(&firms.state),
                zip: maybe(&firms.zip),
                phone: maybe(&firms.phone),
            }
        })
        .filter(|named| named.name.index.is_some())
        .collect()
}

/// Whether all tests match.
pub fn all_match(tests: &ColumnTests, row: &impl PermitRow) -> bool {
    tests
        .iter()
        .all(|(column, values)| matches_any_value(row.get(column), values))
}

/// Whether at least one test matches.
pub fn any_matches(tests: &ColumnTests, row: &impl PermitRow) -> bool {
    tests
        .iter()
        .any(|(column, values)| matches_any_value(row.get(column), values))
}

fn matches_any_value(value: &str, values: &[String]) -> bool {
    values
        .iter()
        .any(|wanted| wanted.eq_ignore_ascii_case(value))
}

/// The first of the columns that is not empty.
pub fn first_filled<'r>(columns: &[PermitColumn], row: &'r impl PermitRow) -> Option<&'r str> {
    columns
        .iter()
        .map(|column| row.get(column))
        .find(|value| !value.is_empty())
}

/// What stands in the place of an address.
pub fn written_address(columns: &PermitColumns<'_>, row: &impl PermitRow) -> String {
    let parts = columns
        .address
        .iter()
        .map(|column| columns.street_in(column, row));
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// The address of a row; empty if other words stand in its place.
pub fn address_text(columns: &PermitColumns<'_>, row: &impl PermitRow) -> String {
    let written = written_address(columns, row);
    match values::is_no_address(&written) {
        true => String::new(),
        false => values::clean_text(&written, columns.layout.title_case),
    }
}

/// A figure in one of a layout's columns.
pub fn read_figure(layout: &PermitLayout, column: &PermitColumn, text: &str) -> Option<f64> {
    let scale = layout.project.scale_of(column.name());
    values::parse_scaled(text, layout.decimal.unwrap_or_default(), scale)
}

/// The area of a row in square feet.
pub fn floor_area(columns: &PermitColumns<'_>, row: &impl PermitRow) -> Option<f64> {
    let column = columns
        .area
        .iter()
        .find(|column| !row.get(column).is_empty())?;
    let text = row.get(column);
    let decimal = columns.layout.decimal.unwrap_or_default();
    let area = match words::area_unit_in(text) {
        Some(unit) => values::parse_scaled(text, decimal, unit),
        None => read_figure(columns.layout, column, text),
    };
    area.filter(|area| *area > 0.0)
}

/// The key of the row's place, if enough columns are filled. A city behind the street is part of
/// it, as one with a column is.
pub fn place_key(columns: &PermitColumns<'_>, row: &impl PermitRow) -> Option<String> {
    let street = |column: &PermitColumn| columns.street_in(column, row);
    let is_place = |column: &PermitColumn| {
        let text = street(column);
        let is_nowhere = columns.address.contains(column) && values::is_plat(&text);
        !is_nowhere && !values::is_no_address(&text) && !values::is_rounded(row.get(column))
    };
    let group = columns
        .place
        .iter()
        .find(|group| group.iter().all(is_place))?;
    let mut parts: Vec<String> = group
        .iter()
        .map(|column| values::name_key(&street(column)))
        .collect();
    if !group.contains(&columns.city) {
        let mut cities = group
            .iter()
            .filter_map(|column| values::city_of_address(row.get(column)));
        parts.extend(cities.next().map(|(city, _)| values::name_key(city)));
    }
    Some(parts.join("/"))
}

/// The firm kind, and whether this name is a person's.
pub fn firm_kind<'l>(
    layout: &'l PermitLayout,
    firm: &'l FirmColumns,
    kind: &str,
    name: &str,
) -> Option<(&'l FirmKind, bool)> {
    let listed = |firms: &'l FirmLayout| {
        let known = firms
            .kinds
            .iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(kind))
            .or_else(|| firms.kinds.get_key_value("*"));
        known.map(|(_, kind)| kind)
    };
    let kind = firm
        .fixed_kind
        .as_ref()
        .or_else(|| layout.firms.as_ref().and_then(listed))?;
    let is_firm = |name: &str| match (&firm.fixed_kind, &layout.firms) {
        (None, Some(firms)) if !firms.firm_words.is_empty() => {
            let mut words = name.split(|c: char| c.is_whitespace() || c == ',' || c == '.');
            words.any(|word| {
                let mut known = firms.firm_words.iter();
                known.any(|known| known.eq_ignore_ascii_case(word))
            })
        }
        _ => words::names_firm(name),
    };
    let person = match kind.people {
        PersonRule::Always => true,
        PersonRule::Never => false,
        PersonRule::Maybe => values::is_person(name, is_firm),
    };
    Some((kind, person))
}
