//! What is measured for operators, as text for Prometheus: requests, credits, the threads of the
//! database.
//!
//! Never here: who asked for what. A label has a few fixed values: no workspace, no name, no id.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};

use super::db::PoolLoad;

/// The content type of [`Metrics::encode`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the histogram of durations, in seconds. Searches end after 10 s, requests
/// after 30 s.
const DURATION_BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// The state of the database when the metrics are read.
#[derive(Clone, Debug)]
pub struct DatabaseState {
    pub pools: Vec<PoolLoad>,
    /// Mails that were not sent yet; `None` if the database does not answer.
    pub waiting_mails: Option<i64>,
}

pub struct Metrics {
    registry: Registry,
    requests: Family<Labels<3>, Counter>,
    durations: Family<Labels<2>, Histogram, fn() -> Histogram>,
    credits: Counter,
    replica_searches: Family<Labels<1>, Counter>,
    threads: Family<Labels<1>, Gauge>,
    running_jobs: Family<Labels<1>, Gauge>,
    waiting_jobs: Family<Labels<1>, Gauge>,
    is_database_up: Gauge,
    waiting_mails: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        fn add_metric<M: Metric + Clone + Default>(to: &mut Registry, name: &str, help: &str) -> M {
            let metric = M::default();
            to.register(name, help, metric.clone());
            metric
        }
        let mut all = Registry::with_prefix("gantry");
        let to = &mut all;
        let requests = add_metric(to, "requests", "Requests answered");
        let durations: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS));
        let help = "Time from the head of a request to its answer";
        to.register_with_unit("request_duration", help, Unit::Seconds, durations.clone());
        let searches = "Searches by the database that answered them";
        let threads = "Threads with a connection to the database";
        Metrics {
            requests,
            durations,
            credits: add_metric(to, "credits_charged", "Credits charged to workspaces"),
            replica_searches: add_metric(to, "replica_searches", searches),
            threads: add_metric(to, "database_threads", threads),
            running_jobs: add_metric(to, "database_jobs_running", "Threads at work"),
            waiting_jobs: add_metric(to, "database_jobs_waiting", "Jobs that wait for a thread"),
            is_database_up: add_metric(to, "database_up", "Whether the database answers"),
            waiting_mails: add_metric(to, "mails_waiting", "Mails that were not sent yet"),
            registry: all,
        }
    }
}

impl Metrics {
    pub fn record_request(
        &self,
        method: &Method,
        route: &'static str,
        status: StatusCode,
        duration: Duration,
    ) {
        let method = method_label(method);
        let class = match status.as_u16() / 100 {
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            5 => "5xx",
            _ => "1xx",
        };
        self.requests
            .get_or_create(&[("method", method), ("route", route), ("status", class)])
            .inc();
        self.durations
            .get_or_create(&[("method", method), ("route", route)])
            .observe(duration.as_secs_f64());
    }

    pub fn add_credits(&self, credits: u32) {
        self.credits.inc_by(credits.into());
    }

    /// A search that may be answered by a read replica was.
    pub fn record_replica_search(&self, was_replica: bool) {
        let database = if was_replica { "replica" } else { "primary" };
        self.replica_searches
            .get_or_create(&[("database", database)])
            .inc();
    }

    /// All metrics as text.
    pub fn encode(&self, database: &DatabaseState) -> String {
        for load in &database.pools {
            let labels = [("pool", load.pool)];
            self.threads.get_or_create(&labels).set(load.threads as i64);
            self.running_jobs
                .get_or_create(&labels)
                .set(load.running as i64);
            self.waiting_jobs
                .get_or_create(&labels)
                .set(load.waiting as i64);
        }
        self.is_database_up
            .set(database.waiting_mails.is_some().into());
        if let Some(mails) = database.waiting_mails {
            self.waiting_mails.set(mails);
        }
        let mut out = String::new();
        if let Err(error) = text::encode(&mut out, &self.registry) {
            tracing::error!(%error, "the metrics were not encoded");
        }
        out
    }
}

/// Callers choose a method freely: only known ones are told apart.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_method_route_and_class_of_status_with_their_durations() {
        let metrics = Metrics::default();
        let odd = Method::from_bytes(b"BREW").unwrap();
        for (method, status, millis) in [
            (&Method::GET, 200, 3),
            (&Method::GET, 204, 30),
            (&Method::GET, 503, 300),
            (&odd, 404, 1),
        ] {
            metrics.record_request(
                method,
                "/signals/queue",
                StatusCode::from_u16(status).unwrap(),
                Duration::from_millis(millis),
            );
        }
        metrics.add_credits(7);
        let load = PoolLoad {
            pool: "writer",
            threads: 1,
            running: 1,
            waiting: 12,
        };
        let text = metrics.encode(&DatabaseState {
            pools: vec![load],
            waiting_mails: Some(4),
        });
        for line in [
            r#"gantry_requests_total{method="GET",route="/signals/queue",status="2xx"} 2"#,
            r#"gantry_requests_total{method="GET",route="/signals/queue",status="5xx"} 1"#,
            r#"gantry_requests_total{method="other",route="/signals/queue",status="4xx"} 1"#,
            r#"gantry_request_duration_seconds_bucket{le="0.005",method="GET",route="/signals/queue"} 1"#,
            r#"gantry_request_duration_seconds_count{method="GET",route="/signals/queue"} 3"#,
            "gantry_credits_charged_total 7",
            r#"gantry_database_jobs_waiting{pool="writer"} 12"#,
            "gantry_database_up 1",
            "gantry_mails_waiting 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        let down = metrics.encode(&DatabaseState {
            pools: Vec::new(),
            waiting_mails: None,
        });
        assert!(down.contains("gantry_database_up 0"), "{down}");
    }
}
