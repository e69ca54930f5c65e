//! What the conversation says of a signal besides its row, from what this machine has read: what is
//! being built and where, and at the user's wish the whole project.

use chrono::Utc;
use uuid::Uuid;

use crate::domain::book::Dataset;
use crate::domain::cities::city_of_source;
use crate::domain::description::{Description, city_of_address};
use crate::domain::projects::{Project, ProjectDetails};
use crate::domain::records::{Record, RecordKey};
use crate::domain::signals::Signal;
use crate::domain::{ProjectId, SignalId};
use crate::store::records::StoredRecord;

use super::{CliError, Conversation, messages, print_line};

impl Conversation<'_> {
    /// What is being built and where, as far as this machine has read it. The signal itself is read
    /// where that is free.
    pub(super) async fn describe(&self, signal: &Signal) -> Description {
        let store = self.session.description_store();
        let stored = store.find(vec![signal.id]).await.unwrap_or_default().pop();
        let own = match stored {
            Some((_, own)) => own,
            None if self.session.are_signal_reads_free().await => {
                self.read_description(signal.id).await.unwrap_or_default()
            }
            None => Description::default(),
        };
        let project = match signal.project_id {
            Some(id) => self.stored_project(id).await,
            None => None,
        };
        let work = || messages::describe_building(project.as_ref()?);
        let project_city = || project.as_ref()?.city.clone();
        let address = signal.project_primary_address.as_deref();
        let place = || {
            let source = signal.source_display_name.as_deref();
            let city = address
                .and_then(city_of_address)
                .or_else(|| source.and_then(city_of_source));
            city.map(str::to_owned)
        };
        Description {
            work: own.work.or_else(work).or(own.record_type),
            record_type: None,
            city: own.city.or_else(project_city).or_else(place),
        }
    }

    async fn read_description(&self, id: SignalId) -> Option<Description> {
        let answer = self.session.client.signal(id).await.ok()?;
        let (store, now) = (self.session.description_store(), Utc::now());
        if answer.credits.is_some_and(|credits| credits > 0) {
            store.save_free_reads(false, now);
        }
        let description = Description::from_payload(answer.value.raw_data.as_ref()?);
        store.save(id, description.clone(), now);
        Some(description)
    }

    /// A project that was read before.
    async fn stored_project(&self, id: ProjectId) -> Option<Project> {
        let records = self.session.record_store();
        let stored = records.get(project_key(id), Utc::now()).await.ok()??;
        serde_json::from_str(stored.record.json()).ok()
    }

    /// Prints the project with its firms, people and signals; one that was read before is free.
    pub(super) async fn print_project(&mut self) -> Result<(), CliError> {
        let Some(id) = self
            .rows
            .get(self.position)
            .and_then(|row| row.signal.signal.project_id)
        else {
            return print_line("This signal has no project.");
        };
        let key = project_key(id);
        let (records, now) = (self.session.record_store(), Utc::now());
        let record = match records.get(key.clone(), now).await.unwrap_or_default() {
            Some(kept) => {
                let at = kept
                    .read_at
                    .with_timezone(&chrono::Local)
                    .format("%B %-d, %H:%M");
                print_line(&format!("Read before, on {at}: free."))?;
                kept.record
            }
            None => match self
                .session
                .client_for(Uuid::now_v7())
                .fetch_value::<Record>(crate::client::data::project_details(id))
                .await
            {
                Ok(answer) => {
                    let read_at = answer.date.unwrap_or(now);
                    records.save(
                        key,
                        StoredRecord {
                            record: answer.value.clone(),
                            credits: answer.credits,
                            read_at,
                        },
                    );
                    answer.value
                }
                Err(failure) => {
                    return self.print_failure("The project could not be read", failure);
                }
            },
        };
        match serde_json::from_str::<ProjectDetails>(record.json()) {
            Ok(project) => messages::project_lines(&project.arranged(), now + self.skew)
                .iter()
                .try_for_each(|line| print_line(line)),
            Err(_) => {
                print_line("The project cannot be shown: the service sent an unexpected response.")
            }
        }
    }
}

fn project_key(id: ProjectId) -> RecordKey {
    RecordKey {
        dataset: Dataset::Projects,
        id: id.0,
        in_book: false,
    }
}
