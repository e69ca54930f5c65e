//! The layout of an inspected table as commented TOML, which `--layout` reads unchanged. Where
//! something is undecided it has `"?"`.

use super::{Answers, ColumnReport, Inspection};
use crate::domain::conditions::capitalize;
use crate::service::import::layout::ANY_STATUS;
use crate::service::import::permit_state::PermitState;
use crate::service::import::words::{self, PermitField};
use crate::text;

const STATUS_VALUES: &str = "[status.values]";

/// What a layout is called, and the header that it is for.
pub struct LayoutTitle<'a> {
    /// Part of every id.
    pub name: &'a str,
    pub file: &'a str,
    pub fingerprint: String,
}

/// A TOML string.
fn quote(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn quote_list(names: &[&str]) -> String {
    format!(
        "[{}]",
        names
            .iter()
            .map(|name| quote(name))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// Writes the layout.
pub fn write_layout(found: &Inspection, title: &LayoutTitle<'_>) -> String {
    let mut out = format!(
        "# Layout of {}, written by gantry import. Correct it here, or with --column; --layout reads it.\n\n",
        text::sanitize_line(title.file)
    );
    for question in &found.questions {
        out += &format!(
            "# UNDECIDED: {}\n",
            text::sanitize_line(&question.in_full())
        );
    }
    let is_asked = |about| {
        found
            .questions
            .iter()
            .any(|question| question.about == about)
    };
    let (city, state) = found.city.clone().unwrap_or_else(|| {
        let is_unknown = found.columns_of(PermitField::City).is_empty()
            && is_asked(super::QuestionSubject::City);
        let city = if is_unknown { "?" } else { "" };
        (city.to_owned(), String::new())
    });
    out += &format!("name = {}\n", quote(title.name));
    out += &format!(
        "city = {}  # of rows that name none\nstate = {}\n",
        quote(&city),
        quote(&state)
    );
    out +=
        "# The order of day, month and year: dmy, mdy or ymd; or formats such as \"%d.%m.%Y\".\n";
    out += &match &found.dates {
        Some((order, why)) => format!(
            "dates = [{}]  # {}\n",
            quote(order.word()),
            text::sanitize_line(why)
        ),
        None if is_asked(super::QuestionSubject::Dates) => "dates = [\"?\"]\n".to_owned(),
        None => "dates = [\"ymd\"]  # every date has one reading\n".to_owned(),
    };
    if let Some((time, why)) = &found.local_midnight {
        let why = text::sanitize_line(why);
        out += &format!("local_midnight = {}  # {why}\n", quote(time));
    }
    out += &match &found.decimal {
        Some((sign, why)) => format!(
            "decimal = {}  # {}\n",
            quote(&sign.as_char().to_string()),
            text::sanitize_line(why)
        ),
        None if is_asked(super::QuestionSubject::Decimal) => {
            "decimal = \"?\"  # \".\" for 1,234.56, \",\" for 1.234,56\n".to_owned()
        }
        None => "# decimal = \",\"  # for 1.234,56\n".to_owned(),
    };
    let slug = slug_of(title.name);
    let display = if city.is_empty() || city == "?" {
        title.name.to_owned()
    } else {
        format!("{city} Building Permits")
    };
    out += &format!(
        "\n[file]\n# The next file with this header uses this layout.\nheader = {}\n",
        quote(&title.fingerprint)
    );
    out += &found.encoding.map_or_else(String::new, |encoding| {
        format!("encoding = {}\n", quote(encoding.name()))
    });
    out += &format!(
        "\n[source]\nslug = {}\ndisplay_name = {}\n",
        quote(&slug),
        quote(&display)
    );
    out += &format!(
        "\n[permit]\n{}",
        line(found, "id", PermitField::Id).unwrap_or_else(|| "id = \"?\"\n".to_owned())
    );
    let key: Vec<&str> = match is_asked(super::QuestionSubject::Key) {
        true => vec!["?"],
        false => found.key.iter().map(String::as_str).collect(),
    };
    if !key.is_empty() {
        out += "# What identifies a permit together with its number.\n";
        out += &format!("and = {}\n", quote_list(&key));
    }
    out += &place(found);
    out += &project(found);
    out += &signals(found);
    out += &status(found);
    out += &firms(found);
    let unused: Vec<&str> = found
        .columns
        .iter()
        .filter(|column| column.field == PermitField::Nothing)
        .map(|column| column.name.as_str())
        .collect();
    if !unused.is_empty() {
        out += &format!(
            "\n# Kept with each signal, and not read: {}\n",
            text::sanitize_line(&unused.join(", "))
        );
    }
    out
}

/// A name as part of an id: letters, digits and dashes.
pub fn slug_of(name: &str) -> String {
    words::normalize(name).replace([' ', '\''], "-")
}

fn report<'f>(found: &'f Inspection, name: &str) -> Option<&'f ColumnReport> {
    found.columns.iter().find(|column| column.name == name)
}

/// What is known about a column, as a comment.
fn comment(found: &Inspection, name: &str) -> String {
    let Some(column) = report(found, name) else {
        return String::new();
    };
    let samples: Vec<String> = column
        .samples
        .iter()
        .map(|sample| text::truncate(&text::sanitize_line(sample), 40, "…").into_owned())
        .collect();
    format!(
        "  # {}, {}: {}",
        column.confidence.word(),
        column.reason,
        samples.join(" · ")
    )
}

/// `key = "column"`, if there is one.
fn line(found: &Inspection, key: &str, field: PermitField) -> Option<String> {
    let name = found.columns_of(field).first().copied()?;
    Some(format!("{key} = {}{}\n", quote(name), comment(found, name)))
}

/// `key = ["column", "column"]`, if there are any.
fn list_line(found: &Inspection, key: &str, field: PermitField) -> Option<String> {
    let names = found.columns_of(field);
    let first = names.first()?;
    Some(format!(
        "{key} = {}{}\n",
        quote_list(&names),
        comment(found, first)
    ))
}

fn place(found: &Inspection) -> String {
    use PermitField::{
        Address, City, Latitude, Longitude, Neighborhood, Parcel, Point, State, StreetDirection,
        StreetEnd, StreetName, StreetNumber, StreetNumberEnd, StreetSuffix,
    };
    let first = |field| found.columns_of(field).first().copied();
    // the number is behind the street where the file has it there
    let position = |field: &PermitField| {
        found
            .columns
            .iter()
            .position(|column| column.field == *field)
    };
    let mut parts = [
        StreetNumber,
        StreetNumberEnd,
        StreetDirection,
        StreetName,
        StreetSuffix,
        StreetEnd,
    ];
    parts.sort_by_key(position);
    // an address without any number has its number in another column
    let has_digit = |sample: &String| sample.contains(|c: char| c.is_ascii_digit());
    let has_number =
        |name: &str| report(found, name).is_some_and(|column| column.samples.iter().any(has_digit));
    let address: Vec<&str> = match first(Address) {
        Some(whole) if has_number(whole) || first(StreetNumber).is_none() => vec![whole],
        Some(street) => {
            let mut both: Vec<&str> = std::iter::once(street).chain(first(StreetNumber)).collect();
            both.sort_by_key(|name| found.columns.iter().position(|column| column.name == *name));
            both
        }
        None => parts.iter().filter_map(|field| first(*field)).collect(),
    };
    // a direction or a suffix may be empty, a number may not
    let optional: Vec<&str> = [StreetNumberEnd, StreetDirection, StreetSuffix, StreetEnd]
        .into_iter()
        .filter_map(first)
        .filter(|name| address.contains(name))
        .collect();
    let without = |left_out: &[&str]| {
        address
            .iter()
            .copied()
            .filter(|name| !left_out.contains(name))
            .collect::<Vec<&str>>()
    };
    let mut places: Vec<Vec<&str>> = Vec::new();
    if !address.is_empty() {
        // any of them may be missing, the last first
        for mask in 0..1_usize << optional.len() {
            let left_out = optional
                .iter()
                .enumerate()
                .filter(|(at, _)| mask >> at & 1 == 1);
            let left_out: Vec<&str> = left_out.map(|(_, name)| *name).collect();
            places.push(without(&left_out));
        }
        places.sort_by_key(|place| std::cmp::Reverse(place.len()));
    }
    places.extend(Some(found.columns_of(Parcel)).filter(|parcel| !parcel.is_empty()));
    if places.is_empty() {
        places.push(vec!["?"]);
    }
    let city = first(City);
    let with_city = places
        .iter()
        .filter_map(|place| Some(place.iter().copied().chain([city?]).collect::<Vec<&str>>()));
    let groups: Vec<Vec<&str>> = with_city.chain(places.iter().cloned()).collect();
    let groups: Vec<String> = groups.iter().map(|group| quote_list(group)).collect();
    let mut out = String::from(
        "\n[place]\n# What makes two rows the same place: the first of these groups whose columns are all filled.\n",
    );
    out += &format!("key = [{}]\n", groups.join(", "));
    out += &format!(
        "address = {}{}\n",
        quote_list(&address),
        address
            .first()
            .map(|name| comment(found, name))
            .unwrap_or_default()
    );
    for (key, field) in [
        ("city", City),
        ("state", State),
        ("neighborhood", Neighborhood),
        ("point", Point),
        ("latitude", Latitude),
        ("longitude", Longitude),
    ] {
        out += &line(found, key, field).unwrap_or_default();
    }
    out
}

fn project(found: &Inspection) -> String {
    let lists = [
        ("name", PermitField::ProjectName),
        ("cost", PermitField::Cost),
        ("area", PermitField::Area),
        ("stories", PermitField::Stories),
        ("units", PermitField::Units),
        ("use", PermitField::Use),
    ];
    let lines: String = lists
        .into_iter()
        .filter_map(|(key, field)| list_line(found, key, field))
        .collect();
    let uses = match found.columns_of(PermitField::Use).is_empty() {
        true => String::new(),
        false => "# [project.uses]\n# \"the city's word\" = \"office\"  # or multifamily, retail, hotel, industrial, education, civic, other\n".to_owned(),
    };
    let scales: String = (found.scales.iter())
        .map(|(name, factor)| format!("{} = {factor:?}\n", quote(name)))
        .collect();
    let scales = match scales.is_empty() {
        true => scales,
        false => format!(
            "# What the figures of a column are multiplied with.\n[project.scale]\n{scales}"
        ),
    };
    if lines.is_empty() {
        String::new()
    } else {
        format!("\n[project]\n{lines}{uses}{scales}")
    }
}

fn signals(found: &Inspection) -> String {
    let types = found.columns_of(PermitField::Type);
    let condition = types
        .first()
        .filter(|_| !found.demolitions.is_empty())
        .map(|name| {
            let values: Vec<&str> = found.demolitions.iter().map(String::as_str).collect();
            format!("{{ {} = {} }}", quote(name), quote_list(&values))
        });
    let mut out = String::from(
        "\n# Signals: on the date in one of the columns, if all conditions and no exception match.\n",
    );
    let mut rule =
        |kind: &str, fields: &[PermitField], when: Option<&str>, unless: Option<&str>| {
            let columns: Vec<&ColumnReport> = fields
                .iter()
                .filter_map(|field| date_column(found, *field))
                .collect();
            let names: Vec<String> = columns.iter().map(|column| date_name(column)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let Some(first) = columns.first() else { return };
            out += &format!(
                "[[signal]]\ntype = \"{kind}\"\non = {}{}\n",
                quote_list(&names),
                comment(found, &first.name)
            );
            out += &when
                .map(|when| format!("when = {when}\n"))
                .unwrap_or_default();
            out += &unless
                .map(|unless| format!("unless = {unless}\n"))
                .unwrap_or_default();
            out.push('\n');
        };
    // a demolition is applied for as anything else is, where a column says whether it was granted
    let has = |field| !found.columns_of(field).is_empty();
    let is_only_filed = !has(PermitField::Issued) && !has(PermitField::Decision);
    let granted = if is_only_filed {
        PermitField::Filed
    } else {
        PermitField::Issued
    };
    if let Some(condition) = &condition {
        rule("demolition_permit", &[granted], Some(condition), None);
    }
    rule(
        "permit_filed",
        &[PermitField::Filed],
        None,
        condition.as_deref().filter(|_| is_only_filed),
    );
    rule(
        "permit_issued",
        &[PermitField::Issued],
        None,
        condition.as_deref(),
    );
    rule("completion", &[PermitField::Completed], None, None);
    if !out.contains("[[signal]]") && found.columns_of(PermitField::Decided).is_empty() {
        let plain = found.columns_of(PermitField::AnyDate);
        let name = plain.first().copied().unwrap_or("?");
        out += &format!(
            "[[signal]]\ntype = \"?\"  # permit_filed or permit_issued\non = {}\n\n",
            quote_list(&[name])
        );
    }
    out
}

/// The column with a date.
fn date_column(found: &Inspection, field: PermitField) -> Option<&ColumnReport> {
    report(found, found.columns_of(field).first()?)
}

/// The name of a column of dates, or of years and months.
fn date_name(column: &ColumnReport) -> String {
    column.month.as_ref().map_or_else(
        || column.name.clone(),
        |month| format!("{} + {month}", column.name),
    )
}

fn status(found: &Inspection) -> String {
    let columns = [PermitField::Decision, PermitField::Status]
        .into_iter()
        .flat_map(|field| found.columns_of(field));
    let columns: Vec<&str> = columns.collect();
    let ends: String = found
        .columns_of(PermitField::Ended)
        .into_iter()
        .map(|name| {
            let state = PermitState::of_end(name).unwrap_or(PermitState::Withdrawn);
            format!(
                "{} = \"{}\"{}\n",
                quote(name),
                state.word(),
                comment(found, name)
            )
        })
        .collect();
    let has_certificate = found.has(PermitField::CertificateType);
    if columns.is_empty() && ends.is_empty() && !has_certificate {
        return String::new();
    }
    let mut out = format!(
        "# The state of a permit.\n[status]\ncolumns = {}\n",
        quote_list(&columns)
    );
    for (key, field) in [
        ("decided", PermitField::Decided),
        ("changed", PermitField::StatusDate),
        ("certificate", PermitField::CertificateType),
        ("expires", PermitField::Expires),
    ] {
        out += &date_column(found, field).map_or_else(String::new, |column| {
            format!("{key} = {}\n", quote(&date_name(column)))
        });
    }
    out += "# applied, active, approved, completed, withdrawn, denied or expired; one of the last three has only the signal of that.\n[status.values]\n";
    for value in found
        .questions
        .iter()
        .filter_map(|question| question.status.as_deref())
    {
        out += &format!("{} = \"?\"\n", quote(value));
    }
    for (value, state) in &found.statuses {
        out += &format!("{} = \"{}\"\n", quote(value), state.word());
    }
    if !ends.is_empty() {
        out += "# Columns whose day, or yes, says that the permit ended.\n[status.ends]\n";
        out += &ends;
    }
    out.push('\n');
    out
}

/// The columns that are understood and not in the layout, in words.
pub fn list_unread_columns(found: &Inspection, layout: &str) -> Option<String> {
    // a status may be called as a column is
    let (before, statuses) = layout.split_once(STATUS_VALUES).unwrap_or((layout, ""));
    let behind = statuses.find("\n[").map_or("", |at| &statuses[at..]);
    let is_unread = |column: &&ColumnReport| {
        let name = quote(&column.name);
        column.field != PermitField::Nothing && !before.contains(&name) && !behind.contains(&name)
    };
    let those: Vec<String> = found
        .columns
        .iter()
        .filter(is_unread)
        .map(|column| format!("{} ({})", column.name, column.field.title()))
        .collect();
    let names = list_names(&those);
    (!those.is_empty()).then(|| format!("kept with each signal, and not used otherwise: {names}"))
}

/// The names of columns in a note, as many as it can hold.
pub(super) fn list_names(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    text::truncate(&names.join(", "), 400, "…").into_owned()
}

/// A layout with the meanings of more statuses, and other dates or another decimal sign.
pub fn add_answers(text: &str, answers: &Answers) -> String {
    let statuses = answers
        .statuses
        .iter()
        .filter(|(value, _)| value != ANY_STATUS);
    let statuses =
        statuses.map(|(value, state)| (STATUS_VALUES, quote(value), quote(state.word())));
    let dates = answers
        .dates
        .map(|order| ("dates", quote_list(&[order.word()])));
    let decimal = answers
        .decimal
        .map(|sign| ("decimal", quote(&sign.as_char().to_string())));
    let top = dates.into_iter().chain(decimal);
    let entries = top
        .map(|(key, value)| ("", key.to_owned(), value))
        .chain(statuses);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (table, key, value) in entries {
        let start = match lines.iter().position(|line| line.trim() == table) {
            _ if table.is_empty() => 0,
            Some(at) => at + 1,
            None => {
                lines.push(table.to_owned());
                lines.len()
            }
        };
        let rest = &lines[start..];
        let end = rest
            .iter()
            .position(|line| line.starts_with('['))
            .unwrap_or(rest.len());
        let known = rest[..end]
            .iter()
            .position(|line| line.starts_with(&format!("{key} =")));
        let line = format!("{key} = {value}");
        match known {
            Some(at) if rest[at].starts_with(&line) => {}
            Some(at) => lines[start + at] = line,
            None => lines.insert(start, line),
        }
    }
    lines.join("\n") + "\n"
}

fn firms(found: &Inspection) -> String {
    type Named<'f> = (PermitField, &'f str, &'f str, &'f str, &'f str);
    let firms = [
        (PermitField::Contractor, "gc", "never", ""),
        (PermitField::Subcontractor, "subcontractor", "never", ""),
        (PermitField::Owner, "owner", "maybe", "Owner"),
        (PermitField::Architect, "architect", "maybe", "Architect"),
        (PermitField::Engineer, "engineer", "maybe", "Engineer"),
        // who applies may be of any trade
        (PermitField::Applicant, "consultant", "maybe", "Applicant"),
    ];
    let position = |name: &str| {
        found
            .columns
            .iter()
            .position(|column| column.name == name)
            .unwrap_or_default()
    };
    let named: Vec<Named<'_>> = firms
        .into_iter()
        .flat_map(|(field, role, people, title)| {
            let names = found.columns_of(field).into_iter();
            names.map(move |name| (field, name, role, people, title))
        })
        .collect();
    let is_reach = |word: &str| {
        let lists = ["beside_phone", "plain_number", "beside_firm"];
        words::is_named(word, |field| {
            matches!(field, PermitField::Phone | PermitField::Email)
        }) || lists.iter().any(|list| words::is_word_of(list, word))
    };
    let shares_word = |name: &str, column: &str| {
        let (name, column) = (words::normalize(name), words::normalize(column));
        let mut words = name.split(' ');
        words.any(|word| word.len() > 3 && !is_reach(word) && column.contains(word))
    };
    // a phone belongs to the firm that its heading names, or else to the firm before it
    let owner_of = |column: &str| {
        let heading = words::normalize(column);
        let of_whom: Vec<&str> = heading.split(' ').filter(|word| !is_reach(word)).collect();
        let by_word = named.iter().find(|(_, name, ..)| shares_word(name, column));
        let by_role = || {
            let of_whom = of_whom.join(" ");
            let is_role = |field: PermitField| words::is_named(&of_whom, |known| known == field);
            named.iter().find(|(field, ..)| is_role(*field))
        };
        let before = || {
            named
                .iter()
                .filter(|(_, name, ..)| of_whom.is_empty() && position(name) < position(column))
                .max_by_key(|(_, name, ..)| position(name))
        };
        by_word
            .or_else(by_role)
            .or_else(before)
            .map(|(_, name, ..)| *name)
    };
    let mut out = String::new();
    for (_, name, role, people, title) in &named {
        out += &format!(
            "[[firm]]\nroles = [\"{role}\"]\nname = {}{}\npeople = \"{people}\"\n",
            quote(name),
            comment(found, name)
        );
        if !title.is_empty() {
            out += &format!("title = \"{title}\"\n");
        }
        for (key, field) in [("phone", PermitField::Phone), ("email", PermitField::Email)] {
            let own = found
                .columns_of(field)
                .into_iter()
                .filter(|column| owner_of(column) == Some(*name))
                .min_by_key(|column| position(column));
            out += &own
                .map(|column| format!("{key} = {}\n", quote(column)))
                .unwrap_or_default();
        }
        out.push('\n');
    }
    if let (Some(firm), Some(role)) = (
        found.columns_of(PermitField::Firm).first(),
        found.columns_of(PermitField::Role).first(),
    ) {
        let phones = found.columns_of(PermitField::Phone);
        let phone = phones
            .iter()
            .find(|column| shares_word(firm, column))
            .map_or_else(String::new, |column| format!("phone = {}\n", quote(column)));
        out += &format!(
            "[firms]\nrepeat = 1\nkind = {}\nname = {}\n{phone}[firms.kinds]\n",
            quote(role),
            quote(firm)
        );
        let others = ("*".to_owned(), "consultant");
        for (value, role) in found.roles.iter().chain([&others]) {
            let people = match *role {
                "gc" | "subcontractor" => "never",
                _ => "maybe",
            };
            let title = match *role {
                "gc" | "subcontractor" => String::new(),
                _ if value == "*" => String::new(),
                _ => format!(", title = {}", quote(&capitalize(&value.to_lowercase()))),
            };
            out += &format!(
                "{} = {{ roles = [\"{role}\"], people = \"{people}\"{title} }}\n",
                quote(value)
            );
        }
    }
    match out.is_empty() {
        true => out,
        false => {
            format!(
                "# Firms and people. people: never, always, or maybe (a name without a word that only firms have).\n{out}"
            )
        }
    }
}
