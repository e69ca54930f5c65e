//! Numbers that no service should send, in every answer to every verb: it ends by itself, within 100 MiB and with few requests.
//!
//! Each line is run with one of the values; `GANTRY_NUMBERS=all` runs each with all of them.

use serde_json::{Value, json};

use crate::golden::{FILES, WORDS, write_files};
use crate::served::Served;
use crate::tap::Tap;

/// What stands in the place of a number.
fn values() -> [Value; 6] {
    [json!(0), json!(-1), json!(1_u64 << 31), json!(1_u64 << 63), json!(1e300), json!("text")]
}

/// Lists that are read to their end, wherever that is.
const WHOLE: &[&str] =
    &["queue list --all", "signals list --all", "book accounts search --all", "views search $(nth 1 views list) --all"];
/// What the program may have in memory.
const MEMORY_KIB: u32 = 100 << 10;
/// Requests that a verb may make.
const REQUESTS: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn any_number_in_any_answer_is_survived_by_every_verb() {
    let served = Served::start(&["--seed", "7", "--projects", "40", "--book", "30"]);
    write_files(&served);
    let base_url = &served.env.iter().find(|(name, _)| *name == "GANTRY_BASE_URL").unwrap().1;
    let tap = Tap::to(base_url).await;
    let (all, mut broken) = (std::env::var("GANTRY_NUMBERS").is_ok_and(|numbers| numbers == "all"), Vec::new());
    let lines = WHOLE.iter().chain(FILES.iter().flat_map(|(_, lines)| *lines));
    for (nth, line) in lines.enumerate() {
        let line = line.replace("{n}", &(nth % 4 + 1).to_string());
        for value in values().into_iter().enumerate().filter(|(at, _)| all || *at == nth % 6).map(|(_, value)| value) {
            let with = value.clone();
            tap.change(move |_, answer| each_number(answer, &with));
            tap.lines();
            let limits = format!("ulimit -d {MEMORY_KIB}; export GANTRY_BASE_URL={}", tap.base_url);
            // What stands in the line's own brackets is asked past the relay.
            let line = line.replace("$(", &format!("$(export GANTRY_BASE_URL={base_url}; "));
            let output = served.run(&format!("{WORDS}{limits}; echo x | timeout 20 gantry {line}"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let asked = tap.lines();
            if !matches!(output.status.code(), Some(0..=5)) || said.contains("panicked") {
                broken.push(format!("{line} with {value}: {}: {said}", output.status));
            }
            if asked.len() > REQUESTS {
                broken.push(format!("{line} with {value}: {} requests: {:?}", asked.len(), &asked[..REQUESTS]));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn each_number(value: Value, with: &Value) -> Value {
    match value {
        Value::Number(_) => with.clone(),
        Value::Array(items) => items.into_iter().map(|item| each_number(item, with)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, each_number(value, with))).collect(),
        other => other,
    }
}
