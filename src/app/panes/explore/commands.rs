//! Explore's commands.

use serde_json::to_string_pretty;

use crate::app::Context;
use crate::app::command::{Availability, require, shared};
use crate::app::context::copy_commands::search_command;
use crate::app::context::prices;
use crate::app::effect::Slot;
use crate::app::format::{humanize, pluralize};
use crate::app::overlay::Overlay;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::explore::messages::ExploreAction;
use crate::app::panes::explore::{ExplorePane, SearchDraft};
use crate::app::panes::records::commands::can_count_list;
use crate::app::panes::records::sort_choice::sort_choice;
use crate::app::price::Price;
use crate::domain::book::RecordKind;
use crate::domain::conditions::{ConditionPath, Test};
use crate::domain::search::RecordSource;

type Row = PaneCommand<ExplorePane>;

/// In help order.
pub const SEARCH_COMMANDS: &[Row] = &[
    Row::at("explore.run", &shared::SEARCH, run_or_confirm)
        .with_price("1 cr a row, loaded rows are free", |explore, cx| {
            let price = explore
                .run_price(&cx.records.lists)
                .filter(|_| !explore.is_on_add_line() && !asks_before_run(explore, cx));
            Price::of_credits(price.unwrap_or(0))
        })
        .with_hint_text(2, |explore, _| {
            Some(if explore.is_on_add_line() {
                "add"
            } else {
                "run"
            })
        })
        .available_when(can_send),
    Row::at("explore.count", &shared::COUNT, ExplorePane::count_explore)
        .with_price("1 cr", |_, _| Price::Credits(1))
        .with_hint(3)
        .available_when(can_count),
];

pub const BUILDER_COMMANDS: &[Row] = &[
    Row::new(
        "explore.add",
        &["+"],
        "add",
        "add a condition, inside the relation if the cursor is in one",
        |explore, cx| {
            explore.choose_condition_field(cx, explore.relation_at_cursor());
        },
    )
    .with_hint(4),
    Row::new(
        "explore.change",
        &["Space"],
        "change",
        "change this line; on the last line, add a condition",
        ExplorePane::edit_condition,
    )
    .with_hint(5),
    Row::new(
        "explore.drop",
        &["x", "Delete"],
        "remove",
        "remove the condition",
        |explore, _| explore.remove_condition(),
    )
    .with_hint(6)
    .available_when(|explore, _| has_condition(explore)),
    Row::new(
        "explore.flip",
        &["!"],
        "invert",
        "toggle include/exclude",
        ExplorePane::negate_condition,
    )
    .with_hint(7)
    .available_when(|explore, _| has_condition(explore)),
    Row::new(
        "explore.into",
        &[">"],
        "enter",
        "enter the relation",
        ExplorePane::enter_relation,
    )
    .available_when(|explore, _| has_relation(explore)),
    Row::new(
        "explore.out",
        &["<"],
        "leave",
        "leave the relation",
        |explore, _| explore.leave_relation(),
    )
    .available_when(|explore, _| is_in_relation(explore)),
    Row::at("explore.right", &shared::NEXT_VALUE, |explore, cx| {
        explore.cycle_builder_line(cx, true);
    }),
    Row::at("explore.left", &shared::PREVIOUS_VALUE, |explore, cx| {
        explore.cycle_builder_line(cx, false);
    }),
    Row::new(
        "explore.fields",
        &["f"],
        "fields",
        "list the dataset's fields, to add one",
        |explore, cx| {
            explore.choose_condition_field(cx, None);
        },
    )
    .with_hint(8),
    Row::at("explore.clear", &shared::NO_FILTER, clear_conditions)
        .with_words("clear", "remove all conditions and the sort order")
        .available_when(|explore, _| has_draft(explore)),
    Row::at("explore.sort", &shared::SORT, choose_sort)
        .with_description("choose the order of the next search")
        .with_hint(9),
    Row::at("explore.text", &shared::EDIT, |explore, cx| {
        explore.prompt_conditions(cx);
        cx.ui.inform(example_criteria(explore));
    })
    .with_words("as text", "edit the conditions as one line of text"),
    Row::at("explore.fields.again", &shared::REFRESH, |explore, cx| {
        explore.read_vocabulary(cx, true)
    })
    .with_description("load the fields of this dataset again"),
];

pub const RESULTS_COMMANDS: &[Row] = &[
    Row::new(
        "explore.builder",
        &["f"],
        "builder",
        "go to the builder",
        |explore, _| explore.results_focused = false,
    )
    .with_hint(5),
    Row::new(
        "explore.fresh",
        &["F"],
        "new search",
        "go to the builder and remove all conditions",
        |explore, cx| {
            explore.results_focused = false;
            clear_conditions(explore, cx);
        },
    ),
];

pub const COMMANDS: &[Row] = &[
    Row::new(
        "explore.ask",
        &[";"],
        "ask",
        "ask in plain words: fills the builder, runs nothing",
        |explore, cx| {
            explore.prompt_question(cx);
            let about = explore.dataset();
            let price = match prices::question_price(&cx.work, &cx.settings) {
                Price::Free => " (free here)",
                _ => "",
            };
            cx.ui.inform(format!(
                "{about} in words{price}, for example: multifamily in Austin without a gc"
            ));
        },
    )
    .with_hint(1)
    .available_when(|explore, _| can_ask(explore)),
    Row::new(
        "explore.save",
        &["S"],
        "save",
        "save the search under a name, on this machine",
        ExplorePane::prompt_search_name,
    )
    .available_when(ExplorePane::can_save_search),
    Row::at("explore.older", &shared::PREVIOUS_TAB, |explore, cx| {
        explore.show_adjacent_run(cx, false)
    })
    .with_title("older"),
    Row::at("explore.newer", &shared::NEXT_TAB, |explore, cx| {
        explore.show_adjacent_run(cx, true)
    })
    .with_title("newer"),
    Row::at("explore.other", &shared::OTHER_PANE, |explore, _| {
        explore.results_focused = !explore.results_focused;
    })
    .with_hint(10)
    .available_when(|explore, _| has_run(explore)),
    Row::at("explore.json", &shared::DEFINITION, |explore, _| {
        explore.as_json = !explore.as_json;
        explore.results_focused &= !explore.as_json;
    })
    .with_title("JSON"),
    Row::at(
        "explore.view",
        &shared::CREATE,
        ExplorePane::choose_view_type,
    )
    .with_words(
        "new View",
        "create a View: Dynamic of the conditions, or Static of the marked or loaded rows",
    )
    .with_write()
    .available_when(ExplorePane::can_create_view),
    Row::at(
        "explore.view.save",
        &shared::APPLY,
        ExplorePane::confirm_view_edit,
    )
    .with_words(
        "save View",
        "save the conditions as the definition of the View that is being edited, for everyone",
    )
    .with_write()
    .with_hint_text(1, |explore, _| {
        explore.edited_view.as_ref().map(|_| "save View")
    })
    .available_when(ExplorePane::can_save_view),
    Row::at("explore.copy.more", &shared::COPY_MORE, |explore, cx| {
        let json = to_string_pretty(&explore.draft().filters.to_json());
        let source = RecordSource::Index(explore.dataset().clone());
        let command = search_command(&source, &explore.draft().search());
        cx.ui.offer_copies([
            ("search, as a gantry command", "command", vec![command]),
            ("filters, as JSON", "JSON", json.into_iter().collect()),
        ]);
    }),
];

/// Example conditions for the current list or dataset.
fn example_criteria(explore: &ExplorePane) -> &'static str {
    match explore
        .list_filter
        .as_ref()
        .and_then(|narrow| narrow.source.record_kind())
    {
        None => "e.g. city=Austin stories>=5 has_account.role=gc without_signal=*",
        Some(RecordKind::Accounts) => "words and conditions, e.g. calder icp_tier=tier_1 tags=q3",
        Some(RecordKind::Projects) => "words and conditions, e.g. yard stage=permitted stories>=5",
        Some(_) => "words and conditions, e.g. maria title=director",
    }
}

fn clear_conditions(explore: &mut ExplorePane, cx: &mut Context) {
    match &mut explore.list_filter {
        Some(narrow) => narrow.query.clear(),
        None => explore.stash_unsent_draft(cx),
    }
    *explore.draft_mut() = SearchDraft {
        cursor: 1,
        ..SearchDraft::default()
    };
    explore.question = None;
    cx.ui.inform("cleared; nothing was sent");
}

/// A search without conditions reads everything, so it is run only after a confirmation.
fn asks_before_run(explore: &ExplorePane, cx: &Context) -> bool {
    explore.draft().filters.is_empty() && explore.run_price(&cx.records.lists).is_some()
}

fn run_or_confirm(explore: &mut ExplorePane, cx: &mut Context) {
    if explore.is_on_add_line() {
        return explore.choose_condition_field(cx, None);
    }
    if !asks_before_run(explore, cx) {
        return explore.run_explore(cx);
    }
    let dataset = explore.dataset();
    let price = pluralize(
        explore.run_price(&cx.records.lists).unwrap_or_default(),
        "credit",
    );
    let text = format!(
        "Without a condition this reads the first of all {dataset}, for at most {price}. {} adds a condition.",
        cx.keymap.label_or_palette_name("explore.add")
    );
    cx.ui.confirm(
        format!("Read {dataset} without a condition?"),
        text,
        "read them",
        ExploreAction::Run,
    );
}

/// Opens the choice of the order of the search being built, which reads nothing.
fn choose_sort(explore: &mut ExplorePane, cx: &mut Context) {
    let source = match &explore.list_filter {
        Some(narrow) => narrow.source.clone(),
        None => RecordSource::Index(explore.dataset().clone()),
    };
    let then = |sort| ExploreAction::SetSort(sort).into();
    let choice = sort_choice(
        &source,
        explore.draft().sort.as_ref(),
        "0 cr".to_owned(),
        |_| None,
        then,
    );
    cx.ui.overlay = Some(Overlay::Choice(choice));
}

/// Nothing is sent that the vocabulary would reject, or that a question is about to replace.
pub(super) fn can_send(explore: &ExplorePane, cx: &Context) -> Availability {
    is_answered(explore, cx)?;
    if explore.is_on_add_line() {
        return Ok(());
    }
    no_errors(explore)
}

/// A question is not about the builder over a list.
fn is_answered(explore: &ExplorePane, cx: &Context) -> Availability {
    let is_waiting =
        explore.list_filter.is_none() && cx.work.requests().is_slot_open(&Slot::Question);
    require(!is_waiting, "the question is not answered yet")
}

fn no_errors(explore: &ExplorePane) -> Availability {
    let issues = explore.filter_errors();
    let Some(first) = issues.first() else {
        return Ok(());
    };
    let key = explore
        .draft()
        .filters
        .condition(first.path)
        .map(|(key, _)| humanize(key))
        .unwrap_or_default();
    Err(format!("{key} {}", first.message).into())
}

fn can_count(explore: &ExplorePane, cx: &Context) -> Availability {
    is_answered(explore, cx)?;
    no_errors(explore)?;
    can_count_list(
        explore
            .matching_run(&cx.records.lists)
            .map(|(_, list)| list),
    )
}

fn can_ask(explore: &ExplorePane) -> Availability {
    explore
        .questions_unavailable
        .as_ref()
        .map_or(Ok(()), |why| Err(format!("unavailable here: {why}").into()))
}

fn has_condition(explore: &ExplorePane) -> Availability {
    require(
        explore.draft().condition_path().is_some(),
        "there is no condition here",
    )
}

fn has_relation(explore: &ExplorePane) -> Availability {
    let filters = &explore.draft().filters;
    let relation = explore
        .draft()
        .condition_path()
        .and_then(|place| filters.condition(ConditionPath::at_top_level(place.index)));
    require(
        matches!(relation, Some((_, Test::Related(_)))),
        "not a relation; has and without are",
    )
}

fn is_in_relation(explore: &ExplorePane) -> Availability {
    require(
        explore.relation_at_cursor().is_some(),
        "not inside a relation",
    )
}

fn has_draft(explore: &ExplorePane) -> Availability {
    let draft = explore.draft();
    let has_words = explore
        .list_filter
        .as_ref()
        .is_some_and(|narrow| !narrow.query.is_empty());
    require(
        !(draft.filters.is_empty() && draft.sort.is_none() && !has_words),
        "there is nothing to clear",
    )
}

fn has_run(explore: &ExplorePane) -> Availability {
    require(explore.displayed_run().is_some(), "nothing was run yet")
}
