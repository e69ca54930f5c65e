//! The places that the user visited, in order, to go back and forward through them.

use crate::app::Screen;
use crate::app::effect::RecordKey;
use crate::domain::ViewId;
use crate::domain::signals::Signal;

/// Most places that are remembered.
const MAX_PLACES: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Screen(Screen),
    /// The records of a View, with its title.
    View(ViewId, String),
    /// A record's page, with its name.
    Record(RecordKey, String),
    /// An open signal.
    Signal(Box<Signal>),
}

impl Place {
    /// Whether it is the same place, whatever is known of it by now.
    fn is_same(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::View(one, _), Place::View(other, _)) => one == other,
            (Place::Record(one, _), Place::Record(other, _)) => {
                (&one.dataset, one.id) == (&other.dataset, other.id)
            }
            (Place::Signal(one), Place::Signal(other)) => one.id == other.id,
            (one, other) => one == other,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// Oldest first.
    places: Vec<Place>,
    /// The current one, by its index.
    at: usize,
    /// What is done now closes a place: arriving at the one before it is a step back.
    pub is_closing: bool,
}

impl Trail {
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    pub fn current(&self) -> usize {
        self.at
    }

    /// The user is here now. A new place replaces those that could be gone forward to.
    pub fn arrive(&mut self, place: Place) {
        let is_closing = std::mem::take(&mut self.is_closing);
        if self
            .places
            .get(self.at)
            .is_some_and(|here| here.is_same(&place))
        {
            return;
        }
        if let Some(before) = self
            .at
            .checked_sub(1)
            .filter(|before| is_closing && self.places[*before].is_same(&place))
        {
            self.at = before;
            return;
        }
        self.places.truncate(self.at + 1);
        self.places.push(place);
        if self.places.len() > MAX_PLACES {
            self.places.remove(0);
        }
        self.at = self.places.len() - 1;
    }

    /// The next place back or forward that can be shown, by its index.
    pub fn next(&self, is_forward: bool, can_show: impl Fn(&Place) -> bool) -> Option<usize> {
        let is_shown = |at: &usize| can_show(&self.places[*at]);
        if is_forward {
            (self.at + 1..self.places.len()).find(is_shown)
        } else {
            (0..self.at).rev().find(is_shown)
        }
    }

    /// Goes to a place.
    pub fn go_to(&mut self, at: usize) -> Option<Place> {
        let place = self.places.get(at)?.clone();
        self.at = at;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_place_ends_what_was_forward_and_closing_a_place_does_not() {
        let mut trail = Trail::default();
        for screen in [Screen::Queue, Screen::Views, Screen::Views, Screen::Book] {
            trail.arrive(Place::Screen(screen));
        }
        let next = |trail: &Trail, is_forward| trail.next(is_forward, |_| true);
        assert_eq!(
            (
                trail.places().len(),
                next(&trail, false),
                next(&trail, true)
            ),
            (3, Some(1), None)
        );
        trail.go_to(1);
        trail.arrive(Place::Screen(Screen::Views));
        assert_eq!(
            (trail.current(), next(&trail, true)),
            (1, Some(2)),
            "the place that was gone to is not visited again"
        );
        trail.is_closing = true;
        trail.arrive(Place::Screen(Screen::Queue));
        assert_eq!((trail.current(), next(&trail, true)), (0, Some(1)));
        trail.arrive(Place::Screen(Screen::Team));
        assert_eq!((trail.places().len(), next(&trail, true)), (2, None));
        assert_eq!(
            trail.next(false, |place| *place != Place::Screen(Screen::Queue)),
            None,
            "what cannot be shown is skipped"
        );
    }
}
