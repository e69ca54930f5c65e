//! Request bodies: read at a minimum rate, up to the route's size limit, and within a memory budget shared by all large bodies.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::api_error::ApiError;

/// Each window of this length must bring at least this many bytes.
const MIN_BODY_RATE: (usize, Duration) = (64 << 10, Duration::from_secs(5));

fn too_large(max_bytes: usize) -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", format!("the body exceeds {max_bytes} bytes"))
}

/// The declared size of a body; without a declaration, the limit.
pub fn declared_size(headers: &HeaderMap, max_bytes: usize) -> Result<usize, ApiError> {
    let declared =
        headers.get("content-length").and_then(|value| value.to_str().ok()).and_then(|text| text.parse::<usize>().ok());
    if declared.is_some_and(|bytes| bytes > max_bytes) { Err(too_large(max_bytes)) } else { Ok(declared.unwrap_or(max_bytes)) }
}

/// The memory budget for large bodies that are being read, in KiB.
pub struct BodyBudget(Semaphore);

impl BodyBudget {
    /// The whole budget, in KiB. It is small because a parsed body takes many times its size.
    const TOTAL_KIB: usize = 16 << 10;
    /// Bodies up to this size are not counted: the number of connections bounds them.
    const SMALL_BODY_BYTES: usize = 64 << 10;
    /// How long a large body waits for its share.
    const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

    pub fn new() -> Self {
        BodyBudget(Semaphore::new(Self::TOTAL_KIB))
    }

    /// Waits for a share of this many bytes.
    pub async fn acquire(&self, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
        if bytes <= Self::SMALL_BODY_BYTES {
            return Ok(None);
        }
        let wanted = self.0.acquire_many(u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX));
        match tokio::time::timeout(Self::ACQUIRE_TIMEOUT, wanted).await {
            Ok(Ok(held)) => Ok(Some(held)),
            _ => Err(ApiError::unavailable("too many large requests at the same time: try again later")),
        }
    }
}

/// Reads a body of at most `max_bytes` bytes that arrives at the minimum rate.
pub async fn read_body(body: Body, max_bytes: usize) -> Result<Vec<u8>, ApiError> {
    let (mut parts, mut read, mut ended) = (body.into_data_stream(), Vec::new(), false);
    while !ended {
        let enough = read.len() + MIN_BODY_RATE.0;
        let more = tokio::time::timeout(MIN_BODY_RATE.1, async {
            while read.len() < enough {
                match parts.next().await {
                    Some(Ok(part)) if read.len() + part.len() <= max_bytes => read.extend_from_slice(&part),
                    Some(Ok(_)) => return Err(too_large(max_bytes)),
                    Some(Err(error)) => return Err(ApiError::bad_request(format!("cannot read the body: {error}"))),
                    None => return Ok(true),
                }
            }
            Ok(false)
        });
        ended = more
            .await
            .map_err(|_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", "the body arrives too slowly"))??;
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in parts, each after a pause.
    fn slow_body(part: usize, times: usize, pause: Duration) -> Body {
        Body::from_stream(futures_util::stream::iter(0..times).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, std::convert::Infallible>(vec![b' '; part])
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_dripping_body_gets_408_and_a_large_body_at_a_steady_rate_is_read() {
        let refusal = read_body(slow_body(1, 100, Duration::from_secs(1)), 1 << 20).await.unwrap_err();
        assert_eq!((refusal.status.as_u16(), refusal.code), (408, "request_timeout"));
        let refusal = read_body(slow_body(1000, 100, Duration::from_secs(1)), 1 << 20).await.unwrap_err();
        assert_eq!(refusal.status.as_u16(), 408, "a thousand bytes a second are too slow, too");
        let whole = read_body(slow_body(16 << 10, 48, Duration::from_secs(1)), 1 << 20).await.unwrap();
        assert_eq!(whole.len(), 768 << 10);
        assert_eq!(read_body(Body::empty(), 10).await.unwrap(), b"");
        let refusal = read_body(slow_body(64 << 10, 100, Duration::ZERO), 1 << 20).await.unwrap_err();
        assert_eq!(refusal.status.as_u16(), 413);
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_share_a_budget_and_small_ones_never_wait() {
        let buffers = BodyBudget::new();
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(buffers.acquire(8 << 20).await.unwrap());
        }
        assert!(buffers.acquire(1000).await.unwrap().is_none());
        let refusal = buffers.acquire(1 << 20).await.unwrap_err();
        assert_eq!((refusal.status.as_u16(), refusal.retry_after), (503, Some(1)));
        held.pop();
        assert!(buffers.acquire(1 << 20).await.unwrap().is_some());
    }
}
