//! What salespeople type: each question gives these conditions, and reports these words as ignored.

use super::{now, sample_connection};
use crate::domain::book::Dataset;
use crate::domain::conditions::ConditionLine;
use crate::domain::vocabulary::{Vocabulary, example_question};
use crate::service::search::natural_language::translate;
use crate::service::search::vocabulary::FilterEntity;

/// The question, its conditions as a typed line, its order, and what is reported as ignored.
type Question = (&'static str, &'static str, &'static str, &'static str);

/// Thursday, July 9, 2026.
const PROJECTS: &[Question] = &[
    // amounts
    ("over 20M", "cost_of_construction_usd>=20M", "", ""),
    ("above 10 million", "cost_of_construction_usd>=10M", "", ""),
    (
        "more than $5 million",
        "cost_of_construction_usd>=5M",
        "",
        "",
    ),
    (
        "projects worth more than $2.5mm",
        "cost_of_construction_usd>=2.5M",
        "",
        "",
    ),
    ("$20M+", "cost_of_construction_usd>=20M", "", ""),
    (
        "$10 million or more in Dallas",
        "cost_of_construction_usd>=10M city=Dallas",
        "",
        "",
    ),
    (
        "twenty million and up",
        "cost_of_construction_usd>=20M",
        "",
        "",
    ),
    (
        "at least half a million dollars",
        "cost_of_construction_usd>=500000",
        "",
        "",
    ),
    (
        "budget over 15 mil",
        "cost_of_construction_usd>=15M",
        "",
        "",
    ),
    (
        "construction cost between 5 and 10 million",
        "cost_of_construction_usd=5M..10M",
        "",
        "",
    ),
    ("$10M-$20M", "cost_of_construction_usd=10M..20M", "", ""),
    (
        "from $1m to $3m in Houston",
        "cost_of_construction_usd=1M..3M city=Houston",
        "",
        "",
    ),
    ("cost < 2M", "cost_of_construction_usd<=2M", "", ""),
    (">= $750,000", "cost_of_construction_usd>=750000", "", ""),
    (
        "no less than 5 million",
        "cost_of_construction_usd>=5M",
        "",
        "",
    ),
    ("north of $50M", "cost_of_construction_usd>=50M", "", ""),
    ("around $20M", "", "", "around $20m"),
    ("over 500", "", "", "over 500"),
    ("over $20M in revenue", "", "", "over $20m in revenue"),
    ("more than 300 employees", "", "", "more than 300 employees"),
    ("over 5 million visitors", "", "", "over 5 million visitors"),
    (
        "multifamily with more than 200 units",
        "primary_use=multifamily residential_units>=201",
        "",
        "",
    ),
    ("100+ units", "residential_units>=100", "", ""),
    (
        "200-unit apartments",
        "residential_units=200 primary_use=multifamily",
        "",
        "",
    ),
    ("a hundred units or more", "residential_units>=100", "", ""),
    ("fewer than 50 units", "residential_units<=49", "", ""),
    ("about 200 units", "", "", "about 200 units"),
    ("12-story hotels", "stories=12 primary_use=hotel", "", ""),
    ("taller than ten stories", "stories>=11", "", ""),
    (
        "offices, 5 to 10 floors",
        "primary_use=office stories=5..10",
        "",
        "",
    ),
    ("not more than 4 stories", "stories<=4", "", ""),
    (
        "at least 50k square feet of retail",
        "gross_floor_area_sf>=50000 primary_use=retail",
        "",
        "",
    ),
    ("more than 3 signals", "", "", "more than 3 signals"),
    (
        "with at least two architects",
        "",
        "",
        "at least two architects",
    ),
    // places
    ("Austin", "city=Austin", "", ""),
    ("Austin or Dallas", "city=Austin,Dallas", "", ""),
    (
        "hotels in Austin or Dallas",
        "primary_use=hotel city=Austin,Dallas",
        "",
        "",
    ),
    (
        "multifamily in Houston, or Austin",
        "primary_use=multifamily city=Houston,Austin",
        "",
        "",
    ),
    (
        "hotels in Austin, offices in Dallas",
        "primary_use=hotel city=Austin",
        "",
        "offices in dallas",
    ),
    (
        "hotels over 5M and offices over 10M",
        "primary_use=hotel cost_of_construction_usd>=5M",
        "",
        "offices over 10m",
    ),
    (
        "Austin hotels and Dallas retail",
        "city=Austin primary_use=hotel",
        "",
        "dallas retail",
    ),
    (
        "Austin/Dallas office",
        "city=Austin,Dallas primary_use=office",
        "",
        "",
    ),
    ("in Texas but not Houston", "state=TX city!=Houston", "", ""),
    (
        "Texas except Austin and Dallas",
        "state=TX city!=Austin,Dallas",
        "",
        "",
    ),
    ("anywhere but Houston", "city!=Houston", "", ""),
    (
        "hotels outside Texas",
        "primary_use=hotel state!=TX",
        "",
        "",
    ),
    ("not in California or Texas", "state!=CA,TX", "", ""),
    ("Austin, TX", "city=Austin state=TX", "", ""),
    (
        "data centers in TX",
        "primary_use=data_center state=TX",
        "",
        "",
    ),
    ("in Austinn", "", "", "austinn (did you mean Austin?)"),
    (
        "hotels in Huston",
        "primary_use=hotel",
        "",
        "huston (did you mean Houston?)",
    ),
    (
        "hotels in Dalas over 5M",
        "primary_use=hotel cost_of_construction_usd>=5M",
        "",
        "dalas (did you mean Dallas?)",
    ),
    (
        "hotels in Port Nowhere since May without a gc",
        "primary_use=hotel last_signal_at>=2026-05-01 without_account.role=gc",
        "",
        "port nowhere",
    ),
    (
        "offices in Texsa",
        "primary_use=office",
        "",
        "texsa (did you mean Texas?)",
    ),
    (
        "mulitfamily in Dallas",
        "city=Dallas",
        "",
        "mulitfamily (did you mean multifamily?)",
    ),
    ("near Austin", "", "", "near austin"),
    (
        "within 20 miles of Austin",
        "",
        "",
        "within 20 miles of austin",
    ),
    ("north of Houston", "", "", "north of houston"),
    ("in Travis County", "", "", "travis county"),
    ("in Dallas County", "", "", "dallas county"),
    ("in LA", "", "", "la (Los Angeles or Louisiana?)"),
    ("in the Bay Area", "", "", "bay area"),
    // dates
    ("since September", "last_signal_at>=2025-09-01", "", ""),
    (
        "since last Monday in Austin",
        "city=Austin",
        "",
        "since last monday",
    ),
    ("active since June 15", "last_signal_at>=2026-06-15", "", ""),
    (
        "with permits issued this month",
        "has_signal.signal_type=permit_issued has_signal.filed_at=2026-07-01..2026-07-31",
        "",
        "",
    ),
    (
        "issued this month",
        "has_signal.signal_type=permit_issued has_signal.filed_at=2026-07-01..2026-07-31",
        "",
        "",
    ),
    (
        "permits issued in Austin since May",
        "has_signal.signal_type=permit_issued has_signal.filed_at>=2026-05-01 city=Austin",
        "",
        "",
    ),
    (
        "loans in the last 90 days",
        "has_signal.signal_type=construction_loan has_signal.filed_at>=2026-04-10",
        "",
        "",
    ),
    (
        "permit filed last month",
        "has_signal.signal_type=permit_filed has_signal.filed_at=2026-06-01..2026-06-30",
        "",
        "",
    ),
    ("filed since Q1", "has_signal.filed_at>=2026-01-01", "", ""),
    (
        "no activity in the last 6 months",
        "without_signal.filed_at>=2026-01-09",
        "",
        "",
    ),
    (
        "no signals since March",
        "without_signal.filed_at>=2026-03-01",
        "",
        "",
    ),
    (
        "updated before 2026-05-01",
        "last_signal_at<=2026-04-30",
        "",
        "",
    ),
    (
        "hotels in 2025",
        "primary_use=hotel last_signal_at=2025-01-01..2025-12-31",
        "",
        "",
    ),
    (
        "between March and May",
        "last_signal_at=2026-03-01..2026-05-31",
        "",
        "",
    ),
    ("completed in 2025", "stage=completed", "", "in 2025"),
    ("breaking ground in 2027", "", "", "breaking ground in 2027"),
    ("opening by June", "", "", "opening by june"),
    (
        "starting construction next month",
        "",
        "",
        "starting construction next month",
    ),
    (
        "office in the last few months",
        "primary_use=office",
        "",
        "last few months",
    ),
    (
        "since the beginning of the year",
        "last_signal_at>=2026-01-01",
        "",
        "",
    ),
    (
        "permitted since September",
        "stage=permitted",
        "",
        "since september",
    ),
    // who is and is not on it
    (
        "multifamily in Austin without a gc",
        "primary_use=multifamily city=Austin without_account.role=gc",
        "",
        "",
    ),
    ("no general contractor", "without_account.role=gc", "", ""),
    (
        "hotels that don't have a contractor yet",
        "primary_use=hotel without_account.role=gc",
        "",
        "",
    ),
    (
        "w/o architect in Dallas",
        "without_account.role=architect city=Dallas",
        "",
        "",
    ),
    (
        "with an architect but no gc",
        "has_account.role=architect without_account.role=gc",
        "",
        "",
    ),
    (
        "have a developer, no general contractor, over $10M",
        "has_account.role=developer without_account.role=gc cost_of_construction_usd>=10M",
        "",
        "",
    ),
    ("with or without a gc", "", "", "with or without a gc"),
    ("that still need a gc", "", "", "need a gc"),
    (
        "need a gc or architect in Austin",
        "has_account.role=gc,architect city=Austin",
        "",
        "",
    ),
    (
        "hotels looking for a gc or architect",
        "primary_use=hotel",
        "",
        "looking for a gc or architect",
    ),
    (
        "with an electrical contractor",
        "",
        "",
        "electrical contractor",
    ),
    (
        "owned by Hines",
        "has_account.role=owner has_account.name=Hines",
        "",
        "",
    ),
    (
        "hotels developed by Trammell Crow in Dallas",
        "primary_use=hotel has_account.role=developer has_account.name=\"Trammell Crow\" city=Dallas",
        "",
        "",
    ),
    (
        "designed by gensler over 20M",
        "has_account.role=architect has_account.name=gensler cost_of_construction_usd>=20M",
        "",
        "",
    ),
    (
        "not owned by Hines",
        "without_account.role=owner without_account.name=Hines",
        "",
        "",
    ),
    ("by \"Turner\"", "has_account.name=Turner", "", ""),
    (
        "with an architect, owned by Hines",
        "has_account.role=architect",
        "",
        "owned by hines",
    ),
    ("who is the architect", "", "", "who is the architect"),
    (
        "when does Maple Court open?",
        "",
        "",
        "when does maple court open",
    ),
    ("named Maple Court", "name=\"Maple Court\"", "", ""),
    (
        "designed by an architect",
        "",
        "",
        "designed by an architect",
    ),
    ("gc not awarded", "", "", "gc not awarded"),
    ("gc not selected", "gc_status=not_selected", "", ""),
    (
        "no construction loan in the last year",
        "without_signal.signal_type=construction_loan without_signal.filed_at>=2025-07-09",
        "",
        "",
    ),
    (
        "under $1M or over $10M",
        "cost_of_construction_usd<=1M",
        "",
        "or over $10m",
    ),
    (
        "permits filed but not issued",
        "has_signal.signal_type=permit_filed without_signal.signal_type=permit_issued",
        "",
        "",
    ),
    (
        "permit issued by Austin",
        "has_signal.signal_type=permit_issued",
        "",
        "by austin",
    ),
    (
        "with a contact named Maria",
        "has_contact.name=Maria",
        "",
        "",
    ),
    (
        "anything over $50M that isn't a hotel",
        "cost_of_construction_usd>=50M primary_use!=hotel",
        "",
        "",
    ),
    (
        "GC bidding in Austin",
        "gc_status=bidding city=Austin",
        "",
        "",
    ),
    // stages and uses
    (
        "permitted but not under construction",
        "stage=permitted",
        "",
        "not under construction",
    ),
    ("not yet permitted", "stage!=permitted", "", ""),
    (
        "almost permitted hotels",
        "primary_use=hotel",
        "",
        "almost permitted",
    ),
    (
        "soon to be completed or permitted",
        "",
        "",
        "soon to be completed or permitted",
    ),
    ("not only hotels", "", "", "not only hotels"),
    (
        "hotels or offices but no retail",
        "primary_use=hotel,office",
        "",
        "no retail",
    ),
    ("everything except parking", "primary_use!=parking", "", ""),
    (
        "mixed use or multi-family under review",
        "primary_use=mixed_use,multifamily stage=in_review",
        "",
        "",
    ),
    (
        "apartment buildings under construction in Houston",
        "primary_use=multifamily stage=under_construction city=Houston",
        "",
        "",
    ),
    ("fancy hotels", "primary_use=hotel", "", "fancy"),
    (
        "show me all the approved data centers please",
        "stage=approved primary_use=data_center",
        "",
        "",
    ),
    (
        "I'm looking for hotels in Texas",
        "primary_use=hotel state=TX",
        "",
        "",
    ),
    (
        "how many offices in Dallas",
        "primary_use=office city=Dallas",
        "",
        "how many",
    ),
    // orders
    ("top 20 by cost", "", "", "top 20 by cost"),
    (
        "top 10 hotels by cost in Austin",
        "primary_use=hotel city=Austin",
        "",
        "top 10; by cost",
    ),
    (
        "biggest offices in Dallas",
        "primary_use=office city=Dallas",
        "",
        "biggest",
    ),
    (
        "most expensive multifamily",
        "primary_use=multifamily",
        "",
        "most expensive",
    ),
    (
        "latest hotels",
        "primary_use=hotel",
        "last_signal_at desc",
        "",
    ),
    (
        "offices sorted by name",
        "primary_use=office",
        "name asc",
        "",
    ),
    // whatever is understood is kept
    (
        "towers over 20M",
        "stories>=12 cost_of_construction_usd>=20M",
        "",
        "",
    ),
    (
        "who is building hotels in Austin",
        "primary_use=hotel city=Austin",
        "",
        "",
    ),
    (
        "affordable housing in Dallas",
        "primary_use=multifamily city=Dallas",
        "",
        "affordable",
    ),
    (
        "high-rise not started",
        "stories>=12 stage!=under_construction,completed",
        "",
        "",
    ),
    (
        "hospitals in Texas",
        "primary_use=healthcare state=TX",
        "",
        "",
    ),
    // more of them
    (
        "show me hotels in Dallas with no gc yet",
        "primary_use=hotel city=Dallas without_account.role=gc",
        "",
        "",
    ),
    (
        "jobs over $10M that haven't picked a contractor",
        "cost_of_construction_usd>=10M",
        "",
        "haven't picked a contractor",
    ),
    (
        "offices bidding now",
        "primary_use=office gc_status=bidding",
        "",
        "",
    ),
    (
        "warehouses over 300,000 sf near Houston",
        "primary_use=industrial gross_floor_area_sf>=300000",
        "",
        "near houston",
    ),
    (
        "schools in Houston with a permit filed since January 2026",
        "primary_use=education city=Houston has_signal.signal_type=permit_filed has_signal.filed_at>=2026-01-01",
        "",
        "",
    ),
    (
        "data centers over 50 million dollars",
        "primary_use=data_center cost_of_construction_usd>=50M",
        "",
        "",
    ),
    (
        "what permits were issued yesterday in Austin?",
        "has_signal.signal_type=permit_issued has_signal.filed_at=2026-07-08..2026-07-08 city=Austin",
        "",
        "",
    ),
    (
        "mixed-use towers in Houston without an engineer",
        "primary_use=mixed_use stories>=12 city=Houston without_account.role=engineer",
        "",
        "",
    ),
    (
        "multifamily 50 to 150 units under $40M in Dallas, no gc",
        "primary_use=multifamily residential_units=50..150 cost_of_construction_usd<=40M city=Dallas without_account.role=gc",
        "",
        "",
    ),
    (
        "with a lender but without a gc",
        "has_account.role=lender without_account.role=gc",
        "",
        "",
    ),
    (
        "hotels or apartments in Houston between $10M and $40M",
        "primary_use=hotel,multifamily city=Houston cost_of_construction_usd=10M..40M",
        "",
        "",
    ),
    (
        "between 500,000 and 1 million square feet",
        "gross_floor_area_sf=500000..1000000",
        "",
        "",
    ),
    (
        "which offices in Austin were approved but have no general contractor",
        "primary_use=office city=Austin stage=approved without_account.role=gc",
        "",
        "",
    ),
    (
        "no loan yet, permitted, over 100 units",
        "without_signal.signal_type=construction_loan stage=permitted residential_units>=101",
        "",
        "",
    ),
    (
        "hotels w/o a gc and/or architect",
        "primary_use=hotel without_account.role=gc,architect",
        "",
        "",
    ),
    (
        "multifamily with retail",
        "primary_use=multifamily",
        "",
        "retail",
    ),
    ("over $20M in loans", "", "", "over $20m in loans"),
    (
        "projects where the architect is Gensler",
        "has_account.role=architect",
        "",
        "gensler",
    ),
    (
        "with a developer, with an architect",
        "has_account.role=developer",
        "",
        "architect",
    ),
    ("have we called Hines", "", "", "we called hines"),
    ("hotels in St. Louis", "primary_use=hotel", "", "st. louis"),
    (
        "hotels over 10 and under 20 stories",
        "primary_use=hotel stories<=19",
        "",
        "over 10",
    ),
    ("with 2 towers", "", "", "2 towers"),
    ("older than 90 days", "", "", "older than 90 days"),
    (
        "projects over 100k",
        "cost_of_construction_usd>=100000",
        "",
        "",
    ),
    (
        "top ten hotels by number of signals",
        "primary_use=hotel",
        "signals_count desc",
        "",
    ),
    ("top twenty", "", "", "top twenty"),
    ("since 6/1", "last_signal_at>=2026-06-01", "", ""),
    ("before Q2 2026", "last_signal_at<=2026-03-31", "", ""),
    (
        "started hotels",
        "primary_use=hotel stage=under_construction,completed",
        "",
        "",
    ),
];

/// A limit goes with its order.
#[test]
fn the_top_rows_of_an_order_are_a_number_of_rows_and_the_order() {
    let conn = sample_connection(10);
    for (entity, question, order, limit, ignored) in [
        (
            "projects",
            "top 5 by number of signals",
            Some("signals_count"),
            Some(5),
            "",
        ),
        (
            "accounts",
            "top 20 accounts by projects",
            Some("projects_count"),
            Some(20),
            "",
        ),
        (
            "accounts",
            "top 20 accounts by project value",
            None,
            None,
            "top 20 accounts by project value",
        ),
    ] {
        let entity = FilterEntity::from_name(entity).unwrap();
        let found = translate(&conn, entity, question, now()).unwrap();
        let got = (found.sort.map(|(key, _)| key), found.limit);
        assert_eq!(got, (order, limit), "{question}");
        assert_eq!(found.unmatched.join("; "), ignored, "{question}");
    }
}

const ACCOUNTS: &[Question] = &[
    (
        "architects in Austin",
        "account_type=architect city=Austin",
        "",
        "",
    ),
    (
        "gcs with no projects in Texas",
        "account_type=gc without_project.state=TX",
        "",
        "",
    ),
    (
        "developers with projects in Dallas",
        "account_type=developer has_project.city=Dallas",
        "",
        "",
    ),
    (
        "developers in Austin with hotels over $20M",
        "account_type=developer city=Austin has_project.primary_use=hotel has_project.cost_of_construction_usd>=20M",
        "",
        "",
    ),
    (
        "lenders without contacts",
        "account_type=lender without_contact=*",
        "",
        "",
    ),
    (
        "who are the architects in Houston",
        "account_type=architect city=Houston",
        "",
        "",
    ),
    (
        "developers with the most projects",
        "account_type=developer",
        "projects_count desc",
        "",
    ),
    (
        "gcs who have not had a permit issued since May",
        "account_type=gc without_signal.signal_type=permit_issued without_signal.filed_at>=2026-05-01",
        "",
        "",
    ),
    (
        "gcs with more than 10 projects",
        "account_type=gc",
        "",
        "more than 10 projects",
    ),
    (
        "developers building multifamily in Austin and Dallas",
        "account_type=developer has_project.primary_use=multifamily has_project.city=Austin,Dallas",
        "",
        "and",
    ),
    (
        "top 10 developers by number of projects",
        "account_type=developer",
        "projects_count desc",
        "",
    ),
    (
        "gcs that built towers in Dallas",
        "account_type=gc city=Dallas",
        "",
        "built towers",
    ),
    (
        "subs in Dallas",
        "account_type=subcontractor city=Dallas",
        "",
        "",
    ),
];

const CONTACTS: &[Question] = &[
    (
        "people at architects in Austin",
        "at_account.account_type=architect at_account.city=Austin",
        "",
        "",
    ),
    (
        "contacts on hotel projects in Dallas",
        "on_project.primary_use=hotel on_project.city=Dallas",
        "",
        "",
    ),
    ("contacts in Austin", "", "", "austin"),
    ("contacts without email", "", "", "without email"),
    (
        "vp of construction at developers in Texas",
        "at_account.account_type=developer at_account.state=TX",
        "",
        "vp of construction",
    ),
];

const SIGNALS: &[Question] = &[
    (
        "construction loans since September",
        "signal_type=construction_loan filed_at>=2025-09-01",
        "",
        "",
    ),
    (
        "permits issued in Austin this week",
        "signal_type=permit_issued for_project.city=Austin filed_at=2026-07-06..2026-07-12",
        "",
        "",
    ),
    (
        "issued yesterday",
        "signal_type=permit_issued filed_at=2026-07-08",
        "",
        "",
    ),
    (
        "discovered in the last 7 days",
        "discovered_at>=2026-07-02",
        "",
        "",
    ),
    (
        "loans over $20M",
        "signal_type=construction_loan",
        "",
        "over $20m",
    ),
    (
        "expirations for multifamily in Texas",
        "signal_type=expiration for_project.primary_use=multifamily for_project.state=TX",
        "",
        "",
    ),
    (
        "what was filed last month",
        "filed_at=2026-06-01..2026-06-30",
        "",
        "",
    ),
    (
        "permits issued for hotels over $10M",
        "signal_type=permit_issued for_project.primary_use=hotel for_project.cost_of_construction_usd>=10M",
        "",
        "",
    ),
];

/// What five people typed: the entity, and the question as above.
type TypedQuestion = (&'static str, Question);

const ROOFING_SALES_REP: &[TypedQuestion] = &[
    (
        "projects",
        (
            "warehouses in Dallas over 100,000 sf that just got permitted",
            "primary_use=industrial city=Dallas gross_floor_area_sf>=100000 stage=permitted",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "industrial bldgs with no gc picked in texas",
            "primary_use=industrial gc_status=not_selected state=TX",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "big flat roof retail in houston",
            "primary_use=retail city=Houston",
            "",
            "big flat roof",
        ),
    ),
    (
        "projects",
        (
            "who's the GC on the Amazon warehouse in Dallas?",
            "",
            "",
            "who's the gc on the amazon warehouse in dallas",
        ),
    ),
    (
        "projects",
        (
            "new construction hospitals and clinics in TX",
            "primary_use=healthcare state=TX",
            "",
            "new construction",
        ),
    ),
    (
        "projects",
        (
            "schools w/ permits issued in the last 30 days",
            "primary_use=education has_signal.signal_type=permit_issued has_signal.filed_at>=2026-06-09",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "distribution centers under construction houston or dallas",
            "primary_use=industrial stage=under_construction city=Houston,Dallas",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "apartments 3 stories or less in austin",
            "primary_use=multifamily stories<=3 city=Austin",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "any job over 5 mil without a roofer",
            "cost_of_construction_usd>=5M",
            "",
            "without a roofer",
        ),
    ),
    (
        "projects",
        (
            "projects breaking ground soon in Austin",
            "city=Austin",
            "",
            "breaking ground soon",
        ),
    ),
];

const ELEVATOR_ANALYST: &[TypedQuestion] = &[
    (
        "projects",
        (
            "buildings with 5+ floors under construction in Texas",
            "stories>=5 stage=under_construction state=TX",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "mid-rise multifamily permitted since 1/1/2026",
            "stories=5..11 primary_use=multifamily stage=permitted",
            "",
            "since 1/1/2026",
        ),
    ),
    (
        "projects",
        (
            "hotels between 10 and 25 stories w/o a developer",
            "primary_use=hotel stories=10..25 without_account.role=developer",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "projects taller than 20 stories in Houston or Dallas, not completed",
            "stories>=21 city=Houston,Dallas stage!=completed",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "residential towers over 15 stories",
            "primary_use=multifamily,single_family stories>=16",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "office towers stories >= 30",
            "primary_use=office stories>=30",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "which hospitals have more than 4 floors and no gc",
            "primary_use=healthcare stories>=5 without_account.role=gc",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "count of high rises by city",
            "stories>=12",
            "",
            "count; by city",
        ),
    ),
    (
        "projects",
        (
            "parking garages 6 levels or more",
            "primary_use=parking stories>=6",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "stories > 8 and units < 100",
            "stories>=9 residential_units<=99",
            "",
            "",
        ),
    ),
];

const LENDER: &[TypedQuestion] = &[
    (
        "projects",
        (
            "multifamily deals in Dallas without a construction loan",
            "primary_use=multifamily city=Dallas without_signal.signal_type=construction_loan",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "construction loans over $10M since March 2026",
            "has_signal.signal_type=construction_loan has_signal.filed_at>=2026-03-01",
            "",
            "over $10m",
        ),
    ),
    (
        "accounts",
        (
            "developers with more than 5 projects",
            "account_type=developer",
            "",
            "more than 5 projects",
        ),
    ),
    (
        "accounts",
        ("borrowers in Austin", "city=Austin", "", "borrowers"),
    ),
    (
        "projects",
        (
            "permitted apartments 100 to 300 units no lender",
            "stage=permitted primary_use=multifamily residential_units=100..300 without_account.role=lender",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "projects financed by Wells Fargo",
            "has_account.role=lender has_account.name=\"Wells Fargo\"",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "ground-up office between $20 and $50 million in Texas",
            "primary_use=office cost_of_construction_usd=20M..50M state=TX",
            "",
            "ground-up",
        ),
    ),
    (
        "signals",
        (
            "loan maturities next quarter",
            "signal_type=construction_loan",
            "",
            "maturities next quarter",
        ),
    ),
    (
        "projects",
        (
            "deals above 25mm that haven't started",
            "cost_of_construction_usd>=25M stage!=under_construction,completed",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "entitled but not permitted",
            "stage=approved",
            "",
            "not permitted",
        ),
    ),
];

const OFFICE_MANAGER: &[TypedQuestion] = &[
    (
        "accounts",
        (
            "list of architects and engineers in Houston",
            "account_type=architect,engineer city=Houston",
            "",
            "",
        ),
    ),
    (
        "contacts",
        (
            "contacts at Turner Construction",
            "at_account.name=\"Turner Construction\"",
            "",
            "",
        ),
    ),
    (
        "contacts",
        (
            "email addresses of project managers at gcs",
            "at_account.account_type=gc",
            "",
            "email addresses of project managers",
        ),
    ),
    (
        "accounts",
        (
            "companies we haven't called yet in Dallas",
            "",
            "",
            "haven't called yet in dallas",
        ),
    ),
    (
        "account",
        (
            "tier 1 accounts in Texas tagged Q3 target",
            "icp_tier=tier_1 state=TX tags=\"Q3 target\"",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "projects with no activity since January",
            "without_signal.filed_at>=2026-01-01",
            "",
            "",
        ),
    ),
    (
        "signals",
        (
            "permits issued last week in Austin",
            "signal_type=permit_issued filed_at=2026-06-29..2026-07-05 for_project.city=Austin",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "please sort hotels by newest first",
            "primary_use=hotel",
            "last_signal_at desc",
            "",
        ),
    ),
    (
        "accounts",
        (
            "show me the top 25 gcs by number of projects",
            "account_type=gc",
            "projects_count desc",
            "",
        ),
    ),
    (
        "contacts",
        (
            "people without a phone number",
            "",
            "",
            "without a phone number",
        ),
    ),
];

const NEWCOMER: &[TypedQuestion] = &[
    (
        "projects",
        (
            "hotles in dalas",
            "",
            "",
            "hotles (did you mean hotel?); dalas (did you mean Dallas?)",
        ),
    ),
    (
        "projects",
        (
            "aparments under constuction in houston",
            "city=Houston",
            "",
            "aparments (did you mean apartment?); under constuction",
        ),
    ),
    (
        "projects",
        ("how do i find projects near me", "", "", "near me"),
    ),
    ("projects", ("what is a gc", "", "", "what is a gc")),
    (
        "projects",
        (
            "multifamly projcts in texas over 10 milion",
            "state=TX",
            "",
            "multifamly (did you mean multifamily?); projcts; over 10 milion",
        ),
    ),
    (
        "projects",
        (
            "stuff getting built in Austin",
            "stage=under_construction city=Austin",
            "",
            "",
        ),
    ),
    (
        "projects",
        ("cheap houses", "primary_use=single_family", "", "cheap"),
    ),
    (
        "projects",
        (
            "data centres in california",
            "primary_use=data_center state=CA",
            "",
            "",
        ),
    ),
    (
        "projects",
        (
            "biggest project in the country",
            "",
            "",
            "biggest project in the country",
        ),
    ),
    (
        "projects",
        (
            "permits from yesterday pls",
            "",
            "",
            "permits from yesterday",
        ),
    ),
];

#[test]
fn what_five_people_typed_is_understood_or_reported() {
    for (who, questions) in [
        ("a roofing sales rep", ROOFING_SALES_REP),
        ("an elevator company's analyst", ELEVATOR_ANALYST),
        ("a lender", LENDER),
        ("an office manager", OFFICE_MANAGER),
        ("a curious newcomer", NEWCOMER),
    ] {
        assert_eq!(questions.len(), 10);
        assert_eq!(find_wrong(questions), Vec::<String>::new(), "{who}");
    }
}

#[test]
fn a_hundred_questions_in_salespeoples_words_give_the_right_conditions_or_report_what_they_ignored()
{
    let mut questions: Vec<TypedQuestion> = Vec::new();
    for (entity, asked) in [
        ("projects", PROJECTS),
        ("accounts", ACCOUNTS),
        ("contacts", CONTACTS),
        ("signals", SIGNALS),
    ] {
        questions.extend(asked.iter().map(|question| (entity, *question)));
    }
    assert!(questions.len() >= 100);
    let wrong = find_wrong(&questions);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        questions.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_questions_that_the_console_suggests_are_understood_without_any_city() {
    let conn = sample_connection(0);
    for dataset in Dataset::ALL {
        let entity = FilterEntity::from_name(dataset.as_str()).unwrap();
        let question = example_question(dataset);
        let found = translate(&conn, entity, question, now()).unwrap();
        assert!(!found.filters.is_empty(), "{question}");
        assert_eq!(found.unmatched, Vec::<String>::new(), "{question}");
    }
}

/// The questions that are translated otherwise, and how.
fn find_wrong(questions: &[TypedQuestion]) -> Vec<String> {
    let conn = sample_connection(60);
    for table in ["projects", "accounts"] {
        let name = "CASE rowid % 3 WHEN 0 THEN 'Austin' WHEN 1 THEN 'Dallas' ELSE 'Houston' END";
        conn.execute(&format!("UPDATE {table} SET city = {name}"), [])
            .unwrap();
    }
    let check = |(entity, question): &TypedQuestion| {
        let (question, conditions, order, ignored) = *question;
        let known = FilterEntity::from_name(entity).unwrap();
        let found = translate(&conn, known, question, now()).unwrap();
        let expected = ConditionLine::parse(conditions, &Vocabulary::default())
            .unwrap()
            .conditions;
        let sort = found
            .sort
            .map(|(key, ascending)| format!("{key} {}", if ascending { "asc" } else { "desc" }));
        let sort = sort.unwrap_or_default();
        let unmatched = found.unmatched.join("; ");
        let is_right = found.filters.to_json() == expected.to_json();
        let got = format!(
            "{entity}: {question}\n  got {} [{sort}] ignored {unmatched}",
            found.filters.to_line("")
        );
        (!is_right || sort != order || unmatched != ignored).then_some(got)
    };
    questions.iter().filter_map(check).collect()
}
