//! Request bodies: read at a minimum rate, up to the route's size limit, and within a memory budget
//! shared by all large bodies. What a rejected request leaves unread is in front of the next
//! request on its connection, so it is read and discarded.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::api_error::ApiError;

/// Each window of this length must bring at least this many bytes.
const MIN_BODY_RATE: (usize, Duration) = (64 << 10, Duration::from_secs(5));
/// Bodies up to this size are small: they share no budget, and are read even if the request is
/// rejected.
const SMALL_BODY_BYTES: usize = 64 << 10;
/// How long the rest of a small body of a rejected request may take.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

fn too_large(max_bytes: usize) -> ApiError {
    ApiError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "payload_too_large",
        format!("the body exceeds {max_bytes} bytes"),
    )
}

/// The declared size of a body; without a declaration, the limit.
pub fn declared_size(headers: &HeaderMap, max_bytes: usize) -> Result<usize, ApiError> {
    let declared = headers
        .get("content-length")
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if declared.is_some_and(|bytes| bytes > max_bytes) {
        Err(too_large(max_bytes))
    } else {
        Ok(declared.unwrap_or(max_bytes))
    }
}

/// The memory budget for large bodies that are being read, in KiB.
pub struct BodyBudget(Semaphore);

impl BodyBudget {
    /// The whole budget, in KiB. It is small because a parsed body takes many times its size.
    const TOTAL_KIB: usize = 16 << 10;
    /// How long a large body waits for its share.
    const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

    pub fn new() -> Self {
        BodyBudget(Semaphore::new(Self::TOTAL_KIB))
    }

    /// Waits for a share of this many bytes. Small bodies need none: the number of connections
    /// bounds them.
    pub async fn acquire(&self, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
        if bytes <= SMALL_BODY_BYTES {
            return Ok(None);
        }
        let wanted = self
            .0
            .acquire_many(u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX));
        match tokio::time::timeout(Self::ACQUIRE_TIMEOUT, wanted).await {
            Ok(Ok(held)) => Ok(Some(held)),
            _ => Err(ApiError::unavailable(
                "too many large requests at the same time: try again later",
            )),
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
                    Some(Ok(part)) if read.len() + part.len() <= max_bytes => {
                        read.extend_from_slice(&part)
                    }
                    Some(Ok(_)) => return Err(too_large(max_bytes)),
                    Some(Err(error)) => {
                        return Err(ApiError::bad_request(format!(
                            "cannot read the body: {error}"
                        )));
                    }
                    None => return Ok(true),
                }
            }
            Ok(false)
        });
        ended = more.await.map_err(|_| {
            ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                "request_timeout",
                "the body arrives too slowly",
            )
        })??;
    }
    Ok(read)
}

/// A body that goes to an [`UnreadBody`] when its reader drops it.
struct LentBody<B: HttpBody> {
    body: Option<B>,
    unread: UnreadBody<B>,
}

/// What the reader of a request's body has left of it.
pub struct UnreadBody<B>(Arc<Mutex<Option<B>>>);

/// Gives a body to a reader.
pub fn lend<B>(body: B) -> (Body, UnreadBody<B>)
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + Unpin + 'static,
{
    let shared = Arc::default();
    (
        Body::new(LentBody {
            body: Some(body),
            unread: UnreadBody(Arc::clone(&shared)),
        }),
        UnreadBody(shared),
    )
}

impl<B> UnreadBody<B>
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    /// Reads what is left. False if that is not a small body which arrives soon: the connection
    /// cannot be used for another request.
    pub async fn discard(&self) -> bool {
        let Some(rest) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return true;
        };
        if rest.size_hint().lower() > SMALL_BODY_BYTES as u64 {
            return false;
        }
        let read = tokio::time::timeout(
            DISCARD_TIMEOUT,
            read_body(Body::new(rest), SMALL_BODY_BYTES),
        )
        .await;
        read.is_ok_and(|read| read.is_ok())
    }
}

impl<B: HttpBody + Unpin> HttpBody for LentBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        self.body
            .as_mut()
            .map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(cx))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map(HttpBody::size_hint)
            .unwrap_or_default()
    }
}

impl<B: HttpBody> Drop for LentBody<B> {
    fn drop(&mut self) {
        *self.unread.0.lock().unwrap_or_else(PoisonError::into_inner) =
            self.body.take().filter(|body| !body.is_end_stream());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body in parts, each after a pause.
    fn slow_body(part: usize, times: usize, pause: Duration) -> Body {
        Body::from_stream(
            futures_util::stream::iter(0..times).then(move |_| async move {
                tokio::time::sleep(pause).await;
                Ok::<_, std::convert::Infallible>(vec![b' '; part])
            }),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_dripping_body_gets_408_and_a_large_body_at_a_steady_rate_is_read() {
        let refusal = read_body(slow_body(1, 100, Duration::from_secs(1)), 1 << 20)
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.status.as_u16(), refusal.code),
            (408, "request_timeout")
        );
        let refusal = read_body(slow_body(1000, 100, Duration::from_secs(1)), 1 << 20)
            .await
            .unwrap_err();
        assert_eq!(
            refusal.status.as_u16(),
            408,
            "a thousand bytes a second are too slow, too"
        );
        let whole = read_body(slow_body(16 << 10, 48, Duration::from_secs(1)), 1 << 20)
            .await
            .unwrap();
        assert_eq!(whole.len(), 768 << 10);
        assert_eq!(read_body(Body::empty(), 10).await.unwrap(), b"");
        let refusal = read_body(slow_body(64 << 10, 100, Duration::ZERO), 1 << 20)
            .await
            .unwrap_err();
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
        assert_eq!(
            (refusal.status.as_u16(), refusal.retry_after),
            (503, Some(1))
        );
        held.pop();
        assert!(buffers.acquire(1 << 20).await.unwrap().is_some());
    }
}
