//! Back and forward through everything visited. Going there is free: a place whose record was not
//! kept is skipped.

use crate::app::action::Action;
use crate::app::command::Availability;
use crate::app::effect::{ListId, RecordKey};
use crate::app::model::records::FetchedRecords;
use crate::app::model::trail::{Place, Trail};
use crate::app::model::views::Views;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::views::View;

/// Most places in the list of places.
const MAX_LISTED: usize = 15;

impl Trail {
    /// What is done now closes the place: the one before is where the user goes back to.
    pub(in crate::app) fn mark_closing(&mut self) {
        self.is_closing = true;
    }

    /// The place to go to, which becomes the current one.
    pub(in crate::app) fn take_place(&mut self, at: usize) -> Option<Place> {
        self.go_to(at)
    }
}

impl Context {
    /// Remembers where the user is.
    pub(in crate::app) fn record_place(&mut self) {
        if self.ui.screen() == Screen::Start {
            return;
        }
        let place = match &self.ui.focus.subject {
            Subject::Record(key, name) => Place::Record(key.clone(), name.clone()),
            Subject::Signal(row) => Place::Signal(Box::new(row.signal.clone())),
            Subject::None => match &self.ui.focus.list {
                Some(ListId::View(id)) => Place::View(
                    *id,
                    self.views.get(*id).map(View::title).unwrap_or_default(),
                ),
                _ => Place::Screen(self.ui.screen()),
            },
        };
        self.trail.arrive(place);
    }

    pub(super) fn go_along_trail(&mut self, is_forward: bool) {
        if let Some(at) = self.trail.next(is_forward, |place| {
            can_show(place, &self.views, &self.records.fetched)
        }) {
            self.work.perform(Action::Revisit(at));
        }
    }

    pub(super) fn can_go_along_trail(&self, is_forward: bool) -> Availability {
        match self.trail.next(is_forward, |place| {
            can_show(place, &self.views, &self.records.fetched)
        }) {
            Some(_) => Ok(()),
            None if is_forward => Err("you are at the newest place".into()),
            None => Err("you are at the first place".into()),
        }
    }

    /// Lists the visited places, the newest first.
    pub(super) fn list_places(&mut self) {
        let places = self.trail.places();
        // A screen is listed once, wherever it was come back to.
        let is_later = |at: usize| {
            let is_screen = matches!(places[at], Place::Screen(_));
            is_screen && places[at + 1..].contains(&places[at])
        };
        let shown: Vec<usize> = (0..places.len())
            .rev()
            .filter(|at| {
                !is_later(*at) && can_show(&places[*at], &self.views, &self.records.fetched)
            })
            .take(MAX_LISTED)
            .collect();
        let option = |at: &usize| {
            let (label, note) = match &places[*at] {
                Place::Screen(screen) => (screen.title().to_owned(), ""),
                Place::View(_, title) => (title.clone(), "View"),
                Place::Record(key, name) => {
                    (name.clone(), key.dataset.as_str().trim_end_matches('s'))
                }
                Place::Signal(signal) => {
                    let kind = signal.type_label();
                    (
                        format!(
                            "{kind} on {}",
                            signal.project_name.as_deref().unwrap_or("unnamed")
                        ),
                        "signal",
                    )
                }
            };
            ChoiceOption {
                label,
                note: note.to_owned(),
                action: Action::Revisit(*at),
            }
        };
        let options: Vec<ChoiceOption> = shown.iter().map(option).collect();
        let selected = shown
            .iter()
            .position(|at| places[*at] == places[self.trail.current()])
            .unwrap_or_default();
        self.ui.overlay = Some(Overlay::Choice(Choice {
            selected,
            ..Choice::new("Visited places", "0 cr", options)
        }));
    }
}

/// Whether showing it costs nothing.
fn can_show(place: &Place, views: &Views, records: &FetchedRecords) -> bool {
    match place {
        Place::Screen(_) => true,
        Place::View(id, _) => views.get(*id).is_some(),
        Place::Record(key, _) => is_record_kept(key, records),
        Place::Signal(signal) => signal
            .project_id
            .is_none_or(|project| is_record_kept(&RecordKey::of_project(project), records)),
    }
}

/// Whether a record was read in this session, by any route.
pub(in crate::app) fn is_record_kept(key: &RecordKey, records: &FetchedRecords) -> bool {
    [true, false].iter().any(|in_book| {
        records
            .get(&RecordKey {
                in_book: *in_book,
                ..key.clone()
            })
            .is_some()
    })
}
