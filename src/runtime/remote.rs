//! The client as the service that the runtime asks: each call is one of its methods, and what it takes goes to the ledger.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::ask::{Answering, Keep, Service, Told, Why};

use tokio::sync::watch;

use crate::app::effect::{Call, RecordKey, Wanted, Write};
use crate::app::export::Export;
use crate::app::msg::Reply;
use crate::client::{Client, Request, book, data, favorites, invitations, members, search, skills, subscriptions, views};
use crate::config::{self, Paths};
use crate::domain::SignalId;
use crate::domain::batch::BatchItemResult;
use crate::domain::budgets::Budgets;
use crate::domain::failure::RequestError;
use crate::domain::health::Health;
use crate::domain::journal::{self, AUTO_RESEND_WINDOW, SavedState};
use crate::domain::members::MemberAction;
use crate::domain::queue::{QueueStats, TriageStatus};
use crate::domain::records::Record;
use crate::domain::skills::{Skill, SkillFile};
use crate::domain::subscriptions::{Subscription, SubscriptionCall};
use crate::store::drafts::Drafts;
use crate::store::journal::Journal;
use crate::store::ledger::Ledger;
use crate::store::queue::QueueFile;
use crate::store::records::{Kept, Records};
use crate::store::runs::Runs;
use crate::store::{self, Store};

/// The disk has so long at the end.
const CLOSING: Duration = Duration::from_millis(800);

/// Acts that can be taken back after a restart.
const STEPS: u32 = 100;

/// A service that is reached over HTTP.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    store: Store,
    meter: String,
    records: Option<Records>,
    queue: Option<QueueFile>,
    /// Where the budgets are written down.
    paths: Paths,
}

impl Remote {
    /// The service of this client; `meter` says whose credits it spends, beside the workspace. Records that were paid for are kept
    /// where the service will know them tomorrow.
    pub fn new(client: Client, store: Store, meter: &str, keeps_records: bool, paths: Paths) -> Remote {
        let records = keeps_records.then(|| store.records(meter, client.workspace_id()));
        Remote { client, store, meter: meter.to_owned(), records, queue: None, paths }
    }

    /// The same, and the queue as it stands on the screen is kept here.
    pub fn keeping_queue(self, queue: Option<QueueFile>) -> Remote {
        Remote { queue, ..self }
    }

    /// A record as it was read before.
    async fn kept(&self, key: &RecordKey) -> Option<Kept> {
        let kept = self.records.as_ref()?.get(key.clone(), Utc::now()).await;
        kept.inspect_err(|error| tracing::warn!(%error, "no record was looked up")).ok()?
    }

    /// The client for one act: what it takes and writes is recorded under this reason.
    fn client(&self, why: Why) -> Client {
        let recorder = self.store.recorder(&self.meter, self.client.workspace_id(), why.reason, why.op, Utc::now);
        self.client.recorded(Arc::new(recorder))
    }

    fn acts(&self) -> Journal {
        self.store.journal(&self.meter, self.client.workspace_id())
    }

    /// What was done before this start; nothing where the journal cannot be read.
    async fn past(&self) -> SavedState {
        let said = |error: &store::Error| tracing::warn!(%error, "what was done before is not known");
        let past = self.acts().past(Utc::now() - AUTO_RESEND_WINDOW, STEPS).await.inspect_err(said).unwrap_or_default();
        let left = self.drafts().left(Utc::now()).await.inspect_err(said).unwrap_or_default();
        let runs = self.runs().all().await.inspect_err(said).unwrap_or_default();
        SavedState { drafts: left.drafts, search_runs: runs, is_persistent: left.keeps && self.keeps(), ..past }
    }

    fn drafts(&self) -> Drafts {
        self.store.drafts(&self.meter, self.client.workspace_id())
    }

    fn runs(&self) -> Runs {
        self.store.runs(&self.meter, self.client.workspace_id())
    }

    /// The service will be known tomorrow: what is kept of it is found again.
    fn keeps(&self) -> bool {
        self.records.is_some()
    }

    /// Writes the budgets into the configuration; they hold from now on, here and in every verb that is run.
    async fn keep_budgets(&self, budgets: Budgets) -> Result<(), RequestError> {
        let Budgets { soft_session, soft_day, hard_session, hard_day } = budgets;
        let said = config::BudgetSettings { soft_session, soft_day, hard_session, hard_day };
        let paths = self.paths.clone();
        let saving = tokio::task::spawn_blocking(move || config::save_budgets(&paths, &said));
        let saved = saving.await.map_err(|error| RequestError::new_not_sent(error.to_string()))?;
        saved.map_err(|wrong| RequestError::new_not_sent(wrong.message))?;
        self.store.set_budgets(budgets);
        Ok(())
    }

    fn ledger(&self) -> Ledger {
        self.store.ledger(&self.meter, self.client.workspace_id())
    }
}

impl Service for Remote {
    fn ask(self: Arc<Self>, call: Call, why: Why) -> Answering<Reply> {
        Box::pin(async move {
            let client = self.client(why);
            Ok(match call {
                Call::Connect(_) => return Err(RequestError::new_not_sent("a service cannot be reached through another")),
                Call::Workspace => Reply::Workspace(client.workspace().await?.value),
                Call::Credits => {
                    let credits = client.credits().await?.value;
                    self.ledger().read_meter(Utc::now(), &credits);
                    let said = |error: &store::Error| tracing::warn!(%error, "what was spent is not known");
                    Reply::Credits(credits, self.ledger().spent(Utc::now()).await.inspect_err(said).ok())
                }
                Call::Skills(filter) => Reply::Skills(client.skills(&filter, |skill: &Skill| skill.id.clone()).await?.rows),
                Call::FindSkills(query) => Reply::Skills(client.rows(skills::find(&query)).await?.value.rows),
                Call::Skill(id) => {
                    let skill = client.value(skills::get(&id)).await?.value;
                    Reply::Skill(skill, client.rows(skills::revisions(&id)).await?.value.rows)
                }
                Call::SkillText(wanted) => Reply::SkillText(skill_texts(&client, wanted).await?),
                Call::Ledger => {
                    let meter = client.credits().await.map(|answer| answer.value);
                    if let Ok(credits) = &meter {
                        self.ledger().read_meter(Utc::now(), credits);
                    }
                    let statement = self.ledger().statement(Utc::now(), meter.map_err(|failure| failure.message)).await;
                    Reply::Ledger(Box::new(statement.map_err(|error| RequestError::new_not_sent(error.to_string()))?))
                }
                Call::SetBudgets(budgets) => {
                    self.keep_budgets(budgets).await?;
                    Reply::Budgets(budgets)
                }
                Call::Past => Reply::Past(Box::new(self.past().await)),
                Call::Members => Reply::Members(client.members().await?.value),
                Call::Invitations => Reply::Invitations(client.rows(invitations::list()).await?.value.rows),
                Call::Write(Write::Subscription(order)) => Reply::Subscriptions(subscribe(&client, &order).await?),
                Call::Subscriptions => Reply::Subscriptions(client.subscriptions().await?.value),
                Call::Queue { filter, offset, limit } => Reply::Queue(client.queue(&filter, offset, limit).await?.value),
                Call::Signal(id) => Reply::Signal(Box::new(client.signal(id).await?.value)),
                Call::Record { key, again } => {
                    if let Some(kept) = self.kept(&key).await.filter(|_| !again) {
                        return Ok(Reply::Record {
                            record: Box::new(kept.record),
                            read_at: Some(kept.read_at),
                            credits: kept.credits,
                        });
                    }
                    let answer = client.value::<Record>(read(&key)).await?;
                    let (record, credits, read_at) = (answer.value, answer.credits, answer.date.unwrap_or_else(Utc::now));
                    if let Some(records) = &self.records {
                        records.keep(key, Kept { record: record.clone(), credits, read_at });
                    }
                    Reply::Record { record: Box::new(record), read_at: None, credits }
                }
                Call::Search { source, search, after, limit } => {
                    let request = search::page(&source, &search, after.as_deref(), limit);
                    Reply::Found(client.found(request, limit).await?.value)
                }
                Call::Export(export) => return super::export::export(client, *export, |_| {}).await,
                Call::Fields(dataset) => Reply::Fields(client.value(data::fields(&dataset)).await?.value),
                Call::Ask { dataset, question } => {
                    Reply::Understood(client.value(data::ask(dataset.as_str(), &question)).await?.value)
                }
                Call::Views => Reply::Views(client.rows(views::list()).await?.value.rows),
                Call::Favorites => Reply::Favorites(client.rows(favorites::list()).await?.value.rows),
                Call::Write(write) => {
                    let written = written(&write);
                    let items = send(&client, write).await;
                    // Whether it was applied or not: what was kept of these records may be of yesterday.
                    if let Some(records) = &self.records {
                        records.forget(written);
                    }
                    Reply::Written(items?)
                }
                Call::Triage { ids, status } => {
                    let answer = client.triage(&ids, &status).await?;
                    // More than were named is no count.
                    Reply::Triaged((!answer.repeated && answer.value <= ids.len() as u64).then_some(answer.value))
                }
            })
        })
    }

    fn journal(&self, act: journal::JournalEntry) {
        self.acts().begin(act);
    }

    fn verified(&self, status: TriageStatus, gone: Vec<SignalId>, not_gone: Vec<SignalId>) {
        self.acts().verified(status, gone, not_gone);
    }

    fn keep(&self, keep: Keep) {
        match keep {
            Keep::Applied(op, change) => self.acts().applied(op, change),
            _ if !self.keeps() => {}
            Keep::Typed(name, at, typed) => self.drafts().keep(name, at, typed),
            Keep::Ran(run, from) => self.runs().keep(*run, from),
            Keep::Queue(queue) => {
                if let Some(file) = &self.queue {
                    self.store.keep_queue(file.clone(), *queue);
                }
            }
        }
    }

    fn export(self: Arc<Self>, export: Export, why: Why, told: Told) -> Answering<Reply> {
        Box::pin(async move { super::export::export(self.client(why), export, told).await })
    }

    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(async move {
            let store = self.store.clone();
            let _ = tokio::task::spawn_blocking(move || store.close(CLOSING)).await;
            self.store.notes()
        })
    }

    fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
        Box::pin(async move { self.client.stats().await.map(|answer| (answer.value, answer.date)) })
    }

    fn health(&self) -> watch::Receiver<Health> {
        self.client.health()
    }

    fn notes(&self) -> Vec<String> {
        self.store.notes()
    }

    fn held(&self) -> Option<String> {
        self.store.held()
    }

    fn send_unkept(&self) {
        self.store.send_unkept();
    }

    fn try_again(&self) {
        self.client.try_again();
    }
}

/// The get of a record with all that it can embed.
fn read(key: &RecordKey) -> Request {
    let includes = key.dataset.available_includes().iter().copied();
    if key.in_book {
        // Signals embed in no contact of the book, as in none of the index.
        book::get(&key.dataset.as_str().into(), key.id, includes)
    } else {
        data::get(&key.dataset, key.id, includes)
    }
}

/// The records of the book that a write is about.
fn written(write: &Write) -> Vec<Uuid> {
    match write {
        Write::Annotate { items, .. } => items.iter().map(|item| item.id).collect(),
        Write::Forget { ids, .. } => ids.clone(),
        _ => Vec::new(),
    }
}

/// The texts of files; one that a revision does not have is left out.
async fn skill_texts(client: &Client, wanted: Vec<Wanted>) -> Result<Vec<(Wanted, String)>, RequestError> {
    let mut texts = Vec::new();
    for file in wanted {
        match client
            .value::<SkillFile>(skills::file(&file.skill, &file.path, Some(file.revision).filter(|revision| *revision > 0)))
            .await
        {
            Ok(answer) => texts.push((file, answer.value.content)),
            Err(failure) if failure.status() == Some(404) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(texts)
}

/// Sends a write: what became of each of its items.
async fn send(client: &Client, write: Write) -> Result<Vec<BatchItemResult>, RequestError> {
    let request = match write {
        Write::Annotate { shelf, items } => return client.annotate(&shelf, &items).await,
        Write::Forget { shelf, ids } => book::delete_batch(&shelf, &ids),
        Write::Add { view, ids } => views::add_batch(view, &ids),
        Write::Remove { view, ids } => views::remove_batch(view, &ids),
        Write::DeleteView(view) => return client.done(views::delete(view)).await.map(|_| vec![BatchItemResult::ok()]),
        Write::Favorite { view, on: false } => {
            return client.done(favorites::delete(view)).await.map(|_| vec![BatchItemResult::ok()]);
        }
        Write::Favorite { view, on: true } => return one(client, favorites::upsert(view)).await,
        Write::Team(act) => return admit(client, act).await,
        Write::Subscription(order) => {
            return subscribe(client, &order).await.map(|_| vec![BatchItemResult::ok(); order.signal_types().len()]);
        }
        Write::Skills(orders) => match orders.as_slice() {
            [order] => return one(client, skills::change(order.change, order.key, order.body.clone())).await,
            [] => return Ok(Vec::new()),
            [first, ..] => skills::change_batch(first.change, orders.iter().map(|order| (order.key, order.body.clone()))),
        },
        Write::SaveView(draft) => return one(client, views::upsert(&draft)).await,
    };
    Ok(client.rows(request).await?.value.rows)
}

/// Changes subscriptions; gives the whole list.
async fn subscribe(client: &Client, order: &SubscriptionCall) -> Result<Vec<Subscription>, RequestError> {
    let request = match order {
        SubscriptionCall::Bulk(types) => {
            let types: Vec<_> = types.iter().map(|(kind, priority)| (kind.clone(), Some(priority.clone()))).collect();
            subscriptions::bulk(&types)
        }
        SubscriptionCall::Put(kind, change) => subscriptions::set(kind, change),
        SubscriptionCall::Delete(kind) => return client.unsubscribe(kind).await,
    };
    Ok(client.rows(request).await?.value.rows)
}

/// Changes who has access.
async fn admit(client: &Client, act: MemberAction) -> Result<Vec<BatchItemResult>, RequestError> {
    client
        .done(match act {
            MemberAction::Invite { email, role } => invitations::create(&email, &role),
            MemberAction::Revoke(invitation) => invitations::revoke(invitation),
            MemberAction::SetRole(user, role) => members::set_role(user, &role),
            MemberAction::Remove(user) => members::remove(user),
        })
        .await
        .map(|_| vec![BatchItemResult::ok()])
}

/// A write of one thing.
async fn one(client: &Client, request: Request) -> Result<Vec<BatchItemResult>, RequestError> {
    client.done(request).await.map(|_| vec![BatchItemResult::ok()])
}
