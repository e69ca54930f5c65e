//! Draws the Skills: the list, and the open Skill with its files and a text or a comparison.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::columns::Skills;
use super::diff::DiffLine;
use super::{OpenSkill, SkillsPane, filter};
use crate::app::Context;
use crate::app::format::{self, format_count, marked_label, pluralize};
use crate::app::layout::panel_text_area;
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::text;
use crate::ui::{TextRole, TextSpan, draw_line, paint, panel, scroll, text_span};

/// Maximum rows for the list of a Skill's files.
const MAX_FILE_ROWS: usize = 8;

pub fn draw(pane: &SkillsPane, cx: &Context, buf: &mut Buffer) {
    if !cx.frame.layout().panel.is_empty() {
        draw_list(pane, cx, cx.frame.layout().panel, buf);
    }
    if !cx.frame.layout().side_panel.is_empty() {
        draw_open_skill(pane, cx, cx.frame.layout().side_panel, buf);
    }
}

fn draw_list(pane: &SkillsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let mut title = vec![text_span(TextRole::Strong, "Skills")];
    let known = pane.load == LoadState::Ready || !pane.list.is_empty();
    title.extend(known.then(|| {
        text_span(
            TextRole::Muted,
            format!(" {}", format_count(pane.list.len() as u64)),
        )
    }));
    let list = list_of::<Skills>(pane, cx);
    title.extend(cx.arrangement_label(&list));
    let narrowed = match &pane.found_by {
        Some(words) => format!("  search {words:?}"),
        None => filter::format_filter(&pane.filter),
    };
    if pane.is_filtered() {
        title.push(text_span(
            TextRole::Warning,
            format!("  {}", narrowed.trim()),
        ));
        title.push(text_span(TextRole::Key, "  F"));
        title.push(text_span(TextRole::Muted, " all"));
    }
    let hidden = || pane.marks.len() - pane.marked_skills().count();
    let marked = (!pane.marks.is_empty())
        .then(|| text_span(TextRole::Marked, marked_label(pane.marks.len(), hidden())));
    panel::draw_panel(
        buf,
        area,
        &title,
        &marked.into_iter().collect::<Vec<_>>(),
        !pane.skill_focused,
        &theme,
    );
    let rows = panel::rows_area(area);
    let strong = |words| [text_span(TextRole::Strong, words)];
    match &pane.load {
        _ if !pane.list.is_empty() => {}
        LoadState::Failed(why) => {
            return cx.draw_error(
                buf,
                rows,
                "could not load the Skills",
                why,
                "{skills.refresh} retries",
            );
        }
        LoadState::Ready if pane.is_filtered() => {
            return cx.draw_message(
                buf,
                rows,
                &strong("no matching Skills"),
                &["{skills.all} clears the filter"],
            );
        }
        LoadState::Ready => {
            return cx.draw_message(
                buf,
                rows,
                &strong("no Skills yet"),
                &["{skills.new} writes one in your editor"],
            );
        }
        _ => return cx.draw_message(buf, rows, &[], &["loading the Skills"]),
    }
    cx.draw_list(buf, &list, (area, rows), !pane.skill_focused);
    let here = pane.current_skill();
    let footer = match here.and_then(|skill| pane.write_errors.get(&skill.id)) {
        Some(why) => text_span(TextRole::Error, why.as_str()),
        None => {
            // The open Skill's panel says it.
            let open = pane.open.as_ref().map(|open| &open.skill.id);
            let here = here
                .filter(|skill| cx.frame.layout().side_panel.is_empty() || open != Some(&skill.id));
            let description = here.and_then(|skill| skill.description.as_deref());
            text_span(TextRole::Muted, description.unwrap_or_default())
        }
    };
    draw_line(buf, panel::footer_area(area), &[footer], &theme);
}

/// Areas of the files and the text in the open Skill's panel.
pub(super) fn split_open_skill(pane: &SkillsPane, cx: &Context, area: Rect) -> (Rect, Rect) {
    let Some(open) = pane.open.as_ref().filter(|_| !area.is_empty()) else {
        return (Rect::default(), Rect::default());
    };
    let room = panel_text_area(area);
    let head = u16::try_from(header_lines(cx, open, room.width).len())
        .unwrap_or(0)
        .min(room.height);
    let files = u16::try_from(open.skill.files.len().min(MAX_FILE_ROWS))
        .unwrap_or(0)
        .min(room.height.saturating_sub(head));
    let files = Rect {
        y: room.y + head,
        height: files,
        ..room
    };
    // An empty line and a heading come before the text.
    let top = (files.bottom() + 2).min(room.bottom());
    (
        files,
        Rect {
            y: top,
            height: room.bottom() - top,
            ..room
        },
    )
}

/// Description and facts of the open Skill, above its files.
fn header_lines(cx: &Context, open: &OpenSkill, width: u16) -> Vec<FactLine> {
    let (skill, dot) = (&open.skill, cx.settings.theme.glyphs().separator);
    let mut list = FactList::new(width, 0);
    let description = skill.description.clone().unwrap_or_default();
    // A long description is cut to leave room for the files; editing the Skill shows all of it.
    for part in text::wrap_text(&text::sanitize_block(&description), usize::from(width))
        .into_iter()
        .take(3)
    {
        list.push_line(vec![text_span(TextRole::Text, part)]);
    }
    let word = |text: Option<&str>| text.map(str::to_owned).unwrap_or_default();
    let installed = match skill.installed {
        Some(true) => "installed",
        Some(false) if skill.is_official() => "not installed",
        _ => "",
    };
    let mut facts = vec![
        word(skill.source.as_ref().map(|source| source.as_str())),
        word(skill.lifecycle.as_ref().map(|lifecycle| lifecycle.as_str())),
        word(skill.audience.as_ref().map(|audience| audience.as_str())),
        installed.to_owned(),
    ];
    facts.push(
        skill
            .created_by
            .as_ref()
            .map(|by| format!("by {}", cx.queue.user_name(Some(by))))
            .unwrap_or_default(),
    );
    facts.push(
        skill
            .updated_at
            .as_ref()
            .map(|when| format!("changed {}", format::format_full_day(when)))
            .unwrap_or_default(),
    );
    facts.retain(|fact| !fact.is_empty());
    let mut run = FactList::new(width, 0);
    run.push_facts("", facts, dot);
    list.into_lines()
        .into_iter()
        .chain(run.into_lines())
        .chain([Vec::new()])
        .collect()
}

fn draw_open_skill(pane: &SkillsPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let Some(open) = &pane.open else {
        panel::draw_panel(buf, area, &[], &[], false, &theme);
        if !pane.list.is_empty() {
            cx.draw_message(
                buf,
                panel_text_area(area),
                &[],
                &["{skills.open} shows a Skill's files and revisions"],
            );
        }
        return;
    };
    let newest = open
        .revisions
        .first()
        .map_or(open.revision, |newest| newest.revision);
    let note = match open.revision {
        revision if revision == newest => format!("revision {revision}"),
        revision => format!("revision {revision} of {newest}"),
    };
    let title = [text_span(TextRole::Strong, open.skill.title())];
    let role = if open.revision == newest {
        TextRole::Muted
    } else {
        TextRole::Warning
    };
    panel::draw_panel(
        buf,
        area,
        &title,
        &[text_span(role, note)],
        pane.skill_focused,
        &theme,
    );
    let room = panel_text_area(area);
    if let (LoadState::Failed(why), true) = (&open.load, open.skill.files.is_empty()) {
        return cx.draw_error(
            buf,
            room,
            "could not load the Skill",
            why,
            "{skill.refresh} retries",
        );
    }
    paint::draw_lines(buf, room, header_lines(cx, open, room.width), &theme);
    let (files, text) = split_open_skill(pane, cx, area);
    draw_files(pane, cx, open, files, buf);
    if text.height == 0 {
        return;
    }
    let heading = Rect {
        y: text.y - 1,
        height: 1,
        ..text
    };
    draw_line(buf, heading, &text_heading(cx, open), &theme);
    let lines = text_lines(pane, text.width);
    let revisions = pluralize(open.revisions.len(), "revision");
    paint::draw_line_right(
        buf,
        heading,
        &[text_span(TextRole::Muted, revisions)],
        &theme,
    );
    scroll::draw_scrolled_lines(buf, area, text, &lines, open.top, &theme);
}

fn draw_files(pane: &SkillsPane, cx: &Context, open: &OpenSkill, area: Rect, buf: &mut Buffer) {
    let (theme, glyphs) = (cx.settings.theme, cx.settings.theme.glyphs());
    for (at, n) in (open.first_visible_file(area.height)..).zip(0..area.height) {
        let Some(file) = open.skill.files.get(at) else {
            break;
        };
        let row = paint::row_rect(area, n);
        let size = file.size.map(size_label).unwrap_or_default();
        let mark = if at == open.file_cursor {
            glyphs.cursor
        } else {
            " "
        };
        let name = [
            text_span(TextRole::Focus, mark),
            text_span(TextRole::Text, format!(" {}", file.path)),
        ];
        let size = [text_span(TextRole::Muted, size)];
        paint::draw_two_sided_line(buf, row, &name, &size, &theme);
        if at == open.file_cursor {
            buf.set_style(row, theme.cursor_row_style(pane.skill_focused));
        }
    }
    if open.load == LoadState::Loading && open.skill.files.is_empty() {
        draw_line(
            buf,
            Rect { height: 1, ..area },
            &[text_span(TextRole::Muted, "loading")],
            &theme,
        );
    }
}

fn text_heading(cx: &Context, open: &OpenSkill) -> Vec<TextSpan<'static>> {
    match &open.diff {
        Some((old, new, _)) => {
            vec![
                text_span(
                    TextRole::Strong,
                    format!("revision {old} {} {new}", cx.settings.theme.glyphs().arrow),
                ),
                text_span(TextRole::Muted, cx.keymap.expand_keys("  {back} closes")),
            ]
        }
        None => {
            let name = open
                .current_file()
                .map(|file| file.path.clone())
                .unwrap_or_default();
            vec![text_span(TextRole::Strong, name)]
        }
    }
}

/// The text of the file under the cursor, or the comparison, wrapped to `width` cells.
pub(super) fn text_lines(pane: &SkillsPane, width: u16) -> Vec<FactLine> {
    let Some(open) = &pane.open else {
        return Vec::new();
    };
    match &open.diff {
        Some((_, _, None)) => {
            return vec![vec![text_span(TextRole::Muted, "loading both revisions")]];
        }
        Some((_, _, Some(lines))) if lines.is_empty() => {
            return vec![vec![text_span(
                TextRole::Muted,
                "the current files are the same in both revisions",
            )]];
        }
        Some((_, _, Some(lines))) => {
            return lines
                .iter()
                .flat_map(|line| diff_line_rows(line, width))
                .collect();
        }
        None => {}
    }
    let Some(file) = open.current_file() else {
        return Vec::new();
    };
    match open.file(open.revision, &file.path) {
        None => vec![vec![match &open.text_error {
            Some(why) => text_span(TextRole::Error, format!("could not load the file: {why}")),
            None => text_span(TextRole::Muted, "loading"),
        }]],
        Some(None) => vec![vec![text_span(
            TextRole::Muted,
            "this file is not in this revision",
        )]],
        Some(Some(file)) => text::wrap_text(
            &text::sanitize_block(&file.shown_text()),
            usize::from(width),
        )
        .into_iter()
        .map(|line| {
            let role = TextRole::strong_if(line.starts_with('#'));
            vec![text_span(role, line)]
        })
        .collect(),
    }
}

/// A comparison line, wrapped; every row has a sign so that it is readable without color.
fn diff_line_rows(line: &DiffLine, width: u16) -> Vec<FactLine> {
    let (sign, role, text) = match line {
        DiffLine::File(path, gone, new) => {
            let mut pieces = vec![text_span(TextRole::Strong, path.clone())];
            pieces.extend((*gone > 0).then(|| {
                text_span(
                    TextRole::Error,
                    format!("  -{}", format_count(*gone as u64)),
                )
            }));
            pieces.extend((*new > 0).then(|| {
                text_span(
                    TextRole::Success,
                    format!("  +{}", format_count(*new as u64)),
                )
            }));
            return vec![pieces];
        }
        DiffLine::Unchanged(text) => (' ', TextRole::Muted, text.as_str()),
        DiffLine::Removed(text) => ('-', TextRole::Error, text.as_str()),
        DiffLine::Added(text) => ('+', TextRole::Success, text.as_str()),
        DiffLine::Gap => (' ', TextRole::Faint, "..."),
    };
    let wrapped = text::wrap_text(
        &text::sanitize_block(text),
        usize::from(width.saturating_sub(2)),
    );
    wrapped
        .into_iter()
        .map(|part| vec![text_span(role, format!("{sign} {part}"))])
        .collect()
}

/// A short size: `812 B`, `4.1 kB`.
fn size_label(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        _ => format!("{:.1} kB", bytes as f64 / 1_000.0),
    }
}
