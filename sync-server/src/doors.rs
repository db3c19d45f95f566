//! The door: connections are taken as they come, and shut when nothing came of them for too long.
//!
//! The clock starts again with each piece of an answer, and with the first that is received after one,
//! but with nothing more that is received: whoever sends half a request, or a byte a minute, or never
//! reads what it asked for, holds a place for a while and no longer. The longest poll is answered well
//! before.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a connection may stand without a piece of an answer: three times what any request may
/// take, and longer than a client keeps idle connections, so that clients shut them and not we.
const PATIENCE: Duration = Duration::from_secs(120);

/// A listener whose connections end when nothing comes of them.
#[derive(Debug)]
pub(crate) struct Doors {
    listener: TcpListener,
    patience: Duration,
}

impl Doors {
    /// Over an address that was taken.
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            patience: PATIENCE,
        }
    }
}

impl Listener for Doors {
    type Io = Visit;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Visit, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // An answer is one small write: waiting to fill a packet would cost 40 ms.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "tcp.nodelay");
        }
        (Visit::new(stream, self.patience), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Where a request came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Connected<IncomingStream<'_, Doors>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Doors>) -> Self {
        Self(*stream.remote_addr())
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Visit {
    stream: TcpStream,
    patience: Duration,
    /// When the clock last started.
    since: Instant,
    /// Whether nothing has come since the last piece of an answer.
    idle: bool,
    /// Set once and moved when it fires: an answer only notes the time.
    alarm: Pin<Box<Sleep>>,
}

impl Visit {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        let since = Instant::now();
        Self {
            stream,
            patience,
            since,
            idle: true,
            alarm: Box::pin(sleep_until(since + patience)),
        }
    }

    /// Ready when patience has ended; else whoever asks is woken then.
    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            ready!(self.alarm.as_mut().poll(cx));
            let ends = self.since + self.patience;
            if Instant::now() >= ends {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.alarm.as_mut().reset(ends);
        }
    }

    /// Notes that something of an answer went out; while nothing does, patience may end.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        match result {
            Poll::Ready(Ok(written)) => {
                self.since = Instant::now();
                self.idle = true;
                Poll::Ready(Ok(written))
            }
            Poll::Pending => self.poll_ended(cx).map(Err),
            failed @ Poll::Ready(Err(_)) => failed,
        }
    }
}

impl AsyncRead for Visit {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let visit = self.get_mut();
        if let Poll::Ready(error) = visit.poll_ended(cx) {
            return Poll::Ready(Err(error));
        }
        let result = Pin::new(&mut visit.stream).poll_read(cx, buffer);
        if visit.idle && result.is_ready() {
            visit.since = Instant::now();
            visit.idle = false;
        }
        result
    }
}

impl AsyncWrite for Visit {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let visit = self.get_mut();
        let result = Pin::new(&mut visit.stream).poll_write(cx, bytes);
        visit.written(cx, result)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let visit = self.get_mut();
        let result = Pin::new(&mut visit.stream).poll_write_vectored(cx, pieces);
        visit.written(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Lets this process hold as many connections as its account allows; where that cannot be had, it
/// holds fewer.
pub(crate) fn widen() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls read or write the one struct that they are given, which lives here.
    let widened = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit) == 0
        }
    };
    if !widened {
        tracing::warn!("server.few_connections");
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::extract::ConnectInfo;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn doors(patience: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let slow = async || {
            tokio::time::sleep(Duration::from_millis(300)).await;
            "done 127.0.0.1"
        };
        let router = Router::new()
            .route(
                "/",
                get(|ConnectInfo(Peer(peer))| async move { peer.ip().to_string() }),
            )
            .route("/slow", get(slow));
        let doors = Doors { listener, patience };
        let service = router.into_make_service_with_connect_info::<Peer>();
        tokio::spawn(async move { axum::serve(doors, service).await });
        address
    }

    #[tokio::test]
    async fn half_a_request_is_not_waited_for_for_ever() {
        let address = doors(Duration::from_millis(200)).await;
        for sent in [
            "",
            "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
            "PRI * HTTP/2.0\r\n",
        ] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(sent.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            // Ends, or is reset: not one byte comes.
            let _ = stream.read_to_end(&mut rest).await;
            assert!(rest.is_empty(), "{sent:?}");
        }
    }

    #[tokio::test]
    async fn a_byte_now_and_then_does_not_keep_the_door_open() {
        let address = doors(Duration::from_millis(200)).await;
        let (mut reads, mut writes) = TcpStream::connect(address).await.unwrap().into_split();
        let drip = async {
            let mut beat = tokio::time::interval(Duration::from_millis(20));
            let mut sent = writes.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").await;
            while sent.is_ok() {
                beat.tick().await;
                sent = writes.write_all(b"a").await;
            }
        };
        let mut rest = Vec::new();
        tokio::select! {
            _ = reads.read_to_end(&mut rest) => {}
            _ = drip => {}
        }
        assert!(rest.is_empty());
    }

    #[tokio::test]
    async fn whoever_is_answered_stays() {
        let address = doors(Duration::from_millis(500)).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        // Idle for most of the patience, and then an answer that takes most of it.
        for path in ["/", "/slow", "/slow", "/"] {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"127.0.0.1") {
                assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
            }
            assert!(answer.starts_with(b"HTTP/1.1 200"));
        }
    }
}
