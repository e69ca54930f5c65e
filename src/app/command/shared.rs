//! The commands that do the same in several places: one name, one set of keys.
//!
//! Each place has a row of its own in the command table: what the command does there, when it is
//! available and what it costs.

/// What the rows of such a command have in common.
pub struct SharedCommand {
    /// The ID that changes its keys in every place.
    pub id: &'static str,
    /// The default keys, unless a place has its own.
    pub keys: &'static [&'static str],
    pub title: &'static str,
    /// What it does: a sentence without a full stop.
    pub description: &'static str,
}

macro_rules! shared_commands {
    ($($name:ident: $id:literal, $keys:expr, $title:literal, $description:literal;)+) => {
        $(pub const $name: SharedCommand = SharedCommand {
            id: $id,
            keys: &$keys,
            title: $title,
            description: $description,
        };)+
    };
}

shared_commands! {
    OPEN: "open", ["Enter", "l", "Right"], "open", "open what is under the cursor";
    ACCEPT: "accept", ["Enter"], "ok", "take what is typed or selected";
    SEARCH: "search.run", ["Enter"], "run", "run the search; on the last line, add a condition";
    BACK: "back", ["Esc"], "close", "close, or go back";
    DOWN: "go.down", ["j", "Down"], "down", "go to the next row";
    UP: "go.up", ["k", "Up"], "up", "go to the previous row";
    PAGE_DOWN: "go.page.down", ["Ctrl-f", "PgDn"], "page down", "go a page down";
    PAGE_UP: "go.page.up", ["Ctrl-b", "PgUp"], "page up", "go a page up";
    FIRST: "go.first", ["g g", "Home"], "first", "go to the first row";
    LAST: "go.last", ["G", "End"], "last", "go to the last row";
    PANEL_DOWN: "panel.down", ["J"], "scroll down", "scroll what is beside the list down";
    PANEL_UP: "panel.up", ["K"], "scroll up", "scroll what is beside the list up";
    OTHER_PANE: "pane.switch", ["Tab", "Shift-Tab"], "other pane", "go to the other pane";
    LEFT: "go.left", ["h", "Left"], "back", "go back, for free";
    DETAILS: "panel.open", ["l", "Right"], "details", "show the details in place of the list";
    NEXT: "go.next", ["J"], "next", "open the next one of the list";
    PREVIOUS: "go.previous", ["K"], "previous", "open the previous one of the list";
    DONE: "queue.done", ["e"], "done", "mark done for everyone and move on";
    NEW: "queue.new", ["U"], "back to New", "move back to New for everyone";
    SNOOZE: "queue.snooze", ["H"], "snooze", "snooze on this machine until a time or the next filing";
    WHY: "queue.why", ["W"], "why", "explain this signal's priority";
    REFRESH: "refresh", ["R"], "refresh", "load again what is shown";
    RELOAD: "reload", ["r"], "refresh", "read the project or the record again";
    FILTER: "filter", ["f"], "filter", "filter the list";
    NO_FILTER: "filter.clear", ["F"], "no filter", "clear the filter";
    COUNT: "count", ["c"], "count", "count the matching records";
    SAVE: "book.save", ["b"], "to book", "save the records to the book, for everyone";
    ADD_TO_VIEW: "view.add", ["+"], "add to View", "add the records to a Static View or to a new one";
    DELETE: "delete", ["D"], "delete", "delete or remove what is under the cursor; you see the effect first";
    CREATE: "create", ["A"], "new", "create a View or a Skill";
    EDIT: "edit", ["E"], "edit", "edit as text";
    APPLY: "apply", ["Ctrl-s"], "apply", "save what is typed or staged, for everyone";
    NEXT_TAB: "tab.next", ["]"], "next tab", "go to the next tab, page, run or revision";
    PREVIOUS_TAB: "tab.previous", ["["], "previous tab", "go to the previous tab, page, run or revision";
    SORT: "list.sort", ["s"], "sort", "sort the rows";
    MARK: "list.mark", ["Space", "x"], "mark", "mark or unmark what is under the cursor and move down";
    COMPLETE: "complete", ["Tab"], "complete", "complete what is typed; again for the next suggestion";
    COMPLETE_BACK: "complete.back", ["Shift-Tab"], "previous", "take the suggestion before";
    NEXT_VALUE: "value.next", ["Right", "l"], "next", "take the next field, operator or operation";
    PREVIOUS_VALUE: "value.previous", ["Left", "h"], "previous", "take the previous field, operator or operation";
    COPY: "copy", ["y"], "copy", "copy what is shown";
    COPY_ID: "copy.id", ["y i"], "id", "copy the ids of the marked or current rows";
    COPY_URL: "copy.url", ["Y", "y u"], "copy URL", "copy the URL of the filing's page, or of those of the marked rows";
    COPY_NAME: "copy.name", ["y n"], "name", "copy the names of the projects, records or members";
    COPY_ADDRESS: "copy.address", ["y a"], "address", "copy the addresses of the projects or accounts";
    COPY_JSON: "copy.json", ["y j"], "JSON", "copy what is chosen as JSON, several rows as JSON Lines";
    COPY_ROWS: "copy.rows", ["y r"], "rows", "copy the marked or current rows as shown, with a heading, for a spreadsheet";
    COPY_MORE: "copy.more", ["y y"], "more", "copy something else: the filter or what is chosen as a command";
    PROJECT: "go.project", ["g p"], "project", "open the page of the signal's project";
    SOURCE: "source.open", ["o"], "source", "open the filing's page in the browser";
    HELP: "help", ["?", "F1"], "help", "list the keys that work here";
    MAP: "records.map", ["M"], "map", "show or hide the map";
    MORE: "list.more", [">"], "next page", "load the next page of rows";
    DEFINITION: "definition", ["p"], "definition", "show the conditions or the definition, also as JSON";
    RETRY: "retry", ["r"], "retry", "try again what failed";
    ANNOTATE: "annotate.all", ["a a"], "annotate", "annotate the records: status, tier, tags and note";
}
