//! The Skills of the sample world: the official ones and those written by a team. What they are and
//! their texts are in `assets/skills`. Never here: SQL.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use uuid::Uuid;

use crate::domain::WorkspaceId;
use crate::domain::ids::LocalSkillId;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};
use crate::domain::workspace::Plan;
use crate::service::db::members::MemberRow;
use crate::service::db::skills::SkillRow;
use crate::service::db::sql::Result;
use crate::service::db::workspaces::WorkspaceRow;
use crate::service::db::{Conn, skills};
use crate::service::embedded_data::parse_table;

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

/// A Skill, as skills.toml explains.
#[derive(Deserialize)]
struct SampleSkill {
    slug: String,
    name: String,
    description: String,
    lifecycle: SkillLifecycle,
    audience: SkillAudience,
    #[serde(default)]
    author: usize,
    revisions: i64,
    days: i64,
}

fn sample_skills() -> &'static SampleSkills {
    static SKILLS: LazyLock<SampleSkills> =
        LazyLock::new(|| parse_table(include_str!("../../../assets/skills/skills.toml")));
    &SKILLS
}

impl SampleSkill {
    /// Gives it to a workspace, with all of its revisions.
    fn install(
        &self,
        conn: &Conn,
        workspace: WorkspaceId,
        source: SkillSource,
        owner: &str,
        installed: bool,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let since = now - Duration::days(self.days);
        let mut skill = SkillRow {
            id: LocalSkillId(Uuid::new_v5(&workspace.0, self.slug.as_bytes())),
            slug: self.slug.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            source,
            lifecycle: self.lifecycle.clone(),
            audience: self.audience.clone(),
            installed,
            revision: 1,
            created_by: owner.to_owned(),
            created_at: since,
            updated_at: since,
            published_at: (self.lifecycle != SkillLifecycle::Draft).then_some(since),
            owner: owner.to_owned(),
        };
        skills::create(conn, workspace, &skill, &self.files(1))?;
        for nth in 2..=self.revisions {
            skill.revision = nth;
            skill.updated_at = since + (now - since) * (nth - 1) as i32 / self.revisions as i32;
            skills::add_revision(conn, workspace, &skill, &self.files(nth), owner)?;
        }
        skills::update(conn, workspace, &skill)
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
) -> Result<()> {
    for (nth, skill) in sample_skills().official.iter().enumerate() {
        let is_installed = nth < installed;
        skill.install(
            conn,
            workspace,
            SkillSource::Official,
            "official",
            is_installed,
            now,
        )?;
    }
    Ok(())
}

/// Gives a workspace of the sample world its Skills: teams on a paid plan have some of their own.
pub fn install_team_skills(
    conn: &Conn,
    workspace: &WorkspaceRow,
    members: &[MemberRow],
    now: DateTime<Utc>,
) -> Result<()> {
    if workspace.plan != Plan::Pro {
        return install_official_skills(conn, workspace.id, 0, now);
    }
    install_official_skills(conn, workspace.id, 2, now)?;
    for skill in &sample_skills().team {
        let owner = members[skill.author].id.to_string();
        skill.install(conn, workspace.id, SkillSource::Custom, &owner, false, now)?;
    }
    Ok(())
}
