//! The rows between projects and their accounts or contacts.

use std::collections::BTreeSet;

use super::row_set::RowSet;

/// Pairs of a project and a related record, those of a project next to each other, and those of a
/// pair as well.
#[derive(Clone, Default)]
pub struct LinkTable {
    pub projects: Vec<u32>,
    pub related: Vec<u32>,
    /// The number of each pair's role.
    roles: Vec<u16>,
    role_names: Vec<String>,
}

impl LinkTable {
    pub fn push(&mut self, project: u32, related: u32, role: &str) {
        let number = self
            .role_names
            .iter()
            .position(|name| name == role)
            .unwrap_or_else(|| {
                self.role_names.push(role.to_owned());
                self.role_names.len() - 1
            });
        self.projects.push(project);
        self.related.push(related);
        self.roles.push(number as u16);
    }

    pub fn count_links(&self) -> usize {
        self.projects.len()
    }

    /// The pairs, by their number, whose role passes a test.
    pub fn links_with_role(&self, test: impl Fn(&str) -> bool) -> RowSet {
        let passes: Vec<bool> = self.role_names.iter().map(|name| test(name)).collect();
        RowSet::from_test(self.roles.len(), |nth| passes[self.roles[nth] as usize])
    }

    /// Removes the pairs of these projects.
    pub fn remove_projects(&mut self, projects: &BTreeSet<u32>) {
        let stays: Vec<bool> = self
            .projects
            .iter()
            .map(|project| !projects.contains(project))
            .collect();
        fn retain<T>(values: &mut Vec<T>, stays: &[bool]) {
            let mut stays = stays.iter();
            values.retain(|_| *stays.next().unwrap_or(&true));
        }
        retain(&mut self.projects, &stays);
        retain(&mut self.related, &stays);
        retain(&mut self.roles, &stays);
    }
}
