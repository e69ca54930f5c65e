//! The columns of the list of Skills.

use crate::app::Context;
use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::row_fields::RowValue;
use crate::domain::skills::Skill;

pub(super) const SKILLS: ListTable = ListTable {
    name: "skills",
    state_width: 2,
    columns: &[
        ListColumn::text("name", "NAME", 20, 0).growing_to(40),
        ListColumn::text("source", "SOURCE", 8, 3),
        ListColumn::text("state", "STATE", 11, 0),
        ListColumn::text("audience", "FOR", 9, 4),
        ListColumn::text("installed", "INST", 4, 2),
        ListColumn::date("updated", "UPDATED", 10, 1),
        ListColumn::date("published", "PUBLISHED", 10, 5).hidden(),
        ListColumn::number("revision", "REV", 4, 6).hidden(),
        ListColumn::text("author", "AUTHOR", 12, 7)
            .growing_to(24)
            .hidden(),
        ListColumn::text("description", "DESCRIPTION", 16, 8)
            .growing_to(80)
            .hidden(),
    ],
};

/// What a Skill has in a column.
pub(super) fn value<'a>(cx: &Context, skill: &'a Skill, key: &str) -> Option<RowValue<'a>> {
    match key {
        "name" => Some(RowValue::Text(skill.title().into())),
        "source" => RowValue::text(skill.source.as_ref().map(|source| source.as_str())),
        "state" => RowValue::text(skill.lifecycle.as_ref().map(|lifecycle| lifecycle.as_str())),
        "audience" => RowValue::text(skill.audience.as_ref().map(|audience| audience.as_str())),
        "installed" => RowValue::text(super::draw::installed_label(skill)),
        "updated" => skill.updated_at.as_ref()?.date_time().map(RowValue::Date),
        "published" => skill.published_at.as_ref()?.date_time().map(RowValue::Date),
        "revision" => skill.revision.map(RowValue::count),
        "author" => Some(RowValue::Text(
            cx.user_name(Some(skill.created_by.as_ref()?)).into(),
        )),
        _ => RowValue::text(skill.description.as_deref()),
    }
}
