//! Made-up permit files as offices write them, imported without a layout: each is read exactly, or
//! asks the right question.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::ops::ControlFlow;

use gantry::service::import::inspect::layout_text::{LayoutTitle, write_layout};
use gantry::service::import::inspect::{self, Answers};
use gantry::service::import::layout::{PermitLayout, header_fingerprint};
use gantry::service::import::permit_state::PermitState;
use gantry::service::import::table::Encoding;
use gantry::service::import::words::PermitField;
use gantry::service::import::{
    self, CommitMode, dates::DateOrder, import_run, layout::DecimalSign,
};
use gantry::service::{Storage, db};

/// What has to happen.
enum Outcome {
    /// Signals as `permit type day | address, city | cost`, and the rejected rows as `line reason`.
    Imported(&'static [&'static str], &'static [&'static str]),
    /// The questions begin so, and after the answers it is imported.
    Asks(&'static [&'static str]),
    /// The error begins so.
    Fails(&'static str),
}
use Outcome::{Asks, Fails, Imported};

struct PermitFile {
    name: &'static str,
    bytes: Vec<u8>,
    answers: Answers,
    outcome: Outcome,
}

fn file(name: &'static str, text: &str, outcome: Outcome) -> PermitFile {
    let city = Some(("Springfield".to_owned(), "IL".to_owned()));
    PermitFile {
        name,
        bytes: text.as_bytes().to_vec(),
        answers: Answers {
            city,
            ..Answers::default()
        },
        outcome,
    }
}

impl PermitFile {
    fn encoded(mut self, encode: impl Fn(&str) -> Vec<u8>) -> PermitFile {
        self.bytes = encode(std::str::from_utf8(&self.bytes).unwrap());
        self
    }

    fn answered(mut self, change: impl Fn(&mut Answers)) -> PermitFile {
        change(&mut self.answers);
        self
    }

    /// What happened, in the same words.
    fn check(&self) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("permits.csv");
        std::fs::write(&path, &self.bytes).unwrap();
        let sample = match (
            import::open_sample(&path, self.answers.encoding),
            &self.outcome,
        ) {
            (Err(error), Fails(expected)) if error.to_string().starts_with(expected) => {
                return Ok(());
            }
            (Err(error), _) => return Err(format!("failed: {error}")),
            (Ok(_), Fails(_)) => return Err("was read as a table".to_owned()),
            (Ok(sample), _) => sample,
        };
        let found = inspect::inspect(&sample, &self.answers);
        let asked: Vec<&str> = found
            .questions
            .iter()
            .map(|question| question.text.as_str())
            .collect();
        if let Asks(expected) = self.outcome {
            let fits = asked.len() == expected.len()
                && asked
                    .iter()
                    .zip(expected)
                    .all(|(asked, begin)| asked.starts_with(begin));
            return if fits {
                Ok(())
            } else {
                Err(format!("asked {asked:#?}"))
            };
        }
        if !asked.is_empty() {
            return Err(format!("asked {asked:#?}"));
        }
        let title = LayoutTitle {
            name: "made-up",
            file: "permits.csv",
            fingerprint: header_fingerprint(&sample.header),
        };
        let text = write_layout(&found, &title);
        let layout =
            PermitLayout::parse("made-up", &text).map_err(|error| format!("{error}\n{text}"))?;
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let bytes = self.bytes.as_slice();
        let report = import_run::read_file(
            &conn,
            &layout,
            bytes,
            None,
            &mut |_| ControlFlow::Continue(()),
            CommitMode::Commit,
            "2026-07-09T16:20:00Z".parse().unwrap(),
        )
        .unwrap();
        let sql = "SELECT s.source_filing_id || ' ' || s.signal_type || ' ' || strftime('%Y-%m-%d', s.filed_at / 1000, 'unixepoch') || ' | '
            || p.primary_address || ', ' || ifnull(p.city, '') || ' | ' || ifnull(s.reported_cost_usd, '-')
            FROM signals s JOIN projects p ON p.id = s.project_id ORDER BY 1";
        let rows: Vec<String> = conn
            .prepare(sql)
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let rejected: Vec<String> = report
            .rejected
            .iter()
            .map(|(why, at)| format!("{} {why}", at.first_line))
            .collect();
        let Imported(expected, expected_rejects) = self.outcome else {
            return Err(format!("imported {rows:#?}"));
        };
        if rows != expected || rejected != expected_rejects {
            return Err(format!(
                "imported {rows:#?}, rejected {rejected:?}, remarks {:?}\n{text}",
                report.remarks
            ));
        }
        Ok(())
    }
}

fn utf16(text: &str, mark: bool, write: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = if mark {
        format!("\u{feff}{text}")
    } else {
        text.to_owned()
    };
    text.encode_utf16().flat_map(write).collect()
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| {
            if c == '€' {
                0x80
            } else {
                u8::try_from(u32::from(c)).unwrap()
            }
        })
        .collect()
}

fn check(files: &[PermitFile]) {
    let wrong: Vec<String> = files
        .iter()
        .filter_map(|file| {
            file.check()
                .err()
                .map(|why| format!("{}: {why}", file.name))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        files.len(),
        wrong.join("\n\n")
    );
}

const PLAIN: &str = "Permit Number,Address,Issued Date,Estimated Cost\nA-1,1 Main St,01/15/2024,95000\nA-2,2 Oak Ave,02/03/2024,1200.50\n";
const PLAIN_ROWS: &[&str] = &[
    "A-1 permit_issued 2024-01-15 | 1 Main St, Springfield | 95000.0",
    "A-2 permit_issued 2024-02-03 | 2 Oak Ave, Springfield | 1200.5",
];
const GERMAN: &str = "Aktenzeichen;Bauort;Genehmigt am;Baukosten (€)\n2024/17;Hauptstraße 1;13.04.2024;95.000,00\n2024/18;Mühlweg 3;02.05.2024;780.500,50\n";
const GERMAN_ROWS: &[&str] = &[
    "2024/17 permit_issued 2024-04-13 | Hauptstraße 1, Springfield | 95000.0",
    "2024/18 permit_issued 2024-05-02 | Mühlweg 3, Springfield | 780500.5",
];

fn separators_and_encodings() -> Vec<PermitFile> {
    vec![
        file("commas, month first", PLAIN, Imported(PLAIN_ROWS, &[])),
        file("tabs", &PLAIN.replace(',', "\t"), Imported(PLAIN_ROWS, &[])),
        file("vertical bars", &PLAIN.replace(',', "|"), Imported(PLAIN_ROWS, &[])),
        file("CR LF and a byte-order mark", &format!("\u{feff}{}", PLAIN.replace('\n', "\r\n")), Imported(PLAIN_ROWS, &[])),
        file("CR only", &PLAIN.replace('\n', "\r"), Imported(PLAIN_ROWS, &[])),
        file("semicolons, decimal commas", GERMAN, Imported(GERMAN_ROWS, &[])),
        file("ISO-8859-1", GERMAN, Imported(GERMAN_ROWS, &[])).encoded(latin1),
        file("UTF-16LE", GERMAN, Imported(GERMAN_ROWS, &[])).encoded(|text| utf16(text, true, u16::to_le_bytes)),
        file("UTF-16BE", GERMAN, Imported(GERMAN_ROWS, &[])).encoded(|text| utf16(text, true, u16::to_be_bytes)),
        file("UTF-16LE without a mark", PLAIN, Imported(PLAIN_ROWS, &[])).encoded(|text| utf16(text, false, u16::to_le_bytes)),
        file("sep= of Excel", &format!("sep=;\r\n{}", GERMAN.replace('\n', "\r\n")), Imported(GERMAN_ROWS, &[])),
        file(
            "a code page of the Mac",
            "Permit Number,Address,Issued Date\n1,M\u{9f}ller St 1,2024-01-15\n2,Stra\u{a7}e 2,2024-01-16\n",
            Asks(&[
                "the encoding is not Windows-1252: \"Stra§e 2\" is garbled; it is \"Straße 2\" in MacRoman, \"Straºe 2\" in CP850",
            ]),
        )
        .encoded(latin1),
        file(
            "a code page of the Mac, answered",
            "Permit Number,Address,Issued Date\n1,M\u{9f}ller St 1,2024-01-15\n",
            Imported(&["1 permit_issued 2024-01-15 | Müller St 1, Springfield | -"], &[]),
        )
        .encoded(latin1)
        .answered(|answers| answers.encoding = Encoding::from_name("Mac Roman")),
        file(
            "Cyrillic",
            "Permit Number,Address,Issued Date\n1,Ìèðà 1 \u{f3}ë.,2024-01-15\n",
            Asks(&["the encoding is not Windows-1252: \"Ìèðà 1 óë.\" is garbled; it is \"Ěčđŕ 1 óë.\" in Windows-1250, \"Мира 1 ул.\" in Windows-1251"]),
        )
        .encoded(latin1),
        file(
            "letters that were lost before",
            "Permit Number,Address,Issued Date\n1,M\u{fffd}ller St 1,2024-01-15\n",
            Asks(&["the encoding is not UTF-8: \"M\u{fffd}ller St 1\" is garbled"]),
        ),
    ]
}

fn dates_and_numbers() -> Vec<PermitFile> {
    const AMBIGUOUS: &str = "Permit No,Site Address,Issue Date,Valuation\n1,1 Main St,03/04/2024,500\n2,2 Main St,05/06/2024,600\n";
    vec![
        file(
            "dates with two readings",
            AMBIGUOUS,
            Asks(&["Issue Date: 03/04/2024 can be 3 April 2024 or 4 March 2024"]),
        ),
        file(
            "dates with two readings, answered",
            AMBIGUOUS,
            Imported(
                &[
                    "1 permit_issued 2024-04-03 | 1 Main St, Springfield | 500.0",
                    "2 permit_issued 2024-06-05 | 2 Main St, Springfield | 600.0",
                ],
                &[],
            ),
        )
        .answered(|answers| answers.dates = Some(DateOrder::Dmy)),
        file(
            "dates in both orders",
            "Permit No,Site Address,Issue Date\n1,1 Main St,13/04/2024\n2,2 Main St,04/13/2024\n",
            Asks(&["dates: 1 of 2 are day first (Issue Date: 13/04/2024), 1 of 2 are month first"]),
        ),
        file(
            "the other date column decides",
            "Permit No,Site Address,Application Date,Issue Date\n1,1 Main St,25/02/2024,03/04/2024\n",
            Imported(
                &[
                    "1 permit_filed 2024-02-25 | 1 Main St, Springfield | -",
                    "1 permit_issued 2024-04-03 | 1 Main St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "costs in both ways",
            "Permit No;Site Address;Issue Date;Cost\n1;1 Main St;2024-04-03;95.000,00\n2;2 Main St;2024-04-03;1,200.50\n3;3 Main St;2024-04-03;4.250.000,00\n",
            Asks(&["Cost: 1 of 3 rows look like 1,234.56"]),
        ),
        file(
            "costs with two readings",
            "Permit No;Site Address;Issue Date;Cost\n1;1 Main St;2024-04-03;95.000\n2;2 Main St;2024-04-03;4.250\n",
            Asks(&["Cost: 95.000 can be 95 or 95,000"]),
        ),
        file(
            "costs with two readings, answered",
            "Permit No;Site Address;Issue Date;Cost\n1;1 Main St;2024-04-03;95.000\n",
            Imported(
                &["1 permit_issued 2024-04-03 | 1 Main St, Springfield | 95000.0"],
                &[],
            ),
        )
        .answered(|answers| answers.decimal = Some(DecimalSign::Comma)),
        file(
            "American thousands",
            "Permit No,Site Address,Issue Date,Cost\n1,1 Main St,4/13/2024,\"$95,000\"\n2,2 Main St,4/3/2024,\"$1,250,000\"\n",
            Imported(
                &[
                    "1 permit_issued 2024-04-13 | 1 Main St, Springfield | 95000.0",
                    "2 permit_issued 2024-04-03 | 2 Main St, Springfield | 1250000.0",
                ],
                &[],
            ),
        ),
        file(
            "spaces and apostrophes in numbers, names of months",
            "N° permis;Adresse des travaux;Délivré le;Montant\nP1;12 rue Haute;3 avril 2024;1 250 000,50 €\nP2;4 rue Basse;13 mai 2024;95'000\n",
            Imported(
                &[
                    "P1 permit_issued 2024-04-03 | 12 rue Haute, Springfield | 1250000.5",
                    "P2 permit_issued 2024-05-13 | 4 rue Basse, Springfield | 95000.0",
                ],
                &[],
            ),
        ),
        file(
            "two-digit years and times",
            "permit_number,street_address,issued\n1,1 Main St,12/31/23 08:15 PM\n2,2 Main St,1/2/24 7:00 AM\n",
            Imported(
                &[
                    "1 permit_issued 2023-12-31 | 1 Main St, Springfield | -",
                    "2 permit_issued 2024-01-02 | 2 Main St, Springfield | -",
                ],
                &[],
            ),
        ),
    ]
}

fn languages() -> Vec<PermitFile> {
    vec![
        file(
            "Spanish",
            "Nº Expediente;Dirección de la obra;Municipio;Fecha de solicitud;Fecha de concesión;Presupuesto\nLO-1;Calle Mayor 5;Toledo;15/01/2024;20/02/2024;120.000,00\n",
            Imported(
                &["LO-1 permit_filed 2024-01-15 | Calle Mayor 5, Toledo | 120000.0", "LO-1 permit_issued 2024-02-20 | Calle Mayor 5, Toledo | 120000.0"],
                &[],
            ),
        ),
        file(
            "French, Windows-1252",
            "Numéro de permis;Adresse du terrain;Commune;Date de dépôt;Coût des travaux\nPC001;3 allée des Érables;Nîmes;28/02/2024;45 000,00\n",
            Imported(&["PC001 permit_filed 2024-02-28 | 3 allée des Érables, Nîmes | 45000.0"], &[]),
        )
        .encoded(latin1),
        file(
            "Portuguese",
            "Nº Alvará;Endereço da obra;Data de emissão;Valor da obra\n77/24;Rua das Flores 10;31/01/2024;1.500.000,00\n",
            Imported(&["77/24 permit_issued 2024-01-31 | Rua das Flores 10, Springfield | 1500000.0"], &[]),
        ),
        file(
            "Italian, number in its own column",
            "Numero pratica;Via;Civico;Data rilascio;Importo lavori\n12/2024;Via Roma;7;2024-03-05;88000\n",
            Imported(&["12/2024 permit_issued 2024-03-05 | Via Roma 7, Springfield | 88000.0"], &[]),
        ),
        file(
            "Dutch",
            "Zaaknummer\tStraatnaam\tHuisnummer\tPlaats\tDatum verlening\tBouwkosten\nZ-1\tDorpsstraat\t12\tUtrecht\t14-05-2024\t250.000,00\n",
            Imported(&["Z-1 permit_issued 2024-05-14 | Dorpsstraat 12, Utrecht | 250000.0"], &[]),
        ),
    ]
}

fn tables_with_more_or_less() -> Vec<PermitFile> {
    vec![
        file(
            "titles above, totals below, quoted line breaks, CR LF",
            "City of Springfield\r\nPermits issued, April;;;\r\n\r\nPermit No;Address;Issued;Description;Cost\r\n1;1 Main St;2024-04-03;\"new\r\nroof\";500\r\n2;;2024-04-04;no address;1\r\n3;3 Main St;2024-04-05;\"a\r\n\r\nb\";700\r\n4;4 Main St;soon;;1\r\nTotal;;;;1202\r\n",
            Imported(
                &[
                    "1 permit_issued 2024-04-03 | 1 Main St, Springfield | 500.0",
                    "3 permit_issued 2024-04-05 | 3 Main St, Springfield | 700.0",
                ],
                &[
                    "12 a line with totals",
                    "7 no address or parcel",
                    "11 no readable date",
                ],
            ),
        ),
        file(
            "a column without a name, and empty ones to the right",
            "Permit No,,Address,Issued,,\n1,x,1 Main St,2024-04-03,,\n2,y,2 Main St,2024-04-04,,\n",
            Imported(
                &[
                    "1 permit_issued 2024-04-03 | 1 Main St, Springfield | -",
                    "2 permit_issued 2024-04-04 | 2 Main St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "two columns of the same name",
            "Permit No,Address,Issued,Issued\n1,1 Main St,2024-04-03,2023-01-01\n",
            Asks(&["2 columns can be the issue date: Issued, Issued (2)"]),
        ),
        file(
            "two columns of the same name, answered",
            "Permit No,Address,Issued,Issued\n1,1 Main St,2024-04-03,2023-01-01\n",
            Imported(
                &["1 permit_issued 2023-01-01 | 1 Main St, Springfield | -"],
                &[],
            ),
        )
        .answered(|answers| answers.columns.push((3, PermitField::Issued))),
        file(
            "no permit number and no city",
            "Address,Issued\n1 Main St,2024-04-03\n",
            Asks(&["no column has the permit number", "no column has the city"]),
        )
        .answered(|answers| answers.city = None),
        file(
            "a date that says nothing",
            "Permit No,Address,Date\n1,1 Main St,2024-04-03\n",
            Asks(&["Date: is it the date when permits were filed, or issued?"]),
        ),
        file(
            "a cost that is no number",
            "Permit No,Address,Issued,Cost\n1,1 Main St,2024-04-03,low\n2,2 Main St,2024-04-03,high\n",
            Asks(&["Cost: is it the cost? By its name, but none of its 2 values is a number"]),
        ),
        file(
            "a web page",
            "<!DOCTYPE html>\n<html><body>Sign in</body></html>",
            Fails("the file is a web page, not a table"),
        ),
        file("an empty file", "", Fails("the file is empty")),
    ]
}

/// Written after the others were read correctly, to see what another style of file needs.
fn many_statuses() -> String {
    let letter = |n: u8| char::from(b'a' + n);
    let row = |n: u8| {
        format!(
            "{n},{n} Oak St,2024-03-03,Q{}{}\n",
            letter(n / 26),
            letter(n % 26)
        )
    };
    let first = "Permit Number,Address,Issued Date,Status\n99,1 Oak St,2024-03-01,Void\n";
    first.to_owned() + &(0..41).map(row).collect::<String>()
}

fn values_and_statuses() -> Vec<PermitFile> {
    vec![
        file(
            "words for nothing are no address and no city",
            "Permit Number,Address,City,Issued Date,Estimated Cost\n1,N/A,Bath,2024-03-02,1000\n2,-,NULL,2024-03-03,2000\n3,0,Bath,2024-03-04,3000\n4,7 Oak St,TBD,2024-03-08,N/A\n5,8 Oak St,Bath,2024-03-09,5\n",
            Imported(
                &[
                    "4 permit_issued 2024-03-08 | 7 Oak St, Springfield | -",
                    "5 permit_issued 2024-03-09 | 8 Oak St, Bath | 5.0",
                ],
                &["2 no address or parcel"],
            ),
        ),
        file(
            "day numbers of Excel, also among dates",
            "Permit Number,Address,Issued Date\n1,1 Oak St,45351\n2,2 Oak St,2024-03-02\n3,3 Oak St,45353.5\n4,4 Oak St,12\n",
            Imported(
                &[
                    "1 permit_issued 2024-02-29 | 1 Oak St, Springfield | -",
                    "2 permit_issued 2024-03-02 | 2 Oak St, Springfield | -",
                    "3 permit_issued 2024-03-02 | 3 Oak St, Springfield | -",
                ],
                &["5 no readable date"],
            ),
        ),
        file(
            "moments at midnight in Berlin, winter and summer",
            "Permit Number,Address,Issued Date\n1,1 Weg,1709247600000\n2,2 Weg,1719784800000\n",
            Imported(
                &[
                    "1 permit_issued 2024-03-01 | 1 Weg, Berlin | -",
                    "2 permit_issued 2024-07-01 | 2 Weg, Berlin | -",
                ],
                &[],
            ),
        )
        .answered(|answers| answers.city = Some(("Berlin".to_owned(), "DE".to_owned()))),
        file(
            "moments at any time stay on their day",
            "Permit Number,Address,Issued Date\n1,1 Way,2024-03-01T14:17:00Z\n2,2 Way,2024-03-02T23:59:00Z\n",
            Imported(
                &[
                    "1 permit_issued 2024-03-01 | 1 Way, Springfield | -",
                    "2 permit_issued 2024-03-02 | 2 Way, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "placeholder dates are no dates",
            "Permit Number,Address,Filed Date,Issued Date\n1,1 Oak St,2024-03-01,1900-01-01\n2,2 Oak St,1970-01-01,1899-12-30\n",
            Imported(&["1 permit_filed 2024-03-01 | 1 Oak St, Springfield | -"], &["3 no date"]),
        ),
        file(
            "text guards of Excel, entities and a NUL",
            "Permit Number,Address,Issued Date,Estimated Cost\n\"=\"\"001\"\"\",\"=\"\"1 Oak St\"\"\",2024-03-01,1000\n002,2 Oak&amp;Elm St,2024-03-02,\"(1,250.00)\"\n003,3\0 Oak St,2024-03-03,$1.2M\n",
            Imported(
                &[
                    "001 permit_issued 2024-03-01 | 1 Oak St, Springfield | 1000.0",
                    "002 permit_issued 2024-03-02 | 2 Oak&Elm St, Springfield | -",
                    "003 permit_issued 2024-03-03 | 3 Oak St, Springfield | 1200000.0",
                ],
                &[],
            ),
        ),
        file(
            "composed and decomposed letters are the same place",
            "Permit Number,Address,Issued Date\n1,Mu\u{308}hlweg 1,2024-03-01\n2,Mühlweg 1,2024-03-02\n",
            Imported(
                &[
                    "1 permit_issued 2024-03-01 | Mühlweg 1, Springfield | -",
                    "2 permit_issued 2024-03-02 | Mühlweg 1, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "a permit that came to nothing is no issued permit",
            "Permit Number,Address,Filed Date,Issued Date,Status\n1,1 Oak St,2024-02-01,2024-03-01,Cancelled\n2,2 Oak St,2024-02-02,2024-03-02,Denied\n3,3 Oak St,2024-02-03,2024-03-03,Expired\n4,4 Oak St,2024-02-04,2024-03-04,Finaled\n5,5 Oak St,2024-02-05,2024-03-05,VOID\n",
            Imported(
                &[
                    "1 withdrawal 2024-03-01 | 1 Oak St, Springfield | -",
                    "2 entitlement_denial 2024-03-02 | 2 Oak St, Springfield | -",
                    "3 expiration 2024-03-03 | 3 Oak St, Springfield | -",
                    "4 completion 2024-03-04 | 4 Oak St, Springfield | -",
                    "4 permit_filed 2024-02-04 | 4 Oak St, Springfield | -",
                    "4 permit_issued 2024-03-04 | 4 Oak St, Springfield | -",
                    "5 withdrawal 2024-03-05 | 5 Oak St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "decisions with their day",
            "Application No,Site Address,Date Received,Decision,Decision Date\n1,1 High St,28/02/2024,Grant with conditions,15/04/2024\n2,2 High St,01/03/2024,Refuse,16/04/2024\n3,3 High St,02/03/2024,,\n4,4 High St,03/03/2024,Withdrawn,17/04/2024\n",
            Imported(
                &[
                    "1 entitlement_approval 2024-04-15 | 1 High St, Springfield | -",
                    "1 permit_filed 2024-02-28 | 1 High St, Springfield | -",
                    "2 entitlement_denial 2024-04-16 | 2 High St, Springfield | -",
                    "3 permit_filed 2024-03-02 | 3 High St, Springfield | -",
                    "4 withdrawal 2024-04-17 | 4 High St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "a city with its state and ZIP code, and a ZIP code alone",
            "Permit Number,Issue Date,Address,Municipality\n1,2024-01-15,1 Pine St,\"Salem, OR 97301\"\n2,2024-01-16,3 Pine St,Salem 97301-1234\n3,2024-01-17,5 Pine St,97301\n4,2024-01-18,7 Pine St,Salem\n",
            Imported(
                &[
                    "1 permit_issued 2024-01-15 | 1 Pine St, Salem | -",
                    "2 permit_issued 2024-01-16 | 3 Pine St, Salem | -",
                    "3 permit_issued 2024-01-17 | 5 Pine St, Springfield | -",
                    "4 permit_issued 2024-01-18 | 7 Pine St, Salem | -",
                ],
                &[],
            ),
        ),
        file(
            "a status by its values, whatever its heading",
            "Permit Number,Issue Date,Address,Situation of it\n1,2024-01-15,1 Pine St,Issued\n2,2024-01-16,3 Pine St,Cancelled\n3,2024-01-17,5 Pine St,Denied\n",
            Imported(
                &[
                    "1 permit_issued 2024-01-15 | 1 Pine St, Springfield | -",
                    "2 withdrawal 2024-01-16 | 3 Pine St, Springfield | -",
                    "3 entitlement_denial 2024-01-17 | 5 Pine St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "a heading of a status in two words",
            "Permit Number,Issue Date,Address,Record Status\n1,2024-01-15,1 Pine St,Void\n2,2024-01-16,3 Pine St,Issued\n",
            Imported(
                &[
                    "1 withdrawal 2024-01-15 | 1 Pine St, Springfield | -",
                    "2 permit_issued 2024-01-16 | 3 Pine St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "Spanish statuses are no states of the country",
            "Nº Expediente;Fecha concesión;Dirección;Estado\n1;15/01/2024;Calle Mayor 1;Concedida\n2;16/01/2024;Calle Mayor 2;Denegada\n3;17/01/2024;Calle Mayor 3;Caducada\n",
            Imported(
                &[
                    "1 permit_issued 2024-01-15 | Calle Mayor 1, Springfield | -",
                    "2 entitlement_denial 2024-01-16 | Calle Mayor 2, Springfield | -",
                    "3 expiration 2024-01-17 | Calle Mayor 3, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "a status that denies a good word",
            "Aktenzeichen;Genehmigungsdatum;Adresse;Status\n1;28.02.2024;Weg 1;genehmigt\n2;29.02.2024;Weg 2;nicht genehmigt\n",
            Asks(&["Status: what does \"nicht genehmigt\" mean for a permit (1 of 2 rows)?"]),
        ),
        file(
            "more unknown statuses than anybody answers one by one",
            &many_statuses(),
            Asks(&["Status: 41 values are not understood (41 of 42 rows), such as "]),
        ),
        file(
            "rows of one permit that differ only in their status",
            "Permit Number,Issue Date,Address,Status\n1,2024-01-15,1 Pine St,Issued\n1,2024-01-15,1 Pine St,Cancelled\n2,2024-01-16,3 Pine St,Issued\n",
            Asks(&["1 row has the same number as another row, but not the same date, cost, address or status"]),
        ),
        file(
            "one amount with a decimal comma among thousands",
            "Permit Number,Issue Date,Address,Valuation\n0,2024-01-15,0 Pine St,\"1.234.567,89\"\n1,2024-01-15,1 Pine St,\"2,001\"\n2,2024-01-15,2 Pine St,\"2,002\"\n3,2024-01-15,3 Pine St,\"2,003\"\n4,2024-01-15,4 Pine St,\"2,004\"\n5,2024-01-15,5 Pine St,\"2,005\"\n6,2024-01-15,6 Pine St,\"2,006\"\n7,2024-01-15,7 Pine St,\"2,007\"\n8,2024-01-15,8 Pine St,\"2,008\"\n9,2024-01-15,9 Pine St,\"2,009\"\n10,2024-01-15,10 Pine St,\"2,010\"\n11,2024-01-15,11 Pine St,\"2,011\"\n",
            Asks(&["Valuation: 1.234.567,89 looks like 1.234,56; 11 others like 2,001 can be thousands or fractions"]),
        ),
        file(
            "a street in parts with directions on both sides, and its point",
            "Permit Number,Issue Date,HouseNo,PreDir,StreetName,StreetType,PostDir,Location\n1,2024-01-15,100,N,MAIN,ST,,POINT (-89.65 39.78)\n2,2024-01-16,100,S,MAIN,ST,,POINT EMPTY\n3,2024-01-17,100,,MAIN,ST,NW,POINT (-89.65 39.78)\n",
            Imported(
                &[
                    "1 permit_issued 2024-01-15 | 100 N MAIN ST, Springfield | -",
                    "2 permit_issued 2024-01-16 | 100 S MAIN ST, Springfield | -",
                    "3 permit_issued 2024-01-17 | 100 MAIN ST NW, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "a status that nobody knows",
            "Permit Number,Address,Issued Date,Status\n1,1 Oak St,2024-03-01,Zorp\n2,2 Oak St,2024-03-02,Issued\n3,3 Oak St,2024-03-03,Zorp\n",
            Asks(&["Status: what does \"Zorp\" mean for a permit (2 of 3 rows)?"]),
        ),
        file(
            "a status that nobody knows, answered",
            "Permit Number,Address,Issued Date,Status\n1,1 Oak St,2024-03-01,Zorp\n2,2 Oak St,2024-03-02,Issued\n",
            Imported(
                &[
                    "1 withdrawal 2024-03-01 | 1 Oak St, Springfield | -",
                    "2 permit_issued 2024-03-02 | 2 Oak St, Springfield | -",
                ],
                &[],
            ),
        )
        .answered(|answers| answers.statuses.push(("Zorp".to_owned(), PermitState::Withdrawn))),
        file(
            "a year and a month",
            "year,month,permit_number,site_address,cost_approximate\n2024,02,1,1 North Ave,10000.00\n2024,11,2,2 North Ave,20000.00\n",
            Asks(&["year and month: are they when permits were filed, or issued?"]),
        ),
        file(
            "a year and a month, answered",
            "year,month,permit_number,site_address,cost_approximate\n2024,02,1,1 North Ave,10000.00\n2024,11,2,2 North Ave,20000.00\n",
            Imported(
                &[
                    "1 permit_issued 2024-02-01 | 1 North Ave, Springfield | 10000.0",
                    "2 permit_issued 2024-11-01 | 2 North Ave, Springfield | 20000.0",
                ],
                &[],
            ),
        )
        .answered(|answers| answers.columns.push((0, PermitField::Issued))),
    ]
}

fn other_styles() -> Vec<PermitFile> {
    vec![
        file(
            "an ArcGIS export",
            "OBJECTID,PERMIT_NO,SITE_ADDR,APPLY_DATE,ISSUE_DATE,JOB_VALUE,X,Y\n1,BLD24-001,1 MAIN ST,1704067200000,1712102400000,120000,-88.1,41.2\n2,BLD24-002,2 MAIN ST,1704153600000,,85000,-88.2,41.3\n",
            Imported(
                &[
                    "BLD24-001 permit_filed 2024-01-01 | 1 MAIN ST, Springfield | 120000.0",
                    "BLD24-001 permit_issued 2024-04-03 | 1 MAIN ST, Springfield | 120000.0",
                    "BLD24-002 permit_filed 2024-01-02 | 2 MAIN ST, Springfield | 85000.0",
                ],
                &[],
            ),
        ),
        file(
            "a report of a permit system, with a firm's columns",
            "Monthly Permit Report\t\t\t\t\t\t\nPrinted 5/1/2024 by clerk\t\t\t\t\t\t\nRecord Number\tRecord Type\tProject Address\tOpened Date\tContractor Name\tContractor Phone\tJob Value($)\nB24-1\tDemolition\t1 Elm St\t4/28/2024\tAcme Wrecking LLC\t(217) 555-0100\t$12,500.00\nB24-2\tResidential New\t2 Elm St\t4/30/2024\tJane Roe\t217-555-0101\t$310,000.00\nGrand Total\t\t\t\t\t\t$322,500.00\n",
            Imported(
                &[
                    "B24-1 demolition_permit 2024-04-28 | 1 Elm St, Springfield | 12500.0",
                    "B24-2 permit_filed 2024-04-30 | 2 Elm St, Springfield | 310000.0",
                ],
                &["6 a line with totals"],
            ),
        ),
        file(
            "British, quoted everything, two cities",
            "\"Application No\",\"Site Address\",\"Town\",\"Date Received\",\"Decision Date\",\"Proposal\"\n\"24/00017/FUL\",\"1 High Street\",\"Bath\",\"28/02/2024\",\"\",\"Two storey \"\"rear\"\" extension\"\n\"24/00018/FUL\",\"1 High Street\",\"Wells\",\"01/03/2024\",\"\",\"New dwelling\"\n",
            Imported(
                &[
                    "24/00017/FUL permit_filed 2024-02-28 | 1 High Street, Bath | -",
                    "24/00018/FUL permit_filed 2024-03-01 | 1 High Street, Wells | -",
                ],
                &[],
            ),
        ),
        file(
            "an office is no city",
            "Permit Number,Address,Jurisdiction,Issued Date\n1,1 Oak St,Department of Buildings,2024-03-01\n2,2 Oak St,Planning Office,2024-03-02\n",
            Imported(
                &[
                    "1 permit_issued 2024-03-01 | 1 Oak St, Springfield | -",
                    "2 permit_issued 2024-03-02 | 2 Oak St, Springfield | -",
                ],
                &[],
            ),
        ),
        file(
            "no header",
            "B-1001,12 Oak Street,03/14/2024,Acme LLC,roof,95000\nB-1002,7 Elm Street,03/15/2024,Smith Inc,new house,1200\n",
            Asks(&[
                "column 3: is it the date when permits were filed, or issued?",
                "no column has the permit number; the file has no header, and its columns begin with 1: B-1001, 2: 12 Oak Street, ",
                "no column has the address",
            ]),
        ),
        file(
            "no header, answered",
            "B-1001,12 Oak Street,03/14/2024,Acme LLC,roof,95000\nB-1002,7 Elm Street,03/15/2024,Smith Inc,new house,1200\n",
            Imported(
                &[
                    "B-1001 permit_issued 2024-03-14 | 12 Oak Street, Springfield | 95000.0",
                    "B-1002 permit_issued 2024-03-15 | 7 Elm Street, Springfield | 1200.0",
                ],
                &[],
            ),
        )
        .answered(|answers| {
            let fields = [(0, PermitField::Id), (1, PermitField::Address), (2, PermitField::Issued), (5, PermitField::Cost)];
            answers.columns.extend(fields);
        }),
        file(
            "two cities that use the same numbers",
            "Permit Number,Address,City,Issued Date\nB-1,1 Alpha St,Tacoma,2024-03-01\nB-1,9 Beta Ave,Oakland,2024-03-02\nB-1,9 Beta Ave,OAKLAND,2024-03-02\n",
            Imported(
                &[
                    "B-1 permit_issued 2024-03-01 | 1 Alpha St, Tacoma | -",
                    "B-1 permit_issued 2024-03-02 | 9 Beta Ave, Oakland | -",
                ],
                &[],
            ),
        ),
        file(
            "Swiss: apostrophes, plain dates with dots, CHF in the heading",
            "Baugesuch Nr;Gemeinde;Adresse;Eingangsdatum;Bausumme (CHF);Bauherrschaft\n2024-0011;Chur;Bahnhofstr. 5;2.5.24;1'250'000.00;Muster AG\n2024-0012;Davos;Promenade 7;6.5.24;85'000.00;Keller Hans\n",
            Imported(
                &[
                    "2024-0011 permit_filed 2024-05-02 | Bahnhofstr. 5, Chur | 1250000.0",
                    "2024-0012 permit_filed 2024-05-06 | Promenade 7, Davos | 85000.0",
                ],
                &[],
            ),
        ),
    ]
}

#[test]
fn files_of_other_styles_are_read_exactly_or_ask_the_right_question() {
    check(&other_styles());
}

#[test]
fn made_up_permit_files_are_read_exactly_or_ask_the_right_question() {
    let groups = [
        separators_and_encodings(),
        dates_and_numbers(),
        languages(),
        tables_with_more_or_less(),
        values_and_statuses(),
    ];
    let files: Vec<PermitFile> = groups.into_iter().flatten().collect();
    assert!(files.len() >= 30, "{}", files.len());
    check(&files);
}
