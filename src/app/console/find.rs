//! The search in the loaded rows of the focused list: `/` narrows it as the user types, then the
//! matches can be walked and marked.
//!
//! One implementation for all lists. A list says what its lines show
//! ([`FocusedList::visit_lines`](crate::app::focused_list::FocusedList::visit_lines)).

use std::borrow::Cow;

use crate::app::Context;
use crate::app::context::visits;
use crate::app::format::{format_count, pluralize};
use crate::app::list_change::{ListChange, MarkChange};
use crate::app::model::find::FindOrigin;
use crate::app::notice::Notice;
use crate::app::panes::Panes;
use crate::app::prompt::{Prompt, PromptKind};
use crate::domain::text_query::TextQuery;

/// Longer lists are searched once the text is complete, so that a typed key costs no more than it
/// does elsewhere.
const MAX_LIVE_ROWS: usize = 20_000;

/// Why nothing is found where no row is loaded.
const NO_ROWS: &str = "find: there are no rows here";

/// Opens the prompt, without rows as well: what is typed next is text and runs no command.
pub(super) fn open(panes: &mut Panes, cx: &mut Context) {
    let origin = panes.list(cx).map(|list| FindOrigin {
        line: list.cursor().unwrap_or(0),
        rows: list.row_count(),
        query: list.query().cloned(),
    });
    cx.ui.find.origin = origin.filter(|origin| origin.rows > 0);
    cx.ui.prompt = Some(Prompt::new("/", "", PromptKind::Find));
}

/// The text in the prompt changed: shows its matches.
pub(super) fn on_typed(panes: &mut Panes, cx: &mut Context) {
    let Some(prompt) = cx
        .ui
        .prompt
        .as_ref()
        .filter(|prompt| prompt.kind == PromptKind::Find)
    else {
        return;
    };
    let Some(rows) = cx.ui.find.origin.as_ref().map(|origin| origin.rows) else {
        cx.ui.warn(NO_ROWS);
        return;
    };
    if rows > MAX_LIVE_ROWS {
        cx.ui.notice = Some(
            Notice::info(format!("{} loaded rows", format_count(rows as u64)))
                .with_hint("{prompt.submit} finds"),
        );
        return;
    }
    match TextQuery::parse(prompt.field.text()) {
        Ok(query) if query.is_empty() => {
            restore(panes, cx);
            cx.ui.notice = None;
        }
        Ok(query) => {
            let found = search(panes, &query, cx);
            let similar = match found > 0 && is_only_similar(panes, &query, cx) {
                true => " similar",
                false => "",
            };
            let text = format!(
                "{}{similar} of {} loaded {}",
                format_count(found as u64),
                format_count(rows as u64),
                row_word(rows)
            );
            cx.ui.notice = Some(if found == 0 {
                Notice::warning(text)
            } else {
                Notice::info(text)
            });
        }
        Err(why) => cx.ui.warn(why.to_string()),
    }
}

/// The text is complete. Without one, all rows are shown again.
pub(super) fn submit(panes: &mut Panes, text: &str, cx: &mut Context) {
    let query = match TextQuery::parse(text) {
        Ok(query) => query,
        Err(why) => {
            restore(panes, cx);
            cx.ui.warn(why.to_string());
            return;
        }
    };
    if query.is_empty() {
        if cx.ui.find.origin.is_some() {
            panes.change_list(ListChange::Narrow(None), cx);
        }
        return;
    }
    cx.queue.news.end_walk();
    query.text().clone_into(&mut cx.ui.find.last);
    if cx.ui.find.origin.is_none() {
        cx.ui.notice = Some(Notice::warning(NO_ROWS).with_hint(wider_search(panes, cx)));
        return;
    }
    let found = search(panes, &query, cx);
    let rows = cx.ui.find.origin.as_ref().map_or(0, |origin| origin.rows);
    let unread = panes.list(cx).map_or(0, |list| list.unread_rows());
    cx.ui.find.offers_reading = unread > 0;
    let reading_hint = || {
        let rows = pluralize(unread, "row");
        format!("{{queue.describe}} reads what is being built in {rows}")
    };
    let is_similar = found > 0 && is_only_similar(panes, &query, cx);
    let (count, rows) = (format_count(found as u64), pluralize(rows, "loaded row"));
    if cx.descriptions.reads_what_a_search_lacks(&cx.ui, &cx.queue) {
        let text = match is_similar {
            true => format!("no row has {text} so far; {count} of {rows} are similar"),
            false => format!("{count} of {rows} match so far: {text}"),
        };
        let hint = "reading what is being built in the others   {back} shows all";
        cx.ui.notice = Some(Notice::info(text).with_hint(hint));
    } else if found == 0 {
        restore(panes, cx);
        cx.ui.notice = Some(match unread {
            0 => Notice::warning(format!("not found in {rows}: {text}"))
                .with_hint(wider_search(panes, cx)),
            // Their descriptions were not searched.
            _ => {
                let unread = format_count(unread as u64);
                let text =
                    format!("not found in {rows}, {unread} of them without a description: {text}");
                Notice::warning(text).with_hint(reading_hint())
            }
        });
    } else {
        let text = match is_similar {
            true => format!("no row has {text}; {count} of {rows} are similar"),
            false => format!("{count} of {rows} match: {text}"),
        };
        let is_narrowed = panes.list(cx).is_some_and(|list| list.query().is_some());
        let mut hint = String::from(if is_narrowed {
            "{back} shows all"
        } else {
            "{find.next} {find.previous}"
        });
        if unread > 0 {
            hint = format!("{hint}   {}", reading_hint());
        }
        cx.ui.notice = Some(Notice::info(text).with_hint(hint));
    }
    cx.ui.find.origin = None;
}

/// The prompt was closed: the list is as it was.
pub(super) fn cancel(panes: &mut Panes, cx: &mut Context) {
    restore(panes, cx);
    cx.ui.find.origin = None;
}

/// Goes to the next or the previous line that matches the last search.
pub(super) fn go_to_match(panes: &mut Panes, is_forward: bool, cx: &mut Context) {
    if visits::is_walking_news(&cx.ui, &cx.queue) {
        return cx.walk_news(is_forward);
    }
    let Ok(query) = TextQuery::parse(&cx.ui.find.last) else {
        return;
    };
    let Some(here) = panes.list(cx).and_then(|list| list.cursor()) else {
        return;
    };
    let found = matching_lines(panes, &query, cx);
    let next = if is_forward {
        found
            .iter()
            .position(|line| *line > here)
            .or((!found.is_empty()).then_some(0))
    } else {
        found
            .iter()
            .rposition(|line| *line < here)
            .or(found.len().checked_sub(1))
    };
    let text = cx.ui.find.last.clone();
    cx.ui.notice = Some(match next {
        Some(at) => {
            panes.change_list(ListChange::MoveTo(found[at]), cx);
            Notice::info(format!("match {} of {}: {text}", at + 1, found.len()))
                .with_hint("{find.next} {find.previous}")
        }
        None => Notice::warning(format!("not found in the loaded rows: {text}"))
            .with_hint(wider_search(panes, cx)),
    });
}

/// Marks the loaded rows that match a query.
pub(super) fn mark_matches(panes: &mut Panes, text: &str, cx: &mut Context) {
    match TextQuery::parse(text) {
        Ok(query) if query.is_empty() => {}
        Ok(query) => {
            query.text().clone_into(&mut cx.ui.find.last);
            panes.change_list(ListChange::Mark(MarkChange::Matches(&query)), cx);
        }
        Err(why) => cx.ui.warn(why.to_string()),
    }
}

/// Shows the rows that match, with the cursor on the first. Returns how many.
fn search(panes: &mut Panes, query: &TextQuery, cx: &mut Context) -> usize {
    panes.change_list(ListChange::Narrow(Some(query)), cx);
    let found = matching_lines(panes, query, cx);
    if let Some(first) = found.first() {
        panes.change_list(ListChange::MoveTo(*first), cx);
    }
    found.len()
}

/// Whether the rows that match have only words that are similar.
fn is_only_similar(panes: &Panes, query: &TextQuery, cx: &Context) -> bool {
    let exact = query.exact();
    exact.is_some_and(|exact| matching_lines(panes, &exact, cx).is_empty())
}

/// The list as it was when the prompt opened.
fn restore(panes: &mut Panes, cx: &mut Context) {
    let Some(origin) = cx.ui.find.origin.clone() else {
        return;
    };
    panes.change_list(ListChange::Narrow(origin.query.as_ref()), cx);
    panes.change_list(ListChange::MoveTo(origin.line), cx);
}

fn wider_search(panes: &Panes, cx: &Context) -> Cow<'static, str> {
    panes.list(cx).map_or("".into(), |list| list.wider_search())
}

fn matching_lines(panes: &Panes, query: &TextQuery, cx: &Context) -> Vec<usize> {
    let (mut found, mut matcher) = (Vec::new(), query.matcher());
    if let Some(list) = panes.list(cx) {
        list.visit_lines(&mut |line, text| found.extend(matcher.matches(text).then_some(line)));
    }
    found
}

fn row_word(rows: usize) -> &'static str {
    if rows == 1 { "row" } else { "rows" }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::app::AppSettings;
    use crate::app::effect::Effect;
    use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};

    fn queue() -> TestConsole {
        TestConsole::with_rows(morning_queue())
    }

    #[test]
    fn matches_are_found_while_typing_and_esc_returns_to_where_you_were() {
        let console = queue().press("j j j j").press("/").type_text("oak");
        assert_eq!(
            (console.cursor_id(), console.notice_text().as_str()),
            (signal_id(9), "2 of 16 loaded rows")
        );
        let console = console.type_text(" permit_filed");
        assert_eq!(
            (console.cursor_id(), console.notice_text().as_str()),
            (signal_id(9), "1 of 16 loaded rows")
        );
        let console = console.type_text(" hotel");
        assert_eq!(console.notice_text(), "0 of 16 loaded rows");
        assert_eq!(console.press("Esc").cursor_id(), signal_id(5));
    }

    #[test]
    fn a_word_typed_after_the_find_key_runs_no_command_where_there_are_no_rows() {
        let empty = |keys: &str| TestConsole::with_rows(Vec::new()).press(keys).serve();
        for keys in ["1", "3", "5", "9"] {
            let console = empty(keys);
            let (screen, calls) = (console.context().ui.screen(), console.calls.len());
            let console = console.press("/").type_text("tower");
            let prompt = console.context().ui.prompt.as_ref();
            assert_eq!(
                prompt.map(|prompt| prompt.field.text()),
                Some("tower"),
                "{keys}: {}",
                console.screen_text()
            );
            let console = console.press("Enter");
            assert_eq!(
                (console.context().ui.screen(), console.calls.len()),
                (screen, calls),
                "{keys}"
            );
            assert_eq!(console.notice_text(), "find: there are no rows here");
        }
    }

    #[test]
    fn words_expressions_and_exclusions_are_understood_in_the_prompt() {
        let found = |text: &str| queue().press("/").type_text(text).notice_text();
        assert_eq!(found("lofts harbor !loan"), "1 of 16 loaded rows");
        assert_eq!(found("high permit_issued"), "4 of 16 loaded rows");
        assert_eq!(found(r"/BP-\d+-11800[12]/"), "2 of 16 loaded rows");
        assert!(found("/(").starts_with("not a regular expression: "));
    }

    #[test]
    fn rows_that_are_only_similar_are_not_called_matches() {
        let typed = queue().press("/").type_text("hrbr");
        assert_eq!(typed.notice_text(), "2 similar of 16 loaded rows");
        let found = typed.press("Enter").notice_text();
        assert_eq!(found, "no row has hrbr; 2 of 16 loaded rows are similar");
        let exact = queue().press("/").type_text("harbor").press("Enter");
        assert!(exact.notice_text().ends_with("match: harbor"));
    }

    #[test]
    fn a_search_says_how_many_descriptions_it_did_not_look_into() {
        let console = queue().press("/").type_text("elevator").press("Enter");
        assert_eq!(
            console.notice_text(),
            "not found in 16 loaded rows, 16 of them without a description: elevator"
        );
    }

    #[test]
    fn the_queue_shows_only_the_matches_until_esc() {
        let console = queue().press("/").type_text("oak");
        assert_eq!(console.context().queue.new.len(), 2);
        let console = console.press("Enter j");
        assert_eq!(
            (console.context().queue.new.len(), console.cursor_id()),
            (2, signal_id(14))
        );
        let console = console.press("* a Esc");
        let tab = &console.context().queue.new;
        assert_eq!(
            (tab.len(), tab.marks.clone()),
            (16, [9, 14].map(signal_id).into())
        );
        assert_eq!(
            console.cursor_id(),
            signal_id(14),
            "the cursor stays on its signal"
        );
        let console = console
            .press("/")
            .type_text("harbor")
            .press("Enter e")
            .serve();
        assert_eq!(
            (
                console.context().queue.new.marks.len(),
                console.triage_calls().len()
            ),
            (2, 1),
            "hidden marks are left"
        );
    }

    #[test]
    fn a_search_of_many_rows_reads_none() {
        let console = TestConsole::with_rows(many_rows(325));
        let before = console.calls.len();
        let console = console
            .press("/")
            .type_text("!project")
            .press("Esc")
            .press("/")
            .type_text("project");
        assert_eq!(console.notice_text(), "100 of 100 loaded rows");
        assert_eq!(console.press("Enter G").calls.len(), before);
    }

    #[test]
    fn find_works_in_every_list() {
        let at = |keys: &str, word: &str| {
            let console = queue()
                .press(keys)
                .serve()
                .press("/")
                .type_text(word)
                .press("Enter");
            console.notice_text()
        };
        for (keys, word) in [
            ("1", "oak"),
            ("2", "watchlist"),
            ("3 Enter", "westmark"),
            ("4", "demolition"),
            ("6", "ben@"),
            ("7", "gc"),
            ("g f Down Enter", "oak"),
            ("Enter Tab", "pre application"),
        ] {
            let notice = at(keys, word);
            assert!(
                notice.contains(&format!("match: {word}")),
                "{keys}: {notice}"
            );
        }
    }

    #[test]
    fn searches_are_recalled_with_up_also_in_the_next_session() {
        let console = queue()
            .press("/")
            .type_text("oak")
            .press("Enter")
            .press("/")
            .type_text("mill")
            .press("Enter");
        let saved = Effect::SavePreference("find.history".to_owned(), "oak\nmill".to_owned());
        assert!(console.effects.contains(&saved), "{:?}", console.effects);
        let console = console.press("/ Up Up");
        assert_eq!(
            (console.cursor_id(), console.notice_text().as_str()),
            (signal_id(9), "2 of 16 loaded rows")
        );
        let preferences = BTreeMap::from([("find.history".to_owned(), "oak\nmill".to_owned())]);
        let console = TestConsole::with_size(
            morning_queue(),
            (120, 36),
            AppSettings {
                preferences,
                ..AppSettings::default()
            },
        );
        assert_eq!(
            console.poll().serve().press("/ Up Enter").cursor_id(),
            signal_id(3)
        );
    }

    #[test]
    fn the_matches_of_the_last_search_and_those_of_a_pattern_can_be_marked() {
        let console = queue()
            .press("/")
            .type_text("oak")
            .press("Enter * =")
            .type_text("last")
            .press("Enter");
        assert_eq!(
            console.context().queue.new.marks,
            [9, 14].map(signal_id).into()
        );
        let console = console
            .press("Esc * =")
            .type_text("you type")
            .press("Enter")
            .type_text("lofts")
            .press("Enter");
        assert_eq!(
            console.context().queue.new.marks,
            [1, 6, 9, 14].map(signal_id).into()
        );
        assert_eq!(console.notice_text(), "4 marked");
    }

    #[test]
    fn a_list_of_records_is_narrowed_and_marks_apply_to_what_is_shown() {
        let console = queue()
            .press("3 Enter")
            .serve()
            .press("/")
            .type_text("/calder|westmark/");
        let list = |console: &TestConsole| {
            let list = console.context().displayed_list().unwrap();
            (list.lines.len(), list.len(), list.marks.len())
        };
        let (shown, loaded, _) = list(&console);
        assert!(0 < shown && shown < loaded, "{shown} of {loaded}");
        let console = console.press("Enter * a");
        assert_eq!(list(&console), (shown, loaded, shown));
        let console = console.press("Esc");
        assert_eq!(list(&console), (loaded, loaded, shown), "the marks stay");
        assert_eq!(
            list(&console.press("/").type_text("westmark").press("Esc")),
            (loaded, loaded, shown)
        );
    }
}
