//! An I/O wrapper that closes connections whose client stops reading, so that they do not keep
//! slots from others.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a client may read nothing of what is waiting for it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// A stream that fails with [`io::ErrorKind::TimedOut`] when the client reads nothing for
/// [`WRITE_TIMEOUT`].
pub struct WriteTimeout<S> {
    stream: S,
    /// Runs while the client reads nothing.
    stall_timer: Option<Pin<Box<Sleep>>>,
}

impl<S: Unpin> WriteTimeout<S> {
    pub fn new(stream: S) -> Self {
        WriteTimeout {
            stream,
            stall_timer: None,
        }
    }

    fn poll_with_timeout<T>(
        &mut self,
        cx: &mut Context<'_>,
        attempt: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(done) = attempt(Pin::new(&mut self.stream), cx) {
            self.stall_timer = None;
            return Poll::Ready(done);
        }
        ready!(
            self.stall_timer
                .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)))
                .as_mut()
                .poll(cx)
        );
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_with_timeout(cx, |stream, cx| stream.poll_shutdown(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_is_disconnected_after_twenty_seconds() {
        let (ours, _theirs) = tokio::io::duplex(1000);
        let failed = WriteTimeout::new(ours)
            .write_all(&[0; 2000])
            .await
            .unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_is_served() {
        let (ours, mut theirs) = tokio::io::duplex(1000);
        let reads = tokio::spawn(async move {
            let (mut part, mut read) = ([0; 1000], 0);
            while read < 10_000 {
                sleep(WRITE_TIMEOUT - Duration::from_secs(1)).await;
                read += theirs.read(&mut part).await.unwrap();
            }
            read
        });
        WriteTimeout::new(ours)
            .write_all(&[0; 10_000])
            .await
            .unwrap();
        assert_eq!(reads.await.unwrap(), 10_000);
    }
}
