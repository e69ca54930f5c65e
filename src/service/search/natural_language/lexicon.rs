//! The words that questions are parsed by.

use crate::service::dataset::Dataset;

/// Words without meaning.
pub(super) const STOP_WORDS: &[&str] = &[
    "a",
    "all",
    "also",
    "am",
    "an",
    "any",
    "anything",
    "are",
    "at",
    "be",
    "been",
    "both",
    "by",
    "can",
    "currently",
    "did",
    "do",
    "does",
    "either",
    "everything",
    "find",
    "for",
    "from",
    "get",
    "give",
    "got",
    "had",
    "i",
    "in",
    "is",
    "it",
    "its",
    "just",
    "list",
    "located",
    "me",
    "now",
    "of",
    "on",
    "only",
    "our",
    "phase",
    "please",
    "show",
    "some",
    "stage",
    "still",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "they",
    "those",
    "to",
    "us",
    "want",
    "was",
    "we",
    "were",
    "what",
    "where",
    "which",
    "who",
    "whose",
    "yet",
    "you",
];

/// Articles, which join the words around them.
pub(super) const ARTICLES: &[&str] = &["a", "an", "any", "our", "some", "the", "their"];

/// Words that begin another clause: a negation before them does not apply to what follows.
pub(super) const CLAUSE_STARTS: &[&str] = &["with", "has", "have", "having", "but"];

/// Words before a related record.
pub(super) const RELATION_WORDS: &[&str] = &["at", "behind", "for", "of", "on"];

/// Words that negate what follows, longer ones first.
pub(super) const NEGATIONS: &[&[&str]] = &[
    &["all", "but"],
    &["anything", "but"],
    &["anywhere", "but"],
    &["apart", "from"],
    &["aside", "from"],
    &["everything", "but"],
    &["everything", "except"],
    &["free", "of"],
    &["instead", "of"],
    &["leave", "out"],
    &["leaving", "out"],
    &["not", "counting"],
    &["not", "including"],
    &["other", "than"],
    &["rather", "than"],
    &["absent"],
    &["besides"],
    &["cannot"],
    &["except"],
    &["exclude"],
    &["excludes"],
    &["excluding"],
    &["lack"],
    &["lacking"],
    &["lacks"],
    &["minus"],
    &["missing"],
    &["neither"],
    &["never"],
    &["no"],
    &["non"],
    &["none"],
    &["nor"],
    &["not"],
    &["omit"],
    &["omitting"],
    &["outside"],
    &["skip"],
    &["un"],
    &["w/o"],
    &["without"],
    &["zero"],
];

/// Words that change the meaning of what follows in a way that no filter can express, longer ones
/// first.
pub(super) const UNTRANSLATABLE_PHRASES: &[&[&str]] = &[
    &["with", "or", "without"],
    &["with", "and", "without"],
    &["whether", "or", "not"],
    &["about", "to", "be"],
    &["close", "to", "being"],
    &["in", "need", "of"],
    &["looking", "for"],
    &["shopping", "for"],
    &["ready", "for"],
    &["waiting", "for"],
    &["waiting", "on"],
    &["going", "to", "be"],
    &["soon", "to", "be"],
    &["to", "be"],
    &["used", "to", "be"],
    &["will", "be"],
    &["almost"],
    &["awaiting"],
    &["formerly"],
    &["if"],
    &["maybe"],
    &["nearly"],
    &["need"],
    &["needing"],
    &["needs"],
    &["possibly"],
    &["previously"],
    &["regardless"],
    &["seeking"],
    &["soon"],
    &["unless"],
    &["wants"],
    &["wanting"],
];

/// Words that ask for something other than a list.
pub(super) const QUESTIONS: &[&[&str]] = &[
    &["who", "is"],
    &["how", "much"],
    &["how", "tall"],
    &["how", "big"],
    &["how", "long"],
    &["when"],
    &["why"],
];

/// Other words for a value of an enum.
pub(super) const VALUE_ALIASES: &[(&str, &[&str])] = &[
    ("gc", &["general contractor", "contractor", "g.c"]),
    (
        "multifamily",
        &[
            "multi family",
            "apartment",
            "apt",
            "apartment building",
            "apartment complex",
            "housing",
        ],
    ),
    ("office", &["office building", "office tower"]),
    ("parking", &["parking garage"]),
    ("data_center", &["datacenter"]),
    ("healthcare", &["health care", "hospital"]),
    ("under_construction", &["in construction", "being built"]),
    ("in_review", &["under review"]),
    ("completed", &["finished"]),
    (
        "permit_issued",
        &[
            "issued",
            "issued permit",
            "permits issued",
            "permit was issued",
            "permits were issued",
            "building permits issued",
            "building permit issued",
        ],
    ),
    (
        "permit_filed",
        &[
            "permits filed",
            "permit was filed",
            "building permits filed",
            "building permit filed",
        ],
    ),
    ("construction_loan", &["loan"]),
    ("demolition_permit", &["demolition"]),
];

/// Other words for the records of a dataset.
pub(super) const DATASET_ALIASES: &[(Dataset, &[&str])] = &[
    (
        Dataset::Projects,
        &["project", "building", "development", "job"],
    ),
    (Dataset::Accounts, &["account", "company", "firm"]),
    (Dataset::Contacts, &["contact", "people", "person"]),
    (
        Dataset::Signals,
        &["signal", "filing", "activity", "update"],
    ),
];

/// Tall buildings, longer ones first: the field measures height in stories.
pub(super) const HIGH_RISES: &[&[&str]] = &[
    &["high", "rise"],
    &["highrise"],
    &["skyscraper"],
    &["tower"],
];

/// Words for what has not begun: it is in none of these stages.
pub(super) const NOT_STARTED: &[&[&str]] = &[&["not", "yet", "started"], &["not", "started"]];
pub(super) const STARTED_STAGES: [&str; 2] = ["under_construction", "completed"];

/// Participles before "by" and a name, and the role of the firm that they name.
pub(super) const ROLE_PARTICIPLES: &[(&str, &str)] = &[
    ("owned", "owner"),
    ("developed", "developer"),
    ("designed", "architect"),
    ("engineered", "engineer"),
    ("built", "gc"),
    ("constructed", "gc"),
    ("financed", "lender"),
    ("funded", "lender"),
];

/// The states by name.
pub(super) const STATE_NAMES: &str = "alabama AL,alaska AK,arizona AZ,arkansas AR,california CA,colorado CO,connecticut CT,delaware DE,florida FL,\
georgia GA,hawaii HI,idaho ID,illinois IL,indiana IN,iowa IA,kansas KS,kentucky KY,louisiana LA,maine ME,maryland MD,massachusetts MA,\
michigan MI,minnesota MN,mississippi MS,missouri MO,montana MT,nebraska NE,nevada NV,new hampshire NH,new jersey NJ,new mexico NM,\
new york NY,north carolina NC,north dakota ND,ohio OH,oklahoma OK,oregon OR,pennsylvania PA,rhode island RI,south carolina SC,\
south dakota SD,tennessee TN,texas TX,utah UT,vermont VT,virginia VA,washington WA,west virginia WV,wisconsin WI,wyoming WY";

/// The words of a question as they were written. Amounts keep their signs, commas and ends of
/// sentences are separate words, and quoted text is one word that begins with the quotation mark.
pub(super) fn split_words(question: &str) -> Vec<String> {
    let quotes = question
        .replace('\u{2019}', "'")
        .replace(['\u{201c}', '\u{201d}'], "\"");
    let plain = quotes.replace('\u{2013}', "-").replace('\u{2014}', ", ");
    let signs = plain
        .replace("=>", "\u{2265}")
        .replace(">=", "\u{2265}")
        .replace("<=", "\u{2264}");
    let shouts = !signs.chars().any(|c| c.is_ascii_lowercase());
    let parts: Vec<&str> = signs.split('"').collect();
    let mut words = Vec::new();
    for (nth, part) in parts.iter().enumerate() {
        if nth % 2 == 1 && nth + 1 < parts.len() {
            words.extend((!part.trim().is_empty()).then(|| format!("\"{}", part.trim())));
            continue;
        }
        let spaced = ['<', '>', '\u{2264}', '\u{2265}']
            .into_iter()
            .fold(part.replace('_', " "), |part, sign| {
                part.replace(sign, &format!(" {sign} "))
            });
        for word in spaced.split(|c: char| c.is_whitespace() || "()".contains(c)) {
            let bare = word.trim_matches([',', '.', '\'', '?', '!', ';', ':']);
            split_word(bare, shouts, &mut words);
            let end = word.trim_start_matches(|c: char| !",.?!;:".contains(c));
            words.extend(word.ends_with([',', ':']).then(|| ",".to_owned()));
            words.extend(
                (!end.is_empty() && word.ends_with(['.', '?', '!', ';'])).then(|| ".".to_owned()),
            );
        }
    }
    words
}

/// Splits "Austin/Dallas", "mixed-use", "200-unit" and "10-20"; dates stay whole. "who's" is "who
/// is", and "TX" is "texas".
fn split_word(word: &str, shouts: bool, words: &mut Vec<String>) {
    let lower = word.to_lowercase();
    let has_digits = word.contains(|c: char| c.is_ascii_digit());
    if let Some(rest) = lower.strip_prefix("w/").filter(|rest| *rest != "o") {
        words.push("with".to_owned());
        return split_word(rest, shouts, words);
    }
    if lower == "and/or" {
        return words.push("or".to_owned());
    }
    if word.contains('/') && !has_digits && lower != "w/o" {
        for (nth, part) in word.split('/').enumerate() {
            words.extend((nth > 0).then(|| "or".to_owned()));
            split_word(part, shouts, words);
        }
        return;
    }
    if let Some((base, "s")) = lower.rsplit_once('\'') {
        words.extend(word.get(..base.len()).map(str::to_owned));
        words.extend(
            ["who", "what", "where"]
                .contains(&base)
                .then(|| "is".to_owned()),
        );
        return;
    }
    if let Some((base, "m" | "re" | "ve" | "d" | "ll")) = lower.rsplit_once('\'') {
        return words.extend(word.get(..base.len()).map(str::to_owned));
    }
    let is_date = word.len() == 10 && word.parse::<chrono::NaiveDate>().is_ok();
    let is_month = word.len() == 7
        && word.as_bytes()[4] == b'-'
        && word.split('-').all(|part| part.parse::<u32>().is_ok());
    let parts: Vec<&str> = if is_date || is_month {
        vec![word]
    } else {
        word.split('-').filter(|part| !part.is_empty()).collect()
    };
    for (nth, part) in parts.iter().enumerate() {
        let is_range = nth > 0
            && parse_amount_number(&parts[nth - 1].to_lowercase()).is_some()
            && parse_amount_number(&part.to_lowercase()).is_some();
        words.extend(is_range.then(|| "to".to_owned()));
        let code = (part.len() == 2 && !shouts && !["IN", "OR", "ME", "HI", "LA"].contains(part))
            .then(|| state_named(part))
            .flatten();
        words.extend(code.map_or_else(
            || vec![(*part).to_owned()],
            |name| name.split(' ').map(str::to_owned).collect(),
        ));
    }
}

/// The name of the state with this code in capital letters.
fn state_named(code: &str) -> Option<&'static str> {
    STATE_NAMES
        .split(',')
        .filter_map(|state| state.rsplit_once(' '))
        .find(|(_, known)| *known == code)
        .map(|(name, _)| name)
}

/// The number of words that negate what follows.
pub(super) fn negation_length(words: &[String]) -> Option<usize> {
    let contracted = words.first().is_some_and(|word| word.ends_with("n't"));
    let phrase = NEGATIONS
        .iter()
        .find(|phrase| starts_with(words, phrase))
        .map(|phrase| phrase.len());
    phrase.or(contracted.then_some(1))
}

/// The spellings of a value of an enum.
pub(super) fn spellings(key: &str, value: &'static str) -> Vec<Vec<&'static str>> {
    let spelled: Vec<&'static str> = value.split('_').collect();
    let with_gc = |start: &[&'static str]| [start, spelled.as_slice()].concat();
    let mut all = match key {
        "gc_status" => vec![
            with_gc(&["gc"]),
            with_gc(&["gc", "is"]),
            with_gc(&["gc", "status"]),
            with_gc(&["general", "contractor"]),
            [spelled.as_slice(), &["gc"]].concat(),
        ],
        _ => Vec::new(),
    };
    let aliases = VALUE_ALIASES
        .iter()
        .filter(|(of, _)| *of == value)
        .flat_map(|(_, aliases)| *aliases);
    all.extend(aliases.map(|alias| alias.split(' ').collect()));
    if !matches!(value, "unknown" | "other") {
        all.push(spelled);
    }
    all
}

pub(super) fn starts_with(words: &[String], start: &[&str]) -> bool {
    words.len() >= start.len() && words.iter().zip(start).all(|(word, start)| word == start)
}

/// Whether words begin with a value, whose last word may be singular or plural.
pub(super) fn starts_with_value(words: &[String], value: &[&str]) -> bool {
    let (Some(last), true) = (value.last(), words.len() >= value.len()) else {
        return false;
    };
    let word = &words[value.len() - 1];
    let plural = |word: &str| {
        word == format!("{last}s")
            || word == format!("{last}es")
            || last
                .strip_suffix('y')
                .is_some_and(|stem| word == format!("{stem}ies"))
    };
    starts_with(words, &value[..value.len() - 1]) && (word == last || plural(word))
}

/// "100", "1,200", "5m", "$2.5m": the number, and whether it is money.
pub(super) fn parse_amount_number(word: &str) -> Option<(f64, bool)> {
    let bare = word
        .trim_start_matches('$')
        .trim_end_matches('+')
        .replace(',', "");
    let split = bare
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(bare.len());
    let (digits, suffix) = bare.split_at(split);
    let times = if suffix.is_empty() {
        1.0
    } else {
        scale_factor(suffix)?
    };
    Some((digits.parse::<f64>().ok()? * times, word.starts_with('$')))
}

pub(super) fn scale_factor(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" => 1e3,
        "m" | "mm" | "mil" | "mill" | "million" | "millions" => 1e6,
        "b" | "bn" | "bil" | "billion" => 1e9,
        _ => return None,
    })
}
