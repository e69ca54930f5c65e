//! The machine below the console in tests: what it keeps, and what the next start finds there.

use chrono::Duration;
use serde_json::Value;

use super::{Console, morning};
use crate::app::{Session, Settings};
use crate::domain::drafts::Draft;
use crate::domain::journal::Past;

impl Console {
    /// Keeps what was typed, as the store would.
    pub(super) fn keep(&mut self, name: &str, typed: Option<Value>) {
        let at = self.now;
        self.past.drafts.retain(|draft| draft.name != name);
        self.past.drafts.extend(typed.map(|typed| Draft { name: name.to_owned(), at, typed, elsewhere: false }));
    }

    /// The program ends as it stands, and is started again on the same machine an hour later.
    pub fn restarted(self) -> Console {
        let session = Session { label: "acme-west".to_owned(), connected: true, read_only: false, watches: false };
        let mut console = Console::with(session, morning(), (120, 36), Settings::default());
        console.rows = self.rows;
        console.desk = self.desk;
        console.past = Past { keeps: true, ..self.past };
        console.now = self.now + Duration::hours(1);
        console.poll().serve()
    }
}
