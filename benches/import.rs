//! How fast permits are read and a sample world is made: rows a second, projects a second.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::fmt::Write as _;
use std::ops::ControlFlow;

use divan::Bencher;
use divan::counter::ItemsCount;
use gantry::service::import::{CommitMode, import_run, layout::PermitLayout};
use gantry::service::{Storage, db, sample};

fn main() {
    divan::main();
}

/// A file of so many rows: the excerpt again and again, each time with permits and parcels of its
/// own.
fn permit_csv(rows: usize) -> String {
    let excerpt = include_str!("../tests/data/san_francisco_400.csv");
    let mut lines = excerpt.lines();
    let mut out = lines.next().unwrap().to_owned();
    let body: Vec<&str> = lines.collect();
    for nth in 0..rows {
        let line = body[nth % body.len()];
        let round = nth / body.len();
        let columns: Vec<&str> = line.splitn(7, ',').collect();
        let [permit, kind, words, made, block, lot, rest] = columns[..] else {
            continue;
        };
        write!(
            out,
            "\n{permit}-{round},{kind},{words},{made},{block},{lot}-{round},{rest}"
        )
        .unwrap();
    }
    out
}

#[divan::bench(args = [20_000], sample_count = 5, sample_size = 1)]
fn import_san_francisco_rows(bencher: Bencher, rows: usize) {
    let text = permit_csv(rows);
    let layout = PermitLayout::find("san-francisco", &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut nth = 0;
    bencher
        .counter(ItemsCount::new(rows))
        .with_inputs(|| {
            nth += 1;
            db::open_writer(&Storage::File(folder.path().join(format!("{nth}.db")))).unwrap()
        })
        .bench_local_refs(|conn| {
            import_run::read_file(
                conn,
                &layout,
                text.as_bytes(),
                None,
                &mut |_| ControlFlow::Continue(()),
                CommitMode::Commit,
                "2026-07-09T16:20:00Z".parse().unwrap(),
            )
            .unwrap()
        });
}

#[divan::bench(args = [500, 5_000], sample_count = 5, sample_size = 1)]
fn generate_sample_projects(bencher: Bencher, projects: usize) {
    let now = "2026-07-09T16:20:00Z".parse().unwrap();
    bencher
        .counter(ItemsCount::new(projects))
        .with_inputs(|| db::open_writer(&Storage::Memory).unwrap())
        .bench_local_refs(|conn| {
            let tx = conn.begin_write().unwrap();
            sample::fill_database(&tx, 1, projects, None, now).unwrap();
            tx.commit().unwrap();
        });
}
