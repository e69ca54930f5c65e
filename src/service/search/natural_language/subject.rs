//! What a question is about: the keys of an entity and of its related records.

use crate::service::dataset::Dataset;
use crate::service::search::SearchScope;
use crate::service::search::fields::{self, FilterDialect, FilterKey, FilterKind, SortKey};
use crate::service::search::vocabulary::{FilterEntity, SKILL_ENUMS};

/// What a condition is about: a relation or none, and the key of its records.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Target(pub Option<&'static str>, pub &'static str);

impl Target {
    pub fn is_place(self) -> bool {
        matches!(self, Target(None, "city" | "state"))
    }

    /// Whether values of both are alternatives: "a gc or an architect".
    pub fn is_like(self, other: Target) -> bool {
        self == other || self.0.is_some() && self.0 == other.0
    }
}

#[derive(Default)]
pub(super) struct QuestionSubject {
    /// None for Skills.
    pub dataset: Option<Dataset>,
    pub sort_keys: &'static [SortKey],
    /// The keys of the records, then those of their related records.
    keys: Vec<(Target, &'static FilterKey)>,
}

impl QuestionSubject {
    pub fn new(entity: FilterEntity) -> QuestionSubject {
        let FilterEntity::Records(dataset, dialect) = entity else {
            return QuestionSubject::default();
        };
        let scope = match dialect {
            FilterDialect::Book => SearchScope::Book,
            _ => SearchScope::Data,
        };
        let own = fields::filter_keys(dataset, dialect);
        let related = own.iter().flat_map(|relation| {
            let inner = relation.inner_keys(dialect).into_iter();
            inner.map(|field| (Target(Some(relation.key), field.key), field))
        });
        let keys = own.iter().map(|field| (Target(None, field.key), *field));
        QuestionSubject {
            dataset: Some(dataset),
            sort_keys: fields::sort_keys(dataset, &scope).0,
            keys: keys.chain(related).collect(),
        }
    }

    /// The first key that fits.
    fn find_target(&self, fits: impl Fn(Target, &FilterKind) -> bool) -> Option<Target> {
        let mut keys = self.keys.iter();
        let (target, _) = keys.find(|(target, field)| fits(*target, &field.kind))?;
        Some(*target)
    }

    /// A key of the records or of their related records.
    pub fn find_key(&self, relation: Option<&'static str>, key: &str) -> Option<Target> {
        self.find_target(|target, _| target.0 == relation && target.1 == key)
    }

    /// The relation to records.
    pub fn find_relation(&self, records: &str) -> Option<&'static str> {
        let is_sought = |kind: &FilterKind| match kind {
            FilterKind::Relation(to) => to.related.plural() == records,
            _ => false,
        };
        Some(self.find_target(|_, kind| is_sought(kind))?.1)
    }

    /// The key that has a value, of the records or else of related ones.
    pub fn find_value(&self, value: &str) -> Option<Target> {
        if self.dataset.is_none() {
            let mut keys = SKILL_ENUMS.iter();
            let (key, ..) = keys.find(|(_, values, _)| values.contains(&value))?;
            return Some(Target(None, key));
        }
        self.find_target(|_, kind| match kind {
            FilterKind::Enum(values) => values.to_vec().contains(&value),
            _ => false,
        })
    }

    /// The key of the filters that holds conditions of a relation, or none for the records
    /// themselves. Not every negation has one.
    pub fn find_block(&self, target: Target, is_negated: bool) -> Option<Option<&'static str>> {
        match target.0 {
            None if is_negated && self.dataset.is_none() => None,
            Some(relation) if is_negated => {
                let noun = relation.strip_prefix("has_")?;
                let twin = self.find_key(None, &format!("without_{noun}"))?;
                Some(Some(twin.1))
            }
            relation => Some(relation),
        }
    }
}
