//! The builder: editing of the condition under the cursor.

use crate::app::Context;
use crate::app::context::prices;
use crate::app::drafts::DraftName;
use crate::app::format::{humanize, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::panes::explore::messages::ExplorePrompt;
use crate::app::panes::explore::{BuilderLine, ExplorePane};
use crate::app::prompt::Prompt;
use crate::domain::book::Dataset;
use crate::domain::conditions::{ConditionLine, ConditionPath, Test};
use crate::domain::vocabulary::{ValueKind, VocabularyField};

/// Shown until the fields are there.
pub(super) const LOADING_FIELDS: &str = "loading the fields";

impl ExplorePane {
    /// The relation that a condition is added to: the one the cursor is in.
    pub fn relation_at_cursor(&self) -> Option<usize> {
        self.draft()
            .condition_path()
            .filter(|place| place.inner_index.is_some())
            .map(|place| place.index)
    }

    /// The cursor is on the line that adds a condition.
    pub fn is_on_add_line(&self) -> bool {
        self.draft().current_line() == BuilderLine::Add
    }

    /// Opens the list of fields of the dataset or of a relation.
    pub fn choose_condition_field(&mut self, cx: &mut Context, into: Option<usize>) {
        let known = self.vocabulary_state();
        if known.load != LoadState::Ready {
            cx.ui.notice = Some(match &known.load {
                LoadState::Failed(why) => {
                    Notice::warning(format!("could not load the fields: {why}"))
                        .with_hint("{explore.fields.again} retries, {explore.text} edits as text")
                }
                _ => Notice::info(LOADING_FIELDS),
            });
            return;
        }
        let relation = into.and_then(|at| self.condition_field(ConditionPath::at_top_level(at)));
        let fields = relation.map_or(&known.vocabulary.fields, |relation| &relation.fields);
        let entries: Vec<PickerEntry> = fields.iter().map(field_entry).collect();
        let title = relation.map_or_else(
            || format!("Fields of {}", self.dataset()),
            |r| format!("{}, where", humanize(&r.key)),
        );
        let note = if into.is_some() {
            "{entries.close} for any"
        } else {
            ""
        };
        cx.ui.overlay = Some(Overlay::Picker(Picker::single_choice(
            title,
            note,
            entries,
            PickerKind::Condition(into),
        )));
    }

    /// Adds a condition on a field and asks for its value.
    pub fn add_condition(&mut self, cx: &mut Context, into: Option<usize>, key: &str) {
        let vocabulary = &self.vocabulary_state().vocabulary;
        let field = match into.and_then(|at| self.condition_field(ConditionPath::at_top_level(at)))
        {
            Some(relation) => relation.field(key),
            None => vocabulary.field(key),
        };
        let Some(field) = field.cloned() else { return };
        let draft = self.draft_mut();
        let (place, is_new) = draft.filters.add_condition(into, &field);
        draft.move_cursor_to(place);
        match field.kind {
            _ if !is_new => cx.ui.inform(format!(
                "{} is already there; use each field once",
                humanize(key)
            )),
            ValueKind::Relation => self.choose_condition_field(cx, Some(place.index)),
            ValueKind::Boolean => {}
            _ => {
                self.new_condition = Some(place);
                self.edit_condition(cx);
            }
        }
    }

    /// Removes a new condition that was left without a value.
    pub(super) fn drop_canceled_condition(&mut self, cx: &Context) {
        if cx.ui.prompt.is_none()
            && cx.ui.overlay.is_none()
            && let Some(place) = self.new_condition.take()
        {
            self.draft_mut().move_cursor_to(place);
            self.remove_condition();
        }
    }

    /// Edits the line under the cursor.
    pub fn edit_condition(&mut self, cx: &mut Context) {
        let draft = self.draft();
        let place = match draft.current_line() {
            BuilderLine::Dataset => return self.cycle_builder_line(cx, true),
            BuilderLine::Add => return self.choose_condition_field(cx, None),
            BuilderLine::Condition(place) => place,
        };
        let Some((key, filter)) = draft.filters.condition(place) else {
            return;
        };
        let field = self.condition_field(place);
        let kind = field.map(|field| field.kind.clone());
        match (kind, filter) {
            (_, Test::Related(_)) => self.enter_relation(cx),
            (Some(ValueKind::Boolean), _) => self.cycle_builder_line(cx, true),
            (Some(ValueKind::Enum), Test::Values { values, .. })
                if field.is_some_and(|field| !field.values.is_empty()) =>
            {
                let Some(field) = field else { return };
                let entries = field
                    .values
                    .iter()
                    .map(|word| PickerEntry {
                        key: word.clone(),
                        ..PickerEntry::default()
                    })
                    .collect();
                let chosen: Vec<&str> = values
                    .iter()
                    .filter_map(serde_json::Value::as_str)
                    .collect();
                let picker = Picker::multi_choice(
                    humanize(key),
                    entries,
                    &chosen,
                    field.multi,
                    PickerKind::Values(place),
                );
                cx.ui.overlay = Some(Overlay::Picker(picker));
            }
            (kind, _) => {
                let how = match kind {
                    Some(ValueKind::Number) => {
                        "from..to, e.g. 5..9, 5.. or ..1.5M; empty: any known value"
                    }
                    Some(ValueKind::Date) => {
                        "from..to, e.g. 2026-07-01..2026-07-31 or 2026-07-01..; empty: any known value"
                    }
                    Some(ValueKind::Uuid) => "a record id",
                    _ => "comma means \"or\"",
                };
                let prompt = Prompt::new(
                    humanize(key),
                    &filter.value_text(),
                    ExplorePrompt::Condition(place),
                );
                cx.ui.prompt = Some(prompt);
                cx.ui.inform(how);
            }
        }
    }

    /// Sets a condition from typed text.
    pub fn set_condition_text(&mut self, cx: &mut Context, place: ConditionPath, text: &str) {
        let Some((key, filter)) = self.draft().filters.condition(place) else {
            return;
        };
        let unknown = VocabularyField::of_text(key);
        let field = self.condition_field(place).unwrap_or(&unknown);
        match filter.with_value_text(field, text) {
            Ok(filter) => self.replace_condition(place, filter),
            Err(why) => {
                cx.ui.ask_again(
                    humanize(key),
                    text,
                    ExplorePrompt::Condition(place),
                    format!("{} {why}", humanize(key)),
                );
            }
        }
    }

    /// Sets the chosen values of a condition.
    pub fn set_condition_values(&mut self, place: ConditionPath, chosen: Vec<String>) {
        if let Some((_, Test::Values { exact, exclude, .. })) =
            self.draft().filters.condition(place)
        {
            let values = chosen.into_iter().map(Into::into).collect();
            self.replace_condition(
                place,
                Test::Values {
                    values,
                    exact: *exact,
                    exclude: *exclude,
                },
            );
        }
    }

    fn replace_condition(&mut self, place: ConditionPath, filter: Test) {
        self.new_condition = None;
        let mut filters = self.draft().filters.clone();
        if let Some((_, there)) = filters.condition_mut(place) {
            *there = filter;
        }
        self.draft_mut().filters = self.vocabulary_state().vocabulary.resolve(&filters);
    }

    /// Left and Right on a line: switches the dataset, like or exactly, true or false, or the next
    /// value of a list.
    pub fn cycle_builder_line(&mut self, cx: &mut Context, forward: bool) {
        let next =
            |at: usize, len: usize| (at + if forward { 1 } else { len.max(1) - 1 }) % len.max(1);
        let place = match self.draft().current_line() {
            BuilderLine::Dataset if self.list_filter.is_some() => {
                return self.prompt_filter_text(cx);
            }
            BuilderLine::Dataset => {
                self.dataset_index = next(self.dataset_index, Dataset::ALL.len());
                self.draft_mut().cursor = 0;
                self.question = None;
                return self.read_vocabulary(cx, false);
            }
            BuilderLine::Add => {
                cx.ui.notice = Some(
                    Notice::info("There is no condition on this line.")
                        .with_hint("{explore.add} adds one"),
                );
                return;
            }
            BuilderLine::Condition(place) => place,
        };
        let Some(field) = self.condition_field(place).cloned() else {
            return;
        };
        let Some((_, filter)) = self.draft_mut().filters.condition_mut(place) else {
            return;
        };
        match (filter, &field.kind) {
            (Test::Values { values, .. }, ValueKind::Boolean) => {
                let is_true = values
                    .first()
                    .and_then(serde_json::Value::as_bool)
                    .unwrap_or_default();
                *values = vec![(!is_true).into()];
            }
            (Test::Values { values, .. }, ValueKind::Enum)
                if values.len() < 2 && !field.values.is_empty() =>
            {
                let here = values
                    .first()
                    .and_then(|value| field.values.iter().position(|word| value == word.as_str()));
                let to = here.map_or(0, |here| next(here, field.values.len()));
                *values = vec![field.values[to].as_str().into()];
            }
            (Test::Values { exact, .. }, _) if field.exact => *exact = !*exact,
            _ => {
                cx.ui.notice = Some(
                    Notice::info("This line has no next value.")
                        .with_hint("{explore.change} changes it"),
                )
            }
        }
    }

    /// Enters the relation under the cursor; an empty one by adding its first condition.
    pub fn enter_relation(&mut self, cx: &mut Context) {
        let Some(place) = self.draft().condition_path() else {
            return;
        };
        match self
            .draft()
            .filters
            .condition(ConditionPath::at_top_level(place.index))
        {
            Some((_, Test::Related(inner))) if inner.is_empty() => {
                self.choose_condition_field(cx, Some(place.index))
            }
            Some((_, Test::Related(_))) => self.draft_mut().move_cursor_to(ConditionPath {
                inner_index: Some(0),
                ..place
            }),
            _ => {}
        }
    }

    /// Leaves a relation for its line.
    pub fn leave_relation(&mut self) {
        if let Some(place) = self.draft().condition_path() {
            self.draft_mut()
                .move_cursor_to(ConditionPath::at_top_level(place.index));
        }
    }

    /// Negates the condition under the cursor.
    pub fn negate_condition(&mut self, cx: &mut Context) {
        let Some(place) = self.draft().condition_path() else {
            return;
        };
        let mut filters = self.draft().filters.clone();
        match filters.invert_condition(place, &self.vocabulary_state().vocabulary) {
            Ok(()) => self.draft_mut().filters = filters,
            Err(why) => cx.ui.warn(why),
        }
    }

    pub fn remove_condition(&mut self) {
        let Some(place) = self.draft().condition_path() else {
            return;
        };
        let draft = self.draft_mut();
        draft.filters.remove_condition(place);
        // Not the line that adds a condition: Enter runs what is left.
        let last = draft.lines().len().saturating_sub(2);
        draft.cursor = draft.cursor.min(last);
    }

    /// Asks for all conditions as text.
    pub(super) fn prompt_conditions(&self, cx: &mut Context) {
        let (name, words) = match &self.list_filter {
            Some(filter) => (DraftName::ListConditions, filter.query.as_str()),
            None => (DraftName::Conditions(self.dataset().clone()), ""),
        };
        let line = self.draft().filters.to_line(words);
        cx.drafts.open_prompt(
            "conditions",
            ExplorePrompt::Conditions,
            name,
            &line,
            &mut cx.ui,
        );
    }

    /// Asks for a question in plain words.
    pub(super) fn prompt_question(&self, cx: &mut Context) {
        let name = DraftName::Question(self.dataset().clone());
        let last = self
            .question
            .as_ref()
            .map(|question| question.text.as_str())
            .unwrap_or_default();
        cx.drafts
            .open_prompt("ask", ExplorePrompt::Question, name, last, &mut cx.ui);
        let price = prices::question_price(&cx.work, &cx.settings);
        cx.ui.prompt = cx.ui.prompt.take().map(|prompt| prompt.with_price(price));
    }

    /// Replaces the conditions by a typed line.
    pub fn set_conditions_from_text(&mut self, cx: &mut Context, text: &str) {
        let over_list = self.list_filter.is_some();
        let fields = &self.vocabulary_state().vocabulary;
        let (rest, filters) = match ConditionLine::parse(text, fields) {
            Ok(line) => line.into_search(),
            Err(error) => {
                return cx
                    .ui
                    .ask_for_line_again(text, ExplorePrompt::Conditions, error);
            }
        };
        let read = if over_list {
            self.set_filter_line(rest, filters.clone())
                .map(|()| filters)
        } else if rest.is_empty() {
            Ok(filters)
        } else {
            Err(format!(
                "{rest:?} is not a condition; write it like city=Austin"
            ))
        };
        match read {
            Ok(_) if over_list => {}
            Ok(filters) => {
                let draft = self.draft_mut();
                draft.filters = filters;
                draft.cursor = 1;
            }
            Err(why) => {
                cx.ui
                    .ask_again("conditions", text, ExplorePrompt::Conditions, why);
            }
        }
    }
}

fn field_entry(field: &VocabularyField) -> PickerEntry {
    let takes = match &field.kind {
        ValueKind::Text => "text".to_owned(),
        ValueKind::Enum => pluralize(field.values.len(), "value"),
        ValueKind::Uuid => "an id".to_owned(),
        ValueKind::Boolean => "yes or no".to_owned(),
        ValueKind::Number => "a number range".to_owned(),
        ValueKind::Date => "a date range".to_owned(),
        ValueKind::Relation if field.negated => "none, where".to_owned(),
        ValueKind::Relation => "at least one, where".to_owned(),
        ValueKind::Other(kind) => kind.to_string(),
    };
    let detail = match &field.kind {
        ValueKind::Enum => field
            .values
            .iter()
            .map(|word| humanize(word))
            .collect::<Vec<_>>()
            .join(", "),
        ValueKind::Relation => field
            .fields
            .iter()
            .map(|field| humanize(&field.key))
            .collect::<Vec<_>>()
            .join(", "),
        ValueKind::Text if field.exact => "similar text matches, unless set to exactly".to_owned(),
        ValueKind::Number | ValueKind::Date => {
            "both bounds are included; unknown values never match".to_owned()
        }
        _ => String::new(),
    };
    let label = if field.label.is_empty() {
        String::new()
    } else {
        format!("{}: ", field.label)
    };
    PickerEntry {
        key: field.key.clone(),
        note: takes,
        detail: format!("{label}{detail}"),
        ..PickerEntry::default()
    }
}
