//! `gantry login`: asks for what it needs, checks the service's certificate before the token leaves
//! this machine, and saves the connection as a profile.
//!
//! Never here: what a profile contains, how a certificate is verified.

use std::io::IsTerminal as _;

use clap::Args;
use secrecy::SecretString;

use crate::client::certificate_check::{CertificateStatus, check_certificate};
use crate::client::{self, BaseUrl, Client, Endpoint};
use crate::config::{
    self, NewProfile, Paths, ProfileName, ProfileSummary, ProfileToken, process_env,
};
use crate::domain::WorkspaceId;
use crate::domain::certificate::Fingerprint;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::platform::hidden_input::HiddenInput;

use super::error::{CliError, Context};
use super::options::GlobalOptions;
use super::output::Output;
use super::profiles::workspace_label;
use super::session::parse_workspace_id;
use super::{keyring, print, stdin};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry login --base-url https://signals.example/api/v1 < token\n\n\
    At a terminal gantry asks for the address and for the token, which is not shown. Otherwise the token is read from --token-file, \
    from standard input (a file or a pipe) or from GANTRY_TOKEN. It is not an argument, because other users of this machine can see \
    arguments.\n\
    If this machine does not trust the service's certificate, gantry shows its fingerprint and asks; compare it with the one that \
    gantry serve printed. Without a terminal, give it with --certificate. The profile accepts no other certificate from then on.\n\
    --workspace is needed only for a user token, and only if the service does not report its workspace.\n\
    The profile is called \"default\" unless you name it with --profile. The token is saved in a file that only \
    you can read, or with --keyring in the system's keyring."
)]
pub struct LoginArgs {
    /// Fingerprint of the service's certificate, as the service prints it [env: GANTRY_CERTIFICATE]
    #[arg(long, value_name = "FINGERPRINT")]
    certificate: Option<String>,
    /// Keep the token in the system's keyring (secret-tool on Linux, security on macOS) instead of
    /// a file
    #[arg(long)]
    keyring: bool,
}

/// A service, and the certificate that it must have.
struct CheckedService {
    base: BaseUrl,
    pin: Option<Fingerprint>,
    /// The one that the profile accepted until now, if the person agreed to replace it.
    replaced_pin: Option<Fingerprint>,
}

/// What the steps of a sign-in know.
struct SignIn<'a> {
    login: &'a LoginArgs,
    options: &'a GlobalOptions,
    profiles: Vec<ProfileSummary>,
    /// Somebody can be asked.
    asks: bool,
}

pub(super) async fn run(
    login: &LoginArgs,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    config::prepare_profiles(&paths, options.profile.as_deref())?;
    let sign_in = SignIn {
        login,
        options,
        profiles: config::load_profiles(&paths)?,
        asks: std::io::stdin().is_terminal() && print::is_stderr_terminal(),
    };
    let service = sign_in.find_service().await?;
    let token = match &options.token_file {
        Some(path) => config::token_from_file(path)?,
        None => read_token().await?,
    };
    let named = parse_workspace_id(
        options
            .workspace
            .clone()
            .or_else(|| process_env("GANTRY_WORKSPACE"))
            .as_deref(),
    )?;
    let endpoint = Endpoint {
        base_url: service.base.to_string(),
        token: token.clone(),
        workspace: named,
        certificate: service.pin.map(|pin| pin.to_string()),
    };
    let client = Client::new(endpoint).map_err(CliError::unusable)?;
    let own = match named {
        Some(_) => None,
        None => find_workspace(&client, &service, sign_in.asks).await?,
    };
    let client = own.map_or(client.clone(), |own| client.in_workspace(own));
    let workspace = match client.workspace().await {
        Ok(answer) => answer.value,
        Err(failure) => return Err(explain_failure(failure, &service).await).context("sign in"),
    };
    let id = workspace.id.or(client.workspace_id());
    let name = sign_in.choose_profile_name(&service.base).await?;
    let token_command = if login.keyring {
        Some(keyring::store_token(&name, &token).await?)
    } else {
        None
    };
    let saved = config::save_profile(
        &paths,
        &NewProfile {
            name: ProfileName::Exact(&name),
            base_url: &service.base.to_string(),
            workspace: id.map(|id| id.to_string()).as_deref(),
            certificate: service.pin.map(|pin| pin.to_string()).as_deref(),
            replaced_certificate: service.replaced_pin.map(|pin| pin.to_string()).as_deref(),
            token: token_command
                .as_deref()
                .map_or(ProfileToken::Value(&token), ProfileToken::Command),
            read_only: false,
        },
    )?;
    if id.is_none() {
        print::write_note(
            "the service did not report the workspace, which the queue needs; sign in again with --workspace UUID",
        );
    }
    let kept = saved
        .token_file
        .map_or("the keyring".to_owned(), |path| path.display().to_string());
    output.print_summary(
        &format!("signed in to {}, saved as profile {name}; the token is in {kept}", workspace_label(&workspace, &client)),
        &serde_json::json!({"profile": name, "base_url": service.base.to_string(), "workspace": id}),
    )
}

/// Asks for a line; an empty one is an answer, the end of the input is not.
async fn ask(question: &str) -> Result<String, CliError> {
    print::write_note(question);
    let line = stdin::read_line().await?;
    if line.is_empty() {
        Err(CliError::usage("stopped: the input ended"))
    } else {
        Ok(line.trim().to_owned())
    }
}

impl SignIn<'_> {
    /// The service at the given address, or at one that the person types; a wrong one is asked for
    /// again.
    async fn find_service(&self) -> Result<CheckedService, CliError> {
        let given = self
            .options
            .base_url
            .clone()
            .or_else(|| process_env("GANTRY_BASE_URL"));
        match given {
            Some(address) => self.check_service(&address).await,
            None if !self.asks => Err(CliError::usage("no address given")
                .with_hint("use: gantry login --base-url https://HOST/api/v1")),
            None => loop {
                let address = ask("address of the service, such as https://signals.example or https://192.168.1.20:8484").await?;
                match self.check_service(&address).await {
                    Ok(service) => return Ok(service),
                    Err(error) => match error.to_line() {
                        Some(why) => print::write_note(&why),
                        None => return Err(error),
                    },
                }
            },
        }
    }

    /// Checks an address and, if somebody can be asked, the certificate there. Otherwise the first
    /// request checks it.
    async fn check_service(&self, address: &str) -> Result<CheckedService, CliError> {
        let address = match address.contains("://") {
            true => address.to_owned(),
            false => {
                print::write_note(&format!(
                    "trying https://{address}, because the address names neither https nor http"
                ));
                format!("https://{address}")
            }
        };
        let base = BaseUrl::parse(&address).map_err(CliError::unusable)?;
        let given = self
            .login
            .certificate
            .clone()
            .or_else(|| process_env("GANTRY_CERTIFICATE"));
        let given = given.map(|pin| client::parse_pin(&base, &pin)).transpose();
        let given = given.map_err(CliError::unusable)?;
        let earlier = self.pinned_certificate(&base);
        let replaced_pin = earlier.filter(|earlier| given.is_some_and(|given| given != *earlier));
        if let (Some(earlier), Some(given)) = (replaced_pin, given) {
            print::write_note(&format!(
                "the profile accepted only the certificate {earlier} until now; from now on only {given}"
            ));
        }
        let mut service = CheckedService {
            base,
            pin: given.or(earlier),
            replaced_pin,
        };
        if !service.base.is_https() || !self.asks {
            return Ok(service);
        }
        match check_certificate(&service.base, service.pin).await? {
            CertificateStatus::Trusted => {}
            CertificateStatus::Unknown { reason, .. } if given.is_some() => {
                return Err(RequestError::new_not_sent(reason).into());
            }
            CertificateStatus::Unknown {
                fingerprint,
                reason,
            } => {
                print::write_note(&match earlier {
                    Some(earlier) => format!(
                        "warning: this profile accepted only the certificate {earlier} until now; unless whoever runs the service \
                     confirms the new one, somebody may be intercepting the connection"
                    ),
                    None => reason,
                });
                let question = format!(
                    "the certificate of {} is {fingerprint}. Does gantry serve show the same there? Accept it from now on [yes/no]",
                    service.base.host()
                );
                if !matches!(ask(&question).await?.as_str(), "yes" | "y" | "Yes" | "YES") {
                    return Err(CliError::failed(
                        "the certificate was not accepted; nothing was sent",
                    ));
                }
                (service.pin, service.replaced_pin) = (Some(fingerprint), earlier);
            }
        }
        Ok(service)
    }

    /// The certificate that an earlier profile of this name accepts at this address.
    fn pinned_certificate(&self, base: &BaseUrl) -> Option<Fingerprint> {
        let name = self.options.profile.as_deref().unwrap_or("default");
        let earlier = self.profiles.iter().find(|profile| profile.name == name)?;
        let is_here = |url: &String| BaseUrl::parse(url).is_ok_and(|url| url == *base);
        earlier.base_url.as_ref().filter(|url| is_here(url))?;
        earlier.certificate.as_ref()?.parse().ok()
    }

    /// The name of the profile: as given, or "default". If that one is for another service, a person is
    /// asked.
    async fn choose_profile_name(&self, base: &BaseUrl) -> Result<String, CliError> {
        if let Some(name) = &self.options.profile {
            return Ok(name.clone());
        }
        let name = "default".to_owned();
        let earlier = self.profiles.iter().find(|profile| profile.name == name);
        match earlier.and_then(|profile| profile.base_url.as_ref()) {
            Some(other) if self.asks && BaseUrl::parse(other).is_ok_and(|other| other != *base) => {
                let typed = ask(&format!(
                "profile default is for {other}; name of the new profile (Enter replaces default)"
            ))
            .await?;
                Ok(if typed.is_empty() { name } else { typed })
            }
            _ => Ok(name),
        }
    }
}

/// The workspace of the token; of several, the one that the person chooses.
async fn find_workspace(
    client: &Client,
    service: &CheckedService,
    asks: bool,
) -> Result<Option<WorkspaceId>, CliError> {
    let failure = match client.find_workspace().await {
        Ok(workspace) => return Ok(workspace),
        Err(failure) => failure,
    };
    let RequestErrorKind::Rejected(refusal) = &failure.kind else {
        return Err(explain_failure(failure, service).await).context("sign in");
    };
    let ids: Vec<WorkspaceId> = refusal
        .allowed
        .iter()
        .filter_map(|id| id.parse().ok())
        .collect();
    if refusal.status != 400 {
        return Err(failure).context("sign in");
    }
    if !asks || ids.is_empty() {
        return Err(CliError::unusable(failure));
    }
    print::write_note("the token is valid for several workspaces:");
    for (nth, id) in ids.iter().enumerate() {
        let name = client
            .in_workspace(*id)
            .workspace()
            .await
            .ok()
            .and_then(|answer| answer.value.name);
        print::write_note(&format!("{}  {}  {id}", nth + 1, name.unwrap_or_default()));
    }
    loop {
        let typed = ask(&format!("number of the workspace, 1 to {}", ids.len())).await?;
        match typed
            .parse::<usize>()
            .ok()
            .and_then(|nth| ids.get(nth.checked_sub(1)?))
        {
            Some(id) => return Ok(Some(*id)),
            None => print::write_note(&format!("{typed:?} is not in the list")),
        }
    }
}

/// A failed request; if the certificate is not trusted, with its fingerprint and how to accept it.
async fn explain_failure(failure: RequestError, service: &CheckedService) -> CliError {
    if failure.kind != RequestErrorKind::NotSent
        || service.pin.is_some()
        || !service.base.is_https()
    {
        return failure.into();
    }
    match check_certificate(&service.base, None).await {
        Ok(CertificateStatus::Unknown {
            fingerprint,
            reason,
        }) => CliError::new(
            failure.exit_status(),
            format!(
                "{reason}. If gantry serve shows {fingerprint} there, add: --certificate {fingerprint}"
            ),
        ),
        _ => failure.into(),
    }
}

/// Reads the token from a pipe, or from the terminal without echo.
async fn read_token() -> Result<SecretString, CliError> {
    let from_env = process_env("GANTRY_TOKEN");
    let token = if let (Some(token), true) = (&from_env, std::io::stdin().is_terminal()) {
        token.clone()
    } else if std::io::stdin().is_terminal() {
        let _hidden = HiddenInput::start();
        print::write_note("paste the token and press Enter (it is not shown)");
        stdin::read_line().await?
    } else {
        let piped = stdin::read_all().await?;
        if piped.trim().is_empty() {
            from_env.unwrap_or_default()
        } else {
            piped
        }
    };
    match token.trim() {
        "" => Err(CliError::usage("no token on standard input")
            .with_hint("give one with --token-file, or: gantry login < FILE")),
        token => Ok(token.into()),
    }
}
