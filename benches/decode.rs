//! Reading a page of 200 queue signals, as the console does at its start and after each move.

use divan::{Bencher, black_box};
use gantry::client::read_rows;
use gantry::domain::queue::QueueSignal;
use gantry::interface::PayloadPath;
use serde_json::json;

fn main() {
    divan::main();
}

fn queue_page_json(rows: u32) -> String {
    let row = |n: u32| {
        json!({
            "id": format!("018f4d3a-0000-7000-8000-{n:012}"),
            "project_id": format!("018f4d3a-0000-7000-9000-{n:012}"),
            "source_id": "018f4d3a-0000-7000-a000-000000000001",
            "project_name": format!("Harbor Yard Lofts {n}"),
            "project_primary_address": format!("{n} Harbor Street"),
            "signal_type": "permit_filed",
            "filed_at": "2026-07-02T09:00:00Z",
            "discovered_at": "2026-07-03T04:12:33Z",
            "source_slug": "austin-permits",
            "source_display_name": "City of Austin",
            "source_base_url": "https://permits.austin.example",
            "source_logo_domain": "austin.example",
            "source_filing_id": format!("BP-2026-{n:06}"),
            "source_url": format!("https://permits.austin.example/BP-2026-{n:06}"),
            "reported_cost_usd": 41_200_000,
            "reported_gross_floor_area_sf": 182_000.5,
            "triage_status": "new",
            "priority": "high",
            "triaged_by": null,
            "triaged_at": null,
        })
    };
    let rows: Vec<_> = (0..rows).map(row).collect();
    json!({"signals": rows, "pagination": {"limit": 200, "offset": 0, "total": 4812}}).to_string()
}

#[divan::bench]
fn decode_200_queue_signals(bencher: Bencher) {
    let text = queue_page_json(200);
    bencher
        .counter(divan::counter::BytesCount::of_str(&text))
        .with_inputs(|| text.clone())
        .bench_values(|text| {
            read_rows::<QueueSignal>(black_box(text), PayloadPath::Key("signals"))
        });
}
