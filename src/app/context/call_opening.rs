//! The opening line of calls: read from the Skills in use when the first call form of a session
//! opens. Skills are free.

use std::collections::VecDeque;

use crate::app::Context;
use crate::app::context::Work;
use crate::app::context::team::Team;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{CallResult, payload};
use crate::app::overlay::call_form::{CallForm, CallOpening, Calls, OpeningRead};
use crate::app::requests::Request;
use crate::domain::call_opening::{
    call_skills, fill_placeholders, fits_signal, opening_file, opening_line,
};
use crate::domain::skills::{Skill, SkillFile, SkillFileRef, SkillFilter, SkillRevision};

impl Calls {
    /// The line for a call, and the Skill that it is from.
    pub(in crate::app) fn call_opening(
        &self,
        form: &CallForm,
        team: &Team,
    ) -> Option<(&str, String)> {
        let CallOpening::Read { skill, line } = &self.opening else {
            return None;
        };
        if !fits_signal(line, form.about.as_ref()) {
            return None;
        }
        let workspace = team.workspace.as_ref();
        let me = team
            .caller()
            .and_then(|me| team.members.iter().find(|member| member.is(&me)))
            .map(|member| member.name());
        let values = [
            ("name", Some(form.name.clone())),
            ("me", me),
            (
                "workspace",
                workspace.and_then(|workspace| workspace.name.clone()),
            ),
        ];
        Some((skill, fill_placeholders(line, &values)))
    }

    pub(in crate::app) fn on_call_opening_reply(
        &mut self,
        read: OpeningRead,
        result: CallResult,
        work: &mut Work,
    ) {
        if self.take_opening(read, result, work).is_err() {
            self.opening = CallOpening::Unread;
        }
    }

    fn take_opening(
        &mut self,
        read: OpeningRead,
        result: CallResult,
        work: &mut Work,
    ) -> CallResult<()> {
        match read {
            OpeningRead::Skills => {
                let skills = call_skills(payload(result)?);
                self.search_next_skill(skills.into(), work);
            }
            OpeningRead::Skill(mut rest) => {
                let (skill, revisions): (Box<Skill>, Vec<SkillRevision>) = payload(result)?;
                rest.pop_front();
                let newest = skill
                    .revision
                    .or(revisions.first().map(|revision| revision.revision));
                match (opening_file(&skill.files), newest) {
                    (Some(path), Some(revision)) => {
                        let path = path.to_owned();
                        let file = SkillFileRef {
                            skill: skill.id.clone(),
                            revision,
                            path: path.clone(),
                        };
                        let read = OpeningRead::Text {
                            skill: skill.title(),
                            path,
                            rest,
                        };
                        read_opening(ServiceCall::SkillText(vec![file]), read, work);
                    }
                    _ => self.search_next_skill(rest, work),
                }
            }
            OpeningRead::Text { skill, path, rest } => {
                let texts: Vec<(SkillFileRef, SkillFile)> = payload(result)?;
                match texts
                    .first()
                    .and_then(|(_, file)| opening_line(&path, &file.text()?))
                {
                    Some(line) => self.opening = CallOpening::Read { skill, line },
                    None => self.search_next_skill(rest, work),
                }
            }
        }
        Ok(())
    }

    fn search_next_skill(&mut self, skills: VecDeque<Skill>, work: &mut Work) {
        match skills.front().map(|skill| skill.id.clone()) {
            Some(id) => read_opening(ServiceCall::Skill(id), OpeningRead::Skill(skills), work),
            None => self.opening = CallOpening::Missing,
        }
    }
}

impl Context {
    /// Looks for the line, once per session. After a failure the next form tries again.
    pub(super) fn read_call_opening(&mut self) {
        if self.calls.opening == CallOpening::Unread && self.session.is_connected() {
            self.calls.opening = CallOpening::Reading;
            read_opening(
                ServiceCall::Skills(SkillFilter::default()),
                OpeningRead::Skills,
                &mut self.work,
            );
        }
    }
}

fn read_opening(call: ServiceCall, read: OpeningRead, work: &mut Work) {
    work.call_service(Slot::CallOpening, call, Request::CallOpening(read));
}

#[cfg(test)]
mod tests {
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::domain::skills::SkillLifecycle;

    #[test]
    fn the_call_form_shows_the_opening_line_of_a_skill_in_use() {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service.skills[1].revisions[1][1].content =
            "Good morning. I saw the permit for {name}.\n".to_owned();
        let console = console.press("a c").serve();
        let screen = console.screen_text();
        assert!(
            screen.contains("opening  Good morning. I saw the permit for Harbor Yard Lofts."),
            "{screen}"
        );
        assert!(
            screen.contains("from the Skill permit-call-script"),
            "{screen}"
        );
        let console = console.press("Esc j a c");
        assert!(
            !console.screen_text().contains("the permit for "),
            "an entitlement is no permit: {}",
            console.screen_text()
        );
        assert!(console.pending_calls.is_empty(), "read once per session");
    }

    #[test]
    fn without_such_a_skill_the_form_shows_nothing() {
        let mut console = TestConsole::with_rows(morning_queue());
        console.service.skills[1].skill.lifecycle = Some(SkillLifecycle::Unpublished);
        let console = console.press("a c").serve();
        assert!(
            !console.screen_text().contains("opening"),
            "{}",
            console.screen_text()
        );
        assert!(
            console.press("Esc a c").pending_calls.is_empty(),
            "looked up once per session"
        );
    }
}
