//! Numbers that no service should send, in every response to every command: it ends by itself,
//! within 100 MiB and few requests.
//!
//! Each line is run with one of the values; `GANTRY_NUMBERS=all` runs each with all of them.

use serde_json::{Value, json};

use crate::golden::{GOLDEN_FILES, SHELL_HELPERS, write_files};
use crate::recording_proxy::RecordingProxy;
use crate::spawned_service::SpawnedService;

/// The values that replace each number.
fn replacement_values() -> [Value; 6] {
    [
        json!(0),
        json!(-1),
        json!(1_u64 << 31),
        json!(1_u64 << 63),
        json!(1e300),
        json!("text"),
    ]
}

/// Commands that read a list to its end.
const LIST_ALL_VERBS: &[&str] = &[
    "queue list --all",
    "signals list --all",
    "book accounts search --all",
    "views search $(nth 1 views list) --all",
];
/// The program's memory limit.
const MAX_MEMORY_KIB: u32 = 100 << 10;
/// The maximum number of requests of one command.
const MAX_REQUESTS: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn every_verb_survives_any_number_in_any_response() {
    let served = SpawnedService::start(&["--seed", "13", "--projects", "40", "--book", "30"]);
    write_files(&served);
    let base_url = &served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap()
        .1;
    let proxy = RecordingProxy::start(base_url).await;
    let (all, mut broken) = (
        std::env::var("GANTRY_NUMBERS").is_ok_and(|numbers| numbers == "all"),
        Vec::new(),
    );
    let lines = LIST_ALL_VERBS
        .iter()
        .chain(GOLDEN_FILES.iter().flat_map(|(_, lines)| *lines));
    for (nth, line) in lines.enumerate() {
        let line = line.replace("{n}", &(nth % 4 + 1).to_string());
        for value in replacement_values()
            .into_iter()
            .enumerate()
            .filter(|(at, _)| all || *at == nth % 6)
            .map(|(_, value)| value)
        {
            let with = value.clone();
            proxy.edit_responses(move |_, answer| replace_numbers(answer, &with));
            proxy.take_lines();
            let limits = format!(
                "ulimit -d {MAX_MEMORY_KIB}; export GANTRY_BASE_URL={}",
                proxy.base_url
            );
            // Nested commands bypass the proxy.
            let line = line.replace("$(", &format!("$(export GANTRY_BASE_URL={base_url}; "));
            let output = served.run(&format!(
                "{SHELL_HELPERS}{limits}; echo x | timeout 20 gantry {line}"
            ));
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            let asked = proxy.take_lines();
            if !matches!(output.status.code(), Some(0..=5)) || message.contains("panicked") {
                broken.push(format!("{line} with {value}: {}: {message}", output.status));
            }
            if asked.len() > MAX_REQUESTS {
                broken.push(format!(
                    "{line} with {value}: {} requests: {:?}",
                    asked.len(),
                    &asked[..MAX_REQUESTS]
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn replace_numbers(value: Value, with: &Value) -> Value {
    match value {
        Value::Number(_) => with.clone(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| replace_numbers(item, with))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, replace_numbers(value, with)))
            .collect(),
        other => other,
    }
}
