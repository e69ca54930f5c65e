//! The words that questions are parsed by.

/// Words without meaning.
pub(super) const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "any", "are", "at", "be", "been", "both", "by", "did", "do", "does", "either", "find", "for", "from",
    "get", "give", "got", "i", "in", "is", "list", "me", "of", "on", "our", "please", "show", "some", "still", "that", "the",
    "their", "there", "to", "us", "we", "what", "where", "which", "who", "whose", "yet",
];

/// Words that begin another clause: a negation before them does not apply to what follows.
pub(super) const CLAUSE_STARTS: &[&str] = &["with", "has", "have", "having", "but"];

/// Words that negate what follows, longer ones first.
pub(super) const NEGATIONS: &[&[&str]] = &[
    &["all", "but"],
    &["anything", "but"],
    &["apart", "from"],
    &["aside", "from"],
    &["everything", "but"],
    &["free", "of"],
    &["instead", "of"],
    &["other", "than"],
    &["rather", "than"],
    &["absent"],
    &["cannot"],
    &["except"],
    &["exclude"],
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
    &["outside"],
    &["un"],
    &["w/o"],
    &["without"],
    &["zero"],
];

/// Words that change the meaning of what follows in a way that no filter can express.
pub(super) const UNTRANSLATABLE_WORDS: &[&str] = &["need", "needing", "needs", "seeking", "unless"];

/// Other words for a value of an enum.
pub(super) const VALUE_ALIASES: &[(&str, &[&str])] = &[("gc", &["general contractor", "contractor", "g.c"])];

/// The states by name.
pub(super) const STATE_NAMES: &str = "alabama AL,alaska AK,arizona AZ,arkansas AR,california CA,colorado CO,connecticut CT,delaware DE,florida FL,\
georgia GA,hawaii HI,idaho ID,illinois IL,indiana IN,iowa IA,kansas KS,kentucky KY,louisiana LA,maine ME,maryland MD,massachusetts MA,\
michigan MI,minnesota MN,mississippi MS,missouri MO,montana MT,nebraska NE,nevada NV,new hampshire NH,new jersey NJ,new mexico NM,\
new york NY,north carolina NC,north dakota ND,ohio OH,oklahoma OK,oregon OR,pennsylvania PA,rhode island RI,south carolina SC,\
south dakota SD,tennessee TN,texas TX,utah UT,vermont VT,virginia VA,washington WA,west virginia WV,wisconsin WI,wyoming WY";

/// The units of an amount, by key.
pub(super) const AMOUNT_UNITS: &[(&str, &[&str])] = &[
    ("residential_units", &["units", "unit", "homes", "apartments", "dwellings"]),
    ("stories", &["stories", "story", "storeys", "floors"]),
    ("gross_floor_area_sf", &["sf", "sqft", "square", "sq"]),
    ("cost_of_construction_usd", &["dollars", "usd"]),
    ("atlas_score", &["score", "points"]),
];

/// An amount of at least this size without a unit is money.
pub(super) const MIN_UNITLESS_MONEY: f64 = 1e6;

/// The words of a question. Amounts keep their signs, commas and ends of sentences are separate words, and quoted text is one
/// word that begins with the quotation mark.
pub(super) fn split_words(question: &str) -> Vec<String> {
    let question = question.replace('\u{2019}', "'").replace(['\u{201c}', '\u{201d}'], "\"");
    let parts: Vec<&str> = question.split('"').collect();
    let mut words = Vec::new();
    for (nth, part) in parts.iter().enumerate() {
        if nth % 2 == 1 && nth + 1 < parts.len() {
            words.extend((!part.trim().is_empty()).then(|| format!("\"{}", part.trim())));
            continue;
        }
        for word in part.replace('_', " ").split(|c: char| c.is_whitespace() || "()".contains(c)) {
            let bare = word.trim_matches([',', '.', '\'', '?', '!', ';', ':']).to_lowercase();
            words.extend(split_hyphens(&bare).split(' ').filter(|word| !word.is_empty()).map(str::to_owned));
            let end = word.trim_start_matches(|c: char| !",.?!;:".contains(c));
            words.extend(word.ends_with([',', ':']).then(|| ",".to_owned()));
            words.extend((!end.is_empty() && word.ends_with(['.', '?', '!', ';'])).then(|| ".".to_owned()));
        }
    }
    words
}

/// "mixed-use" as two words; dates keep their hyphens.
pub(super) fn split_hyphens(word: &str) -> String {
    if word.contains(|c: char| c.is_ascii_digit()) { word.to_owned() } else { word.replace('-', " ") }
}

/// The number of words that negate what follows.
pub(super) fn negation_length(words: &[String]) -> Option<usize> {
    let contracted = words[0].ends_with("n't");
    let phrase = NEGATIONS.iter().find(|phrase| starts_with(words, phrase)).map(|phrase| phrase.len());
    phrase.or(contracted.then_some(1))
}

/// "more than", "no more than", "at most": which end of a range, and the number of words.
pub(super) fn parse_bound(words: &[String]) -> Option<(&'static str, usize)> {
    const BOUND_PHRASES: &[(&[&str], &str, &str)] = &[
        (&["more", "than"], "min", "max"),
        (&["over"], "min", "max"),
        (&["above"], "min", "max"),
        (&["less", "than"], "max", "min"),
        (&["fewer", "than"], "max", "min"),
        (&["under"], "max", "min"),
        (&["below"], "max", "min"),
        (&["at", "least"], "min", ""),
        (&["at", "most"], "max", ""),
        (&["up", "to"], "max", ""),
    ];
    let worth = [&["valued", "at"][..], &["costing"], &["worth"]].into_iter().find(|start| starts_with(words, start));
    let before = worth.map_or(0, <[_]>::len);
    let not = words.get(before..).filter(|rest| !rest.is_empty()).and_then(negation_length).unwrap_or(0);
    let rest = words.get(before + not..)?;
    let (start, end, opposite) = BOUND_PHRASES.iter().find(|(start, ..)| starts_with(rest, start))?;
    let end = if not > 0 { opposite } else { end };
    (!end.is_empty()).then_some((*end, before + not + start.len()))
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
    let aliases = VALUE_ALIASES.iter().filter(|(of, _)| *of == value).flat_map(|(_, aliases)| *aliases);
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
    let (Some(last), true) = (value.last(), words.len() >= value.len()) else { return false };
    let word = &words[value.len() - 1];
    let plural = |word: &str| {
        word == format!("{last}s")
            || word == format!("{last}es")
            || last.strip_suffix('y').is_some_and(|stem| word == format!("{stem}ies"))
    };
    starts_with(words, &value[..value.len() - 1]) && (word == last || plural(word))
}

/// "100", "1,200", "5m", "$2.5m": the number, and whether it is money.
pub(super) fn parse_amount_number(word: &str) -> Option<(f64, bool)> {
    let bare = word.trim_start_matches('$').trim_end_matches('+').replace(',', "");
    let split = bare.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(bare.len());
    let (digits, suffix) = bare.split_at(split);
    let times = if suffix.is_empty() { 1.0 } else { scale_factor(suffix)? };
    Some((digits.parse::<f64>().ok()? * times, word.starts_with('$')))
}

pub(super) fn scale_factor(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" => 1e3,
        "m" | "mm" | "million" => 1e6,
        "b" | "bn" | "billion" => 1e9,
        _ => return None,
    })
}
