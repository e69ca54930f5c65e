//! `gantry subscriptions`: which signal types enter the queue, and who is notified.

use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;

use crate::client::{Client, subscriptions};
use crate::domain::UserId;
use crate::domain::queue::Priority;
use crate::domain::request_error::RequestError;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{MAX_BULK_SUBSCRIPTIONS, MAX_RECIPIENTS, Subscription};

use super::columns;
use super::completions;
use super::dry_run::{DryRun, Removal, Written};
use super::error::{CliError, Context};
use super::list_args::ListArgs;
use super::names::find_ids;
use super::queue::PRIORITIES;
use super::session::Session;
use super::type_args::parse_signal_type;
use super::word_args::parse_word;

#[derive(Debug, Subcommand)]
pub enum SubscriptionsCommand {
    /// List the subscriptions
    #[command(after_help = "Example: gantry --demo subscriptions list")]
    List {
        /// Include subscription ids (uses the workspace route)
        #[arg(long)]
        ids: bool,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Subscribe to a type, or change a subscription; options that are not given stay as they are
    #[command(
        after_help = "Example: gantry --demo subscriptions set permit_filed --priority high --email --notify-all"
    )]
    Set(SubscriptionSetArgs),
    /// Unsubscribe: signals of the type leave the queue immediately
    #[command(
        after_help = "Example: gantry --demo subscriptions remove $(gantry --demo subscriptions list --format csv | tail -n +2 | head -1 | cut -d, -f1)"
    )]
    Remove {
        /// Signal type, e.g. permit_filed, or subscription id
        #[arg(value_name = "TYPE|ID", value_parser = parse_signal_type, add = ArgValueCompleter::new(completions::signal_types))]
        signal_type: SignalType,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Subscribe to several types at once, all or nothing
    #[command(
        after_help = "Example: gantry --demo subscriptions bulk permit_filed=high permit_issued=high completion"
    )]
    Bulk {
        /// Signal types, each optionally with =high, =medium or =low [default: as it is, medium for
        /// a new one]; at most 14
        #[arg(required = true, value_name = "TYPE[=PRIORITY]", add = ArgValueCompleter::new(completions::signal_types))]
        types: Vec<String>,
        #[command(flatten)]
        dry: DryRun,
    },
}

#[derive(Debug, Args)]
pub struct SubscriptionSetArgs {
    /// Signal type, e.g. permit_filed
    #[arg(value_parser = parse_signal_type, add = ArgValueCompleter::new(completions::signal_types))]
    signal_type: SignalType,
    /// Priority of its signals
    #[arg(long, value_parser = parse_word::<Priority>(PRIORITIES))]
    priority: Option<Priority>,
    /// Send email
    #[arg(long, conflicts_with = "no_email")]
    email: bool,
    /// Do not send email
    #[arg(long)]
    no_email: bool,
    /// Notify all members, including future ones
    #[arg(long, conflicts_with = "notify_chosen")]
    notify_all: bool,
    /// Notify only the recipients
    #[arg(long)]
    notify_chosen: bool,
    /// Recipients, as comma-separated ids, names or email addresses of members; empty for none
    #[arg(long, value_name = "MEMBER,..")]
    recipients: Option<String>,
    /// Print only this subscription, with its id (uses the workspace route)
    #[arg(long)]
    ids: bool,
    #[command(flatten)]
    dry: DryRun,
}

pub(super) async fn run(verb: &SubscriptionsCommand, session: &Session) -> Result<(), CliError> {
    let client = &session.client;
    match verb {
        SubscriptionsCommand::List { ids, list } => {
            let (request, columns) = match ids {
                false => (subscriptions::list(), columns::SUBSCRIPTION_COLUMNS),
                true => (
                    subscriptions::list_with_ids(),
                    columns::SUBSCRIPTION_COLUMNS_WITH_IDS,
                ),
            };
            list.fetch_and_print(session, request, columns, "list subscriptions")
                .await
        }
        SubscriptionsCommand::Set(set) => {
            let (change, what) = (
                set.to_change(session).await?,
                format!("subscribe to {}", set.signal_type),
            );
            let how = if set.ids {
                subscriptions::upsert
            } else {
                subscriptions::set
            };
            let request = how(&set.signal_type, &change);
            if set.ids {
                let written = Written {
                    what,
                    columns: columns::SUBSCRIPTION_COLUMNS_WITH_IDS,
                    sentence: format!("subscribed to {}", set.signal_type),
                    value: serde_json::json!({"signal_type": set.signal_type}),
                };
                return set.dry.write(request, written, session).await;
            }
            if set.dry.print_unsent(session.output, [&request])? {
                return Ok(());
            }
            ListArgs::default()
                .fetch_and_print(session, request, columns::SUBSCRIPTION_COLUMNS, &what)
                .await
        }
        SubscriptionsCommand::Remove { signal_type, dry } => {
            let (request, named) = match signal_type.to_string().parse() {
                Ok(id) => (subscriptions::remove_by_id(id), "id"),
                Err(_) => (subscriptions::remove(signal_type), "signal_type"),
            };
            let removal = Removal {
                what: format!("unsubscribe from {signal_type}"),
                question: format!(
                    "Unsubscribe the whole workspace from {signal_type}? Its signals leave the queue"
                ),
                sentence: format!("unsubscribed from {signal_type}"),
                value: serde_json::json!({named: signal_type, "removed": true}),
            };
            dry.remove(request, removal, session).await
        }
        SubscriptionsCommand::Bulk { types, dry } => {
            let named = |name: &str| {
                parse_signal_type(name).map_err(|why| CliError::usage(format!("{name:?}: {why}")))
            };
            let entry = |text: &String| match text.split_once('=') {
                Some((name, level)) if PRIORITIES.contains(&level) => {
                    Ok((named(name)?, Some(level.into())))
                }
                Some((_, level)) => Err(CliError::usage(format!(
                    "invalid priority {level:?}: use high, medium or low"
                ))),
                None => Ok((named(text)?, None)),
            };
            let types = types.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
            if types.len() > MAX_BULK_SUBSCRIPTIONS {
                return Err(CliError::usage(format!(
                    "{} types are too many for one request",
                    types.len()
                ))
                .with_hint(format!("give at most {MAX_BULK_SUBSCRIPTIONS}")));
            }
            if let Some((twice, _)) = types
                .iter()
                .enumerate()
                .find_map(|(n, (name, _))| types[..n].iter().find(|(other, _)| other == name))
            {
                return Err(CliError::usage(format!("{twice} is given twice")));
            }
            let request = subscriptions::set_bulk(
                &with_current_priorities(types, client)
                    .await
                    .context("subscribe")?,
            );
            if dry.print_unsent(session.output, [&request])? {
                return Ok(());
            }
            ListArgs::default()
                .fetch_and_print(session, request, columns::SUBSCRIPTION_COLUMNS, "subscribe")
                .await
        }
    }
}

/// Types without a priority keep the one they have: the service would set them to medium.
async fn with_current_priorities(
    types: Vec<(SignalType, Option<Priority>)>,
    client: &Client,
) -> Result<Vec<(SignalType, Priority)>, RequestError> {
    let is_known = types.iter().all(|(_, priority)| priority.is_some());
    let now = if is_known {
        Vec::new()
    } else {
        client.subscriptions().await?.value
    };
    let current = |kind: &SignalType| {
        now.iter()
            .find(|it| it.signal_type == *kind)
            .and_then(|it| it.priority.clone())
    };
    let filled = |(kind, given): (SignalType, Option<Priority>)| {
        let priority = given.or_else(|| current(&kind)).unwrap_or(Priority::Medium);
        (kind, priority)
    };
    Ok(types.into_iter().map(filled).collect())
}

impl SubscriptionSetArgs {
    /// The channels to set: other channels than mail stay as they are. `None` if nothing changes.
    async fn channels(&self, client: &Client) -> Result<Option<Vec<String>>, RequestError> {
        if !self.email && !self.no_email {
            return Ok(None);
        }
        let now = client
            .subscriptions()
            .await?
            .value
            .into_iter()
            .find(|it| it.signal_type == self.signal_type);
        let now = now.unwrap_or_else(|| Subscription::with_defaults(self.signal_type.clone()));
        Ok(Some(now.channels_with_email(self.email)).filter(|channels| *channels != now.channels))
    }

    async fn to_change(
        &self,
        session: &Session,
    ) -> Result<subscriptions::SubscriptionChange, CliError> {
        let flag = |on: bool, off: bool| if on { Some(true) } else { off.then_some(false) };
        let recipients = match &self.recipients {
            None => None,
            Some(members) => {
                let members = members
                    .split(',')
                    .map(str::trim)
                    .filter(|member| !member.is_empty());
                Some(
                    find_ids::<UserId>(&members.map(str::to_owned).collect::<Vec<_>>(), session)
                        .await?,
                )
            }
        };
        if recipients
            .as_ref()
            .is_some_and(|all| all.len() > MAX_RECIPIENTS)
        {
            return Err(CliError::usage(format!(
                "a subscription has at most {MAX_RECIPIENTS} recipients"
            ))
            .with_hint("--notify-all notifies all members"));
        }
        Ok(subscriptions::SubscriptionChange {
            priority: self.priority.clone(),
            channels: self
                .channels(&session.client)
                .await
                .context(&format!("subscribe to {}", self.signal_type))?,
            notify_all_members: flag(self.notify_all, self.notify_chosen),
            recipient_user_ids: recipients,
        })
    }
}
