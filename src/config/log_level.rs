//! How much the log contains (`GANTRY_LOG`), and how its lines are written.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
    /// Each request as well: its route, status and time.
    Debug,
}

/// How the lines of a log on standard error are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    /// One object per line.
    Json,
}

impl LogFormat {
    pub const NAMES: [(&str, LogFormat); 2] =
        [("text", LogFormat::Text), ("json", LogFormat::Json)];
}

impl LogLevel {
    const NAMES: [(&str, LogLevel); 4] = [
        ("error", LogLevel::Error),
        ("warn", LogLevel::Warn),
        ("info", LogLevel::Info),
        ("debug", LogLevel::Debug),
    ];

    /// The level that the environment asks for; `None` if it does not say. The error is a line for
    /// people.
    pub fn from_env(env: &dyn Fn(&str) -> Option<String>) -> Result<Option<LogLevel>, String> {
        let Some(name) = env("GANTRY_LOG") else {
            return Ok(None);
        };
        let level = LogLevel::NAMES
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(&name));
        level
            .map(|(_, level)| Some(level))
            .ok_or_else(|| format!("unknown GANTRY_LOG \"{name}\": use error, warn, info or debug"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_the_log_is_named_in_the_environment() {
        let level = |name: &'static str| {
            LogLevel::from_env(&move |variable: &str| {
                (variable == "GANTRY_LOG").then(|| name.to_owned())
            })
        };
        assert_eq!(level("debug"), Ok(Some(LogLevel::Debug)));
        assert_eq!(level("WARN"), Ok(Some(LogLevel::Warn)));
        assert_eq!(LogLevel::from_env(&|_| None), Ok(None));
        assert_eq!(
            level("all").unwrap_err(),
            "unknown GANTRY_LOG \"all\": use error, warn, info or debug"
        );
    }
}
