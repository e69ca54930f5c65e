//! The texts on subjects that concern all commands: `gantry help TOPIC` prints them, and the manual
//! pages have them too.
//!
//! Never here: what a command does.

/// A subject that concerns several commands.
pub(super) struct Topic {
    pub(super) name: &'static str,
    /// What it is and what it means, in a line each.
    rows: &'static str,
    /// What is left to say, in sentences.
    pub(super) text: &'static str,
}

impl Topic {
    /// What it is and what it means, in two columns.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.rows.lines().filter_map(|row| row.split_once(" | "))
    }
}

pub(super) const EXIT_CODES: Topic = Topic {
    name: "exit-codes",
    rows: "\
0 | done
1 | something was rejected or failed, in full or in part
2 | wrong usage, or a configuration that cannot be used
3 | not signed in, or not allowed (--read-only and read-only profiles included)
4 | not found
5 | the service could not be reached, or the result of the request is unknown
130 | interrupted",
    text: "Data goes to standard output, notes and errors to standard error. An exit code depends on neither the output format nor a \
           terminal.",
};

pub(super) const ENVIRONMENT: Topic = Topic {
    name: "environment",
    rows: "\
GANTRY_PROFILE | the profile, as --profile
GANTRY_BASE_URL | the service's address, as --base-url
GANTRY_WORKSPACE | the workspace's id, as --workspace
GANTRY_CERTIFICATE | the fingerprint of the service's certificate
GANTRY_TOKEN_FILE, GANTRY_TOKEN | a file with the token, as --token-file; the token itself, less safe
GANTRY_THEME | the colors of the console, as --theme
GANTRY_ACCESSIBLE | set and not 0: triage in sentences instead of the console
GANTRY_LOG | how much the log contains: error, warn, info or debug
GANTRY_MAIL | where gantry serve sends mail, as --mail
GANTRY_DATABASE_URL | the PostgreSQL database of gantry serve, as --data; may have a password
GANTRY_READ_REPLICA_URL | a read replica of that database, as --read-replica
PGPASSWORD, PGPASSFILE | the password of that database, or a file like ~/.pgpass
GANTRY_PAGER, PAGER, LESS | what pages long output (cat pages nothing), and the options of less
NO_COLOR, CLICOLOR, COLUMNS | NO_COLOR set or CLICOLOR=0: no colors; the width of tables
TERM, COLORTERM, COLORFGBG | the terminal's colors; the console does not start with TERM=dumb
TZ, LC_ALL, LC_CTYPE, LANG | the time zone; the locale: without UTF-8, the console draws in ASCII
VISUAL, EDITOR | the editor for notes, Skills and the configuration; by default nano or vi
HOME, PATH, SHELL, TMPDIR | your directory, programs and shell; temporary files, also of --demo
SSL_CERT_FILE, SSH_CONNECTION | a file of CA certificates; set: pbcopy is not used
XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, XDG_DATA_HOME | the base of the directories; gantry paths prints them",
    text: "An option on the command line comes before a variable, a variable before the configuration. An empty variable counts as not set.",
};

pub(super) const FILES: Topic = Topic {
    name: "files",
    rows: "\
~/.config/gantry/config.toml | the configuration; gantry config edit opens it
~/.config/gantry/NAME.token | the token of a profile, mode 0600
~/.config/gantry/layouts/NAME.toml | your own layouts for gantry import
~/.local/state/gantry | journal, credit ledger, drafts, what you read, preferences, and the log
~/.cache/gantry | field names and values for filters and completion",
    text: "gantry paths prints where they are on this machine.",
};

pub(super) const FILTERS: Topic = Topic {
    name: "filters",
    rows: "\
city=Austin | the field has this value; city and name also match similar spellings
name==\"Harbor Yard\" | exactly this text
stage!=approved | not this value
'cost>5M', stories=5..9 | numbers and ranges
stage=approved,permitted | one of these
has_account.role=developer | a related record matches",
    text: "The criteria of a search all apply; --filter takes them in one line, as the console does. Quote what the shell reads, such as < and >. gantry data fields projects lists the fields of a \
           dataset and their values.",
};

pub(super) const KEYS: Topic = Topic {
    name: "keys",
    rows: "\
? | what the keys do here
: | commands by name
Enter | open what is under the cursor
Esc | back
Ctrl-c | cancel; twice: quit",
    text: "gantry keys lists all commands of the console with your keys. Every key can be changed in [keys] of the configuration: \
           gantry config set keys.queue.done x",
};

pub(super) const ALIASES: Topic = Topic {
    name: "aliases",
    rows: "\
gantry config set alias.mine 'queue list --priority high' | gantry mine --json then lists them as JSON
gantry config set alias.in 'queue list --city $1' | gantry in Austin
gantry config get alias | lists your aliases
gantry config unset alias.mine | removes one",
    text: "An alias stands for the words of a command, without a shell; further arguments follow at the end. It cannot have the name of \
           a command, and cannot name another alias.",
};

pub(super) const TOPICS: [&Topic; 6] =
    [&EXIT_CODES, &ENVIRONMENT, &FILES, &FILTERS, &KEYS, &ALIASES];

/// The subjects that `gantry help` explains.
pub(super) fn topic_names() -> [&'static str; 6] {
    TOPICS.map(|topic| topic.name)
}

pub(super) fn format_topic(topic: &Topic) -> String {
    let rows = topic
        .rows()
        .map(|(what, meaning)| match what.len() > MAX_NAME_WIDTH {
            true => format!(
                "  {what}\n  {:width$}  {meaning}\n",
                "",
                width = MAX_NAME_WIDTH
            ),
            false => format!("  {what:width$}  {meaning}\n", width = MAX_NAME_WIDTH),
        });
    format!("{}\n{}\n", rows.collect::<String>(), topic.text)
}

/// Names that are wider have a line of their own.
const MAX_NAME_WIDTH: usize = 31;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::exit_status;

    #[test]
    fn the_topic_has_every_exit_code_of_the_program() {
        let codes = [
            0,
            exit_status::FAILED,
            exit_status::USAGE,
            exit_status::NOT_ALLOWED,
            exit_status::NOT_FOUND,
            exit_status::UNREACHABLE,
            exit_status::INTERRUPTED,
        ];
        let listed: Vec<&str> = EXIT_CODES.rows().map(|(code, _)| code).collect();
        assert_eq!(listed, codes.map(|code| code.to_string()));
    }

    #[test]
    fn the_topic_has_every_variable_that_the_configuration_page_explains() {
        // tests/docs.rs compares that page with what the program reads.
        let page = include_str!("../../docs/configuration.md")
            .split_once("\n## Environment variables\n")
            .unwrap()
            .1;
        let table = page
            .lines()
            .skip_while(|line| !line.starts_with("|---"))
            .skip(1)
            .take_while(|line| line.starts_with('|'));
        let explained = table
            .flat_map(|row| row.split('|').nth(1).unwrap().split(','))
            .map(|name| name.trim().trim_matches('`'));
        let explained: BTreeSet<&str> = explained
            .filter(|name| *name != "GANTRY_COMPLETE")
            .collect();
        let listed: BTreeSet<&str> = ENVIRONMENT
            .rows()
            .flat_map(|(names, _)| names.split(", "))
            .collect();
        assert!(listed.len() > 30, "{listed:?}");
        assert_eq!(listed, explained);
    }

    #[test]
    fn a_topic_fits_a_screen() {
        for topic in TOPICS {
            let text = format_topic(topic);
            let widest = text
                .lines()
                .take(topic.rows().count())
                .map(str::len)
                .max()
                .unwrap();
            assert!(
                text.lines().count() < 24 && widest <= 110,
                "{}: {text}",
                topic.name
            );
        }
    }
}
