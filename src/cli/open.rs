//! `gantry open`: finds what an id or a name belongs to, for the console to start there.

use uuid::Uuid;

use crate::client::data;
use crate::domain::SignalId;
use crate::domain::book::Dataset;
use crate::domain::records::{Record, RecordKey};
use crate::domain::signals::Signal;
use crate::domain::views::View;

use super::error::{CliError, Context};
use super::options::GlobalOptions;
use super::output::Output;
use super::session::{STORE_CLOSE_TIMEOUT, Session, StoreCell};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: gantry open 'Q3 call list'\n\n\
    A View is found for free, by its id or name. A record that is read to find it costs 1 credit, which the console does not pay again.")]
pub struct OpenArgs {
    /// Id of a signal, project, account, contact or View, or the name of a View
    #[arg(value_name = "ID")]
    pub what: String,
}

/// What an id belongs to, as far as it was read.
pub enum OpenTarget {
    View(String),
    Signal(Box<Signal>),
    Record(RecordKey, Box<Record>, Option<u64>),
}

/// Finds what is to be opened.
///
/// # Errors
/// Nothing has this id or name.
pub async fn find_open_target(options: &GlobalOptions, what: &str) -> Result<OpenTarget, CliError> {
    let store_cell = StoreCell::default();
    let session =
        Session::open(options, "open", &store_cell, Output::from_options(options)?).await?;
    let found = find_in_service(&session, what.trim()).await;
    session.close().await;
    if let Some(store) = store_cell.get() {
        store.close(STORE_CLOSE_TIMEOUT);
    }
    found
}

async fn find_in_service(session: &Session, what: &str) -> Result<OpenTarget, CliError> {
    let client = &session.client;
    let views = client
        .fetch_all::<View>(crate::client::views::list())
        .await
        .context("list the Views")?;
    let lower = what.to_lowercase();
    if let Some(view) = views
        .iter()
        .find(|view| view.id.to_string() == lower || view.title().to_lowercase() == lower)
    {
        return Ok(OpenTarget::View(view.id.to_string()));
    }
    let Ok(id) = what.parse::<Uuid>() else {
        let titles: Vec<String> = views.iter().map(View::title).collect();
        let line = format!("no View is called {what}, and it is not an id");
        let titles = titles.iter().map(String::as_str);
        return Err(CliError::not_found(line).with_closest(what, titles));
    };
    match client.signal(SignalId(id)).await {
        Ok(answer) => return Ok(OpenTarget::Signal(Box::new(answer.value))),
        Err(failure) if failure.status() == Some(404) => {}
        Err(failure) => return Err(failure).context(&format!("read the signal {id}")),
    }
    for dataset in [Dataset::Projects, Dataset::Accounts, Dataset::Contacts] {
        let request = data::get(&dataset, id, dataset.available_includes().to_vec());
        match client.fetch_value::<Record>(request).await {
            Ok(answer) => {
                let key = RecordKey {
                    dataset,
                    id,
                    in_book: false,
                };
                return Ok(OpenTarget::Record(
                    key,
                    Box::new(answer.value),
                    answer.credits,
                ));
            }
            Err(failure) if failure.status() == Some(404) => {}
            Err(failure) => return Err(failure).context(&format!("read {id}")),
        }
    }
    Err(not_found(format!(
        "nothing has the id {id}: no View, signal, project, account or contact"
    )))
}

fn not_found(line: String) -> CliError {
    CliError::not_found(line)
}
