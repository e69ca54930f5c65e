//! `POST /join`, outside the interface and without credentials: redeems a join code once. The
//! secret is in no message and no log.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::domain::join_code::JoinSecret;
use crate::service::api_error::ApiError;
use crate::service::db::join_codes::{self, Admission, CodeFault};
use crate::service::db::{Conn, secrets};
use crate::service::response::ApiResponse;
use crate::service::validation::InputValue;

/// The size limit of the body.
pub const MAX_BODY_BYTES: usize = 4 << 10;

/// How many codes an address may get wrong within [`FAULT_WINDOW`].
const MAX_FAULTS: u32 = 10;
const FAULT_WINDOW: TimeDelta = TimeDelta::minutes(1);
/// From this many addresses on, those whose window is over are forgotten.
const MAX_ADDRESSES: usize = 1_000;

/// The address from which a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

/// The codes that an address got wrong.
struct Faults {
    count: u32,
    since: DateTime<Utc>,
}

/// Counts the codes that each address got wrong.
#[derive(Default)]
pub struct JoinLimiter(Mutex<HashMap<Option<ClientAddress>, Faults>>);

impl JoinLimiter {
    /// Rejects an address that got too many codes wrong.
    pub fn check(&self, client: Option<ClientAddress>, now: DateTime<Utc>) -> Result<(), ApiError> {
        let faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = faults
            .get(&client)
            .filter(|faults| faults.count >= MAX_FAULTS)
            .map(|faults| faults.since + FAULT_WINDOW);
        match until.filter(|until| *until > now) {
            Some(until) => Err(ApiError {
                retry_after: Some((until - now).num_seconds() + 1),
                ..ApiError::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "rate_limited",
                    "too many wrong join codes: wait a minute",
                )
            }),
            None => Ok(()),
        }
    }

    fn record_fault(&self, client: Option<ClientAddress>, now: DateTime<Utc>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_ADDRESSES {
            all.retain(|_, faults| faults.since + FAULT_WINDOW > now);
        }
        let faults = all.entry(client).or_insert(Faults {
            count: 0,
            since: now,
        });
        if faults.since + FAULT_WINDOW <= now {
            *faults = Faults {
                count: 0,
                since: now,
            };
        }
        faults.count += 1;
    }

    /// Counts the result of an attempt.
    pub fn record<T>(
        &self,
        result: &Result<T, ApiError>,
        client: Option<ClientAddress>,
        now: DateTime<Utc>,
    ) {
        if result
            .as_ref()
            .is_err_and(|error| matches!(error.status, StatusCode::NOT_FOUND | StatusCode::GONE))
        {
            self.record_fault(client, now);
        }
    }
}

/// Redeems the code in a body of `secret` and `name`.
pub fn redeem(conn: &Conn, body: &Value, now: DateTime<Utc>) -> Result<ApiResponse, ApiError> {
    let form = InputValue::root(body)
        .object()?
        .reject_unknown_keys(&["secret", "name"])?;
    let secret = form.required_field("secret")?.text()?.to_owned();
    let name = form.optional_field("name", |at| at.name(200))?;
    let redeemed = match JoinSecret::parse(&secret) {
        Some(secret) => join_codes::redeem(conn, &secret, name, now)?,
        None => Err(CodeFault::Unknown),
    };
    let Admission {
        workspace,
        member,
        secret,
    } = redeemed.map_err(into_api_error)?;
    let scopes = match member {
        Some(_) => vec![secrets::READ_SCOPE, secrets::WRITE_SCOPE],
        None => vec![secrets::READ_SCOPE],
    };
    ApiResponse::from_data(json!({
        "token": secret,
        "scopes": scopes,
        "workspace": {"id": workspace.id, "name": workspace.name},
        "role": member.as_ref().map(|member| &member.role),
        "user": member.as_ref().map(|member| json!({"id": member.id, "email": member.email, "name": member.display_name})),
    }))
}

fn into_api_error(fault: CodeFault) -> ApiError {
    let again = "ask the person who invited you for a new one";
    let gone = |code, what: &str| {
        ApiError::new(
            StatusCode::GONE,
            code,
            format!("this join code {what}: {again}"),
        )
    };
    match fault {
        CodeFault::Unknown => {
            ApiError::not_found(format!("this join code is unknown here: {again}"))
        }
        CodeFault::Used => gone("code_used", "was already used"),
        CodeFault::Revoked => gone("code_revoked", "was revoked"),
        CodeFault::Expired => gone("code_expired", "has expired"),
        CodeFault::NameMissing => {
            ApiError::invalid_field("required", &["name".into()], "is required", Value::Null)
        }
    }
}
