//! Signal subscriptions: what the queue is made of, who is told, and how changes to them become calls (interface: Signal
//! subscription; Workspace: signal subscriptions).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::UserId;
use super::lenient::{self, When};
use super::queue::{Priority, QueueSignal};
use super::signals::SignalType;

/// The most types of one bulk call (Limits: bulk subscriptions).
pub const BULK_MAX: usize = 14;
/// The most recipients of a subscription (Limits: explicit recipients).
pub const RECIPIENTS_MAX: usize = 100;
/// The one channel that is delivered.
pub const EMAIL: &str = "email";
/// Days that a new subscription looks back (Limits: new-subscription lookback).
pub const LOOKBACK_DAYS: u32 = 14;

/// A workspace's subscription to a type of signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// The type.
    pub signal_type: SignalType,
    /// The priority that its signals get.
    #[serde(default, deserialize_with = "lenient::option")]
    pub priority: Option<Priority>,
    /// How people are told; only `email` is deliverable.
    #[serde(default, deserialize_with = "lenient::list")]
    pub channels: Vec<String>,
    /// Every member is told, and `recipient_user_ids` is ignored.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub notify_all_members: bool,
    /// Who is told otherwise.
    #[serde(default, deserialize_with = "lenient::list")]
    pub recipient_user_ids: Vec<UserId>,
    /// Untriaged signals of the type in the queue.
    #[serde(default, deserialize_with = "lenient::some_count")]
    pub new_count: Option<u64>,
    /// When the workspace subscribed.
    #[serde(default, deserialize_with = "lenient::option")]
    pub created_at: Option<When>,
    /// When the subscription last changed.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updated_at: Option<When>,
}

impl Subscription {
    /// A subscription as the service makes it when nothing else is said.
    fn fresh(signal_type: SignalType) -> Subscription {
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

    /// Mails are sent.
    pub fn has_mail(&self) -> bool {
        self.channels.iter().any(|channel| channel == EMAIL)
    }

    /// Both say the same to the service and to people; the counts and the dates aside.
    pub fn says_the_same(&self, other: &Subscription) -> bool {
        let said = |it: &Subscription| {
            let people: BTreeSet<UserId> = it.recipient_user_ids.iter().copied().collect();
            (it.priority.clone(), it.channels.clone(), it.notify_all_members, people)
        };
        said(self) == said(other)
    }
}

/// What a PUT changes; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The priority of the type's signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// How people are told; `email`, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
    /// Tell every member, those of tomorrow too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify_all_members: Option<bool>,
    /// Tell these, at most [`RECIPIENTS_MAX`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient_user_ids: Option<Vec<UserId>>,
}

impl Change {
    /// Nothing but the priority is concerned: a bulk call can do it.
    fn is_of_priority(&self) -> bool {
        self.channels.is_none() && self.notify_all_members.is_none() && self.recipient_user_ids.is_none()
    }
}

/// What is to become of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staged {
    /// Subscribed, with these changes.
    Set(Change),
    /// Not subscribed.
    Unsubscribe,
}

impl Staged {
    /// What of it is not so already; none when everything is.
    pub fn left(&self, now: Option<&Subscription>) -> Option<Staged> {
        let change = match (self, now) {
            (Staged::Unsubscribe, now) => return now.map(|_| Staged::Unsubscribe),
            (Staged::Set(change), _) => change,
        };
        let nothing = Subscription::fresh(SignalType::Other("".into()));
        let is = now.unwrap_or(&nothing);
        let people = |ids: &[UserId]| ids.iter().copied().collect::<BTreeSet<_>>();
        let left = Change {
            // Of a new subscription the priority is said when it was chosen, though it be the usual one.
            priority: change.priority.clone().filter(|wanted| now.is_none_or(|now| now.priority.as_ref() != Some(wanted))),
            channels: change.channels.clone().filter(|wanted| *wanted != is.channels),
            notify_all_members: change.notify_all_members.filter(|wanted| *wanted != is.notify_all_members),
            recipient_user_ids: change
                .recipient_user_ids
                .clone()
                .filter(|wanted| people(wanted) != people(&is.recipient_user_ids)),
        };
        (now.is_none() || left != Change::default()).then_some(Staged::Set(left))
    }

    /// The subscription as it will be; none when it will not.
    pub fn after(&self, signal_type: &SignalType, now: Option<&Subscription>) -> Option<Subscription> {
        let Staged::Set(change) = self else { return None };
        let mut after = now.cloned().unwrap_or_else(|| Subscription::fresh(signal_type.clone()));
        after.priority = change.priority.clone().or(after.priority);
        after.channels = change.channels.clone().unwrap_or(after.channels);
        after.notify_all_members = change.notify_all_members.unwrap_or(after.notify_all_members);
        after.recipient_user_ids = change.recipient_user_ids.clone().unwrap_or(after.recipient_user_ids);
        Some(after)
    }

    /// What takes it back, given how it was; nothing takes an unsubscribing back, as the queue would begin anew.
    pub fn back(&self, now: Option<&Subscription>) -> Option<Staged> {
        let Staged::Set(change) = self else { return None };
        let Some(now) = now else { return Some(Staged::Unsubscribe) };
        Some(Staged::Set(Change {
            priority: change.priority.as_ref().and(now.priority.clone()),
            channels: change.channels.as_ref().map(|_| now.channels.clone()),
            notify_all_members: change.notify_all_members.map(|_| now.notify_all_members),
            recipient_user_ids: change.recipient_user_ids.as_ref().map(|_| now.recipient_user_ids.clone()),
        }))
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// `POST /signal-subscriptions/bulk`: all or none of its types, each with its priority; the priority of one that is subscribed
    /// is written over, so none is ever left to the default.
    Bulk(Vec<(SignalType, Priority)>),
    /// `PUT /signal-subscriptions/{signal_type}`.
    Put(SignalType, Change),
    /// `DELETE /signal-subscriptions/{signal_type}`.
    Delete(SignalType),
}

impl Order {
    /// The types that it is about.
    pub fn types(&self) -> Vec<&SignalType> {
        match self {
            Order::Bulk(types) => types.iter().map(|(kind, _)| kind).collect(),
            Order::Put(kind, _) | Order::Delete(kind) => vec![kind],
        }
    }
}

/// The fewest calls that make the staged so: bulk calls where nothing but priorities is concerned, a PUT for each type whose mail or
/// recipients are, a DELETE for each that is to end; what cannot be undone comes last. What is so already is in none of them.
pub fn orders(now: &[Subscription], staged: &BTreeMap<SignalType, Staged>) -> Vec<Order> {
    let (mut bulk, mut puts, mut deletes) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, staged) in staged {
        match staged.left(now.iter().find(|it| it.signal_type == *kind)) {
            Some(Staged::Set(change)) if change.is_of_priority() => {
                bulk.push((kind.clone(), change.priority.unwrap_or(Priority::Medium)));
            }
            Some(Staged::Set(change)) => puts.push(Order::Put(kind.clone(), change)),
            Some(Staged::Unsubscribe) => deletes.push(Order::Delete(kind.clone())),
            None => {}
        }
    }
    let bulk = bulk.chunks(BULK_MAX).map(|part| Order::Bulk(part.to_vec()));
    bulk.chain(puts).chain(deletes).collect()
}

/// A row of the queue, and where it would stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved<'a> {
    /// Its place now, from 0.
    pub from: usize,
    /// The row.
    pub row: &'a QueueSignal,
    /// Its priority then.
    pub priority: Option<Priority>,
}

/// New rows of the queue in the order that they would have: without the types that end, by priority, the newest filing first.
/// Signals of a type that is new are not among them: nobody knows them yet.
pub fn reordered<'a>(rows: &[&'a QueueSignal], staged: &BTreeMap<SignalType, Staged>) -> Vec<Moved<'a>> {
    let of = |row: &QueueSignal| row.signal.signal_type.as_ref().and_then(|kind| staged.get(kind));
    let mut moved: Vec<Moved<'a>> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| of(row) != Some(&Staged::Unsubscribe))
        .map(|(from, row)| {
            let wanted = match of(row) {
                Some(Staged::Set(change)) => change.priority.clone(),
                _ => None,
            };
            Moved { from, row, priority: wanted.or_else(|| row.priority.clone()) }
        })
        .collect();
    let filed = |row: &QueueSignal| std::cmp::Reverse(row.signal.filed_at.as_ref().and_then(When::at));
    moved.sort_by_key(|moved| (moved.priority.is_none(), moved.priority.clone(), filed(moved.row)));
    moved
}

/// Types that a finding names one by one.
const NAMED: usize = 6;

/// Something about subscriptions that people may not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Mail goes to people of whom this many are no members: they get none.
    Left(SignalType, usize),
    /// Mail is on, and nobody gets it.
    ToNobody(SignalType),
    /// High priority, and no mail.
    HighWithoutMail(SignalType),
    /// These types make no part of the queue.
    NotSubscribed(Vec<SignalType>),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |kind: &SignalType| kind.as_str().replace('_', " ");
        match self {
            Finding::Left(kind, 1) => write!(f, "{}: one who gets its mail has left", name(kind)),
            Finding::Left(kind, gone) => write!(f, "{}: {gone} who get its mail have left", name(kind)),
            Finding::ToNobody(kind) => write!(f, "{}: mail is on, and nobody gets it", name(kind)),
            Finding::HighWithoutMail(kind) => write!(f, "{}: high, and no mail", name(kind)),
            Finding::NotSubscribed(kinds) => {
                let (told, more) = kinds.split_at(kinds.len().min(NAMED));
                write!(f, "not subscribed: {}", told.iter().map(name).collect::<Vec<_>>().join(", "))?;
                if more.is_empty() { Ok(()) } else { write!(f, ", {} more", more.len()) }
            }
        }
    }
}

/// Looks subscriptions over; `members` is none when nobody knows who they are.
pub fn examine(list: &[Subscription], members: Option<&BTreeSet<UserId>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for it in list.iter().filter(|it| it.has_mail() && !it.notify_all_members) {
        let gone = |members: &BTreeSet<UserId>| it.recipient_user_ids.iter().filter(|id| !members.contains(id)).count();
        match members.map_or(0, gone) {
            gone if gone == it.recipient_user_ids.len() => findings.push(Finding::ToNobody(it.signal_type.clone())),
            0 => {}
            gone => findings.push(Finding::Left(it.signal_type.clone(), gone)),
        }
    }
    let high = |it: &&Subscription| it.priority == Some(Priority::High) && !it.has_mail();
    findings.extend(list.iter().filter(high).map(|it| Finding::HighWithoutMail(it.signal_type.clone())));
    let missing: Vec<SignalType> =
        SignalType::ALL.iter().filter(|kind| !list.iter().any(|it| it.signal_type == **kind)).cloned().collect();
    findings.extend((!missing.is_empty()).then_some(Finding::NotSubscribed(missing)));
    findings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    type Plan = BTreeMap<SignalType, Staged>;

    fn user(n: u8) -> UserId {
        UserId(Uuid::from_u128(n.into()))
    }

    fn people() -> impl Strategy<Value = Vec<UserId>> {
        proptest::collection::btree_set(0u8..4, 0..3).prop_map(|ids| ids.into_iter().map(user).collect())
    }

    fn channels() -> impl Strategy<Value = Vec<String>> {
        prop_oneof![Just(vec![]), Just(vec![EMAIL.to_owned()])]
    }

    fn priority() -> impl Strategy<Value = Priority> {
        (0..3usize).prop_map(|n| Priority::ALL[n].clone())
    }

    /// What a service has: any of the seventeen, in any state.
    fn lists() -> impl Strategy<Value = Vec<Subscription>> {
        let one = proptest::option::of((priority(), channels(), any::<bool>(), people()));
        proptest::collection::vec(one, SignalType::ALL.len()).prop_map(|all| {
            let made = all.into_iter().zip(SignalType::ALL).filter_map(|(it, kind)| Some((it?, kind)));
            made.map(|((priority, channels, notify_all_members, recipient_user_ids), kind)| Subscription {
                priority: Some(priority),
                channels,
                notify_all_members,
                recipient_user_ids,
                ..Subscription::fresh(kind.clone())
            })
            .collect()
        })
    }

    fn staged() -> impl Strategy<Value = Staged> {
        let set = (
            proptest::option::of(priority()),
            proptest::option::of(channels()),
            proptest::option::of(any::<bool>()),
            proptest::option::of(people()),
        );
        let change = |(priority, channels, notify_all_members, recipient_user_ids)| {
            Staged::Set(Change { priority, channels, notify_all_members, recipient_user_ids })
        };
        prop_oneof![4 => set.prop_map(change), 3 => priority().prop_map(|p| high(Some(p))), 1 => Just(Staged::Unsubscribe)]
    }

    fn high(priority: Option<Priority>) -> Staged {
        Staged::Set(Change { priority, ..Change::default() })
    }

    fn plans() -> impl Strategy<Value = Plan> {
        proptest::collection::vec(proptest::option::of(staged()), SignalType::ALL.len())
            .prop_map(|all| all.into_iter().zip(SignalType::ALL).filter_map(|(it, kind)| Some((kind.clone(), it?))).collect())
    }

    /// What the interface says that a service does with a call.
    fn serve(list: &mut Vec<Subscription>, order: &Order) {
        let mut put = |kind: &SignalType, change: &Change| {
            let at = list.iter().position(|it| it.signal_type == *kind);
            let now = at.map(|at| list.remove(at));
            list.extend(Staged::Set(change.clone()).after(kind, now.as_ref()));
        };
        match order {
            Order::Bulk(types) => types
                .iter()
                .for_each(|(kind, priority)| put(kind, &Change { priority: Some(priority.clone()), ..Change::default() })),
            Order::Put(kind, change) => put(kind, change),
            Order::Delete(kind) => list.retain(|it| it.signal_type != *kind),
        }
    }

    fn served(list: &[Subscription], orders: &[Order]) -> BTreeMap<SignalType, Subscription> {
        let mut list = list.to_vec();
        orders.iter().for_each(|order| serve(&mut list, order));
        list.into_iter().map(|it| (it.signal_type.clone(), it)).collect()
    }

    fn find<'a>(list: &'a [Subscription], kind: &SignalType) -> Option<&'a Subscription> {
        list.iter().find(|it| it.signal_type == *kind)
    }

    proptest! {
        #[test]
        fn a_plan_makes_what_was_staged_so_and_leaves_the_rest(list in lists(), plan in plans()) {
            let made = served(&list, &orders(&list, &plan));
            for kind in SignalType::ALL {
                let wanted = match plan.get(kind) {
                    Some(staged) => staged.after(kind, find(&list, kind)),
                    None => find(&list, kind).cloned(),
                };
                prop_assert_eq!(made.contains_key(kind), wanted.is_some(), "{}", kind);
                if let (Some(made), Some(wanted)) = (made.get(kind), wanted) {
                    prop_assert!(made.says_the_same(&wanted), "{made:?} is not {wanted:?}");
                }
            }
        }

        #[test]
        fn a_plan_is_of_the_fewest_calls_and_asks_each_type_once(list in lists(), plan in plans()) {
            let calls = orders(&list, &plan);
            let (mut alone, mut of_priority) = (0, 0);
            for (kind, staged) in &plan {
                let now = find(&list, kind);
                let before = now.cloned().unwrap_or_else(|| Subscription::fresh(kind.clone()));
                match staged.after(kind, now) {
                    None => alone += usize::from(now.is_some()),
                    Some(after) => {
                        let people = !Subscription { priority: before.priority.clone(), ..after.clone() }.says_the_same(&before);
                        alone += usize::from(people);
                        of_priority += usize::from(!people && (now.is_none() || after.priority != before.priority));
                    }
                }
            }
            prop_assert_eq!(calls.len(), alone + of_priority.div_ceil(BULK_MAX));
            let types: Vec<&SignalType> = calls.iter().flat_map(Order::types).collect();
            let once: BTreeSet<&SignalType> = types.iter().copied().collect();
            prop_assert_eq!(types.len(), once.len());
            for call in &calls {
                prop_assert!((1..=BULK_MAX).contains(&call.types().len()));
            }
        }

        #[test]
        fn what_was_not_touched_stays_as_a_colleague_made_it(list in lists(), other in lists(), plan in plans()) {
            let calls = orders(&list, &plan);
            let made = served(&other, &calls);
            for theirs in other.iter().filter(|it| find(&list, &it.signal_type).is_some()) {
                let Some(made) = made.get(&theirs.signal_type) else { continue };
                let change = match plan.get(&theirs.signal_type) {
                    Some(Staged::Set(change)) => change.clone(),
                    _ => Change::default(),
                };
                prop_assert!(change.priority.is_some() || made.priority == theirs.priority);
                prop_assert!(change.channels.is_some() || made.channels == theirs.channels);
                prop_assert!(change.notify_all_members.is_some() || made.notify_all_members == theirs.notify_all_members);
                prop_assert!(change.recipient_user_ids.is_some() || made.recipient_user_ids == theirs.recipient_user_ids);
            }
        }

        #[test]
        fn what_is_taken_back_is_as_it_was(list in lists(), plan in plans()) {
            let plan: Plan = plan.into_iter().filter(|(_, staged)| *staged != Staged::Unsubscribe).collect();
            let after: Vec<_> = served(&list, &orders(&list, &plan)).into_values().collect();
            let back: Plan = plan.iter().filter_map(|(kind, it)| Some((kind.clone(), it.back(find(&list, kind))?))).collect();
            let again = served(&after, &orders(&after, &back));
            prop_assert_eq!(again.len(), list.len());
            for it in &list {
                prop_assert!(again[&it.signal_type].says_the_same(it));
            }
        }
    }

    #[test]
    fn all_seventeen_take_two_bulk_calls_and_each_says_its_priority() {
        let plan: Plan = SignalType::ALL.iter().map(|kind| (kind.clone(), high(None))).collect();
        let calls = orders(&[], &plan);
        let sizes: Vec<usize> = calls.iter().map(|call| call.types().len()).collect();
        assert_eq!(sizes, [14, 3]);
        let medium = |call: &Order| matches!(call, Order::Bulk(types) if types.iter().all(|(_, p)| *p == Priority::Medium));
        assert!(calls.iter().all(medium));
    }

    #[test]
    fn a_mail_for_a_high_type_says_nothing_of_its_priority() {
        let now = Subscription { priority: Some(Priority::High), ..Subscription::fresh(SignalType::PermitIssued) };
        let change = Change { channels: Some(vec![EMAIL.to_owned()]), ..Change::default() };
        let plan = BTreeMap::from([(SignalType::PermitIssued, Staged::Set(change.clone()))]);
        assert_eq!(orders(&[now], &plan), [Order::Put(SignalType::PermitIssued, change)]);
    }

    fn row(n: u128, kind: &str, priority: &str, filed: &str) -> QueueSignal {
        let row = json!({ "id": Uuid::from_u128(n), "signal_type": kind, "priority": priority, "filed_at": filed });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn rows_move_by_priority_and_then_by_filing_and_those_of_an_ended_type_leave() {
        let rows = [
            row(1, "permit_issued", "high", "2026-07-01"),
            row(2, "permit_filed", "medium", "2026-07-07"),
            row(3, "withdrawal", "medium", "2026-07-05"),
            row(4, "team_update", "low", "2026-07-06"),
        ];
        let rows: Vec<&QueueSignal> = rows.iter().collect();
        let plan = BTreeMap::from([
            (SignalType::PermitIssued, high(Some(Priority::Medium))),
            (SignalType::TeamUpdate, high(Some(Priority::High))),
            (SignalType::Withdrawal, Staged::Unsubscribe),
        ]);
        let from: Vec<usize> = reordered(&rows, &plan).iter().map(|moved| moved.from).collect();
        assert_eq!(from, [3, 1, 0]);
        assert_eq!(reordered(&rows, &Plan::new()).len(), 4);
    }

    #[test]
    fn the_doctor_finds_who_is_not_told() {
        let mail = |kind: SignalType, to: &[u8]| Subscription {
            channels: vec![EMAIL.to_owned()],
            recipient_user_ids: to.iter().map(|n| user(*n)).collect(),
            ..Subscription::fresh(kind)
        };
        let silent = Subscription { priority: Some(Priority::High), ..Subscription::fresh(SignalType::PermitFiled) };
        let list = [
            mail(SignalType::PermitIssued, &[1, 2]),
            mail(SignalType::Completion, &[]),
            mail(SignalType::Expiration, &[2]),
            silent,
        ];
        let findings = examine(&list, Some(&BTreeSet::from([user(1)])));
        assert_eq!(
            findings[..4],
            [
                Finding::Left(SignalType::PermitIssued, 1),
                Finding::ToNobody(SignalType::Completion),
                Finding::ToNobody(SignalType::Expiration),
                Finding::HighWithoutMail(SignalType::PermitFiled),
            ]
        );
        assert!(matches!(&findings[4], Finding::NotSubscribed(types) if types.len() == 13));
        assert_eq!(examine(&list[..1], None).len(), 1, "who left is not known without the members");
    }
}
