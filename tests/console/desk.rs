//! A service behind a relay, which can put it out of reach, and a machine that is used again and again.

use crate::pty::{Program, gantry};
use crate::relay::Relay;
use crate::served::Served;

/// The service, the relay, and the machine with its home.
pub struct Desk {
    pub served: Served,
    pub relay: Relay,
}

impl Desk {
    /// A service over a small sample world, within reach.
    pub fn new() -> Desk {
        let served = Served::start(&["--projects", "60"]);
        let base_url = served.env.iter().find(|(name, _)| *name == "GANTRY_BASE_URL").unwrap().1.clone();
        Desk { relay: Relay::to(&base_url), served }
    }

    /// The console on this machine, not started yet.
    pub fn program(&self) -> Program {
        let known = self.served.env.iter().filter(|(name, _)| !["PATH", "GANTRY_BASE_URL"].contains(name));
        let program = known.fold(gantry(&[]), |program, (name, value)| program.env(name, value));
        program.env("GANTRY_BASE_URL", &self.relay.base_url)
    }

    /// What a verb prints that asks the service itself.
    pub fn json(&self, verb: &str) -> serde_json::Value {
        serde_json::from_slice(&self.served.run(&format!("gantry {verb} --json")).stdout).unwrap()
    }

    /// New signals, by the service's count.
    pub fn new_count(&self) -> u64 {
        self.json("queue stats")["new_count"].as_u64().unwrap()
    }
}
