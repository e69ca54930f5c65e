//! Signal subscriptions: which signals the queue contains, who is notified, and how changes become
//! calls (interface: Signal subscription; Workspace: signal subscriptions).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::UserId;
use super::lenient::{self, DateOrDateTime};
use super::queue::{Priority, QueueSignal};
use super::signals::SignalType;

/// Maximum number of types in one bulk call (Limits: bulk subscriptions).
pub const MAX_BULK_SUBSCRIPTIONS: usize = 14;
/// Maximum number of recipients of a subscription (Limits: explicit recipients).
pub const MAX_RECIPIENTS: usize = 100;
/// The only channel that is delivered.
pub const EMAIL_CHANNEL: &str = "email";
/// Days that a new subscription looks back (Limits: new-subscription lookback).
pub const SUBSCRIPTION_LOOKBACK_DAYS: u32 = 14;

/// A workspace's subscription to a type of signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    pub signal_type: SignalType,
    /// The priority of its signals.
    #[serde(default, deserialize_with = "lenient::option")]
    pub priority: Option<Priority>,
    /// How people are notified; only `email` is delivered.
    #[serde(default, deserialize_with = "lenient::list")]
    pub channels: Vec<String>,
    /// Notify every member and ignore `recipient_user_ids`.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub notify_all_members: bool,
    /// The recipients otherwise.
    #[serde(default, deserialize_with = "lenient::list")]
    pub recipient_user_ids: Vec<UserId>,
    /// Untriaged signals of the type in the queue.
    #[serde(default, deserialize_with = "lenient::some_count")]
    pub new_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<DateOrDateTime>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub updated_at: Option<DateOrDateTime>,
}

impl Subscription {
    /// A subscription with the service's defaults.
    pub fn with_defaults(signal_type: SignalType) -> Subscription {
        Subscription {
            signal_type,
            priority: Some(Priority::Medium),
            channels: Vec::new(),
            notify_all_members: false,
            recipient_user_ids: Vec::new(),
            new_count: None,
            created_at: None,
            updated_at: None,
        }
    }

    /// Whether mail is sent.
    pub fn has_email(&self) -> bool {
        self.channels.iter().any(|channel| channel == EMAIL_CHANNEL)
    }

    /// The channels with mail on or off; those that this program does not know stay.
    pub fn channels_with_email(&self, on: bool) -> Vec<String> {
        let mut channels = self.channels.clone();
        channels.retain(|channel| on || channel != EMAIL_CHANNEL);
        if on && !self.has_email() {
            channels.insert(0, EMAIL_CHANNEL.to_owned());
        }
        channels
    }

    /// Whether both have the same settings, ignoring counts and dates.
    pub fn has_same_settings(&self, other: &Subscription) -> bool {
        let said = |it: &Subscription| {
            let people: BTreeSet<UserId> = it.recipient_user_ids.iter().copied().collect();
            (
                it.priority.clone(),
                it.channels.clone(),
                it.notify_all_members,
                people,
            )
        };
        said(self) == said(other)
    }
}

/// What a PUT changes; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// How people are notified; `email`, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
    /// Notify every member, including future ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify_all_members: Option<bool>,
    /// Notify these, at most [`MAX_RECIPIENTS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient_user_ids: Option<Vec<UserId>>,
}

impl SubscriptionChange {
    /// Only the priority changes: a bulk call can do it.
    fn is_priority_only(&self) -> bool {
        self.channels.is_none()
            && self.notify_all_members.is_none()
            && self.recipient_user_ids.is_none()
    }
}

/// A staged change of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StagedChange {
    /// Subscribe, or change the subscription.
    Set(SubscriptionChange),
    Unsubscribe,
}

impl StagedChange {
    /// The part that is not in effect yet; `None` if everything is.
    pub fn remaining_change(&self, now: Option<&Subscription>) -> Option<StagedChange> {
        let change = match (self, now) {
            (StagedChange::Unsubscribe, now) => return now.map(|_| StagedChange::Unsubscribe),
            (StagedChange::Set(change), _) => change,
        };
        let nothing = Subscription::with_defaults(SignalType::Other("".into()));
        let is = now.unwrap_or(&nothing);
        let people = |ids: &[UserId]| ids.iter().copied().collect::<BTreeSet<_>>();
        let left = SubscriptionChange {
            // A new subscription always sends a chosen priority, even the default one.
            priority: change
                .priority
                .clone()
                .filter(|wanted| now.is_none_or(|now| now.priority.as_ref() != Some(wanted))),
            channels: change
                .channels
                .clone()
                .filter(|wanted| *wanted != is.channels),
            notify_all_members: change
                .notify_all_members
                .filter(|wanted| *wanted != is.notify_all_members),
            recipient_user_ids: change
                .recipient_user_ids
                .clone()
                .filter(|wanted| people(wanted) != people(&is.recipient_user_ids)),
        };
        (now.is_none() || left != SubscriptionChange::default()).then_some(StagedChange::Set(left))
    }

    /// The subscription after the change; `None` if it ends.
    pub fn resulting_subscription(
        &self,
        signal_type: &SignalType,
        now: Option<&Subscription>,
    ) -> Option<Subscription> {
        let StagedChange::Set(change) = self else {
            return None;
        };
        let mut after = now
            .cloned()
            .unwrap_or_else(|| Subscription::with_defaults(signal_type.clone()));
        after.priority = change.priority.clone().or(after.priority);
        after.channels = change.channels.clone().unwrap_or(after.channels);
        after.notify_all_members = change
            .notify_all_members
            .unwrap_or(after.notify_all_members);
        after.recipient_user_ids = change
            .recipient_user_ids
            .clone()
            .unwrap_or(after.recipient_user_ids);
        Some(after)
    }

    /// The change that undoes this one, given the state before. An unsubscribe cannot be undone,
    /// because the queue would start over.
    pub fn inverse(&self, now: Option<&Subscription>) -> Option<StagedChange> {
        let StagedChange::Set(change) = self else {
            return None;
        };
        let Some(now) = now else {
            return Some(StagedChange::Unsubscribe);
        };
        Some(StagedChange::Set(SubscriptionChange {
            priority: change.priority.as_ref().and(now.priority.clone()),
            channels: change.channels.as_ref().map(|_| now.channels.clone()),
            notify_all_members: change.notify_all_members.map(|_| now.notify_all_members),
            recipient_user_ids: change
                .recipient_user_ids
                .as_ref()
                .map(|_| now.recipient_user_ids.clone()),
        }))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionCall {
    /// `POST /signal-subscriptions/bulk`: all or nothing, each type with its priority. It
    /// overwrites the priority of existing subscriptions, so one is always sent.
    Bulk(Vec<(SignalType, Priority)>),
    /// `PUT /signal-subscriptions/{signal_type}`.
    Put(SignalType, SubscriptionChange),
    /// `DELETE /signal-subscriptions/{signal_type}`.
    Delete(SignalType),
}

impl SubscriptionCall {
    pub fn signal_types(&self) -> Vec<&SignalType> {
        match self {
            SubscriptionCall::Bulk(types) => types.iter().map(|(kind, _)| kind).collect(),
            SubscriptionCall::Put(kind, _) | SubscriptionCall::Delete(kind) => vec![kind],
        }
    }
}

/// The fewest calls that apply the staged changes: bulk calls where only priorities change, a PUT
/// for each type whose mail or recipients change, a DELETE for each that ends. What cannot be
/// undone comes last; what is already in effect is left out, unless `now` is unknown.
pub fn plan_calls(
    now: Option<&[Subscription]>,
    staged: &BTreeMap<SignalType, StagedChange>,
) -> Vec<SubscriptionCall> {
    let (mut bulk, mut puts, mut deletes) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, staged) in staged {
        let remaining = match now {
            Some(now) => staged.remaining_change(now.iter().find(|it| it.signal_type == *kind)),
            None => Some(staged.clone()),
        };
        match remaining {
            Some(StagedChange::Set(change)) if change.is_priority_only() => {
                bulk.push((kind.clone(), change.priority.unwrap_or(Priority::Medium)));
            }
            Some(StagedChange::Set(change)) => {
                puts.push(SubscriptionCall::Put(kind.clone(), change))
            }
            Some(StagedChange::Unsubscribe) => deletes.push(SubscriptionCall::Delete(kind.clone())),
            None => {}
        }
    }
    let bulk = bulk
        .chunks(MAX_BULK_SUBSCRIPTIONS)
        .map(|part| SubscriptionCall::Bulk(part.to_vec()));
    bulk.chain(puts).chain(deletes).collect()
}

/// A row of the queue and its new rank.
#[derive(Clone, Debug, PartialEq)]
pub struct RankChange<'a> {
    /// Its current rank, from 0.
    pub old_rank: usize,
    pub row: &'a QueueSignal,
    /// Its priority after the change.
    pub priority: Option<Priority>,
}

/// The new rows of the queue in their future order: without the types that end, by priority, newest
/// filing first. Signals of newly subscribed types are not included, because they are unknown.
pub fn preview_order<'a>(
    rows: &[&'a QueueSignal],
    staged: &BTreeMap<SignalType, StagedChange>,
) -> Vec<RankChange<'a>> {
    let of = |row: &QueueSignal| {
        row.signal
            .signal_type
            .as_ref()
            .and_then(|kind| staged.get(kind))
    };
    let mut moved: Vec<RankChange<'a>> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| of(row) != Some(&StagedChange::Unsubscribe))
        .map(|(from, row)| {
            let wanted = match of(row) {
                Some(StagedChange::Set(change)) => change.priority.clone(),
                _ => None,
            };
            RankChange {
                old_rank: from,
                row,
                priority: wanted.or_else(|| row.priority.clone()),
            }
        })
        .collect();
    let filed = |row: &QueueSignal| {
        std::cmp::Reverse(
            row.signal
                .filed_at
                .as_ref()
                .and_then(DateOrDateTime::date_time),
        )
    };
    moved.sort_by_key(|moved| {
        (
            moved.priority.is_none(),
            moved.priority.clone(),
            filed(moved.row),
        )
    });
    moved
}

/// Maximum number of types that a warning lists.
const MAX_TYPES_LISTED: usize = 6;

/// A problem with subscriptions that people may not be aware of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionWarning {
    /// Mail goes to this many people who are no longer members and get none.
    RecipientsLeft(SignalType, usize),
    /// Mail is on but has no recipients.
    NoRecipients(SignalType),
    HighPriorityWithoutEmail(SignalType),
    /// These types are not in the queue.
    NotSubscribed(Vec<SignalType>),
}

impl fmt::Display for SubscriptionWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |kind: &SignalType| kind.as_str().replace('_', " ");
        match self {
            SubscriptionWarning::RecipientsLeft(kind, 1) => {
                write!(f, "{}: 1 mail recipient has left", name(kind))
            }
            SubscriptionWarning::RecipientsLeft(kind, gone) => {
                write!(f, "{}: {gone} mail recipients have left", name(kind))
            }
            SubscriptionWarning::NoRecipients(kind) => {
                write!(f, "{}: mail is on, but nobody gets it", name(kind))
            }
            SubscriptionWarning::HighPriorityWithoutEmail(kind) => {
                write!(f, "{}: high, but no mail", name(kind))
            }
            SubscriptionWarning::NotSubscribed(kinds) => {
                let (told, more) = kinds.split_at(kinds.len().min(MAX_TYPES_LISTED));
                write!(
                    f,
                    "not subscribed: {}",
                    told.iter().map(name).collect::<Vec<_>>().join(", ")
                )?;
                if more.is_empty() {
                    Ok(())
                } else {
                    write!(f, ", {} more", more.len())
                }
            }
        }
    }
}

/// Checks subscriptions; `members` is `None` if unknown.
pub fn find_warnings(
    list: &[Subscription],
    members: Option<&BTreeSet<UserId>>,
) -> Vec<SubscriptionWarning> {
    let mut findings = Vec::new();
    for it in list
        .iter()
        .filter(|it| it.has_email() && !it.notify_all_members)
    {
        let gone = |members: &BTreeSet<UserId>| {
            it.recipient_user_ids
                .iter()
                .filter(|id| !members.contains(id))
                .count()
        };
        match members.map_or(0, gone) {
            gone if gone == it.recipient_user_ids.len() => {
                findings.push(SubscriptionWarning::NoRecipients(it.signal_type.clone()))
            }
            0 => {}
            gone => findings.push(SubscriptionWarning::RecipientsLeft(
                it.signal_type.clone(),
                gone,
            )),
        }
    }
    let high = |it: &&Subscription| it.priority == Some(Priority::High) && !it.has_email();
    findings.extend(
        list.iter()
            .filter(high)
            .map(|it| SubscriptionWarning::HighPriorityWithoutEmail(it.signal_type.clone())),
    );
    let missing: Vec<SignalType> = SignalType::ALL
        .iter()
        .filter(|kind| !list.iter().any(|it| it.signal_type == **kind))
        .cloned()
        .collect();
    findings.extend((!missing.is_empty()).then_some(SubscriptionWarning::NotSubscribed(missing)));
    findings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    type StagedPlan = BTreeMap<SignalType, StagedChange>;

    fn test_user(n: u8) -> UserId {
        UserId(Uuid::from_u128(n.into()))
    }

    fn any_recipients() -> impl Strategy<Value = Vec<UserId>> {
        proptest::collection::btree_set(0u8..4, 0..3)
            .prop_map(|ids| ids.into_iter().map(test_user).collect())
    }

    fn any_channels() -> impl Strategy<Value = Vec<String>> {
        prop_oneof![Just(vec![]), Just(vec![EMAIL_CHANNEL.to_owned()])]
    }

    fn any_priority() -> impl Strategy<Value = Priority> {
        (0..3usize).prop_map(|n| Priority::ALL[n].clone())
    }

    /// Subscriptions of a service: any of the seventeen types, in any state.
    fn any_subscriptions() -> impl Strategy<Value = Vec<Subscription>> {
        let one = proptest::option::of((
            any_priority(),
            any_channels(),
            any::<bool>(),
            any_recipients(),
        ));
        proptest::collection::vec(one, SignalType::ALL.len()).prop_map(|all| {
            let made = all
                .into_iter()
                .zip(SignalType::ALL)
                .filter_map(|(it, kind)| Some((it?, kind)));
            made.map(
                |((priority, channels, notify_all_members, recipient_user_ids), kind)| {
                    Subscription {
                        priority: Some(priority),
                        channels,
                        notify_all_members,
                        recipient_user_ids,
                        ..Subscription::with_defaults(kind.clone())
                    }
                },
            )
            .collect()
        })
    }

    fn any_staged_change() -> impl Strategy<Value = StagedChange> {
        let set = (
            proptest::option::of(any_priority()),
            proptest::option::of(any_channels()),
            proptest::option::of(any::<bool>()),
            proptest::option::of(any_recipients()),
        );
        let change = |(priority, channels, notify_all_members, recipient_user_ids)| {
            StagedChange::Set(SubscriptionChange {
                priority,
                channels,
                notify_all_members,
                recipient_user_ids,
            })
        };
        prop_oneof![4 => set.prop_map(change), 3 => any_priority().prop_map(|p| set_priority(Some(p))), 1 => Just(StagedChange::Unsubscribe)]
    }

    fn set_priority(priority: Option<Priority>) -> StagedChange {
        StagedChange::Set(SubscriptionChange {
            priority,
            ..SubscriptionChange::default()
        })
    }

    fn any_plan() -> impl Strategy<Value = StagedPlan> {
        proptest::collection::vec(
            proptest::option::of(any_staged_change()),
            SignalType::ALL.len(),
        )
        .prop_map(|all| {
            all.into_iter()
                .zip(SignalType::ALL)
                .filter_map(|(it, kind)| Some((kind.clone(), it?)))
                .collect()
        })
    }

    /// Applies a call as the interface describes it.
    fn apply_call(list: &mut Vec<Subscription>, order: &SubscriptionCall) {
        let mut put = |kind: &SignalType, change: &SubscriptionChange| {
            let at = list.iter().position(|it| it.signal_type == *kind);
            let now = at.map(|at| list.remove(at));
            list.extend(
                StagedChange::Set(change.clone()).resulting_subscription(kind, now.as_ref()),
            );
        };
        match order {
            SubscriptionCall::Bulk(types) => types.iter().for_each(|(kind, priority)| {
                put(
                    kind,
                    &SubscriptionChange {
                        priority: Some(priority.clone()),
                        ..SubscriptionChange::default()
                    },
                )
            }),
            SubscriptionCall::Put(kind, change) => put(kind, change),
            SubscriptionCall::Delete(kind) => list.retain(|it| it.signal_type != *kind),
        }
    }

    fn apply_calls(
        list: &[Subscription],
        orders: &[SubscriptionCall],
    ) -> BTreeMap<SignalType, Subscription> {
        let mut list = list.to_vec();
        orders.iter().for_each(|order| apply_call(&mut list, order));
        list.into_iter()
            .map(|it| (it.signal_type.clone(), it))
            .collect()
    }

    fn find_subscription<'a>(
        list: &'a [Subscription],
        kind: &SignalType,
    ) -> Option<&'a Subscription> {
        list.iter().find(|it| it.signal_type == *kind)
    }

    proptest! {
        #[test]
        fn planned_calls_apply_the_staged_changes_and_nothing_else(list in any_subscriptions(), plan in any_plan()) {
            let made = apply_calls(&list, &plan_calls(Some(&list), &plan));
            for kind in SignalType::ALL {
                let wanted = match plan.get(kind) {
                    Some(staged) => staged.resulting_subscription(kind, find_subscription(&list, kind)),
                    None => find_subscription(&list, kind).cloned(),
                };
                prop_assert_eq!(made.contains_key(kind), wanted.is_some(), "{}", kind);
                if let (Some(made), Some(wanted)) = (made.get(kind), wanted) {
                    prop_assert!(made.has_same_settings(&wanted), "{made:?} is not {wanted:?}");
                }
            }
        }

        #[test]
        fn a_plan_uses_the_fewest_calls_and_each_type_once(list in any_subscriptions(), plan in any_plan()) {
            let calls = plan_calls(Some(&list), &plan);
            let (mut alone, mut of_priority) = (0, 0);
            for (kind, staged) in &plan {
                let now = find_subscription(&list, kind);
                let before = now.cloned().unwrap_or_else(|| Subscription::with_defaults(kind.clone()));
                match staged.resulting_subscription(kind, now) {
                    None => alone += usize::from(now.is_some()),
                    Some(after) => {
                        let people = !Subscription { priority: before.priority.clone(), ..after.clone() }.has_same_settings(&before);
                        alone += usize::from(people);
                        of_priority += usize::from(!people && (now.is_none() || after.priority != before.priority));
                    }
                }
            }
            prop_assert_eq!(calls.len(), alone + of_priority.div_ceil(MAX_BULK_SUBSCRIPTIONS));
            let types: Vec<&SignalType> = calls.iter().flat_map(SubscriptionCall::signal_types).collect();
            let once: BTreeSet<&SignalType> = types.iter().copied().collect();
            prop_assert_eq!(types.len(), once.len());
            for call in &calls {
                prop_assert!((1..=MAX_BULK_SUBSCRIPTIONS).contains(&call.signal_types().len()));
            }
        }

        #[test]
        fn untouched_fields_keep_a_colleagues_changes(list in any_subscriptions(), other in any_subscriptions(), plan in any_plan()) {
            let calls = plan_calls(Some(&list), &plan);
            let made = apply_calls(&other, &calls);
            for theirs in other.iter().filter(|it| find_subscription(&list, &it.signal_type).is_some()) {
                let Some(made) = made.get(&theirs.signal_type) else { continue };
                let change = match plan.get(&theirs.signal_type) {
                    Some(StagedChange::Set(change)) => change.clone(),
                    _ => SubscriptionChange::default(),
                };
                prop_assert!(change.priority.is_some() || made.priority == theirs.priority);
                prop_assert!(change.channels.is_some() || made.channels == theirs.channels);
                prop_assert!(change.notify_all_members.is_some() || made.notify_all_members == theirs.notify_all_members);
                prop_assert!(change.recipient_user_ids.is_some() || made.recipient_user_ids == theirs.recipient_user_ids);
            }
        }

        #[test]
        fn the_inverse_restores_the_original_settings(list in any_subscriptions(), plan in any_plan()) {
            let plan: StagedPlan = plan.into_iter().filter(|(_, staged)| *staged != StagedChange::Unsubscribe).collect();
            let after: Vec<_> = apply_calls(&list, &plan_calls(Some(&list), &plan)).into_values().collect();
            let back: StagedPlan = plan.iter().filter_map(|(kind, it)| Some((kind.clone(), it.inverse(find_subscription(&list, kind))?))).collect();
            let again = apply_calls(&after, &plan_calls(Some(&after), &back));
            prop_assert_eq!(again.len(), list.len());
            for it in &list {
                prop_assert!(again[&it.signal_type].has_same_settings(it));
            }
        }
    }

    #[test]
    fn all_types_take_two_bulk_calls_with_explicit_priorities() {
        let plan: StagedPlan = SignalType::ALL
            .iter()
            .map(|kind| (kind.clone(), set_priority(None)))
            .collect();
        let calls = plan_calls(Some(&[]), &plan);
        let sizes: Vec<usize> = calls.iter().map(|call| call.signal_types().len()).collect();
        assert_eq!(sizes, [14, 3]);
        let medium = |call: &SubscriptionCall| matches!(call, SubscriptionCall::Bulk(types) if types.iter().all(|(_, p)| *p == Priority::Medium));
        assert!(calls.iter().all(medium));
    }

    #[test]
    fn changing_the_channels_leaves_the_priority_out_of_the_call() {
        let now = Subscription {
            priority: Some(Priority::High),
            ..Subscription::with_defaults(SignalType::PermitIssued)
        };
        let change = SubscriptionChange {
            channels: Some(vec![EMAIL_CHANNEL.to_owned()]),
            ..SubscriptionChange::default()
        };
        let plan = BTreeMap::from([(SignalType::PermitIssued, StagedChange::Set(change.clone()))]);
        assert_eq!(
            plan_calls(Some(&[now]), &plan),
            [SubscriptionCall::Put(SignalType::PermitIssued, change)]
        );
    }

    fn queue_row(n: u128, kind: &str, priority: &str, filed: &str) -> QueueSignal {
        let row = json!({ "id": Uuid::from_u128(n), "signal_type": kind, "priority": priority, "filed_at": filed });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn preview_sorts_by_priority_then_filing_and_drops_unsubscribed_types() {
        let rows = [
            queue_row(1, "permit_issued", "high", "2026-07-01"),
            queue_row(2, "permit_filed", "medium", "2026-07-07"),
            queue_row(3, "withdrawal", "medium", "2026-07-05"),
            queue_row(4, "team_update", "low", "2026-07-06"),
        ];
        let rows: Vec<&QueueSignal> = rows.iter().collect();
        let plan = BTreeMap::from([
            (
                SignalType::PermitIssued,
                set_priority(Some(Priority::Medium)),
            ),
            (SignalType::TeamUpdate, set_priority(Some(Priority::High))),
            (SignalType::Withdrawal, StagedChange::Unsubscribe),
        ]);
        let from: Vec<usize> = preview_order(&rows, &plan)
            .iter()
            .map(|moved| moved.old_rank)
            .collect();
        assert_eq!(from, [3, 1, 0]);
        assert_eq!(preview_order(&rows, &StagedPlan::new()).len(), 4);
    }

    #[test]
    fn warnings_name_missing_recipients_and_types() {
        let mail = |kind: SignalType, to: &[u8]| Subscription {
            channels: vec![EMAIL_CHANNEL.to_owned()],
            recipient_user_ids: to.iter().map(|n| test_user(*n)).collect(),
            ..Subscription::with_defaults(kind)
        };
        let silent = Subscription {
            priority: Some(Priority::High),
            ..Subscription::with_defaults(SignalType::PermitFiled)
        };
        let list = [
            mail(SignalType::PermitIssued, &[1, 2]),
            mail(SignalType::Completion, &[]),
            mail(SignalType::Expiration, &[2]),
            silent,
        ];
        let findings = find_warnings(&list, Some(&BTreeSet::from([test_user(1)])));
        assert_eq!(
            findings[..4],
            [
                SubscriptionWarning::RecipientsLeft(SignalType::PermitIssued, 1),
                SubscriptionWarning::NoRecipients(SignalType::Completion),
                SubscriptionWarning::NoRecipients(SignalType::Expiration),
                SubscriptionWarning::HighPriorityWithoutEmail(SignalType::PermitFiled),
            ]
        );
        assert!(
            matches!(&findings[4], SubscriptionWarning::NotSubscribed(types) if types.len() == 13)
        );
        assert_eq!(
            find_warnings(&list[..1], None).len(),
            1,
            "without the members it is unknown who has left"
        );
    }
}
