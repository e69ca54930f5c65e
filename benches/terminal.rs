//! What a key costs the terminal: bytes written and time taken, from the key to the last byte of
//! its frame, beside a bare ratatui list in the same run. It prints two tables.
//!
//! The peer is a ratatui `List` of the visible rows in a bordered block, drawn by ratatui's own
//! `CrosstermBackend` after each key. Both write into a sink that counts. `cargo bench --bench
//! terminal`

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "the tables are its result")]

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gantry::app::effect::{Effect, ServiceCall};
use gantry::app::msg::{Msg, Reply};
use gantry::app::{AppSettings, Console, ConsoleSession};
use gantry::domain::SignalId;
use gantry::domain::pages::Page;
use gantry::domain::queue::QueueSignal;
use gantry::runtime::frame_writer::FrameWriter;
use gantry::ui::{ColorDepth, Theme};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListState};
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;
use uuid::Uuid;

const SIZES: [(u16, u16); 2] = [(120, 36), (80, 24)];
const TOTALS: [u32; 2] = [200, 100_000];
/// Keys measured for each time.
const TIMED_KEYS: usize = 200;
/// Turns of console and peer.
const ROUNDS: usize = 5;

/// Keys that come before, and the keys that are measured.
struct Scenario {
    name: &'static str,
    before: &'static [(KeyCode, usize)],
    keys: &'static [KeyCode],
    presses: usize,
}

const DOWN: KeyCode = KeyCode::Down;
const UP: KeyCode = KeyCode::Up;

const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "one row down",
        before: &[],
        keys: &[DOWN],
        presses: 10,
    },
    Scenario {
        name: "one row up",
        before: &[(DOWN, 12)],
        keys: &[UP],
        presses: 10,
    },
    Scenario {
        name: "scroll down",
        before: &[(DOWN, 40)],
        keys: &[DOWN],
        presses: 60,
    },
    Scenario {
        name: "scroll up",
        before: &[(DOWN, 130), (UP, 40)],
        keys: &[UP],
        presses: 60,
    },
    Scenario {
        name: "page down, up",
        before: &[],
        keys: &[KeyCode::PageDown, KeyCode::PageUp],
        presses: 10,
    },
    Scenario {
        name: "end, home",
        before: &[],
        keys: &[KeyCode::End, KeyCode::Home],
        presses: 10,
    },
];

/// The preview beside or below the list.
#[derive(Clone, Copy, PartialEq)]
enum Preview {
    Shown,
    Hidden,
    /// It follows the cursor once the key is released.
    Held,
}

impl Preview {
    fn name(self) -> &'static str {
        match self {
            Preview::Shown => "shown",
            Preview::Hidden => "hidden",
            Preview::Held => "shown, key held",
        }
    }
}

fn main() {
    println!(
        "| bytes of a key | rows | preview | {} | bare list |",
        SCENARIOS.map(|s| s.name).join(" | ")
    );
    println!("|---|--:|---|{}--:|", "--:|".repeat(SCENARIOS.len()));
    for (size, total) in SIZES
        .into_iter()
        .flat_map(|size| TOTALS.map(|total| (size, total)))
    {
        for preview in [Preview::Held, Preview::Shown, Preview::Hidden] {
            let bytes = SCENARIOS.map(|scenario| {
                count_bytes(&scenario, &mut GantryList::start(size, total, preview)).to_string()
            });
            let peer = SCENARIOS.map(|scenario| {
                count_bytes(&scenario, &mut BareList::start(size, total)).to_string()
            });
            let (width, height) = size;
            println!(
                "| {width}x{height} | {total} | {} | {} | {} |",
                preview.name(),
                bytes.join(" | "),
                peer.join(", ")
            );
        }
    }
    println!(
        "\n| 120x36, time of a key | rows | console µs | bare list µs | ratio |\n|---|--:|--:|--:|--:|"
    );
    for total in TOTALS {
        for preview in [Preview::Held, Preview::Shown, Preview::Hidden] {
            for scenario in &SCENARIOS {
                let name = format!("{}, preview {}", scenario.name, preview.name());
                print_times(
                    &name,
                    total,
                    || time_keys(scenario, &mut GantryList::start(SIZES[0], total, preview)),
                    || time_keys(scenario, &mut BareList::start(SIZES[0], total)),
                );
            }
        }
        print_times(
            "200 keys at once",
            total,
            || time_burst(&mut GantryList::start(SIZES[0], total, Preview::Shown)),
            || time_burst(&mut BareList::start(SIZES[0], total)),
        );
    }
}

/// Prints the best of several turns of both.
fn print_times(
    name: &str,
    total: u32,
    console: impl Fn() -> Duration,
    peer: impl Fn() -> Duration,
) {
    let best = |times: Vec<Duration>| times.into_iter().min().unwrap().as_secs_f64() * 1e6;
    let (ours, theirs): (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| (console(), peer())).unzip();
    let (ours, theirs) = (best(ours), best(theirs));
    println!(
        "| {name} | {total} | {ours:.1} | {theirs:.1} | {:.2} |",
        ours / theirs
    );
}

/// The median of the bytes that each key writes.
fn count_bytes(scenario: &Scenario, list: &mut dyn KeyedList) -> usize {
    prepare(scenario, list);
    let mut bytes: Vec<usize> = (0..scenario.presses)
        .map(|n| {
            let before = list.written();
            list.press(scenario.keys[n % scenario.keys.len()]);
            list.draw();
            list.settle();
            list.written() - before
        })
        .collect();
    bytes.sort_unstable();
    bytes[bytes.len() / 2]
}

/// The time of a key with its frame: the median for each key of the scenario, and their mean. Keys
/// that cost differently would make the median of all of them jump between the two.
fn time_keys(scenario: &Scenario, list: &mut dyn KeyedList) -> Duration {
    let mut times = vec![Vec::new(); scenario.keys.len()];
    while times[0].len() * times.len() < TIMED_KEYS {
        prepare(scenario, list);
        for n in 0..scenario.presses {
            let key = n % scenario.keys.len();
            let began = Instant::now();
            list.press(scenario.keys[key]);
            list.draw();
            times[key].push(began.elapsed());
            list.settle();
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    times.iter_mut().map(median).sum::<Duration>() / u32::try_from(scenario.keys.len()).unwrap()
}

/// 200 keys that wait when the program looks: the console draws once, the peer after each.
fn time_burst(list: &mut dyn KeyedList) -> Duration {
    let began = Instant::now();
    for n in 0..200 {
        list.press(if n % 50 < 30 { DOWN } else { UP });
        list.draw_if_each_key_is_drawn();
    }
    list.draw();
    began.elapsed()
}

fn prepare(scenario: &Scenario, list: &mut dyn KeyedList) {
    list.press(KeyCode::Home);
    list.draw();
    list.settle();
    for (key, times) in scenario.before {
        for _ in 0..*times {
            list.press(*key);
            list.draw();
            list.settle();
        }
    }
}

trait KeyedList {
    fn press(&mut self, key: KeyCode);
    fn draw(&mut self);
    /// Answers what was read; the list is drawn again if that was anything.
    fn settle(&mut self) {}
    fn draw_if_each_key_is_drawn(&mut self);
    fn written(&self) -> usize;
}

/// Counts what is written.
#[derive(Clone, Default)]
struct Sink(Rc<Cell<usize>>);

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct GantryList {
    app: Console,
    screen: FrameWriter<Sink>,
    sink: Sink,
    total: u32,
    unanswered: Vec<Effect>,
}

impl GantryList {
    fn start(size: (u16, u16), total: u32, preview: Preview) -> GantryList {
        let session = ConsoleSession {
            label: "bench".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: false,
        };
        let theme = Theme {
            depth: ColorDepth::TrueColor,
            ..Theme::default()
        };
        let settings = AppSettings {
            preview_enabled: preview != Preview::Hidden,
            theme,
            ..AppSettings::default()
        };
        let (app, effects) = Console::new(session, settings, size, now());
        let sink = Sink::default();
        let mut list = GantryList {
            app,
            screen: FrameWriter::new(sink.clone(), size),
            sink,
            total,
            unanswered: effects,
        };
        list.settle();
        for key in [KeyCode::End, KeyCode::Home] {
            list.press(key);
            list.draw();
            list.settle();
        }
        list.app.set_key_held(preview == Preview::Held);
        list
    }
}

impl KeyedList for GantryList {
    fn press(&mut self, key: KeyCode) {
        let effects = self
            .app
            .update(Msg::Key(KeyEvent::new(key, KeyModifiers::NONE)), now());
        self.unanswered.extend(effects);
    }

    fn draw(&mut self) {
        self.app.update_layout();
        let app = &self.app;
        self.screen.draw_frame(|buf| app.draw(buf)).unwrap();
    }

    fn settle(&mut self) {
        let mut is_answered = false;
        while let Some(effect) = self.unanswered.pop() {
            if let Effect::Call {
                token,
                call: ServiceCall::Queue { offset, limit, .. },
                ..
            } = effect
            {
                let rows = (offset..(offset + limit).min(self.total))
                    .map(queue_row)
                    .collect();
                let page = Page {
                    rows,
                    offset,
                    total: Some(u64::from(self.total)),
                    ..Page::default()
                };
                self.unanswered.extend(
                    self.app
                        .update(Msg::Replied(token, Ok(Reply::Queue(page))), now()),
                );
                is_answered = true;
            }
        }
        if is_answered {
            self.draw();
        }
    }

    fn draw_if_each_key_is_drawn(&mut self) {}

    fn written(&self) -> usize {
        self.sink.0.get()
    }
}

/// A list as the ratatui book writes it, with the rows on the screen only.
struct BareList {
    terminal: Terminal<CrosstermBackend<Sink>>,
    sink: Sink,
    rows: Vec<[String; 5]>,
    len: usize,
    cursor: usize,
    top: usize,
    height: usize,
}

impl BareList {
    fn start(size: (u16, u16), total: u32) -> BareList {
        let sink = Sink::default();
        let options = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, size.0, size.1)),
        };
        let terminal =
            Terminal::with_options(CrosstermBackend::new(sink.clone()), options).unwrap();
        let rows = (0..total.min(1_000)).map(bare_row).collect();
        let mut list = BareList {
            terminal,
            sink,
            rows,
            len: total as usize,
            cursor: 0,
            top: 0,
            height: usize::from(size.1) - 2,
        };
        list.draw();
        list
    }
}

impl KeyedList for BareList {
    fn press(&mut self, key: KeyCode) {
        let last = self.len - 1;
        self.cursor = match key {
            KeyCode::Down => self.cursor + 1,
            KeyCode::Up => self.cursor.saturating_sub(1),
            KeyCode::PageDown => self.cursor + self.height,
            KeyCode::PageUp => self.cursor.saturating_sub(self.height),
            KeyCode::End => last,
            _ => 0,
        }
        .min(last);
        self.top = self
            .top
            .clamp((self.cursor + 1).saturating_sub(self.height), self.cursor);
    }

    fn draw(&mut self) {
        let shown = (self.top..self.len.min(self.top + self.height)).map(|at| {
            let [priority, kind, filed, name, cost] = &self.rows[at % self.rows.len()];
            Line::from(vec![
                Span::from(priority.as_str())
                    .bold()
                    .fg(Color::Rgb(0xff, 0x87, 0x5f)),
                Span::from(kind.as_str()),
                Span::from(filed.as_str()).fg(Color::Rgb(0x94, 0x94, 0x94)),
                Span::from(name.as_str()),
                Span::from(cost.as_str()).fg(Color::Rgb(0x94, 0x94, 0x94)),
            ])
        });
        let list = List::new(shown)
            .block(Block::bordered().title("New"))
            .highlight_style(Style::new().bg(Color::Rgb(0x3a, 0x3a, 0x3a)))
            .highlight_symbol("▌ ");
        let mut state = ListState::default().with_selected(Some(self.cursor - self.top));
        self.terminal
            .draw(|frame| frame.render_stateful_widget(list, frame.area(), &mut state))
            .unwrap();
    }

    fn draw_if_each_key_is_drawn(&mut self) {
        self.draw();
    }

    fn written(&self) -> usize {
        self.sink.0.get()
    }
}

fn bare_row(n: u32) -> [String; 5] {
    let row = RowText::new(n);
    [
        "H ".to_owned(),
        format!("{:<22}", row.kind.replace('_', " ")),
        format!("{} ", row.filed.get(5..).unwrap()),
        format!("{:<70}", row.name),
        format!("{:>9}", row.cost),
    ]
}

/// The words of a row, as different from those of its neighbors as in a real queue.
struct RowText {
    kind: &'static str,
    priority: &'static str,
    filed: String,
    name: String,
    address: String,
    agency: &'static str,
    cost: u32,
}

impl RowText {
    fn new(n: u32) -> RowText {
        const KINDS: [&str; 5] = [
            "permit_issued",
            "entitlement_approval",
            "construction_loan",
            "permit_filed",
            "environmental_review",
        ];
        const PLACES: [&str; 6] = [
            "Juniper",
            "South of Market",
            "Cypress Hill",
            "Leimert Park",
            "Condor Street",
            "Alder",
        ];
        const USES: [&str; 6] = [
            "Residences",
            "Parking Structure",
            "Health Clinic Fit-Out",
            "Industrial Building D",
            "Lofts",
            "School",
        ];
        const AGENCIES: [&str; 3] = [
            "Boston Inspectional Services",
            "Los Angeles Recorder of Deeds",
            "San Francisco Building",
        ];
        let mixed = n.wrapping_mul(2_654_435_761) >> 8;
        let pick = |words: &[&'static str], by: u32| words[(mixed / by) as usize % words.len()];
        RowText {
            kind: pick(&KINDS, 1),
            priority: pick(&["high", "high", "medium", "low"], 5),
            filed: format!("2026-07-{:02}", 9 - n % 100_000 * 8 / 100_000),
            name: format!("{} {}", pick(&PLACES, 7), pick(&USES, 11)),
            address: format!("{} {} St", mixed % 1_900 + 10, pick(&PLACES, 13)),
            agency: pick(&AGENCIES, 17),
            cost: mixed % 900 * 41_000 + 120_000,
        }
    }
}

fn queue_row(n: u32) -> QueueSignal {
    let row = RowText::new(n);
    serde_json::from_value(json!({
        "id": SignalId(Uuid::from_u128(u128::from(n) + 1)), "signal_type": row.kind, "priority": row.priority, "triage_status": "new",
        "filed_at": format!("{}T00:00:00Z", row.filed), "discovered_at": format!("{}T04:12:00Z", row.filed),
        "project_id": Uuid::from_u128(u128::from(n) + 1), "project_name": row.name, "project_primary_address": row.address,
        "reported_cost_usd": row.cost, "source_filing_id": format!("BP-2026-{n:06}"), "source_display_name": row.agency,
    }))
    .unwrap()
}

fn now() -> DateTime<Utc> {
    "2026-07-09T09:20:14Z".parse().unwrap()
}
