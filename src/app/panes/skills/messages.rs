//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::skills::{SkillAudience, SkillFileRef};
use crate::domain::{SkillId, UserId};

/// What is read of the Skills.
#[derive(Clone, Debug)]
pub enum SkillsRequest {
    List,
    /// The open Skill.
    Skill(SkillId),
    /// Files of the open Skill.
    Texts(Vec<SkillFileRef>),
    /// A Skill for the editor.
    EditedSkill,
    EditedTexts(Vec<SkillFileRef>),
}

/// What a choice of this pane does.
#[derive(Clone, Debug, PartialEq)]
pub enum SkillsAction {
    /// Compare two revisions of the open Skill, the older one first.
    Compare(u64, u64),
    SetAudience(SkillAudience),
    Transfer(UserId),
}

/// What this pane's prompts ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillsPrompt {
    Filter,
    /// Words to find Skills by.
    Find,
    ForkName,
}
