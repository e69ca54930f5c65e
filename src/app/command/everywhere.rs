//! The rows of the command table that hold in every pane.

use std::borrow::Cow;

use super::{Can, Command, Scope};
use crate::app::format::plural;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::Palette;
use crate::app::panes::queue::Tab;
use crate::app::panes::record::name_of;
use crate::app::{App, Effect, Screen};
use crate::domain::queue::QueueSignal;
use crate::text;

/// The rows, in the order of help.
pub const COMMANDS: &[Command] = &[
    Command::new("go.down", &["j", "Down"], "down", "go to the next row", Scope::Everywhere, |app| app.step(1)),
    Command::new("go.up", &["k", "Up"], "up", "go to the previous row", Scope::Everywhere, |app| app.step(-1)),
    Command::new("go.half.down", &["Ctrl-d"], "half page down", "go half a page down", Scope::Everywhere, |app| app.step_pages(1, 2)),
    Command::new("go.half.up", &["Ctrl-u"], "half page up", "go half a page up", Scope::Everywhere, |app| app.step_pages(-1, 2)),
    Command::new("go.page.down", &["Ctrl-f", "PgDn"], "page down", "go a page down", Scope::Everywhere, |app| app.step_pages(1, 1)),
    Command::new("go.page.up", &["Ctrl-b", "PgUp"], "page up", "go a page up", Scope::Everywhere, |app| app.step_pages(-1, 1)),
    Command::new("go.first", &["g g", "Home"], "first", "go to the first row", Scope::Everywhere, |app| app.step(isize::MIN)),
    Command::new("go.last", &["G", "End"], "last", "go to the last row", Scope::Everywhere, |app| app.step(isize::MAX)),
    Command::new("tab.next", &["]"], "next tab", "go to the next tab", Scope::Everywhere, |app| app.turn(true)),
    Command::new("tab.previous", &["["], "previous tab", "go to the previous tab", Scope::Everywhere, |app| app.turn(false)),
    Command::new("undo", &["z", "u"], "undo", "take the last act back, and say what it was", Scope::Everywhere, App::undo)
        .writing_at_once()
        .hinted(9)
        .waiting(App::is_busy)
        .when(can_undo),
    Command::new("redo", &["Z"], "redo", "do the act that was taken back again", Scope::Everywhere, App::redo)
        .writing_at_once()
        .waiting(App::is_busy)
        .when(can_redo),
    Command::new("repeat", &["."], "repeat", "repeat the last act on the marks or the row", Scope::Everywhere, repeat)
        .costing("0 cr; in the detail 1 cr once a project")
        .writing_at_once()
        .when(can_repeat),
    Command::new("refresh", &["R"], "refresh", "read the queue and its counts again", Scope::Everywhere, refresh),
    Command::new("source.open", &["o"], "source", "open the filing's page in the browser", Scope::Everywhere, open_source)
        .hinted(12)
        .when(has_source),
    Command::new("source.copy", &["Y"], "copy URL", "copy the address of the filing's page", Scope::Everywhere, |app| {
        copy(app, "URL", |row| row.signal.source_url.clone());
    })
    .when(has_source),
    Command::new("copy.id", &["y i"], "id", "copy the id of the signal or record", Scope::Everywhere, |app| {
        let id = app.signal().map(|row| row.signal.id.to_string()).or(app.record().map(|record| record.id.to_string()));
        app.put("id", id);
    })
    .when(has_subject),
    Command::new("copy.url", &["y u"], "URL", "copy the address of the filing's page", Scope::Everywhere, |app| {
        copy(app, "URL", |row| row.signal.source_url.clone());
    })
    .when(has_source),
    Command::new("copy.name", &["y n"], "name", "copy the name of the project or record", Scope::Everywhere, |app| {
        let name = app.signal().map(|row| row.signal.project_name.clone());
        let name = name.unwrap_or_else(|| app.record().map(|record| name_of(&record.fields())));
        app.put("name", name);
    })
    .when(has_subject),
    Command::new("copy.address", &["y a"], "address", "copy the project's address", Scope::Everywhere, |app| {
        copy(app, "address", |row| row.signal.project_primary_address.clone());
    })
    .when(has_signal),
    Command::new("copy.filter", &["y f"], "filter", "copy the filter as a gantry command", Scope::Everywhere, App::copy_filter),
    Command::new("copy.json", &["y j"], "JSON", "copy the signal or record as JSON", Scope::Everywhere, |app| {
        let json = app.signal().and_then(|row| serde_json::to_string_pretty(row).ok());
        let json = json.or_else(|| serde_json::to_string_pretty(app.record()?).ok());
        app.put("JSON", json);
    })
    .when(has_subject),
    Command::new("copy.curl", &["y c"], "curl", "copy the request for this signal as curl, without the secret", Scope::Everywhere, |app| {
        copy(app, "curl command", |row| {
            Some(format!(
                "curl -H \"Authorization: Bearer $GANTRY_TOKEN\" \"$GANTRY_BASE_URL/signals/{}?workspace_id=$GANTRY_WORKSPACE\"",
                row.signal.id
            ))
        });
    })
    .when(has_signal),
    Command::new("copy.command", &["y g"], "gantry", "copy the gantry command that shows this signal", Scope::Everywhere, |app| {
        copy(app, "command", |row| Some(format!("gantry signals show {}", row.signal.id)));
    })
    .when(has_signal),
    Command::new("help", &["?", "F1"], "help", "what works here, and its keys", Scope::Everywhere, |app| {
        app.overlay = Some(Overlay::Palette(Palette::help(app.scope(), &app.keymap)));
    })
    .hinted(20),
    Command::new("palette", &[":", "Ctrl-p"], "palette", "find a command by name, key or sentence, and run it", Scope::Everywhere, |app| {
        app.overlay = Some(Overlay::Palette(Palette::all(app.scope(), &app.keymap)));
    })
    .hinted(21),
    Command::new("go.queue", &["1"], "Queue", "go to the queue", Scope::Everywhere, |app| app.go(Screen::Queue)),
    Command::new("go.views", &["2"], "Views", "go to the Views", Scope::Everywhere, |app| app.go(Screen::Views)),
    Command::new("go.book", &["3"], "Book", "go to the book", Scope::Everywhere, |app| app.go(Screen::Book)),
    Command::new("go.explore", &["5"], "Explore", "go to the search of the whole index", Scope::Everywhere, |app| app.go(Screen::Explore)),
    Command::new("go.subscriptions", &["4"], "Subs", "go to the subscriptions", Scope::Everywhere, |app| app.go(Screen::Subscriptions)),
    Command::new("go.team", &["6"], "Team", "go to the team", Scope::Everywhere, |app| app.go(Screen::Team)),
    Command::new("go.skills", &["7"], "Skills", "go to the Skills", Scope::Everywhere, |app| app.go(Screen::Skills)),
    Command::new("go.credits", &["8"], "Credits", "go to what was spent, and what may be", Scope::Everywhere, |app| app.go(Screen::Credits)),
    Command::new("go.watch", &["9"], "Watch", "go to the wallboard", Scope::Everywhere, |app| app.go(Screen::Watch)),
    Command::new("go.before", &["`"], "before", "go back to the screen before", Scope::Everywhere, |app| {
        let before = app.before;
        app.go(before);
    }),
    Command::new("go.project", &["g p"], "project", "open the page of the signal's project", Scope::Everywhere, App::open_project)
        .costing("1 cr once a project")
        .when(has_signal),
    Command::new("go.typed", &["g t"], "typed", "list what was typed for records and not written", Scope::Everywhere, App::list_drafts)
        .when(has_drafts),
    Command::new("back", &["Esc"], "back", "close what is open, unmark, go back; never quits", Scope::Everywhere, App::back),
    Command::new("close", &["q"], "close", "close this screen; on the first one, quit", Scope::Everywhere, App::close),
    Command::new("cancel", &["Ctrl-c"], "cancel", "give up what is running; twice within two seconds, quit", Scope::Everywhere, App::cancel),
    Command::new("suspend", &["Ctrl-z"], "suspend", "go to the shell; fg comes back", Scope::Everywhere, |app| app.out.push(Effect::Suspend)),
    Command::new("redraw", &["Ctrl-l"], "redraw", "draw the screen anew", Scope::Everywhere, |app| app.out.push(Effect::Repaint)),
    Command::new("blank", &["_"], "blank", "blank the screen until a key is pressed", Scope::Everywhere, App::blank),
    Command::new("theme", &[], "colours", "choose the colours: dark, light, high contrast, colour-blind", Scope::Everywhere, App::offer_themes),
    Command::new("mouse", &["%"], "mouse", "give the mouse to the terminal, or take it back", Scope::Everywhere, |app| {
        app.settings.mouse = !app.settings.mouse;
        app.out.push(Effect::Mouse(app.settings.mouse));
        app.notice = Some(Notice::note(if app.settings.mouse { "the mouse works here" } else { "the mouse selects text" }));
    }),
];

fn can_undo(app: &App) -> Can {
    app.can_write()?;
    if app.journal.undo_words().is_some() { Ok(()) } else { Err("there is nothing to undo".into()) }
}

fn can_redo(app: &App) -> Can {
    app.can_write()?;
    if app.journal.redo_words().is_some() { Ok(()) } else { Err("there is nothing to do again".into()) }
}

/// What the last act was, as the command that does it to the signals on the screen.
fn last_act(app: &App) -> Result<&'static Command, Cow<'static, str>> {
    let id = match (app.scope(), app.acts.last) {
        (_, None) => return Err("there was no act yet".into()),
        (Scope::Queue, Some(Tab::New)) => "queue.done",
        (Scope::Queue, Some(Tab::Done)) => "queue.new",
        (Scope::Detail, Some(Tab::New)) => "detail.done",
        (Scope::Detail, Some(Tab::Done)) => "detail.new",
        _ => return Err("there are no signals here".into()),
    };
    Ok(super::table().find(|command| command.id == id).expect("an act of the table"))
}

fn can_repeat(app: &App) -> Can {
    app.can_write()?;
    (last_act(app)?.can)(app)
}

fn repeat(app: &mut App) {
    if let Ok(command) = last_act(app) {
        (command.run)(app);
    }
}

fn refresh(app: &mut App) {
    for tab in [&mut app.queue.new, &mut app.queue.done] {
        (tab.stale, tab.reads) = (true, 0);
        tab.try_again();
    }
    app.out.push(Effect::Poll);
    if !app.session.watches {
        app.ask_meta();
    }
}

fn has_subject(app: &App) -> Can {
    if app.signal().is_some() || app.record().is_some() { Ok(()) } else { Err("there is nothing here to copy".into()) }
}

fn has_signal(app: &App) -> Can {
    if app.signal().is_some() { Ok(()) } else { Err("there is no signal here".into()) }
}

fn has_drafts(app: &App) -> Can {
    if app.drafts.sheets.is_empty() { Err("nothing was typed that is not written".into()) } else { Ok(()) }
}

fn has_source(app: &App) -> Can {
    match app.signal().map(|row| row.signal.source_url.as_deref()) {
        None => Err("there is no signal here".into()),
        Some(None) => Err("this signal names no page".into()),
        // Only pages of the web are opened, whatever a filing says.
        Some(Some(url)) if text::web_page_host(url).is_some() => Ok(()),
        Some(Some(_)) => Err("this signal's page is no plain http or https address".into()),
    }
}

fn open_source(app: &mut App) {
    if let Some(url) = app.signal().and_then(|row| row.signal.source_url.clone()) {
        let host = text::web_page_host(&url).unwrap_or_default();
        app.notice = Some(Notice::note(format!("Asked the browser to open a page of {host}: {url}")));
        app.out.push(Effect::Open(url));
    }
}

fn copy(app: &mut App, what: &str, pick: impl Fn(&QueueSignal) -> Option<String>) {
    let text = app.signal().and_then(pick);
    app.put(what, text);
}

impl App {
    /// Copies a text, if there is one.
    pub(in crate::app) fn put(&mut self, what: &str, text: Option<String>) {
        match text {
            Some(text) => {
                // A stranger's control character would be typed where this is pasted, a line end would run it. JSON has its own.
                let safe = if what == "JSON" { text::sanitize_block(&text) } else { text::sanitize_line(&text) };
                let shown = safe.lines().next().unwrap_or_default();
                self.notice = Some(match text::count_hidden_chars(&text) {
                    0 => Notice::note(format!("{what} sent to the terminal's clipboard: {shown}")),
                    n => Notice::warn(format!(
                        "{what} sent to the terminal's clipboard without {} that cannot be seen: {shown}",
                        plural(n, "character")
                    )),
                });
                self.out.push(Effect::Copy(safe.into_owned()));
            }
            None => self.notice = Some(Notice::warn(format!("there is no {what} here"))),
        }
    }
}
