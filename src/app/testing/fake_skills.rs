//! The service's Skills in console tests.

use serde_json::{Value, json};
use uuid::Uuid;

use super::fake_service::FakeService;
use super::{ANA, BEN};
use crate::domain::SkillId;
use crate::domain::batch::{BatchItemError, BatchItemResult};
use crate::domain::person::Person;
use crate::domain::skills::{
    Skill, SkillAction, SkillAudience, SkillCall, SkillFile, SkillFileInfo, SkillFileRef,
    SkillFilter, SkillLifecycle, SkillRevision, SkillSource,
};

/// A Skill with the files of each revision, the oldest first.
#[derive(Clone, Debug)]
pub struct FakeSkill {
    pub skill: Skill,
    pub revisions: Vec<Vec<SkillFile>>,
}

pub fn skill_id(n: usize) -> SkillId {
    Uuid::from_u128(0x9000 + n as u128).into()
}

fn skill_file(path: &str, content: &str) -> SkillFile {
    SkillFile::of_text(path, content)
}

/// The Skills of the golden screens.
pub fn sample_skills() -> Vec<FakeSkill> {
    let skill = |n: usize,
                 slug: &str,
                 about: &str,
                 source: &str,
                 lifecycle: &str,
                 audience: &str,
                 installed: bool,
                 day: &str|
     -> Skill {
        serde_json::from_value(json!({
            "id": skill_id(n), "slug": slug, "name": slug.replace('-', " "), "description": about, "source": source, "lifecycle": lifecycle,
            "audience": audience, "installed": installed, "revision": 1, "updated_at": format!("{day}T00:00:00Z"),
            "created_by": Uuid::from_u128(if n == 2 { BEN } else { ANA }),
        }))
        .expect("a Skill")
    };
    let script: String = (1..=40)
        .map(|n| format!("{n}. Ask about step {n}.\n"))
        .collect();
    let mut call = FakeSkill {
        skill: skill(
            1,
            "permit-call-script",
            "A call sheet for a permit that was issued.",
            "custom",
            "published",
            "workspace",
            false,
            "2026-07-02",
        ),
        revisions: vec![
            vec![skill_file(
                "SKILL.md",
                &format!("# Permit call script\nOpen with the permit.\n{script}"),
            )],
            vec![
                skill_file(
                    "SKILL.md",
                    &format!("# Permit call script\nOpen with the project.\n{script}"),
                ),
                skill_file("prompts/open.md", "Good morning.\n"),
            ],
        ],
    };
    call.skill.revision = Some(2);
    let one = |skill: Skill| FakeSkill {
        skill,
        revisions: vec![vec![skill_file("SKILL.md", "# Hello\n")]],
    };
    vec![
        one(skill(
            2,
            "weekly-digest",
            "What the week brought.",
            "custom",
            "draft",
            "personal",
            false,
            "2026-07-08",
        )),
        call,
        one(skill(
            3,
            "gc-finder",
            "Finds the general contractor.",
            "official",
            "published",
            "workspace",
            true,
            "2026-06-18",
        )),
        one(skill(
            4,
            "lender-watch",
            "Loans by lender.",
            "custom",
            "unpublished",
            "workspace",
            false,
            "2026-04-11",
        )),
    ]
}

impl FakeService {
    pub fn list_skills(&self, filter: &SkillFilter) -> Vec<Skill> {
        let among = |wanted: &[String], value: Option<&str>| {
            wanted.is_empty() || value.is_some_and(|value| wanted.iter().any(|w| w == value))
        };
        let kept = self.skills.iter().map(|kept| kept.skill.clone());
        kept.filter(|skill| {
            among(
                &filter.lifecycle,
                skill.lifecycle.as_ref().map(|word| word.as_str()),
            ) && among(
                &filter.source,
                skill.source.as_ref().map(|word| word.as_str()),
            ) && skill.title().contains(&filter.q)
        })
        .collect()
    }

    pub fn find_skills(&self, words: &str) -> Vec<Skill> {
        self.list_skills(&SkillFilter {
            q: words.to_owned(),
            ..SkillFilter::default()
        })
    }

    pub fn get_skill(&self, id: &SkillId) -> Option<(Skill, Vec<SkillRevision>)> {
        let kept = self.skills.iter().find(|kept| kept.skill.id == *id)?;
        let newest = kept.revisions.last()?;
        let files = newest.iter().map(|file| SkillFileInfo {
            path: file.path.clone(),
            size: Some(file.content.len() as u64),
        });
        let revision = |n: usize| SkillRevision {
            revision: n as u64,
            created_at: Some("2026-07-02".into()),
            created_by: None,
        };
        Some((
            Skill {
                files: files.collect(),
                ..kept.skill.clone()
            },
            (1..=kept.revisions.len()).rev().map(revision).collect(),
        ))
    }

    pub fn skill_text(&self, wanted: &[SkillFileRef]) -> Vec<(SkillFileRef, SkillFile)> {
        let text = |wanted: &SkillFileRef| {
            let kept = self
                .skills
                .iter()
                .find(|kept| kept.skill.id == wanted.skill)?;
            let files = kept
                .revisions
                .get(usize::try_from(wanted.revision).ok()?.checked_sub(1)?)?;
            files.iter().find(|file| file.path == wanted.path).cloned()
        };
        wanted
            .iter()
            .filter_map(|wanted| Some((wanted.clone(), text(wanted)?)))
            .collect()
    }

    /// Applies calls; each is recorded with its key.
    pub fn apply_skill_edits(&mut self, orders: &[SkillCall]) -> Vec<BatchItemResult> {
        orders
            .iter()
            .enumerate()
            .map(|(index, order)| self.apply_skill_edit(index, order))
            .collect()
    }

    fn apply_skill_edit(&mut self, index: usize, order: &SkillCall) -> BatchItemResult {
        self.orders.push(order.clone());
        let refused = |message: &str| {
            let error = BatchItemError {
                code: "forbidden".to_owned(),
                message: message.to_owned(),
            };
            BatchItemResult {
                index,
                status: "error".to_owned(),
                error: Some(error),
                ..BatchItemResult::ok()
            }
        };
        let is_stubborn = |id: &SkillId| {
            self.rejecting_records
                .iter()
                .any(|stubborn| SkillId::from(*stubborn) == *id)
        };
        if order.skill.as_ref().is_some_and(is_stubborn)
            || self.rejecting_records.contains(&Uuid::nil())
        {
            return refused("only its owner may do that");
        }
        let files = || serde_json::from_value::<Vec<SkillFile>>(order.body["files"].clone()).ok();
        let word = |name: &str| {
            order
                .body
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let at = self
            .skills
            .iter()
            .position(|kept| Some(&kept.skill.id) == order.skill.as_ref());
        if let (SkillAction::Create | SkillAction::Fork, made) =
            (order.change, self.skills.len() + 1)
        {
            let origin = at.map(|at| self.skills[at].clone());
            let name = word("name")
                .or(origin.as_ref().and_then(|kept| kept.skill.name.clone()))
                .unwrap_or_default();
            let skill = json!({"id": skill_id(made), "slug": name.to_lowercase().replace(' ', "-"), "name": name, "source": "custom", "lifecycle": "draft",
                "audience": word("audience").unwrap_or("personal".into()), "description": word("description"), "revision": 1, "updated_at": "2026-07-09"});
            let revisions = vec![
                files()
                    .or(origin.and_then(|kept| kept.revisions.last().cloned()))
                    .unwrap_or_default(),
            ];
            self.skills.insert(
                0,
                FakeSkill {
                    skill: serde_json::from_value(skill).expect("a Skill"),
                    revisions,
                },
            );
            return BatchItemResult {
                index,
                ..BatchItemResult::ok()
            };
        }
        let Some(at) = at else {
            return refused("no such Skill");
        };
        let FakeSkill { skill, revisions } = &mut self.skills[at];
        match order.change {
            SkillAction::Publish => skill.lifecycle = Some(SkillLifecycle::Published),
            SkillAction::Unpublish => skill.lifecycle = Some(SkillLifecycle::Unpublished),
            SkillAction::Install | SkillAction::Uninstall
                if skill.source != Some(SkillSource::Official) =>
            {
                return refused("official ones only");
            }
            SkillAction::Install => skill.installed = Some(true),
            SkillAction::Uninstall => skill.installed = Some(false),
            SkillAction::Move => {
                skill.audience = word("audience").map(|word| SkillAudience::from(word.as_str()))
            }
            SkillAction::Transfer => {
                skill.created_by = word("user_id").and_then(|id| Person::from_text(&id))
            }
            SkillAction::Update => {
                skill.name = word("name").or(skill.name.take());
                skill.description = word("description").or(skill.description.take());
                revisions.push(files().or(revisions.last().cloned()).unwrap_or_default());
                skill.revision = Some(revisions.len() as u64);
            }
            _ => drop(self.skills.remove(at)),
        }
        BatchItemResult {
            index,
            ..BatchItemResult::ok()
        }
    }
}
