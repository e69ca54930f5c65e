//! Rows of the command table: a command, when it is available, and what it does.

use crate::app::Context;
use crate::app::command::shared::SharedCommand;
use crate::app::command::{Availability, Command, Scope};
use crate::app::price::Price;

/// What a command acts on, and so what its functions take.
pub trait CommandTarget: 'static {
    /// Answers a question about it.
    type Ask<R>: Copy + Sync;
    type Run: Copy + Sync;
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

/// A command and what it does to its target. Where it works is said by its table.
pub struct CommandRow<T: CommandTarget> {
    command: Command,
    /// Another place than that of its table.
    scope: Option<Scope>,
    pub(super) hint_text: Option<T::Ask<Option<&'static str>>>,
    pub(super) must_defer: Option<T::Ask<bool>>,
    pub(super) price: Option<T::Ask<Price>>,
    availability: Option<T::Ask<Availability>>,
    acts_locally: bool,
    pub(super) run: T::Run,
}

/// A command and what it does to its pane.
pub type PaneCommand<P> = CommandRow<OnPane<P>>;

/// A command that needs no pane: it acts on the context.
pub type ContextCommand = CommandRow<OnContext>;

impl<T: CommandTarget> CommandRow<T> {
    /// A command that is always available, writes nothing, costs nothing and has no hint.
    pub const fn new(
        id: &'static str,
        keys: &'static [&'static str],
        title: &'static str,
        description: &'static str,
        run: T::Run,
    ) -> Self {
        CommandRow {
            command: Command::new(id, keys, title, description, Scope::Global),
            scope: None,
            hint_text: None,
            must_defer: None,
            price: None,
            availability: None,
            acts_locally: false,
            run,
        }
    }

    /// A command that works in several places, in one of them.
    pub const fn at(id: &'static str, shared: &'static SharedCommand, run: T::Run) -> Self {
        let (keys, title) = (shared.keys, shared.title);
        let mut row = CommandRow::new(id, keys, title, shared.description, run);
        row.command.shared = Some(shared);
        row
    }

    /// The command in a table whose commands work in `scope`.
    pub(super) fn command_in(&self, scope: Scope) -> Command {
        Command {
            scope: self.scope.unwrap_or(scope),
            ..self.command
        }
    }

    pub(super) fn title(&self) -> &'static str {
        self.command.title
    }

    /// Whether it is available now, by the answer to what it asks; a command that writes is not
    /// where nothing may be written.
    pub(super) fn availability(
        &self,
        cx: &Context,
        answer: impl FnOnce(T::Ask<Availability>) -> Availability,
    ) -> Availability {
        if self.command.writes && !self.acts_locally {
            cx.team.can_write(&cx.session)?;
        }
        self.availability.map_or(Ok(()), answer)
    }

    /// Works in another place than its table.
    pub const fn in_scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
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
        self.must_defer = Some(waits);
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
        self.price = Some(price);
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
        self.availability = Some(can);
        self
    }
}
