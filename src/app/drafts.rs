//! What was typed and not sent: kept on this machine as it is typed, and back after any end of the program.
//!
//! After each message what stands in the sheet, in Explore's builder and in a prompt is held against what was kept last; the runtime
//! sees to it that the disk is not written with every key. A draft is offered where it was typed and never applied by itself.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::effect::Effect;
use super::export;
use super::format::{moment, plural};
use super::intent::Intent;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, Pick};
use super::panes::explore::Built;
use super::panes::sheet::Draft;
use super::panes::skills;
use super::panes::subscriptions::Plan;
use super::prompt::{Prompt, Purpose};
use super::{App, Screen, offline};
use crate::domain::queue::TriageStatus;
use crate::domain::{SignalId, drafts};

/// The name of what stands in Explore's builder.
const BUILDER: &str = "explore";
/// The name of what is staged for subscriptions.
const SUBSCRIPTIONS: &str = "subscriptions";

/// The drafts.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// What was typed in sheets, the oldest first.
    pub sheets: Vec<Draft>,
    /// They outlive the program.
    pub keeps: bool,
    prompts: BTreeMap<String, String>,
    builder: Built,
    plan: Plan,
    held: Vec<(TriageStatus, SignalId)>,
}

impl App {
    /// Takes over what was left by the runs of the program before.
    pub(super) fn restore_drafts(&mut self, left: Vec<drafts::Draft>, keeps: bool) {
        self.drafts.keeps = keeps;
        let mut sheets = Vec::new();
        for draft in left {
            match draft.name.as_str() {
                BUILDER if !draft.elsewhere => {
                    // What was built since the start is newer.
                    if let Ok(built) = serde_json::from_value::<Built>(draft.typed)
                        && self.explore.built() == Built::default()
                    {
                        self.explore.build(built.clone());
                        self.drafts.builder = built;
                    }
                }
                SUBSCRIPTIONS if !draft.elsewhere => {
                    if let Ok(plan) = serde_json::from_value::<Plan>(draft.typed)
                        && self.subscriptions.restore(plan.clone())
                    {
                        self.drafts.plan = plan;
                        self.notice = Some(Notice::note("what you staged for subscriptions is kept").with("4 shows it"));
                    }
                }
                offline::KEPT if !draft.elsewhere => self.restore_held(draft.typed),
                export::KEPT if !draft.elsewhere => self.restore_export(draft.typed),
                skills::edit::KEPT => {
                    if let (false, Value::String(text)) = (draft.elsewhere, draft.typed) {
                        self.skills.typed.get_or_insert(text);
                    }
                }
                name if Purpose::KEPT.iter().any(|kept| name.starts_with(kept)) => {
                    if let (false, Value::String(text)) = (draft.elsewhere, draft.typed) {
                        self.drafts.prompts.entry(draft.name).or_insert(text);
                    }
                }
                _ => sheets.extend(Draft::read(draft)),
            }
        }
        self.offer_typed_skill();
        if let Some(last) = sheets.last() {
            let more = if sheets.len() > 1 { format!(" and {} more", sheets.len() - 1) } else { String::new() };
            let text = format!("{}{more}: what you typed at {} is kept", last.about(), self.draft_time(last));
            self.notice = Some(Notice::note(text).with("{go.typed} goes on with it"));
        }
        sheets.append(&mut self.drafts.sheets);
        self.drafts.sheets = sheets;
        let offered = self.sheet.as_ref().and_then(|sheet| self.draft_of(&sheet.shelf, &sheet.rows));
        if let Some(sheet) = &mut self.sheet {
            sheet.draft = sheet.draft.take().or(offered);
        }
    }

    /// Keeps what was typed since it was kept last.
    pub(super) fn keep_typed(&mut self) {
        self.keep_sheet();
        if self.screen == Screen::Explore {
            let built = self.explore.built();
            if built != self.drafts.builder {
                let typed = (built != Built::default()).then_some(&built);
                self.keep(BUILDER, typed);
                self.drafts.builder = built;
            }
        }
        let held = self.held_to_keep();
        if held != self.drafts.held {
            self.keep(offline::KEPT, (!held.is_empty()).then_some(&held));
            self.drafts.held = held;
        }
        let plan = self.subscriptions.plan();
        if plan != self.drafts.plan {
            self.keep(SUBSCRIPTIONS, (plan != Plan::default()).then_some(&plan));
            self.drafts.plan = plan;
        }
        let Some((name, text)) = self.prompt.as_ref().and_then(|prompt| Some((self.draft_name(prompt.purpose)?, prompt.text())))
        else {
            return;
        };
        let is_new = !text.trim().is_empty() && text != self.standing(&name);
        if is_new && self.drafts.prompts.get(&name) != Some(&text) {
            self.keep(&name, Some(&text));
            self.drafts.prompts.insert(name, text);
        } else if !is_new {
            self.forget_prompt(&name);
        }
    }

    /// Opens a prompt with what was typed in it before, or else with what stands there now.
    pub(super) fn prompt_for(&mut self, label: &'static str, purpose: Purpose) {
        let name = self.draft_name(purpose).unwrap_or_default();
        let text = self.drafts.prompts.get(&name).cloned().unwrap_or_else(|| self.standing(&name));
        self.prompt = Some(Prompt::new(label, &text, purpose));
    }

    /// What was typed in a prompt was taken.
    pub(super) fn forget_prompt(&mut self, name: &str) {
        if self.drafts.prompts.remove(name).is_some() {
            self.keep::<()>(name, None);
        }
    }

    /// Keeps what was typed under a name in the place of what was kept there; with nothing, drops it.
    pub(super) fn keep<T: Serialize>(&mut self, name: &str, typed: Option<&T>) {
        let typed = typed.and_then(|typed| serde_json::to_value(typed).ok());
        self.out.push(Effect::Keep { name: name.to_owned(), typed });
    }

    /// When a draft was left, on the person's clock.
    pub fn draft_time(&self, draft: &Draft) -> String {
        moment(draft.at, self.now, self.settings.utc_offset)
    }

    /// Lists what was typed for records, the newest first; choosing one goes on with it.
    pub(super) fn list_drafts(&mut self) {
        let pick = |draft: &Draft| Pick {
            label: format!("{}: {}", draft.about(), draft.fields().join(", ")),
            note: self.draft_time(draft),
            then: Intent::Resume(draft.name.clone()),
        };
        let picks: Vec<Pick> = self.drafts.sheets.iter().rev().map(pick).collect();
        self.overlay = Some(Overlay::Choice(Choice::new("Typed and not written", "0 cr", picks)));
    }

    /// What the person should know at the end: where what was typed is.
    pub(super) fn drafts_line(&self) -> Option<String> {
        let records: usize = self.drafts.sheets.iter().map(|draft| draft.rows.len()).sum();
        let is_kept = records > 0 && self.drafts.keeps;
        is_kept.then(|| format!("gantry: what you typed for {} is kept; gt goes on with it", plural(records, "record")))
    }
}
