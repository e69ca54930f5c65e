//! Matches the lines of a list with the index, step by step: first exact names, many in one search,
//! then similar names for each of the other lines.
//!
//! The index can be searched by name and, for contacts, by email address; neither by domain nor by
//! address. So a domain is looked for by the letters that a name has in common with it, an address
//! as the name of a project, and what is found is compared with the line.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::ListFile;
use super::lines::{Candidate, Fit, LineState, ListLine, name_variants, normalize_name};
use crate::domain::book::RecordKind;
use crate::domain::conditions::Test;
use crate::domain::records::{Record, RecordFields};
use crate::domain::search::{RecordSource, Search};

/// Names of one exact search.
const EXACT_NAMES: usize = 20;
/// The most rows of an exact search for each of its names.
const EXACT_ROWS: u32 = 2;
/// The most rows of a search for similar names.
const SIMILAR_ROWS: u32 = 3;
/// The same where only a domain is known: what is found is checked, and the letters are in several
/// names.
const DOMAIN_ROWS: u32 = 5;
/// Letters of the beginning and the end of a domain that are looked for in names.
const DOMAIN_LETTERS: usize = 4;

/// A list that is being matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListImport {
    pub kind: RecordKind,
    pub lines: Vec<ListLine>,
    /// Credits spent on it so far.
    pub credits: u64,
}

/// A search, and the lines that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchStep {
    pub search: Search,
    /// Rows to return, at most.
    pub limit: u32,
    lines: Vec<usize>,
    /// The field that has the lines' exact value.
    exact_field: Option<&'static str>,
}

impl ListImport {
    pub fn new(file: &ListFile) -> ListImport {
        ListImport {
            kind: file.kind.clone(),
            lines: file.lines(),
            credits: 0,
        }
    }

    pub fn source(&self) -> RecordSource {
        RecordSource::Index((&self.kind).into())
    }

    /// The most credits that the searches still to come can cost.
    pub fn max_credits(&self) -> u64 {
        let price = |line: &ListLine| match line.state {
            LineState::Waiting if self.exact_term(line).is_some() => {
                u64::from(EXACT_ROWS + SIMILAR_ROWS)
            }
            LineState::Waiting => u64::from(self.similar_rows(line)),
            _ => 0,
        };
        self.lines.iter().map(price).sum()
    }

    /// How many searches are still to come, at most.
    pub fn max_searches(&self) -> usize {
        let waiting: Vec<&ListLine> = self
            .lines
            .iter()
            .filter(|line| line.state == LineState::Waiting)
            .collect();
        waiting.len()
            + waiting
                .iter()
                .filter(|line| self.exact_term(line).is_some())
                .count()
                .div_ceil(EXACT_NAMES)
    }

    /// The most credits that searching a line again can cost.
    pub fn line_price() -> u64 {
        u64::from(SIMILAR_ROWS)
    }

    pub fn waiting_count(&self) -> usize {
        self.lines
            .iter()
            .filter(|line| line.state == LineState::Waiting)
            .count()
    }

    /// How many lines are in a state of this name.
    pub fn count(&self, title: &str) -> usize {
        self.lines
            .iter()
            .filter(|line| line.state.title() == title)
            .count()
    }

    /// The most rows of a search for what is similar to a line.
    fn similar_rows(&self, line: &ListLine) -> u32 {
        if self.kind == RecordKind::Accounts && line.sought_terms().name.is_empty() {
            DOMAIN_ROWS
        } else {
            SIMILAR_ROWS
        }
    }

    /// What is looked for exactly: the field and its value.
    fn exact_term<'a>(&self, line: &'a ListLine) -> Option<(&'static str, &'a str)> {
        if line.was_searched_exactly {
            return None;
        }
        match self.kind {
            RecordKind::Contacts if !line.terms.email.is_empty() => {
                Some(("email", &line.terms.email))
            }
            _ => (!line.terms.name.is_empty()).then_some(("name", line.terms.name.as_str())),
        }
    }

    /// The next search; `None` when all lines were searched.
    pub fn next_step(&self) -> Option<MatchStep> {
        let waiting = || {
            self.lines
                .iter()
                .enumerate()
                .filter(|(_, line)| line.state == LineState::Waiting)
        };
        let first = waiting().find_map(|(_, line)| self.exact_term(line));
        if let Some((field, _)) = first {
            let of_field = waiting().filter_map(|(at, line)| {
                Some((at, self.exact_term(line).filter(|term| term.0 == field)?.1))
            });
            let (lines, values): (Vec<usize>, Vec<Vec<Value>>) = of_field
                .take(EXACT_NAMES)
                .map(|(at, value)| (at, exact_values(field, value)))
                .unzip();
            let values = values.into_iter().flatten().collect();
            let limit = EXACT_ROWS * u32::try_from(lines.len()).unwrap_or(1);
            let search = search_of([(field, values, true)]);
            return Some(MatchStep {
                search,
                limit,
                lines,
                exact_field: Some(field),
            });
        }
        let (at, line) = waiting().next()?;
        let terms = line.sought_terms();
        let name = |values: Vec<Value>| ("name", values, false);
        let search = match self.kind {
            RecordKind::Contacts if terms.name.is_empty() => {
                search_of([("email", vec![terms.email.as_str().into()], false)])
            }
            RecordKind::Projects => {
                let street = terms.address.split(',').next().unwrap_or_default();
                let named = name(vec![
                    if terms.name.is_empty() {
                        street
                    } else {
                        &terms.name
                    }
                    .into(),
                ]);
                let city = (!terms.city.is_empty())
                    .then(|| ("city", vec![terms.city.as_str().into()], false));
                search_of([named].into_iter().chain(city))
            }
            _ if terms.name.is_empty() => search_of([name(domain_patterns(&terms.domain))]),
            _ => search_of([name(exact_values("name", &terms.name))]),
        };
        Some(MatchStep {
            search,
            limit: self.similar_rows(line),
            lines: vec![at],
            exact_field: None,
        })
    }

    /// Takes the rows of a step, and what they cost.
    pub fn on_rows(&mut self, step: &MatchStep, rows: &[Record], credits: u64) {
        self.credits = self.credits.saturating_add(credits);
        let rows: Vec<(&Record, RecordFields)> =
            rows.iter().map(|row| (row, row.fields())).collect();
        for at in &step.lines {
            let Some(line) = self.lines.get_mut(*at) else {
                continue;
            };
            for (row, fields) in &rows {
                let is_meant = step.exact_field.is_none_or(|field| {
                    let value = fields.text(field).unwrap_or_default();
                    match field {
                        "email" => value.trim().eq_ignore_ascii_case(&line.terms.email),
                        _ => normalize_name(value) == normalize_name(&line.terms.name),
                    }
                });
                if is_meant && line.candidates.iter().all(|known| known.id != row.id) {
                    let fit = line.sought_terms().compare_with(fields);
                    line.candidates.push(candidate(row, fields, fit));
                }
            }
            line.was_searched_exactly = true;
            if step.exact_field.is_none() || !line.candidates.is_empty() {
                line.settle();
            }
        }
    }

    /// A step failed: its lines wait no longer.
    pub fn on_failure(&mut self, step: &MatchStep, why: &str) {
        for at in &step.lines {
            if let Some(line) = self.lines.get_mut(*at) {
                line.state = LineState::Failed(why.to_owned());
            }
        }
    }

    /// Searches a line again, by other words or the same.
    pub fn search_again(&mut self, at: usize, words: &str) {
        let Some(line) = self.lines.get_mut(at) else {
            return;
        };
        line.words = Some(words.to_owned());
        line.candidates.clear();
        (line.state, line.chosen, line.was_searched_exactly) = (LineState::Waiting, None, true);
    }

    /// The lines to save, each record once.
    pub fn chosen_records(&self) -> Vec<&Candidate> {
        let mut seen = std::collections::HashSet::new();
        let chosen = self
            .lines
            .iter()
            .filter(|line| line.is_chosen())
            .filter_map(ListLine::chosen_record);
        chosen.filter(|record| seen.insert(record.id)).collect()
    }

    /// A chosen record was saved, or not.
    pub fn on_saved(&mut self, id: uuid::Uuid, result: Result<(), String>) {
        for line in self.lines.iter_mut().filter(|line| {
            line.is_chosen() && line.chosen_record().is_some_and(|record| record.id == id)
        }) {
            line.state = match &result {
                Ok(()) => LineState::Saved,
                Err(why) => LineState::NotSaved(why.clone()),
            };
        }
    }
}

fn search_of(criteria: impl IntoIterator<Item = (&'static str, Vec<Value>, bool)>) -> Search {
    let mut search = Search::default();
    let filters = criteria.into_iter().map(|(key, values, exact)| {
        (
            key.to_owned(),
            Test::Values {
                values,
                exact,
                exclude: false,
            },
        )
    });
    search.filters.criteria_mut().extend(filters);
    search
}

/// What is looked for exactly: of a name, each way to write it.
fn exact_values(field: &str, value: &str) -> Vec<Value> {
    match field {
        "name" => name_variants(value).into_iter().map(Value::from).collect(),
        _ => vec![value.into()],
    }
}

/// What a name may have in common with a domain: its first label with spaces, or the letters at
/// both of its ends.
fn domain_patterns(domain: &str) -> Vec<Value> {
    let label = domain.split('.').next().unwrap_or_default();
    let letters: Vec<char> = label.chars().filter(|c| *c != '-').collect();
    let mut patterns = vec![Value::from(label.replace('-', " "))];
    if letters.len() > 2 * DOMAIN_LETTERS {
        let (start, end): (String, String) = (
            letters[..DOMAIN_LETTERS].iter().collect(),
            letters[letters.len() - DOMAIN_LETTERS..].iter().collect(),
        );
        patterns.push(format!("{start} {end}").into());
    }
    patterns
}

fn candidate(row: &Record, fields: &RecordFields, fit: Fit) -> Candidate {
    let text = |name: &str| {
        fields
            .text(name)
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    let place = [text("city"), text("state")]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    let domain = fields
        .list("domains")
        .first()
        .map(|domain| (*domain).to_owned());
    let detail = [
        text("title"),
        text("email"),
        text("primary_address"),
        domain,
        Some(place).filter(|place| !place.is_empty()),
    ];
    Candidate {
        id: row.id,
        name: text("name").unwrap_or_else(|| "unnamed".to_owned()),
        detail: detail.into_iter().flatten().collect::<Vec<_>>().join(", "),
        fit,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn import(text: &str) -> ListImport {
        ListImport::new(&ListFile::parse(text.as_bytes()).unwrap())
    }

    fn row(n: u128, mut fields: Value) -> Record {
        fields["id"] = json!(Uuid::from_u128(n));
        Record::try_from(&fields).unwrap()
    }

    /// Answers every step with the rows that this index has for it; returns the searches.
    fn run(import: &mut ListImport, index: impl Fn(&Value, bool) -> Vec<Record>) -> Vec<Value> {
        let mut searches = Vec::new();
        while let Some(step) = import.next_step() {
            assert!(searches.len() < 100, "it never ends");
            let rows: Vec<Record> =
                index(&step.search.filters.to_json(), step.exact_field.is_some())
                    .into_iter()
                    .take(step.limit as usize)
                    .collect();
            import.on_rows(&step, &rows, rows.len() as u64);
            searches.push(step.search.filters.to_json());
        }
        searches
    }

    fn states(import: &ListImport) -> Vec<&str> {
        import.lines.iter().map(|line| line.state.title()).collect()
    }

    #[test]
    fn exact_names_are_searched_together_and_only_the_rest_one_by_one() {
        let mut import =
            import("Company,State\nCalder Residential,TX\nVolt,CA\nAtlas,\nNowhere,\nHawthorn,\n");
        assert_eq!((import.max_credits(), import.max_searches()), (25, 6));
        let searches = run(&mut import, |filters, is_exact| {
            match (is_exact, filters["name"]["value"].to_string()) {
                (true, _) => vec![
                    row(1, json!({"name": "CALDER RESIDENTIAL", "state": "TX"})),
                    row(2, json!({"name": "Volt", "state": "TX"})),
                    row(3, json!({"name": "Volt", "state": "CA"})),
                    row(4, json!({"name": "Atlas", "state": "TX"})),
                    row(5, json!({"name": "Atlas", "state": "CA"})),
                ],
                (false, name) if name.contains("Hawthorn") => {
                    vec![row(6, json!({"name": "Hawthorne Group"}))]
                }
                _ => vec![],
            }
        });
        assert_eq!(searches.len(), 3, "{searches:?}");
        assert_eq!(searches[0]["name"]["exact_match"], json!(true));
        assert_eq!(
            states(&import),
            ["found", "found", "several", "none", "similar"]
        );
        assert_eq!(
            import
                .chosen_records()
                .iter()
                .map(|found| found.id.as_u128())
                .collect::<Vec<_>>(),
            [1, 3],
            "a similar name is not chosen by itself"
        );
        assert!(import.credits <= 25, "{}", import.credits);
        assert_eq!(import.lines[4].candidates[0].fit, Fit::SimilarName);
    }

    #[test]
    fn a_firm_is_found_however_its_and_its_article_and_its_legal_form_are_written() {
        let mut import = import(
            "Company\nKerr and Cho Partners\nThe City of Nashville\nLHD Development Inc.\nMoss & Vale\n",
        );
        let names = [
            "Kerr & Cho Partners",
            "City of Nashville",
            "LHD Development",
            "Moss and Vale, LLC",
        ];
        let searches = run(&mut import, |filters, _| {
            let wanted = filters["name"]["value"].to_string();
            let is_wanted = |name: &&&str| wanted.contains(&format!("\"{name}\""));
            let found = names.iter().enumerate();
            let found = found.filter(|(_, name)| {
                is_wanted(name)
                    || wanted == "[\"Moss & Vale\",\"Moss and Vale\"]" && name.starts_with("Moss")
            });
            found
                .map(|(n, name)| row(n as u128, json!({"name": name})))
                .collect()
        });
        assert_eq!(states(&import), ["found"; 4], "{searches:?}");
        assert!(import.lines.iter().all(ListLine::is_chosen));
    }

    #[test]
    fn a_firm_of_that_name_elsewhere_or_with_another_domain_is_not_chosen_by_itself() {
        let mut import =
            import("Company,Website,City\nVolt,,Austin\nAtlas,atlas.example,\nMoss,,Dallas\n");
        run(&mut import, |_, _| {
            vec![
                row(1, json!({"name": "Volt", "city": "Dallas"})),
                row(2, json!({"name": "Atlas", "domains": ["other.example"]})),
                row(3, json!({"name": "Moss", "city": "Dallas"})),
            ]
        });
        let fits: Vec<Fit> = import
            .lines
            .iter()
            .map(|line| line.candidates[0].fit)
            .collect();
        assert_eq!(fits, [Fit::OtherPlace, Fit::OtherDomain, Fit::Same]);
        assert_eq!(states(&import), ["similar", "similar", "found"]);
        assert_eq!(import.chosen_records().len(), 1);
    }

    #[test]
    fn the_cost_never_exceeds_the_price_that_was_shown() {
        let many = (0..47).fold("Company\n".to_owned(), |text, n| {
            format!("{text}Firm {n}\n")
        });
        for is_found in [true, false] {
            let mut import = import(&many);
            let price = import.max_credits();
            run(&mut import, |filters, is_exact| {
                let names = filters["name"]["value"]
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| vec![filters["name"]["value"].clone()]);
                let name = |n: u128| {
                    if is_exact == is_found {
                        names[0].clone()
                    } else {
                        json!(format!("other {n}"))
                    }
                };
                (0..200).map(|n| row(n, json!({"name": name(n)}))).collect()
            });
            assert!(import.credits <= price, "{} of {price}", import.credits);
            assert_eq!(import.waiting_count(), 0);
        }
    }

    #[test]
    fn a_domain_is_looked_for_by_letters_of_the_name_and_checked() {
        let mut import = import("hillcountrybuilders.example\ncalder-residential.example\n");
        let searches = run(&mut import, |filters, _| {
            match filters["name"]["value"].to_string() {
                text if text.contains("hill ders") => vec![
                    row(
                        1,
                        json!({"name": "Hillside Riders", "domains": ["hillside.example"]}),
                    ),
                    row(
                        2,
                        json!({"name": "Hill Country Builders", "domains": ["HillCountryBuilders.example"]}),
                    ),
                ],
                text if text.contains("calder residential") => {
                    vec![row(3, json!({"name": "Calder Residential", "domains": []}))]
                }
                text => panic!("{text}"),
            }
        });
        assert_eq!(searches.len(), 2);
        assert_eq!(
            import
                .chosen_records()
                .iter()
                .map(|found| found.id.as_u128())
                .collect::<Vec<_>>(),
            [2],
            "letters alone are no proof"
        );
        assert_eq!(
            import.lines[0].candidates[import.lines[0].chosen.unwrap()].detail,
            "HillCountryBuilders.example"
        );
    }

    #[test]
    fn people_are_found_by_email_and_projects_by_their_address() {
        let mut people = import("Contact,Email\nMaria Diaz,M.Diaz@calder.example\nJo Li,\n");
        let searches = run(&mut people, |filters, _| match filters.get("email") {
            Some(_) => vec![row(
                1,
                json!({"name": "María Díaz", "email": "m.diaz@calder.example"}),
            )],
            None => vec![],
        });
        assert_eq!(
            (searches.len(), states(&people)),
            (3, vec!["found", "none"])
        );
        let mut projects = import("Address,City\n\"415 Mission Street, Floor 2\",San Francisco\n");
        let searches = run(&mut projects, |_, _| {
            vec![
                row(
                    1,
                    json!({"name": "415 Mission St", "city": "San Francisco"}),
                ),
                row(
                    2,
                    json!({"name": "415 Mission Bay", "city": "San Francisco"}),
                ),
            ]
        });
        assert_eq!(searches[0]["city"]["value"], json!("San Francisco"));
        assert_eq!(
            projects
                .chosen_records()
                .iter()
                .map(|found| found.id.as_u128())
                .collect::<Vec<_>>(),
            [1]
        );
    }

    #[test]
    fn a_line_is_searched_again_by_other_words_and_saved_once() {
        let mut import = import("Company\nCaldr\nCalder\n");
        run(&mut import, |_, is_exact| {
            if is_exact {
                vec![row(1, json!({"name": "Calder"}))]
            } else {
                vec![]
            }
        });
        assert_eq!(states(&import), ["none", "found"]);
        import.search_again(0, "Calder");
        assert_eq!(import.max_credits(), ListImport::line_price());
        run(&mut import, |_, _| vec![row(1, json!({"name": "Calder"}))]);
        assert_eq!(
            (states(&import), import.chosen_records().len()),
            (vec!["found", "found"], 1)
        );
        import.on_saved(Uuid::from_u128(1), Ok(()));
        assert_eq!(
            (states(&import), import.chosen_records().len()),
            (vec!["saved", "saved"], 0)
        );
        let kept: ListImport =
            serde_json::from_value(serde_json::to_value(&import).unwrap()).unwrap();
        assert_eq!(kept, import);
    }
}
