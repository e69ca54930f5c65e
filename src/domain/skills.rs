//! Skills: portable instruction bundles (interface: Workspace: Skills).

use super::open_enum::open_enum;

open_enum! {
    /// Where a Skill comes from.
    Source {
        /// Written in the workspace.
        Custom = "custom",
        /// Comes with the service; it is installed and forked, never changed.
        Official = "official",
    }
}

open_enum! {
    /// Where a Skill stands: draft, then published and unpublished in turn; deleted at any time, for good.
    Lifecycle {
        /// Being written.
        Draft = "draft",
        /// In use.
        Published = "published",
        /// Out of use.
        Unpublished = "unpublished",
        /// Gone; never offered as a filter.
        Deleted = "deleted",
    }
}

open_enum! {
    /// Who sees a Skill.
    Audience {
        /// Its owner.
        Personal = "personal",
        /// Every member.
        Workspace = "workspace",
    }
}
