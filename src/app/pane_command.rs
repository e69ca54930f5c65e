//! Rows of the command table: a command, when it is available, and what it does.

use crate::app::Context;
use crate::app::command::shared::SharedCommand;
use crate::app::command::{Availability, Command, Scope};
use crate::app::price::Price;

/// A command and what it does to its pane.
pub struct PaneCommand<P: 'static> {
    pub command: Command,
    hint_text: Option<fn(&P, &Context) -> Option<&'static str>>,
    must_defer: fn(&P, &Context) -> bool,
    price: fn(&P, &Context) -> Price,
    availability: fn(&P, &Context) -> Availability,
    run: fn(&mut P, &mut Context),
}

impl<P: 'static> PaneCommand<P> {
    /// The footer text; `None` when the command is unavailable or the hint would mislead.
    pub fn hint_text(&self, pane: &P, cx: &Context) -> Option<&'static str> {
        let text = self
            .hint_text
            .map_or(Some(self.command.title), |text| text(pane, cx))?;
        self.availability(pane, cx).is_ok().then_some(text)
    }

    /// Whether it must wait until pending writes are done.
    pub fn must_defer(&self, pane: &P, cx: &Context) -> bool {
        (self.must_defer)(pane, cx)
    }

    /// Whether it is available now; a command that writes is not where nothing may be written.
    pub fn availability(&self, pane: &P, cx: &Context) -> Availability {
        if self.command.writes {
            cx.can_write()?;
        }
        (self.availability)(pane, cx)
    }

    /// What it costs now, at most.
    pub fn price(&self, pane: &P, cx: &Context) -> Price {
        (self.price)(pane, cx)
    }

    pub fn run(&self, pane: &mut P, cx: &mut Context) {
        (self.run)(pane, cx);
    }

    /// A command that is always available, writes nothing, costs nothing and has no hint.
    pub const fn new(
        id: &'static str,
        keys: &'static [&'static str],
        title: &'static str,
        description: &'static str,
        scope: Scope,
        run: fn(&mut P, &mut Context),
    ) -> Self {
        PaneCommand::from_command(Command::new(id, keys, title, description, scope), run)
    }

    /// A command that works in several places, in one of them.
    pub const fn at(
        id: &'static str,
        shared: &'static SharedCommand,
        scope: Scope,
        run: fn(&mut P, &mut Context),
    ) -> Self {
        PaneCommand::from_command(Command::at(id, shared, scope), run)
    }

    const fn from_command(command: Command, run: fn(&mut P, &mut Context)) -> Self {
        PaneCommand {
            command,
            hint_text: None,
            must_defer: |_, _| false,
            price: |_, _| Price::Free,
            availability: |_, _| Ok(()),
            run,
        }
    }

    /// Keys of its own in this place.
    pub const fn with_keys(self, keys: &'static [&'static str]) -> Self {
        PaneCommand {
            command: Command {
                keys,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_title(self, title: &'static str) -> Self {
        PaneCommand {
            command: Command {
                title,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_description(self, description: &'static str) -> Self {
        PaneCommand {
            command: Command {
                description,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_words(self, title: &'static str, description: &'static str) -> Self {
        self.with_title(title).with_description(description)
    }

    /// Defers the command while this holds.
    pub const fn deferred_while(self, waits: fn(&P, &Context) -> bool) -> Self {
        PaneCommand {
            must_defer: waits,
            ..self
        }
    }

    pub const fn with_hint(self, place: u8) -> Self {
        PaneCommand {
            command: Command {
                hint: place,
                ..self.command
            },
            ..self
        }
    }

    /// Shows the command at this place of the footer, with a text that depends on the state; `None`
    /// shows no hint.
    pub const fn with_hint_text(
        self,
        place: u8,
        text: fn(&P, &Context) -> Option<&'static str>,
    ) -> Self {
        PaneCommand {
            command: Command {
                hint: place,
                ..self.command
            },
            hint_text: Some(text),
            ..self
        }
    }

    pub const fn with_write(self) -> Self {
        PaneCommand {
            command: Command {
                writes: true,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_immediate_write(self) -> Self {
        PaneCommand {
            command: Command {
                writes: true,
                writes_immediately: true,
                ..self.command
            },
            ..self
        }
    }

    /// It may cost something: `cost` says so in general, `price` what it is now. What it spends
    /// beyond that is asked about first.
    pub const fn with_price(self, cost: &'static str, price: fn(&P, &Context) -> Price) -> Self {
        PaneCommand {
            command: Command {
                cost,
                ..self.command
            },
            price,
            ..self
        }
    }

    /// It leads to something that costs, but spends nothing itself.
    pub const fn with_cost(self, cost: &'static str) -> Self {
        PaneCommand {
            command: Command {
                cost,
                ..self.command
            },
            ..self
        }
    }

    pub const fn available_when(self, can: fn(&P, &Context) -> Availability) -> Self {
        PaneCommand {
            availability: can,
            ..self
        }
    }
}

/// A command that needs no pane: it acts on the context.
pub struct ContextCommand {
    pub command: Command,
    hint_text: Option<fn(&Context) -> Option<&'static str>>,
    must_defer: fn(&Context) -> bool,
    price: fn(&Context) -> Price,
    availability: fn(&Context) -> Availability,
    acts_locally: bool,
    run: fn(&mut Context),
}

impl ContextCommand {
    /// As [`PaneCommand::hint_text`].
    pub fn hint_text(&self, cx: &Context) -> Option<&'static str> {
        let text = self
            .hint_text
            .map_or(Some(self.command.title), |text| text(cx))?;
        self.availability(cx).is_ok().then_some(text)
    }

    pub fn must_defer(&self, cx: &Context) -> bool {
        (self.must_defer)(cx)
    }

    /// As [`PaneCommand::availability`].
    pub fn availability(&self, cx: &Context) -> Availability {
        if self.command.writes && !self.acts_locally {
            cx.can_write()?;
        }
        (self.availability)(cx)
    }

    /// As [`PaneCommand::price`].
    pub fn price(&self, cx: &Context) -> Price {
        (self.price)(cx)
    }

    pub fn run(&self, cx: &mut Context) {
        (self.run)(cx);
    }

    pub const fn new(
        id: &'static str,
        keys: &'static [&'static str],
        title: &'static str,
        description: &'static str,
        scope: Scope,
        run: fn(&mut Context),
    ) -> Self {
        ContextCommand::from_command(Command::new(id, keys, title, description, scope), run)
    }

    /// A command that works in several places, in one of them.
    pub const fn at(
        id: &'static str,
        shared: &'static SharedCommand,
        scope: Scope,
        run: fn(&mut Context),
    ) -> Self {
        ContextCommand::from_command(Command::at(id, shared, scope), run)
    }

    const fn from_command(command: Command, run: fn(&mut Context)) -> Self {
        ContextCommand {
            command,
            hint_text: None,
            must_defer: |_| false,
            price: |_| Price::Free,
            availability: |_| Ok(()),
            acts_locally: false,
            run,
        }
    }

    /// Keys of its own in this place.
    pub const fn with_keys(self, keys: &'static [&'static str]) -> Self {
        ContextCommand {
            command: Command {
                keys,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_title(self, title: &'static str) -> Self {
        ContextCommand {
            command: Command {
                title,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_description(self, description: &'static str) -> Self {
        ContextCommand {
            command: Command {
                description,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_words(self, title: &'static str, description: &'static str) -> Self {
        self.with_title(title).with_description(description)
    }

    pub const fn deferred_while(self, waits: fn(&Context) -> bool) -> Self {
        ContextCommand {
            must_defer: waits,
            ..self
        }
    }

    pub const fn with_hint(self, place: u8) -> Self {
        ContextCommand {
            command: Command {
                hint: place,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_hint_text(
        self,
        place: u8,
        text: fn(&Context) -> Option<&'static str>,
    ) -> Self {
        ContextCommand {
            command: Command {
                hint: place,
                ..self.command
            },
            hint_text: Some(text),
            ..self
        }
    }

    pub const fn with_write(self) -> Self {
        ContextCommand {
            command: Command {
                writes: true,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_immediate_write(self) -> Self {
        ContextCommand {
            command: Command {
                writes: true,
                writes_immediately: true,
                ..self.command
            },
            ..self
        }
    }

    pub const fn with_price(self, cost: &'static str, price: fn(&Context) -> Price) -> Self {
        ContextCommand {
            command: Command {
                cost,
                ..self.command
            },
            price,
            ..self
        }
    }

    pub const fn with_cost(self, cost: &'static str) -> Self {
        ContextCommand {
            command: Command {
                cost,
                ..self.command
            },
            ..self
        }
    }

    /// It may also act on what is on this machine only, and checks by itself whether it may write.
    pub const fn acts_locally(self) -> Self {
        ContextCommand {
            acts_locally: true,
            ..self
        }
    }

    pub const fn available_when(self, can: fn(&Context) -> Availability) -> Self {
        ContextCommand {
            availability: can,
            ..self
        }
    }
}
