//! The columns of the list of Skills.

use super::SkillsPane;
use crate::app::Context;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::{DESCRIPTION, NAME, SKILL_SOURCE};
use crate::domain::skills::{Skill, SkillLifecycle};
use crate::ui::{TextRole, TextSpan, text_span};

pub(super) struct Skills;

impl List for Skills {
    type Pane = SkillsPane;
    type Item = Skill;

    const NAME: &'static str = "skills";
    const STATE_WIDTH: u16 = 2;
    const WIDER_SEARCH: &'static str = "{skills.find} searches the service";
    const COLUMNS: &'static [ListColumn<Skills>] = &[
        ListColumn::<Self>::from_column(NAME, (20, 0), |row| {
            Some(RowValue::Text(row.item.title().into()))
        })
        .growing_to(40),
        ListColumn::<Self>::from_column(SKILL_SOURCE, (8, 3), |row| {
            RowValue::text(row.item.source.as_ref().map(|source| source.as_str()))
        }),
        ListColumn::<Self>::new(FieldKind::Word, ("state", "STATE"), (11, 0), lifecycle).drawn(
            |row| {
                let role = match &row.item.lifecycle {
                    Some(SkillLifecycle::Draft) => TextRole::Warning,
                    Some(SkillLifecycle::Published) => TextRole::Success,
                    _ => TextRole::Muted,
                };
                let word = row.item.lifecycle.as_ref().map(|state| state.as_str());
                let missing = row.cx.settings.theme.glyphs().missing;
                text_span(role, word.unwrap_or(missing))
            },
        ),
        ListColumn::<Self>::new(FieldKind::Word, ("audience", "FOR"), (9, 4), |row| {
            RowValue::text(row.item.audience.as_ref().map(|audience| audience.as_str()))
        }),
        ListColumn::<Self>::new(FieldKind::Word, ("installed", "IN USE"), (6, 2), |row| {
            RowValue::text(installed_label(row.item))
        }),
        ListColumn::<Self>::date(("updated", "UPDATED"), (10, 1), |row| {
            row.item.updated_at.as_ref()
        }),
        ListColumn::<Self>::date(("published", "PUBLISHED"), (10, 5), |row| {
            row.item.published_at.as_ref()
        })
        .hidden(),
        ListColumn::<Self>::new(FieldKind::Number, ("revision", "REV"), (4, 6), |row| {
            row.item.revision.map(RowValue::count)
        })
        .hidden(),
        ListColumn::<Self>::new(FieldKind::Text, ("author", "AUTHOR"), (12, 7), |row| {
            let author = row.item.created_by.as_ref()?;
            Some(RowValue::Text(row.cx.queue.user_name(Some(author)).into()))
        })
        .growing_to(24)
        .hidden(),
        ListColumn::<Self>::from_column(DESCRIPTION, (16, 8), |row| {
            RowValue::text(row.item.description.as_deref())
        })
        .growing_to(80)
        .hidden(),
    ];

    fn items<'a>(pane: &'a SkillsPane, _cx: &'a Context) -> &'a [Skill] {
        &pane.list
    }

    fn lines(pane: &SkillsPane) -> &ListLines {
        &pane.lines
    }

    /// A failed change, or its mark.
    fn state(row: &ListRow<'_, Skills>) -> Vec<TextSpan<'static>> {
        let has_failed = row.pane.write_errors.contains_key(&row.item.id);
        vec![match (has_failed, Self::is_marked(row)) {
            (true, _) => text_span(TextRole::Error, "!"),
            (false, true) => text_span(TextRole::Marked, row.cx.settings.theme.glyphs().marked),
            (false, false) => text_span(TextRole::Text, " "),
        }]
    }

    const HAS_MARKS: bool = true;

    fn is_marked(row: &ListRow<'_, Skills>) -> bool {
        row.pane.marks.contains(&row.item.id)
    }
}

fn lifecycle<'a>(row: &ListRow<'a, Skills>) -> Option<RowValue<'a>> {
    RowValue::text(row.item.lifecycle.as_ref().map(|state| state.as_str()))
}

/// Whether a Skill is installed. Only official ones can be.
fn installed_label(skill: &Skill) -> Option<&'static str> {
    match skill.installed {
        Some(true) => Some("yes"),
        Some(false) if skill.is_official() => Some("no"),
        _ => None,
    }
}
