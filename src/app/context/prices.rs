//! What commands and calls cost now, at most.

use crate::app::annotation_cache::AnnotationField;
use crate::app::context::{Frame, Work};
use crate::app::effect::{Effect, RecordKey, ServiceCall, Slot, WriteRequest};
use crate::app::model::description_reads::{DescriptionReads, SignalPrice};
use crate::app::model::known_records::KnownRecords;
use crate::app::model::records::FetchedRecords;
use crate::app::outbox::Outbox;
use crate::app::outbox::undo_history::UndoStep;
use crate::app::overlay::call_form::CallForm;
use crate::app::price::Price;
use crate::app::{AppSettings, Context};
use crate::domain::ProjectId;
use crate::domain::annotate::AnnotationBaseline;
use crate::domain::book::RecordKind;
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl DescriptionReads {
    /// What reading a signal with its payload, or rows of signals, costs.
    pub(in crate::app) fn signal_price(&self) -> Price {
        match self.price {
            SignalPrice::Free => Price::Free,
            SignalPrice::Costs(credits) => Price::of_credits(credits),
            SignalPrice::Unknown => Price::Unstated,
        }
    }
}

impl KnownRecords {
    /// What opening a record costs.
    pub(in crate::app) fn record_price(&self, key: RecordKey) -> Price {
        Price::of_credits(u64::from(
            self.fetched.get(&self.preferred_key(key)).is_none(),
        ))
    }

    /// The record that the form for a call lacks and a credit reads: whom to call comes first.
    pub(in crate::app) fn record_lacked_by(&self, form: &CallForm) -> Option<RecordKey> {
        let book = RecordKey::for_book(&form.kind, form.id);
        let index = RecordKey {
            in_book: false,
            ..book.clone()
        };
        let known = self.cached_annotation(&form.kind, form.id);
        let is_read = |key| self.fetched.get(key).is_some();
        let lacks_people = !is_read(&index)
            && !self.fetched.is_missing(&index)
            && (form.kind == RecordKind::Contacts || !is_read(&book));
        let lacks_status =
            known.in_book() != Some(false) && known.value(AnnotationField::Status).is_none();
        match lacks_status {
            true if known.in_book() == Some(true) => Some(book),
            _ if lacks_people => Some(index),
            lacks => lacks.then_some(book),
        }
    }

    /// What reading what the form for a call lacks costs. A record that turns out not to be in the
    /// book is free.
    pub(in crate::app) fn lacked_record_price(&self, form: &CallForm) -> Price {
        match self.record_lacked_by(form) {
            Some(key) if key.in_book => self.call_form_price(form),
            lacked => Price::of_credits(lacked.iter().len() as u64),
        }
    }

    /// What saving a call costs: a record of the book is read right before.
    pub(in crate::app) fn call_form_price(&self, form: &CallForm) -> Price {
        match self.is_known_in_book(&form.kind, form.id) {
            Some(true) => Price::Credits(1),
            Some(false) => Price::Free,
            None => Price::AtMost(1),
        }
    }
}

impl Context {
    /// What an effect costs.
    pub(in crate::app) fn effect_price(&self, effect: &Effect) -> Price {
        match effect {
            Effect::Call {
                slot: Slot::Records(list),
                call: ServiceCall::Search { .. } | ServiceCall::SavedSearch { .. },
                ..
            } => self
                .records
                .lists
                .get(list)
                .map_or(Price::Free, |list| Price::of_credits(list.pending_price())),
            Effect::Call { call, .. } if call.reads_signals() => self.descriptions.signal_price(),
            // Sent only where it is free, or after the user has agreed.
            Effect::Call {
                call: ServiceCall::Description { .. },
                ..
            } => Price::Free,
            Effect::Call {
                call: ServiceCall::Write(WriteRequest::Annotate { items, .. }),
                ..
            } => {
                let is_read = |baseline: &AnnotationBaseline| baseline.in_book != Some(false);
                Price::of_credits(
                    items
                        .iter()
                        .filter(|item| item.baseline.as_ref().is_some_and(is_read))
                        .count() as u64,
                )
            }
            Effect::Call {
                call: ServiceCall::AskQuestion { .. },
                ..
            } => question_price(&self.work, &self.settings),
            Effect::Call { call, .. } if call.may_cost() => call
                .max_credits()
                .map_or(Price::Unstated, Price::of_credits),
            _ => Price::Free,
        }
    }
}

/// What opening a project costs.
pub(in crate::app) fn project_price(project: Option<ProjectId>, records: &FetchedRecords) -> Price {
    Price::of_credits(u64::from(
        project.is_some() && records.project(project).is_none(),
    ))
}

/// What the project of an opened signal costs. Where no price fits on the screen, it is not
/// read.
pub(in crate::app) fn opened_project_price(
    project: Option<ProjectId>,
    frame: &Frame,
    records: &FetchedRecords,
) -> Price {
    if frame.is_compact() {
        Price::Free
    } else {
        project_price(project, records)
    }
}

/// What a question in plain words costs.
pub(in crate::app) fn question_price(work: &Work, settings: &AppSettings) -> Price {
    match work.budget.question_price {
        Some(price) => price,
        None if settings.is_local => Price::Free,
        None => Price::Unstated,
    }
}

/// What undoing or redoing a step costs, with the others of its group: records are read right
/// before their annotation changes.
pub(in crate::app) fn replay_price(step: Option<&UndoStep>, outbox: &Outbox) -> Price {
    let Some(step) = step else { return Price::Free };
    let history = &outbox.history;
    let is_same =
        |other: &&UndoStep| *other == step || other.group.is_some() && other.group == step.group;
    let changes = history
        .done
        .iter()
        .chain(&history.undone)
        .filter(is_same)
        .flat_map(UndoStep::changes);
    price_of_replay(changes)
}
/// What undoing or redoing changes costs: a record whose annotation changes is read right before,
/// and where records leave the book, all may be read first.
pub(in crate::app) fn price_of_replay<'a>(
    changes: impl IntoIterator<Item = &'a ReversibleWrite>,
) -> Price {
    let (mut annotated, mut leaving) = (0, 0);
    for change in changes {
        match change.back {
            Some(WriteOp::Annotate(..)) => annotated += 1,
            Some(WriteOp::Forget(..)) => leaving += 1,
            _ => {}
        }
    }
    match leaving {
        0 => Price::of_credits(annotated),
        leaving => Price::AtMost(2 * annotated + leaving),
    }
}
