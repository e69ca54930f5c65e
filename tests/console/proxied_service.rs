//! A service behind a proxy that can make it unreachable, and a machine that is used repeatedly.

use crate::faulty_proxy::FaultyProxy;
use crate::pty::{TerminalProgram, gantry_program};
use crate::spawned_service::SpawnedService;

/// The service, the proxy, and the machine with its home.
pub struct ProxiedService {
    pub service: SpawnedService,
    pub proxy: FaultyProxy,
}

impl ProxiedService {
    /// A reachable service over a small sample.
    pub fn new() -> ProxiedService {
        let served = SpawnedService::start(&["--projects", "60"]);
        let base_url = served
            .env
            .iter()
            .find(|(name, _)| *name == "GANTRY_BASE_URL")
            .unwrap()
            .1
            .clone();
        ProxiedService {
            proxy: FaultyProxy::start(&base_url),
            service: served,
        }
    }

    /// The console on this machine, not started yet.
    pub fn console_program(&self) -> TerminalProgram {
        let known = self
            .service
            .env
            .iter()
            .filter(|(name, _)| !["PATH", "GANTRY_BASE_URL"].contains(name));
        let program = known.fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        });
        program.env("GANTRY_BASE_URL", &self.proxy.base_url)
    }

    /// The output of a command that calls the service directly.
    pub fn verb_json(&self, verb: &str) -> serde_json::Value {
        serde_json::from_slice(&self.service.run(&format!("gantry {verb} --json")).stdout).unwrap()
    }

    /// The service's count of new signals.
    pub fn new_count(&self) -> u64 {
        self.verb_json("queue stats")["new_count"].as_u64().unwrap()
    }
}
