//! The body of a request: read at a pace, up to the size that its route allows, and within a room that all large bodies share.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::refusal::Refusal;

/// How much of a body must come, and in which time: as much again each time.
const PACE: (usize, Duration) = (64 << 10, Duration::from_secs(5));

fn too_large(room: usize) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", format!("at most {room} bytes are read"))
}

/// How many bytes of a body may come: those that it says it has, or as many as there is room for.
pub fn declared(headers: &HeaderMap, room: usize) -> Result<usize, Refusal> {
    let said = headers.get("content-length").and_then(|value| value.to_str().ok()).and_then(|text| text.parse::<usize>().ok());
    if said.is_some_and(|bytes| bytes > room) { Err(too_large(room)) } else { Ok(said.unwrap_or(room)) }
}

/// The bytes of large bodies that are read at one time, in KiB.
pub struct Buffers(Semaphore);

impl Buffers {
    /// All of them, in KiB: a body takes many times its size once it is parsed.
    const ALL: usize = 16 << 10;
    /// A body up to this size is not counted: connections are.
    const SMALL: usize = 64 << 10;
    /// How long a large body waits for others.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// None is taken.
    pub fn new() -> Self {
        Buffers(Semaphore::new(Self::ALL))
    }

    /// Room for a body of so many bytes, once there is.
    pub async fn hold(&self, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, Refusal> {
        if bytes <= Self::SMALL {
            return Ok(None);
        }
        let wanted = self.0.acquire_many(u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX));
        match tokio::time::timeout(Self::PATIENCE, wanted).await {
            Ok(Ok(held)) => Ok(Some(held)),
            _ => Err(Refusal::unavailable("too many large requests at one time")),
        }
    }
}

/// Reads a body that is not larger than `room` and comes at a pace.
pub async fn read(body: Body, room: usize) -> Result<Vec<u8>, Refusal> {
    let (mut parts, mut read, mut ended) = (body.into_data_stream(), Vec::new(), false);
    while !ended {
        let enough = read.len() + PACE.0;
        let more = tokio::time::timeout(PACE.1, async {
            while read.len() < enough {
                match parts.next().await {
                    Some(Ok(part)) if read.len() + part.len() <= room => read.extend_from_slice(&part),
                    Some(Ok(_)) => return Err(too_large(room)),
                    Some(Err(error)) => return Err(Refusal::bad_request(format!("the body cannot be read: {error}"))),
                    None => return Ok(true),
                }
            }
            Ok(false)
        });
        ended = more
            .await
            .map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", "the body comes too slowly"))??;
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in parts, one after each pause.
    fn drip(part: usize, times: usize, pause: Duration) -> Body {
        Body::from_stream(futures_util::stream::iter(0..times).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, std::convert::Infallible>(vec![b' '; part])
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_is_408_and_a_large_one_on_a_slow_line_is_read() {
        let refusal = read(drip(1, 100, Duration::from_secs(1)), 1 << 20).await.unwrap_err();
        assert_eq!((refusal.status.as_u16(), refusal.code), (408, "request_timeout"));
        let refusal = read(drip(1000, 100, Duration::from_secs(1)), 1 << 20).await.unwrap_err();
        assert_eq!(refusal.status.as_u16(), 408, "a thousand bytes a second are too slow as well");
        let whole = read(drip(16 << 10, 48, Duration::from_secs(1)), 1 << 20).await.unwrap();
        assert_eq!(whole.len(), 768 << 10);
        assert_eq!(read(Body::empty(), 10).await.unwrap(), b"");
        let refusal = read(drip(64 << 10, 100, Duration::ZERO), 1 << 20).await.unwrap_err();
        assert_eq!(refusal.status.as_u16(), 413);
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_share_a_room_and_small_ones_never_wait() {
        let buffers = Buffers::new();
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(buffers.hold(8 << 20).await.unwrap());
        }
        assert!(buffers.hold(1000).await.unwrap().is_none());
        let refusal = buffers.hold(1 << 20).await.unwrap_err();
        assert_eq!((refusal.status.as_u16(), refusal.retry_after), (503, Some(1)));
        held.pop();
        assert!(buffers.hold(1 << 20).await.unwrap().is_some());
    }
}
