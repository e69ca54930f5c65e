//! A service behind a relay, which can put it out of reach, and a machine that is used again and again.

use crate::faulty_proxy::FaultyProxy;
use crate::pty::{TerminalProgram, gantry_program};
use crate::spawned_service::SpawnedService;

/// The service, the relay, and the machine with its home.
pub struct ProxiedService {
    pub service: SpawnedService,
    pub proxy: FaultyProxy,
}

impl ProxiedService {
    /// A service over a small sample world, within reach.
    pub fn new() -> ProxiedService {
        let served = SpawnedService::start(&["--projects", "60"]);
        let base_url = served.env.iter().find(|(name, _)| *name == "GANTRY_BASE_URL").unwrap().1.clone();
        ProxiedService { proxy: FaultyProxy::start(&base_url), service: served }
    }

    /// The console on this machine, not started yet.
    pub fn console_program(&self) -> TerminalProgram {
        let known = self.service.env.iter().filter(|(name, _)| !["PATH", "GANTRY_BASE_URL"].contains(name));
        let program = known.fold(gantry_program(&[]), |program, (name, value)| program.env(name, value));
        program.env("GANTRY_BASE_URL", &self.proxy.base_url)
    }

    /// What a verb prints that asks the service itself.
    pub fn verb_json(&self, verb: &str) -> serde_json::Value {
        serde_json::from_slice(&self.service.run(&format!("gantry {verb} --json")).stdout).unwrap()
    }

    /// New signals, by the service's count.
    pub fn new_count(&self) -> u64 {
        self.verb_json("queue stats")["new_count"].as_u64().unwrap()
    }
}
