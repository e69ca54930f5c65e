//! Explore's commands.

use serde_json::to_string_pretty;

use super::SearchDraft;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::drafts::DraftName;
use crate::app::format::{humanize, pluralize};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::panes::records::commands::can_count_list;
use crate::app::prompt::PromptKind;
use crate::app::{App, Effect};
use crate::domain::book::RecordKind;
use crate::domain::conditions::ConditionPath;
use crate::domain::filters::Filter;
use crate::text;

/// In help order.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new("explore.run", &["Enter"], "run", "run the search and show the results", Scope::Search, run_or_confirm)
        .with_cost("1 cr a row, loaded rows are free")
        .with_hint(2)
        .available_when(can_send),
    AppCommand::new("explore.count", &["c"], "count", "count the matching rows", Scope::Search, App::count_explore)
        .with_cost("1 cr")
        .with_hint(3)
        .available_when(can_count),
    AppCommand::new(
        "explore.add",
        &["+"],
        "add",
        "add a condition, inside the relation if the cursor is in one",
        Scope::Builder,
        |app| {
            app.choose_condition_field(app.relation_at_cursor());
        },
    )
    .with_hint(4),
    AppCommand::new(
        "explore.change",
        &["Space"],
        "change",
        "change this line; on the last line, add a condition",
        Scope::Builder,
        App::edit_condition,
    )
    .with_hint(5),
    AppCommand::new("explore.drop", &["x", "Delete"], "remove", "remove the condition", Scope::Builder, App::remove_condition)
        .with_hint(6)
        .available_when(has_condition),
    AppCommand::new("explore.flip", &["!"], "invert", "toggle include/exclude", Scope::Builder, App::negate_condition)
        .with_hint(7)
        .available_when(has_condition),
    AppCommand::new("explore.into", &[">"], "enter", "enter the relation", Scope::Builder, App::enter_relation)
        .available_when(has_relation),
    AppCommand::new("explore.out", &["<"], "leave", "leave the relation", Scope::Builder, App::leave_relation)
        .available_when(is_in_relation),
    AppCommand::new("explore.right", &["Right", "l"], "next", "next dataset, field or operator", Scope::Builder, |app| {
        app.cycle_builder_line(true);
    }),
    AppCommand::new("explore.left", &["Left", "h"], "previous", "previous dataset, field or operator", Scope::Builder, |app| {
        app.cycle_builder_line(false);
    }),
    AppCommand::new("explore.fields", &["f"], "fields", "list the dataset's fields, to add one", Scope::Builder, |app| {
        app.choose_condition_field(None);
    })
    .with_hint(8),
    AppCommand::new(
        "explore.clear",
        &["F"],
        "clear",
        "remove all conditions and the sort order",
        Scope::Builder,
        clear_conditions,
    )
    .available_when(has_draft),
    AppCommand::new("explore.sort", &["s"], "sort", "sort by a field of the dataset", Scope::Builder, App::choose_record_sort)
        .with_hint(9),
    AppCommand::new("explore.text", &["E"], "as text", "edit the conditions as one line of text", Scope::Builder, |app| {
        let (name, words) = match &app.explore.list_filter {
            Some(filter) => (DraftName::ListConditions, filter.query.clone()),
            None => (DraftName::Conditions(app.explore.dataset().clone()), String::new()),
        };
        let line = app.explore.draft().filters.to_line(&words);
        app.open_prompt("conditions", PromptKind::Conditions, name, &line);
        app.notice = Some(Notice::info(example_criteria(app)));
    }),
    AppCommand::new("explore.fields.again", &["R"], "refresh", "refresh the fields", Scope::Builder, |app| {
        app.read_vocabulary(true)
    }),
    AppCommand::new("explore.builder", &["f"], "builder", "go to the builder", Scope::Results, |app| {
        app.explore.results_focused = false
    })
    .with_hint(5),
    AppCommand::new(
        "explore.fresh",
        &["F"],
        "new search",
        "go to the builder and remove all conditions",
        Scope::Results,
        |app| {
            app.explore.results_focused = false;
            clear_conditions(app);
        },
    ),
    AppCommand::new("explore.ask", &[";"], "ask", "ask in plain words: fills the builder, runs nothing", Scope::Explore, |app| {
        let name = DraftName::Question(app.explore.dataset().clone());
        let last = app.explore.question.as_ref().map(|question| question.text.clone()).unwrap_or_default();
        app.open_prompt("ask", PromptKind::Question, name, &last);
        let about = app.explore.dataset();
        app.notice = Some(Notice::info(format!("{about} in words, for example: multifamily in Austin without a gc")));
    })
    .with_hint(1)
    .available_when(can_ask),
    AppCommand::new("explore.older", &["["], "older", "show the previous run, for free", Scope::Explore, |app| {
        app.show_adjacent_run(false)
    }),
    AppCommand::new("explore.newer", &["]"], "newer", "show the next run, for free", Scope::Explore, |app| {
        app.show_adjacent_run(true)
    }),
    AppCommand::new(
        "explore.other",
        &["Tab", "Shift-Tab"],
        "other pane",
        "switch between builder and results",
        Scope::Explore,
        |app| {
            app.explore.results_focused = !app.explore.results_focused;
        },
    )
    .with_hint(10)
    .available_when(has_run),
    AppCommand::new("explore.json", &["p"], "JSON", "show the filters or the results as JSON", Scope::Explore, |app| {
        app.explore.as_json = !app.explore.as_json;
        app.explore.results_focused &= !app.explore.as_json;
    }),
    AppCommand::new("explore.copy.json", &["y f"], "filter", "copy the filters as JSON", Scope::Explore, |app| {
        let json = to_string_pretty(&app.explore.draft().filters.to_json()).unwrap_or_default();
        copy_as(app, "filters", json);
    }),
    AppCommand::new("explore.copy.command", &["y g"], "gantry", "copy this search as a gantry command", Scope::Explore, |app| {
        let command = command_line(app.explore.dataset().as_str(), app.explore.draft());
        copy_as(app, "command", command);
    }),
];

/// Example conditions for the current list or dataset.
fn example_criteria(app: &App) -> &'static str {
    match app.explore.list_filter.as_ref().and_then(|narrow| narrow.source.record_kind()) {
        None => "e.g. city=Austin stories>=5 has_account.role=gc without_signal=*",
        Some(RecordKind::Accounts) => "words and conditions, e.g. calder icp_tier=tier_1 tags=q3",
        Some(RecordKind::Projects) => "words and conditions, e.g. yard stage=permitted stories>=5",
        Some(_) => "words and conditions, e.g. maria title=director",
    }
}

fn copy_as(app: &mut App, what: &str, text: String) {
    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
    app.notice = Some(Notice::info(format!("{what} sent to the terminal's clipboard: {shown}")));
    app.effects.push(Effect::CopyToClipboard(text::sanitize_block(&text).into_owned()));
}

/// The search as a shell command.
fn command_line(dataset: &str, draft: &SearchDraft) -> String {
    let quoted = |term: &String| format!(" '{}'", term.replace('\'', r"'\''"));
    let terms: String = draft.filters.to_terms().iter().map(quoted).collect();
    let order = |ascending: bool| if ascending { "asc" } else { "desc" };
    let sort = draft.sort.as_ref().map(|sort| format!(" --sort {}:{}", sort.field, order(sort.ascending))).unwrap_or_default();
    format!("gantry data search {dataset}{terms}{sort}")
}

fn clear_conditions(app: &mut App) {
    match &mut app.explore.list_filter {
        Some(narrow) => narrow.query.clear(),
        None => app.stash_unsent_draft(),
    }
    *app.explore.draft_mut() = SearchDraft { cursor: 1, ..SearchDraft::default() };
    app.explore.question = None;
    app.notice = Some(Notice::info("cleared; nothing was sent"));
}

/// A search without conditions reads everything, so it is run only after a confirmation.
fn run_or_confirm(app: &mut App) {
    if !app.explore.draft().filters.is_empty() || app.explore.run_price(&app.record_lists).is_none() {
        return app.run_explore();
    }
    let dataset = app.explore.dataset();
    let price = pluralize(app.explore.run_price(&app.record_lists).unwrap_or_default(), "credit");
    let text = format!(
        "Without a condition this reads the first of all {dataset}, for at most {price}. {} adds a condition.",
        app.command_key_name("explore.add")
    );
    let choice = Choice::confirm(format!("Read {dataset} without a condition?"), text, "read them", Action::RunSearch);
    app.overlay = Some(Overlay::Choice(choice));
}

/// Nothing is sent that the vocabulary would reject.
pub(super) fn can_send(app: &App) -> Availability {
    let issues = app.explore.filter_errors();
    let Some(first) = issues.first() else { return Ok(()) };
    let key = app.explore.draft().filters.condition(first.path).map(|(key, _)| humanize(key)).unwrap_or_default();
    Err(format!("{key} {}", first.message).into())
}

fn can_count(app: &App) -> Availability {
    can_send(app)?;
    can_count_list(app.explore.matching_run(&app.record_lists).map(|(_, list)| list))
}

fn can_ask(app: &App) -> Availability {
    app.explore.questions_unavailable.as_ref().map_or(Ok(()), |why| Err(format!("unavailable here: {why}").into()))
}

fn has_condition(app: &App) -> Availability {
    if app.explore.draft().condition_path().is_some() { Ok(()) } else { Err("there is no condition here".into()) }
}

fn has_relation(app: &App) -> Availability {
    let filters = &app.explore.draft().filters;
    let relation =
        app.explore.draft().condition_path().and_then(|place| filters.condition(ConditionPath::at_top_level(place.index)));
    if matches!(relation, Some((_, Filter::Relation(_)))) { Ok(()) } else { Err("not a relation; has and without are".into()) }
}

fn is_in_relation(app: &App) -> Availability {
    if app.relation_at_cursor().is_some() { Ok(()) } else { Err("not inside a relation".into()) }
}

fn has_draft(app: &App) -> Availability {
    let draft = app.explore.draft();
    let has_words = app.explore.list_filter.as_ref().is_some_and(|narrow| !narrow.query.is_empty());
    if draft.filters.is_empty() && draft.sort.is_none() && !has_words { Err("there is nothing to clear".into()) } else { Ok(()) }
}

fn has_run(app: &App) -> Availability {
    if app.explore.displayed_run().is_some() { Ok(()) } else { Err("nothing was run yet".into()) }
}
