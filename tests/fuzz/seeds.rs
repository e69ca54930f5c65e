//! Seeds: complete inputs of each kind, and pieces that are inserted anywhere.

/// Responses of the service.
pub const RESPONSES: &[&str] = &[
    r#"{"signals":[{"id":"018f4d3a-0000-7000-8000-000000000001","project_id":"018f4d3a-0000-7000-9000-000000000001","signal_type":"permit_filed","filed_at":"2026-07-02T09:00:00Z","reported_cost_usd":41200000,"priority":"high","triage_status":"new","triaged_by":null}],"pagination":{"limit":200,"offset":0,"total":4812}}"#,
    r#"{"data":[{"id":"018f4d3a-0000-7000-8000-000000000001","name":"Calder","accounts":[{"id":"018f4d3a-0000-7000-8000-000000000002"}],"tags":["a"],"updated_at":null}],"metadata":{"total":1000,"total_is_capped":true,"limit":25,"offset":0,"search_after":"abc","credits":1}}"#,
    r#"{"data":{"results":[{"index":0,"status":"ok","record":{"id":"018f4d3a-0000-7000-8000-000000000001"}},{"index":1,"status":"error","error":{"code":"not_found","message":"no"}}]},"metadata":{"credits":0,"succeeded":1,"failed":1}}"#,
    r#"{"subscriptions":[{"signal_type":"permit_issued","priority":"high","email_enabled":true,"recipients":["a@example.com"],"created_at":"2026-01-01T00:00:00Z"}]}"#,
    r#"{"fields":[{"key":"has_account","kind":"relation","related":"accounts","multi":false,"fields":[{"key":"role","values":["gc"]}]},{"key":"stories","kind":"number"}]}"#,
    r#"{"error":{"code":"rate_limited","message":"wait"}}"#,
];

/// Filters as typed.
pub const FILTERS: &[&str] = &[
    "city=Austin has_account.role=developer stories>=5",
    "calder name~\"Harbor \\\"Yard\\\"\" tags=a,b city!=Dallas cost_of_construction_usd=1..5",
    "without_account=* without_contact.title=x exclude.city=\"El Paso\" filed_at>=2026-01-01",
    r#"{"city":{"value":["Austin"]},"has_account":{"role":{"value":"gc"}},"stories":{"min":5}}"#,
    "a=b=c >= = .. , \"",
    "stories.city=\"El Paso\" a.value=1",
    "a=\",=c >= = .. , \"",
    "a=x\\ a=y a=z\\\\,w",
];

/// Configuration files.
pub const CONFIGURATIONS: &[&str] = &[
    "profile = \"desk\"\n[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ntoken_file = \"desk.token\"\n[console]\npoll = \"30s\"\nadvance = \"stay\"\nmouse = false\ntheme = \"light\"\n",
    "[watch]\npages = [\"counts\", \"waiting\", \"team\"]\nhide_names = true\n",
    "[console]\npoll = 1\n[profiles]\na = 1\n",
    "[profiles.a]\ntoken = \"gk_secret\"\n",
];

/// Terminal input. Bytes from 0xf8 on are responses and the like, inserted by mutations.
pub const KEYS: &[&str] = &[
    "jjj ve z\x1b[B\x1b[A\r",
    "2jj\r a tnew\x13",
    "3\r fcity=Austin\r  *aC Kx\x1b",
    "5+city\rAustin\r;who builds in Austin\r\r",
    "?done\r:watch\r9 bcK+-q",
    "\x1b[200~pasted\ntext\x1b[201~\x1b[<0;10;5M\x1b[<64;10;5M",
    "gg G\x04\x15/loft\rnN yi yj M X",
    "4jjj s 6 7 8 ]][[ \t\x1b[Z",
];

/// Pieces that are inserted anywhere.
pub const MUTATION_PIECES: &[&str] = &[
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "1e400",
    "-0",
    "18446744073709551616",
    "\\ud800",
    "\u{0}",
    "\u{1b}",
    "\u{7}",
    "\u{202e}",
    "\u{e0041}",
    "\u{200d}",
    "\u{301}",
    "東",
    "😀",
    "\n",
    "\r",
    "\t",
    "=",
    ">=",
    "..",
    ".",
    "!",
    "~",
    "'",
    "[console]\n",
    "\x1b[200~",
    "\x1b[201~",
    "\x1b[6n",
    "\x1bOP",
    "\x03",
    "\x1b\x1b",
    "9999-12-31T23:59:60Z",
    "0000-00-00",
];
