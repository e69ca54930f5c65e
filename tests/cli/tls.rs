//! A service over TLS: signing in, pinned certificates, and what passes on the wire.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use gantry::domain::certificate::Fingerprint;
use gantry::domain::join_code::{JoinCode, JoinSecret};

use crate::pty::gantry_program;
use crate::spawned_service::SpawnedService;
use crate::tls_server::TlsServer;

/// A service over TLS on this machine, with a certificate of its own.
fn start_service() -> SpawnedService {
    SpawnedService::start(&["--tls", "--projects", "20"])
}

fn ready_file(served: &SpawnedService) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap()).unwrap()
}

fn fingerprint(served: &SpawnedService) -> String {
    ready_file(served)["certificate"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn address(served: &SpawnedService) -> SocketAddr {
    let base_url = ready_file(served)["base_url"].as_str().unwrap().to_owned();
    base_url
        .strip_prefix("https://")
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// A token of each of the first workspace's members.
fn tokens(served: &SpawnedService) -> Vec<String> {
    let members = ready_file(served)["workspaces"][0]["members"].clone();
    members
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["access_token"].as_str().unwrap().to_owned())
        .collect()
}

/// Forwards connections to a service, which can be changed, and records every byte.
struct Wire {
    address: SocketAddr,
    target: Arc<Mutex<SocketAddr>>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Wire {
    fn to(target: SocketAddr) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let wire = Wire {
            address: listener.local_addr().unwrap(),
            target: Arc::new(Mutex::new(target)),
            bytes: Arc::default(),
        };
        let (target, bytes) = (wire.target.clone(), wire.bytes.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (
                    client.unwrap(),
                    TcpStream::connect(*target.lock().unwrap()).unwrap(),
                );
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to, bytes) = (
                        from.try_clone().unwrap(),
                        to.try_clone().unwrap(),
                        bytes.clone(),
                    );
                    std::thread::spawn(move || forward(from, to, &bytes));
                }
            }
        });
        wire
    }

    fn base_url(&self) -> String {
        format!("https://{}/api/v1", self.address)
    }

    fn contains(&self, text: &str) -> bool {
        self.bytes
            .lock()
            .unwrap()
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, bytes: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        bytes.lock().unwrap().extend_from_slice(&chunk[..read]);
        if to.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Runs `gantry` in a home with this on standard input; programs in its `bin` are found first.
fn run_in(home: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .env(
            "PATH",
            format!(
                "{}:{}",
                home.join("bin").display(),
                std::env::var("PATH").unwrap()
            ),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `gantry`, which must succeed, and returns what it printed.
fn run_ok(home: &Path, arguments: &[&str], input: &str) -> String {
    let output = run_in(home, arguments, input);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn two_people_share_a_queue_over_tls_and_nobody_on_the_way_sees_a_token() {
    let served = start_service();
    let wire = Wire::to(address(&served));
    let homes = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let tokens = tokens(&served);
    for (home, token) in homes.iter().zip(&tokens) {
        run_ok(
            home.path(),
            &[
                "login",
                "--base-url",
                &wire.base_url(),
                "--certificate",
                &fingerprint(&served),
            ],
            token,
        );
    }
    let rows = run_ok(
        homes[0].path(),
        &["queue", "list", "--status", "new", "--limit", "1", "--json"],
        "",
    );
    run_ok(
        homes[0].path(),
        &["queue", "triage", "done", "--stdin"],
        &rows,
    );
    let id = serde_json::from_str::<serde_json::Value>(&rows).unwrap()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let done = run_ok(
        homes[1].path(),
        &["queue", "list", "--status", "done", "--all", "--json"],
        "",
    );
    assert!(done.contains(&id), "{id} is done for both");

    assert!(!wire.bytes.lock().unwrap().is_empty());
    for secret in tokens
        .iter()
        .map(String::as_str)
        .chain(["Bearer", "/signals/queue", &id])
    {
        assert!(!wire.contains(secret), "{secret} passed in plain text");
    }
}

#[test]
fn a_service_with_another_certificate_is_rejected_by_verbs_watch_and_console() {
    let (served, other) = (start_service(), start_service());
    let wire = Wire::to(address(&served));
    let home = tempfile::tempdir().unwrap();
    let token = &tokens(&served)[0];
    run_ok(
        home.path(),
        &[
            "login",
            "--base-url",
            &wire.base_url(),
            "--certificate",
            &fingerprint(&served),
        ],
        token,
    );
    run_ok(home.path(), &["queue", "stats"], "");

    *wire.target.lock().unwrap() = address(&other);
    for arguments in [
        &["queue", "stats"][..],
        &["watch", "--plain"],
        &["watch", "--plain", "--once"],
        &["doctor"],
    ] {
        let output = run_in(home.path(), arguments, "");
        let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "{arguments:?}: {said}");
        for named in [
            &fingerprint(&served),
            &fingerprint(&other),
            "so nothing was sent",
            "gantry login",
        ] {
            assert!(said.contains(named), "{arguments:?} names {named}: {said}");
        }
    }
    let mut console = gantry_program(&[])
        .env("HOME", home.path().to_str().unwrap())
        .start();
    console.wait_for("is pinned, so nothing");
}

#[test]
fn without_a_terminal_an_unknown_certificate_is_named_and_not_accepted() {
    let served = start_service();
    let home = tempfile::tempdir().unwrap();
    let base_url = format!("https://{}", address(&served));
    let output = run_in(
        home.path(),
        &["login", "--base-url", &base_url],
        &tokens(&served)[0],
    );
    let accepting = format!("add: --certificate {}", fingerprint(&served));
    assert!(
        output.status.code() == Some(5) && stderr(&output).contains(&accepting),
        "{}",
        stderr(&output)
    );
    assert!(!home.path().join(".config/gantry/config.toml").exists());

    let wrong = format!("sha256:{}", "0".repeat(64));
    let output = run_in(
        home.path(),
        &["login", "--base-url", &base_url, "--certificate", &wrong],
        &tokens(&served)[0],
    );
    assert!(
        output.status.code() == Some(5) && stderr(&output).contains("so nothing was sent"),
        "{}",
        stderr(&output)
    );
    let output = run_in(
        home.path(),
        &[
            "login",
            "--base-url",
            "http://127.0.0.1:1",
            "--certificate",
            &wrong,
        ],
        "t",
    );
    assert!(
        output.status.code() == Some(2) && stderr(&output).contains("use https://127.0.0.1:1"),
        "{}",
        stderr(&output)
    );
}

const JOINED: &str = r#"{"data":{"token":"gat_new","scopes":["workspace:read","workspace:write"],"role":"member",
    "workspace":{"id":"018f4d3a-0000-7000-8000-000000000001","name":"Builders"}}}"#;

/// A home whose profile `desk` is for a service, with this line and an old token.
fn home_with_profile(server: &TlsServer, line: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/gantry");
    std::fs::create_dir_all(&folder).unwrap();
    let profile = format!(
        "[profiles.desk]\nbase_url = \"{}\"\nworkspace = \"018f4d3a-0000-7000-8000-000000000001\"\n{line}token_file = \"desk.token\"\n",
        server.base_url
    );
    for (name, text) in [("config.toml", profile.as_str()), ("desk.token", "gat_old")] {
        std::fs::write(folder.join(name), text).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o600))
            .unwrap();
    }
    home
}

fn join_code_of(server: &TlsServer) -> JoinCode {
    let fingerprint = Some(Fingerprint(server.fingerprint()));
    JoinCode {
        base_url: server.base_url.clone(),
        fingerprint,
        secret: JoinSecret(*b"0123456789abcdef"),
    }
}

#[test]
fn a_join_code_with_another_certificate_gets_no_old_token_and_replaces_no_pin_without_an_answer() {
    let impostor = TlsServer::start("self", JOINED);
    let code = join_code_of(&impostor);
    let pin = format!("sha256:{}", "0".repeat(64));
    let new = code.fingerprint.unwrap().to_string();
    let home = home_with_profile(&impostor, &format!("certificate = \"{pin}\"\n"));
    let config =
        || std::fs::read_to_string(home.path().join(".config/gantry/config.toml")).unwrap();
    let before = config();
    for named in [
        &["join", "--name", "Lee"][..],
        &["join", "--name", "Lee", "--profile", "desk"],
    ] {
        let output = run_in(home.path(), named, &code.encode());
        let said = stderr(&output);
        assert!(
            output.status.code() == Some(1) && said.lines().count() == 1,
            "{said}"
        );
        for part in [&pin, &new, "nothing was sent", "gantry logout desk"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let ask = || {
        let mut session = gantry_program(&["join", "--name", "Lee"])
            .env("HOME", home.path().to_str().unwrap())
            .start();
        session.wait_for("paste the join code");
        session.type_keys(&format!("{}\r", code.encode()));
        session.wait_for("[y/N]");
        let shown = session.all_output().replace("\r\n", "");
        assert!(shown.contains(&pin) && shown.contains(&new), "{shown}");
        session
    };
    let mut declined = ask();
    declined.type_keys("\r");
    assert_eq!(declined.wait_for_exit(), 1);
    assert!(
        config().starts_with(&before) && !config().contains(&new),
        "{}",
        config()
    );
    assert_eq!(
        impostor.handshake_count.load(Ordering::SeqCst),
        0,
        "nothing was sent"
    );

    let mut accepted = ask();
    accepted.type_keys("y\r");
    assert_eq!(accepted.wait_for_exit(), 0, "{}", accepted.all_output());
    assert!(
        config().contains(&new) && config().matches("[profiles.").count() == 1,
        "{}",
        config()
    );
    assert!(impostor.received("gat_new") && !impostor.received("gat_old"));
}

#[test]
fn a_profile_without_a_pin_gives_its_token_to_no_certificate_of_a_join_code() {
    let impostor = TlsServer::start("self", JOINED);
    let home = home_with_profile(&impostor, "");
    let joined = run_ok(
        home.path(),
        &["join", "--name", "Lee"],
        &join_code_of(&impostor).encode(),
    );
    assert!(joined.contains("saved as profile builders"), "{joined}");
    assert!(impostor.received("gat_new") && !impostor.received("gat_old"));
}

#[test]
fn an_environment_with_another_certificate_gets_no_token_of_a_pinned_profile() {
    let impostor = TlsServer::start("self", "{}");
    let pin = format!("sha256:{}", "0".repeat(64));
    let home = home_with_profile(&impostor, &format!("certificate = \"{pin}\"\n"));
    let mut stats = Command::new(env!("CARGO_BIN_EXE_gantry"));
    stats
        .args(["queue", "stats"])
        .env_clear()
        .env("HOME", home.path());
    let other = Fingerprint(impostor.fingerprint()).to_string();
    let output = stats.env("GANTRY_CERTIFICATE", &other).output().unwrap();
    let said = stderr(&output);
    assert!(
        output.status.code() == Some(2) && said.contains(&pin) && said.contains(&other),
        "{said}"
    );
    assert_eq!(impostor.handshake_count.load(Ordering::SeqCst), 0);
}

#[test]
fn at_a_terminal_login_asks_for_address_certificate_and_token() {
    let served = start_service();
    let home = tempfile::tempdir().unwrap();
    let token = &tokens(&served)[0];
    let mut session = gantry_program(&["login"])
        .env("HOME", home.path().to_str().unwrap())
        .start();
    session.wait_for("address of the service");
    session.type_keys("http://signals.example\r");
    session.wait_for("http would expose the token");
    session.type_keys(&format!("{}\r", address(&served)));
    session.wait_for("Accept it from now on");
    assert!(
        session.all_output().contains("trying https://"),
        "{}",
        session.all_output()
    );
    assert!(
        session
            .all_output()
            .replace("\r\n", "")
            .contains(&fingerprint(&served)),
        "{}",
        session.all_output()
    );
    session.type_keys("yes\r");
    session.wait_for("paste the token");
    session.type_keys(&format!("{token}\r"));
    assert_eq!(session.wait_for_exit(), 0, "{}", session.all_output());
    assert!(!session.all_output().contains(token.as_str()));
    let config = std::fs::read_to_string(home.path().join(".config/gantry/config.toml")).unwrap();
    assert!(
        config.contains(&format!("certificate = \"{}\"", fingerprint(&served))),
        "{config}"
    );
    run_ok(home.path(), &["queue", "stats"], "");
}

#[test]
fn http_to_an_https_port_is_answered_in_one_sentence() {
    let served = start_service();
    let mut stream = TcpStream::connect(address(&served)).unwrap();
    stream
        .write_all(b"GET /api/v1/workspace HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let sentence = format!(
        "this port speaks https: use https://{}/api/v1",
        address(&served)
    );
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.contains(&sentence),
        "{answer}"
    );

    let home = tempfile::tempdir().unwrap();
    let output = run_in(
        home.path(),
        &[
            "login",
            "--base-url",
            &format!("http://{}", address(&served)),
        ],
        "token",
    );
    assert!(
        !output.status.success() && stderr(&output).contains(&sentence),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_created_certificate_is_kept_beside_the_data_and_a_given_one_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("desk.db");
    let start = || {
        SpawnedService::start(&[
            "--tls",
            "--projects",
            "20",
            "--data",
            data.to_str().unwrap(),
        ])
    };
    let first = fingerprint(&start());
    assert_eq!(fingerprint(&start()), first, "the same after a restart");
    let [certificate, key] =
        ["cert", "key"].map(|part| dir.path().join(format!("desk.db.{part}.pem")));
    assert_eq!(
        std::fs::metadata(&key).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let files = [certificate.to_str().unwrap(), key.to_str().unwrap()];
    let given = SpawnedService::start(&["--cert", files[0], "--key", files[1], "--projects", "20"]);
    assert_eq!(fingerprint(&given), first);
}

#[cfg(target_os = "linux")]
#[test]
fn a_token_in_the_keyring_is_in_no_file_and_no_argument() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let home = tempfile::tempdir().unwrap();
    let token = &tokens(&served)[0];
    std::fs::create_dir(home.path().join("bin")).unwrap();
    let program = home.path().join("bin/secret-tool");
    // It keeps what it reads beside its home, and every argument it was given.
    let kept = tempfile::tempdir().unwrap();
    let script = format!(
        "#!/bin/sh\ncd {}\necho \"$@\" >> arguments\ncase $1 in store) cat > kept;; lookup) cat kept;; clear) rm kept;; esac\n",
        kept.path().display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

    let base_url = ready_file(&served)["base_url"].as_str().unwrap().to_owned();
    let printed = run_ok(
        home.path(),
        &[
            "login",
            "--keyring",
            "--profile",
            "desk",
            "--base-url",
            &base_url,
        ],
        token,
    );
    assert!(printed.contains("the token is in the keyring"), "{printed}");
    run_ok(home.path(), &["queue", "stats"], "");
    assert_eq!(
        std::fs::read_to_string(kept.path().join("kept")).unwrap(),
        *token
    );
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let config = read(&home.path().join(".config/gantry/config.toml"));
    assert!(
        config.contains("token_command = \"secret-tool lookup service gantry profile desk\""),
        "{config}"
    );
    assert!(
        !config.contains(token.as_str()) && !home.path().join(".config/gantry/desk.token").exists()
    );
    run_ok(home.path(), &["logout", "desk"], "");
    assert!(!kept.path().join("kept").exists(), "signing out removes it");
    assert!(!read(&kept.path().join("arguments")).contains(token.as_str()));

    // A keyring that loses the token, and one that is not there.
    std::fs::write(&program, "#!/bin/sh\ncat > /dev/null\n").unwrap();
    let failed = run_in(
        home.path(),
        &["login", "--keyring", "--base-url", &base_url],
        token,
    );
    assert!(
        stderr(&failed).contains("did not return the token"),
        "{}",
        stderr(&failed)
    );
    std::fs::write(&program, "#!/bin/sh\necho locked >&2\nexit 1\n").unwrap();
    let failed = run_in(
        home.path(),
        &["login", "--keyring", "--base-url", &base_url],
        token,
    );
    assert!(
        stderr(&failed).contains("secret-tool failed: locked; unlock the keyring"),
        "{}",
        stderr(&failed)
    );
    assert!(!home.path().join(".config/gantry/default.token").exists());
}

#[test]
fn a_profile_is_shown_with_everything_but_its_token() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/gantry");
    std::fs::create_dir_all(&folder).unwrap();
    let pin = format!("sha256:{}", "0".repeat(64));
    let config = format!(
        "profile = \"desk\"\n[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ncertificate = \"{pin}\"\n\
         token_file = \"desk.token\"\ncolor = \"red\"\nread_only = true\n\
         [profiles.other]\nbase_url = \"https://b.example/api/v1\"\ntoken_command = \"pass show other\"\n"
    );
    std::fs::write(folder.join("config.toml"), config).unwrap();
    std::fs::write(folder.join("desk.token"), "gk_canary").unwrap();
    let shown = run_ok(home.path(), &["profile", "show"], "");
    for part in [
        "https://a.example/api/v1",
        &pin,
        "red",
        "desk.token",
        "true",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("gk_canary"), "{shown}");
    let other = run_ok(home.path(), &["profile", "show", "other", "--json"], "");
    let other: serde_json::Value = serde_json::from_str(&other).unwrap();
    assert_eq!(
        (&other["token"], &other["token_source"]),
        (&"command".into(), &"pass show other".into())
    );
    let unknown = run_in(home.path(), &["profile", "show", "nobody"], "");
    assert!(
        unknown.status.code() == Some(4) && stderr(&unknown).contains("known: desk, other"),
        "{}",
        stderr(&unknown)
    );
    assert_eq!(
        run_ok(home.path(), &["profiles"], ""),
        run_ok(home.path(), &["profile", "list"], "")
    );
}

#[test]
fn a_mail_password_is_rejected_as_an_argument_and_read_from_a_private_file() {
    let home = tempfile::tempdir().unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--projects", "20"];
    let run = |more: &[&str]| run_in(home.path(), &[&serve, more].concat(), "");
    let output = run(&["--mail", "smtps://ana:gk_canary@mail.example"]);
    let said = stderr(&output);
    assert!(
        output.status.code() == Some(2)
            && said.contains("GANTRY_MAIL")
            && said.contains("--mail-password-file"),
        "{said}"
    );
    assert!(!said.contains("gk_canary"), "{said}");
    let file = home.path().join("password");
    std::fs::write(&file, "gk_canary\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let with_file = [
        "--mail",
        "smtps://ana@mail.example",
        "--mail-password-file",
        file.to_str().unwrap(),
    ];
    assert!(stderr(&run(&with_file)).contains("others can read the password file"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    drop(SpawnedService::start(
        &[&["--projects", "20"], &with_file[..]].concat(),
    ));
    let output = run(&[
        "--mail",
        "off",
        "--mail-password-file",
        file.to_str().unwrap(),
    ]);
    assert!(
        stderr(&output).contains("needs a mail server with a user"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn colleagues_use_the_public_address_and_no_other_name() {
    let served = SpawnedService::start(&["--projects", "20", "--public-address", "desk.office"]);
    let address = ready_file(&served)["base_url"]
        .as_str()
        .unwrap()
        .split('/')
        .nth(2)
        .unwrap()
        .to_owned();
    let status = |host: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(
            stream,
            "GET /api/v1/workspace HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(
        ["Desk.office:8484", "127.0.0.1", "evil.example"].map(status),
        ["401", "401", "403"]
    );
    let named = SpawnedService::start(&[
        "--tls",
        "--projects",
        "20",
        "--public-address",
        "desk.office:9999",
    ]);
    assert_eq!(
        ready_file(&named)["base_url"],
        "https://desk.office:9999/api/v1"
    );
}
