//! A record's annotation as commented TOML for the user's editor, and what an edited text changes
//! in the form.
//!
//! Never here: sending anything. The form shows the changes and sends them when the user applies
//! it.

use serde::Deserialize;

use super::field_inputs::{FieldEdit, FieldInputs, FieldOp, FormField};
use super::{AnnotatedRecord, AnnotationForm};
use crate::app::annotation_cache::{AnnotationField, AnnotationValue};
use crate::domain::book::{IcpTier, RecordKind};
use crate::domain::records::RecordFields;
use crate::text;

const INSTRUCTIONS: &str = "\
# Change the values, save and close the editor. You see what changes before anything is sent.
# An empty value (\"\" or []) clears the field. A line that you delete changes nothing.
";

#[derive(Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordText {
    icp_tier: Option<String>,
    workspace_status: Option<String>,
    tags: Option<Vec<String>>,
    notes: Option<String>,
}

/// The text for the only record of a form, as the form would leave it; `facts` are shown as
/// comments.
pub(super) fn format_record(
    form: &AnnotationForm,
    record: &AnnotatedRecord,
    facts: Option<&RecordFields>,
) -> String {
    let name = text::sanitize_line(&record.name);
    let mut out = format!(
        "# {name} ({} {})\n{INSTRUCTIONS}",
        form.kind.singular_name(),
        record.id
    );
    for field in AnnotationField::for_kind(&form.kind) {
        let base = record.base.value(field);
        let value = match form.inputs.field_edit(field, base) {
            FieldEdit::Unchanged => base.cloned(),
            FieldEdit::Relative { value, .. } | FieldEdit::Replace(value) => Some(value),
        };
        out.push_str(&format!("\n{}", comment_on(form, field)));
        match value {
            Some(value) => out.push_str(&format_field(field, &value)),
            None => out.push_str(&format!(
                "# {} is not known: it was not read yet\n",
                field.wire_name()
            )),
        }
    }
    let annotated: Vec<&str> = AnnotationField::ALL
        .into_iter()
        .map(AnnotationField::wire_name)
        .collect();
    let scalars = facts
        .into_iter()
        .flat_map(RecordFields::iter)
        .filter(|(name, value)| {
            !annotated.contains(&name.as_str())
                && !value.is_null()
                && !value.is_object()
                && !value.is_array()
        });
    for (nth, (name, value)) in scalars.enumerate() {
        out.push_str(if nth == 0 {
            "\n# The rest of the record cannot be changed here:\n"
        } else {
            ""
        });
        out.push_str(&format!(
            "# {name} = {}\n",
            text::sanitize_line(&value.to_string())
        ));
    }
    out
}

/// The inputs that an edited text stands for: only what differs from the record is set. `None` for
/// a text without any field.
///
/// # Errors
/// What cannot be understood, with its line.
pub(super) fn parse_record(
    text: &str,
    kind: &RecordKind,
    record: &AnnotatedRecord,
) -> Result<Option<FieldInputs>, String> {
    let parsed: RecordText = toml::from_str(text).map_err(|error| describe_error(text, &error))?;
    if parsed == RecordText::default() {
        return Ok(None);
    }
    let one = |text: Option<String>| {
        text.map(|text| {
            AnnotationValue::from_iter(Some(text).filter(|text| !text.trim().is_empty()))
        })
    };
    let mut inputs = FieldInputs::new(kind);
    for (line, value) in [
        (FormField::Tier, one(parsed.icp_tier)),
        (FormField::Status, one(parsed.workspace_status)),
        (FormField::Tags, parsed.tags),
        (
            FormField::Notes,
            one(parsed.notes.map(|note| note.trim_end().to_owned())),
        ),
    ] {
        let Some(value) = value else { continue };
        let before = record.base.value(line.field());
        let is_same = before
            .is_some_and(|before| line.field().values_equal(&trim_note(line, before), &value));
        if is_same || (before.is_none() && value.is_empty()) {
            continue;
        }
        check_value(line, &value)?;
        let op = if value.is_empty() {
            FieldOp::Clear
        } else {
            FieldOp::Set
        };
        inputs.set(line, op, &value.join(", "));
        if line == FormField::Notes {
            inputs.note_base = before.map(|note| note.join("\n"));
        }
    }
    Ok(Some(inputs))
}

fn check_value(line: FormField, value: &AnnotationValue) -> Result<(), String> {
    match line {
        FormField::Tier
            if value
                .iter()
                .any(|tier| !IcpTier::ALL.iter().any(|known| known.as_str() == tier)) =>
        {
            Err(format!(
                "{} is not a tier; the tiers are {}",
                value.join(" "),
                tier_names()
            ))
        }
        FormField::Tags => match value.iter().find(|tag| tag.contains(',')) {
            Some(tag) => Err(format!("the tag {tag:?} contains a comma")),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn trim_note(line: FormField, value: &AnnotationValue) -> AnnotationValue {
    let trimmed = |text: &String| {
        if line == FormField::Notes {
            text.trim_end().to_owned()
        } else {
            text.clone()
        }
    };
    value.iter().map(trimmed).collect()
}

fn format_field(field: AnnotationField, value: &AnnotationValue) -> String {
    let with = |value| toml::Table::from_iter([(field.wire_name().to_owned(), value)]);
    let formatted = match field {
        AnnotationField::Tags => toml::to_string(&with(value.clone().into())),
        // On several lines, so that there is room to write.
        AnnotationField::Notes => toml::to_string_pretty(&with((value.join("\n") + "\n").into())),
        AnnotationField::Tier | AnnotationField::Status => {
            toml::to_string(&with(value.concat().into()))
        }
    };
    formatted.unwrap_or_default()
}

/// The values that a field may have, or already has in loaded rows.
fn comment_on(form: &AnnotationForm, field: AnnotationField) -> String {
    let seen = || form.seen_values.get(&field).filter(|seen| !seen.is_empty());
    match field {
        AnnotationField::Tier => format!("# {}\n", tier_names()),
        AnnotationField::Notes => String::new(),
        AnnotationField::Status | AnnotationField::Tags => {
            seen().map_or_else(String::new, |seen| {
                let shown: Vec<_> = seen
                    .iter()
                    .take(12)
                    .map(|value| text::sanitize_line(value))
                    .collect();
                format!("# in use: {}\n", shown.join(", "))
            })
        }
    }
}

fn tier_names() -> String {
    IcpTier::ALL
        .iter()
        .map(IcpTier::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

fn describe_error(text: &str, error: &toml::de::Error) -> String {
    let line = error
        .span()
        .map_or(1, |span| text[..span.start].matches('\n').count() + 1);
    format!("line {line}: {}", error.message())
}
