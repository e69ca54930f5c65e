//! Rows of the command table: a command, when it is available, and what it does.

use crate::app::Context;
use crate::app::command::shared::SharedCommand;
use crate::app::command::{Availability, Command, Scope};
use crate::app::price::Price;

/// What a command acts on, and so what its functions take.
pub trait CommandTarget {
    /// Answers a question about it.
    type Ask<R>: Copy;
    type Run: Copy;
}

/// A pane, with the context.
pub struct OnPane<P>(std::marker::PhantomData<P>);

/// The context alone.
pub struct OnContext;

impl<P: 'static> CommandTarget for OnPane<P> {
    type Ask<R> = fn(&P, &Context) -> R;
    type Run = fn(&mut P, &mut Context);
}

impl CommandTarget for OnContext {
    type Ask<R> = fn(&Context) -> R;
    type Run = fn(&mut Context);
}

/// A command and what it does to its target.
pub struct BoundCommand<T: CommandTarget> {
    pub command: Command,
    hint_text: Option<T::Ask<Option<&'static str>>>,
    must_defer: T::Ask<bool>,
    price: T::Ask<Price>,
    availability: T::Ask<Availability>,
    acts_locally: bool,
    run: T::Run,
}

/// A command and what it does to its pane.
pub type PaneCommand<P> = BoundCommand<OnPane<P>>;

/// A command that needs no pane: it acts on the context.
pub type ContextCommand = BoundCommand<OnContext>;

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
        self.check_write(cx)?;
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
            acts_locally: false,
            run,
        }
    }
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
        self.check_write(cx)?;
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
}

impl<T: CommandTarget> BoundCommand<T> {
    fn check_write(&self, cx: &Context) -> Availability {
        match self.command.writes && !self.acts_locally {
            true => cx.can_write(),
            false => Ok(()),
        }
    }

    /// Keys of its own in this place.
    pub const fn with_keys(mut self, keys: &'static [&'static str]) -> Self {
        self.command.keys = keys;
        self
    }

    pub const fn with_title(mut self, title: &'static str) -> Self {
        self.command.title = title;
        self
    }

    pub const fn with_description(mut self, description: &'static str) -> Self {
        self.command.description = description;
        self
    }

    pub const fn with_words(self, title: &'static str, description: &'static str) -> Self {
        self.with_title(title).with_description(description)
    }

    /// Defers the command while this holds.
    pub const fn deferred_while(mut self, waits: T::Ask<bool>) -> Self {
        self.must_defer = waits;
        self
    }

    pub const fn with_hint(mut self, place: u8) -> Self {
        self.command.hint = place;
        self
    }

    /// Shows the command at this place of the footer, with a text that depends on the state; `None`
    /// shows no hint.
    pub const fn with_hint_text(mut self, place: u8, text: T::Ask<Option<&'static str>>) -> Self {
        self.command.hint = place;
        self.hint_text = Some(text);
        self
    }

    pub const fn with_write(mut self) -> Self {
        self.command.writes = true;
        self
    }

    pub const fn with_immediate_write(mut self) -> Self {
        self.command.writes = true;
        self.command.writes_immediately = true;
        self
    }

    /// It may cost something: `cost` says so in general, `price` what it is now. What it spends
    /// beyond that is asked about first.
    pub const fn with_price(mut self, cost: &'static str, price: T::Ask<Price>) -> Self {
        self.command.cost = cost;
        self.price = price;
        self
    }

    /// It leads to something that costs, but spends nothing itself.
    pub const fn with_cost(mut self, cost: &'static str) -> Self {
        self.command.cost = cost;
        self
    }

    /// It may also act on what is on this machine only, and checks by itself whether it may write.
    pub const fn acts_locally(mut self) -> Self {
        self.acts_locally = true;
        self
    }

    pub const fn available_when(mut self, can: T::Ask<Availability>) -> Self {
        self.availability = can;
        self
    }
}
