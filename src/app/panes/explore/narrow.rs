//! The builder over a list of the book or of a View: what narrows it, built as in Explore, with the keys that its route takes.
//!
//! Building is free; applying reads the list anew, for the price that stands there. What was built and left is there again for the
//! same list.

use super::{Draft, Known};
use crate::app::App;
use crate::app::command::{Availability, Command, Scope};
use crate::app::notice::Notice;
use crate::app::panes::records::Shown;
use crate::app::prompt::PromptKind;
use crate::app::records::LoadState;
use crate::domain::filters::Filters;
use crate::domain::search::{RecordSource, Search};
use crate::domain::vocabulary::Vocabulary;

/// The rows of the command table that hold in it, besides the builder's.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "narrow.apply",
        &["Enter"],
        "apply",
        "read the rows that meet the conditions",
        Scope::ListFilter,
        App::apply_narrow,
    )
    .with_cost("1 cr a row, nothing when all is as it was")
    .with_hint(1)
    .available_when(can_apply),
    Command::new("narrow.words", &["/"], "words", "words that are looked for in the records", Scope::ListFilter, App::ask_words)
        .with_hint(2)
        .available_when(takes_words),
    Command::new(
        "narrow.leave",
        &["Esc", "q", "Tab", "Shift-Tab"],
        "leave",
        "leave the list as it is; what you built is kept",
        Scope::ListFilter,
        App::leave_narrow,
    )
    .with_hint(3),
];

/// The builder over a list.
#[derive(Clone, Debug)]
pub struct Narrow {
    /// The list.
    pub shown: Shown,
    /// Where its rows come from.
    pub source: RecordSource,
    /// Words that are looked for.
    pub query: String,
    /// The conditions and the order.
    pub draft: Draft,
    /// What its route can be filtered by.
    pub known: Known,
}

impl Narrow {
    /// The search that is built.
    pub fn search(&self) -> Search {
        Search { query: self.query.clone(), ..self.draft.search() }
    }
}

impl App {
    /// Opens the builder over the list on the screen, with what narrows it or with what was left there.
    pub fn open_narrow(&mut self) {
        let Some(shown) = self.shown_list() else { return };
        let Some(list) = self.records() else { return };
        let (source, search) = (list.source.clone(), list.search.clone());
        let left = self.explore.left.take().filter(|left| left.shown == shown);
        let lines = 1 + search.filters.condition_paths().len();
        let known = Known { load: LoadState::Loading, ..Known::default() };
        let draft = Draft { filters: search.filters, sort: search.sort, cursor: lines };
        let narrow = left.unwrap_or(Narrow { shown, source, query: search.query, draft, known });
        self.explore.narrow = Some(Box::new(narrow));
        self.notice = None;
        self.read_fields(false);
        self.know_narrow();
    }

    /// Takes over what is known of the dataset's keys: the route's own are among them.
    pub(super) fn know_narrow(&mut self) {
        let place = self.explore.place();
        let (Some(narrow), Some(index)) = (&mut self.explore.narrow, self.explore.known.get(place)) else { return };
        let Some(shelf) = narrow.source.record_kind() else { return };
        narrow.known.vocabulary = Vocabulary::for_book(&shelf, &index.vocabulary);
        // Without the service's words the keys are known all the same.
        narrow.known.load = if index.load == LoadState::Loading { LoadState::Loading } else { LoadState::Ready };
    }

    /// Narrows the list by what was built: it is read anew, unless all is as it was.
    pub fn apply_narrow(&mut self) {
        let Some(narrow) = self.explore.narrow.take() else { return };
        let (shown, search) = (narrow.shown.clone(), narrow.search());
        self.explore.left = None;
        let Some(list) = self.list_mut(&shown) else { return };
        if list.search == search && list.load == LoadState::Ready {
            self.notice = Some(Notice::info("nothing was changed; the rows are as they were"));
            return;
        }
        self.explore.left = Some(*narrow);
        self.search_records(&shown, search);
    }

    /// The rows of a list came: what was built for them is no longer to be brought back.
    pub(in crate::app) fn narrowed(&mut self, shown: &Shown) {
        let search = self.list(shown).map(|list| list.search.clone());
        self.explore.left.take_if(|left| left.shown == *shown && Some(left.search()) == search);
    }

    /// Leaves the list as it is.
    pub fn leave_narrow(&mut self) {
        let Some(narrow) = self.explore.narrow.take() else { return };
        let is_new = self.list(&narrow.shown).is_some_and(|list| list.search != narrow.search());
        self.notice = is_new
            .then(|| Notice::info("the list is as it was; what you built is kept").with_hint("{records.narrow} brings it back"));
        self.explore.left = is_new.then_some(*narrow);
    }

    /// Asks for the words that are looked for.
    pub fn ask_words(&mut self) {
        self.open_prompt("words", PromptKind::ListQuery);
    }

    /// Takes the words that are looked for.
    pub fn set_words(&mut self, text: &str) {
        if let Some(narrow) = &mut self.explore.narrow {
            narrow.query = text.to_owned();
        }
    }

    /// Takes a line of words and criteria that was typed; what of it is no criterion is looked for as text.
    ///
    /// # Errors
    /// Words, where the route looks for none.
    pub(super) fn set_narrow(&mut self, words: String, filters: Filters) -> Result<(), String> {
        let Some(narrow) = &mut self.explore.narrow else { return Ok(()) };
        if !words.is_empty() && !narrow.source.accepts_query() {
            return Err(format!("{words:?} is no criterion, and no free text is looked for here; name={words}"));
        }
        narrow.query = words;
        narrow.draft.filters = narrow.known.vocabulary.coerce_filters(filters);
        narrow.draft.cursor = 1 + narrow.draft.filters.condition_paths().len();
        Ok(())
    }
}

fn can_apply(app: &App) -> Availability {
    super::commands::can_send(app)
}

fn takes_words(app: &App) -> Availability {
    match &app.explore.narrow {
        Some(narrow) if narrow.source.accepts_query() => Ok(()),
        _ => Err("no words are looked for here".into()),
    }
}
