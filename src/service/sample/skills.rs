//! The Skills of the sample world: the official ones and those written by a team. What they are and
//! their texts are in `assets/skills`. Never here: SQL.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::word_lists::parse_embedded;
use crate::domain::WorkspaceId;
use crate::domain::ids::LocalSkillId;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};
use crate::domain::workspace::Plan;
use crate::service::db::seed_workspace::SeedWorkspace;
use crate::service::db::skills::SkillRow;
use crate::service::db::{Conn, DbError, skills};

/// A file of `assets/skills`, embedded at build time.
macro_rules! file {
    ($path:literal) => {
        (
            $path,
            include_str!(concat!("../../../assets/skills/", $path)),
        )
    };
}

/// The files of all Skills, `SKILL.md` first.
const FILES: &[(&str, &str)] = &[
    file!("permit-brief/SKILL.md"),
    file!("permit-brief/example.md"),
    file!("gc-finder/SKILL.md"),
    file!("territory-week/SKILL.md"),
    file!("call-sheet/SKILL.md"),
    file!("call-sheet/columns.csv"),
    file!("permit-call-script/SKILL.md"),
    file!("permit-call-script/open.md"),
    file!("lender-watch/SKILL.md"),
    file!("submittal-letter/SKILL.md"),
    file!("monday-numbers/SKILL.md"),
];

#[derive(Deserialize)]
struct SampleSkills {
    official: Vec<SampleSkill>,
    team: Vec<SampleSkill>,
}

/// A Skill of the sample world, as skills.toml explains.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleSkill {
    slug: String,
    name: String,
    description: String,
    #[serde(default = "published")]
    lifecycle: SkillLifecycle,
    #[serde(default = "of_workspace")]
    audience: SkillAudience,
    #[serde(default)]
    author: usize,
    #[serde(default = "one")]
    revisions: i64,
    days: i64,
}

fn published() -> SkillLifecycle {
    SkillLifecycle::Published
}

fn of_workspace() -> SkillAudience {
    SkillAudience::Workspace
}

fn one() -> i64 {
    1
}

fn sample_skills() -> &'static SampleSkills {
    static SKILLS: LazyLock<SampleSkills> =
        LazyLock::new(|| parse_embedded(include_str!("../../../assets/skills/skills.toml")));
    &SKILLS
}

impl SampleSkill {
    /// Its row in a workspace, as of its first revision.
    fn row(
        &self,
        workspace: WorkspaceId,
        source: SkillSource,
        owner: String,
        since: DateTime<Utc>,
    ) -> SkillRow {
        SkillRow {
            id: LocalSkillId(Uuid::new_v5(&workspace.0, self.slug.as_bytes())),
            slug: self.slug.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            source,
            lifecycle: self.lifecycle.clone(),
            audience: self.audience.clone(),
            installed: false,
            revision: 1,
            created_by: owner.clone(),
            created_at: since,
            updated_at: since,
            published_at: (self.lifecycle != SkillLifecycle::Draft).then_some(since),
            owner,
        }
    }

    /// Its files in a revision: earlier ones had fewer lines.
    fn files(&self, revision: i64) -> Vec<SkillFile> {
        let named = FILES
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(&self.slug)?, text)));
        named
            .map(|(path, text)| {
                let lines = text.lines().count() as i64 * revision / self.revisions;
                let kept = text.lines().take(lines.max(1) as usize);
                let text: String = kept.map(|line| format!("{line}\n")).collect();
                SkillFile::of_text(path.trim_start_matches('/'), text)
            })
            .collect()
    }
}

/// Gives a workspace the official Skills, with the first `installed` of them installed.
pub fn install_official_skills(
    conn: &Conn,
    workspace: WorkspaceId,
    installed: usize,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    for (nth, text) in sample_skills().official.iter().enumerate() {
        let since = now - Duration::days(text.days) - Duration::minutes(17 * nth as i64);
        let owner = "official".to_owned();
        let skill = SkillRow {
            installed: nth < installed,
            ..text.row(workspace, SkillSource::Official, owner, since)
        };
        skills::create(conn, workspace, &skill, &text.files(1))?;
        skills::update(conn, workspace, &skill)?;
    }
    Ok(())
}

/// Gives a workspace of the sample world its Skills: teams on a paid plan have some of their own.
pub fn install_team_skills(
    conn: &Conn,
    tenant: &SeedWorkspace,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    if tenant.plan != Plan::Pro {
        return install_official_skills(conn, tenant.id, 0, now);
    }
    install_official_skills(conn, tenant.id, 2, now)?;
    for text in &sample_skills().team {
        let author = &tenant.members[text.author.min(tenant.members.len() - 1)];
        let by = author.id.to_string();
        let since = (now - Duration::days(text.days)).max(tenant.created_at);
        let changed = now - (now - since) / 3;
        let mut skill = text.row(tenant.id, SkillSource::Custom, by.clone(), since);
        skills::create(conn, tenant.id, &skill, &text.files(1))?;
        for nth in 2..=text.revisions {
            let steps = (text.revisions - 1) as i32;
            skill.revision = nth;
            skill.updated_at = since + (changed - since) * (nth - 1) as i32 / steps;
            skills::add_revision(conn, tenant.id, &skill, &text.files(nth), &by)?;
        }
        skills::update(conn, tenant.id, &skill)?;
    }
    Ok(())
}
