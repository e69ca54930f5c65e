//! The choice of the order of a search that is being built.

use crate::app::action::Action;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::domain::search::{RecordSource, SortOrder};

/// The choice of the order of a search being built; `note` says what choosing an order costs.
pub fn sort_choice(
    source: &RecordSource,
    current: Option<&SortOrder>,
    price: String,
    note: impl Fn(&SortOrder) -> Option<String>,
    then: impl Fn(SortOrder) -> Action,
) -> Choice {
    let keys = source.sort_keys();
    let default = keys.first().map(|(key, ascending)| (*key, *ascending));
    let options = keys
        .iter()
        .flat_map(|(key, natural)| [(*key, *natural), (*key, !*natural)])
        .map(|(key, ascending)| {
            let sort = SortOrder {
                field: key.to_owned(),
                ascending,
            };
            let chosen = current.map_or(default == Some((key, ascending)), |current| {
                *current == sort
            });
            ChoiceOption {
                label: sort.describe(),
                note: if chosen {
                    "now".to_owned()
                } else {
                    note(&sort).unwrap_or_default()
                },
                action: then(sort),
            }
        });
    Choice::new("Sort", price, options.collect())
}
