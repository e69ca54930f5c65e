//! The feed's commands.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::copy_commands::show_command;
use crate::app::context::{clipboard, global_commands};
use crate::app::effect::RecordKey;
use crate::app::format::humanize;
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::feed::filter::{DateRange, NamedFilter};
use crate::app::panes::feed::messages::FeedPrompt;
use crate::app::panes::feed::{FeedPane, filter, project_name};
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::domain::book::Dataset;
use crate::domain::cities::strip_state;
use crate::domain::signals::{Signal, SignalType};
use crate::text;

type Row = PaneCommand<FeedPane>;

const UNSTATED_PRICE: &str = "price not stated by the service";
/// Cells of a value in the list of filters.
const VALUE_WIDTH: usize = 40;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("feed.open", &shared::OPEN, |feed, cx| {
        feed.panel_open = true;
        feed.read_payload(cx);
    })
    .with_keys(&["Enter"])
    .with_description("open the signal and load what its source sent")
    .with_price(UNSTATED_PRICE, |feed, cx| {
        if feed.needs_payload() {
            cx.descriptions.signal_price()
        } else {
            Price::Free
        }
    })
    .with_hint(1)
    .available_when(has_row),
    Row::at("feed.panel", &shared::DETAILS, |feed, _| {
        feed.panel_open = true;
    })
    .available_when(can_show_panel),
    Row::at("feed.list", &shared::LEFT, |feed, _| {
        feed.panel_open = false
    })
    .with_title("list")
    .with_hint(2)
    .available_when(|_, cx| require(cx.frame.layout().panel.is_empty(), "the list is shown")),
    Row::at("feed.filter", &shared::FILTER, choose_filter)
        .with_description("filter by type, city, words, dates, project or account")
        .with_hint(3),
    Row::new(
        "feed.type",
        &[],
        "type",
        "show only one type of signal",
        choose_type,
    )
    .with_cost(UNSTATED_PRICE),
    Row::new(
        "feed.only.project",
        &["p"],
        "project only",
        "show only this row's project, or all projects again",
        toggle_project,
    )
    .with_price(UNSTATED_PRICE, |_, cx| cx.descriptions.signal_price())
    .with_hint_text(6, |feed, _| {
        Some(if feed.filter.feed.project_id.is_some() {
            "all projects"
        } else {
            "project only"
        })
    })
    .available_when(can_toggle_project),
    Row::new(
        "feed.city",
        &[],
        "city",
        "show only signals in a city",
        |feed, cx| feed.ask(FeedPrompt::City, cx),
    )
    .with_cost(UNSTATED_PRICE),
    Row::new(
        "feed.words",
        &[],
        "words",
        "show only signals with words in filing number, URL or project",
        |feed, cx| feed.ask(FeedPrompt::Words, cx),
    )
    .with_cost(UNSTATED_PRICE),
    Row::new(
        "feed.filed",
        &[],
        "filed",
        "show only signals filed in a range of days",
        |feed, cx| feed.ask(FeedPrompt::Filed, cx),
    )
    .with_cost(UNSTATED_PRICE),
    Row::new(
        "feed.discovered",
        &[],
        "found",
        "show only signals found since a day",
        |feed, cx| feed.ask(FeedPrompt::Discovered, cx),
    )
    .with_cost(UNSTATED_PRICE),
    Row::new(
        "feed.all.accounts",
        &[],
        "all accounts",
        "show signals of all accounts again",
        |feed, cx| {
            feed.change_filter(cx, |filter| filter.feed.account_id = None);
        },
    )
    .with_price(UNSTATED_PRICE, |_, cx| cx.descriptions.signal_price())
    .available_when(|feed, _| {
        require(
            feed.filter.feed.account_id.is_some(),
            "{go.feed} on an account shows its signals",
        )
    }),
    Row::at("feed.clear", &shared::NO_FILTER, |feed, cx| {
        feed.set_filter(NamedFilter::default(), cx);
    })
    .with_price(UNSTATED_PRICE, |_, cx| cx.descriptions.signal_price())
    .with_hint(8)
    .available_when(|feed, _| require(!feed.filter.is_unfiltered(), "no filter is set")),
    Row::at("feed.more", &shared::MORE, |feed, cx| {
        if let Some(offset) = feed.next_offset {
            feed.read(offset, cx);
        }
    })
    .with_title("more")
    .with_price(UNSTATED_PRICE, |_, cx| cx.descriptions.signal_price())
    .with_hint(5)
    .available_when(can_load_more),
    Row::at("feed.refresh", &shared::REFRESH, FeedPane::refresh)
        .with_price(UNSTATED_PRICE, |_, cx| cx.descriptions.signal_price())
        .with_hint(9),
    Row::at("feed.down", &shared::PANEL_DOWN, |feed, _| {
        feed.panel_top = feed.panel_top.saturating_add(1);
    })
    .with_hint_text(3, |_, cx| {
        cx.frame.layout().panel.is_empty().then_some("scroll")
    }),
    Row::at("feed.up", &shared::PANEL_UP, |feed, _| {
        feed.panel_top = feed.panel_top.saturating_sub(1);
    }),
    Row::at("feed.project", &shared::PROJECT, open_project)
        .with_title("project page")
        .with_price("1 cr once per project", |feed, cx| {
            let project = feed.current().and_then(|signal| signal.project_id);
            project.map_or(Price::Free, |project| {
                cx.records.record_price(RecordKey::of_project(project))
            })
        })
        .with_hint(7)
        .available_when(has_project),
    Row::at("feed.source", &shared::SOURCE, |feed, cx| {
        if let Some(url) = feed.current().and_then(|signal| signal.source_url.clone()) {
            clipboard::open_web_page(url, &mut cx.ui, &mut cx.work);
        }
    })
    .with_hint(10)
    .available_when(has_source),
    Row::at("feed.copy.id", &shared::COPY_ID, |feed, cx| {
        copy(feed, cx, "id", |signal| Some(signal.id.to_string()));
    })
    .with_description("copy the id of the signal")
    .available_when(has_row),
    Row::at("feed.copy.url", &shared::COPY_URL, |feed, cx| {
        copy(feed, cx, "URL", |signal| signal.source_url.clone());
    })
    .with_description("copy the URL of the filing's page")
    .available_when(has_source),
    Row::at("feed.copy.more", &shared::COPY_MORE, |feed, cx| {
        let signal = feed.current();
        let number = signal.and_then(|signal| signal.source_filing_id.clone());
        let show = signal.map(|signal| show_command(&signal.id));
        cx.ui.offer_copies([
            (
                "filter, as a gantry command",
                "command",
                vec![feed.filter.to_command()],
            ),
            (
                "number of the filing",
                "filing number",
                number.into_iter().collect(),
            ),
            (
                "gantry command that shows it",
                "command",
                show.into_iter().collect(),
            ),
        ]);
    }),
    Row::at("feed.copy.name", &shared::COPY_NAME, |feed, cx| {
        copy(feed, cx, "name", |signal| signal.project_name.clone());
    })
    .available_when(has_row),
    Row::at("feed.copy.address", &shared::COPY_ADDRESS, |feed, cx| {
        copy(feed, cx, "address", |signal| {
            signal.project_primary_address.clone()
        });
    })
    .available_when(has_row),
    Row::at("feed.copy.json", &shared::COPY_JSON, |feed, cx| {
        copy(feed, cx, "JSON", |signal| {
            serde_json::to_string_pretty(signal).ok()
        });
    })
    .with_description("copy the signal as JSON, with what its source sent if that is loaded")
    .available_when(has_row),
    Row::new(
        "go.feed",
        &["g f"],
        "feed",
        "go to the feed: all signals, or those of this account or project",
        FeedPane::open,
    )
    .in_scope(Scope::Global)
    .with_price(UNSTATED_PRICE, |feed, cx| {
        if feed.reads_on_open(cx) {
            cx.descriptions.signal_price()
        } else {
            Price::Free
        }
    })
    .available_when(|_, cx| cx.session.can_leave_dashboard()),
];

fn has_row(feed: &FeedPane, _: &Context) -> Availability {
    require(feed.current().is_some(), "no signal here")
}

fn can_show_panel(feed: &FeedPane, cx: &Context) -> Availability {
    has_row(feed, cx)?;
    require(cx.frame.layout().side_panel.is_empty(), "they are shown")
}

fn has_project(feed: &FeedPane, cx: &Context) -> Availability {
    has_row(feed, cx)?;
    let project = feed.current().and_then(|signal| signal.project_id);
    require(project.is_some(), "this signal has no project")
}

fn can_toggle_project(feed: &FeedPane, cx: &Context) -> Availability {
    if feed.filter.feed.project_id.is_some() {
        Ok(())
    } else {
        has_project(feed, cx)
    }
}

fn has_source(feed: &FeedPane, cx: &Context) -> Availability {
    has_row(feed, cx)?;
    global_commands::check_web_page(
        feed.current()
            .and_then(|signal| signal.source_url.as_deref()),
    )
}

fn can_load_more(feed: &FeedPane, _: &Context) -> Availability {
    match (&feed.load, feed.next_offset) {
        (LoadState::Loading, _) => Err("the feed is loading".into()),
        (_, Some(_)) if !feed.rows.is_empty() => Ok(()),
        _ => Err("all signals are loaded".into()),
    }
}

fn copy(feed: &FeedPane, cx: &mut Context, what: &str, pick: impl Fn(&Signal) -> Option<String>) {
    cx.copy_to_clipboard(what, feed.current_with_payload().and_then(pick));
}

fn open_project(feed: &mut FeedPane, cx: &mut Context) {
    let Some(signal) = feed.current() else { return };
    let Some(project) = signal.project_id else {
        return;
    };
    let key = RecordKey {
        dataset: Dataset::Projects,
        id: project.0,
        in_book: false,
    };
    cx.work
        .perform(Action::OpenRecord(key, project_name(signal).to_owned()));
}

fn toggle_project(feed: &mut FeedPane, cx: &mut Context) {
    let of_row = feed
        .current()
        .map(|signal| (signal.project_id, project_name(signal).to_owned()));
    feed.change_filter(cx, |filter| {
        (filter.feed.project_id, filter.project_name) = match (filter.feed.project_id, of_row) {
            (None, Some(project)) => project,
            _ => (None, String::new()),
        };
    });
}

/// Lists what the feed is filtered by.
fn choose_filter(feed: &mut FeedPane, cx: &mut Context) {
    let filter = &feed.filter;
    let value = |value: &str| match value {
        "" => "any".to_owned(),
        value => {
            text::truncate(value, VALUE_WIDTH, cx.settings.theme.glyphs().ellipsis).into_owned()
        }
    };
    let range = |range: DateRange| value(&range.in_words().unwrap_or_default());
    let option = |label: &str, note: String, id: &'static str| ChoiceOption {
        label: label.to_owned(),
        note,
        action: Action::RunCommand(id),
    };
    let kind = filter
        .feed
        .signal_type
        .as_ref()
        .map(|kind| humanize(kind.as_str()))
        .unwrap_or_default();
    let project = if filter.feed.project_id.is_some() {
        "project: show all again"
    } else {
        "project: only this row's"
    };
    let account = if filter.feed.account_id.is_some() {
        "account: show all again"
    } else {
        "account"
    };
    let options = vec![
        option("type", value(&kind), "feed.type"),
        option("city", value(&filter.feed.city), "feed.city"),
        option("words", value(&filter.feed.q), "feed.words"),
        option("filed", range(filter.filed()), "feed.filed"),
        option("found", range(filter.discovered()), "feed.discovered"),
        option(project, value(&filter.project_name), "feed.only.project"),
        option(account, value(&filter.account_name), "feed.all.accounts"),
        option("clear all", String::new(), "feed.clear"),
    ];
    cx.ui.overlay = Some(Overlay::Choice(Choice::new(
        "Filter the feed",
        cx.descriptions.signal_price().stated(),
        options,
    )));
}

fn choose_type(feed: &mut FeedPane, cx: &mut Context) {
    let any = PickerEntry {
        label: "any type".to_owned(),
        ..PickerEntry::default()
    };
    let known = SignalType::ALL.iter().map(|kind| PickerEntry {
        key: kind.as_str().to_owned(),
        detail: kind.description().to_owned(),
        ..PickerEntry::default()
    });
    let current = SignalType::ALL
        .iter()
        .position(|kind| Some(kind) == feed.filter.feed.signal_type.as_ref());
    let kind = PickerKind::Answer(FeedPrompt::Type.into());
    let entries = [any].into_iter().chain(known).collect();
    let mut picker = Picker::single_choice(
        "Type of signal".to_owned(),
        &cx.descriptions.signal_price().stated(),
        entries,
        kind,
    );
    picker.scroll.cursor = current.map_or(0, |at| at + 1);
    cx.ui.overlay = Some(Overlay::Picker(picker));
}

impl FeedPane {
    /// Asks for a text, beginning with the current one.
    fn ask(&self, prompt: FeedPrompt, cx: &mut Context) {
        let (text, hint) = match prompt {
            FeedPrompt::Type => (String::new(), ""),
            FeedPrompt::City => (self.filter.feed.city.clone(), ""),
            FeedPrompt::Words => (self.filter.feed.q.clone(), ""),
            FeedPrompt::Filed => (self.filter.filed().to_text(), filter::RANGE_EXAMPLES),
            FeedPrompt::Discovered => (self.filter.discovered().to_text(), filter::START_EXAMPLES),
        };
        cx.ui.prompt = Some(
            Prompt::new(prompt.label(), &text, prompt).with_price(cx.descriptions.signal_price()),
        );
        cx.ui.notice = (!hint.is_empty()).then(|| Notice::info(hint));
    }

    /// Takes the answer to a prompt. Dates that are not understood stay in it, with the reason.
    pub fn on_prompt(&mut self, prompt: FeedPrompt, text: &str, cx: &mut Context) {
        let today = cx.clock.service_now().date_naive();
        match prompt {
            FeedPrompt::Type => {
                let kind = (!text.is_empty()).then(|| SignalType::from(text));
                self.change_filter(cx, |filter| filter.feed.signal_type = kind);
            }
            FeedPrompt::City => self.change_filter(cx, |filter| {
                strip_state(text).clone_into(&mut filter.feed.city);
            }),
            FeedPrompt::Words => {
                self.change_filter(cx, |filter| text.clone_into(&mut filter.feed.q))
            }
            FeedPrompt::Filed => match DateRange::parse(text, today) {
                Ok(range) => self.change_filter(cx, |filter| filter.set_filed(range)),
                Err(why) => prompt.reopen(text, &why, filter::RANGE_EXAMPLES, cx),
            },
            FeedPrompt::Discovered => match filter::parse_start(text, today) {
                Ok(first) => self.change_filter(cx, |filter| filter.set_discovered(first)),
                Err(why) => prompt.reopen(text, &why, filter::START_EXAMPLES, cx),
            },
        }
    }
}

impl FeedPrompt {
    fn label(self) -> &'static str {
        match self {
            FeedPrompt::Type => "type",
            FeedPrompt::City => "city",
            FeedPrompt::Words => "words",
            FeedPrompt::Filed => "filed",
            FeedPrompt::Discovered => "found since",
        }
    }

    fn reopen(self, text: &str, why: &str, examples: &str, cx: &mut Context) {
        cx.ui.prompt = Some(
            Prompt::with_rejected(self.label(), text, self)
                .with_price(cx.descriptions.signal_price()),
        );
        cx.ui.warn(format!("{why}: {examples}"));
    }
}
