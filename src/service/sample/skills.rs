//! The Skills of the sample world: the official ones and those written by a team. Their texts are
//! in `assets/skills`. Never here: SQL.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use crate::domain::WorkspaceId;
use crate::domain::ids::LocalSkillId;
use crate::domain::skills::{SkillAudience, SkillFile, SkillLifecycle, SkillSource};
use crate::domain::workspace::Plan;
use crate::service::db::seed_workspace::SeedWorkspace;
use crate::service::db::skills::SkillRow;
use crate::service::db::{Conn, DbError, skills};

/// A file of a bundle, embedded at build time.
macro_rules! file {
    ($skill:literal, $path:literal) => {
        (
            $path,
            include_str!(concat!("../../../assets/skills/", $skill, "/", $path)),
        )
    };
}

type SkillFiles = &'static [(&'static str, &'static str)];

struct SkillText {
    slug: &'static str,
    name: &'static str,
    description: &'static str,
    files: SkillFiles,
}

const OFFICIAL_SKILLS: &[SkillText] = &[
    SkillText {
        slug: "permit-brief",
        name: "Permit brief",
        description: "Half a page about a permit before you call: what, who, where we stand, what to ask.",
        files: &[
            file!("permit-brief", "SKILL.md"),
            file!("permit-brief", "example.md"),
        ],
    },
    SkillText {
        slug: "gc-finder",
        name: "Who will build it?",
        description: "Ranks the likely general contractors for a project without one, by the past projects of its developer and architect.",
        files: &[file!("gc-finder", "SKILL.md")],
    },
    SkillText {
        slug: "territory-week",
        name: "The week in the territory",
        description: "A page for the Monday meeting: numbers, largest filings, movers, quiet projects, open tasks.",
        files: &[file!("territory-week", "SKILL.md")],
    },
    SkillText {
        slug: "call-sheet",
        name: "Call sheet",
        description: "Tomorrow's calls from the queue, at most twelve, in the order to make them.",
        files: &[
            file!("call-sheet", "SKILL.md"),
            file!("call-sheet", "columns.csv"),
        ],
    },
];

/// A team's Skill: its text, lifecycle, audience, owner, number of revisions, and age in days.
type TeamSkill = (SkillText, SkillLifecycle, SkillAudience, usize, i64, i64);

fn team_skills() -> Vec<TeamSkill> {
    use SkillAudience::{Personal, Workspace};
    use SkillLifecycle::{Draft, Published, Unpublished};
    let text = |slug, name, description, files| SkillText {
        slug,
        name,
        description,
        files,
    };
    vec![
        (
            text(
                "permit-call-script",
                "Permit call script",
                "What we say when a permit is issued on a project of the book.",
                &[
                    file!("permit-call-script", "SKILL.md"),
                    file!("permit-call-script", "open.md"),
                ],
            ),
            Published,
            Workspace,
            1,
            4,
            96,
        ),
        (
            text(
                "lender-watch",
                "Lender watch",
                "The construction loans of the week, with the lenders that financed our customers.",
                &[file!("lender-watch", "SKILL.md")],
            ),
            Unpublished,
            Workspace,
            0,
            2,
            210,
        ),
        (
            text(
                "submittal-letter",
                "Submittal cover letter",
                "One page to the architect that goes with the product data.",
                &[file!("submittal-letter", "SKILL.md")],
            ),
            Draft,
            Workspace,
            2,
            1,
            6,
        ),
        (
            text(
                "monday-numbers",
                "Monday numbers",
                "Calls, answers and quotes of last week against the week before.",
                &[file!("monday-numbers", "SKILL.md")],
            ),
            Draft,
            Personal,
            0,
            3,
            19,
        ),
    ]
}

/// Gives a workspace the official Skills, with the first `installed` of them installed.
pub fn install_official_skills(
    conn: &Conn,
    workspace: WorkspaceId,
    installed: usize,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    for (nth, text) in (0..).zip(OFFICIAL_SKILLS) {
        let since =
            now - Duration::days(140 - 31 * nth as i64) - Duration::minutes(17 * nth as i64);
        let official = SkillState {
            source: SkillSource::Official,
            lifecycle: SkillLifecycle::Published,
            audience: SkillAudience::Workspace,
        };
        create_skill(
            conn,
            workspace,
            text,
            &official,
            "official",
            1,
            since,
            since,
            nth < installed,
        )?;
    }
    Ok(())
}

/// Gives a workspace of the sample world its Skills: teams on a paid plan have some of their own.
pub fn install_team_skills(
    conn: &Conn,
    tenant: &SeedWorkspace,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    install_official_skills(
        conn,
        tenant.id,
        if tenant.plan == Plan::Pro { 2 } else { 0 },
        now,
    )?;
    if tenant.plan != Plan::Pro {
        return Ok(());
    }
    for (text, lifecycle, audience, author, revisions, days) in team_skills() {
        let by = &tenant.members[author.min(tenant.members.len() - 1)];
        let since = (now - Duration::days(days)).max(tenant.created_at);
        let changed = now - (now - since) / 3;
        let stand = SkillState {
            source: SkillSource::Custom,
            lifecycle,
            audience,
        };
        create_skill(
            conn,
            tenant.id,
            &text,
            &stand,
            &by.id.to_string(),
            revisions,
            since,
            changed,
            false,
        )?;
    }
    Ok(())
}

struct SkillState {
    source: SkillSource,
    lifecycle: SkillLifecycle,
    audience: SkillAudience,
}

#[expect(
    clippy::too_many_arguments,
    reason = "a row of a table, written in one place"
)]
fn create_skill(
    conn: &Conn,
    workspace: WorkspaceId,
    text: &SkillText,
    stand: &SkillState,
    by: &str,
    revisions: i64,
    since: DateTime<Utc>,
    changed: DateTime<Utc>,
    installed: bool,
) -> Result<(), DbError> {
    let mut skill = SkillRow {
        id: LocalSkillId(Uuid::new_v5(&workspace.0, text.slug.as_bytes())),
        slug: text.slug.to_owned(),
        name: text.name.to_owned(),
        description: text.description.to_owned(),
        source: stand.source.clone(),
        lifecycle: stand.lifecycle.clone(),
        audience: stand.audience.clone(),
        installed,
        revision: 1,
        created_by: by.to_owned(),
        created_at: since,
        updated_at: since,
        published_at: (stand.lifecycle != SkillLifecycle::Draft).then_some(since),
        owner: by.to_owned(),
    };
    let files: Vec<SkillFile> = text
        .files
        .iter()
        .map(|(path, content)| SkillFile::of_text(*path, *content))
        .collect();
    // earlier revisions had fewer lines
    let at = |nth: i64| -> Vec<SkillFile> {
        let lines = |file: &SkillFile| file.content.lines().count() as i64 * nth / revisions;
        let cut = |file: &SkillFile| {
            file.content
                .lines()
                .take(lines(file).max(1) as usize)
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        files
            .iter()
            .map(|file| SkillFile::of_text(file.path.as_str(), cut(file)))
            .collect()
    };
    skills::create(conn, workspace, &skill, &at(1))?;
    for nth in 2..=revisions {
        skill.revision = nth;
        skill.updated_at = since + (changed - since) * (nth - 1) as i32 / (revisions - 1) as i32;
        skills::add_revision(conn, workspace, &skill, &at(nth), by)?;
    }
    skills::update(conn, workspace, &skill)
}
