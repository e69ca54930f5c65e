//! Whatever strangers write into filings, names and notes, a command prints it as text that cannot
//! control the terminal.

use crate::golden::{GOLDEN_FILES, SHELL_HELPERS};
use crate::injecting_proxy::{InjectingProxy, is_harmless};
use crate::spawned_service::SpawnedService;

const OUTPUT_FORMATS: [&str; 4] = ["table", "json", "jsonl", "csv"];

#[test]
fn every_verb_prints_untrusted_text_safely() {
    let served = SpawnedService::start(&[
        "--seed",
        "7",
        "--projects",
        "60",
        "--as-of",
        "2026-07-01T17:42:00Z",
    ]);
    let upstream = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap()
        .1
        .clone();
    let proxy = InjectingProxy::start(&upstream);
    let (mut shown, mut lines) = (0, 0);
    for (n, line) in GOLDEN_FILES
        .iter()
        .flat_map(|(_, lines)| *lines)
        .enumerate()
    {
        for format in [OUTPUT_FORMATS[n % 4], OUTPUT_FORMATS[(n + 1) % 4]] {
            let line = line.replace("{n}", "1");
            // Ids are looked up directly; only the tested command goes through the proxy.
            let output = served.run(&format!(
                "{SHELL_HELPERS}echo x | GANTRY_BASE_URL={} gantry {line} --format {format}",
                proxy.base_url
            ));
            for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
                let text = std::str::from_utf8(bytes)
                    .unwrap_or_else(|_| panic!("{line}: {stream} is not text"));
                if let Some(c) = text
                    .chars()
                    .find(|c| !matches!(c, '\n') && !is_harmless(*c))
                {
                    panic!("gantry {line} --format {format}: {c:?} on {stream}:\n{text:?}");
                }
            }
            let output_text = String::from_utf8_lossy(&output.stdout);
            shown += usize::from(
                ["Harbor Yard Lofts and a long", "東京都", "漢字", "ห้องน้ำ"]
                    .iter()
                    .any(|text| output_text.contains(text)),
            );
            lines += 1;
        }
    }
    assert!(
        shown * 4 > lines,
        "only {shown} of {lines} showed injected text: the test covers too little"
    );
}
