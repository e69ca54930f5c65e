//! Detects suspend by comparing wall-clock and monotonic time.
//!
//! Timers run in monotonic time, which stops during suspend, so afterwards each has as long to go
//! as before; a short timer here checks the clock.
//!
//! Never here: what is done about it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::event::Event;
use crate::app::msg::Push;

/// How often the clock is checked, and so the maximum delay of detection.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Smaller jumps are clock adjustments.
const SUSPEND_THRESHOLD: TimeDelta = TimeDelta::minutes(1);

/// Reports each suspend until the receiver is gone.
pub async fn watch_for_suspend(now: impl Fn() -> DateTime<Utc>, events: mpsc::Sender<Event>) {
    loop {
        let (clock, ran) = (now(), Instant::now());
        sleep(CHECK_INTERVAL).await;
        let slept = now() - clock - TimeDelta::from_std(ran.elapsed()).unwrap_or_default();
        if slept >= SUSPEND_THRESHOLD
            && events
                .send(Push::SystemSuspended(slept).into())
                .await
                .is_err()
        {
            return;
        }
        if events.is_closed() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;
    use crate::app::msg::Msg;

    #[tokio::test(start_paused = true)]
    async fn a_suspend_is_reported_once_within_five_seconds_and_a_clock_adjustment_is_not() {
        let (began, ahead) = (Instant::now(), Arc::new(AtomicI64::new(0)));
        let jumped = ahead.clone();
        let clock = move || {
            let ran = TimeDelta::from_std(began.elapsed()).unwrap();
            DateTime::UNIX_EPOCH + ran + TimeDelta::seconds(jumped.load(Ordering::Relaxed))
        };
        let (push, mut pushed) = mpsc::channel(8);
        tokio::spawn(watch_for_suspend(clock, push));
        let mut noticed = Vec::new();
        for jump in [0, 20, -3600, 432 * 60, 0] {
            sleep(Duration::from_millis(1)).await;
            ahead.fetch_add(jump, Ordering::Relaxed);
            sleep(CHECK_INTERVAL).await;
            while let Ok(Event::Msg(Msg::Pushed(Push::SystemSuspended(time)))) = pushed.try_recv() {
                noticed.push((jump, time.num_minutes()));
            }
        }
        assert_eq!(noticed, [(432 * 60, 432)]);
    }
}
