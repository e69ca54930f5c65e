//! Where large cities of the United States are, for maps of records that name only their city, and
//! the cities in the names of sources.
//!
//! Of several cities of one name it has the largest. Never here: addresses, anything that the
//! service knows.

/// Name, degrees north and degrees east.
type City = (&'static str, f64, f64);

/// By name.
const CITIES: &[City] = &[
    ("albuquerque", 35.08, -106.65),
    ("anaheim", 33.84, -117.91),
    ("anchorage", 61.22, -149.90),
    ("arlington", 32.74, -97.11),
    ("atlanta", 33.75, -84.39),
    ("aurora", 39.73, -104.83),
    ("austin", 30.27, -97.74),
    ("bakersfield", 35.37, -119.02),
    ("baltimore", 39.29, -76.61),
    ("baton rouge", 30.45, -91.19),
    ("berkeley", 37.87, -122.27),
    ("birmingham", 33.52, -86.81),
    ("boise", 43.62, -116.20),
    ("boston", 42.36, -71.06),
    ("brooklyn", 40.65, -73.95),
    ("buffalo", 42.89, -78.88),
    ("cambridge", 42.37, -71.11),
    ("chandler", 33.31, -111.84),
    ("charleston", 32.78, -79.93),
    ("charlotte", 35.23, -80.84),
    ("chicago", 41.88, -87.63),
    ("cincinnati", 39.10, -84.51),
    ("cleveland", 41.50, -81.69),
    ("colorado springs", 38.83, -104.82),
    ("columbus", 39.96, -83.00),
    ("corpus christi", 27.80, -97.40),
    ("dallas", 32.78, -96.80),
    ("denver", 39.74, -104.99),
    ("des moines", 41.59, -93.62),
    ("detroit", 42.33, -83.05),
    ("durham", 35.99, -78.90),
    ("el paso", 31.76, -106.49),
    ("fort lauderdale", 26.12, -80.14),
    ("fort worth", 32.76, -97.33),
    ("fresno", 36.74, -119.79),
    ("grand rapids", 42.96, -85.67),
    ("greensboro", 36.07, -79.79),
    ("hartford", 41.77, -72.67),
    ("henderson", 36.04, -114.98),
    ("honolulu", 21.31, -157.86),
    ("houston", 29.76, -95.37),
    ("indianapolis", 39.77, -86.16),
    ("jacksonville", 30.33, -81.66),
    ("jersey city", 40.73, -74.08),
    ("kansas city", 39.10, -94.58),
    ("knoxville", 35.96, -83.92),
    ("las vegas", 36.17, -115.14),
    ("lexington", 38.04, -84.50),
    ("lincoln", 40.81, -96.70),
    ("little rock", 34.75, -92.29),
    ("long beach", 33.77, -118.19),
    ("los angeles", 34.05, -118.24),
    ("louisville", 38.25, -85.76),
    ("madison", 43.07, -89.40),
    ("memphis", 35.15, -90.05),
    ("mesa", 33.42, -111.83),
    ("miami", 25.76, -80.19),
    ("milwaukee", 43.04, -87.91),
    ("minneapolis", 44.98, -93.27),
    ("nashville", 36.16, -86.78),
    ("new orleans", 29.95, -90.07),
    ("new york", 40.71, -74.01),
    ("newark", 40.74, -74.17),
    ("norfolk", 36.85, -76.29),
    ("oakland", 37.80, -122.27),
    ("oklahoma city", 35.47, -97.52),
    ("omaha", 41.26, -95.93),
    ("orlando", 28.54, -81.38),
    ("philadelphia", 39.95, -75.17),
    ("phoenix", 33.45, -112.07),
    ("pittsburgh", 40.44, -80.00),
    ("plano", 33.02, -96.70),
    ("portland", 45.52, -122.68),
    ("providence", 41.82, -71.41),
    ("raleigh", 35.78, -78.64),
    ("reno", 39.53, -119.81),
    ("richmond", 37.54, -77.44),
    ("riverside", 33.95, -117.40),
    ("rochester", 43.16, -77.61),
    ("sacramento", 38.58, -121.49),
    ("saint paul", 44.95, -93.09),
    ("salt lake city", 40.76, -111.89),
    ("san antonio", 29.42, -98.49),
    ("san diego", 32.72, -117.16),
    ("san francisco", 37.77, -122.42),
    ("san jose", 37.34, -121.89),
    ("santa ana", 33.75, -117.87),
    ("santa monica", 34.02, -118.49),
    ("savannah", 32.08, -81.09),
    ("scottsdale", 33.49, -111.93),
    ("seattle", 47.61, -122.33),
    ("spokane", 47.66, -117.43),
    ("st. louis", 38.63, -90.20),
    ("st. paul", 44.95, -93.09),
    ("st. petersburg", 27.77, -82.64),
    ("stockton", 37.96, -121.29),
    ("tacoma", 47.25, -122.44),
    ("tampa", 27.95, -82.46),
    ("tempe", 33.43, -111.94),
    ("toledo", 41.65, -83.54),
    ("tucson", 32.22, -110.97),
    ("tulsa", 36.15, -95.99),
    ("virginia beach", 36.85, -75.98),
    ("washington", 38.91, -77.04),
    ("wichita", 37.69, -97.34),
    ("winston-salem", 36.10, -80.24),
];

/// Words of an office's name that follow its city.
const OFFICE_WORDS: &[&str] = &[
    "accela",
    "building",
    "buildings",
    "city",
    "clerk",
    "codes",
    "community",
    "construction",
    "county",
    "department",
    "development",
    "developments",
    "district",
    "division",
    "housing",
    "inspection",
    "inspectional",
    "inspections",
    "land",
    "licenses",
    "licensing",
    "office",
    "parish",
    "permit",
    "permits",
    "permitting",
    "plan",
    "planned",
    "planning",
    "plans",
    "plat",
    "plats",
    "recorder",
    "register",
    "registry",
    "services",
    "site",
    "zoning",
];

/// A city without the state after it: `Dallas, TX`.
pub fn strip_state(city: &str) -> &str {
    match city.rsplit_once(',') {
        Some((city, state)) if is_state_code(state.trim()) => city.trim(),
        _ => city.trim(),
    }
}

fn is_state_code(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|letter| letter.is_ascii_alphabetic())
}

/// The city that a source works for, by its name: `San Francisco Building Permits` without the
/// office. None for a county, which also records deeds, and where the name has no office behind a
/// place.
pub fn city_of_source(name: &str) -> Option<&str> {
    let name = name.strip_prefix("City of ").unwrap_or(name).trim();
    let is_of_a_region = ["State of ", "County of "].map(|start| name.starts_with(start));
    if is_of_a_region.contains(&true) {
        return None;
    }
    let is_any = |word: &str, words: &[&str]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    let mut ends = name
        .match_indices(' ')
        .map(|(at, _)| at)
        .chain([name.len()]);
    let known = ends.rfind(|end| locate_city(&name[..*end]).is_some());
    let (city, office) = match known {
        Some(end) => name.split_at(end),
        None => {
            let is_office = |at: &usize| {
                let mut words = name[*at..].split_whitespace();
                words.next().is_some_and(|word| is_any(word, OFFICE_WORDS))
            };
            let later = name.match_indices(' ').map(|(at, _)| at);
            name.split_at(std::iter::once(0).chain(later).find(is_office)?)
        }
    };
    let first = office.split_whitespace().next();
    let is_county = first.is_some_and(|word| {
        is_any(word, &["county", "parish"])
            || known.is_none() && is_any(word, &["clerk", "recorder", "register", "registry"])
    });
    // "Carson City Building" may be of Carson or of Carson City.
    let is_unclear = known.is_none() && first.is_some_and(|word| is_any(word, &["city"]));
    // Of a city and its county, such as Charlotte-Mecklenburg.
    let city = match city.split_once('-') {
        Some((first, _)) if locate_city(first).is_some() => first,
        _ => city.trim(),
    };
    (!city.is_empty() && !is_county && !is_unclear).then_some(city)
}

/// The latitude and longitude of a large city.
pub fn locate_city(name: &str) -> Option<(f64, f64)> {
    let letters = || {
        name.trim()
            .bytes()
            .map(|letter| letter.to_ascii_lowercase())
    };
    let at = CITIES
        .binary_search_by(|(known, ..)| known.bytes().cmp(letters()))
        .ok()?;
    Some((CITIES[at].1, CITIES[at].2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_source_tells_its_city_but_no_county_and_no_office() {
        let names = [
            ("San Francisco Building Permits", Some("San Francisco")),
            ("Los Angeles City Planning", Some("Los Angeles")),
            ("Boston Inspectional Services", Some("Boston")),
            (
                "Philadelphia Licenses and Inspections",
                Some("Philadelphia"),
            ),
            ("Chicago Planned Developments", Some("Chicago")),
            ("Charlotte-Mecklenburg Permits", Some("Charlotte")),
            ("Kansas City Planning", Some("Kansas City")),
            ("New York DOB NOW Permits", Some("New York")),
            ("Round Rock Planning", Some("Round Rock")),
            ("City of Austin", Some("Austin")),
            ("Los Angeles County Recorder", None),
            ("Harris County Clerk", None),
            ("Multnomah Recorder", None),
            ("District Department of Buildings", None),
            ("Building Department", None),
            ("Ridge Wire", None),
            ("Carson City Building", None),
            ("State of Texas Licensing", None),
        ];
        for (name, city) in names {
            assert_eq!(city_of_source(name), city, "{name}");
        }
    }

    #[test]
    fn a_large_city_is_found_whatever_its_case() {
        assert_eq!(locate_city("San Francisco"), Some((37.77, -122.42)));
        assert_eq!(
            (locate_city(" AUSTIN ").is_some(), locate_city("Nowhere")),
            (true, None)
        );
        assert!(
            CITIES.is_sorted_by(|one, other| one.0 < other.0),
            "the search needs the order"
        );
    }
}
