//! The client as a backend: each call is one of its methods, and its cost goes to the ledger.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::backend::{Backend, BackendFuture, CallContext, LocalWrite, ProgressFn};
use super::journal_screen::{read_history, read_lines, read_work};
use super::read_cache;
use super::service_writes::{change_subscriptions, send_write};

use tokio::sync::watch;

use crate::app::effect::{RecordKey, ServiceCall, StoredFactsQuery, WriteRequest};
use crate::app::msg::{ReadCost, Reply, StoredFacts};
use crate::client::{Client, Request, book, data, favorites, invitations, search, skills, views};
use crate::config::{self, Paths};
use crate::domain::SignalId;
use crate::domain::budgets::{BudgetKind, Budgets};
use crate::domain::clock_skew::measure_clock_skew;
use crate::domain::export::ExportRequest;
use crate::domain::health::Health;
use crate::domain::journal::{self, AUTO_RESEND_WINDOW, SavedState};
use crate::domain::list_import::MAX_LIST_BYTES;
use crate::domain::queue::{QueueStats, TriageStatus};
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::skills::{Skill, SkillFile, SkillFileRef};
use crate::domain::snooze::Snooze;
use crate::domain::vocabulary::NlTranslation;
use crate::platform::tasks;
use crate::service::RunningService;
use crate::store::cache::Cache;
use crate::store::cache_owner::CacheOwner;
use crate::store::drafts::DraftStore;
use crate::store::journal::Journal;
use crate::store::ledger::Ledger;
use crate::store::promises::PromiseStore;
use crate::store::queue::QueueFile;
use crate::store::records::StoredRecord;
use crate::store::snoozes::SnoozeStore;
use crate::store::{Store, StoreError};

/// How long the store may take to close at exit.
const STORE_CLOSE_TIMEOUT: Duration = Duration::from_millis(800);

/// Changes that can be undone after a restart.
const MAX_RESTORED_STEPS: u32 = 100;

/// A service reached over HTTP.
pub struct RemoteBackend {
    client: Client,
    store: Store,
    meter: String,
    /// What was read earlier.
    cache: Cache,
    queue: Option<QueueFile>,
    /// Where the budgets are configured.
    paths: Paths,
    /// The service's data ends with the program, so that nobody returns to what is stored.
    is_temporary: bool,
    /// The service, if it runs inside this process, until it is closed.
    local_service: Mutex<Option<RunningService>>,
}

impl RemoteBackend {
    /// A backend over this client; together with the workspace, `meter` identifies whose credits
    /// are spent. What is read is saved for this credential.
    pub fn new(
        client: Client,
        store: Store,
        meter: &str,
        credential: &str,
        paths: Paths,
    ) -> RemoteBackend {
        let cache = store.cache(CacheOwner::new(meter, client.workspace_id(), credential));
        let (meter, local_service) = (meter.to_owned(), Mutex::new(None));
        RemoteBackend {
            client,
            store,
            meter,
            cache,
            queue: None,
            paths,
            is_temporary: false,
            local_service,
        }
    }

    /// The service runs inside this process and ends with the backend; `is_temporary`: its data
    /// does too.
    pub fn with_local_service(self, running: RunningService, is_temporary: bool) -> RemoteBackend {
        RemoteBackend {
            local_service: Mutex::new(Some(running)),
            is_temporary,
            ..self
        }
    }

    fn local_service(&self) -> MutexGuard<'_, Option<RunningService>> {
        self.local_service
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves the queue in this file.
    pub fn with_queue_file(self, queue: Option<QueueFile>) -> RemoteBackend {
        RemoteBackend { queue, ..self }
    }

    /// Reads a signal, with its cost if the response states it, or the meter before and after it if
    /// `is_metered`.
    async fn read_signal(
        client: &Client,
        id: SignalId,
        is_metered: bool,
    ) -> Result<Reply, RequestError> {
        let used = async || client.credits().await.ok()?.value.used;
        let before = if is_metered { used().await } else { None };
        let response = client.signal(id).await?;
        let cost = match (response.credits, before) {
            (Some(credits), _) => Some(ReadCost::Reported(credits)),
            (None, Some(before)) => used()
                .await
                .map(|after| ReadCost::Metered { before, after }),
            (None, None) => None,
        };
        Ok(Reply::Signal((Box::new(response.value), cost)))
    }

    /// The client for one change: its costs and writes are recorded with this reason.
    fn client_for(&self, why: CallContext) -> Client {
        let recorder = self.store.recorder(
            &self.meter,
            self.client.workspace_id(),
            why.reason,
            why.op,
            Utc::now,
        );
        self.client
            .with_recorder(Arc::new(recorder.shared_by(why.shares)))
    }

    fn journal_store(&self) -> Journal {
        self.store.journal(&self.meter, self.client.workspace_id())
    }

    /// The saved state at start-up; empty if the journal cannot be read.
    async fn saved_state(&self) -> SavedState {
        let since = Utc::now() - AUTO_RESEND_WINDOW;
        let past = self.journal_store();
        let mut past = read_or_default(past.saved_state(since, MAX_RESTORED_STEPS)).await;
        let left = self.draft_store();
        let left = read_or_default(left.adopt_orphans(Utc::now())).await;
        let Cache {
            lists,
            named_searches,
            ..
        } = &self.cache;
        past.named_searches = read_or_default(named_searches.load_all()).await;
        past.search_runs = read_or_default(lists.load_runs()).await;
        past.saved_searches = read_or_default(lists.searches()).await;
        past.snoozes = read_or_default(self.snooze_store().load_all()).await;
        past.promises = read_or_default(self.promise_store().load_all()).await;
        SavedState {
            drafts: left.drafts,
            is_persistent: left.is_persistent && !self.is_temporary,
            ..past
        }
    }

    fn draft_store(&self) -> DraftStore {
        self.store.drafts(&self.meter, self.client.workspace_id())
    }

    fn promise_store(&self) -> PromiseStore {
        self.store.promises(&self.meter, self.client.workspace_id())
    }

    fn snooze_store(&self) -> SnoozeStore {
        self.store.snoozes(&self.meter, self.client.workspace_id())
    }

    /// Adds a line that the console shows once.
    pub(super) fn add_notice(&self, line: String) {
        self.store.add_notice(line);
    }

    /// Writes the changed budgets to the configuration. All that it has apply from now on, here and
    /// to the CLI.
    async fn save_budgets(&self, budgets: Budgets) -> Result<Budgets, RequestError> {
        let (paths, before) = (self.paths.clone(), self.store.budgets());
        let change = move |in_file: Budgets| {
            let changed = BudgetKind::ALL
                .into_iter()
                .filter(|kind| before.limit(*kind) != budgets.limit(*kind));
            changed.fold(in_file, |all, kind| {
                all.with_limit(kind, budgets.limit(kind))
            })
        };
        let saving = tasks::run_blocking(move || config::change_budgets(&paths, change));
        let saved = saving
            .await
            .map_err(|error| RequestError::new_not_sent(error.to_string()))?;
        let saved = saved.map_err(|wrong| RequestError::new_not_sent(wrong.message))?;
        self.store.set_budgets(saved);
        Ok(saved)
    }

    fn ledger(&self) -> Ledger {
        self.store.ledger(&self.meter, self.client.workspace_id())
    }
}

/// What was stored; nothing if it cannot be read.
async fn read_or_default<T: Default>(read: impl Future<Output = Result<T, StoreError>>) -> T {
    read.await
        .inspect_err(|error| tracing::warn!(%error, "cannot read the journal"))
        .unwrap_or_default()
}

impl Backend for RemoteBackend {
    fn call(self: Arc<Self>, call: ServiceCall, why: CallContext) -> BackendFuture<Reply> {
        Box::pin(async move {
            let client = self.client_for(why);
            Ok(match call {
                ServiceCall::Connect(_) => {
                    return Err(RequestError::new_not_sent(
                        "cannot connect through another service",
                    ));
                }
                ServiceCall::Workspace => Reply::Workspace(client.workspace().await?.value),
                ServiceCall::Credits => {
                    let credits = client.credits().await?.value;
                    self.ledger().record_meter_reading(Utc::now(), &credits);
                    let spent = self.ledger().total_spent(Utc::now()).await;
                    let log_error =
                        |error: &StoreError| tracing::warn!(%error, "cannot read the ledger");
                    Reply::Credits((credits, spent.inspect_err(log_error).ok()))
                }
                ServiceCall::Skills(filter) => Reply::Skills(
                    client
                        .skills(&filter, |skill: &Skill| skill.id.clone())
                        .await?
                        .rows,
                ),
                ServiceCall::FindSkills(query) => {
                    Reply::Skills(client.fetch_all(skills::find(&query)).await?)
                }
                ServiceCall::Skill(id) => {
                    let skill = client.fetch_value(skills::get(&id)).await?.value;
                    Reply::Skill((skill, client.fetch_all(skills::revisions(&id)).await?))
                }
                ServiceCall::SkillText(wanted) => {
                    Reply::SkillText(read_skill_texts(&client, wanted).await?)
                }
                ServiceCall::Ledger => {
                    let meter = client.credits().await.map(|answer| answer.value);
                    if let Ok(credits) = &meter {
                        self.ledger().record_meter_reading(Utc::now(), credits);
                    }
                    let meter = meter.map_err(|failure| failure.message);
                    Reply::Ledger(Box::new(self.ledger().report(Utc::now(), meter).await?))
                }
                ServiceCall::SetBudgets(budgets) => {
                    Reply::Budgets(self.save_budgets(budgets).await?)
                }
                ServiceCall::SavedState => Reply::SavedState(Box::new(self.saved_state().await)),
                ServiceCall::Journal => {
                    Reply::Journal(read_lines(&self.store, &self.journal_store()).await?)
                }
                ServiceCall::RecordedWork(since) => {
                    let work = read_work(&self.store, since, &self.meter).await?;
                    Reply::RecordedWork(Box::new(work))
                }
                ServiceCall::RecordHistory(id, clock_skew) => Reply::RecordHistory(
                    read_history(&self.cache, &self.journal_store(), id, clock_skew).await?,
                ),
                ServiceCall::SaveText { file_name, text } => {
                    Reply::TextSaved(super::export_file::save_text(file_name, text).await?)
                }
                ServiceCall::ReadFile(path) => {
                    Reply::FileRead(super::export_file::read_file(path, MAX_LIST_BYTES).await?)
                }
                ServiceCall::Members => Reply::Members(client.members().await?.value),
                ServiceCall::Invitations => {
                    Reply::Invitations(client.fetch_all(invitations::list()).await?)
                }
                ServiceCall::Write(WriteRequest::Subscription(order)) => {
                    Reply::Subscriptions(change_subscriptions(&client, &order).await?)
                }
                ServiceCall::Subscriptions => {
                    Reply::Subscriptions(client.subscriptions().await?.value)
                }
                ServiceCall::Queue {
                    filter,
                    offset,
                    limit,
                } => Reply::Queue(client.queue(&filter, offset, limit).await?.value),
                ServiceCall::Feed {
                    filter,
                    offset,
                    limit,
                } => {
                    let answer = client.feed(&filter, offset, limit).await?;
                    Reply::Feed((answer.value, answer.credits))
                }
                ServiceCall::Signal { signal, is_metered }
                | ServiceCall::Description { signal, is_metered } => {
                    return RemoteBackend::read_signal(&client, signal, is_metered).await;
                }
                ServiceCall::Record {
                    key,
                    bypass_cache: again,
                } => {
                    if let Some(kept) = read_cache::stored_record(&self.cache, &key)
                        .await
                        .filter(|_| !again)
                    {
                        return Ok(Reply::Record((
                            kept.record,
                            Some(kept.read_at),
                            kept.credits,
                        )));
                    }
                    let answer = client.fetch_value::<Record>(record_request(&key)).await?;
                    let read = StoredRecord {
                        record: answer.value,
                        credits: answer.credits,
                        read_at: answer.date.unwrap_or_else(Utc::now),
                    };
                    self.cache.records.save(key, read.clone());
                    Reply::Record((read.record, None, read.credits))
                }
                ServiceCall::SavedSearch { source, search } => {
                    Reply::SavedSearch(read_cache::saved_search(&self.cache, source, search).await)
                }
                ServiceCall::Search {
                    source,
                    search,
                    after,
                    limit,
                } => {
                    let request = search::search_page(&source, &search, after.as_deref(), limit);
                    Reply::SearchPage(client.search_page(request, limit).await?.value)
                }
                ServiceCall::Export(export) => {
                    return super::export_file::run_export(client, *export, |_| {}).await;
                }
                ServiceCall::Fields(dataset) => {
                    Reply::Fields(client.fetch_value(data::fields(&dataset)).await?.value)
                }
                ServiceCall::AskQuestion { dataset, question } => {
                    let request = data::ask_question(dataset.as_str(), &question);
                    let answer = client.fetch_value::<NlTranslation>(request).await?;
                    Reply::QuestionTranslated(NlTranslation {
                        credits: answer.credits,
                        ..answer.value
                    })
                }
                ServiceCall::Views => Reply::Views(client.fetch_all(views::list()).await?),
                ServiceCall::Favorites => {
                    Reply::Favorites(client.fetch_all(favorites::list()).await?)
                }
                ServiceCall::Write(write) => {
                    let written = written_record_ids(&write);
                    let items = send_write(&client, write).await;
                    // Applied or not, the stored copies of these records may be outdated.
                    self.cache.records.remove(written);
                    Reply::Written(items?)
                }
                ServiceCall::Triage { ids, status, .. } => {
                    let answer = client.triage(&ids, &status).await?;
                    // A count above the number of ids is not valid.
                    Reply::Triaged(
                        (!answer.was_retried && answer.value <= ids.len() as u64)
                            .then_some(answer.value),
                    )
                }
            })
        })
    }

    fn record_entry(&self, act: journal::JournalEntry) {
        self.journal_store().record_entry(act);
    }

    fn record_reconciliation(
        &self,
        status: TriageStatus,
        gone: Vec<SignalId>,
        not_gone: Vec<SignalId>,
    ) {
        self.journal_store()
            .record_reconciliation(status, gone, not_gone);
    }

    fn save_local(&self, keep: LocalWrite) {
        match keep {
            LocalWrite::AppliedChange {
                op,
                change,
                settles_interrupted,
            } => {
                self.journal_store().record_applied(op, change);
                if settles_interrupted {
                    self.journal_store().settle_interrupted(op);
                }
            }
            LocalWrite::Draft(name, at, typed) => self.draft_store().save(name, at, typed),
            LocalWrite::Cached(entry, at) => read_cache::save_entry(&self.cache, entry, at),
            LocalWrite::Queue(queue) => {
                if let Some(file) = &self.queue {
                    self.store.save_queue(file.clone(), *queue);
                }
            }
            LocalWrite::Snoozes(saved, ended) => {
                self.snooze_store().remove(ended);
                self.snooze_store().save(saved);
            }
            LocalWrite::Budgets(budgets) => self.store.set_budgets(budgets),
            LocalWrite::Promises(note) => self.promise_store().save(*note),
        }
    }

    fn load_facts(self: Arc<Self>, wanted: StoredFactsQuery) -> BoxFuture<'static, StoredFacts> {
        Box::pin(async move {
            let log_error = |error: &StoreError| tracing::warn!(%error, "cannot read what was stored of signals");
            let is_local = self.local_service().is_some();
            let Cache {
                descriptions,
                records,
                ..
            } = &self.cache;
            let found = records
                .find_facts(wanted.projects, wanted.includes_book)
                .await;
            StoredFacts {
                descriptions: descriptions
                    .find(wanted.signals)
                    .await
                    .inspect_err(log_error)
                    .unwrap_or_default(),
                // A service in this process charges nothing for signals.
                has_free_signal_reads: is_local
                    || descriptions.are_reads_free().await.unwrap_or_default(),
                records: found.inspect_err(log_error).unwrap_or_default(),
            }
        })
    }

    fn load_snoozes(self: Arc<Self>) -> BoxFuture<'static, Option<Vec<Snooze>>> {
        Box::pin(async move { self.snooze_store().load_all().await.ok() })
    }

    fn export(
        self: Arc<Self>,
        export: ExportRequest,
        why: CallContext,
        told: ProgressFn,
    ) -> BackendFuture<Reply> {
        Box::pin(
            async move { super::export_file::run_export(self.client_for(why), export, told).await },
        )
    }

    fn close(self: Arc<Self>) -> BoxFuture<'static, Vec<String>> {
        Box::pin(async move {
            let running = self.local_service().take();
            if let Some(running) = running {
                running.stop().await;
            }
            let store = self.store.clone();
            let _ = tasks::run_blocking(move || store.close(STORE_CLOSE_TIMEOUT)).await;
            self.store.take_notices()
        })
    }

    fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)> {
        Box::pin(async move {
            let answer = self.client.queue_stats().await?;
            // What the journal has is placed on the service's clock.
            answer.date.inspect(|date| {
                self.store
                    .set_clock_skew(measure_clock_skew(*date, Utc::now()))
            });
            Ok((answer.value, answer.date))
        })
    }

    fn health(&self) -> watch::Receiver<Health> {
        self.client.health()
    }

    fn take_notices(&self) -> Vec<String> {
        self.store.take_notices()
    }

    fn take_journal_error(&self) -> Option<String> {
        self.store.take_journal_error()
    }

    fn allow_unjournaled_writes(&self) {
        self.store.allow_unjournaled_writes();
    }

    fn retry_credential(&self) {
        self.client.retry_credential();
    }
}

/// A get of a record with everything that it can include.
fn record_request(key: &RecordKey) -> Request {
    let includes = key.dataset.available_includes().iter().copied();
    if key.in_book {
        // Contacts cannot include signals, neither in the book nor in the index.
        book::get(&key.dataset.as_str().into(), key.id, includes)
    } else {
        data::get(&key.dataset, key.id, includes)
    }
}

/// The book records that a write changes.
fn written_record_ids(write: &WriteRequest) -> Vec<Uuid> {
    match write {
        WriteRequest::Annotate { items, .. } => items.iter().map(|item| item.id).collect(),
        WriteRequest::Forget { ids, .. } => ids.clone(),
        _ => Vec::new(),
    }
}

/// The texts of files; files that a revision does not have are left out.
async fn read_skill_texts(
    client: &Client,
    wanted: Vec<SkillFileRef>,
) -> Result<Vec<(SkillFileRef, SkillFile)>, RequestError> {
    let mut texts = Vec::new();
    for file in wanted {
        match client
            .fetch_value::<SkillFile>(skills::get_file(
                &file.skill,
                &file.path,
                Some(file.revision).filter(|revision| *revision > 0),
            ))
            .await
        {
            Ok(answer) => texts.push((file, answer.value)),
            Err(failure) if failure.status() == Some(404) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(texts)
}
